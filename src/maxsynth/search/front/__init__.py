"""The front: for every size of programs the fewest errors, and not for one weight of size against errors only.

`front` is what is known of it and how it is found; `by_pool` finds it from all rules at once, `by_searches` with one
search for each size. `values` says which rules of a pool a program of a size may have.
"""
