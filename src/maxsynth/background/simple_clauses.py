"""Predicates of BK that are simple enough to be answered without a Prolog engine, many times as fast.

These are defined by a few clauses that take terms apart, put terms together, compare integers, test types and append
lists, such as

    tail([_|T],T).
    geq(A,B) :- integer(A), integer(B), A >= B.
    cons1(A,B,C) :- append(A,[B],C).

Asked with its inputs given, such a predicate is a few look-ups among interned terms. Everything else, and a call that
would be an error or that leaves an answer open, is left to the engine.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from maxsynth.background.purity import variables
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.clauses import Clause
from maxsynth.prolog.terms import TRUE, Struct, Term, Var

MOST_CLAUSES = 8

Row = tuple[int, ...]
Values = dict[int, int]  # id of a Var -> the term it stands for
Test = Callable[[Values], bool]
Answers = Callable[[Row], list[Row]]

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<": operator.lt, "=<": operator.le, "=:=": operator.eq, "=\\=": operator.ne,
}  # fmt: skip


class AskEngineError(Exception):
    """A call that only the engine can answer, or whose error it must explain."""


class _NotSimpleError(Exception):
    pass


def simple_answers(clauses: Sequence[Clause], inputs: Row, store: TermStore) -> Answers | None:
    """What gives all tuples of the predicate that have the given inputs; None where the clauses are not simple."""
    if not 0 < len(clauses) <= MOST_CLAUSES:
        return None
    try:
        compiled = [_Compiler(clause, inputs, store).compile() for clause in clauses]
    except _NotSimpleError:
        return None

    if len(compiled) == 1:
        only = compiled[0]
        return lambda row: [] if (found := only(row)) is None else [found]
    return lambda row: list(dict.fromkeys(found for clause in compiled if (found := clause(row)) is not None))


class _Compiler:
    """One clause, for one set of inputs."""

    def __init__(self, clause: Clause, inputs: Row, store: TermStore) -> None:
        if not isinstance(clause.head, Struct):
            raise _NotSimpleError
        self.args = clause.head.args
        self.body = clause.body
        self.inputs = inputs
        self.store = store
        self.bound = {id(var) for i in inputs for var in variables(self.args[i])}

    def compile(self) -> Callable[[Row], Row | None]:
        if (taken_apart := self.parts()) is not None:
            return taken_apart
        matches = [self.matcher(self.args[i]) for i in self.inputs]
        tests = [self.goal(goal) for goal in goals(self.body)]
        makers = [None if i in self.inputs else self.maker(arg) for i, arg in enumerate(self.args)]

        given = [self.args[i] for i in self.inputs]
        names = [id(arg) for arg in given]
        if all(isinstance(arg, Var) for arg in given) and len(set(names)) == len(names):
            matches = []  # variables match anything: their values are the row
        else:
            names = []
        places = [(self.inputs.index(i) if make is None else -1, make) for i, make in enumerate(makers)]

        def answer(row: Row) -> Row | None:
            values: Values = dict(zip(names, row, strict=False))
            for match, known in zip(matches, row, strict=False):
                if not match(known, values):
                    return None
            for test in tests:
                if not test(values):
                    return None
            return tuple([row[place] if make is None else make(values) for place, make in places])

        return answer

    def parts(self) -> Callable[[Row], Row | None] | None:
        """The most common case, made fast: a compound is given, and the answer is one of its arguments."""
        if self.body is not TRUE or self.inputs != (0,) or len(self.args) != 2:
            return None
        whole, part = self.args
        if not isinstance(whole, Struct) or not all(isinstance(arg, Var) for arg in whole.args):
            return None
        places = [place for place, arg in enumerate(whole.args) if arg is part]
        if len(places) != 1 or len({id(arg) for arg in whole.args}) < len(whole.args):
            return None
        argument, functor = self.store.argument, self.store.functor(whole.name, len(whole.args))
        place = places[0]

        def answer(row: Row) -> Row | None:
            found = argument(row[0], functor, place)
            return None if found < 0 else (row[0], found)

        return answer

    def matcher(self, pattern: Term) -> Callable[[int, Values], bool]:
        """Whether a term is an instance of the pattern, with these values of variables; sets those that are new."""
        if isinstance(pattern, Var):
            key = id(pattern)
            return lambda known, values: values.setdefault(key, known) == known
        if isinstance(pattern, Struct):
            parts_of, functor = self.store.parts, (pattern.name, len(pattern.args))
            inner = [self.matcher(arg) for arg in pattern.args]

            def match(known: int, values: Values) -> bool:
                parts = parts_of(known)
                if parts is None or (parts[0], len(parts[1])) != functor:
                    return False
                return all(part(arg, values) for part, arg in zip(inner, parts[1], strict=True))

            return match
        wanted = self.store.intern(pattern)
        return lambda known, values: known == wanted

    def maker(self, pattern: Term) -> Callable[[Values], int]:
        """Puts a term together from the values of its variables, which must be bound by then."""
        if isinstance(pattern, Var):
            key = id(pattern)
            if key not in self.bound:
                raise _NotSimpleError
            return lambda values: values[key]
        if isinstance(pattern, Struct):
            make, name = self.store.make, pattern.name
            inner = [self.maker(arg) for arg in pattern.args]
            return lambda values: make(name, tuple([part(values) for part in inner]))
        constant = self.store.intern(pattern)
        return lambda values: constant

    # -- goals ----------------------------------------------------------------------------------------------

    def goal(self, goal: Term) -> Test:
        if isinstance(goal, Struct):
            if goal.name in ("nonvar", "integer") and len(goal.args) == 1:
                value = self.maker(goal.args[0])
                return (lambda values: True) if goal.name == "nonvar" else self.is_integer(value)
            if goal.name in COMPARISONS and len(goal.args) == 2:
                return self.comparison(goal)
            if goal.name == "append" and len(goal.args) == 3:
                return self.append(*goal.args)
        raise _NotSimpleError

    def is_integer(self, value: Callable[[Values], int]) -> Test:
        store = self.store
        return lambda values: not store.is_compound(known := value(values)) and type(store.term(known)) is int

    def comparison(self, goal: Struct) -> Test:
        holds = COMPARISONS[goal.name]
        if any(isinstance(arg, Struct) for arg in goal.args):
            raise _NotSimpleError  # arithmetic
        left, right = self.number(goal.args[0]), self.number(goal.args[1])
        return lambda values: holds(left(values), right(values))

    def number(self, arg: Term) -> Callable[[Values], int]:
        value, store = self.maker(arg), self.store

        def number(values: Values) -> int:
            known = value(values)
            term = None if store.is_compound(known) else store.term(known)
            if type(term) is not int:
                raise AskEngineError
            return term

        return number

    def append(self, first: Term, second: Term, whole: Term) -> Test:
        """append/3 of the library, with two lists given."""
        front, back = self.maker(first), self.maker(second)
        if not isinstance(whole, Var):
            raise _NotSimpleError
        key, joined = id(whole), self.store.append
        self.bound.add(key)

        def append(values: Values) -> bool:
            made = joined(front(values), back(values))
            return made >= 0 and values.setdefault(key, made) == made

        return append


def goals(body: Term) -> Iterator[Term]:
    """The goals of a conjunction, in order."""
    todo = [body]
    while todo:
        goal = todo.pop()
        if isinstance(goal, Struct) and goal.name == "," and len(goal.args) == 2:
            todo += reversed(goal.args)
        elif goal is not TRUE:
            yield goal
