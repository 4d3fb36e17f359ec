"""Background knowledge as tables over interned terms, whatever it is written in: facts, Prolog, Python functions.

It imports the engines of `prolog`, and of the bias only types and directions, as plain values. Start in `background`.
"""
