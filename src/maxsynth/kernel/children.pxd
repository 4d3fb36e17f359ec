# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.coverage cimport Coverage, CoverageTest
from maxsynth.kernel.coverage_pool cimport CoveragePool
from maxsynth.kernel.example_weights cimport ExampleWeights
from maxsynth.kernel.known_tables cimport Known, KnownTables
from maxsynth.kernel.language cimport MAX_ARITY, Language
from maxsynth.kernel.partners cimport Partners
from maxsynth.kernel.table_equality cimport Feature, TableComparison
from maxsynth.kernel.table_hash cimport TableHash, TableHasher
from maxsynth.kernel.tables cimport Child, Tables
from maxsynth.kernel.tree cimport Node, Tree


cdef struct Candidate:
    # A child that is being tested.
    Child child
    int smallest                      # literals, at least, of the body of a rule with it
    bint complete                     # may stand in a rule as it is
    uint64_t waiting                  # see `waiting_literals`
    Coverage coverage
    TableHash hash
    uint64_t name                     # the hash with the standing, when all rows are in it


cdef struct Twin:
    # A candidate and a feature that may be equal to it.
    size_t candidate
    Feature known
    bint differs


cdef class ChildTests:
    cdef Language language
    cdef Tables tables
    cdef Tree tree
    cdef ExampleWeights weights
    cdef CoveragePool pool
    cdef CoverageTest coverage_test
    cdef TableHasher hasher
    cdef KnownTables known
    cdef TableComparison comparison
    cdef vector[int32_t] literals     # of children that are compared
    cdef Partners partners            # None: not asked for
    cdef bint tied                    # whether there are sealed nodes and paths
    cdef int64_t size_weight
    cdef int64_t bound                # what a program must cost less than
    cdef int64_t company              # the size of the smallest rule that may be of use, by weight
    cdef bint use_dead, use_closed, use_equal
    cdef int mode, parent_bits        # of the node whose children are tested
    cdef int allowed[MAX_ARITY + 1]   # new variables -> whether a child with so many can have partners; -1: not known
    cdef vector[uint64_t] bits        # the coverage of one candidate
    cdef object should_stop
    cdef bint stopped
    cdef readonly int64_t tested, dead, equal, closed

    cdef int enter(self, int mode, int bits) noexcept
    cdef bint test(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1
    cdef bint test_sealed(self, const int32_t* sequence, const Node* node, vector[int32_t]& literals) except -1
    cdef bint test_in_blocks(self, const int32_t* sequence, int depth, int limit, vector[int32_t]& literals) except -1
    cdef int find_partners(self, vector[int32_t]& literals) except -1
    cdef bint consider(self, const int32_t* sequence, int depth, int literal, Candidate* candidate) except -1
    cdef int child_mode(self, uint64_t head_seen) noexcept
    cdef bint is_allowed(self, const Candidate* candidate) noexcept
    cdef bint is_complete(self, const Candidate* candidate) noexcept
    cdef bint is_rule(self, const Candidate* candidate) noexcept
    cdef bint is_dead(self, const Candidate* candidate) noexcept
    cdef bint is_hashed(self, const Candidate* candidate) noexcept
    cdef int64_t least(self, int body) noexcept
    cdef uint64_t places_of(self, const Candidate* candidate) noexcept
    cdef Feature known_feature(self, const Known* known) noexcept
    cdef Feature feature_of(self, const Candidate* candidate, const int32_t* literals) noexcept
    cdef int write_literals(self, const int32_t* sequence, const Candidate* candidate) except -1
    cdef int find_equal(self, const int32_t* sequence, const Candidate* candidate) except -2
    cdef int find_twins(
        self, const int32_t* sequence, vector[Candidate]& candidates, vector[Twin]& twins
    ) except -1
    cdef int compare_twins(self, vector[Candidate]& candidates, vector[Twin]& twins) except -1
    cdef int judge(self, const int32_t* sequence, int limit, const Candidate* candidate, int known) except -1
    cdef int limit_of(self, const Candidate* candidate, int limit) noexcept
    cdef int make_node(self, const int32_t* sequence, int limit, const Candidate* candidate) except -1
    cdef bint is_stopped(self) except -1
