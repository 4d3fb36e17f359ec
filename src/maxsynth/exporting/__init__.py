"""Learned programs in the forms in which people use them: SQL, Python, Prolog, Datalog, English, LaTeX.

One form a file, in `forms`; `export` is the entry. A `Subject` says what is exported: the rules, and what each
predicate means in the tables that it came from. A program that was learned from Prolog facts gets tables too, one a
predicate.
"""
