"""Atoms of Popper's encoding that bias files use, with the meaning that they have there.

Popper joins a bias file with an encoding of its own, so a file may use any atom of that. Two kinds are known here:

- about the language (`LANGUAGE`): all tuples of variables and what is in them, and directions. These are facts once
  `max_vars` and the predicates are known, so that a file can derive others from them (`bad_body/2`);
- about a program (`DERIVED`): what follows from `body_literal/4` and the other atoms that the search gives a meaning.

`bad_body(P,Vars)` is the other way round: a file defines it, and no rule has a body literal `P(Vars)` then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations
from math import perm

from maxsynth.logic.predicates import Predicate

VAR, VARS = Predicate("var", 1), Predicate("vars", 2)
VAR_POS, VAR_MEMBER = Predicate("var_pos", 3), Predicate("var_member", 2)
HEAD_VARS, DIRECTION = Predicate("head_vars", 2), Predicate("direction_", 3)
LANGUAGE = frozenset({VAR, VARS, VAR_POS, VAR_MEMBER, HEAD_VARS, DIRECTION})
MOST_TUPLES = 40_000  # of variables, as clingo takes for programs

BAD_BODY = Predicate("bad_body", 2)
NO_BAD_BODY = ":- body_literal(C,P,_,Vars), bad_body(P,Vars)."

BODY_VAR, HEAD_VAR = Predicate("body_var", 2), Predicate("head_var", 2)
_IN_LITERAL = Predicate("var_in_literal", 4)
_PLAIN: Mapping[Predicate, str] = {
    Predicate("recursive_clause", 3): "recursive_clause(C,P,A) :- head_literal(C,P,A,_), body_literal(C,P,A,_).",
    Predicate("base_clause", 3): "base_clause(C,P,A) :- head_literal(C,P,A,_), not body_literal(C,P,A,_).",
    Predicate("recursive", 0): "recursive :- head_literal(C,P,A,_), body_literal(C,P,A,_).",
    Predicate("invented", 2): "invented(P,A) :- head_literal(_,P,A,_), not head_pred(P,A).",
    Predicate("pi", 0): "pi :- head_literal(_,P,A,_), not head_pred(P,A).",
    Predicate("clause_size", 2): "clause_size(C,N) :- body_size(C,N).",
    Predicate("num_clauses", 2): "num_clauses(P,N) :- head_literal(_,P,_,_), N = #count{C : head_literal(C,P,_,_)}.",
    Predicate("multiclause", 2): "multiclause(P,A) :- head_literal(C,P,A,_), head_literal(D,P,A,_), C != D.",
    Predicate("same_head", 2): "same_head(C,D) :- head_literal(C,P,A,Vars), head_literal(D,P,A,Vars), 0 < C, C < D.",
    Predicate("num_recursive", 2): (
        "num_recursive(P,N) :- head_literal(_,P,_,_), N = #count{C : head_literal(C,P,A,_), body_literal(C,P,A,_)}."
    ),
}
DERIVED = frozenset({*_PLAIN, BODY_VAR, HEAD_VAR, _IN_LITERAL, Predicate("singleton", 1)})


def language_size(arities: Collection[int], max_vars: int) -> int:
    """How many tuples of variables there are."""
    return sum(perm(max_vars, arity) for arity in arities)


def language_facts(
    used: Collection[Predicate],
    arities: Collection[int],
    max_vars: int,
    head: int,
    directions: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """The facts of the language that a file uses, as text: for predicates of these arities, and a head of one.

    `directions` are those of the file, by the text of a predicate's name.
    """
    if VAR in used:
        yield f"var(0..{max_vars - 1})."
    if HEAD_VARS in used:
        yield f"head_vars({head},{_tuple(range(head))})."
    if DIRECTION in used:
        for name, modes in directions.items():
            yield from (f"direction_({name},{place},{mode})." for place, mode in enumerate(modes))
    if not {VARS, VAR_POS, VAR_MEMBER} & set(used):
        return
    for arity in sorted(arities):
        for args in permutations(range(max_vars), arity):
            text = _tuple(args)
            if VARS in used:
                yield f"vars({arity},{text})."
            for place, variable in enumerate(args):
                if VAR_POS in used:
                    yield f"var_pos({variable},{text},{place})."
                if VAR_MEMBER in used:
                    yield f"var_member({variable},{text})."


def definitions(used: Collection[Predicate], arities: Collection[int]) -> str:
    """What the atoms of Popper that a file uses mean, over the atoms that the search gives a meaning to."""
    lines: list[str] = [_PLAIN[predicate] for predicate in sorted(used) if predicate in _PLAIN]
    for arity in sorted(arities):
        for place in range(arity):
            any_tuple = _tuple(["V" if at == place else "_" for at in range(arity)])
            named = _tuple([f"V{at}" for at in range(arity)])
            if BODY_VAR in used:
                lines.append(f"body_var(C,V) :- body_literal(C,_,{arity},{any_tuple}).")
            if HEAD_VAR in used:
                lines.append(f"head_var(C,V) :- head_literal(C,_,{arity},{any_tuple}).")
            if _IN_LITERAL in used:
                lines += [
                    f"var_in_literal(C,P,{named},V{place}) :- {kind}(C,P,{arity},{named})."
                    for kind in ("head_literal", "body_literal")
                ]
    if Predicate("singleton", 1) in used:
        parts = "; ".join(
            f"C,P,{_tuple(names)} : body_literal(C,P,{arity},{_tuple(names)})"
            for arity in sorted(arities)
            for place in range(arity)
            for names in [["V" if at == place else f"V{at}" for at in range(arity)]]
        )
        heads = ", ".join(
            f"not head_literal(_,_,{arity},{_tuple(['V' if at == place else '_' for at in range(arity)])})"
            for arity in sorted(arities)
            for place in range(arity)
        )
        lines.append(f"singleton(V) :- clause_var(_,V), {heads}, #count{{ {parts} }} = 1.")
    return "\n".join(lines)


def _tuple(parts: Sequence[object]) -> str:
    return f"({','.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
