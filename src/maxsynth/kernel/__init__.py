"""The hot loops, in Cython: interning, reading facts, indexes over tables, and proofs.

The Python modules beside this package read as the algorithm; what is here is only loops over integers.
"""
