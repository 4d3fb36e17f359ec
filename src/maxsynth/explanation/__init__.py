"""Why an example is covered or not, and which labels look wrong.

It rests on the simple evaluator of the second opinion, which keeps the reasons. Start in `explain`.
"""
