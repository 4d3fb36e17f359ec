"""Generating the rules of the space that can be of use, size after size (design: features and conjunctions).

A body splits into features that are independent given the example. `kernel.features` enumerates features with joins,
`kernel/choose/conjunctions.pxi` puts them together on bitsets; both prune by the swap lemma. This module sets them up
for a task and turns what they find into rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from maxsynth.kernel.choose import Conjunctions
from maxsynth.kernel.features import ENTRIES, FeatureSearch, Ties
from maxsynth.kernel.terms import Index
from maxsynth.logic.programs import Literal, Rule
from maxsynth.search.coverage import Pool
from maxsynth.search.kernel_bias import check_literals, check_types, kernel_bias
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory, index_bytes
from maxsynth.task.task import ReadTask

Stop = Callable[[], bool]

ROWS = 1 << 22  # of a table, at most: larger ones gain nothing from being in one piece
BYTES = 8  # for a value in a table: a vector that grows takes twice what is in it
TIE = 256  # one term near an example, at most, for so many bytes of the limit


class RuleGenerator:
    """All rules that may be in a best program, by size."""

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        without: Collection[str] = (),
        memory: Memory | None = None,
        tables: int | None = None,
        beam: int = 0,
        ties: Ties | None = None,
    ) -> None:
        bias = task.bias
        self.task = task
        self.memory = memory = memory or Memory()
        self.size = 0
        self.smallest = 0  # size of the smallest rule kept, 0 for none yet
        self.size_weight = size_weight
        self.most_body = bias.most_body
        check_literals(bias, bias.body)
        check_types(bias)
        language = kernel_bias(bias)
        graph_like = language.datalog and bias.head.arity > 1 and not bias.directions  # see *Ties* in the kernel
        if ties is None and graph_like and "ties" not in without:
            ties = self.make_ties(examples)
        self.ties = ties  # another generator for the same examples need not make them again
        self.features: FeatureSearch | None = FeatureSearch(
            language, without, examples.rows, examples.pos, examples.neg, size_weight, self._index,
            self.most_rows(tables), ties, beam, memory.claim,
        )  # fmt: skip
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
            beam,
            language.type_bits,
            memory.claim,
        )
        self.nodes: list[int] = []  # item -> the node of its feature
        self.last_counts: dict[str, int] = {}  # when it was released

    def make_ties(self, examples: WeighedExamples) -> Ties:
        bias = self.task.bias
        relations = [self.task.background.relation(predicate).rows for predicate in bias.body]
        # The pairs of neighbours, and the same in order.
        self.memory.claim(sum(16 * table.size * (table.shape[1] - 1) for table in relations if table is not None))
        longest = min(bias.max_body, bias.max_vars - bias.head.arity + 1)
        entries = ENTRIES if self.memory.limit is None else min(ENTRIES, self.memory.limit // TIE)
        return Ties(examples.rows, relations, longest, entries)

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
        self.features = self.conjunctions = None

    def _index(self, predicate: int, bound: tuple[int, ...]) -> Index:
        """The rows of a predicate by exactly these arguments, as the kernel looks them up."""
        relation = self.task.background.relation(self.task.bias.body[predicate])
        if relation.rows is not None and bound not in relation.indexes:
            self.memory.claim(index_bytes(relation.rows))
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
        return self.size >= self.most_body

    def keep_below(self, bound: int) -> None:
        """From now on, only rules of programs that cost less than this are asked for."""
        # Of the rules done with, those that were not kept are in no best program.
        smallest = self.smallest or self.size + 2
        assert self.features is not None
        self.features.keep_below(bound, self.size_weight * smallest)

    def next_size(self, should_stop: Stop | None = None) -> Pool | None:
        """The rules with one more body literal than before; None when it was stopped."""
        assert self.features is not None
        assert self.conjunctions is not None
        if not self.features.expand(should_stop):
            return None
        nodes, *parts = self.features.collect(self.conjunctions.safety_number)
        self.conjunctions.add_items(*parts)
        self.nodes += nodes
        if not self.conjunctions.expand(self.size + 1, should_stop):
            return None
        self.size += 1
        batch = Pool(*self.conjunctions.rules())
        if len(batch.numbers) and not self.smallest:
            self.smallest = self.size + 1
        return batch

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

    def rule(self, number: int) -> Rule:
        """The rule with this number."""
        bias = self.task.bias
        assert self.features is not None
        assert self.conjunctions is not None
        head = Literal(bias.head.name, tuple(range(bias.head.arity)))
        body, variables = [], bias.head.arity
        for item in self.conjunctions.parts(number):
            literals = self.features.literals_of(self.nodes[item])
            shift = variables - bias.head.arity
            for predicate, args in literals:
                moved = tuple(a if a < bias.head.arity else a + shift for a in args)
                variables = max(variables, *(a + 1 for a in moved))
                body.append(Literal(bias.body[predicate].name, moved))
        return Rule(head, tuple(body))
