"""Whether a program is in the space that a bias describes: the definition, line by line, for `maxsynth verify`.

The search never asks this: it only makes programs of the space. Here a program is judged that is already there, so
every condition is stated by itself, and a violation says which.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from maxsynth.bias import Bias, Predicate
from maxsynth.logic import Argument, Literal, Program, Rule

Modes = Mapping[Predicate, tuple[str, ...]]

NUMBER, NAME = "__maxsynth_number", "__maxsynth_name"  # of a rule, and of a variable of a rule, in ASP


def violations(program: Program, bias: Bias) -> list[str]:
    """What keeps a program out of the space; nothing when it is in it."""
    found = list(program_violations(program, bias))
    for rule in program.rules:
        found += [f"`{rule}`: {what}" for what in rule_violations(rule, program, bias)]
    # Directions and ASP constraints have a meaning only for rules that are otherwise well formed.
    if not found and bias.directions and not is_safe(program, bias):
        found.append("no order of a body makes every `in` argument safe")
    if not found and bias.constraints.strip() and not meets_constraints(program, bias):
        found.append("an ASP constraint of the bias forbids it")
    return found


def program_violations(program: Program, bias: Bias) -> Iterator[str]:
    recursive = any(rule.head.predicate in reached(program, rule) for rule in program.rules)
    invented = sorted(program.defined - {bias.head})
    if recursive and not bias.recursion:
        yield "it is recursive, and the bias has no enable_recursion"
    if invented and not bias.invention:
        yield f"it defines {invented[0]}, which is not the head_pred, and the bias has no enable_pi"
    for predicate in invented:
        if predicate in bias.body:
            yield f"it defines {predicate}, which is a body_pred"
    if program.rules and bias.head not in program.defined:
        yield f"it does not define {bias.head}"
    if (recursive or invented) and len(program.rules) > bias.max_clauses:
        yield f"it has {len(program.rules)} rules, and max_clauses is {bias.max_clauses}"
    if len({(rule.head, frozenset(rule.body)) for rule in map(renumbered, program.rules)}) < len(program.rules):
        yield "it has a rule twice"


def rule_violations(rule: Rule, program: Program, bias: Bias) -> Iterator[str]:
    head, body = rule.head, rule.body
    counts = Counter(arg for literal in rule.literals() for arg in literal.args)
    callable_predicates = {*bias.body, *program.defined}
    if any(not isinstance(arg, int) for arg in counts):
        yield "an argument is not a variable"
    for literal in rule.literals():
        if len(set(literal.args)) < len(literal.args):
            yield f"{literal.predicate} has an argument twice"
    places = {arg: place for place, arg in enumerate(head.args)}
    for literal in body:
        if literal.predicate == head.predicate and bias.is_loop(head.predicate, [places.get(a) for a in literal.args]):
            yield "it calls itself with the inputs of its head"
        if literal.predicate not in callable_predicates:
            yield f"{literal.predicate} is not a body_pred"
    if not body:
        yield "it has no body literal"
    if len(body) > bias.max_body:
        yield f"it has {len(body)} body literals, and max_body is {bias.max_body}"
    if len(set(body)) < len(body):
        yield "it has a body literal twice"
    if len(counts) > bias.max_vars:
        yield f"it has {len(counts)} variables, and max_vars is {bias.max_vars}"
    if not bias.non_datalog and not head.variables <= body_variables(rule):
        yield "a head variable does not occur in the body"
    if not body_variables(rule) <= connected(rule):
        yield "a body variable is not connected to the head"
    if not bias.singletons and 1 in counts.values():
        yield "a variable occurs only once"
    types = variable_types(rule, bias)
    if any(len(many) > 1 for many in types.values()):
        yield "a variable has two types"
    for type_ in bias.one_of_type:
        number = sum(type_ in many for many in types.values())
        if number != 1:
            yield f"it has {number} variables of type {type_}, and the bias wants one"


def body_variables(rule: Rule) -> set[int]:
    return {variable for literal in rule.body for variable in literal.variables}


def reached(program: Program, rule: Rule) -> set[Predicate]:
    """The predicates that a rule calls, directly or through other rules of the program."""
    found: set[Predicate] = set()
    todo = [literal.predicate for literal in rule.body]
    while todo:
        predicate = todo.pop()
        if predicate not in found:
            found.add(predicate)
            todo += [
                lit.predicate for other in program.rules if other.head.predicate == predicate for lit in other.body
            ]
    return found


def connected(rule: Rule) -> set[int]:
    """The variables that are linked to a head variable by literals that share variables."""
    found = set(rule.head.variables)
    for _ in rule.body:  # each round reaches a new literal or changes nothing
        for literal in rule.body:
            if found & literal.variables:
                found |= literal.variables
    return found


def variable_types(rule: Rule, bias: Bias) -> dict[Argument, set[str]]:
    """The types that declared predicates give a variable. A predicate without a declared type says nothing."""
    types: dict[Argument, set[str]] = {}
    for literal in rule.literals():
        for arg, type_ in zip(literal.args, bias.types.get(literal.predicate, ()), strict=False):
            types.setdefault(arg, set()).add(type_)
    return types


def renumbered(rule: Rule) -> Rule:
    """The rule with its variables numbered in the order they appear."""
    numbers: dict[Argument, int] = {}
    for literal in rule.literals():
        for arg in literal.args:
            if isinstance(arg, int):
                numbers.setdefault(arg, len(numbers))
    literals = [Literal(lit.name, tuple(numbers.get(arg, arg) for arg in lit.args)) for lit in rule.literals()]
    return Rule(literals[0], tuple(literals[1:]))


# -- directions ---------------------------------------------------------------------------------------------


def is_safe(program: Program, bias: Bias) -> bool:
    """Whether each rule is safe; invented predicates have no declared direction, so any that fits will do."""
    invented = sorted(program.defined - {bias.head})
    choices = [itertools.product(("in", "out"), repeat=predicate.arity) for predicate in invented]
    return any(
        all(
            rule_is_safe(rule, {**bias.directions, **dict(zip(invented, modes, strict=True))}) for rule in program.rules
        )
        for modes in itertools.product(*choices)
    )


def rule_is_safe(rule: Rule, modes: Modes) -> bool:
    """Whether the literals, each run as soon as its `in` arguments are safe, all run."""
    safe = {arg for arg, mode in zip(rule.head.args, modes[rule.head.predicate], strict=True) if mode == "in"}
    waiting = list(rule.body)
    while waiting:
        ready = [
            literal
            for literal in waiting
            if all(
                arg in safe
                for arg, mode in zip(literal.args, modes[literal.predicate], strict=True)
                if mode == "in"
            )
        ]  # fmt: skip
        if not ready:
            return False
        safe.update(arg for literal in ready for arg in literal.args)
        waiting = [literal for literal in waiting if literal not in ready]
    return True


# -- ASP constraints ----------------------------------------------------------------------------------------


def meets_constraints(program: Program, bias: Bias) -> bool:
    """Whether the bias's own ASP constraints allow a program.

    Without recursion and invention a program is any set of rules of the space, so each rule is judged alone;
    otherwise the whole program is.
    """
    whole = program.calls_itself or program.defined - {bias.head}
    parts = [program] if whole else [Program((rule,)) for rule in program.rules]
    return all(satisfiable(f"{bias.constraints}\n{as_asp(part, bias)}") for part in parts)


def satisfiable(text: str) -> bool:
    import clingo

    control = clingo.Control(["-Wnone"], logger=lambda code, message: None)
    control.add("base", [], text)
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


def as_asp(program: Program, bias: Bias) -> str:
    """The program as the atoms that constraints speak of.

    Rules have no numbers and variables no names of their own, but atoms do: a program is in the space when some
    numbering of its rules, and some naming of the variables that are not in the head, meets the constraints.
    """
    last = len(program.rules) - 1
    lines = [f"clause(0..{last}).", f"size({program.size})."]
    for number, rule in enumerate(program.rules):
        lines.append(f"1 {{ {NUMBER}({number},0..{last}) }} 1.")
        lines += rule_as_asp(number, rule, bias)
    lines += [f":- {NUMBER}(R,C), {NUMBER}(Q,C), R < Q.", f":- {NAME}(R,V,N), {NAME}(R,W,N), V < W."]
    return "\n".join(lines)


def rule_as_asp(number: int, rule: Rule, bias: Bias) -> Iterator[str]:
    rule = renumbered(rule)
    arity, variables = len(rule.head.args), rule.head.variables | body_variables(rule)
    place = f"{NUMBER}({number},C)"
    yield from (f"{NAME}({number},{variable},{variable})." for variable in range(arity))
    for variable in range(arity, len(variables)):
        yield f"1 {{ {NAME}({number},{variable},{arity}..{len(variables) - 1}) }} 1."
    for kind, literal in [("head_literal", rule.head), *(("body_literal", literal) for literal in rule.body)]:
        names = ",".join(f"N{variable}" for variable in literal.args) + ("," if len(literal.args) == 1 else "")
        named = "".join(f", {NAME}({number},{variable},N{variable})" for variable in literal.args)
        yield f"{kind}(C,{asp_name(literal.name)},{len(literal.args)},({names})) :- {place}{named}."
    yield f"clause_var(C,N) :- {place}, {NAME}({number},_,N)."
    yield f"body_size(C,{len(rule.body)}) :- {place}."
    for variable_, types in variable_types(rule, bias).items():
        yield from (f"var_type(C,N,{type_}) :- {place}, {NAME}({number},{variable_},N)." for type_ in sorted(types))


def asp_name(name: str) -> str:
    """As a constant where the name is one; a bias quotes all others."""
    if re.fullmatch(r"[a-z]\w*", name, re.ASCII):
        return name
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{quoted}"'
