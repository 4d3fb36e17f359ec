"""Which constants enough positives can meet: with the others, no rule pays.

A rule with the literal p(X,c) covers a positive only if it leads from the example to a row of p that has c. With
directions, it leads from what is given to what is answered: a row can be met if its inputs are among the head's, or
answers of rows that can be met, after no more steps than a body has literals. So if the positives that can meet c
weigh no more than the smallest rule, every rule with that literal is dead (`kernel/features.pyx`), and c need not be
spelled out: a million constants that few positives meet cost nothing but this look at each example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxsynth.background.background import Background, Relation
from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate
from maxsynth.search.weighing import WeighedExamples

Row = tuple[int, ...]

MOST_WORK = 3_000_000  # rows that are looked at; what would take more is not left out
SMALLEST = 2  # literals of a rule, the head counted


class Support:
    """What the positives can meet. It is not looked at where a rule may come by other terms, or need not pay: without
    directions, with sums, where a program may call itself, and where one with fewer rules may not be allowed."""

    def __init__(self, bias: Bias, background: Background, examples: WeighedExamples, size_weight: int) -> None:
        self.bias, self.background, self.examples = bias, background, examples
        self.least = SMALLEST * size_weight
        self.work = 0
        self.met: dict[Predicate, dict[Row, int]] | None = None

    def of(self, predicate: Predicate, places: Sequence[int], constants: Row) -> bool:
        """Whether enough positives can meet these constants at these places of a predicate."""
        if self.met is None:
            self.met = self.look() or {}
        weights = self.met.get(predicate)
        if weights is None:
            return True
        key = tuple(constants[places.index(place)] if place in places else -1 for place in range(predicate.arity))
        return weights.get(key, 0) > self.least

    def look(self) -> dict[Predicate, dict[Row, int]] | None:
        bias = self.bias
        if not bias.directions or bias.recursion or bias.invention or bias.learned.sums or not bias.hold_of_less:
            return None
        relations = [(predicate, self.background.relation(predicate)) for predicate in bias.body]
        if any(relation.inputs is not None for _, relation in relations):
            return None  # what is asked for as it is needed may have no end
        wanted = {
            predicate: [i for i in range(predicate.arity) if bias.learned.constant_at(predicate, i, bias.types)]
            for predicate in bias.body
        }
        met: dict[Predicate, dict[Row, int]] = {predicate: {} for predicate, places in wanted.items() if places}
        given = [i for i, mode in enumerate(bias.directions[bias.head]) if mode == "in"]
        for row, weight in zip(self.examples.rows.tolist(), self.examples.pos.tolist(), strict=True):
            if not weight:
                continue
            seen: dict[Predicate, set[Row]] = {predicate: set() for predicate in met}
            for predicate, found in self.reached({row[i] for i in given}, relations):
                if predicate in seen:
                    seen[predicate].update(patterns(found, wanted[predicate]))
            if self.work > MOST_WORK:
                return None
            for predicate, keys in seen.items():
                for key in keys:
                    met[predicate][key] = met[predicate].get(key, 0) + weight
        return met

    def reached(self, known: set[int], relations: list[tuple[Predicate, Relation]]) -> Iterator[tuple[Predicate, Row]]:
        """The rows that can be met from these terms."""
        met: set[tuple[Predicate, Row]] = set()
        for _ in range(self.bias.max_body):
            more: set[int] = set()
            for predicate, relation in relations:
                for row in self.rows(predicate, relation, known):
                    self.work += 1
                    if (predicate, row) not in met:
                        met.add((predicate, row))
                        more.update(row)
                        yield predicate, row
                if self.work > MOST_WORK:
                    return
            if more <= known:
                return
            known = known | more

    def rows(self, predicate: Predicate, relation: Relation, known: set[int]) -> Iterator[Row]:
        """The rows of a predicate one of whose inputs is known. What may be a constant need not be."""
        bias = self.bias
        inputs = [
            i
            for i, mode in enumerate(bias.directions[predicate])
            if mode == "in" and not bias.learned.constant_at(predicate, i, bias.types)
        ]
        if not inputs:
            index = relation.index(())
            assert index is not None
            yield from index.rows(())
            return
        for place in inputs:
            index = relation.index((place,))
            assert index is not None
            for term in known:
                yield from index.rows((term,))


def patterns(row: Row, places: Sequence[int]) -> Iterator[Row]:
    """A row with constants at some of these places, at least one, and -1 for variables."""
    for chosen in range(1, 1 << len(places)):
        kept = {place for bit, place in enumerate(places) if chosen >> bit & 1}
        if len(kept) < len(row):
            yield tuple(value if place in kept else -1 for place, value in enumerate(row))
