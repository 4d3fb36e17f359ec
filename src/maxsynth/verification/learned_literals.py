"""Whether a bias allows the constants of a rule, and its comparisons and sums of numbers: a part of the space of rules.

- An argument of a body literal may be a constant where `constants/1`, `constants/2` or their other names say so; some
  argument of the literal is a variable.
- `X >= c` and `X =< c` compare a variable, of a type for which the bias says so, with a number within the bounds. The
  variable occurs in another literal, too. (What has no type fits every type, here as elsewhere.)
- `X < Y` and `X =< Y` compare two variables of one type that the bias names.
- Where the bias says `tested(p,2)`, `p(X,B)` with comparisons of B with numbers is a test of X: the comparisons count,
  and neither `p(X,B)` nor B does.
- `Z is X+Y` adds two variables of one type that the bias names, and Z is of that type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from maxsynth.bias.bias import Bias
from maxsynth.logic.programs import Argument, Constant, Literal, Program, Rule
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.verification.numbers import GIVEN, exact

Types = Mapping[Argument, set[str]]  # of variables


def is_numeric(literal: Literal, bias: Bias) -> bool:
    """Whether this is a comparison or a sum, and nothing that the bias declares."""
    return literal.predicate in GIVEN and literal.predicate not in bias.body


def with_sums(rule: Rule, types: Types, bias: Bias) -> dict[Argument, set[str]]:
    """The types of variables, where those that are added and their sum have the same."""
    found = {arg: set(names) for arg, names in types.items()}
    sums = [literal for literal in rule.body if len(literal.args) == 3 and is_numeric(literal, bias)]
    for _ in sums:  # a sum may be added in turn
        for literal in sums:
            together = {name for arg in literal.variables for name in found.get(arg, ())}
            for arg in literal.variables:
                found[arg] = together
    return found


def constant_violations(literal: Literal, bias: Bias) -> Iterator[str]:
    """What is wrong with the constants of a body literal that is no comparison and no sum."""
    names = bias.types.get(literal.predicate) if literal.predicate in bias.body else None
    for place, arg in enumerate(literal.args):
        if isinstance(arg, Constant):
            named = names is not None and names[place] in bias.learned.constant_types
            if not named and (literal.predicate, place) not in bias.learned.constant_places:
                yield f"argument {place + 1} of {literal.predicate} is not a variable"
    if literal.args and not literal.variables:
        yield f"no argument of {literal.predicate} is a variable"


def counted(rule: Rule, bias: Bias) -> tuple[list[Literal], set[int]]:
    """The body literals and the variables of a rule that count.

    Of a column that the bias says is tested, `p(X,B)`, neither the literal nor B counts where B is there to be compared
    with numbers, and for nothing else.
    """
    literals, variables = [], {arg for literal in rule.literals() for arg in literal.variables}
    for literal in rule.body:
        if literal.predicate in bias.learned.tested and isinstance(literal.args[1], int):
            value = literal.args[1]
            uses = [other for other in rule.body if other != literal and value in other.args]
            numbers = [other for other in uses if is_numeric(other, bias) and isinstance(other.args[-1], Constant)]
            if uses and len(uses) == len(numbers) and value not in (*rule.head.args, literal.args[0]):
                variables.discard(value)
                continue
        literals.append(literal)
    return literals, variables


def program_size(program: Program, bias: Bias) -> int:
    """The literals of a program that count, heads included."""
    return sum(1 + len(counted(rule, bias)[0]) for rule in program.rules)


def number_violations(rule: Rule, types: Types, bias: Bias) -> Iterator[str]:
    """What is wrong with the comparisons and sums of a rule."""
    numeric = [literal for literal in rule.body if is_numeric(literal, bias)]
    with_number = [literal for literal in numeric if len(literal.args) == 2 and len(literal.variables) < 2]
    for literal in numeric:
        text = literal.text({variable: f"V{variable}" for variable in literal.variables})
        known = {name for variable in literal.variables for name in types.get(variable, ())}
        if literal in with_number:
            yield from learned_violations(literal, text, known, rule, bias)
        elif len(literal.variables) < len(literal.args):
            yield f"`{text}` has a number where a variable is due"
        else:
            allowed = bias.learned.sums if len(literal.args) == 3 else bias.learned.compared
            if literal.name in (">=", ">") or not (known <= {*allowed} and len(known) < 2 if known else allowed):
                yield f"the bias does not allow `{text}`"
    most = bias.learned.most_numbers
    if most is not None and len(with_number) > most:
        yield f"it has {len(with_number)} learned numbers, and max_numeric is {most}"


def learned_violations(literal: Literal, text: str, known: set[str], rule: Rule, bias: Bias) -> Iterator[str]:
    """The same for a comparison with a learned number."""
    variable, number = literal.args
    value = exact(parse_term(number.text).term) if isinstance(number, Constant) else None
    if not isinstance(variable, int) or value is None:
        yield f"`{text}` does not compare a variable with a number"
        return
    allowed = {">=": bias.learned.at_least, "=<": bias.learned.at_most}.get(literal.name, ())
    if not (known & set(allowed) if known else allowed):
        yield f"the bias does not allow `{text}`"
    low, high = bias.learned.bounds.get(literal.name, (value, value))
    if not low <= value <= high:
        yield f"the number of `{text}` is not within its bounds, {low} and {high}"
    if not any(variable in other.args for other in rule.literals() if other is not literal):
        yield f"the variable of `{text}` occurs in no other literal"
