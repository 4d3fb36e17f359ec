"""Background knowledge as tables over interned terms.

A predicate of BK is a *relation*: a set of tuples of term ids, with an index for each set of bound arguments that
somebody asks for. Where the tuples come from depends on how BK defines the predicate:

- **facts** fill a table at once;
- **rules with a direction** are asked from a Prolog engine, in that direction only: the `in` arguments are given,
  all answers come back and are kept, so that an engine call happens once for an input, ever. What such a
  predicate means is fixed by that: `p(a,b)` holds when `b` is among the answers of `p(a,X)`;
- **rules without a direction** are enumerated once, by the engine, into a table (`undirected`);
- **comparisons and sums of numbers** that a program has and neither BK nor the bias declares are computed
  (`maxsynth.background.comparisons`);
- a predicate that **nothing defines** is an empty table: it is never true.

`close` goes further where it can: it applies directed predicates to all values of the right type until no new value
appears. A predicate closed in this way is a table like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.comparisons import Numbers
from maxsynth.background.purity import is_pure
from maxsynth.background.simple_clauses import MOST_CLAUSES, Answers, AskEngineError, simple_answers
from maxsynth.errors import EndlessProblem, Position, PrologProblem
from maxsynth.kernel.terms import Index, TermStore, distinct_rows
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.engine import Engine, StoppedAskingError
from maxsynth.prolog.terms import Term
from maxsynth.prolog.writer import atom_text

IDS_FOR_A_ROW, SPREAD = 16, 1 << 16  # ids may be so many more than rows in an index that has a place for each
CHECKED_TUPLES = 20_000  # how many tuples of known terms an undirected, impure predicate is tried on
UNTYPED = "any"
REMEDY = "correct it, or test the arguments first, or declare types in bias.pl"

AT_ONCE = 256  # calls between two looks whether to stop
FEW = 32  # calls that are simple, and so few that their answers need not be looked at one by one
MANY = 10_000  # answers between them
MOST_TERMS = 20_000_000  # that BK may make, beyond those in the files: some 700 MB
MOST_VALUES = 50_000_000  # in all answers together: 200 MB
CLOSING_SHARE = 10  # of that, at most one part goes into closing, which only saves time
CLOSING_STEPS = 10_000_000  # of the engine, from the first closing on
Rows = NDArray[np.int32]

__all__ = ["Background", "Relation", "StoppedAskingError", "Values"]


class Relation:
    """The tuples of one predicate. With `inputs`, only these may be given; the rest is answered, lazily.

    `meant` are the arguments that the predicate was written to be given: it works the other way round too when it is
    a table, but then may have very many rows (all lists whose tail is `[]`).
    """

    def __init__(
        self,
        predicate: Predicate,
        rows: Rows | None,
        inputs: tuple[int, ...] | None = None,
        meant: tuple[int, ...] = (),
    ) -> None:
        self.predicate = predicate
        self.rows = rows
        self.inputs = inputs
        self.meant = meant
        self.endless = False  # it is computed for whatever is asked: there is no use in closing it
        self.indexes: dict[tuple[int, ...], Index] = {}
        self.sparse_indexes: dict[tuple[int, ...], Index] = {}

    def index_bytes(self, columns: tuple[int, ...]) -> int:
        """What it takes to make an index of a table, about: the values are there three times for a moment."""
        if self.rows is None or not len(self.rows):
            return 0
        ids = int(self.rows[:, columns[0]].max()) if len(columns) == 1 and not self.is_sparse(columns[0]) else 0
        return 12 * self.rows.size + 40 * len(self.rows) + 12 * ids

    def is_sparse(self, column: int) -> bool:
        """Whether an array for all ids would be far larger than the rows that it is to find."""
        rows = self.rows
        return rows is not None and len(rows) > 0 and int(rows[:, column].max()) > IDS_FOR_A_ROW * len(rows) + SPREAD

    def sparse_index(self, column: int) -> Index:
        """An index by one column that takes no room for all ids."""
        if (column,) not in self.sparse_indexes:
            self.sparse_indexes[column,] = Index(self.predicate.arity, (column,), self.rows, sparse=True)
        return self.sparse_indexes[column,]

    def index(self, bound: Iterable[int]) -> Index | None:
        """The best index when these arguments are bound; None when a lazy relation needs others too."""
        columns = tuple(sorted(bound))
        if self.inputs is not None:
            return self.indexes[self.inputs] if set(self.inputs) <= set(columns) else None
        if columns not in self.indexes:
            self.indexes[columns] = Index(self.predicate.arity, columns, self.rows)
        return self.indexes[columns]


class Values:
    """Ids, in order of first sight."""

    def __init__(self) -> None:
        self.listed: list[int] = []
        self.known: set[int] = set()

    def update(self, ids: Iterable[int]) -> None:
        for number in ids:
            if number not in self.known:
                self.known.add(number)
                self.listed.append(number)


class Background:
    """The relations of one BK file, made as they are asked for."""

    def __init__(
        self,
        source: Consulted,
        engine: Engine,
        types: Mapping[Predicate, tuple[str, ...]] | None = None,
        directions: Mapping[Predicate, tuple[str, ...]] | None = None,
        remedy: str = REMEDY,
        declared: Collection[Predicate] = (),
    ) -> None:
        self.source = source
        self.store: TermStore = source.store
        self.engine = engine
        self.types = types or {}
        self.directions = directions or {}
        self.declared = declared  # by the bias: what BK or Prolog says of these is what they mean
        self.relations: dict[Predicate, Relation] = {}
        self._values: dict[str, Values] = {}
        self._to_learn: list[tuple[Predicate, Callable[[], Rows]]] = []  # where more values are
        self.notes: list[str] = []  # doubts about how a predicate was listed, for `maxsynth check`
        self.remedy = remedy  # for BK that raises
        self.should_stop: Callable[[], bool] | None = None  # asked between answers, of which there may be very many
        self.reached: Callable[[], bool] | None = None  # the same, within a call: this takes no step
        self.values_kept = 0  # in all answers so far
        self.closed_at: int | None = None  # the steps of the engine at which nothing more is closed, however often
        self.first_made: int | None = None  # the number of the first term that BK made
        self._built: dict[int, Term] = {}
        self._numbers: Numbers | None = None
        self.number_order: object = None  # what numbers are ordered by, once a search has found out; ...
        self.reach: object = None  # ... and which rows positives can meet
        self._simple: dict[tuple[Predicate, tuple[int, ...]], Answers | None] = {}

    def with_directions(self, directions: Mapping[Predicate, tuple[str, ...]]) -> Background:
        """The same BK for other directions. What is a table stays one; the rest is asked as these say."""
        if directions == self.directions:
            return self
        other = Background(self.source, self.engine, self.types, directions, self.remedy, self.declared)
        other.relations = {predicate: known for predicate, known in self.relations.items() if known.inputs is None}
        other._values, other._to_learn = self._values, self._to_learn
        other.notes = self.notes
        return other

    def close_engine(self) -> None:
        self.engine.close()

    def defines(self, predicate: Predicate) -> bool:
        """Whether BK, or the engine itself, defines the predicate."""
        key = (predicate.name, predicate.arity)
        return (
            self.is_built_in(predicate) or key in self.source or key in self.source.dynamic or self.engine.defines(*key)
        )

    def place(self, predicate: Predicate) -> Position:
        """Where the first rule of a predicate is."""
        rules = self.source.rules.get((predicate.name, predicate.arity))
        return rules[0][1].position if rules else Position(self.source.file)

    def is_table(self, predicate: Predicate) -> bool:
        """Whether facts alone define the predicate."""
        key = (predicate.name, predicate.arity)
        return key in self.source.tables and key not in self.source.rules

    def is_built_in(self, predicate: Predicate) -> bool:
        """Whether it is a comparison or a sum of numbers, which nobody defines."""
        if predicate not in BUILT_IN or predicate in self.declared:
            return False
        key = (predicate.name, predicate.arity)
        return key not in self.source and key not in self.source.dynamic

    def relation(self, predicate: Predicate) -> Relation:
        """The relation of a predicate."""
        if predicate not in self.relations:
            self.relations[predicate] = self._make(predicate)
        return self.relations[predicate]

    def _make(self, predicate: Predicate) -> Relation:
        key = (predicate.name, predicate.arity)
        if self.is_table(predicate):
            return Relation(predicate, distinct_rows(self.source.tables[key].rows()))
        if self.is_built_in(predicate):
            return self._built_in(predicate)
        if not self.engine.defines(*key):
            return Relation(predicate, np.zeros((0, predicate.arity), dtype=np.int32))
        modes = self.directions.get(predicate)
        if modes is None:
            return Relation(predicate, self.undirected(predicate))
        inputs = tuple(i for i, mode in enumerate(modes) if mode == "in")
        relation = Relation(predicate, None, inputs)
        relation.indexes[inputs] = Index(
            predicate.arity,
            inputs,
            ask=lambda row: self.ask(predicate, inputs, [row])[0],
            ask_all=lambda rows: self.each(predicate, inputs, rows),
        )
        return relation

    def _built_in(self, predicate: Predicate) -> Relation:
        self._numbers = self._numbers or Numbers(self.store)
        answers = self._numbers.answers(predicate)
        inputs = tuple(i for i, mode in enumerate(BUILT_IN[predicate]) if mode == "in")
        relation = Relation(predicate, None, inputs)
        relation.endless = True
        relation.indexes[inputs] = Index(predicate.arity, inputs, ask=answers, ask_all=lambda rows: map(answers, rows))
        return relation

    # -- asking the engine ----------------------------------------------------------------------------------

    @contextmanager
    def watched_by(self, reached: Callable[[], bool]) -> Iterator[None]:
        """Lets every call end when this says so, however long the call takes."""
        before = self.should_stop
        self.should_stop = self.reached = reached
        self.engine.watch(reached)
        try:
            yield
        finally:
            self.should_stop, self.reached = before, None
            self.engine.watch(None)

    @contextmanager
    def counted_by(self, step: Callable[[], bool]) -> Iterator[None]:
        """Lets every batch of calls take a step of a search, and end when that says so."""
        before, self.should_stop = self.should_stop, step
        try:
            yield
        finally:
            self.should_stop = before

    def ask(
        self, predicate: Predicate, inputs: tuple[int, ...], rows: list[tuple[int, ...]]
    ) -> list[list[tuple[int, ...]]]:
        """For each row of inputs the distinct tuples of the predicate that have them, in the engine's order."""
        return list(self.each(predicate, inputs, rows))

    def each(
        self, predicate: Predicate, inputs: tuple[int, ...], rows: list[tuple[int, ...]]
    ) -> Iterable[list[tuple[int, ...]]]:
        """As `ask`, row after row: who puts the tuples away needs no room for all of them at once."""
        if self.first_made is None:
            self.first_made = len(self.store)
        simple = self.simple(predicate, inputs)
        if simple is not None and len(rows) <= FEW:
            self.look(self.should_stop)
            try:
                answered = [simple(row) for row in rows]
            except AskEngineError:
                pass
            else:
                self.keep(predicate, sum(map(len, answered)))
                return answered
        return self.one_by_one(predicate, inputs, rows, simple)

    def one_by_one(
        self, predicate: Predicate, inputs: tuple[int, ...], rows: list[tuple[int, ...]], simple: Answers | None
    ) -> Iterator[list[tuple[int, ...]]]:
        done = 0
        while done < len(rows):
            self.look(self.should_stop)
            batch = rows[done : done + AT_ONCE]
            if simple is not None:
                if answered := self.simply(simple, batch):
                    self.keep(predicate, sum(map(len, answered)))
                    done += len(answered)
                    yield from answered
                    continue
                batch = batch[:1]
            many = 0
            for tuples in self.solve(predicate, inputs, batch):
                self.keep(predicate, len(tuples))
                done += 1
                yield tuples
                many += len(tuples)
                if many > MANY:
                    many = 0
                    self.look(self.should_stop)

    @staticmethod
    def look(should_stop: Callable[[], bool] | None) -> None:
        if should_stop is not None and should_stop():
            raise StoppedAskingError

    def simply(self, simple: Answers, rows: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
        """The tuples for the first rows, up to one that only the engine can answer, or that makes very many terms."""
        answered = []
        most = len(self.store) + MANY
        try:
            for row in rows:
                answered.append(simple(row))
                if len(self.store) > most:
                    break
        except AskEngineError:
            pass
        return answered

    def solve(
        self, predicate: Predicate, inputs: tuple[int, ...], rows: list[tuple[int, ...]]
    ) -> Iterator[list[tuple[int, ...]]]:
        """The tuples for the first rows, as many as the engine answers at once."""
        if len(self._built) > 1_000_000:
            self._built.clear()
        terms = [tuple(self.store.term(known, self._built) for known in row) for row in rows]
        try:
            solved = self.engine.solve(predicate.name, predicate.arity, inputs, terms)
        except PrologProblem as problem:
            problem.at(self.place(predicate), "" if isinstance(problem, EndlessProblem) else self.remedy)
            raise
        outputs = [i for i in range(predicate.arity) if i not in inputs]
        for row, answers in zip(rows, solved, strict=False):
            found: dict[tuple[int, ...], None] = {}
            for number, answer in enumerate(answers, 1):
                if number % MANY == 0:
                    self.look(self.reached)
                whole = [0] * predicate.arity
                for position, known in zip(inputs, row, strict=True):
                    whole[position] = known
                for position, value in zip(outputs, answer, strict=True):
                    whole[position] = self.store.intern(value)
                found[tuple(whole)] = None
            yield list(found)

    def keep(self, predicate: Predicate, tuples: int) -> None:
        """Counts what answers take, which has a limit, although each of them alone is within its own."""
        self.values_kept += tuples * predicate.arity
        if self.values_kept > MOST_VALUES or self.terms_made > MOST_TERMS:
            what = "answers" if self.values_kept > MOST_VALUES else "terms"
            raise EndlessProblem(
                f"BK gave more {what} than there is room for ({MOST_VALUES:,} values, {MOST_TERMS:,} terms), "
                f"the last ones of {predicate}",
                self.place(predicate),
                "let it have fewer answers, or smaller ones",
            )

    @property
    def terms_made(self) -> int:
        """How many terms BK made that are not in the files."""
        return 0 if self.first_made is None else len(self.store) - self.first_made

    def simple(self, predicate: Predicate, inputs: tuple[int, ...]) -> Answers | None:
        """What answers a predicate that needs no engine."""
        asked = predicate, inputs
        if asked not in self._simple:
            key = (predicate.name, predicate.arity)
            rules = self.source.rules.get(key, ())
            own = ("append", 3) in self.source or key in self.source.tables or key in self.source.dynamic
            clauses = [clause for _, clause in rules] if len(rules) <= MOST_CLAUSES and not own else []
            self._simple[asked] = simple_answers(clauses, inputs, self.store)
        return self._simple[asked]

    def undirected(self, predicate: Predicate) -> Rows:
        """All tuples of a predicate that has rules but no direction.

        The engine is asked with no argument given. That gives every tuple when the rules are pure (conjunctions of
        pure predicates with safe variables). A rule such as `small(X) :- number(X), X < 3.` has answers only when
        X is given: so an impure predicate is also tried on the tuples of known terms, where these are few enough.
        """
        try:
            found = dict.fromkeys(self.ask(predicate, (), [()])[0])
            problem = None
        except EndlessProblem as error:
            raise self.cannot_list(predicate, error) from None
        except PrologProblem as error:
            found, problem = {}, error
        pure = problem is None and is_pure(self.source, predicate)
        domains = [self.domain(predicate, i) for i in range(predicate.arity)]
        if not pure and prod(map(len, domains)) <= CHECKED_TUPLES:
            rows = list(product(*domains))
            everything = tuple(range(predicate.arity))
            for tuples in self.ask(predicate, everything, rows):
                found.update(dict.fromkeys(tuples))
        elif problem is not None:
            raise self.cannot_list(predicate, problem) from None
        elif not pure:
            self.notes.append(
                f"{predicate} has no direction and is listed by calling it with no argument given, which may miss "
                "tuples where its rules test or compute (give it a direction)"
            )
        return np.array(list(found), dtype=np.int32).reshape(len(found), predicate.arity)

    def cannot_list(self, predicate: Predicate, problem: PrologProblem) -> PrologProblem:
        modes = ",".join(["in", *["out"] * (predicate.arity - 1)]) + ("," if predicate.arity == 1 else "")
        remedy = f"say in bias.pl which arguments are given, such as direction({atom_text(predicate.name)},({modes}))."
        if isinstance(problem, EndlessProblem):
            what, remedy = "has no direction, and there is no end to listing its answers", f"bound them, or {remedy}"
        else:
            what = "cannot be listed without knowing its arguments"
        return PrologProblem(f"{predicate} {what}: {problem.message}", problem.position, remedy)

    # -- values and closing ---------------------------------------------------------------------------------

    def type_of(self, predicate: Predicate, position: int) -> str:
        declared = self.types.get(predicate)
        return declared[position] if declared else UNTYPED

    def learn_values(self, predicate: Predicate, rows: Rows) -> None:
        """Takes the terms in `rows` (of examples, say) as known values of the predicate's types."""
        self._to_learn.append((predicate, lambda: rows))

    def learn_facts(self) -> None:
        """Takes the terms in BK's facts as known values. Facts of predicates without a type count as untyped."""
        for name, arity in self.source.tables:
            if arity:
                self._to_learn.append((Predicate(name, arity), self.source.tables[name, arity].rows))

    @property
    def values(self) -> dict[str, Values]:
        """For each type the ids known to have it. Only predicates with rules need them: elsewhere nobody asks, and
        the time and the room to list them are saved."""
        if not self._values and not self._to_learn:
            self.learn_facts()
        for predicate, rows in self._to_learn:
            table = rows()
            for position in range(predicate.arity):
                known = self._values.setdefault(self.type_of(predicate, position), Values())
                ordered = np.sort(table[:, position])  # `np.unique` would have to be loaded, for longer than this takes
                known.update(ordered[np.diff(ordered, prepend=-1) > 0].tolist())
        self._to_learn.clear()
        return self._values

    def domain(self, predicate: Predicate, position: int) -> list[int]:
        known = self.values.get(self.type_of(predicate, position))
        return known.listed if known else []

    def close(
        self,
        predicates: Iterable[Predicate],
        budget: int = 200_000,
        rounds: int = 20_000,
        should_stop: Callable[[], bool] | None = None,
    ) -> set[Predicate]:
        """Applies directed predicates to all known values until nothing new appears; returns those now closed.

        `budget` bounds the engine calls, `rounds` how often new values may lead to new ones; the engine's steps and the
        room for answers are bounded too. A predicate that needs more stays lazy, and so does every one whose inputs
        have a type that a lazy one can still make new values of. A call that fails with an error is left for whoever
        really needs it: its predicate stays lazy.
        """
        open_ones = [p for p in dict.fromkeys(predicates) if self.relation(p).inputs is not None]
        if self.closed_at is None:
            self.closed_at = self.engine.spent + CLOSING_STEPS
        lazy = {p for p in open_ones if self.relation(p).endless}
        asked: dict[Predicate, list[tuple[int, ...]]] = {p: [] for p in open_ones}
        known = {p: [0] * len(self.relation(p).inputs or ()) for p in open_ones}  # values of each input asked for
        progress = True
        while progress:
            progress = False
            rounds -= 1
            for predicate in open_ones:
                if predicate in lazy:
                    continue
                if should_stop is not None and should_stop():
                    return set()
                fresh = self._fresh_inputs(predicate, known[predicate], len(asked[predicate]), budget)
                if fresh is None or (fresh and rounds < 0) or not self._ask_all(predicate, fresh):
                    lazy.add(predicate)
                    continue
                budget -= len(fresh)
                asked[predicate] += fresh
                progress = progress or bool(fresh)
        closed = self._closed(open_ones, lazy)
        for predicate in closed:
            relation = self.relation(predicate)
            inputs = relation.inputs or ()
            rows = [row for key in asked[predicate] for row in relation.indexes[inputs].rows(key)]
            table = np.array(rows, dtype=np.int32).reshape(len(rows), predicate.arity)
            self.relations[predicate] = Relation(predicate, distinct_rows(table), meant=inputs)
        return closed

    def _fresh_inputs(
        self, predicate: Predicate, known: list[int], asked: int, budget: int
    ) -> list[tuple[int, ...]] | None:
        """Inputs of known values not asked before, which `known` then counts; None for more than the budget."""
        inputs = self.relation(predicate).inputs or ()
        domains = [self.domain(predicate, position) for position in inputs]
        if prod(map(len, domains)) - asked > budget:
            return None
        if not inputs:
            return [] if asked else [()]
        fresh: list[tuple[int, ...]] = []
        # Those whose first new value is at a given place: old ones before it, any after it.
        for place in range(len(inputs)):
            if known[place] < len(domains[place]):
                before = [domain[:count] for domain, count in zip(domains[:place], known, strict=False)]
                fresh += product(*before, domains[place][known[place] :], *domains[place + 1 :])
        known[:] = [len(domain) for domain in domains]
        return fresh

    def _ask_all(self, predicate: Predicate, fresh: list[tuple[int, ...]]) -> bool:
        relation = self.relation(predicate)
        inputs = relation.inputs or ()
        index = relation.indexes[inputs]
        unknown = [row for row in fresh if not index.knows(row)]
        most_values, most_steps = MOST_VALUES // CLOSING_SHARE, self.closed_at or 0
        most_terms = len(self.store) - self.terms_made + MOST_TERMS // CLOSING_SHARE
        try:
            for row, tuples in zip(unknown, self.each(predicate, inputs, unknown), strict=True):
                index.put(row, tuples)
                if self.values_kept > most_values or len(self.store) > most_terms or self.engine.spent > most_steps:
                    return False
        except PrologProblem:
            return False
        for row in fresh:
            tuples = index.rows(row)
            if tuples:
                self.learn_values(predicate, np.array(tuples, dtype=np.int32))
        return True

    def _closed(self, open_ones: list[Predicate], lazy: set[Predicate]) -> set[Predicate]:
        """Those whose input types no lazy predicate can add to."""
        while True:
            growing = {
                self.type_of(p, i) for p in lazy for i in range(p.arity) if i not in (self.relation(p).inputs or ())
            }
            reached = {
                p
                for p in open_ones
                if p not in lazy and any(self.type_of(p, i) in growing for i in self.relation(p).inputs or ())
            }
            if not reached:
                return {p for p in open_ones if p not in lazy}
            lazy |= reached
