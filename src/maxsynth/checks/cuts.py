"""Predicates with a cut that hold of values which they do not give.

A predicate with a direction is asked with its inputs alone, and holds of what it answers then. Other systems run the
body of a rule as it stands: there an output may be known already when the predicate is called. That is the same for a
predicate that means the same however it is asked. With a cut it may not be: `element([X|_],X) :- !.` gives the first
element of a list, and holds of every one. So a predicate with a cut is asked both ways, for some values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from maxsynth.background.engines import CONTROL, called_by
from maxsynth.errors import Position, PrologProblem
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Atom, Struct, Term
from maxsynth.prolog.writer import term_text
from maxsynth.task.task import ReadTask

PROBES = 40  # calls of each predicate, and values that are tried for its outputs ...
STEPS = 500_000  # ... unless they take long


def cut_doubts(task: ReadTask) -> list[str]:
    """What to say of predicates that do not mean the same both ways."""
    doubts = []
    for predicate in task.bias.body:
        place = find_cut(task, predicate)
        if place is None:
            continue
        try:
            missed = next(held_and_not_given(task, predicate), None)
        except PrologProblem:
            continue  # it cannot be asked with all arguments
        if missed is not None:
            held, asked = missed
            doubts.append(
                f"{place}: because of this cut `{held}` holds, but `{asked}` does not give it. Here {predicate} holds "
                "of what it gives; a system that calls it with known outputs finds more (write it without the cut)"
            )
    return doubts


def find_cut(task: ReadTask, predicate: Predicate) -> Position | None:
    """The first clause with a cut, of a predicate or of one that it calls."""
    source = task.background.source
    todo, seen = [(predicate.name, predicate.arity)], set()
    while todo:
        key = todo.pop(0)
        if key in seen:
            continue
        seen.add(key)
        for _, clause in source.rules.get(key, ()):
            if has_cut(clause.body):
                return clause.position
            todo += called_by(clause.body)
    return None


def has_cut(body: Term) -> bool:
    todo = [body]
    while todo:
        goal = todo.pop()
        if isinstance(goal, Struct) and (goal.name, len(goal.args)) in CONTROL:
            todo.extend(goal.args)
        elif goal is Atom("!"):
            return True
    return False


def held_and_not_given(task: ReadTask, predicate: Predicate) -> Iterator[tuple[str, str]]:
    """Atoms that hold when they are asked for, each with the question that does not give it."""
    background, engine = task.background, task.background.engine
    modes = task.bias.directions.get(predicate, ())
    inputs = tuple(place for place, mode in enumerate(modes) if mode == "in")
    outputs = [place for place in range(predicate.arity) if place not in inputs]
    if not outputs:
        return
    places, store = range(predicate.arity), background.store
    terms = [[store.term(known) for known in background.domain(predicate, place)] for place in places]
    most = engine.spent + STEPS
    for row in islice(product(*(terms[place] for place in inputs)), PROBES):
        given = set(engine.solve(predicate.name, predicate.arity, inputs, [row])[0])
        for values in islice(product(*(terms[place] for place in outputs)), PROBES):
            if engine.spent > most:
                return
            if values in given:
                continue
            whole: list[Term] = [Atom("_")] * predicate.arity
            for place, term in (*zip(inputs, row, strict=True), *zip(outputs, values, strict=True)):
                whole[place] = term
            if engine.solve(predicate.name, predicate.arity, tuple(range(predicate.arity)), [tuple(whole)])[0]:
                yield shown(predicate, whole, ()), shown(predicate, whole, outputs)


def shown(predicate: Predicate, args: Sequence[Term], open_places: Sequence[int]) -> str:
    texts = ["X" if place in open_places else term_text(term) for place, term in enumerate(args)]
    return f"{predicate.name}({','.join(texts)})"
