"""Which literals can be added to a feature of so many variables: in which order, and by which index.

All features with the same number of variables choose from the same list, in the same order; a node of the tree has
some of it (`tree`). What else is here says what a literal of one list is in another: a child with new variables
numbers literals differently from its parent, and merged features move theirs up.
"""


@cython.final
cdef class LiteralLists:
    """`make_index(predicate, bound)` gives the rows of a predicate by the arguments that are bound.

    `expect` is told before for which predicates and arguments it will be asked.
    """

    cdef Language language
    cdef vector[vector[int32_t]] order    # variables -> the literals that fit, in order
    cdef vector[vector[int32_t]] rank     # variables -> literal -> its place in the order, -1 for none
    cdef vector[vector[int32_t]] origin   # variables -> literal -> with others taken as new, -1 if not listed
    cdef vector[vector[int32_t]] shifted  # by how much -> literal -> the same with its own variables moved up, or -1
    cdef object make_index
    cdef dict made                        # predicate and bound arguments -> the number of an index
    cdef list indexes
    cdef vector[int32_t] index_of         # variables x literal -> the number of its index, -1
    cdef vector[const Groups*] groups_of  # the same, as it is looked up

    def __init__(self, Language language, make_index, expect=None):
        cdef int nvars
        cdef size_t count = len(language.literal_list)
        self.language = language
        self.indexes = []
        self.order.resize(language.max_vars + 1)
        self.rank.resize(language.max_vars + 1)
        self.origin.resize(language.max_vars + 1)
        self.index_of.assign((language.max_vars + 1) * count, -1)
        self.groups_of.assign((language.max_vars + 1) * count, NULL)
        numbers = {literal: i for i, literal in enumerate(language.literal_list)}
        self.find_shifted(numbers)
        self.make_index = make_index
        self.made = {}
        if expect is not None:
            expect(self.wanted())
        for nvars in range(language.nhead, language.max_vars + 1):
            self.list_fitting(nvars)
            self.find_origins(nvars, numbers)

    def wanted(self):
        """The predicates and bound arguments by which rows will be looked up, each once."""
        return list(dict.fromkeys([
            (predicate, tuple([i for i, a in enumerate(args) if a < nvars]))
            for nvars in range(self.language.nhead, self.language.max_vars + 1)
            for predicate, args in self.language.literal_list
            if self.fits(predicate, args, nvars)
        ]))

    cdef int list_fitting(self, int nvars) except -1:
        """The list for so many variables."""
        cdef size_t count = self.language.literals.size()
        fitting = []
        for number, (predicate, args) in enumerate(self.language.literal_list):
            if not self.fits(predicate, args, nvars):
                continue
            bound = tuple([i for i, a in enumerate(args) if a < nvars])
            index = self.index_by(predicate, bound)
            self.index_of[nvars * count + <size_t>number] = self.made[predicate, bound]
            self.groups_of[nvars * count + <size_t>number] = &(<Index>index).groups
            if self.connects(predicate, args, nvars):
                new = len(args) - len(bound)
                fitting.append((new, index.fanout() if new else 0.0, number))
        # Filters first: they keep tables small, and a feature's place then takes them as early as it can.
        fitting.sort()
        self.order[nvars] = [number for _, _, number in fitting]
        self.rank[nvars].assign(count, -1)
        for i, (_, _, number) in enumerate(fitting):
            self.rank[nvars][<int>number] = i
            kernel_assert(self.order[nvars][<int>i] == <int>number)
        return 0

    def is_lazy(self):
        """Whether rows are asked for as they are needed: what is there changes while it is read."""
        return any([(<Index>index).groups.lazy for index in self.indexes])

    def index_by(self, int predicate, tuple bound):
        """The rows of a predicate by these arguments."""
        if (predicate, bound) not in self.made:
            self.indexes.append(self.make_index(predicate, bound))
            self.made[predicate, bound] = len(self.indexes) - 1
        return self.indexes[self.made[predicate, bound]]

    def fits(self, int predicate, args, int nvars):
        """Whether new variables are numbered on from those of the node, in order, and none of them is read."""
        if predicate >= len(self.language.predicates):
            return False  # tests come last (`number_tests`)
        new = [a for a in args if a >= nvars]
        if new != list(range(nvars, nvars + len(new))):
            return False
        inputs = self.language.predicates[predicate][2]  # without directions, only comparisons and sums have some
        return not any([a >= nvars and (inputs >> i) & 1 for i, a in enumerate(args)])

    def connects(self, int predicate, args, int nvars):
        """Whether a literal hangs on a node of so many variables by one of its own, or can begin a feature.

        What begins a feature has a head variable. Where literals read, it may also be one that reads nothing: then the
        head is reached only later, by one that reads from both.
        """
        nhead = self.language.nhead
        if nvars > nhead:
            return any([nhead <= a < nvars for a in args])
        return any([a < nvars for a in args]) or (
            self.language.reading and self.language.predicates[predicate][2] == 0
        )

    cdef int find_origins(self, int nvars, dict numbers) except -1:
        """What literals on variables that a child introduces were in its parent's list."""
        cdef int number
        for predicate, args in self.language.literal_list:
            number = numbers.get((predicate, taken_as_new(args, nvars)), -1)
            self.origin[nvars].push_back(number if number >= 0 and self.rank[nvars][number] >= 0 else -1)
        return 0

    cdef int find_shifted(self, dict numbers) except -1:
        cdef int by, nhead = self.language.nhead
        self.shifted.resize(self.language.max_vars - nhead + 1)
        for by in range(self.language.max_vars - nhead + 1):
            self.shifted[by] = [
                numbers.get((predicate, tuple([a if a < nhead else a + by for a in args])), -1)
                for predicate, args in self.language.literal_list
            ]
        return 0


def taken_as_new(args, int nvars):
    """The arguments with all variables from nvars on renamed, in order of appearance, to nvars, nvars + 1, ..."""
    names = {}
    return tuple([a if a < nvars else names.setdefault(a, nvars + len(names)) for a in args])
