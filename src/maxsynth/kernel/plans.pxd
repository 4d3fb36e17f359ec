# cython: language_level=3
"""A compiled program as the provers read it (see `plans.pyx`)."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.index cimport Groups

cdef enum:
    LOOKUP = 0
    CALL = 1

cdef struct Filter:      # a table with one key that is not lazy, so that it never changes
    const int32_t* direct
    int32_t ndirect

cdef struct Step:
    int kind
    const Groups* groups
    int index            # LOOKUP: number of the Index, to ask it; CALL: the adornment
    int plan             # which plan it is a step of
    int number           # and its place there
    int nkeys
    int keys             # registers of the key, in `pool`
    int nops
    int ops              # (column, register, check?) for each other column, in `pool`
    int column           # where the only operation is to bind a register: its column and register; else -1
    int register
    int arity
    int filters          # tables that must hold the bound value, in `filters`: tested without a branch for each
    int nfilters
    uint64_t parents     # the steps that bound what this one reads
    int nlive
    int live             # registers that are read after this step, in `pool`: first those that it does not bind
    int nkept            # how many of these it does not bind
    int ncarried
    int carried          # these, and the registers that it compares with something, in `pool`
    bint last            # a call with nothing after it, in a plan that has no outputs
    bint repeats         # whether rows may agree in all live registers after it, so that one of them is enough

cdef struct Plan:
    int adornment
    int steps
    int nsteps
    int nregs
    int ninit
    int init             # (register, value): constants, in `pool`
    int nentry
    int entry            # (argument, register, check?): the bound arguments of the head
    int nout
    int out              # registers of the free arguments of the head
    uint64_t out_steps   # the steps that bound these

cdef struct Adornment:
    int plans
    int nplans
    int nbound
    int nfree


cdef inline bint holds(const Filter* filter, int32_t value) noexcept nogil:
    """Whether the table has a row whose key is the value."""
    return value < filter.ndirect and filter.direct[2 * value + 1] > 0


cdef class Plans:
    cdef vector[Adornment] adornments
    cdef vector[Plan] plans
    cdef vector[Step] steps
    cdef vector[int32_t] pool
    cdef vector[Filter] filters
    cdef list indexes
    cdef bint calls
    cdef int most_regs
    cdef int most_steps

    cdef int add_ints(self, values) except -1
    cdef int add_plan(self, int adornment, tuple plan) except -1
    cdef int add_live(self, int plan) except -1
