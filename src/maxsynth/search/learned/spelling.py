"""A task with constants spelled out: for each way to put constants into a literal, a predicate of its own.

`color(B,red)` becomes a predicate of one argument, with those rows of `color` that have `red`. So every search,
whatever it does with predicates, does it with these too; nothing in it knows about constants. A program is written with
the literals that are meant (`Spelled.written`) when it leaves the search.

Which constants: those that the rows of a predicate have at a place, as the others make a literal that nothing
satisfies. Comparisons and sums of variables are predicates as they are. Comparisons with a learned number are left to
the search, or are spelled out as well, one for each value of a type: any other number between two values parts them
alike. Or they are left open: a predicate that any number satisfies stands for all of them (`programs.open_numbers`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, combinations

import numpy as np

from maxsynth.background.background import UNTYPED, Background, Relation
from maxsynth.background.comparisons import HOLDS, Numbers
from maxsynth.bias.bias import Bias
from maxsynth.bias.learned import AT_LEAST, AT_MOST, Learned
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import Index, distinct_rows
from maxsynth.logic.comparisons import BUILT_IN, SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant
from maxsynth.logic.round_numbers import round_number
from maxsynth.prolog.writer import term_text
from maxsynth.search.learned.numbers import written
from maxsynth.search.learned.spelled import OPEN, Filled, Spelled
from maxsynth.search.learned.support import Support
from maxsynth.task.task import ReadTask

Row = tuple[int, ...]


class Numbered(Enum):
    """What becomes of comparisons with a learned number."""

    LEFT = "left to the search"
    SPELLED = "spelled out"
    OPEN = "left open"


def spell_out(task: ReadTask, numbered: Numbered, support: Support | None = None) -> Spelled:
    """The task with constants spelled out, or those that have enough support.

    BK is asked for all tuples that it has, as far as it can be closed.
    """
    learned = task.bias.learned
    if not learned:
        return Spelled(task, {})
    meaning: dict[Predicate, Filled] = {}
    types, directions = dict(task.bias.types), dict(task.bias.directions)

    def add(filled: Filled, names: Sequence[str] | None, modes: Sequence[str] | None) -> None:
        meaning[filled.predicate] = filled
        if names is not None:
            types[filled.predicate] = tuple(names[place] for place in filled.left)
        if modes is not None and task.bias.directions:
            directions[filled.predicate] = tuple(modes[place] for place in filled.left)

    for filled, relation in with_constants(task, support):
        task.background.relations[filled.predicate] = relation
        add(filled, types.get(filled.base), directions.get(filled.base))
    for column in learned.tested:
        check_column(task, column)
    if numbered is not Numbered.LEFT:
        for filled, relation in with_tested_columns(task):
            assert filled.column is not None
            task.background.relations[filled.predicate] = relation
            add(filled, types[filled.column][:1], directions.get(filled.column, ("in",))[:1])
        for filled, relation in with_numbers(task) if numbered is Numbered.SPELLED else with_open_numbers(task):
            task.background.relations[filled.predicate] = relation
            add(filled, (filled.type, filled.type), BUILT_IN[filled.base])
    between = list(on_variables(learned))
    for filled in between:
        task.background.relations[filled.predicate] = task.background.relation(filled.base)
        add(filled, (filled.type,) * filled.base.arity, BUILT_IN[filled.base])
    task.background.types = {**task.background.types, **types}
    bias = dataclasses.replace(
        task.bias,
        body=(*task.bias.body, *meaning),
        types=types,
        directions=directions,
        learned=only_numbers(learned)
        if numbered is Numbered.LEFT
        else Learned(bounds=learned.bounds, most_numbers=learned.most_numbers),
        between=tuple(filled.predicate for filled in between),
        spelled={
            predicate: (filled.column or filled.base, tuple(filled.left)) for predicate, filled in meaning.items()
        },
    )
    return Spelled(dataclasses.replace(task, bias=bias), meaning)


def only_numbers(learned: Learned) -> Learned:
    return dataclasses.replace(learned, constant_types=(), constant_places=(), compared=(), sums=())


def on_variables(learned: Learned) -> Iterator[Filled]:
    """The comparisons and sums of variables."""
    for name in learned.compared:
        yield Filled(Predicate("<", 2), (None, None), name)
        yield Filled(Predicate(AT_MOST, 2), (None, None), name)
    for name in learned.sums:
        yield Filled(SUM, (None, None, None), name)


# -- constants ----------------------------------------------------------------------------------------------


def with_constants(task: ReadTask, support: Support | None) -> Iterator[tuple[Filled, Relation]]:
    """The predicates with constants at some places, and at least one variable."""
    bias, background = task.bias, task.background
    for predicate in bias.body:
        places = [i for i in range(predicate.arity) if bias.learned.constant_at(predicate, i, bias.types)]
        for count in range(1, min(len(places), predicate.arity - 1) + 1):
            for some in combinations(places, count):
                yield from fill(background, predicate, some, support)


def fill(
    background: Background, predicate: Predicate, places: tuple[int, ...], support: Support | None
) -> Iterator[tuple[Filled, Relation]]:
    """A predicate with all constants that it can have at these places."""
    relation = background.relation(predicate)
    if relation.rows is not None:
        order = np.lexsort([relation.rows[:, place] for place in reversed(places)])
        rows = relation.rows[order]
        changes = np.flatnonzero(np.any(np.diff(rows[:, places], axis=0), axis=1)) + 1
        starts = [0, *changes.tolist()] if len(rows) else []
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True) if starts else ():
            constants = tuple(rows[start, places].tolist())
            if support is not None and not support.of(predicate, places, constants):
                continue
            part = rows[start:end]
            filled = filled_with(background, predicate, places, constants)
            table = distinct_rows(np.ascontiguousarray(part[:, filled.left]))
            meant = tuple(filled.left.index(place) for place in relation.meant if place in filled.left)
            yield filled, Relation(filled.predicate, table, meant=meant)
        return
    # It cannot be closed: then it is asked, for the values that are known of these types.
    domains = [background.domain(predicate, place) for place in places]
    for values in combined(domains):
        filled = filled_with(background, predicate, places, values)
        yield filled, asked_with(relation, filled, dict(zip(places, values, strict=True)))


def combined(domains: Sequence[Iterable[int]]) -> Iterator[Row]:
    if not domains:
        yield ()
        return
    for rest in combined(domains[1:]):
        for value in domains[0]:
            yield (value, *rest)


def filled_with(background: Background, predicate: Predicate, places: Sequence[int], terms: Sequence[int]) -> Filled:
    constants: list[Constant | None] = [None] * predicate.arity
    for place, term in zip(places, terms, strict=True):
        constants[place] = Constant(term_text(background.store.term(term)))
    return Filled(predicate, tuple(constants))


def asked_with(relation: Relation, filled: Filled, given: dict[int, int]) -> Relation:
    """A relation that is asked for, with some arguments given."""
    assert relation.inputs is not None
    base, left = relation.indexes[relation.inputs], filled.left
    inputs = tuple(place for place, own in enumerate(left) if own in relation.inputs)
    wanted = [(place, term) for place, term in given.items() if place not in relation.inputs]

    def ask(key: Row) -> list[Row]:
        known = {**given, **{left[place]: value for place, value in zip(inputs, key, strict=True)}}
        rows = base.rows(tuple(known[place] for place in relation.inputs or ()))
        return [tuple(row[own] for own in left) for row in rows if all(row[place] == term for place, term in wanted)]

    return lazy(filled.predicate, inputs, ask)


def lazy(predicate: Predicate, inputs: tuple[int, ...], ask: Callable[[Row], list[Row]]) -> Relation:
    made = Relation(predicate, None, inputs)
    made.endless = True
    made.indexes[inputs] = Index(predicate.arity, inputs, ask=ask, ask_all=lambda rows: map(ask, rows))
    return made


# -- numbers ------------------------------------------------------------------------------------------------


def with_numbers(task: ReadTask) -> Iterator[tuple[Filled, Relation]]:
    """The comparisons of a variable with each number that parts the values of a type."""
    learned, background = task.bias.learned, task.background
    values = Numbers(background.store)
    for operator, types in ((AT_LEAST, learned.at_least), (AT_MOST, learned.at_most)):
        for name in filter(task.bias.numbers_alone, types):
            known = [background.values[one].listed for one in (name, UNTYPED) if one in background.values]
            terms = with_sums(list(dict.fromkeys(chain(*known))), values, task.bias, name)
            numbers = sorted({value for term in terms if (value := values.value(term)) is not None})
            for cut in cuts(numbers, operator, learned.bounds.get(operator)):
                filled = Filled(Predicate(operator, 2), (None, written(cut)), name)
                yield filled, compared_with(task.bias, filled.predicate, operator, cut, terms, values)


MOST_SUMS = 2000  # values of a type, with all sums that a rule can make of them, that are spelled out


def with_sums(terms: list[int], values: Numbers, bias: Bias, name: str) -> list[int]:
    """The values of a type, and what a rule can add them up to: each sum is a literal, and so is a test."""
    if name not in bias.learned.sums:
        return terms
    found = dict.fromkeys(terms)
    for _ in range(bias.max_body - 1):
        known = [term for term in found if values.value(term) is not None]
        if len(known) > MOST_SUMS:
            raise MaxSynthError(
                f"there are more than {MOST_SUMS:,} sums of values of type {name}, and each would be tried as a number",
                bias.learned.position,
                "leave out the addition, or the programs that call themselves, or --method asp",
            )
        found.update(dict.fromkeys(row[2] for one in known for other in known for row in values.sums((one, other))))
    return list(found)


def with_open_numbers(task: ReadTask) -> Iterator[tuple[Filled, Relation]]:
    """The same where the number is left open: any number passes."""
    values = Numbers(task.background.store)
    for operator, types in ((AT_LEAST, task.bias.learned.at_least), (AT_MOST, task.bias.learned.at_most)):
        for name in filter(task.bias.numbers_alone, types):
            filled = Filled(Predicate(operator, 2), (None, OPEN), name)
            yield filled, lazy(filled.predicate, (0,), lambda key: [] if values.value(key[0]) is None else [key])


def check_column(task: ReadTask, column: Predicate) -> None:
    """Refuses a column that is no function: two comparisons would be of two values."""
    background = task.background
    rows = background.relation(column).rows
    if rows is None:
        raise MaxSynthError(
            f"tested({column.name},{column.arity}) is about a predicate that is asked and no table",
            task.bias.learned.position,
            "give its facts, or leave out the directive",
        )
    keys, counts = np.unique(rows[:, 0], return_counts=True)
    if len(keys) < len(rows):
        thing = term_text(background.store.term(int(keys[counts > 1][0])))
        raise MaxSynthError(
            f"tested({column.name},{column.arity}) is about a predicate that gives {thing} more than one value",
            task.bias.learned.position,
            "leave out the directive",
        )


def with_tested_columns(task: ReadTask) -> Iterator[tuple[Filled, Relation]]:
    """The things whose value in a column is on one side of a number, for each number that parts the values."""
    bias, values = task.bias, Numbers(task.background.store)
    for operator in (AT_LEAST, AT_MOST):
        for column in bias.learned.tested_with(operator, bias.types):
            rows = task.background.relation(column).rows
            assert rows is not None
            number_of = [(thing, values.value(term)) for thing, term in rows.tolist()]
            numbers = sorted({number for _, number in number_of if number is not None})
            for cut in cuts(numbers, operator, bias.learned.bounds.get(operator)):
                filled = Filled(Predicate(operator, 2), (None, written(cut)), column=column)
                passing = [[thing] for thing, number in number_of if number is not None and HOLDS[operator](number, cut)]
                table = np.array(passing, dtype=np.int32).reshape(-1, 1)
                meant = (0,) if bias.directions.get(column, ("out",))[0] == "in" else ()
                yield filled, Relation(filled.predicate, distinct_rows(table), meant=meant)


def cuts(
    numbers: Sequence[int | float], operator: str, bounds: tuple[int | float, int | float] | None
) -> Iterator[int | float]:
    """A number for each way to part the values, and for that which takes all: the literal may be asked for as such."""
    inwards = list(numbers) if operator == AT_LEAST else list(reversed(numbers))
    for outside, inside in zip([None, *inwards], inwards, strict=False):
        found = round_number(outside, inside, operator, bounds)
        if found is not None:
            yield found


def compared_with(
    bias: Bias, predicate: Predicate, operator: str, cut: int | float, terms: Sequence[int], values: Numbers
) -> Relation:
    def passes(term: int) -> bool:
        value = values.value(term)
        return value is not None and HOLDS[operator](value, cut)

    if not bias.directions:
        rows = np.array([[term] for term in terms if passes(term)], dtype=np.int32).reshape(-1, 1)
        return Relation(predicate, rows)
    return lazy(predicate, (0,), lambda key: [key] if passes(key[0]) else [])
