"""The examples as a feature sees them.

A feature that mentions only some head variables cannot tell examples apart that agree in these. So its table is not
kept for each example but for each *key*: the distinct values of the head variables that it mentions (a mask). A task
about 700 pairs of 37 things has 37 keys for a feature of one of them. Keys of positives have the lower numbers.
"""


cdef cppclass KeyTable:
    # The distinct values of some head variables in the examples (a mask says which): each is a *key*.
    int count
    vector[vector[int32_t]] values        # head variable -> key -> value
    vector[int32_t] examples_from         # key -> its examples, from here to the next key's, in `examples`
    vector[int32_t] examples
    vector[int64_t] pos                   # key -> weight of its positives
    vector[int64_t] neg
    vector[int64_t] price                 # key -> what its examples cost at least (`example_weights`)
    vector[uint8_t] sampled               # whether a key is in the sample that columns are ordered by
    vector[uint64_t] hash


cdef cppclass Extension:
    # From the keys of a mask to those of a larger one that agree with them.
    vector[int32_t] start                 # key -> from here to the next key's, in `keys`
    vector[int32_t] keys


cdef int take_numbers_of(array, vector[int32_t]& numbers) except -1:
    """The numbers of an array."""
    cdef const int32_t[::1] view = np.ascontiguousarray(array, np.int32)
    numbers.resize(view.shape[0])
    if view.shape[0]:
        memcpy(numbers.data(), &view[0], numbers.size() * sizeof(int32_t))
    return 0


cdef int add_by_place(places, weights, int count, vector[int64_t]& sums) except -1:
    """Adds up the weights that have the same place, of so many."""
    cdef const Py_ssize_t[::1] place = np.ascontiguousarray(places, np.intp)
    cdef const int64_t[::1] weight = np.ascontiguousarray(weights, np.int64)
    cdef Py_ssize_t i
    sums.assign(count, 0)
    for i in range(place.shape[0]):
        sums[place[i]] += weight[i]
    return 0


cdef int SAMPLE = 64          # keys are in the sample, about, but at least one in 32 and at most one in 8 of them, ...
cdef int SAMPLED_FROM = 128   # ... where there are at least so many


@cython.final
cdef class HeadKeys:
    """The keys of the examples `rows`, with the weights of the examples as positives and as negatives."""

    cdef object rows
    cdef object pos
    cdef object neg
    cdef object prices                    # of the examples, None for none
    cdef unordered_map[uint64_t, KeyTable] tables              # mask -> its keys; these stay where they are
    cdef dict places                      # mask -> the key of each example
    cdef unordered_map[uint64_t, Extension] extensions         # smaller mask and larger mask -> ...

    def __init__(self, rows, pos, neg):
        self.rows = np.ascontiguousarray(rows, dtype=np.int32)
        self.pos = pos
        self.neg = neg
        self.places = {}

    cdef KeyTable* table(self, uint64_t mask) except NULL nogil:
        """The keys of a mask. Where several threads ask, all are made before (`make_all`)."""
        if self.tables.count(mask):
            return &self.tables[mask]
        with gil:
            return self.make_table(mask)

    cdef int make_all(self, uint64_t mask, const vector[uint64_t]& more) except -1:
        """Makes the keys of a mask, and of all masks that are larger by one of these; and what leads from it to them."""
        cdef size_t i
        self.table(mask)
        for i in range(more.size()):
            if more[i] & ~mask:
                self.extension(mask, mask | more[i])
        return 0

    cdef KeyTable* make_table(self, uint64_t mask) except NULL:
        cdef KeyTable* made = &self.tables[mask]
        cdef int k
        width = self.rows.shape[1]
        columns = [v for v in range(width) if (mask >> v) & 1]
        if columns:
            first, place = equal_rows(self.rows[:, columns])
        else:
            first, place = np.zeros(1, np.intp), np.zeros(len(self.rows), np.intp)
        # Those with positives have the lower numbers, so that they come first in every table.
        order = np.argsort(np.bincount(place, weights=self.pos > 0, minlength=len(first)) == 0, kind="stable")
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        first, place = first[order], number[place]
        self.places[mask] = place
        made.count = len(first)
        made.values.resize(width)
        for v in columns:
            take_numbers_of(self.rows[first, v], made.values[v])
        take_numbers_of(np.argsort(place, kind="stable"), made.examples)
        take_numbers_of(np.concatenate([[0], np.cumsum(np.bincount(place, minlength=made.count))]), made.examples_from)
        kernel_assert(made.examples_from.size() == <size_t>made.count + 1)
        kernel_assert(
            rises(made.examples_from.data(), made.examples_from.size(), <int32_t>made.examples.size())
        )
        add_by_place(place, self.pos, made.count, made.pos)
        add_by_place(place, self.neg, made.count, made.neg)
        self.add_prices(mask, made)
        made.sampled.assign(made.count, 0)
        for k in range(made.count):
            made.hash.push_back(mix(<uint64_t>k * 0x9E3779B97F4A7C15ULL + mask + 1))
            if made.count < SAMPLED_FROM or (SAMPLE and made.hash[k] % min(32, max(8, made.count // SAMPLE)) == 0):
                made.sampled[k] = 1
        return made

    cdef int add_prices(self, uint64_t mask, KeyTable* table) except -1:
        if self.prices is not None:
            return add_by_place(self.places[mask], self.prices, table.count, table.price)
        table.price.assign(table.count, 0)
        return 0

    cdef int set_prices(self, prices) except -1:
        """Sets the price of each example."""
        self.prices = prices
        for mask in self.places:
            self.add_prices(mask, &self.tables[<uint64_t>mask])
        return 0

    cdef Extension* extension(self, uint64_t smaller, uint64_t larger) except NULL nogil:
        """For each key of the smaller mask the keys of the larger one."""
        cdef uint64_t name = smaller << 32 | larger
        if self.extensions.count(name):
            return &self.extensions[name]
        with gil:
            return self.make_extension(smaller, larger, name)

    cdef Extension* make_extension(self, uint64_t smaller, uint64_t larger, uint64_t name) except NULL:
        cdef Extension* made = NULL
        self.table(smaller)
        self.table(larger)
        made = &self.extensions[name]
        # A key of the larger mask has the values of one key of the smaller.
        owner = np.empty(self.tables[larger].count, np.intp)
        owner[self.places[larger]] = self.places[smaller]
        starts = np.cumsum(np.bincount(owner, minlength=self.tables[smaller].count))
        take_numbers_of(np.argsort(owner, kind="stable"), made.keys)
        take_numbers_of(np.concatenate([[0], starts]), made.start)
        kernel_assert(made.start.size() == <size_t>self.tables[smaller].count + 1)
        kernel_assert(rises(made.start.data(), made.start.size(), self.tables[larger].count))
        return made
