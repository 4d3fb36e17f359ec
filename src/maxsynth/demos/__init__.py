"""Tasks with a hidden rule, made from a seed, for `maxsynth demo` and for tests.

Start in `worlds`; `generated` is what all of them make.
"""
