"""Graphs in files: N-Triples, Turtle, and tab-separated triples. Each relation becomes a table."""
