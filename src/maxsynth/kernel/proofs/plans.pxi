"""A compiled program: for each of its predicates, with a given set of bound arguments (an *adornment*), one *plan* a
rule. A plan is a sequence of moves; a move looks rows up in an index, or calls an adornment of the program, and binds
registers from each row in turn. `maxsynth.proofs.evaluator` makes them; `batch` and `machine` run them.

A search tests the same rules in many programs. So a plan can be made once, as a `Plans` of its own, and is copied from
there into each program.
"""


cdef enum:
    LOOKUP = 0
    CALL = 1


cdef struct Filter:      # a table with one key that is not lazy, so that it never changes
    const int32_t* direct
    int32_t ndirect


cdef struct Move:
    int kind
    const Groups* groups
    int index            # LOOKUP: number of the Index, to ask it; CALL: the adornment
    int plan             # which plan it is a move of
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
    uint64_t parents     # the moves that bound what this one reads
    int nlive
    int live             # registers that are read after this move, in `pool`: first those that it does not bind
    int nkept            # how many of these it does not bind
    int ncarried
    int carried          # these, and the registers that it compares with something, in `pool`
    bint last            # a call with nothing after it, in a plan that has no outputs
    bint repeats         # whether rows may agree in all live registers after it, so that one of them is enough


cdef struct Plan:
    int adornment
    int moves
    int nmoves
    int nregs
    int ninit
    int init             # (register, value): constants, in `pool`
    int nentry
    int entry            # (argument, register, check?): the bound arguments of the head
    int nout
    int out              # registers of the free arguments of the head
    uint64_t out_moves   # the moves that bound these


cdef struct Adornment:
    int plans
    int nplans
    int nbound
    int nfree


cdef inline bint holds(const Filter* filter, int32_t value) noexcept nogil:
    """Whether the table has a row whose key is the value."""
    return value < filter.ndirect and filter.direct[2 * value + 1] > 0


cdef cppclass Compiled:  # what runs: nothing of it is Python's, so that threads can do without its lock
    vector[Adornment] adornments
    vector[Plan] plans
    vector[Move] moves
    vector[int32_t] pool
    vector[Filter] filters
    bint calls
    int most_regs
    int most_moves


