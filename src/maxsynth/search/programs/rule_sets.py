"""Sets of rules of one kind, base rules or calling ones: which there are, and which generalise which.

A set is a tuple of the numbers of its rules, which rise. It is *redundant* if the body of a rule is part of another's:
the other derives nothing that it does not, so that without the other a program has the same least model and is smaller,
and the first rule, of the same kind, keeps it recursive. Only sets that are not redundant are made.

A *parent* of a set has a parent of one of its rules in the place of that rule, without what is redundant then. The
rules of a set are rules of its parents with more literals, so a program with the parent in the place of the set
generalises it.

**Every set is reached from its parents**, in one of three ways (`first`, `children`, `splits`). If its rules have no
parents, the set is among the first. Otherwise let x be its largest rule that has a parent, x0. If x0 in the place of x
makes no other rule redundant, the set is a child of that parent: one rule has one more literal. Otherwise x0 is part of
other rules y of the set, which are not larger than x: each has a parent, since x0 is part of it, so by the choice of x
it is just as large, hence a child of x0 like x. (No rule of the set is part of x0, or it would be part of x.) So the
set is a split of the parent: two or more children of x0 in the place of x0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations

from maxsynth.search.programs.bodies import Bodies, FoundRule

RuleSet = tuple[int, ...]
Shape = tuple[int, int]  # how many rules a set has, and how many literals these have together

SET = 600  # bytes for what is known of a set, about


class KnownSet:
    """A set of rules with its shape, what it may cover, and what it covers in any case."""

    def __init__(self, sets: RuleSets, rules: RuleSet) -> None:
        self.sets = sets
        self.rules = rules
        found = [sets.bodies[number] for number in rules]
        self.shape: Shape = len(rules), sum(rule.size for rule in found)
        self.most = self.least = 0
        self.worth: int | None = None  # what the positives among `most` weigh, once that was asked for
        for rule in found:
            self.most |= rule.most
            self.least |= rule.least

    @cached_property
    def parents(self) -> list[tuple[Shape, RuleSet]]:
        """Each with its shape."""
        return [(self.sets[parent].shape, parent) for parent in self.sets.parents(self.rules)]


class RuleSets:
    """The sets of one kind, each made when it is asked for. What is known of one is kept: many programs have it."""

    def __init__(self, bodies: Bodies, *, calls: bool) -> None:
        self.bodies = bodies
        self.calls = calls
        self.known: dict[RuleSet, KnownSet] = {}

    def __getitem__(self, rules: RuleSet) -> KnownSet:
        found = self.known.get(rules)
        if found is None:
            self.bodies.memory.take(SET)
            found = self.known[rules] = KnownSet(self, rules)
        return found

    def rules(self, rules: RuleSet) -> Iterator[FoundRule]:
        return (self.bodies[number] for number in rules)

    def shape(self, rules: RuleSet) -> Shape:
        return self[rules].shape

    def first(self, shape: Shape) -> Iterator[RuleSet]:
        """The sets of rules without parents, of a shape."""
        yield from (tuple(sorted(rules)) for rules in self.first_from(shape, (0, 0)))

    def first_from(self, shape: Shape, after: tuple[int, int]) -> Iterator[RuleSet]:
        """The same with all rules after one in the order of their sizes and numbers."""
        count, size = shape
        for own in range(max(after[0], 2), size // count + 1) if count > 1 else (size,):
            for number in self.bodies.first.get((self.calls, own), ()):
                if (own, number) > after:
                    if count == 1:
                        yield (number,)
                    else:
                        yield from ((number, *more) for more in self.first_from((count - 1, size - own), (own, number)))

    def children(self, rules: RuleSet) -> Iterator[RuleSet]:
        """The sets with one more literal in one of the rules."""
        for place, number in enumerate(rules):
            others = rules[:place] + rules[place + 1 :]
            for child in self.bodies[number].children:
                if not others or not self.is_redundant(others, (child,)):
                    yield tuple(sorted((*others, child)))

    def can_split(self, rules: RuleSet, shape: Shape) -> bool:
        """Whether there can be splits of a shape."""
        return any(self.split_places(rules, shape))

    def split_places(self, rules: RuleSet, shape: Shape) -> list[bool]:
        """For each rule, whether a set has a shape with as many children of this rule in its place as that needs."""
        count, size = self.shape(rules)
        more = shape[0] - count + 1
        own = [rule.size for rule in self.rules(rules)]
        return [more > 1 and size - one + more * (one + 1) == shape[1] for one in own]

    def splits(self, rules: RuleSet, shape: Shape) -> Iterator[RuleSet]:
        """The sets of a shape, with more rules, with two or more children of a rule in its place."""
        more = shape[0] - len(rules) + 1
        for place, fits in enumerate(self.split_places(rules, shape)):
            others = rules[:place] + rules[place + 1 :]
            for children in combinations(self.bodies[rules[place]].children, more) if fits else ():
                if not others or not self.is_redundant(others, children):
                    yield tuple(sorted((*others, *children)))

    def is_redundant(self, rules: RuleSet, more: RuleSet) -> bool:
        """Whether a rule of one set is in the other, or part of a rule there."""
        return any(
            number == other or number in self.bodies[other].part_of_it or other in self.bodies[number].part_of_it
            for number in rules
            for other in more
        )

    def parents(self, rules: RuleSet) -> list[RuleSet]:
        if len(rules) == 1:
            return [(parent,) for parent in self.bodies[rules[0]].parents]
        made: dict[RuleSet, None] = {}
        for place, number in enumerate(rules):
            others = rules[:place] + rules[place + 1 :]
            for parent in self.bodies[number].parents:
                kept = [other for other in others if other != parent and parent not in self.bodies[other].part_of_it]
                made[tuple(sorted((*kept, parent)))] = None
        return list(made)
