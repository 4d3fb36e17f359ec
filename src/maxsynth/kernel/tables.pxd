# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from maxsynth.kernel.head_keys cimport Extension, HeadKeys, KeyTable
from maxsynth.kernel.index cimport Groups, find
from maxsynth.kernel.language cimport MAX_ARITY, MAX_VARS, Language
from maxsynth.kernel.literal_lists cimport LiteralLists
from maxsynth.kernel.room cimport Room
from maxsynth.kernel.shapes cimport Shape

cdef enum:  # the keys that tables are made for (see *Ties* in `features`)
    ALL = 0
    NEAR = 1        # from which a path can lead to another head variable
    PARTNERED = 2   # where the missing head variables can be mentioned without another variable
    KEY_CHOICES = 3

cdef enum:  # what may become of a feature (see there)
    FREE = 0
    SEALED = 1
    PATH = 2


cdef struct Child:
    # A feature that adds a literal to the one whose table is at `depth`. Its own table is not made.
    int literal
    int depth
    int mode                          # FREE, SEALED or PATH
    int nvars_before                  # variables without the literal
    Shape shape


cdef struct Lookup:
    # How a literal is looked up from the rows of a table. A literal that mentions new head variables turns each key
    # into those that extend it.
    const Groups* groups
    int which                         # number of the index
    int nkeys
    bint own[MAX_ARITY]               # whether a part of the look-up key is a column of the table, else one of the head
    const int32_t* columns[MAX_ARITY]
    const int32_t* rows               # the key of each row
    size_t nrows
    const KeyTable* keys
    const Extension* extension        # NULL where each key stays what it is


cdef struct Columns:
    # The columns of a child's table.
    int old                           # how many are those of the table it is made from ...
    const int32_t* values[MAX_VARS]
    int new                           # ... how many are new, and where these are in the literal
    int new_at[MAX_ARITY]


cdef inline size_t first_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row]] if lookup.extension != NULL else 0


cdef inline size_t end_key(const Lookup* lookup, size_t row) noexcept nogil:
    return lookup.extension.start[lookup.rows[row] + 1] if lookup.extension != NULL else 1


cdef inline int32_t nth_key(const Lookup* lookup, size_t row, size_t place) noexcept nogil:
    return lookup.extension.keys[place] if lookup.extension != NULL else lookup.rows[row]


cdef inline void load_key(const Lookup* lookup, size_t row, int32_t k, int32_t* key) noexcept nogil:
    """What the literal is looked up by, for a row whose key becomes `k`."""
    cdef int i
    for i in range(lookup.nkeys):
        key[i] = lookup.columns[i][row] if lookup.own[i] else lookup.columns[i][k]


cdef class Tables:
    cdef Room room
    cdef Language language
    cdef LiteralLists lists
    cdef HeadKeys head_keys
    cdef int keys_for                 # the keys that are wanted: ALL, NEAR or PARTNERED
    cdef vector[vector[vector[uint8_t]]] keys_of  # such a choice -> head variable -> whether each key of it is one
    # A sequence of literals, and the table of its first ones at each depth.
    cdef vector[int32_t] path
    cdef int path_keys                # which keys these tables have
    cdef vector[vector[int32_t]] rows_of             # depth -> the key of each row (see `head_keys`)
    cdef vector[vector[vector[int32_t]]] columns_of  # depth -> own variable -> values
    cdef vector[Shape] shape_of       # depth -> shape
    cdef size_t row_limit             # rows of a table, at most; what is larger is done in blocks of keys ...
    cdef int block_from, block_end    # ... of the head variables of the first literal
    cdef bint limited
    cdef readonly int64_t rows_made
    cdef vector[int32_t] source       # of a join: where each row comes from ...
    cdef vector[int32_t] matched      # ... and the row of the literal's predicate

    cdef int mark_keys(self, int choice, int variable, const vector[uint64_t]& examples) except -1
    cdef int take_block(self, int start, int end, bint limited) noexcept
    cdef int count_keys(self, int first) except -1
    cdef bint build(self, const int32_t* sequence, int count) except -1
    cdef bint join(self, int depth, int literal) except -1
    cdef int make_room(self, const vector[int32_t]* rows, size_t more) except -1
    cdef const uint8_t* wanted_keys(self, int depth) noexcept
    cdef int fill_columns(self, int depth, int literal, const Groups* groups) except -1
    cdef int prepare(self, int depth, int literal, Lookup* lookup) except -1
    cdef int measure(self, const Child* child, Lookup* lookup, Columns* columns) except -1
    cdef int ask(self, const Lookup* lookup, const int32_t* key, int32_t* start, int32_t* stop) except -1


cdef inline int look(
    Tables tables, const Lookup* lookup, const int32_t* key, int32_t* start, int32_t* stop
) except -1:
    """As `find`, but a lazy index is asked for what it does not know."""
    cdef int found = find(lookup.groups, key, start, stop)
    return found if found >= 0 else tables.ask(lookup, key, start, stop)
