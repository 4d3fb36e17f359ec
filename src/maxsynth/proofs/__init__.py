"""Which examples a program covers: the evaluator that compiles rules for the kernel, the prover, and what comes of it.

It imports background knowledge and tasks, and nothing of the search. Start in `evaluator`.
"""
