"""Predicates, literals, rules and programs, and how they print and parse. It imports `prolog` for that.

Start in `programs`.
"""
