"""One file for each command: it is given its options, calls what does the work, and prints.

`cli` reads the options. What all commands share is in `output`, `signals` and `progress`. It may import everything but
`bench`. Start in `learn`.
"""
