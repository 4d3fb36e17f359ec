"""The space of a bias as an answer set program: the `.lp` files, the facts for them, and a running clingo.

Start in `encoding`.
"""
