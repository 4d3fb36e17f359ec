"""How much clingo would have to do for a bias, bounded from above before it is asked to.

Grounding may take forever, or all memory. So directives must not be recursive; the instances of each rule are
bounded by the product of the extensions of its literals, of its ranges and pools, and the sum over all rules is
limited (`MAX_INSTANCES`); and so is the growth of terms. How many program atoms the search will have is not known
here: one of each is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter

from maxsynth.bias.statements import Statement, compounds, computes, variables_in
from maxsynth.errors import MaxSynthError, Position
from maxsynth.logic.predicates import Predicate

MAX_INSTANCES = 1_000_000
MAX_GROWTH = 10_000


class Bounds:
    """Bounds on the atoms of each predicate and on the instances of all rules that were counted so far."""

    def __init__(self, file: str, most: int = MAX_INSTANCES, extension: Mapping[Predicate, int] | None = None) -> None:
        self.file = file
        self.most = most
        self.total = 0
        self.extension = dict(extension or {})  # what is known of predicates from elsewhere

    def check(self, now: Sequence[Statement], later: Sequence[Statement]) -> None:
        """Refuse too many instances, of statements that have a meaning now and of those left to the search."""
        defining: dict[Predicate, list[Statement]] = {}
        for statement in now:
            for head in statement.heads:
                defining.setdefault(head, []).append(statement)
        for predicate in self._order(defining):
            self.extension[predicate] = sum(self._count(statement) for statement in defining.get(predicate, ()))
        for statement in now:
            if not statement.heads:
                self._count(statement)
        for statement in later:
            self._count(statement)
            builds = computes(statement.node) or compounds(statement.node)
            if builds and _recursive(statement, later):
                raise self._error(
                    statement.line, "a recursive rule that builds new terms may never end", "count with a range"
                )

    def check_terms(self, statements: Sequence[Statement], used: Set[Predicate]) -> None:
        """A chain of rules such as `q(f(X,X)) :- p(X).` doubles a term at each step: refuse long ones."""
        growth = 1
        for statement in statements:
            if statement.fact is None and any(head in used for head in statement.heads):
                for compound in compounds(statement.node):
                    growth *= max(2, variables_in(compound))
                    if growth > MAX_GROWTH:
                        raise self._error(
                            statement.line, "too many rules build terms for other rules", "write their facts out"
                        )

    def _order(self, defining: Mapping[Predicate, Sequence[Statement]]) -> list[Predicate]:
        """The predicates, each after those that it depends on."""
        graph = {head: [p for s in rules for p in s.body] for head, rules in defining.items()}
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError as problem:
            cycle: list[Predicate] = problem.args[1]
            line = min(s.line for p in cycle for s in defining.get(p, ()) if s.body)
            raise self._error(
                line, f"{min(cycle)} depends on itself", "write its facts out; directives cannot be recursive"
            ) from None

    def _count(self, statement: Statement) -> int:
        """At most so many instances has this statement."""
        count = statement.instances
        for predicate in statement.positive:
            count *= max(1, self.extension.get(predicate, 1))
            if count > self.most:
                break
        self.total += count
        if self.total > self.most:
            raise self._error(
                statement.line,
                f"the rules up to this one may have more than {self.most:,} instances",
                "narrow their ranges or join fewer literals",
            )
        return count

    def _error(self, line: int, message: str, remedy: str) -> MaxSynthError:
        return MaxSynthError(message, Position(self.file, line), remedy)


def _recursive(statement: Statement, later: Sequence[Statement]) -> bool:
    seen: set[Predicate] = set()
    pending = list(statement.body)
    while pending:
        predicate = pending.pop()
        if predicate not in seen:
            seen.add(predicate)
            pending.extend(p for s in later if predicate in s.heads for p in s.body)
    return any(head in seen for head in statement.heads)