@cython.final
cdef class Plans:
    """One compiled program. `adornments[a]` is (bound arguments, free arguments, plans); 0 is the whole target.

    A plan is given as it is described in `forms.plans`, or as a `Plans` that has only this one.
    """

    cdef Compiled made
    cdef list indexes

    def __init__(self, list adornments, list indexes):
        self.indexes = indexes
        self.made.calls = False
        self.made.most_regs = self.made.most_moves = 0
        for number, (nbound, nfree, plans) in enumerate(adornments):
            self.made.adornments.push_back(Adornment(<int>self.made.plans.size(), len(plans), nbound, nfree))
            for plan in plans:
                if isinstance(plan, Plans):
                    self.copy_plan(number, &(<Plans>plan).made)
                else:
                    self.add_plan(number, plan)

    cdef int copy_plan(self, int adornment, Compiled* other) except -1:
        """Adds the only plan of another program."""
        cdef Plan plan = other.plans[0]
        cdef Move move
        cdef int pool = <int>self.made.pool.size(), filters = <int>self.made.filters.size()
        cdef size_t i
        self.made.pool.insert(self.made.pool.end(), other.pool.begin(), other.pool.end())
        self.made.filters.insert(self.made.filters.end(), other.filters.begin(), other.filters.end())
        plan.adornment = adornment
        plan.moves += <int>self.made.moves.size()
        plan.init += pool
        plan.entry += pool
        plan.out += pool
        for i in range(other.moves.size()):
            move = other.moves[i]
            move.plan = <int>self.made.plans.size()
            move.keys += pool
            move.ops += pool
            move.live += pool
            move.carried += pool
            move.filters += filters
            self.made.moves.push_back(move)
        self.made.plans.push_back(plan)
        self.made.calls |= other.calls
        self.made.most_regs = max(self.made.most_regs, other.most_regs)
        self.made.most_moves = max(self.made.most_moves, other.most_moves)
        return 0

    cdef int add_ints(self, values) except -1:
        cdef int start = <int>self.made.pool.size()
        for value in values:
            self.made.pool.push_back(<int>value)
        return start

    cdef int add_plan(self, int adornment, plan) except -1:
        registers, init, entry, moves, out, out_moves = plan
        cdef Plan made
        cdef Move move
        cdef const Groups* groups
        made.adornment = adornment
        made.moves = <int>self.made.moves.size()
        made.nmoves = len(moves)
        made.nregs = registers
        made.ninit = len(init)
        made.init = self.add_ints([x for pair in init for x in pair])
        made.nentry = len(entry)
        made.entry = self.add_ints([x for triple in entry for x in triple])
        made.nout = len(out)
        made.out = self.add_ints(out)
        made.out_moves = out_moves
        for number, (kind, target, keys, ops, parents, filters) in enumerate(moves):
            move.kind = kind
            move.index = target
            move.plan = <int>self.made.plans.size()
            move.number = number
            move.groups = NULL
            if move.kind == LOOKUP:
                move.groups = &(<Index>self.indexes[move.index]).groups
            else:
                self.made.calls = True
            move.last = move.kind == CALL and number + 1 == made.nmoves and made.nout == 0
            move.nkeys = len(keys)
            move.keys = self.add_ints(keys)
            move.nops = len(ops)
            move.ops = self.add_ints([x for triple in ops for x in triple])
            move.parents = parents
            move.arity = move.groups.arity if move.groups != NULL else 0
            move.filters = <int>self.made.filters.size()
            move.nfilters = len(filters)
            for index in filters:
                groups = &(<Index>self.indexes[index]).groups
                self.made.filters.push_back(Filter(groups.direct, groups.ndirect))
            move.column = move.register = -1
            if len(ops) == 1 and not ops[0][2]:
                move.column, move.register = ops[0][0], ops[0][1]
            self.made.moves.push_back(move)
        self.made.plans.push_back(made)
        self.add_live(<int>self.made.plans.size() - 1)
        self.made.most_regs = max(self.made.most_regs, made.nregs)
        self.made.most_moves = max(self.made.most_moves, made.nmoves)
        return 0

    cdef int add_live(self, int which) except -1:
        """Finds for each move the registers that are read after it."""
        cdef Plan* plan = &self.made.plans[which]
        cdef Move* move
        cdef int number, i
        live = {self.made.pool[plan.out + i] for i in range(plan.nout)}
        several = set()  # registers that may take more than one value in turn
        for number in range(plan.nmoves):
            move = &self.made.moves[plan.moves + number]
            if move.kind == CALL or move.groups.lazy or move.groups.most > 1:
                several |= {self.made.pool[move.ops + 3 * i + 1] for i in range(move.nops) if not self.made.pool[move.ops + 3 * i + 2]}
        for number in reversed(range(plan.nmoves)):
            move = &self.made.moves[plan.moves + number]
            bound = {self.made.pool[move.ops + 3 * i + 1] for i in range(move.nops) if not self.made.pool[move.ops + 3 * i + 2]}
            read = {self.made.pool[move.keys + i] for i in range(move.nkeys)}
            compared = {self.made.pool[move.ops + 3 * i + 1] for i in range(move.nops)} - bound
            read |= compared
            kept = sorted(live - bound)
            move.nkept = len(kept)
            move.carried = self.add_ints(kept + sorted(compared - live))
            move.ncarried = move.nkept + len(compared - live)
            move.live = self.add_ints(kept + sorted(live & bound))
            move.nlive = len(live)
            # After the last move they need not be found: an answer is known to be there when it comes again.
            move.repeats = number + 1 < plan.nmoves and bool(((live - bound) | read | bound) - live & several)
            live = (live - bound) | read
        return 0
