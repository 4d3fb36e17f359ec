"""Whether a program is in the space that a bias describes: the definition, line by line, for `maxsynth verify`.

The search never asks this: it only makes programs of the space. Here a program is judged that is already there, so
every condition is stated by itself, and a violation says which.

Without recursion and invention, a program is any set of rules. A program that *calls itself*, since a body calls a
predicate that the program defines, has at most `max_clauses` rules, and
- it is recursive (a predicate reaches itself by calls) only with `enable_recursion`, and it defines predicates other
  than the target (invents them) only with `enable_pi`;
- no rule calls the predicate of its head with the inputs of its head (with all its arguments, where none is declared
  as `in`): such a call asks what is being asked;
- every predicate it defines is founded: it has a rule that calls only founded ones. In plain recursion: a base rule;
- what it invents is needed by the target, has at most as many arguments as some declared predicate, and has one type
  at each place and directions under which all rules are safe;
- with `non_datalog`, a head variable may be missing from a body only where it is an input: a call then gives it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping

from maxsynth.bias.asp_names import asp_name, asp_string
from maxsynth.bias.bias import Bias
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Literal, Program, Rule
from maxsynth.verification.learned_literals import (
    constant_violations,
    counted,
    is_numeric,
    number_violations,
    program_size,
    with_sums,
)
from maxsynth.verification.numbers import GIVEN

Modes = Mapping[Predicate, tuple[str, ...]]
Types = Mapping[tuple[Predicate, int], set[str]]  # of each place of a predicate

NUMBER, NAME = "__maxsynth_number", "__maxsynth_name"  # of a rule, and of a variable of a rule, in ASP


def violations(program: Program, bias: Bias) -> list[str]:
    """What keeps a program out of the space; nothing when it is in it."""
    found = list(program_violations(program, bias))
    types, defined, calls_itself = place_types(program, bias), program.defined, program.calls_itself
    for rule in program.rules:
        found += [f"`{rule}`: {what}" for what in rule_violations(rule, defined, calls_itself, bias, types)]
    # Directions and ASP constraints have a meaning only for rules that are otherwise well formed.
    if not found and bias.directions and not is_safe(program, bias):
        found.append("no order of a body makes every `in` argument safe")
    # The empty program says nothing, and is always allowed.
    for text in (bias.limits_text, bias.constraints):
        if not found and program.rules and text.strip() and not meets_constraints(program, bias, text):
            found.append("an ASP constraint of the bias forbids it")
    return found


def program_violations(program: Program, bias: Bias) -> Iterator[str]:
    calls = called(program)
    recursive = any(predicate in reached(calls, predicate) for predicate in calls)
    invented = sorted(program.defined - {bias.head})
    if recursive and not bias.recursion:
        yield "it is recursive, and the bias has no enable_recursion"
    if invented and not bias.invention:
        yield f"it defines {invented[0]}, which is not the head_pred, and the bias has no enable_pi"
    for predicate in invented:
        if predicate in bias.body:
            yield f"it defines {predicate}, which is a body_pred"
        elif bias.invention and predicate.arity > bias.invented_arity:
            yield f"it invents {predicate}, which has more arguments than any declared predicate"
        elif bias.invention and bias.head in calls and predicate not in needed(program, bias):
            yield f"it invents {predicate}, which {bias.head} does not need"
    if program.rules and bias.head not in program.defined:
        yield f"it does not define {bias.head}"
    for predicate in sorted(program.defined - founded(program)):
        yield f"it has no base rule for {predicate}"
    if (recursive or invented) and len(program.rules) > bias.max_clauses:
        yield f"it has {len(program.rules)} rules, and max_clauses is {bias.max_clauses}"
    if bias.most.rules is not None and len(program.rules) > bias.most.rules:
        yield f"it has {len(program.rules)} rules, and the bias allows {bias.most.rules}"
    if bias.most.size is not None and program_size(program, bias) > bias.most.size:
        yield f"it has {program_size(program, bias)} literals, and the bias allows {bias.most.size}"
    if len({(rule.head, frozenset(rule.body)) for rule in map(renumbered, program.rules)}) < len(program.rules):
        yield "it has a rule twice"


def rule_violations(
    rule: Rule, defined: set[Predicate], calls_itself: bool, bias: Bias, place_types: Types
) -> Iterator[str]:
    """What is wrong with a rule of a program that defines these predicates."""
    head, body = rule.head, rule.body
    counts = Counter(arg for literal in rule.literals() for arg in literal.args if isinstance(arg, int))
    if len(head.variables) < len(set(head.args)):
        yield "an argument of the head is not a variable"
    for literal in rule.literals():
        variables = [arg for arg in literal.args if isinstance(arg, int)]
        if len(set(variables)) < len(variables):
            yield f"{literal.predicate} has an argument twice"
    places = {arg: place for place, arg in enumerate(head.args)}
    for literal in body:
        if literal.predicate == head.predicate and bias.is_loop(head.predicate, [places.get(a) for a in literal.args]):
            yield "it calls itself with the inputs of its head"
        if is_numeric(literal, bias) and literal.predicate not in defined:
            continue
        yield from constant_violations(literal, bias)
        if literal.predicate not in bias.body and literal.predicate not in defined:
            yield f"{literal.predicate} is not a body_pred"
    if not body:
        yield "it has no body literal"
    literals, counting = counted(rule, bias)
    if len(literals) > bias.max_body:
        yield f"it has {len(literals)} body literals, and max_body is {bias.max_body}"
    if len(set(body)) < len(body):
        yield "it has a body literal twice"
    if len(counting) > bias.max_vars:
        yield f"it has {len(counting)} variables, and max_vars is {bias.max_vars}"
    missing = head.variables - body_variables(rule)
    if missing and not bias.non_datalog:
        yield "a head variable does not occur in the body"
    if missing and calls_itself and not bias.directions:
        yield "a head variable does not occur in the body, and the program calls itself"
    if not body_variables(rule) <= connected(rule):
        yield "a body variable is not connected to the head"
    if not bias.singletons and 1 in counts.values():
        yield "a variable occurs only once"
    types = with_sums(rule, variable_types(rule, place_types), bias)
    yield from number_violations(rule, types, bias)
    if any(len(many) > 1 for many in types.values()):
        yield "a variable has two types"
    for type_ in bias.one_of_type:
        number = sum(type_ in many for many in types.values())
        if number != 1:
            yield f"it has {number} variables of type {type_}, and the bias wants one"


def body_variables(rule: Rule) -> set[int]:
    return {variable for literal in rule.body for variable in literal.variables}


def called(program: Program) -> dict[Predicate, set[Predicate]]:
    """For each predicate that the program defines, those that its rules call."""
    found: dict[Predicate, set[Predicate]] = {}
    for rule in program.rules:
        found.setdefault(rule.head.predicate, set()).update(literal.predicate for literal in rule.body)
    return found


def reached(calls: Mapping[Predicate, set[Predicate]], start: Predicate) -> set[Predicate]:
    """The predicates that a predicate calls, directly or through others."""
    found: set[Predicate] = set()
    todo = [*calls[start]]
    while todo:
        predicate = todo.pop()
        if predicate not in found:
            found.add(predicate)
            todo += calls.get(predicate, ())
    return found


def connected(rule: Rule) -> set[int]:
    """The variables that are linked to a head variable by literals that share variables."""
    found = set(rule.head.variables)
    for _ in rule.body:  # each round reaches a new literal or changes nothing
        for literal in rule.body:
            if found & literal.variables:
                found |= literal.variables
    return found


def variable_types(rule: Rule, types: Types) -> dict[Argument, set[str]]:
    """The types that predicates give a variable. A predicate without types says nothing."""
    found: dict[Argument, set[str]] = {}
    for literal in rule.literals():
        for place, arg in enumerate(literal.args):
            if isinstance(arg, int):
                found.setdefault(arg, set()).update(types.get((literal.predicate, place), ()))
    return found


def place_types(program: Program, bias: Bias) -> Types:
    """The types at each place of a predicate: as declared, or for an invented one those of what stands there."""
    types: dict[tuple[Predicate, int], set[str]] = {
        (predicate, place): {type_} for predicate, names in bias.types.items() for place, type_ in enumerate(names)
    }
    invented = program.defined - {bias.head, *bias.body}
    changed = True
    while changed:
        changed = False
        for rule in program.rules:
            for variable, found in variable_types(rule, types).items():
                for literal in rule.literals():
                    for place, arg in enumerate(literal.args):
                        known = types.setdefault((literal.predicate, place), set())
                        if arg == variable and literal.predicate in invented and not found <= known:
                            known |= found
                            changed = True
    return types


def needed(program: Program, bias: Bias) -> set[Predicate]:
    """The predicates that the target reaches."""
    return {bias.head, *reached(called(program), bias.head)}


def founded(program: Program) -> set[Predicate]:
    """The predicates that have a rule which calls, of what the program defines, only such predicates."""
    defined = program.defined
    found: set[Predicate] = set()
    while True:
        more = {
            rule.head.predicate
            for rule in program.rules
            if all(lit.predicate in found or lit.predicate not in defined for lit in rule.body)
        }
        if more <= found:
            return found
        found |= more


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
            rule_is_safe(rule, {**bias.directions, **dict(zip(invented, modes, strict=True))}, program.calls_itself)
            for rule in program.rules
        )
        for modes in itertools.product(*choices)
    )


def modes_of(literal: Literal, modes: Modes) -> tuple[str, ...]:
    """The directions of a literal's predicate; what is compared or added is given."""
    given = GIVEN.get(literal.predicate, 0)
    return modes.get(literal.predicate) or ("in",) * given + ("out",) * (len(literal.args) - given)


