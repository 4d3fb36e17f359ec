"""Growing bodies by a literal at a time: the least ones of all, and those with one more literal than a given one.

What the bodies are for, and why this reaches all that are wanted, is told in `maxsynth.search.programs.bodies`, which
sets this up. What a body covers is found in `body_tables`.
"""


cdef enum:
    NAMED = 200  # bytes for a body, about: its literals, and its name


cdef struct GrowerMark:
    # How much there was at a rest, and where `least` was.
    size_t bodies, lean, longer, fresh, at
    int size


cdef cppclass Body:                      # whole or not
    vector[int32_t] literals             # their numbers, in an order in which they can run
    int variables                        # how many the rule has, head counted
    int types[MAX_VARS]                  # of these, -1 where none is known
    uint64_t safe                        # variables with a value once the body has run
    uint64_t used                        # variables that occur in it
    uint64_t counts                      # of its literals, and their marks (`features/limits`)
    uint64_t marks
    int calls


@cython.final
cdef class BodyGrower:
    """Bodies, by their numbers.

    `bias` is a `kernel.forms.language.KernelBias`. `literals` are (predicate, arguments, types or -1, input variables as
    bits, may be in a body, counts, marks); the predicates are numbers, the last of which is the target.
    `index_of(predicate, bound arguments)` says how to look rows up, None if that cannot be. `may_miss` are the head
    variables that need not be in the body of a rule: see `is_rule`. `tests` are predicates that test a number.
    """

    cdef vector[Literal] literals
    cdef cppmap[Code, int32_t] literal_numbers
    cdef vector[vector[int32_t]] next_literals           # for each number of variables, those with new ones in order
    cdef vector[int32_t] frontier                        # the lean bodies with so many literals as were grown
    cdef unordered_map[string, int32_t] seen             # the name of a body -> its number
    cdef vector[vector[int32_t]] bodies                  # number -> literals
    cdef vector[uint8_t] met                             # number -> whether it was among the lean ones
    cdef int target, arity, max_body
    cdef readonly int size                               # literals of the bodies in the frontier
    cdef uint64_t head, may_miss
    cdef bint directed, singletons
    cdef bint reading                                    # without directions: whether comparisons and sums read
    cdef vector[uint8_t] binds                           # literal -> whether its variables are known by it
    cdef Limits limits
    cdef Body empty
    cdef BodyTables tables
    cdef readonly int64_t grown                          # bodies met so far
    cdef size_t at                                       # in the frontier: what `least` grows next, ...
    cdef vector[int32_t] longer, fresh                   # ... what it made of those before, and which of that it found
    cdef vector[int32_t] lean                            # all that are `met`, in order
    cdef GrowerMark rested                               # what there was at the last rest (`saved_bodies`)
    cdef Room room

    def __init__(
        self, bias, list literals, uint64_t may_miss, examples, index_of, claim=None, tests=(),
    ):
        cdef Literal made
        cdef int count, i
        cdef size_t number
        cdef Code code
        self.room = Room(claim)
        self.arity = bias.head.arity
        self.max_body = bias.max_body
        self.head = (<uint64_t>1 << self.arity) - 1
        self.directed = bias.directed
        self.reading = bias.reading and not bias.directed
        self.may_miss = may_miss
        self.singletons = bias.singletons
        self.limits = Limits(bias.limits)
        allowed = []
        for predicate, args, types, inputs, may_be, counts, marks in literals:
            made.predicate = self.target = predicate
            made.arity = len(args)
            made.inputs = inputs
            made.counts = counts
            made.marks = marks
            made.variables = 0
            for i in range(made.arity):
                made.args[i] = args[i]
                made.types[i] = types[i]
                made.variables |= <uint64_t>1 << made.args[i]
            self.literal_numbers[code_of(&made, made.args)] = <int32_t>self.literals.size()
            self.literals.push_back(made)
            self.binds.push_back(predicate not in tests)
            allowed.append(may_be)
        self.next_literals.resize(<size_t>(bias.max_vars + 1))
        for count in range(self.arity, bias.max_vars + 1):
            for number in range(self.literals.size()):
                if allowed[number] and in_order(&self.literals[number], count):
                    self.next_literals[count].push_back(<int32_t>number)
        self.empty.variables = self.arity
        for i in range(self.arity):
            self.empty.types[i] = bias.head.types[i]
        self.empty.safe = bias.head.inputs
        self.empty.used = self.empty.counts = self.empty.marks = 0
        self.empty.calls = 0
        self.tables = BodyTables(self.directed, self.target, self.arity, bias.head.inputs, examples, index_of, self.room)
        self.bodies.push_back(self.empty.literals)
        self.met.push_back(1)
        self.frontier.push_back(0)

    # -- bodies by their numbers ----------------------------------------------------------------------------

    def body(self, int32_t number):
        """(its literals, how many of them are calls)."""
        cdef Body body
        self.replay(self.bodies[number], &body)
        return tuple(body.literals), body.calls

    def covers(self, int32_t number):
        """(the examples that a body covers, at most, as bits of a whole number; whether it covers just these)."""
        return self.tables.covers(self.literals, self.bodies[number])

    def children(self, int32_t number):
        """The numbers of the rules with one more literal that call the target if this one does."""
        cdef Body body, grown
        cdef size_t i
        cdef int32_t literal, child
        found = []
        self.replay(self.bodies[number], &body)
        if <int>body.literals.size() >= self.max_body:
            return found
        for i in range(self.next_literals[body.variables].size()):
            literal = self.next_literals[body.variables][i]
            if not body.calls and self.literals[literal].predicate == self.target:
                continue
            if self.extend(&body, literal, &grown) and self.is_rule(&grown):
                child = self.number_of(&grown)
                if child not in found:
                    found.append(child)
        return found

    def parents(self, int32_t number):
        """The numbers of the rules with one literal less that call the target if this one does."""
        cdef Body body, rest
        cdef vector[int32_t] literals
        cdef size_t left_out
        found = []
        self.replay(self.bodies[number], &body)
        for left_out in range(body.literals.size()):
            literals = body.literals
            literals.erase(literals.begin() + left_out)
            if not literals.empty() and self.in_running_order(literals, &rest):
                if (rest.calls > 0) == (body.calls > 0) and self.is_rule(&rest):
                    parent = self.number_of(&rest)
                    if parent not in found:
                        found.append(parent)
        return found

    def least(self, should_stop, is_of_use, at_rest=None):
        """Finds the rules with one more literal, of either kind, that have no parents; False when stopped.

        Bodies that call the target grow only where `is_of_use(number, size of a rule with it)`. `at_rest()` is called
        where all can be saved (`saved_bodies`); what was restored goes on from there.
        """
        cdef Body body, grown
        cdef size_t i
        cdef int32_t number
        if self.at == 0:
            self.longer.clear()
            self.fresh.clear()
        if self.size >= self.max_body:
            self.frontier.clear()
        while self.at < self.frontier.size():
            if at_rest is not None:
                at_rest()
            if should_stop():
                return False
            self.replay(self.bodies[self.frontier[self.at]], &body)
            for i in range(self.next_literals[body.variables].size()):
                if not self.extend(&body, self.next_literals[body.variables][i], &grown):
                    continue
                if not self.is_lean(&grown):
                    continue
                number = self.number_of(&grown)
                if self.met[number]:
                    continue
                self.met[number] = 1
                self.lean.push_back(number)
                if grown.calls and not is_of_use(number, grown.literals.size() + 1):
                    continue
                before_growing(self.room, self.longer.size(), self.longer.capacity(), 1, sizeof(int32_t))
                self.longer.push_back(number)
                if self.is_rule(&grown) and not self.parents(number):
                    self.fresh.push_back(number)
            self.at += 1
        self.frontier.swap(self.longer)
        self.at = 0
        self.size += 1
        if at_rest is not None:
            at_rest()
        return True

    @property
    def found(self):
        """The numbers of the rules that `least` found last."""
        return [number for number in self.fresh]

    def mark(self):
        """Takes note of how much there is, at a rest (`saved_bodies`)."""
        cdef GrowerMark mark
        mark.bodies, mark.lean, mark.longer, mark.fresh = (
            self.bodies.size(), self.lean.size(), self.longer.size(), self.fresh.size()
        )
        mark.at, mark.size = self.at, self.size
        self.rested = mark

    def state(self):
        """All that there was at the last rest, as arrays and numbers: to be written before the search goes on."""
        return bodies_state(self)

    def restore(self, dict state):
        """Makes a new one what another one was."""
        take_bodies(self, state)
        self.mark()

    cdef int32_t number_of(self, const Body* body) except -1:
        """The number of a body; a new one where it was not met before."""
        cdef string name
        canonical(self.literals, body.literals, self.arity, <int64_t>1 << 62, name)
        if self.seen.count(name):
            return self.seen[name]
        take(self.room, NAMED)
        self.grown += 1
        self.seen[name] = <int32_t>self.bodies.size()
        self.bodies.push_back(body.literals)
        self.met.push_back(0)
        return <int32_t>self.bodies.size() - 1

    cdef int replay(self, const vector[int32_t]& literals, Body* body) except -1:
        """Makes a body of literals whose order and names are as `extend` makes them."""
        cdef Body grown
        cdef size_t i
        body[0] = self.empty
        for i in range(literals.size()):
            kernel_assert(self.extend(body, literals[i], &grown))
            body[0] = grown
        return 0

    cdef bint extend(self, const Body* body, int32_t number, Body* grown) except -1:
        """Makes the body with one more literal; False where that cannot run, its types do not fit, it is there, or the
        body then has too much of something that the bias limits."""
        cdef const Literal* literal = &self.literals[number]
        if self.directed:
            if literal.inputs & ~body.safe:
                return False
        elif not literal.variables & ((<uint64_t>1 << body.variables) - 1):
            return False
        elif self.reading and literal.inputs & ~self.bound_in(body):
            return False  # a call may leave an argument of the head open, so that the body must know what is read
        if has(body.literals, number):
            return False
        grown.variables = body.variables
        while literal.variables >> grown.variables:
            grown.variables += 1
        grown.counts = body.counts + literal.counts
        grown.marks = body.marks | literal.marks
        if not with_types(body, literal, grown) or self.limits.exceeded(grown.counts, grown.marks):
            return False
        grown.literals = body.literals
        grown.literals.push_back(number)
        grown.safe = body.safe | literal.variables
        grown.used = body.used | literal.variables
        grown.calls = body.calls + (literal.predicate == self.target)
        return True

    cdef uint64_t bound_in(self, const Body* body) noexcept:
        """The variables that a body knows without what is given: a test knows nothing that it tests."""
        cdef uint64_t bound = 0
        cdef size_t i
        for i in range(body.literals.size()):
            if self.binds[body.literals[i]]:
                bound |= self.literals[body.literals[i]].variables
        return bound

    cdef bint in_running_order(self, const vector[int32_t]& literals, Body* body) except -1:
        """Makes a body of literals in any order and with any names; False where no order lets them run."""
        cdef vector[int32_t] waiting = literals
        cdef int32_t names[MAX_VARS]
        cdef int32_t args[MAX_ARITY]
        cdef const Literal* literal
        cdef Body grown
        cdef int i, count = self.arity, new
        cdef size_t at
        cdef bint found
        for i in range(MAX_VARS):
            names[i] = i if i < self.arity else -1
        body[0] = self.empty
        while not waiting.empty():
            found = False
            for at in range(waiting.size()):
                literal = &self.literals[waiting[at]]
                if not self.can_run(literal, names, body):
                    continue
                new = count
                for i in range(literal.arity):
                    args[i] = names[literal.args[i]]
                    if args[i] < 0:
                        args[i] = new
                        new += 1
                if not self.extend(body, self.literal_numbers[code_of(literal, args)], &grown):
                    continue
                for i in range(literal.arity):
                    names[literal.args[i]] = args[i]
                count = new
                body[0] = grown
                waiting.erase(waiting.begin() + at)
                found = True
                break
            if not found:
                return False
        return True

    cdef bint can_run(self, const Literal* literal, const int32_t* names, const Body* body) noexcept:
        """Whether the inputs of a literal, which are named by `names`, are safe; without directions, any name will do."""
        cdef int i
        for i in range(literal.arity):
            if self.directed:
                if literal.inputs >> literal.args[i] & 1:
                    if names[literal.args[i]] < 0 or not body.safe >> names[literal.args[i]] & 1:
                        return False
            elif names[literal.args[i]] >= 0:
                return True
        return self.directed

    # -- rules ----------------------------------------------------------------------------------------------

    cdef bint is_rule(self, const Body* body) noexcept:
        """The conditions on a rule that growing does not ensure."""
        cdef uint64_t seen = self.head, twice = 0
        cdef size_t i
        cdef int variable, count
        if self.head & ~body.used & ~self.may_miss:
            return False
        if not self.singletons:
            for i in range(body.literals.size()):
                twice |= seen & self.literals[body.literals[i]].variables
                seen |= self.literals[body.literals[i]].variables
            if twice != seen:
                return False
        for i in range(self.limits.types.size()):
            count = 0
            for variable in range(body.variables):
                count += body.types[variable] == self.limits.types[i].type
            if not self.limits.types[i].least <= count <= self.limits.types[i].most:
                return False
        if not self.limits.has_required(body.marks):
            return False
        return not self.directed or not self.used_by(body, -1) & ~self.linked(body, -1, self.head)

    cdef uint64_t used_by(self, const Body* body, int without) noexcept:
        """The variables of a body, but for one literal."""
        cdef uint64_t used = 0
        cdef int i
        for i in range(<int>body.literals.size()):
            if i != without:
                used |= self.literals[body.literals[i]].variables
        return used

    cdef uint64_t linked(self, const Body* body, int without, uint64_t start) noexcept:
        """The variables that are linked to some of `start` by literals, but for one; the head links its variables."""
        cdef uint64_t reached = 0, more = start
        cdef int i
        while reached != more:
            if more & self.head:
                more |= self.head
            reached = more
            for i in range(<int>body.literals.size()):
                if i != without and self.literals[body.literals[i]].variables & more:
                    more |= self.literals[body.literals[i]].variables
        return reached

    # -- the least rules ------------------------------------------------------------------------------------

    cdef bint is_lean(self, const Body* body) except -1:
        """Whether a body may be a part of a rule without parents; `maxsynth.search.programs.bodies` has the proofs."""
        cdef int i, open_ends = 0, needs
        for i in range(<int>body.literals.size()):
            if self.is_idle(body, i):
                return False
        if self.directed or self.reading or not self.singletons or not self.limits.types.empty() or self.limits.required:
            return True
        needs = ones(self.head & ~body.used & ~self.may_miss) + (body.calls == 0)
        for i in range(<int>body.literals.size()):
            open_ends += self.is_end(body, i)
        return open_ends <= needs

    cdef bint is_idle(self, const Body* body, int place) except -1:
        """Whether every rule with all literals of a body is a rule without this one too."""
        cdef const Literal* literal = &self.literals[body.literals[place]]
        cdef uint64_t seen = self.head, twice = 0
        cdef int i
        if literal.predicate == self.target and body.calls == 1:
            return False
        if literal.variables & ~self.used_by(body, place):
            return False
        if literal.variables & ~self.linked(body, place, literal.variables & (~literal.variables + 1)):
            return False
        if not self.singletons:
            for i in range(<int>body.literals.size()):
                if i != place:
                    twice |= seen & self.literals[body.literals[i]].variables
                    seen |= self.literals[body.literals[i]].variables
            if literal.variables & ~twice:
                return False
        if self.has_required_alone(body, place):
            return False
        if not self.limits.types.empty():
            for i in range(literal.arity):
                if literal.types[i] >= 0 and not self.is_typed(body, place, literal.args[i]):
                    return False
        return not (self.directed or self.reading) or self.runs_without(body, place)

    cdef bint has_required_alone(self, const Body* body, int place) noexcept:
        """Whether a literal is the only one in a body of a kind that must be there."""
        cdef uint64_t others = 0
        cdef int i
        for i in range(<int>body.literals.size()):
            if i != place:
                others |= self.literals[body.literals[i]].marks
        return self.literals[body.literals[place]].marks & self.limits.required & ~others

    cdef bint runs_without(self, const Body* body, int without) noexcept:
        """Whether all literals of a body, but for one, run in some order."""
        cdef uint64_t safe = 0 if self.reading else self.empty.safe, before, done = (<uint64_t>1) << without
        cdef int i, count = <int>body.literals.size()
        while True:
            before = done
            for i in range(count):
                if not done >> i & 1 and not self.literals[body.literals[i]].inputs & ~safe:
                    done |= <uint64_t>1 << i
                    if not self.reading or self.binds[body.literals[i]]:
                        safe |= self.literals[body.literals[i]].variables
            if done == (<uint64_t>1 << count) - 1:
                return True
            if done == before:
                return False

    cdef bint is_typed(self, const Body* body, int without, int variable) noexcept:
        """Whether the head, or a literal but for one, says what type a variable has."""
        cdef const Literal* literal
        cdef int i, j
        if variable < self.arity and self.empty.types[variable] >= 0:
            return True
        for i in range(<int>body.literals.size()):
            literal = &self.literals[body.literals[i]]
            for j in range(literal.arity):
                if i != without and literal.args[j] == variable and literal.types[j] >= 0:
                    return True
        return False

    cdef bint is_end(self, const Body* body, int place) noexcept:
        """Whether a body without directions is linked to the head without a literal, which has nothing that is asked for."""
        cdef const Literal* literal = &self.literals[body.literals[place]]
        cdef uint64_t used = self.used_by(body, place)
        if literal.predicate == self.target and body.calls == 1:
            return False
        if literal.variables & self.head & ~used & ~self.may_miss:
            return False
        return not used & ~self.linked(body, place, self.head)


