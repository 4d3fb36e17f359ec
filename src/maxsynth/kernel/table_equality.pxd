# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.index cimport Groups
from maxsynth.kernel.language cimport MAX_ARITY, MAX_VARS, Language, Literal
from maxsynth.kernel.shapes cimport Shape
from maxsynth.kernel.tables cimport Child, Columns, Lookup, Tables


cdef struct Feature:
    # A feature that is compared with another one.
    const int32_t* literals           # in the order they are joined
    int count
    int mode                          # FREE, SEALED or PATH
    uint64_t places                   # where the column of each own variable comes (`pack_places`)


cdef struct Standing:
    Shape shape
    int nvars_before                  # variables without the last literal
    uint64_t waiting                  # the literals that wait (a bit for each), and the variables that the rest makes safe
    uint64_t safe
    uint64_t lonely                   # the literals that hold the only occurrence of a variable


cdef enum:  # where the value of a variable is, for a row of a child's table
    HEAD = 0      # by its key
    COLUMN = 1    # in the table of its parent
    CELL = 2      # in a row of its literal


cdef struct Part:
    int kind
    int variable
    int argument


cdef struct Check:
    # A literal that is looked up for each row.
    const Groups* groups
    int nkeys
    Part parts[MAX_ARITY]             # what it is looked up by, and then what a row that is found must have besides
    int count


cdef inline uint64_t pack_places(const int* place, int count) noexcept:
    """Where the column of each of so many variables comes, four bits for each."""
    cdef uint64_t packed = 0
    cdef int i
    for i in range(count):
        packed |= <uint64_t>place[i] << (4 * i)
    return packed


cdef class TableComparison:
    cdef Language language
    cdef Tables tables
    cdef int names[MAX_VARS]          # variable of the known feature -> of the other one
    cdef vector[Check] checks
    cdef vector[Check] late_checks    # those that need a value which only the child's literal gives

    cdef bint same_standing(self, const Feature* known, const Feature* other) noexcept
    cdef int name_variables(self, const Feature* known, const Feature* other, int nvars) noexcept
    cdef int stand(self, const Feature* feature, Standing* standing) noexcept
    cdef bint same_literals(self, const Feature* known, uint64_t some, const Feature* other, uint64_t others) noexcept
    cdef bint same_literal(self, int known, int other) noexcept
    cdef uint64_t named(self, uint64_t variables) noexcept
    cdef bint holds(self, const Child* child, const Feature* known, const Feature* other) except -1
    cdef int list_checks(self, const Child* child, const Feature* known, const Feature* other) except -1