def rule_is_safe(rule: Rule, modes: Modes, called: bool) -> bool:
    """Whether the literals, each run as soon as its `in` arguments are safe, all run.

    Where the rule may be called by others, its head variables are then all known, or inputs.
    """
    safe = {arg for arg, mode in zip(rule.head.args, modes[rule.head.predicate], strict=True) if mode == "in"}
    if called and not rule.head.variables <= body_variables(rule) | safe:
        return False
    waiting = list(rule.body)
    while waiting:
        ready = [
            literal
            for literal in waiting
            if all(
                arg in safe
                for arg, mode in zip(literal.args, modes_of(literal, modes), strict=True)
                if mode == "in" and isinstance(arg, int)
            )
        ]  # fmt: skip
        if not ready:
            return False
        safe.update(arg for literal in ready for arg in literal.args)
        waiting = [literal for literal in waiting if literal not in ready]
    return True


# -- ASP constraints ----------------------------------------------------------------------------------------


def meets_constraints(program: Program, bias: Bias, constraints: str) -> bool:
    """Whether ASP constraints of the bias, which speak of all rules of a program, allow it."""
    return satisfiable(f"{constraints}\n{as_asp(program, bias)}")


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
    lines = [f"clause(0..{last}).", f"size({program_size(program, bias)})."]
    for number, rule in enumerate(program.rules):
        lines.append(f"1 {{ {NUMBER}({number},0..{last}) }} 1.")
        lines += rule_as_asp(number, rule, place_types(program, bias))
    lines += [f":- {NUMBER}(R,C), {NUMBER}(Q,C), R < Q.", f":- {NAME}(R,V,N), {NAME}(R,W,N), V < W."]
    return "\n".join(lines)


