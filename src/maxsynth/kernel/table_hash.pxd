# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from maxsynth.kernel.language cimport MAX_VARS, Language
from maxsynth.kernel.tables cimport Child, Tables


cdef struct TableHash:
    uint64_t signature[MAX_VARS]      # own variable -> what its column is ordered by
    int place[MAX_VARS]               # own variable -> where its column comes
    uint64_t sum
    uint64_t rows                     # of the table


cdef inline void begin_hash(TableHash* hash) noexcept:
    cdef int i
    hash.sum = hash.rows = 0
    for i in range(MAX_VARS):
        hash.signature[i] = 0
        hash.place[i] = i


cdef class TableHasher:
    cdef Language language
    cdef Tables tables
    cdef uint64_t bits                # of a hash that are kept
    cdef unordered_map[uint64_t, vector[uint64_t]] sums_of  # index, column and place -> see `value_sums`

    cdef int sign(self, const Child* child, TableHash* hash) except -1
    cdef int arrange(self, const Child* child, TableHash* hash) noexcept
    cdef int add_up(self, const Child* child, TableHash* hash) except -1
    cdef const uint64_t* value_sums(self, int which, int column, int place) except? NULL
    cdef uint64_t finish(
        self, const Child* child, const int32_t* sequence, uint64_t waiting, const TableHash* hash
    ) noexcept
    cdef uint64_t literal_hash(self, int literal, const int* place) noexcept
    cdef uint64_t variable_hash(self, int variable, const int* place) noexcept
    cdef uint64_t waiting_hash(
        self, const Child* child, const int32_t* sequence, uint64_t waiting, const int* place
    ) noexcept
    cdef uint64_t lonely_hash(self, const Child* child, const int32_t* sequence, const int* place) noexcept
