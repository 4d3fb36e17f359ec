"""Generating the rules of the space that can be of use, size after size (design: features and conjunctions).

A body splits into features that are independent given the example. `kernel.features` enumerates features with joins,
`kernel/choose/conjunctions.pxi` puts them together on bitsets; both prune by the swap lemma. This module sets them up
for a task and turns what they find into rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.evaluated import NO_LIMIT
from maxsynth.kernel.choose import Conjunctions
from maxsynth.kernel.features import ENTRIES, FeatureSearch, Ties
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Constant, Literal, Rule
from maxsynth.logic.tested import TestWriter
from maxsynth.search.choose.prices import Prices
from maxsynth.search.coverage import Pool, words
from maxsynth.search.kernel_bias import (
    NumberTest,
    check_literals,
    check_types,
    kernel_bias,
    kernel_column,
    number_tests,
)
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

if TYPE_CHECKING:
    from maxsynth.search.choose.last_size import Improve
    from maxsynth.search.learned.numbers import Order
    from maxsynth.search.rules.elsewhere import Helpers

Stop = Callable[[], bool]

MANY = 1_000_000  # conjunctions of a size ...
MANY_TESTS = 400_000  # ... or features, where numbers are compared: a column has one for each two limits
PARTS = 6  # of a conjunction, at most, where there are so many
ROWS = 1 << 22  # of a table, at most: larger ones gain nothing from being in one piece
BYTES = 8  # for a value in a table: a vector that grows takes twice what is in it
FURTHER = 5  # times as far each time
LEAST_INDEXED = 100_000  # values, at least, for several threads to be worth it
LARGE = 62  # bits of a number, in the kernel
TIE = 256  # one term near an example, at most, for so many bytes of the limit


@dataclass(frozen=True)
class Look:
    """How far to look around: parts of each size to go on from, and what tables may take.

    `work` counts rows that are gone through. A table with more than `rows`, and more than `fanout` for each key, is
    left out: such a feature joins what has little to do with each other.
    """

    beam: int
    work: int
    rows: int
    fanout: int

    def further(self) -> Look:
        return Look(FURTHER * self.beam, FURTHER * self.work, FURTHER * self.rows, 2 * self.fanout)


class RuleGenerator:
    """All rules that may be in a best program, by size; or with a `look`, some of them."""

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        without: Collection[str] = (),
        memory: Memory | None = None,
        tables: int | None = None,
        look: Look | None = None,
        ties: Ties | None = None,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        bias = task.bias
        self.task = task
        self.memory = memory = memory or Memory()
        self.size = 0
        self.examples = examples
        self.size_weight = size_weight
        self.most_body = bias.most_body
        check_literals(bias, bias.body)
        check_types(bias)
        language = kernel_bias(bias)
        self.tests = number_tests(bias)
        self.numbers: Order | None = None
        if self.tests:
            from maxsynth.search.learned.numbers import Order  # what a task does not need is not loaded

            self.numbers = Order.of_task(task)
            language = language.ordered_by(self.numbers.place).with_columns(
                [kernel_column(task.background.relation(column).rows) for column in bias.learned.tested]
            )
        # See *Ties* in the kernel; a test would mention a head variable by itself.
        graph_like = language.datalog and bias.head.arity > 1 and not language.reading and not self.tests
        if ties is None and graph_like and "ties" not in without:
            ties = self.make_ties(examples)
        self.threads = threads
        self.ties = ties  # another generator for the same examples need not make them again
        row_limit, elsewhere = self.most_rows(tables), None
        if helpers is not None:
            reach = None if ties is None else self.reach_of_ties()
            elsewhere = helpers.for_search(task, examples, language, size_weight, tuple(without), row_limit, reach)
        self.features: FeatureSearch | None = FeatureSearch(
            language, without, examples.rows, examples.pos, examples.neg, size_weight, self._index,
            row_limit, ties, look.beam if look else 0, memory.claim,
            None if self.numbers is None else self.numbers.of, threads, self._make_indexes, elsewhere,
        )  # fmt: skip
        if look is not None:
            self.features.narrow(look.work, look.rows, look.fanout)
        self.conjunctions: Conjunctions | None = Conjunctions(
            len(examples.rows),
            examples.pos,
            examples.neg,
            size_weight,
            bias.max_body,
            bias.max_vars - bias.head.arity,
            language.needed,
            language.limits,
            without,
            look.beam if look else 0,
            language.type_bits,
            memory.claim,
            threads,
        )
        self.bound: int | None = None  # see `keep_below`
        self.prices: tuple[Prices, int] | None = None  # see `use_prices`
        self.nodes: list[int] = []  # item -> the node of its feature
        self.ends: list[int] = []  # size, from one on -> the items up to it
        self.wide_from: int | None = None  # the size at which `is_wide` said so, last
        self.on_rest: Callable[[], None] | None = None  # is called where all can be saved (`saved`)
        self.last_counts: dict[str, int] = {}  # when it was released

    def make_ties(self, examples: WeighedExamples) -> Ties:
        bias = self.task.bias
        relations = [self.task.background.relation(predicate).rows for predicate in bias.body]
        # The pairs of neighbours, and the same in order.
        self.memory.claim(sum(16 * table.size * (table.shape[1] - 1) for table in relations if table is not None))
        return Ties(examples.rows, relations, *self.reach_of_ties())

    def reach_of_ties(self) -> tuple[int, int]:
        """How long paths are, and how many terms near examples are kept."""
        bias = self.task.bias
        longest = min(bias.max_body, bias.max_vars - bias.head.arity + 1)
        return longest, ENTRIES if self.memory.limit is None else min(ENTRIES, self.memory.limit // TIE)

    def most_rows(self, tables: int | None) -> int:
        """Rows of a table, at most: there is one for each literal of a feature, and what each row was made of."""
        bias = self.task.bias
        if tables is None:
            rows = [self.task.background.relation(predicate).rows for predicate in bias.body]
            tables = self.memory.for_tables(sum(table.size for table in rows if table is not None))
        if tables is None:
            return ROWS
        return min(ROWS, max(1, tables // (BYTES * (bias.max_body * (bias.max_vars - bias.head.arity + 1) + 2))))

    def release(self) -> None:
        """Gives back what the search holds; what was counted is still known."""
        self.last_counts = self.counts()
        if self.features is not None:
            self.features.drop_ahead()
        self.features = self.conjunctions = None

    def _make_indexes(self, wanted: list[tuple[int, tuple[int, ...]]]) -> None:
        """Makes the indexes that will be asked for, several at a time, where tables are large."""
        if self.threads is None or self.threads.jobs == 1:
            return
        relations = [(self.task.background.relation(self.task.bias.body[number]), bound) for number, bound in wanted]
        missing = [
            (relation, relation.rows, bound)
            for relation, bound in relations
            if relation.rows is not None and relation.inputs is None and bound not in relation.indexes
            and not (len(bound) == 1 and relation.is_sparse(bound[0]))
        ]  # fmt: skip
        if sum(rows.size for _, rows, _ in missing) < LEAST_INDEXED or not self.threads.ready(large=True):
            return
        for relation, _, bound in missing:
            self.memory.claim(relation.index_bytes(bound))
        # The largest first: the small ones fill what time is left.
        missing.sort(key=lambda one: -one[1].size)
        self.threads.for_each([partial(relation.index, bound) for relation, _, bound in missing])

    def _index(self, predicate: int, bound: tuple[int, ...]) -> Index:
        """The rows of a predicate by exactly these arguments, as the kernel looks them up."""
        relation = self.task.background.relation(self.task.bias.body[predicate])
        if relation.rows is not None and bound not in relation.indexes:
            self.memory.claim(relation.index_bytes(bound))
        if len(bound) == 1 and relation.is_sparse(bound[0]):
            return relation.sparse_index(bound[0])
        index = relation.index(bound)
        assert index is not None
        if index.columns == bound:
            return index
        # A lazy predicate is asked by its inputs alone; what else is bound selects among the answers.
        places = [bound.index(column) for column in index.columns]
        others = [(column, place) for place, column in enumerate(bound) if column not in index.columns]

        if len(places) == len(others) == 1:  # nearly always, and asked very often
            ((column, place),), (given,) = others, places
            return Index(
                relation.predicate.arity,
                bound,
                ask=lambda key: [row for row in index.rows((key[given],)) if row[column] == key[place]],
            )

        def ask(key: tuple[int, ...]) -> list[tuple[int, ...]]:
            rows = index.rows(tuple([key[place] for place in places]))
            for column, place in others:
                rows = [row for row in rows if row[column] == key[place]]
            return rows

        return Index(relation.predicate.arity, bound, ask=ask)

    @property
    def exhausted(self) -> bool:
        """Whether there are no more rules, or none that may be in a program below the bound, which costs its size."""
        return self.size >= self.most_body or (
            self.bound is not None and self.size_weight * (self.size + 2) >= self.bound
        )

    def keep_below(self, bound: int) -> None:
        """From now on, only rules of programs that cost less than this are asked for."""
        self.bound = bound
        assert self.features is not None
        # A program costs as much as a rule of it at least.
        self.features.end_at(min(self.most_body, (bound - 1) // self.size_weight - 1))

    @property
    def narrowed(self) -> bool:
        """Whether something was left out so far, of what there would be without a `look`."""
        assert self.features is not None
        return self.features.narrowed

    def next_work(self) -> int:
        """About how many rows the next size will go through."""
        assert self.features is not None
        assert self.conjunctions is not None
        return self.features.next_work() + self.conjunctions.next_work(self.size + 1)

    def use_prices(self, prices: Prices, bound: int) -> None:
        """What is beside one of the next rules in a program costs these prices, and all costs less than the bound."""
        assert self.features is not None
        assert self.conjunctions is not None
        self.prices = prices, bound
        self.features.set_prices(prices.values, prices.others, prices.shift, bound)
        self.conjunctions.set_prices(prices.values, prices.others, prices.shift, bound)

    def next_size(self, should_stop: Stop | None = None) -> Pool | None:
        """The rules with one more body literal than before; None when it was stopped."""
        assert self.conjunctions is not None
        if not self.find_features(self.size + 1, should_stop) or not self.conjunctions.expand(
            self.size + 1, should_stop, self.on_rest
        ):
            return None
        self.size += 1
        return self.batch()

    def batch(self) -> Pool:
        """The rules of the last size."""
        assert self.conjunctions is not None
        return Pool(*self.conjunctions.rules())

    def find_features(self, size: int, should_stop: Stop | None) -> bool:
        """Finds the features with so many literals, when the smaller ones are known; False when it was stopped."""
        assert self.features is not None
        assert self.conjunctions is not None
        if self.features.size < size and not self.features.expand(should_stop, self.on_rest):
            return False
        if len(self.ends) < size:
            nodes, *parts = self.features.collect(self.conjunctions.safety_number)
            self.conjunctions.add_items(*parts)
            self.nodes += nodes
            self.ends.append(len(self.nodes))
            if self.on_rest is not None:
                self.on_rest()
        return True

    @property
    def can_be_priced(self) -> bool:
        """Whether `last_sizes` can be asked for."""
        return self.task.bias.max_body <= self.most_body <= PARTS

    def is_wide(self, should_stop: Stop | None) -> bool:
        """Whether there are so many rules of the next size that few can be kept: conjunctions, or pairs of tests."""
        assert self.conjunctions is not None
        tried = self.wide_from is not None
        if self.wide_from == self.size:
            return True
        if self.conjunctions.next_work(self.size + 1) > MANY * words(len(self.examples.pos)):
            self.wide_from = self.size
        elif self.tests and not tried and self.find_features(self.size + 1, should_stop):
            before = self.ends[self.size - 1] if self.size else 0
            if self.ends[self.size] - before > MANY_TESTS:
                self.wide_from = self.size
        return self.wide_from == self.size

    def last_sizes(
        self,
        known: Pool,
        bound: int,
        improve: Improve,
        raise_lower_bound: Callable[[int], None],
        should_stop: Stop | None,
    ) -> Pool | None:
        """All rules that a program below the bound may have, of all sizes; None when it was stopped, or for too many.

        `improve` is given good rules on the way, and the bound, and says what it then is; `raise_lower_bound` is told
        what any program costs at least.
        """
        from maxsynth.search.choose.last_size import LastSizes  # what a task does not need is not loaded

        assert self.conjunctions is not None
        if not all(self.find_features(size, should_stop) for size in range(self.size + 1, self.most_body + 1)):
            return None
        last = LastSizes(
            self.conjunctions,
            self.size + 1 if self.size < self.most_body else 1,
            self.most_body,
            self.examples,
            self.size_weight,
            self.memory,
            should_stop,
            improve,
            raise_lower_bound,
            self.task.bias.most != NO_LIMIT,
            self.threads,
        )
        if last.find(known, bound):
            self.size = self.most_body
        return last.pool

    @property
    def tested(self) -> int:
        """Features and conjunctions tested so far."""
        counts = self.counts()
        return counts["features_tested"] + counts["conjunctions_tested"]

    def counts(self) -> dict[str, int]:
        if self.features is None or self.conjunctions is None:
            return self.last_counts
        features, conjunctions = self.features.counts(), self.conjunctions.counts()
        return {
            "features": features["nodes"],
            "features_tested": features["tested"],
            "conjunctions": conjunctions["states"],
            "conjunctions_tested": conjunctions["tested"],
        }

    # -- saving ---------------------------------------------------------------------------------------------

    def mark(self) -> None:
        """Takes note of what there is, at a rest (`kernel/features/saved.pxi`)."""
        assert self.features is not None
        assert self.conjunctions is not None
        self.features.mark()
        self.conjunctions.mark()
        self.rested = self.size, len(self.nodes), len(self.ends), self.bound, self.wide_from, self.prices

    def go_on(self) -> None:
        """What was saved is written."""
        if self.features is not None:
            self.features.go_on()

    def state(self) -> dict[str, Any]:
        """All that there was at the last rest, to be written; then comes `go_on`."""
        assert self.features is not None
        assert self.conjunctions is not None
        size, nodes, ends, bound, wide_from, prices = self.rested
        return {
            "size": size,
            "nodes": np.array(self.nodes[:nodes], np.int64),
            "ends": self.ends[:ends],
            "bound": bound,
            "wide_from": wide_from,
            "prices": None if prices is None else [prices[0].values, prices[0].others, prices[0].shift, prices[1]],
            "features": self.features.state(),
            "conjunctions": self.conjunctions.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Makes a new generator what another one was; a `ValueError` where it cannot have been that."""
        assert self.features is not None
        assert self.conjunctions is not None
        if state["prices"] is not None:
            values, others, shift, bound = state["prices"]
            if values.shape != self.examples.pos.shape or values.dtype != np.int64 or not 0 <= shift < LARGE:
                raise ValueError("other prices")
            sums = (values.min(), others << shift, bound << shift, int(values.astype(object).sum()))
            if not all(0 <= number < 1 << LARGE for number in sums):
                raise ValueError("other prices")
            self.use_prices(Prices(values, others, shift), bound)
        self.features.restore(state["features"], len(self.task.background.store))
        self.conjunctions.restore(state["conjunctions"])
        self.size, self.bound, self.wide_from = state["size"], state["bound"], state["wide_from"]
        self.nodes, self.ends = state["nodes"].tolist(), state["ends"]
        within = all(0 < number <= self.features.counts()["nodes"] for number in self.nodes)
        rising = self.ends == sorted(self.ends) and all(isinstance(end, int) for end in self.ends)
        if not within or not rising or not 0 <= self.size <= self.most_body or len(self.ends) < self.size:
            raise ValueError("other features")
        if len(self.nodes) != self.conjunctions.item_count or self.ends[-1:] not in ([], [len(self.nodes)]):
            raise ValueError("other features")
        self.mark()

    def rules_of(self, numbers: NDArray[np.int64]) -> Pool:
        """Rules that were made before, by their numbers."""
        assert self.conjunctions is not None
        return Pool(*self.conjunctions.rules(numbers))

    # -- rules ----------------------------------------------------------------------------------------------

    def rule(self, number: int) -> Rule:
        """The rule with this number."""
        bias = self.task.bias
        assert self.features is not None
        assert self.conjunctions is not None
        head = Literal(bias.head.name, tuple(range(bias.head.arity)))
        body, variables = [], bias.head.arity
        tests: list[tuple[NumberTest, int, Constant]] = []  # of columns
        for item in self.conjunctions.parts(number):
            literals = self.features.literals_of(self.nodes[item])
            shown = iter(self.shown_numbers(self.nodes[item]))
            shift = variables - bias.head.arity
            for predicate, args in literals:
                moved = tuple(a if a < bias.head.arity else a + shift for a in args)
                variables = max(variables, *(a + 1 for a in moved))
                if predicate < len(bias.body):
                    body.append(Literal(bias.body[predicate].name, moved))
                else:
                    test = self.tests[predicate - len(bias.body)]
                    if test.column is None:
                        body.append(Literal(test.operator, (*moved, next(shown))))
                    else:
                        tests.append((test, moved[0], next(shown)))
        writer = TestWriter(variables)
        for test, thing, cut in tests:
            assert test.column is not None
            body += writer.literals(test.column, thing, test.operator, cut)
        return Rule(head, tuple(body))

    def shown_numbers(self, node: int) -> list[Constant]:
        """The numbers that the tests of a feature are shown with."""
        assert self.features is not None
        terms = self.features.numbers_of(node)
        if not terms or self.numbers is None:
            return []
        from maxsynth.search.learned.numbers import Shown, written

        value = self.numbers.numbers.value
        literals = self.features.literals_of(node)[-len(terms) :]
        operators = [self.tests[predicate - len(self.task.bias.body)].operator for predicate, _ in literals]
        keys, columns = self.features.rows_of(node)
        shown = Shown(keys, [[None if term < 0 else value(term) for term in column] for column in columns], operators)
        cuts = [number for term in terms if (number := value(term)) is not None]
        bounds = [self.task.bias.learned.bounds.get(operator) for operator in operators]
        return [written(number) for number in shown.rounded(cuts, bounds)]
