"""What is strange about BK: predicates that are never true, that raise, that are the same, or that nobody uses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from maxsynth.background.engines import called_by
from maxsynth.errors import PrologProblem, listed
from maxsynth.logic.predicates import Predicate
from maxsynth.task.task import ReadTask

PROBES = 100  # calls of each predicate that are tried ...
STEPS = 2_000_000  # ... unless they take long


def ask_a_little(task: ReadTask) -> list[str]:
    """Asks each predicate a few times, so that BK that raises or loops is found now; returns doubts about listing."""
    background, doubts = task.background, []
    for predicate in task.bias.body:
        relation = background.relation(predicate)
        if relation.inputs is None:
            continue
        domains = [list(background.domain(predicate, position)) for position in relation.inputs]
        most = background.engine.spent + STEPS
        try:
            for _ in background.each(predicate, relation.inputs, list(islice(product(*domains), PROBES))):
                if background.engine.spent > most:
                    break
        except PrologProblem as problem:
            if background.types or predicate not in task.bias.types:
                raise
            # Others lack a type, so this one was asked with values that no rule may give it.
            doubts.append(str(problem))
    return [*background.notes, *doubts]


def never_true(task: ReadTask) -> list[str]:
    """Predicates that BK defines, and that hold of nothing. BK must be closed: then this is known, or they are lazy."""
    return [
        f"{predicate} is never true: no rule with it covers anything (check bk.pl, or remove it from bias.pl)"
        for predicate in task.bias.body
        if task.background.defines(predicate) and is_empty(task, predicate)
    ]


def is_empty(task: ReadTask, predicate: Predicate) -> bool:
    rows = task.background.relation(predicate).rows
    return rows is not None and not len(rows)


def same_predicates(task: ReadTask) -> Iterator[str]:
    """Predicates that hold of the same tuples, and that may stand in the same places."""
    bias = task.bias
    seen: dict[object, Predicate] = {}
    for predicate in bias.body:
        rows = task.background.relation(predicate).rows
        if rows is None or not len(rows):
            continue
        key = (
            frozenset(map(tuple, rows.tolist())),
            bias.types.get(predicate),
            bias.directions.get(predicate),
        )
        first = seen.setdefault(key, predicate)
        if first != predicate:
            yield f"{first} and {predicate} hold of the same values: one of them is enough"


def unused_predicates(task: ReadTask) -> Iterator[str]:
    """Predicates with facts that neither the bias nor a rule of BK mentions."""
    source = task.background.source
    called = {key for rules in source.rules.values() for _, clause in rules for key in called_by(clause.body)}
    declared = {(predicate.name, predicate.arity) for predicate in (task.bias.head, *task.bias.body)}
    unused = [f"{name}/{arity}" for name, arity in source.tables if {(name, arity)}.isdisjoint(called | declared)]
    if unused:
        yield f"BK has facts of {listed(unused)}, which bias.pl does not declare: no rule uses them"
