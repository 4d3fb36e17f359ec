"""Whether asking a predicate with no argument given is sure to list all its tuples.

It is when its rules, and those of all they call, are conjunctions and disjunctions of user predicates, and every
variable of a head occurs in the body. Type tests, arithmetic, negation and cut all depend on which arguments are
given, so one of these anywhere makes a predicate impure. This is a simple sufficient test, nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import Consulted
from maxsynth.prolog.terms import Atom, Struct, Term, Var


def is_pure(source: Consulted, predicate: Predicate) -> bool:
    seen: set[tuple[str, int]] = set()
    todo = [(predicate.name, predicate.arity)]
    while todo:
        key = todo.pop()
        if key in seen:
            continue
        seen.add(key)
        if key not in source and key not in source.dynamic:
            return False
        for _, clause in source.rules.get(key, ()):
            goals = list(body_goals(clause.body))
            held = {id(v) for goal in goals for v in variables(goal)}
            if any(id(v) not in held for v in variables(clause.head)):
                return False
            for goal in goals:
                if isinstance(goal, Struct):
                    todo.append((goal.name, len(goal.args)))
                elif isinstance(goal, Atom) and goal.name != "true":
                    todo.append((goal.name, 0))
                elif isinstance(goal, Var):
                    return False
    return True


def body_goals(body: Term) -> Iterator[Term]:
    """The goals of a body, through conjunctions and disjunctions."""
    todo = [body]
    while todo:
        goal = todo.pop()
        if isinstance(goal, Struct) and goal.name in {",", ";"} and len(goal.args) == 2:
            todo.extend(reversed(goal.args))
        else:
            yield goal


def variables(term: Term) -> Iterator[Var]:
    todo = [term]
    while todo:
        part = todo.pop()
        if isinstance(part, Var):
            yield part
        elif isinstance(part, Struct):
            todo.extend(part.args)
