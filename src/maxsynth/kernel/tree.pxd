# cython: language_level=3
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.language cimport Language
from maxsynth.kernel.literal_lists cimport LiteralLists
from maxsynth.kernel.room cimport Room

cdef enum:  # what became of a literal of a list
    OUT = 0     # dead, closed or equal to something smaller: falls out of the list
    SAME = 1    # equal to a feature of the same size
    NODE = 2


cdef struct Outcome:
    int what                          # OUT, SAME or NODE
    int child                         # the node that was made
    int limit                         # the largest size, head counted, of a rule with it that may be of use


cdef struct Node:
    int sequence                      # its literals, in the order they are joined, in `sequences`
    int size
    int nvars
    int bits                          # the number of its coverage; -1 for a path
    int limit                         # the largest size, head counted, of a larger rule that may be of use
    int mode                          # FREE, SEALED or PATH
    bint complete                     # may stand in a rule as it is
    uint64_t head                     # head variables that occur
    uint64_t types                    # types with exactly one variable of which it has an own variable
    uint64_t head_types               # a field for each head variable without a declared type: the type here, plus one
    bint expanded                     # whether it is to be expanded
    size_t list_at                    # its list, as a bitset, in `list_bits`


cdef class Tree:
    cdef Room room
    cdef Language language
    cdef LiteralLists lists
    cdef bint use_order
    cdef vector[Node] nodes           # number 0 is the root
    cdef vector[int32_t] sequences
    cdef int list_words
    cdef vector[uint64_t] list_bits
    cdef vector[Outcome] outcomes     # of the literals in the list of the node being expanded
    cdef readonly int size            # of the nodes in `level` and `paths`
    cdef vector[int32_t] level        # nodes to expand
    cdef vector[int32_t] paths        # paths to expand
    cdef vector[int32_t] next_level
    cdef vector[int32_t] next_paths
    cdef vector[vector[int32_t]] mergers   # size -> nodes that may be merged with others

    cdef int make_root(self) except -1
    cdef int make_list(self) except -1
    cdef int add(self, Node node, const int32_t* sequence, int literal) except -1
    cdef const int32_t* literals_of(self, int number) noexcept
    cdef int take_list(self, int number, vector[int32_t]& literals) except -1
    cdef int hand_down(self, int number, int literal) except -1
    cdef int hand_all(self, int literal) except -1
    cdef int next_size(self) except -1
    cdef void put(self, size_t list_at, int literal) noexcept
