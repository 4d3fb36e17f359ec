"""What a branch and bound has finished, so that another one can go on.

A node depends on the nodes above it, and on those that were finished before it only by the best set so far. So whoever
does again what the nodes from the root to the last one did themselves, and takes over the best sets that the finished
nodes below them found, is where the other one was. Those on the way are few, and the finished ones may be millions.

So the log has, for each node on the way, what each of the nodes below it took that is finished: how many steps, how much
was counted, and the better sets that it found, in order. It can be saved at any time. Once
somebody said that it is to stop, a node may end in another way than it would have: so then nothing is added.
"""


@cython.final
cdef class CoverLog:
    """The finished nodes, by their depth. `known` are those of another run, which are skipped; `skipped` is told how
    many steps are left out by that."""

    cdef readonly list frames            # depth -> finished nodes: steps taken, nodes, steps, matched, better sets
    cdef list known
    cdef size_t depth                    # up to which all that is known was met
    cdef object skipped, should_stop
    cdef list begun                      # for each node on the way what was counted when it began
    cdef list better                     # sets: their costs, and their rules
    cdef readonly int64_t asked          # for steps
    cdef bint stopped

    def __init__(self, list known=None, skipped=None):
        self.known = [list(reversed(frame)) for frame in known or []]
        self.skipped = skipped
        self.frames = [[]]
        self.begun = []
        self.better = []

    @property
    def is_behind(self):
        """Whether there is still something to skip: what was known says more than what was done since."""
        return any(self.known)

    def counting(self, should_stop):
        """Counts the steps that are taken."""
        self.should_stop = should_stop
        return self

    def __call__(self):
        if self.should_stop is not None and self.should_stop():
            self.stopped = True
            return True
        self.asked += 1
        return False

    def take(self, int64_t steps):
        if takes(self.should_stop, steps):
            self.stopped = True
            return True
        self.asked += steps
        return False

    cdef object next_finished(self):
        """The next node, if it was finished before."""
        cdef size_t here = len(self.frames) - 1
        if self.stopped or here != self.depth or here >= len(self.known):
            return None
        if not self.known[here]:
            self.depth += 1
            return None
        record = self.known[here].pop()
        taken, _, _, _, better = record
        self.asked += taken
        if self.skipped is not None:
            self.skipped(taken)
        self.frames[here].append(record)
        self.better.extend(better)
        return record

    cdef int enter(self, int64_t nodes, int64_t steps, int64_t matched) except -1:
        if self.stopped:
            return 0
        self.frames.append([])
        self.begun.append((self.asked, nodes, steps, matched, len(self.better)))
        return 0

    cdef int leave(self, int64_t nodes, int64_t steps, int64_t matched) except -1:
        if self.stopped:
            return 0
        asked, nodes_before, steps_before, matched_before, better = self.begun.pop()
        self.frames.pop()
        self.frames[len(self.frames) - 1].append([
            self.asked - asked, nodes - nodes_before, steps - steps_before, matched - matched_before, self.better[better:],
        ])
        return 0