cdef inline int ones(uint64_t bits) noexcept:
    cdef int count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


cdef inline Code code_of(const Literal* literal, const int32_t* args) noexcept:
    """A literal as numbers, with these for its arguments."""
    cdef Code code
    cdef int i
    code.first = literal.predicate
    code.second = 0
    for i in range(literal.arity):
        code.second |= <uint64_t>args[i] << (ARGUMENT_BITS * i)
    return code


cdef bint in_order(const Literal* literal, int count) noexcept:
    """Whether the variables of a literal that are new to a rule with so many come in the order of their numbers."""
    cdef int i
    for i in range(literal.arity):
        if literal.args[i] >= count:
            if literal.args[i] != count:
                return False
            count += 1
    return True


cdef bint has(const vector[int32_t]& numbers, int32_t wanted) noexcept:
    cdef size_t i
    for i in range(numbers.size()):
        if numbers[i] == wanted:
            return True
    return False


cdef bint with_types(const Body* body, const Literal* literal, Body* grown) noexcept:
    """Whether a literal fits the types of a body; sets those of the two together."""
    cdef int i, variable
    for i in range(grown.variables):
        grown.types[i] = body.types[i] if i < body.variables else -1
    for i in range(literal.arity):
        variable = literal.args[i]
        if literal.types[i] < 0:
            continue
        if grown.types[variable] < 0:
            grown.types[variable] = literal.types[i]
        elif grown.types[variable] != literal.types[i]:
            return False
    return True
