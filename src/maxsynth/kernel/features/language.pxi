"""The language of bodies: every literal that a feature can have, and what the bias says of rules.

Variables are numbers: the head's come first, a feature's own after them. A literal is a number too, so that a set of
literals is a bitset and what is known of each literal is an array.
"""


cdef struct TestKind:
    # X >= c or X =< c, for variables of one type (`number_tests`).
    bint at_least
    int column                        # whose value for X is compared, -1 for X itself
    double least, greatest            # bounds of c


@cython.final
cdef class Language:
    """The bias as numbers and masks (`kernel.forms.language.KernelBias`)."""

    cdef int nhead, max_vars, max_body, max_arity
    cdef uint64_t head                # all head variables
    cdef uint64_t head_inputs         # those that are `in`
    cdef int type_bits                # of a field for a type, in a word with one for each head variable without a type
    cdef bint directed                # whether the bias gives directions
    cdef bint reading                 # whether some literal has inputs
    cdef bint head_outputs            # whether some head variable is `out`
    cdef bint singletons              # whether a variable may occur only once
    cdef vector[int] head_types       # -1 where the bias gives none
    cdef uint64_t needed              # head variables that must occur in the body
    cdef Limits limits
    cdef list predicates              # (arity, types, input mask)
    cdef vector[Literal] literals
    cdef list literal_list            # the same as (predicate, args)
    cdef vector[TestKind] kinds       # of tests: their predicates are numbered on from those of the bias ...
    cdef int first_test               # ... and their literals from this one
    cdef vector[vector[int32_t]] column_values   # column -> from its first term on, the value of each ...
    cdef vector[int32_t] column_first            # ... and which that is

    def __init__(self, bias):
        self.nhead = bias.head.arity
        self.max_vars = bias.max_vars
        self.max_body = bias.max_body
        self.predicates = bias.body
        self.head_types = bias.head.types
        self.head_inputs = bias.head.inputs
        self.directed = bias.directed
        self.reading = bias.reading
        self.singletons = bias.singletons
        self.limits = Limits(bias.limits)
        self.needed = bias.needed
        # Types of head variables are kept in fields of a word, which hold 0 for none and otherwise the type plus one.
        self.type_bits = bias.type_bits
        if self.max_vars > MAX_VARS or (min(bias.head.types) < 0 and self.nhead * self.type_bits > 64):
            raise ValueError(f"more than {MAX_VARS} variables, or more types than a head without types has room for")
        self.head = (<uint64_t>1 << self.nhead) - 1
        self.head_outputs = self.directed and self.head_inputs != self.head
        self.max_arity = max([arity for arity, _, _ in self.predicates], default=1)
        self.make_literals(bias)
        self.make_tests(bias)

    cdef int make_literals(self, bias) except -1:
        """All literals over variables 0 .. max_vars - 1 whose arguments are distinct and whose types can agree.

        What the bias forbids is left out: whether it does depends on which head variables a literal has where, and not
        on the names of others, so that with a literal it is all its renamings that are out.
        """
        cdef Literal literal
        cdef int i
        self.literal_list = []
        for number, (arity, types, inputs) in enumerate(self.predicates):
            if arity > self.max_vars or arity == 0:
                continue
            for args in permutations(range(self.max_vars), arity):
                if not self.types_agree(args, types):
                    continue
                allowed, literal.counts, literal.marks = bias.marked(number, args)
                if not allowed:
                    continue
                self.literal_list.append((number, args))
                literal.predicate = number
                literal.arity = arity
                literal.inputs = literal.outputs = literal.variables = 0
                for i in range(arity):
                    literal.args[i] = args[i]
                    literal.types[i] = types[i]
                    literal.variables |= <uint64_t>1 << <int>args[i]
                    if (inputs >> i) & 1:
                        literal.inputs |= <uint64_t>1 << <int>args[i]
                    else:
                        literal.outputs |= <uint64_t>1 << <int>args[i]
                self.literals.push_back(literal)
        return 0

    cdef int make_tests(self, bias) except -1:
        """The literals that compare a variable with a learned number. They are in no list."""
        cdef Literal literal
        cdef TestKind kind
        cdef int v
        self.first_test = <int>self.literals.size()
        for first, values in bias.columns:
            self.column_first.push_back(first)
            self.column_values.push_back(values)
        for number, test in enumerate(bias.tests, len(self.predicates)):
            kind.at_least, kind.least, kind.greatest = test.at_least, test.least, test.greatest
            kind.column = test.column
            self.kinds.push_back(kind)
            for v in range(self.max_vars):
                allowed, literal.counts, literal.marks = bias.marked(number, (v,))
                if not allowed or not self.types_agree((v,), (test.type,)):
                    continue
                self.literal_list.append((number, (v,)))
                literal.predicate = number
                literal.arity = 1
                literal.args[0] = v
                literal.types[0] = test.type
                literal.variables = literal.inputs = <uint64_t>1 << v
                literal.outputs = 0
                self.literals.push_back(literal)
        return 0

    def types_agree(self, args, types):
        """Whether a literal gives no head variable another type than the bias does."""
        for variable, given in zip(args, types):
            if variable < self.nhead and given >= 0 and self.head_types[variable] not in (-1, given):
                return False
        return True