def rule_as_asp(number: int, rule: Rule, types_of: Types) -> Iterator[str]:
    rule = renumbered(rule)
    arity, variables = len(rule.head.args), rule.head.variables | body_variables(rule)
    place = f"{NUMBER}({number},C)"
    yield from (f"{NAME}({number},{variable},{variable})." for variable in range(arity))
    for variable in range(arity, len(variables)):
        yield f"1 {{ {NAME}({number},{variable},{arity}..{len(variables) - 1}) }} 1."
    for kind, literal in [("head_literal", rule.head), *(("body_literal", literal) for literal in rule.body)]:
        # A constant stands for itself, as a string, which is no variable.
        names = ",".join(f"N{arg}" if isinstance(arg, int) else asp_string(arg.text) for arg in literal.args)
        names += "," if len(literal.args) == 1 else ""
        named = "".join(f", {NAME}({number},{variable},N{variable})" for variable in sorted(literal.variables))
        yield f"{kind}(C,{asp_name(literal.name)},{len(literal.args)},({names})) :- {place}{named}."
    yield f"clause_var(C,N) :- {place}, {NAME}({number},_,N)."
    yield f"body_size(C,{len(rule.body)}) :- {place}."
    for variable_, types in variable_types(rule, types_of).items():
        yield from (f"var_type(C,N,{type_}) :- {place}, {NAME}({number},{variable_},N)." for type_ in sorted(types))
