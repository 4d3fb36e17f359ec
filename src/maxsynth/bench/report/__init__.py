"""The report of an experiment: results by task and system, tables, figures, and one page with everything.

It reads the file of results (`bench.results`) and runs nothing; start reading in `write`.
"""
