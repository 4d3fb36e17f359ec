"""Learning again with other labels of the same examples, from what is known: start in `again`.

`any_labels` makes the rules that hold for every labelling, and `ask` says which label would tell most.
"""
