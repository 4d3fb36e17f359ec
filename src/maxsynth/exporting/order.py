"""In which order the predicates of a program are computed: what a rule calls comes first, what calls itself in a circle
together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program, Rule


@dataclass(frozen=True)
class Group:
    """Predicates that call each other, with their rules; mostly one predicate, which does not call itself."""

    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...]

    @property
    def recursive(self) -> bool:
        return any(self.is_recursive(rule) for rule in self.rules)

    def is_recursive(self, rule: Rule) -> bool:
        return any(literal.predicate in self.predicates for literal in rule.body)

    def rules_for(self, predicate: Predicate) -> list[Rule]:
        return [rule for rule in self.rules if rule.head.predicate == predicate]


def groups(program: Program, target: Predicate, may_hold: Callable[[Rule], bool] = lambda rule: True) -> list[Group]:
    """What the target needs, each group after those that it calls; the target is in the last one.

    Rules that can never hold are left out, and those that wait for what has no rule to begin with.
    """
    rules = productive(program, may_hold)
    calls = {
        predicate: [p for p in calls_of(predicate, rules) if p in program.defined] for predicate in program.defined
    }
    calls.setdefault(target, [])
    reach = {predicate: reached(predicate, calls) for predicate in calls}
    needed = [p for p in sorted(calls) if p == target or p in reach[target]]
    found: list[Group] = []
    while needed:
        done = {predicate for group in found for predicate in group.predicates}
        ready = next(p for p in needed if all(q in done or p in reach[q] for q in reach[p]))
        together = tuple(p for p in needed if p == ready or (p in reach[ready] and ready in reach[p]))
        found.append(Group(together, tuple(rule for rule in rules if rule.head.predicate in together)))
        needed = [p for p in needed if p not in together]
    return found


def calls_of(predicate: Predicate, rules: Iterable[Rule]) -> list[Predicate]:
    own = [rule for rule in rules if rule.head.predicate == predicate]
    return list(dict.fromkeys(literal.predicate for rule in own for literal in rule.body))


def reached(start: Predicate, calls: dict[Predicate, list[Predicate]]) -> set[Predicate]:
    found: set[Predicate] = set()
    waiting = list(calls[start])
    while waiting:
        predicate = waiting.pop()
        if predicate not in found:
            found.add(predicate)
            waiting += calls[predicate]
    return found


def productive(program: Program, may_hold: Callable[[Rule], bool]) -> list[Rule]:
    """The rules that may hold: all that they call is in the data, or has such a rule itself."""
    defined = program.defined
    candidates = [rule for rule in program.rules if may_hold(rule)]
    rules: list[Rule] = []
    before = -1
    while len(rules) > before:
        before = len(rules)
        known = {rule.head.predicate for rule in rules}
        rules = [
            rule
            for rule in candidates
            if all(literal.predicate in known or literal.predicate not in defined for literal in rule.body)
        ]
    return rules
