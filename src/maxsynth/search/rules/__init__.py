"""Generating rules that may be in a best program, size after size: by features, or by clingo.

Start in `features`.
"""
