"""Generating and testing programs that call themselves, and what a test says about others.

Start in `constraints` and `tester`; `recursion` and `asp` generate.
"""
