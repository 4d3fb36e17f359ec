# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""The bodies of rules that call the target, for programs with recursion or invention.

Start reading with `bodies/bodies.pxi`, which grows them. `body_names` says which bodies are the same but for names, and
`body_tables` what they cover; `saved_bodies` saves them.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.algorithm cimport next_permutation, sort
from libcpp.map cimport map as cppmap
from libcpp.memory cimport make_shared, shared_ptr
from libcpp.pair cimport pair
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from maxsynth.errors import PrologProblem
from maxsynth.kernel.headers.bits cimport lowest, mix
from maxsynth.kernel.headers.checked cimport kernel_assert
from maxsynth.kernel.headers.saved cimport insist, values_saved, values_to_save
from maxsynth.kernel.features cimport MAX_ARITY, MAX_VARS, Limits, Literal
from maxsynth.kernel.terms cimport Index, Room, before_growing, find, take

include "bodies/body_names.pxi"
include "bodies/body_tables.pxi"
include "bodies/bodies.pxi"
include "bodies/saved_bodies.pxi"


def set_limit(str name, size_t value):
    """Sets a limit, for tests; returns what it was."""
    global MOST_ROWS
    before = {"rows": MOST_ROWS}[name]
    MOST_ROWS = value
    return before
