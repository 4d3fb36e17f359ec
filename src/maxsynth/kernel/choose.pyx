# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# distutils: language = c++
"""Rules as conjunctions of features, and choosing among them: the set of least cost.

Start reading with `choose/conjunctions.pxi`, which makes the rules, and `choose/cover.pxi`, the branch and bound that
chooses. `shares` has its lower bound, and `dive` finds good sets quickly, without a proof. `last_size` leaves out the
largest rules that are in no program of least cost, and `within_gap` chooses among what it leaves. `matching` drops rules
of a large pool before all that.
"""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from libcpp.algorithm cimport nth_element, sort, upper_bound
from libcpp.pair cimport pair
from libcpp.vector cimport vector

import numpy as np

from maxsynth.kernel.features cimport ExampleWeights, Limits, keep_best
from maxsynth.kernel.headers.bits cimport compatible, count_bits, lowest, mix
from maxsynth.kernel.headers.columns cimport find_equal, list_set, order_groups, turn
from maxsynth.kernel.headers.checked cimport CHECKED, ends_at, kernel_assert, rises
from maxsynth.kernel.headers.rows cimport ROW, add_rows, add_to_rows, carry, moved, saved, settled, some_of
from maxsynth.kernel.headers.saved cimport insist, lists_saved, lists_to_save, values_saved, values_to_save
from maxsynth.kernel.headers.slots cimport Candidates, Slots
from maxsynth.kernel.headers.team cimport Team
from maxsynth.kernel.headers.threads cimport counter
from maxsynth.kernel.terms cimport Room, before_growing, take

include "choose/columns.pxi"
include "choose/steps.pxi"
include "choose/conjunctions.pxi"
include "choose/saved_conjunctions.pxi"
include "choose/gap_rules.pxi"
include "choose/last_size.pxi"
include "choose/shares.pxi"
include "choose/cover_log.pxi"
include "choose/cover.pxi"
include "choose/within_gap.pxi"
include "choose/matching.pxi"
include "choose/dive.pxi"


def set_limit(str name, int64_t value):
    """Sets a limit, for tests; returns what it was."""
    global LEAST_SIFTED, LEAST_DIVED, LEAST_SHARED, LEAST_TOGETHER, STEP_WORK
    before = {
        "least_sifted": LEAST_SIFTED, "least_dived": LEAST_DIVED, "least_shared": LEAST_SHARED, "step_work": STEP_WORK,
        "least_together": LEAST_TOGETHER,
    }[name]
    if name == "least_sifted":
        LEAST_SIFTED = value
    elif name == "least_shared":
        LEAST_SHARED = value
    elif name == "least_together":
        LEAST_TOGETHER = value
    elif name == "step_work":
        STEP_WORK = value
    else:
        LEAST_DIVED = value
    return before
