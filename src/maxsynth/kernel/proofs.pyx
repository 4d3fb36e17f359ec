# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Proofs: which examples a program covers.

Start reading with `proofs/plans.pxi`, a program as it is compiled. `batch` runs it on all examples at once, `machine`
on one after the other, for what `batch` cannot do within its limits. `many_tests` runs many programs, by several threads.
`cuts` finds the best numbers for the tests of one.
"""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.algorithm cimport make_heap, pop_heap, push_heap, sort, unique
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from maxsynth.kernel.headers.bits cimport highest
from maxsynth.kernel.headers.checked cimport kernel_assert
from maxsynth.kernel.headers.threads cimport counter
from maxsynth.kernel.headers.slots cimport Candidates, Slots
from maxsynth.kernel.terms cimport Groups, Index, find, hash_cells

include "proofs/plans.pxi"
include "proofs/batch.pxi"
include "proofs/many_tests.pxi"
include "proofs/machine.pxi"
include "proofs/cuts.pxi"


def set_limit(str name, size_t value):
    """Sets a limit, for tests; returns what it was."""
    global MOST_ROWS, SCANNED, MOST_CELLS, MACHINE_CELLS
    before = {"rows": MOST_ROWS, "scanned": SCANNED, "cells": MOST_CELLS, "machine_cells": MACHINE_CELLS}[name]
    if name == "rows":
        MOST_ROWS = <int>value
    elif name == "scanned":
        SCANNED = <int>value
    elif name == "cells":
        MOST_CELLS = value
    else:
        MACHINE_CELLS = value
    return before
