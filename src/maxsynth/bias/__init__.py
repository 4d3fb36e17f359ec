"""The bias: what a user allows programs to be, as a value (`bias`), and how files that say it are read.

Most files are read by `simple`; the rest are answer set programs, which `reader` evaluates with clingo, within bounds.
It imports `logic` alone. Start in `bias`, and go on in `parsing`.
"""
