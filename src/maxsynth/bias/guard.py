"""The raw text of a bias file, before clingo sees it.

The text is untrusted, and clingo does much on request: it runs scripts, opens other files while it parses, overflows
its stack on deep terms, and aborts the process on some bytes. So what reaches it has no `#include`, no `#script`,
nothing outside ASCII but in strings and comments, no term that nests deeper than `MAX_NESTING`, and is not longer
than a bias can reasonably be (`MAX_CHARACTERS`, `MAX_STATEMENTS`). All checks take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from maxsynth.errors import MaxSynthError, Position, SyntaxProblem, shortened

MAX_NESTING = 100
# Many times what a bias needs. clingo takes seconds for so much, and minutes for ten times as much.
MAX_STATEMENTS = 100_000
MAX_CHARACTERS = 2_000_000

# clingo's time grows with the square of the literals of a statement: this many squares take it some seconds.
MAX_SQUARES = 4_000_000

_STRING = re.compile(r'"[^"\\\n\0]*(?:\\["\\n][^"\\\n\0]*)*"')
_TOKEN = re.compile(r'"|%\*|%[^\n]*')
_BLOCK_PART = re.compile(r"%\*|\*%")
# clingo takes a ' before or in a name for part of the name, which no predicate of BK then has.
_SINGLE_QUOTED = re.compile(r"(?<![\w'])'([^'\n]*)'")
_NOT_NEWLINE = re.compile(r"[^\n]")
_NESTING = re.compile(r"\.\.|[][(){}.,;:]|[-+*/\\&?^~|<>=!]")
_TOO_LONG = "is this a bias? Facts about the world belong to the background knowledge"
_Place = Callable[[int], Position]


def checked_text(text: str, file: str) -> str:
    """The text with its comments blanked, every position kept, once nothing in it can harm."""
    if len(text) > MAX_CHARACTERS:
        raise MaxSynthError(
            f"the bias has {len(text):,} characters, and {MAX_CHARACTERS:,} are the limit", Position(file), _TOO_LONG
        )

    def place(offset: int) -> Position:
        return Position(file, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))

    code, bare, bad_string = _blank(text, place)
    for word in ("#include", "#script"):
        # Strings are searched too: what clingo never sees it cannot obey, however it reads the rest.
        if (offset := code.find(word)) >= 0:
            raise MaxSynthError(
                f"{word} is not allowed in a bias", place(offset), "write the directives and constraints out"
            )
    if bad_string is not None:
        raise SyntaxProblem(
            'string has no end on its line, or a \\ that is not part of \\n, \\" or \\\\',
            place(bad_string),
            'close it with "',
        )
    if quoted := _SINGLE_QUOTED.search(bare):
        name = shortened(quoted[1])
        raise SyntaxProblem(f"'{name}' has single quotes", place(quoted.start()), f'use double quotes: "{name}"')
    if bad := re.search(r"[^\t\n\r -~]", bare):
        raise SyntaxProblem(f"unexpected character {bad[0]!a}", place(bad.start()))
    for number in re.finditer(r"(?<![\w'])[0-9]{10,}", bare):
        if len(number[0]) > 10 or int(number[0]) >= 2**31:
            raise SyntaxProblem(f"number {number[0][:20]} is too large", place(number.start()))
    _check_nesting(bare, place)
    return code


def _blank(text: str, place: _Place) -> tuple[str, str, int | None]:
    """The text without comments, and without comments and strings. Blanks keep the places of the rest.

    If a string has no end, the text stays as it is from there on, and the third part of the result is the place.
    clingo refuses such a string too, but to look for others inside of it could take quadratic time.
    """
    code: list[str] = []
    bare: list[str] = []
    at = 0
    bad_string: int | None = None
    while token := _TOKEN.search(text, at):
        start, end = token.span()
        string = _STRING.match(text, start) if token[0] == '"' else None
        if string is not None:
            end = string.end()
        elif token[0] == '"':
            bad_string = start
            break
        elif token[0] == "%*":
            end = _block_end(text, start, place)
        before, blanks = text[at:start], _NOT_NEWLINE.sub(" ", text[start:end])
        code += (before, blanks if string is None else string[0])
        bare += (before, blanks)
        at = end
    return "".join([*code, text[at:]]), "".join([*bare, text[at:]]), bad_string


def _block_end(text: str, start: int, place: _Place) -> int:
    depth = 0
    for part in _BLOCK_PART.finditer(text, start):
        depth += 1 if part[0] == "%*" else -1
        if depth == 0:
            return part.end()
    raise SyntaxProblem("comment that starts with %* has no end *%", place(start))


def _check_nesting(bare: str, place: _Place) -> None:
    """Refuse terms whose trees are so deep that clingo's recursion over them would overflow the stack.

    Full stops and commas are among what this looks at, so it also refuses too many statements, and too long ones.
    """
    depth = 0  # brackets around this place and operators before it in the same arguments
    outside = [0]  # the depth at which the arguments began, for each open bracket
    statements = 0
    open_brackets: list[str] = []
    literals = squares = 0  # of this statement, and of all up to it
    for match in _NESTING.finditer(bare):
        token = match[0]
        if token in ",;:" and open_brackets[-1:] in ([], ["{"]):
            literals += 1
        if token == ".":
            depth, outside = 0, [0]
            squares += literals * literals
            literals, open_brackets = 0, []
            if squares > MAX_SQUARES:
                raise MaxSynthError("the statements up to this one are too long", place(match.start()), "split them")
            statements += 1
            if statements > MAX_STATEMENTS:
                raise MaxSynthError(
                    f"the bias has more than {MAX_STATEMENTS:,} statements", place(match.start()), _TOO_LONG
                )
        elif token in ",;:":
            depth = outside[-1]
        elif token in ")]}":
            depth = outside.pop() - 1 if len(outside) > 1 else 0
            del open_brackets[-1:]
        else:
            depth += 1
            if token in "([{":
                outside.append(depth)
                open_brackets.append(token)
        if depth > MAX_NESTING:
            raise SyntaxProblem(f"term is nested more than {MAX_NESTING} deep", place(match.start()))
