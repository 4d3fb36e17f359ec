"""The hot loops, in Cython, on terms that are numbers. What is here imports nothing of what is built on it.

- `terms`: terms as numbers, reading facts into tables, and indexes over these: the rest stands on it;
- `proofs`: which examples a program covers;
- `features`: the parts of which rules are made, by joins;
- `choose`: rules of such parts, on sets of examples, and the set of rules of least cost;
- `bodies`: the bodies of rules that call the target.

Each is one extension, whose parts are in the folder of the same name (those of `features` also in `tables`); its file
says where to start reading. The Python packages beside this one say what is wanted and read as the algorithm. `forms`
is how they hand it over. `headers`: `bits`, `checked` (assertions), `slots` (the hash table), `groups` (how rows are
found). `shared` is Cython's own.
"""
