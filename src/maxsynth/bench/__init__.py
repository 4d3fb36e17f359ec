"""The paper's experiments: tasks made from the rules of games and worlds, a runner, and a report.

It stands above all other packages. Start in `experiment`.
"""
