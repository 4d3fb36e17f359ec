"""Which examples can be covered by a feature that ties two head variables together.

A feature that mentions two head variables has a *path* between them: literals of which each shares a variable of the
feature with the next. In an example that it covers, these literals are facts that lead from the one value to the other.
So such a feature can cover an example only where the two values are not too far from each other in the graph of the
terms, in which the terms of a fact are neighbours. In a knowledge graph that is so for few examples.

Distances are found by search in width from both sides. The terms around the far end of an example are kept with
their distances (its *ball*), as far as they fit into a counted limit; beyond that every term is taken to be in
reach, which can only keep too much.
"""

ENTRIES = 1 << 20     # terms in all balls together, at most
EFFORT = 1 << 23      # neighbours looked at for that, at most
WALK = 1 << 15        # neighbours looked at from one near end, at most ...
WALKS = 1 << 25       # ... and from all of them
cdef enum:
    LOOK_UP = 4       # times as long as to see a mark


@cython.final
cdef class Ties:
    """For examples with these rows of head values: `relations` are the facts, None for what is not known at once.

    `longest` is the number of literals that a path can have.
    """

    cdef vector[int32_t] cells             # example x head variable -> term
    cdef int nhead
    cdef readonly int longest, radius
    cdef vector[int32_t] graph_from        # term -> its neighbours, from here to the next term's, in `graph`
    cdef vector[int32_t] graph
    cdef int nterms
    cdef unordered_map[int32_t, int32_t] ball_of   # term at the far end -> number of its ball
    cdef vector[int32_t] balls             # example x head variable -> number of its ball, -1 for the first variable
    cdef vector[vector[int32_t]] members   # ball -> its terms, the nearest first, while it is found out who is near ...
    cdef vector[vector[int32_t]] rims      # ... and where those at each distance begin
    # A ball is a hash table of its own, with open addressing: it is small, and what is looked up in it lies together.
    cdef vector[size_t] slots_from         # ball -> where its slots begin, and the last ones end; their number is 2^k
    cdef vector[int32_t] slots             # terms, -1 for a free slot ...
    cdef vector[uint8_t] distances         # ... and how far they are from the centre
    cdef int64_t effort, most_entries, most_effort, most_walk
    cdef vector[vector[uint8_t]] near      # head variable -> example -> see `is_near`
    cdef bint known                        # whether there is a graph at all

    def __init__(
        self, rows, list relations, int longest, int64_t entries=ENTRIES, int64_t effort=EFFORT, int64_t walk=WALK
    ):
        cdef int u, i
        cdef int nexamples = len(rows), nhead = rows.shape[1]
        self.nhead = nhead
        take_numbers_of(rows.ravel(), self.cells)
        self.longest = longest
        self.most_entries, self.most_effort, self.most_walk = entries, effort, walk
        self.known = all([relation is not None for relation in relations]) and nexamples > 0
        self.near.resize(nhead)
        for u in range(nhead):
            self.near[u].assign(nexamples, u < nhead - 1)
        if not self.known:
            return
        self.link(rows, relations)
        self.balls.assign(self.cells.size(), -1)
        for u in range(1, nhead):
            for i in range(nexamples):
                self.balls[<size_t>i * nhead + u] = self.add_ball(self.term_of(i, u))
        with nogil:
            self.grow_balls(longest - 1)
            self.fill_slots()
        self.find_near(rows)
        self.rims.clear()
        self.members.clear()
        self.members.shrink_to_fit()

    cdef int32_t term_of(self, int example, int variable) noexcept nogil:
        return self.cells[<size_t>example * self.nhead + variable]

    cdef int32_t add_ball(self, int32_t centre) except -1:
        """The number of the ball around a term."""
        if self.ball_of.count(centre) == 0:
            self.ball_of[centre] = <int32_t>self.members.size()
            self.members.push_back(vector[int32_t](1, centre))
            self.rims.push_back(vector[int32_t](1, 0))
        return self.ball_of[centre]

    cdef int link(self, rows, list relations) except -1:
        """Makes the graph: the terms of a fact are neighbours."""
        cdef int32_t[::1] neighbours, starts
        ends = [np.zeros((0, 2), np.int32)]
        for table in relations:
            for i in range(table.shape[1]):
                for j in range(table.shape[1]):
                    if i != j:
                        ends.append(table[:, (i, j)])
        pairs = np.concatenate(ends)
        del ends
        self.nterms = max(int(pairs.max(initial=0)), int(rows.max(initial=0))) + 1
        counts = np.bincount(pairs[:, 0], minlength=self.nterms)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        neighbours = pairs[sorted_order(pairs, (0,)), 1]
        self.graph_from.assign(&starts[0], &starts[0] + starts.shape[0])
        if neighbours.shape[0]:
            self.graph.assign(&neighbours[0], &neighbours[0] + neighbours.shape[0])
        kernel_assert(rises(self.graph_from.data(), self.graph_from.size(), <int32_t>self.graph.size()))
        return 0

    cdef int grow_balls(self, int wanted) except -1 nogil:
        """Lets the balls grow by one step after the other, all of them, while the limits allow it."""
        cdef size_t ball, i, end
        cdef int64_t entries = self.members.size()
        cdef int32_t term, other, at, mark = 0
        cdef vector[int32_t]* terms
        cdef vector[int32_t] seen           # term -> the mark of the last ball and step in which it was met
        seen.assign(self.nterms, 0)
        while self.radius < wanted:
            for ball in range(self.members.size()):
                mark += 1
                terms = &self.members[ball]
                end = terms.size()
                for i in range(end):
                    seen[terms[0][i]] = mark
                for i in range(self.rims[ball][self.radius], end):
                    term = terms[0][i]
                    self.effort += self.graph_from[term + 1] - self.graph_from[term]
                    if entries > self.most_entries or self.effort > self.most_effort:
                        terms.resize(end)
                        return 0  # this step was not finished, so the radius stays what it is
                    for at in range(self.graph_from[term], self.graph_from[term + 1]):
                        other = self.graph[at]
                        if seen[other] != mark:
                            seen[other] = mark
                            terms.push_back(other)
                            entries += 1
                self.rims[ball].push_back(<int32_t>end)
            self.radius += 1
        return 0

    cdef int fill_slots(self) except -1 nogil:
        """Makes the tables of all balls, of the terms up to the radius."""
        cdef size_t ball, i, count, size
        cdef int distance
        self.slots_from.assign(1, 0)
        for ball in range(self.members.size()):
            if <int>self.rims[ball].size() > self.radius + 1:  # of a step that was not finished
                self.members[ball].resize(self.rims[ball][self.radius + 1])
            count, size = self.members[ball].size(), 2
            while size < 2 * count:
                size *= 2
            self.slots_from.push_back(self.slots_from[ball] + size)
        self.slots.assign(self.slots_from[self.slots_from.size() - 1], -1)
        self.distances.assign(self.slots.size(), 0)
        for ball in range(self.members.size()):
            distance = 0
            for i in range(self.members[ball].size()):
                while distance < self.radius and <int32_t>i >= self.rims[ball][distance + 1]:
                    distance += 1
                self.enter(ball, self.members[ball][i], distance)
        return 0

    cdef int find_near(self, rows) except -1:
        """Which examples have their values near enough: by search from the near end until the balls are met."""
        cdef int start, step
        cdef bint all_near
        cdef size_t i, done, end
        cdef int64_t looked, walked = 0
        cdef int32_t term, near, at, mark = 0
        cdef vector[int32_t] seen, around, members
        seen.assign(self.nterms, 0)
        for start in range(<int>self.near.size() - 1):
            take_numbers_of(np.argsort(rows[:, start], kind="stable"), members)
            i = 0
            while i < members.size():
                term = self.term_of(members[i], start)
                mark += 1
                around.assign(1, term)
                seen[term] = mark
                looked = 0
                done = 0
                for step in range(self.longest - self.radius if walked <= WALKS else 0):
                    end = around.size()
                    while done < end and looked <= self.most_walk:
                        near = around[done]
                        done += 1
                        looked += self.graph_from[near + 1] - self.graph_from[near]
                        for at in range(self.graph_from[near], self.graph_from[near + 1]):
                            if seen[self.graph[at]] != mark:
                                seen[self.graph[at]] = mark
                                around.push_back(self.graph[at])
                walked += looked
                all_near = looked > self.most_walk or walked > WALKS
                while i < members.size() and self.term_of(members[i], start) == term:
                    self.near[start][members[i]] = all_near or self.meets(start, members[i], around, seen, mark)
                    i += 1
        return 0

    cdef bint meets(
        self, int start, int example, const vector[int32_t]& around, const vector[int32_t]& seen, int32_t mark
    ) noexcept nogil:
        """Whether a ball of an example has one of the terms `around`, which are those that were `seen` with this mark.

        What is fewer is gone through: to look up a term in a ball takes longer than to see whether it has the mark.
        """
        cdef int u
        cdef size_t i
        cdef const vector[int32_t]* ball
        for u in range(start + 1, self.nhead):
            ball = &self.members[self.balls[<size_t>example * self.nhead + u]]
            if ball.size() <= LOOK_UP * around.size():
                for i in range(ball.size()):
                    if seen[ball[0][i]] == mark:
                        return True
            else:
                for i in range(around.size()):
                    if self.reaches(u - 1, example, around[i], self.radius):
                        return True
        return False

    def near_examples(self, int start):
        """For each example whether it is near, for tests."""
        return [bool(near) for near in self.near[start]]

    cdef bint is_near(self, int start, int example) noexcept nogil:
        """Whether a path that begins at this head variable can reach one with a larger number."""
        return self.near[start][example]

    cdef bint reaches(self, int start, int example, int32_t term, int steps) noexcept nogil:
        """Whether so many more literals can lead from a term to a head variable after `start` of an example."""
        cdef int u, far
        if not self.known or steps > self.radius:
            return True
        for u in range(start + 1, self.nhead):
            far = self.distance(self.balls[<size_t>example * self.nhead + u], term)
            if 0 <= far <= steps:
                return True
        return False

    cdef int distance(self, int32_t ball, int32_t term) noexcept nogil:
        """How far a term is from the centre of a ball; -1 where it is outside."""
        cdef size_t start = self.slots_from[ball], mask = self.slots_from[ball + 1] - start - 1
        cdef size_t at = mix(term) & mask
        kernel_assert(0 <= ball < <int32_t>self.ball_of.size())
        while self.slots[start + at] != term:
            if self.slots[start + at] < 0:
                return -1
            at = (at + 1) & mask
        return self.distances[start + at]

    cdef void enter(self, size_t ball, int32_t term, int distance) noexcept nogil:
        cdef size_t start = self.slots_from[ball], mask = self.slots_from[ball + 1] - start - 1
        cdef size_t at = mix(term) & mask
        while self.slots[start + at] >= 0:
            at = (at + 1) & mask
        self.slots[start + at] = term
        self.distances[start + at] = <uint8_t>distance
