"""Reading data into `Data`, from each of the forms that people have it in: one form, one file.

All of them end in Arrow's arrays, which `columns` makes into columns: in C++, a column at a time. Where a source has no
types of its own (CSV, SQLite's text), `texts` finds them from the values. Nothing is ever written to a source.
"""
