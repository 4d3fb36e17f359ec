"""A compiled program: for each of its predicates, with a given set of bound arguments (an *adornment*), one *plan* a
rule. A plan is a sequence of steps; a step looks rows up in an index, or calls an adornment of the program, and binds
registers from each row in turn. `maxsynth.proofs.evaluator` makes them; `batch` and `machine` run them.
"""


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


@cython.final
cdef class Plans:
    """One compiled program. `adornments[a]` is (bound arguments, free arguments, plans); 0 is the whole target."""

    cdef vector[Adornment] adornments
    cdef vector[Plan] plans
    cdef vector[Step] steps
    cdef vector[int32_t] pool
    cdef vector[Filter] filters
    cdef list indexes
    cdef bint calls
    cdef int most_regs
    cdef int most_steps

    def __init__(self, list adornments, list indexes):
        self.indexes = indexes
        self.calls = False
        for number, (nbound, nfree, plans) in enumerate(adornments):
            self.adornments.push_back(Adornment(<int>self.plans.size(), len(plans), nbound, nfree))
            for plan in plans:
                self.add_plan(number, plan)

    cdef int add_ints(self, values) except -1:
        cdef int start = <int>self.pool.size()
        for value in values:
            self.pool.push_back(<int>value)
        return start

    cdef int add_plan(self, int adornment, plan) except -1:
        registers, init, entry, steps, out, out_steps = plan
        cdef Plan made
        cdef Step step
        cdef const Groups* groups
        made.adornment = adornment
        made.steps = <int>self.steps.size()
        made.nsteps = len(steps)
        made.nregs = registers
        made.ninit = len(init)
        made.init = self.add_ints([x for pair in init for x in pair])
        made.nentry = len(entry)
        made.entry = self.add_ints([x for triple in entry for x in triple])
        made.nout = len(out)
        made.out = self.add_ints(out)
        made.out_steps = out_steps
        for number, (kind, target, keys, ops, parents, filters) in enumerate(steps):
            step.kind = kind
            step.index = target
            step.plan = <int>self.plans.size()
            step.number = number
            step.groups = NULL
            if step.kind == LOOKUP:
                step.groups = &(<Index>self.indexes[step.index]).groups
            else:
                self.calls = True
            step.last = step.kind == CALL and number + 1 == made.nsteps and made.nout == 0
            step.nkeys = len(keys)
            step.keys = self.add_ints(keys)
            step.nops = len(ops)
            step.ops = self.add_ints([x for triple in ops for x in triple])
            step.parents = parents
            step.arity = step.groups.arity if step.groups != NULL else 0
            step.filters = <int>self.filters.size()
            step.nfilters = len(filters)
            for index in filters:
                groups = &(<Index>self.indexes[index]).groups
                self.filters.push_back(Filter(groups.direct, groups.ndirect))
            step.column = step.register = -1
            if len(ops) == 1 and not ops[0][2]:
                step.column, step.register = ops[0][0], ops[0][1]
            self.steps.push_back(step)
        self.plans.push_back(made)
        self.add_live(<int>self.plans.size() - 1)
        self.most_regs = max(self.most_regs, made.nregs)
        self.most_steps = max(self.most_steps, made.nsteps)
        return 0

    cdef int add_live(self, int which) except -1:
        """Finds for each step the registers that are read after it."""
        cdef Plan* plan = &self.plans[which]
        cdef Step* step
        cdef int number, i
        live = {self.pool[plan.out + i] for i in range(plan.nout)}
        several = set()  # registers that may take more than one value in turn
        for number in range(plan.nsteps):
            step = &self.steps[plan.steps + number]
            if step.kind == CALL or step.groups.lazy or step.groups.most > 1:
                several |= {self.pool[step.ops + 3 * i + 1] for i in range(step.nops) if not self.pool[step.ops + 3 * i + 2]}
        for number in reversed(range(plan.nsteps)):
            step = &self.steps[plan.steps + number]
            bound = {self.pool[step.ops + 3 * i + 1] for i in range(step.nops) if not self.pool[step.ops + 3 * i + 2]}
            read = {self.pool[step.keys + i] for i in range(step.nkeys)}
            compared = {self.pool[step.ops + 3 * i + 1] for i in range(step.nops)} - bound
            read |= compared
            kept = sorted(live - bound)
            step.nkept = len(kept)
            step.carried = self.add_ints(kept + sorted(compared - live))
            step.ncarried = step.nkept + len(compared - live)
            step.live = self.add_ints(kept + sorted(live & bound))
            step.nlive = len(live)
            # After the last step they need not be found: an answer is known to be there when it comes again.
            step.repeats = number + 1 < plan.nsteps and bool(((live - bound) | read | bound) - live & several)
            live = (live - bound) | read
        return 0
