"""What the user is told when background knowledge goes wrong: Prolog's errors in words."""

from __future__ import annotations

from maxsynth.errors import EndlessProblem, Position, PrologProblem, shortened
from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.terms import Atom, Struct, Term
from maxsynth.prolog.writer import term_text

MOST_ITEMS = 8
MOST_NESTING = 4
MOST_TEXT = 160
SWIPL = "SWI-Prolog can be used for it: `--prolog swipl`"


def excerpt(term: Term, nesting: int = MOST_NESTING) -> Term:
    """A term cut down to a size fit for a message; what is left out, or cyclic, becomes `...`."""
    term = dereference(term)
    if type(term) is not Struct:
        return term
    if not nesting:
        return Atom("...")
    if term.name == "[|]" and len(term.args) == 2:
        return list_excerpt(term, nesting)
    args = [excerpt(arg, nesting - 1) for arg in term.args[:MOST_ITEMS]]
    if len(term.args) > MOST_ITEMS:
        args.append(Atom("..."))
    return Struct(term.name, tuple(args))


def list_excerpt(term: Term, nesting: int) -> Term:
    items: list[Term] = []
    while type(term) is Struct and term.name == "[|]" and len(term.args) == 2 and len(items) < MOST_ITEMS:
        items.append(excerpt(term.args[0], nesting - 1))
        term = dereference(term.args[1])
    result: Term = Atom("...") if type(term) is Struct else term
    for item in reversed(items):
        result = Struct("[|]", (item, result))
    return result


def show(term: Term) -> str:
    term = dereference(term)
    if type(term) is int and term.bit_length() > 8 * MOST_TEXT:
        return "`(a very large integer)`"
    text = term_text(excerpt(term))
    return f"`{shortened(text, MOST_TEXT)}`"


def formal_text(formal: Term) -> tuple[str, str]:
    """The formal part of an error in words, and the remedy."""
    if formal is Atom("instantiation_error"):
        return "a variable is unbound where a value is needed (instantiation error)", ""
    if type(formal) is not Struct:
        return f"error {show(formal)}", ""
    args = [dereference(arg) for arg in formal.args]
    match formal.name, args:
        case "type_error", [expected, culprit]:
            return f"type error: {show(expected)} expected, found {show(culprit)}", ""
        case "domain_error", [domain, culprit]:
            return f"domain error: {show(domain)} expected, found {show(culprit)}", ""
        case "existence_error", [Atom(name="procedure"), culprit]:
            return f"neither the file nor MaxSynth's own Prolog defines {show(culprit)}", SWIPL
        case "evaluation_error", [Atom(name="zero_divisor")]:
            return "division by zero", ""
        case "evaluation_error", [what]:
            return f"arithmetic error: {show(what)}", ""
        case "resource_error", [what]:
            return f"more memory needed than is allowed ({show(what)}); it may not terminate", ""
    return f"error {show(formal)}", ""


def uncaught(ball: Term, goal: Term, position: Position | None) -> PrologProblem:
    """The problem that stands for an error no catch/3 wanted."""
    text, remedy = f"uncaught exception {show(ball)}", ""
    kind = PrologProblem
    if type(ball) is Struct and ball.name == "error" and len(ball.args) == 2:
        formal = dereference(ball.args[0])
        text, remedy = formal_text(formal)
        if type(formal) is Struct and formal.name == "resource_error":
            kind = EndlessProblem
    return kind(f"{text}, in {show(goal)}", position, remedy)


def exhausted(goal: Term, steps: int) -> PrologProblem:
    return EndlessProblem(f"{show(goal)} ran for more than {steps} inference steps; it may not terminate")


def cyclic_answer(goal: Term, position: int) -> PrologProblem:
    return PrologProblem(
        f"argument {position + 1} of an answer of {indicator(goal)} is a term that contains itself",
        remedy="compare with unify_with_occurs_check/2 in place of =",
    )


def not_ground(goal: Term, position: int, value: Term) -> PrologProblem:
    return PrologProblem(
        f"argument {position + 1} of an answer of {indicator(goal)} is not ground: {show(value)}, from {show(goal)}",
        remedy=f"bind it in {indicator(goal)}, or declare the direction of that argument as `in`",
    )


def indicator(goal: Term) -> str:
    name, arity = named(goal)
    return f"{name}/{arity}"


def named(goal: Term) -> tuple[str, int]:
    """Name and arity of a goal."""
    name = shortened(goal.name) if isinstance(goal, (Atom, Struct)) else "?"
    return name, len(goal.args) if isinstance(goal, Struct) else 0
