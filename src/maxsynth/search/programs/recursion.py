"""Recursive programs without invented predicates, size after size: those of which nothing said that they are of no use.

A recursive program has a set of base rules and a set of rules that call the target. Before any proof its cost is
bounded from below: the base rules alone cover their negatives, and no example is covered that neither a base rule
covers nor a calling rule whose calls are taken to succeed (`bodies`). What the tests of smaller programs say is added
(`constraints` has the proofs): a program misses what each of its parents misses (one of the two sets is replaced by a
parent of it: see `rule_sets`), and covers the negatives that it covers without one of its rules. All of these are sets
of examples, so that they add up: with S the size by weight, M all that it is known to miss and W all that it is known
to cover wrongly,

    cost >= S + P(M) + N(W).

A program for which that is not below the best cost so far is not tested. One with `S + P(M)` not below it is
*hopeless*, and so are its children and theirs, which are larger and miss more. So only the children of programs that
are not hopeless are ever made, and the rules for them: where each program that is tested misses too much, the search
is at its end, however many rules the space has.

So is a program whose calling rules cover, at most, positives that weigh no more than their size: the base rules alone
cost no more, and are a set of rules as any other, which the search for rules finds. Its children with other calling
rules have larger ones that cover less; and the same holds of these with any base rules.

**Which programs are made.** Base sets whose own negatives cost too much are *heavy*: no program has them. But their
children may be light, so these are all made. A light base set is made when a parent of it is heavy or has a program
that is not hopeless with calling rules of the size that is wanted now. For a light base set B, the calling sets C
are taken that are not hopeless with its light parents; where it has none, those that have no parents, and the children
and splits of those that are not hopeless with B and smaller. By induction over the size, every program that is not
hopeless is made: its parents are programs that are smaller and not hopeless, unless a base set is heavy; and both
sets are reached from their parents. Where a base set became heavy only when the bound fell, its programs up to then
were made, and those of its children that were not are hopeless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import StoppedAskingError
from maxsynth.logic.programs import Program
from maxsynth.search.learned.spelled import open_tests
from maxsynth.search.programs.bodies import Bodies
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.programs.rule_sets import KnownSet, RuleSet, RuleSets, Shape
from maxsynth.search.programs.tester import Group, Tester
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

if TYPE_CHECKING:
    from maxsynth.search.programs.open_numbers import OpenTester
    from maxsynth.search.programs.saved import Lengths

Stop = Callable[[], bool]
Known = tuple[int, int, int]  # examples that a program misses, covers wrongly, and those that its test did not decide
NOTHING: Known = (0, 0, 0)

UNTESTED = 32  # programs between two looks whether to stop, when none of them needs a test
MOST_TOGETHER = 256  # programs that are tested together, ...
CELLS = 1 << 24  # ... and examples for each of them, with all
KNOWN = 300  # bytes for what is known of a program, about


class StoppedError(Exception):
    """The search was told to stop."""


class Candidate(NamedTuple):
    """A program that may cost less than the bound, what it misses and covers wrongly, and what that costs at least.

    `unsure`: examples on which the test of a parent ran out of steps.
    """

    base: RuleSet
    call: RuleSet
    misses: int
    wrong: int
    unsure: int
    errors: int


class Test(NamedTuple):
    """A test of a program, with the examples that it covers, and that it may cover, as whole numbers."""

    program: Program
    outcome: Outcome
    covered: int
    may_cover: int


class Together(NamedTuple):
    """Programs that are tested together, by the bound that was known when that was decided.

    `group` are those that may cost less, `tested`; None where there are none.
    """

    candidates: list[Candidate]
    tested: list[Candidate]
    programs: list[Program]
    group: Group | None
    bound: int


class Weigher:
    """What sets of examples weigh. A set is a whole number with a bit for each example.

    The weights are taken apart into planes: plane k has the examples whose weight has bit k. Mostly there is one, since
    all examples weigh alike.
    """

    def __init__(self, weights: NDArray[np.int64]) -> None:
        unit = int(np.gcd.reduce(weights)) or 1
        planes = ((unit << bit, bits(weights // unit >> bit & 1)) for bit in range(63))
        self.planes = [(value, plane) for value, plane in planes if plane]
        self.all = bits(weights > 0)
        self.value = self.planes[0][0] if len(self.planes) == 1 else None

    def of(self, examples: int) -> int:
        if self.value is not None:
            return self.value * (examples & self.all).bit_count()
        return sum(value * (examples & plane).bit_count() for value, plane in self.planes)


def bits(chosen: NDArray[np.generic]) -> int:
    """A whole number with a bit for each that is chosen."""
    return int.from_bytes(np.packbits(chosen.astype(np.bool_), bitorder="little").tobytes(), "little")


def each_bits(chosen: NDArray[np.bool_]) -> list[int]:
    """`bits` of each row."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(chosen, axis=1, bitorder="little")]


