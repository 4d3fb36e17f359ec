"""What `import maxsynth` shows: tasks and predicates from Python data, `learn`, and results that can be asked.

It imports the search, explanations, checks and the second opinion, and nothing of the command. Start in `learn`.
"""
