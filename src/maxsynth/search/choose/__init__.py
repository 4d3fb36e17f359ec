"""Choosing a set of rules of least cost among all that are there, exactly (the paper's combine stage).

Start in `problem`, then `combine`.
"""
