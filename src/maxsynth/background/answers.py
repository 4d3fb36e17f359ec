"""What BK answered so far, as it is saved: so that who goes on with a search need not ask again."""

from __future__ import annotations

from typing import Any

from maxsynth.background.background import Background
from maxsynth.kernel.terms import Index, answers_to_save, count_answers, take_answers
from maxsynth.logic.predicates import Predicate

Lazy = list[tuple[Predicate, Index]]
Marks = list[tuple[Predicate, Index, int, int]]  # how much each relation that is asked has answered


def lazy_indexes(background: Background) -> Lazy:
    """The relations that are asked, in a fixed order."""
    return [
        (predicate, relation.indexes[relation.inputs])
        for predicate, relation in background.relations.items()
        if relation.inputs is not None
    ]


def mark_answers(lazy: Lazy) -> Marks:
    """How much there is now."""
    return [(predicate, index, *count_answers(index)) for predicate, index in lazy]


def answers_state(marks: Marks) -> list[Any]:
    """All that was answered up to then."""
    return [
        [predicate.name, predicate.arity, answers_to_save(index, keys, rows)] for predicate, index, keys, rows in marks
    ]


def restore_answers(background: Background, state: list[Any]) -> None:
    """Tells BK's relations what they answered; a `ValueError` where they are others."""
    for name, arity, answers in state:
        predicate = Predicate(str(name), int(arity))
        # What nobody declares is not asked: who knows what it does?
        known = predicate in background.relations or predicate in background.declared
        relation = background.relation(predicate) if known or background.is_built_in(predicate) else None
        if relation is None or relation.inputs is None:
            raise ValueError(f"{predicate} is not asked")
        take_answers(relation.indexes[relation.inputs], answers, len(background.store))
