# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# distutils: language = c++
"""Terms as numbers, tables of them, and indexes over these tables: what the rest of the kernel stands on.

Start reading with `terms/terms.pxi`, the numbering of ground terms, and `terms/index.pxi`, by which rows are found. The
other parts: `room`, asking for memory before it is taken; `names`, the names of atoms; `facts`, reading a file of facts
straight into tables; `order`, sorting rows and finding equal ones; `saved_terms`, saving what BK made. What other extensions use is declared in
`terms.pxd`.
"""

import struct

cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

import numpy as np

from maxsynth.errors import MaxSynthError
from maxsynth.kernel.headers.bits cimport mix
from maxsynth.kernel.headers.checked cimport CHECKED, kernel_assert
from maxsynth.kernel.headers.saved cimport insist, values_saved, values_to_save
from maxsynth.kernel.headers.slots cimport Candidates, Slots
from maxsynth.kernel.headers.threads cimport counter
from maxsynth.kernel.forms.terms import Atom, String, Struct, Var

include "terms/room.pxi"
include "terms/names.pxi"
include "terms/terms.pxi"
include "terms/facts.pxi"
include "terms/order.pxi"
include "terms/index.pxi"
include "terms/saved_terms.pxi"


def set_limit(str name, int64_t value):
    """Sets a limit, for tests; returns what it was."""
    global DEPTH, RUN, SPREAD, DENSE
    before = {"depth": DEPTH, "run": RUN, "spread": SPREAD, "dense": DENSE}[name]
    if name == "depth":
        DEPTH = <int>value
    elif name == "run":
        RUN = <int>value
    elif name == "spread":
        SPREAD = value
    else:
        DENSE = value
    return before
