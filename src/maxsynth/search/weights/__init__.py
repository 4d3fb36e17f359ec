"""Weights of the cost that are chosen by cross-validation: `folds` is one of its searches, which may be done anywhere.

Start in `cross_validation`.
"""
