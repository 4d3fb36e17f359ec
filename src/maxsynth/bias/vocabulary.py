"""The words of a bias file: directives, and what constraints can say about a program."""

from __future__ import annotations

from collections.abc import Mapping

from maxsynth.logic.predicates import Predicate

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
