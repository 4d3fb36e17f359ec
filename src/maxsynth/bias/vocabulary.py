"""The words of a bias file: directives, and what constraints can say about a program."""

from __future__ import annotations

from collections.abc import Mapping

from maxsynth.logic.predicates import Predicate

# Directives on what is learned inside of literals, each with an example of its use.
_OWN_LEARNED: Mapping[Predicate, str] = {
    Predicate("constants", 1): "constants(t).",
    Predicate("constants", 2): "constants(p,2).",
    Predicate("numbers", 1): "numbers(t).",
    Predicate("compared", 1): "compared(t).",
    Predicate("tested", 2): "tested(p,2).",
}
# And the names that MagicPopper and NumSynth have for the same.
_OTHERS_LEARNED: Mapping[Predicate, str] = {
    Predicate("magic_value_type", 1): "magic_value_type(t).",
    Predicate("magic_value", 2): "magic_value(p,1).",
    Predicate("numerical_pred", 2): "numerical_pred(geq,2).",
    Predicate("bounds", 3): "bounds(geq,1,(0,100)).",
    Predicate("max_numeric", 1): "max_numeric(2).",
}
LEARNED: Mapping[Predicate, str] = {**_OWN_LEARNED, **_OTHERS_LEARNED}

# A file may have these names for facts of its own, from which it derives others: then they are no directives in it.
MAY_BE_OWN = frozenset(_OWN_LEARNED)

# Each directive with an example of its use, for error messages.
DIRECTIVES: Mapping[Predicate, str] = {
    Predicate("head_pred", 2): "head_pred(f,2).",
    Predicate("body_pred", 2): "body_pred(p,2).",
    Predicate("type", 2): "type(p,(t1,t2)).",
    Predicate("direction", 2): "direction(p,(in,out)).",
    Predicate("max_vars", 1): "max_vars(6).",
    Predicate("max_body", 1): "max_body(6).",
    Predicate("max_clauses", 1): "max_clauses(2).",
    Predicate("enable_recursion", 0): "enable_recursion.",
    Predicate("enable_pi", 0): "enable_pi.",
    Predicate("allow_singletons", 0): "allow_singletons.",
    Predicate("no_singletons", 0): "no_singletons.",
    Predicate("non_datalog", 0): "non_datalog.",
    **LEARNED,
}

# The limits of a space, where the bias says nothing of them.
LIMITS = {"max_vars": 6, "max_body": 6, "max_clauses": 2}

# What a bias can say about a program, in constraints.
PROGRAM_ATOMS = frozenset(
    Predicate(name, arity)
    for name, arity in (
        ("head_literal", 4), ("body_literal", 4), ("clause", 1), ("clause_var", 2), ("var_type", 3),
        ("body_size", 2), ("size", 1),
    )
)  # fmt: skip
