"""A Prolog: terms, a reader and a writer, an interpreter of our own, and SWI-Prolog as another.

It imports the kernel, and nothing else. Start in `engine`, which says what both of them do, and in `consult`.
"""
