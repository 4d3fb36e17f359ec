# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""Choosing among rules: the set of least cost.

Start reading with `choose/cover.pxi`, the branch and bound. `shares` has its lower bound, and `dive` finds good sets
quickly, without a proof.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from maxsynth.kernel.headers.bits cimport lowest
from maxsynth.kernel.headers.checked cimport CHECKED, kernel_assert, rises
from maxsynth.kernel.terms cimport Room

include "choose/shares.pxi"
include "choose/cover.pxi"
include "choose/dive.pxi"