def without_one(rules: RuleSet) -> list[RuleSet]:
    """The sets that have one rule less, and at least one."""
    return [rules[:place] + rules[place + 1 :] for place in range(len(rules))] if len(rules) > 1 else []


class RecursivePrograms:
    """All recursive programs that may cost less than the best so far.

    Without `constraints`, the test of a program says nothing about others.
    """

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
        threads: Threads | None = None,
    ) -> None:
        self.bias = task.bias
        self.memory = memory or Memory()
        alone = task.bias.most_clauses == 2  # whether a program has one calling rule at most
        is_of_use = self.is_of_use if alone else None
        self.bodies = Bodies(task.bias, task.background, examples.rows, memory, is_of_use)
        self.tester = Tester(task, examples, size_weight, threads)
        self.open: OpenTester | None = None
        if open_tests(task.bias):
            from maxsynth.search.programs.open_numbers import OpenTester  # what a task does not need is not loaded

            self.open = OpenTester(task, examples, size_weight)
        self.constraints = constraints
        self.weight = size_weight
        self.pos = Weigher(examples.pos)
        self.neg = Weigher(examples.neg)
        self.bases = RuleSets(self.bodies, calls=False)
        self.calls = RuleSets(self.bodies, calls=True)
        self.made: dict[Shape, dict[RuleSet, None]] = {}  # base sets
        self.followed: dict[RuleSet, None] = {}  # base sets whose children were made, ...
        self.split: dict[tuple[RuleSet, Shape], None] = {}  # ... and whose splits were
        self.first: dict[Shape, dict[int, list[RuleSet]]] = {}  # calling sets that were looked at
        self.hopeful: dict[RuleSet, dict[Shape, dict[RuleSet, Known]]] = {}  # what is not hopeless, and what it misses
        self.costs: dict[RuleSet, int] = {}  # of base sets, and of their own negatives
        self.same: dict[Known, Known] = {}  # one object for what is known of many
        self.bounded = 0
        self.size = 4  # of the programs that are next: a rule has two literals
        self.least_call = 2  # literals of a calling rule, at least
        self.bound = 1 << 60  # no program that costs as much is of use
        self.should_stop: Stop = lambda: False
        self.listed: list[Candidate] = []  # the programs of this size, ...
        self.place: int | None = None  # ... and which is next; None while they are not listed
        self.next_group = 1  # so many of them are put together next, ...
        self.ahead: tuple[int, int] | None = None  # ... after so many, by this bound, as was decided before
        self.lengths: Lengths | None = None  # see `saved`
        self.on_rest: Callable[[], None] | None = None  # is called where all can be saved

    @property
    def tested(self) -> int:
        return self.tester.tested

    @property
    def work(self) -> int:
        return self.bodies.grown + 20 * self.tester.tested

    @property
    def most_size(self) -> int:
        most = self.bias.most_clauses * (1 + self.bias.max_body)
        return most if self.bias.most.size is None else min(most, self.bias.most.size)

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        return self.weight * self.size if self.size <= self.most_size else 1 << 60

    def next_size(self, bound: int, take: Callable[[Program, Outcome], int], should_stop: Stop) -> bool:
        """Tests the programs of the next size that need it; False when it was stopped."""
        self.bound, self.should_stop = bound, should_stop
        try:
            if self.place is None:
                if not self.bodies.grow(self.size - 2, should_stop):
                    return False
                self.rest()
                self.listed = sorted(self.wanted(), key=self.order)
                self.place, self.next_group, self.ahead, self.lengths = 0, 1, None, None
                self.rest()
            self.try_all(take)
        except (StoppedError, StoppedAskingError):
            return False
        self.size += 1
        self.place, self.listed = None, []
        return True

    def rest(self) -> None:
        """Here all is as it can be saved."""
        if self.on_rest is not None:
            self.on_rest()

    def order(self, program: Candidate) -> tuple[int, int, int]:
        """By the errors they must make; what runs out of steps like its parents last; then by the largest rule.

        There are far fewer programs of small rules.
        """
        largest = max(self.bodies[number].size for number in (*program.base, *program.call))
        return program.errors, self.pos.of(program.unsure), largest

    # -- which programs -------------------------------------------------------------------------------------

    def wanted(self) -> Iterator[Candidate]:
        """The programs of this size that may cost less than the bound."""
        most = self.bias.most_clauses
        sizes = [size for calls, size in self.bodies.first if calls]
        if not sizes:
            return  # all rules without parents are known that a program of this size can have
        self.least_call = min(sizes)
        for count in range(1, most):
            for size in range(2 * count, self.size - self.least_call + 1):
                for base in self.base_sets((count, size)):
                    self.look()
                    if not self.is_heavy(base):
                        for calls in range(1, most - count + 1):
                            yield from self.programs_with(base, (calls, self.size - size))

    def base_sets(self, shape: Shape) -> list[RuleSet]:
        """The base sets of a shape that were made so far, and those that are to be made for programs of this size."""
        count, size = shape
        if shape not in self.made:
            self.made[shape] = dict.fromkeys(self.bases.first(shape))
        made = self.made[shape]
        for parent in self.made.get((count, size - 1), ()):
            if parent not in self.followed and self.goes_on(parent, self.size - size):
                self.followed[parent] = None
                made.update(dict.fromkeys(self.bases.children(parent)))
        for fewer in [other for other in self.made if other[0] < count and other[1] < size]:
            for parent in self.made[fewer]:
                is_new = self.bases.can_split(parent, shape) and (parent, shape) not in self.split
                if is_new and self.goes_on(parent, self.size - size):
                    self.split[parent, shape] = None
                    made.update(dict.fromkeys(self.bases.splits(parent, shape)))
        return list(made)

    def goes_on(self, base: RuleSet, calls: int) -> bool:
        """Whether children of a base set may be of use with calling rules that have so many literals together."""
        self.look()
        if self.is_heavy(base):
            return True
        found = self.hopeful.get(base, {})
        return any(size == calls and bool(programs) for (_, size), programs in found.items())

    def is_heavy(self, base: RuleSet) -> bool:
        """Whether base rules cover negatives that cost too much, with the smallest calling rule."""
        cost = self.costs.get(base)
        if cost is None:
            known = self.bases[base]
            cost = self.costs[base] = self.weight * known.shape[1] + self.neg.of(known.least & self.neg.all)
        return cost + self.weight * self.least_call >= self.bound

    def programs_with(self, base: RuleSet, shape: Shape) -> Iterator[Candidate]:
        """The programs of a light base set and calling sets of a shape that may cost less than the bound."""
        general: list[dict[RuleSet, Known]] = []
        for _, parent in self.bases[base].parents:
            if not self.is_heavy(parent):
                programs = self.hopeful.get(parent, {}).get(shape)
                if not programs:
                    return
                general.append(programs)
        own = self.hopeful.get(base, {})
        missed = self.pos.all & ~self.bases[base].most
        wrong = self.neg.all & self.bases[base].least
        fewer = [self.hopeful.get(one, {}).get(shape, {}) for one in without_one(base)]
        room = self.bound - self.weight * self.size
        general.sort(key=len)
        calls = list(general[0]) if general else self.call_sets(own, shape, missed, room)
        # Most end at one of the first two tests, and they are very many: what these need is at hand.
        weigh, known_sets, enough = self.pos.of, self.calls.known, self.weight * shape[1]
        for call in calls:
            self.bounded += 1
            if self.bounded % UNTESTED == 0:
                self.look()
            rules = known_sets.get(call) or self.calls[call]
            if rules.worth is None:
                rules.worth = weigh(rules.most)
            if rules.worth <= enough:  # see `is_of_use`
                continue
            told = self.told(rules, general, own, missed & ~rules.most)
            if told is None or (missing := weigh(told[0])) >= room:
                continue
            misses, unsure = told
            all_wrong = self.wrong_without(call, fewer, own, wrong)
            errors = missing + self.neg.of(all_wrong)
            candidate = Candidate(base, call, misses, all_wrong, unsure, errors)
            if errors < room:
                self.memory.take(KNOWN)
                yield candidate
            else:
                self.remember(candidate, (misses, all_wrong, unsure))

    def is_of_use(self, most: int, size: int) -> bool:
        """Whether calling rules of a size pay for what they cover at most: see above."""
        return self.pos.of(most) > self.weight * size

    def call_sets(
        self, own: Mapping[Shape, Mapping[RuleSet, Known]], shape: Shape, missed: int, room: int
    ) -> list[RuleSet]:
        """The calling sets of a shape that are reached from those that are not hopeless with some base set.

        `missed` are the positives that are not covered by the base rules, `room` what errors may cost.
        """
        count, size = shape
        found: dict[RuleSet, None] = {}
        for most, sets in self.first_calls(shape).items():
            if self.pos.of(missed & ~most) < room:
                found.update(dict.fromkeys(sets))
        for parent in own.get((count, size - 1), ()):
            self.look()
            found.update(dict.fromkeys(self.calls.children(parent)))
        for fewer in [other for other in own if other[0] < count and other[1] < size]:
            for parent in own[fewer]:
                if self.calls.can_split(parent, shape):
                    self.look()
                    found.update(dict.fromkeys(self.calls.splits(parent, shape)))
        return list(found)

    def first_calls(self, shape: Shape) -> dict[int, list[RuleSet]]:
        """The calling sets of rules without parents, by what they may cover; only those that may be of use."""
        if shape not in self.first:
            found: dict[int, list[RuleSet]] = {}
            for number, rules in enumerate(self.calls.first(shape)):
                if number % UNTESTED == 0:
                    self.look()
                most = self.calls[rules].most & self.pos.all
                if self.is_of_use(most, shape[1]):
                    found.setdefault(most, []).append(rules)
            self.first[shape] = found
        return self.first[shape]

    def told(
        self,
        call: KnownSet,
        general: list[dict[RuleSet, Known]],
        own: Mapping[Shape, Mapping[RuleSet, Known]],
        misses: int,
    ) -> tuple[int, int] | None:
        """What a program is known to miss, and where its parents ran out of steps; None where one is hopeless."""
        unsure = 0
        rules = call.rules
        for programs in general:
            known = programs.get(rules)
            if known is None:
                return None
            misses |= known[0]
            unsure |= known[2]
        for shape, parent in call.parents:
            known = own[shape].get(parent) if shape in own else None
            if known is None:
                return None
            misses |= known[0]
            unsure |= known[2]
        return misses, unsure & ~misses

    def wrong_without(
        self,
        call: RuleSet,
        fewer: list[dict[RuleSet, Known]],
        own: Mapping[Shape, Mapping[RuleSet, Known]],
        wrong: int,
    ) -> int:
        """All that a program is known to cover wrongly, as it does without one of its rules.

        `fewer` is what is known with one base rule less, `own` with all of them.
        """
        for programs in fewer:
            wrong |= programs.get(call, NOTHING)[1]
        if len(call) > 1:
            for one in without_one(call):
                wrong |= own.get(self.calls.shape(one), {}).get(one, NOTHING)[1]
        return wrong

    def look(self) -> None:
        if self.should_stop():
            raise StoppedError

    # -- tests ----------------------------------------------------------------------------------------------

    def try_all(self, take: Callable[[Program, Outcome], int]) -> None:
        """Tests the programs that are listed, unless the bound fell below what they cost at least.

        Some are tested together, while those before them are judged: so the bound that is known for them is that of a
        group before, for any number of threads. What a test says may rule out others that are under way; so groups are
        small in the beginning, and when a program is better than the best so far.
        """
        assert self.place is not None
        try:
            following = self.put_together(self.place, self.ahead)
            self.begin(following)
            while following is not None:
                current = following
                following = self.put_together(self.place + len(current.candidates))
                self.tester.alone()
                self.begin(following)
                bound = self.bound
                self.judge_all(current, take)
                if self.bound < bound:
                    self.next_group = 1
                self.place += len(current.candidates)
                self.ahead = None if following is None else (len(following.candidates), following.bound)
                self.rest()
        finally:
            self.tester.leave()

    @property
    def peek(self) -> Callable[[], bool] | None:
        """Tells whether it is time to stop, whatever steps are left: these are taken when programs are judged."""
        return getattr(self.should_stop, "cut", None)

    @property
    def most_together(self) -> int:
        return max(1, min(MOST_TOGETHER, CELLS // (1 + len(self.tester.examples.rows))))

    def put_together(self, place: int, decided: tuple[int, int] | None = None) -> Together | None:
        """The programs from this place on that are tested together; None where there are no more.

        How many these are, and by which bound, is decided here, unless it was before.
        """
        if place == len(self.listed):
            return None
        if decided is None:
            decided = self.next_group, self.bound
            self.next_group = min(2 * self.next_group, self.most_together)
        length, bound = decided
        candidates = self.listed[place : place + length]
        tested = [candidate for candidate in candidates if self.may_pay(candidate, bound)]
        programs = [self.program(candidate) for candidate in tested]
        group = Group(self.tester, programs, bound) if programs else None
        return Together(candidates, tested, programs, group, bound)

    def begin(self, together: Together | None) -> None:
        if together is not None and together.group is not None:
            self.tester.begin(together.group, self.peek)

    def judge_all(self, together: Together, take: Callable[[Program, Outcome], int]) -> None:
        """Judges programs one after the other, as if each had been tested when it was its turn."""
        tests: dict[Candidate, Test] = {}
        if together.group is not None:
            found = self.tester.of_group(together.group, self.peek)
            parts = zip(
                together.programs, found.outcomes, each_bits(found.covered), each_bits(found.may_cover), strict=True
            )
            tests = dict(zip(together.tested, starmap(Test, parts), strict=True))
        for candidate in together.candidates:
            self.judge(candidate, tests.get(candidate), take)
        if not tests:
            self.look()

    def judge(self, candidate: Candidate, test: Test | None, take: Callable[[Program, Outcome], int]) -> None:
        """Notes what is known of a program, with what its test says, unless the bound fell meanwhile."""
        known = candidate.misses, candidate.wrong, candidate.unsure
        if test is None or not self.may_pay(candidate, self.bound):
            self.remember(candidate, known)
            return
        self.look()  # before all else: the test may have been left out since it is time to stop
        tested, outcome = self.settled(test)
        if self.constraints:
            same = outcome is test.outcome
            covered = test.covered if same else bits(outcome.covered)
            may_cover = test.may_cover if same else bits(outcome.may_cover)
            misses, wrong, unsure = known
            misses |= self.pos.all & ~may_cover
            if not self.is_open(test.program):
                wrong |= self.neg.all & covered
                unsure = self.pos.all & may_cover & ~covered
            known = misses, wrong, unsure
        if outcome.cost < self.bound:
            self.tester.alone()
            self.bound = take(tested, outcome)
        self.remember(candidate, known)

    def may_pay(self, candidate: Candidate, bound: int) -> bool:
        return self.weight * self.size + candidate.errors < bound

    def settled(self, test: Test) -> tuple[Program, Outcome]:
        """A program with its test; where numbers are open, with the best ones."""
        program, outcome = test.program, self.tester.believed(test.program, test.outcome, self.bound)
        if self.open is not None and self.is_open(program):
            if outcome.size + outcome.missed - outcome.most_pos < self.bound:
                self.tester.alone()
                return self.open.outcome(program, self.bound, outcome.may_cover, self.should_stop)
            outcome = self.open.judged(outcome.size, np.zeros_like(outcome.covered), outcome.may_cover)
        return program, outcome

    def is_open(self, program: Program) -> bool:
        return self.open is not None and self.open.is_open(program)

    def program(self, candidate: Candidate) -> Program:
        # A rule is the same object each time, which is how the evaluator knows it again.
        return Program(tuple(self.bodies[number].rule for number in (*candidate.base, *candidate.call)))

    def remember(self, program: Candidate, known: Known) -> None:
        """Notes what a program misses and covers wrongly, for others, unless it is hopeless."""
        if self.weight * (self.size + 1) + self.pos.of(known[0]) < self.bound:
            self.memory.take(KNOWN)
            programs = self.hopeful.setdefault(program.base, {}).setdefault(self.calls.shape(program.call), {})
            programs[program.call] = self.same.setdefault(known, known)

    def counts(self) -> dict[str, int]:
        return {
            "programs_bounded": self.bounded,
            "programs_tested": self.tester.tested,
            "programs_cut": self.tester.cut + (self.open.cut if self.open is not None else 0),
        }
