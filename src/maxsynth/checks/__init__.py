"""Whether a task is well posed: what `maxsynth check` says, and what `learn` says when it finds little.

It looks at tasks, and runs small searches. Start in `report`.
"""
