"""What to say about text that is not Prolog.

Each function here turns the place where the reader had to stop, and what it was in the middle of, into a message
that names the likely mistake: a missing comma or full stop, a bracket that was never closed, a stray quote. They
return the error and leave it to the reader to raise it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maxsynth.errors import SyntaxProblem
from maxsynth.prolog.reading.operators import LIBRARIES
from maxsynth.prolog.reading.tokens import (
    CLOSE_ROUND,
    END,
    END_OF_TEXT,
    NUMBER,
    OPEN_ROUND,
    OTHER,
    QUOTE,
    QUOTES,
    SYMBOL,
    Source,
    short,
    start,
    starts_word,
)
from maxsynth.prolog.terms import Atom, String, Term

if TYPE_CHECKING:
    from maxsynth.prolog.reading.stack import Frame


# Libraries that a text loads.
LOADED = re.compile(r"\b(?:use_module|ensure_loaded|autoload)\(\s*library\(\s*(?:\w+/)?(\w+)\s*\)")


def name_of(source: Source, token: re.Match[str]) -> str:
    """A token as a message calls it."""
    kind = token.lastindex
    if kind == END_OF_TEXT:
        return "the end of the text"
    if kind == END:
        return "the end of the clause"
    at, end = start(token), token.end()
    # The token may be only the first character of what it stands for.
    if kind == QUOTE:
        end = source.quoted_end(at)
        end += source.text[at] == "'" and source.text.startswith("(", end)
    elif kind in (NUMBER, OTHER):
        end = source.run_end(at)
    text = short(source.text[at:end])
    return text if text[0] in QUOTES else f"'{text}'"


def operator_expected(source: Source, token: re.Match[str], before: Term | None) -> SyntaxProblem:
    """This token follows the term `before` as if it went on."""
    at = start(token)
    between = source.text[token.start() : at]
    if token.lastindex == OTHER and not starts_word(source.text[at]):
        return illegal(source, at)
    if token.lastindex == SYMBOL and token[SYMBOL] == ".":
        return stray_stop(source, at)
    name = name_of(source, token)
    if token.lastindex == SYMBOL and token[SYMBOL] not in ("!", "\\"):
        return source.problem(f"{name} is not an operator", at, operator_remedy(source, token[SYMBOL], at))
    if token.lastindex == OPEN_ROUND and type(before) is Atom and between:
        remedy = f"write {short(before.name)}(...) without a blank before the bracket"
    elif (type(before) is Atom and "\n" in before.name) or (type(before) is String and "\n" in before.text):
        remedy = "the quoted text before it goes over several lines: is a quote missing there?"
    elif not between and source.text[at - 1] in QUOTES:
        remedy = "a quote inside quotes is written twice"
    elif "\n" in between:
        remedy = "is a ',' or the '.' that ends a clause missing on the line above?"
    elif not between and source.text[at - 1].isdigit():
        remedy = "a number cannot have letters in it, nor a name start with a digit"
    else:
        remedy = "is a ',' missing?"
    return source.problem(f"{name} follows a term, but an operator or the end is expected here", at, remedy)


def operator_remedy(source: Source, name: str, at: int) -> str:
    """Where an operator may come from that is none here."""
    for library, operators in LIBRARIES.items():
        if any(name in names.split() for _, _, names in operators):
            return f"write :- use_module(library({library})). before it, or declare it with op/3"
    loaded = [library for library in LOADED.findall(source.text, 0, at) if library not in LIBRARIES]
    if loaded:
        return f"if it comes from library({short(loaded[-1])}), declare it with op/3: its operators are not known here"
    return "declare it with op/3, or use another one"


def operand_missing(source: Source, token: re.Match[str], frame: Frame) -> SyntaxProblem:
    """This token ends an argument that has not begun."""
    at = start(token)
    name = name_of(source, token)
    if frame.pending:
        return source.problem(f"'{short(frame.pending[-1][1])}' has no right argument: {name} follows it", at)
    if frame.tail:
        return source.problem(f"the list has nothing after its '|': {name} follows it", at)
    if frame.items:
        return source.problem(f"nothing between ',' and {name}", at, "is there a ',' too many?")
    if frame.functor is not None and token.lastindex == CLOSE_ROUND:
        functor = short(frame.functor)
        return source.problem(f"{functor}() has no arguments", at, f"write {functor} without brackets")
    return source.problem(f"a term is expected here, not {name}", at)


def unbalanced(source: Source, token: re.Match[str], frame: Frame) -> SyntaxProblem:
    """A bracket, or the end, that does not fit the innermost open bracket."""
    at = start(token)
    name = name_of(source, token)
    if not frame.opener:
        return source.problem(f"{name} closes a bracket that was never opened", at, "remove it, or open one")
    return source.problem(f"{name} comes before the '{frame.opener}' of {source.place(frame.at)} is closed", at)


def end_missing(source: Source, clause: Frame, frame: Frame) -> SyntaxProblem:
    """The text ended inside this clause, and inside this bracket."""
    end = len(source.text.rstrip())
    line = source.position(clause.at).line
    if frame.opener:
        return source.problem(
            f"the text ends before the '{frame.opener}' of {source.place(frame.at)} is closed",
            end,
            f"the clause starts at line {line}",
        )
    return source.problem(f"the clause that starts at line {line} has no end", end, "end it with a '.'")


def stray_stop(source: Source, at: int) -> SyntaxProblem:
    return source.problem(
        "a '.' ends a clause only if white space follows", at, "put a blank or a new line after the '.'"
    )


def tail_over(source: Source, token: re.Match[str]) -> SyntaxProblem:
    name = name_of(source, token)
    return source.problem(f"{name} after the tail of a list", start(token), "only one term may follow the '|'")


def clash(source: Source, inner: str, outer: str, token: re.Match[str]) -> SyntaxProblem:
    if inner == outer and inner in (":-", "-->"):
        remedy = "is the '.' missing that ends the clause before?"
    else:
        remedy = "put brackets around one of them"
    return source.problem(f"the operators '{short(inner)}' and '{short(outer)}' clash", start(token), remedy)


def variable_called(source: Source, name: str, at: int) -> SyntaxProblem:
    name = short(name)
    return source.problem(
        f"the variable {name} cannot be the name of a predicate or function",
        at,
        f"write it in lower case, or call({name}, ...) for a goal",
    )


def too_deep(source: Source, at: int, limit: int) -> SyntaxProblem:
    return source.problem(
        f"this term is nested too deeply, in more than {limit:,} brackets and operators", at, "is a bracket missing?"
    )


def illegal(source: Source, at: int) -> SyntaxProblem:
    """A character that starts no token."""
    character = source.text[at]
    name = character if character.isprintable() else f"U+{ord(character):04X}"
    remedy = "is this a text file?" if ord(character) < 32 or character == "\ufffd" else "quote it or remove it"
    return source.problem(f"illegal character {name}", at, remedy)
