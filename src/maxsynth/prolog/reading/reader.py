"""Tokens to terms.

The reader is an operator precedence parser. It takes the tokens one by one and keeps what is not complete yet on a
stack of its own (`maxsynth.prolog.reading.stack`), so that neither long lists nor deep terms meet Python's
recursion limit. There is one method for each kind of token; what a token means depends on whether the reader waits
for an operand (`_operand is None`), or has one and waits for whatever may follow: an infix or postfix operator, a
comma, a closing bracket, the end.

What is read is what SWI-Prolog 9 reads by default, except: comments nest when they can; there are no dictionaries,
compounds without arguments, rationals, or comments in digit groups; and size has limits (`MAX_NESTING`,
`MAX_NUMBER`), so that a text that is no program is refused before it takes all memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from maxsynth.errors import Position, SyntaxProblem
from maxsynth.prolog.reading import errors, tokens
from maxsynth.prolog.reading.directives import DOUBLE_QUOTES, obey
from maxsynth.prolog.reading.operators import Operators
from maxsynth.prolog.reading.stack import Frame, Stack
from maxsynth.prolog.reading.tokens import END, END_OF_TEXT, SYMBOL, TOKEN, VARIABLE, Source, is_symbol, start
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, make_list

__all__ = ["ReadTerm", "Reader", "is_symbol", "parse_term", "read_terms"]


@dataclass(slots=True)
class ReadTerm:
    """A term, where it starts, its named variables in order of appearance, and those that occur once unasked."""

    term: Term
    position: Position
    variables: dict[str, Var]
    singletons: Sequence[str] = ()  # none of them starts with `_`, which says that this is meant


class Reader(Stack):
    """Reads a text term by term; `offset` is where the next one starts and may be set.

    `op/3` and `set_prolog_flag(double_quotes, _)` directives take effect as they are read. They change the
    table of operators that was given, so that whoever runs the directives sees the same one.
    """

    def __init__(self, text: str, file: str, operators: Operators | None = None, double_quotes: str = "string") -> None:
        if double_quotes not in DOUBLE_QUOTES:
            raise ValueError(f"double_quotes is one of {', '.join(DOUBLE_QUOTES)}, not {double_quotes}")
        super().__init__(Source(text, file), Operators() if operators is None else operators)
        self.text = text
        self.file = file
        self.double_quotes = double_quotes
        self.offset = 1 if text.startswith("\ufeff") else 0  # a byte order mark is no part of the text
        self._variables: dict[str, Var] = {}
        self._once: dict[str, None] = {}  # names of variables that occur once so far

    def read(self, offset: int | None = None) -> ReadTerm | None:
        """The next term, or the next from a place on, up to its full stop; None at the end of the text."""
        self.offset = self.offset if offset is None else offset
        return self._read_any(end_needed=True)

    def _read_any(self, end_needed: bool) -> ReadTerm | None:
        first = self.source.peek(self.offset)
        if first.lastindex == END_OF_TEXT:
            self.offset = len(self.text)
            return None
        at = start(first)
        self._clear(at)
        self._variables, self._once = {}, {}
        last = self._parse(at)
        if last.lastindex == END_OF_TEXT and end_needed:
            raise errors.end_missing(self.source, self._frames[0], self._frame)
        self._close_clause(last)
        assert self._operand is not None
        self.offset = last.end()
        once = [name for name in self._once if name[0] != "_"]
        result = ReadTerm(self._operand, self.source.position(at), self._variables, once)
        self.double_quotes = obey(result.term, result.position, self.operators) or self.double_quotes
        return result

    def _parse(self, at: int) -> re.Match[str]:
        """Take in tokens up to the end of the clause or of the text; return that last one."""
        next_start: int | None = at
        while True:
            assert next_start is not None
            for token in TOKEN.finditer(self.text, next_start):
                kind = token.lastindex
                assert kind is not None
                if kind in (END, END_OF_TEXT):
                    return token
                next_start = HANDLERS[kind](self, token)
                if next_start is not None:  # a token that the expression cannot see as a whole
                    break

    # --- tokens that are operands -------------------------------------------------------------------------

    def _take(self, term: Term, token: re.Match[str]) -> None:
        """`term` is the operand that was waited for."""
        if self._operand is not None:
            raise errors.operator_expected(self.source, token, self._operand)
        self._operand = term
        self._priority = 0

    def _on_name(self, token: re.Match[str]) -> int | None:
        if self._operand is None:
            name = token[1]
            if name in self.operators.prefix:
                self._prefix(name, token, token.end())
            else:
                self._operand = Atom(name)
                self._priority = 0
        else:
            self._infix(token[1], token, token.end())
        return None

    def _on_symbol(self, token: re.Match[str]) -> int | None:
        name = token[SYMBOL]
        end = token.end()
        if self._operand is not None:
            self._infix(name, token, end)
        elif name == "-" and "0" <= self.text[end : end + 1] <= "9":
            self._operand, end = self.source.number(end)
            self._operand = -self._operand
            self._priority = 0
            return end
        else:
            self._atom(name, token, end)
        return None

    def _atom(self, name: str, token: re.Match[str], end: int) -> None:
        """An unquoted atom or prefix operator where an operand is waited for."""
        if name in self.operators.prefix:
            self._prefix(name, token, end)
        elif name == ".":
            raise errors.stray_stop(self.source, start(token))
        else:
            self._operand = Atom(name)
            self._priority = 0

    def _on_call(self, token: re.Match[str]) -> int | None:
        kind = token.lastindex
        assert kind is not None
        self._call(token[kind - 1], token, token.end() - 1)
        return None

    def _call(self, name: str, token: re.Match[str], bracket: int) -> None:
        """A name with an opening bracket right behind it."""
        if self._operand is None:
            self._open(Frame("(", bracket, name))
            return
        self._infix(name, token, bracket)  # `a =(b)`: the bracket belongs to the right argument
        if self._operand is not None:
            raise self.source.problem("an operator is expected before this bracket", bracket)
        self._open(Frame("(", bracket))

    def _on_variable(self, token: re.Match[str]) -> int | None:
        self._variable(token[VARIABLE], token)
        return None

    def _variable(self, name: str, token: re.Match[str]) -> None:
        if self._operand is not None:
            raise errors.operator_expected(self.source, token, self._operand)
        variable = self._variables.get(name)
        if variable is None:
            variable = Var(name)
            if name != "_":
                self._variables[name] = variable
                self._once[name] = None
        else:
            self._once.pop(name, None)
        self._operand = variable
        self._priority = 0

    def _on_variable_call(self, token: re.Match[str]) -> int | None:
        name = token[VARIABLE]
        if self._operand is not None:
            raise errors.operator_expected(self.source, token, self._operand)
        raise errors.variable_called(self.source, name, start(token))

    def _on_quoted(self, token: re.Match[str]) -> int | None:
        self._quoted_atom(token[tokens.QUOTED][1:-1], token, token.end())
        return None

    def _quoted_atom(self, name: str, token: re.Match[str], end: int) -> None:
        """Quotes make an atom of what would be a prefix operator, but an infix operator stays one."""
        if self._operand is None:
            self._operand = Atom(name)
            self._priority = 0
        else:
            self._infix(name, token, end)

    def _on_quoted_call(self, token: re.Match[str]) -> int | None:
        self._call(token[tokens.QUOTED][1:-1], token, token.end() - 1)
        return None

    def _on_quote(self, token: re.Match[str]) -> int | None:
        at = token.start(tokens.QUOTE)
        text, end = self.source.quoted(at)
        if self.text[at] == "'":
            if self.text.startswith("(", end):
                self._call(text, token, end)
                return end + 1
            self._quoted_atom(text, token, end)
        elif self.text[at] == "`" or self.double_quotes == "codes":
            self._take(make_list(map(ord, text)), token)
        elif self.double_quotes == "chars":
            self._take(make_list(map(Atom, text)), token)
        else:
            self._take(Atom(text) if self.double_quotes == "atom" else String(text), token)
        return end

    def _on_integer(self, token: re.Match[str]) -> int | None:
        self._take(int(token[tokens.INTEGER]), token)
        return None

    def _on_number(self, token: re.Match[str]) -> int | None:
        value, end = self.source.number(token.start(tokens.NUMBER))
        self._take(value, token)
        return end

    def _on_comment(self, token: re.Match[str]) -> int | None:
        return self.source.comment_end(token.start(tokens.COMMENT))

    def _on_other(self, token: re.Match[str]) -> int | None:
        """A character outside ASCII that starts a name or a symbol, or one that starts nothing."""
        at = token.start(tokens.OTHER)
        first = self.text[at]
        if first.isalpha():
            end = self.source.run_end(at)
            if first.isupper() or first.istitle():
                self._variable(self.text[at:end], token)
                return end
        elif is_symbol(first):
            end = self.source.symbols_end(at)
        else:
            raise errors.illegal(self.source, at)
        name = self.text[at:end]
        if self.text[end : end + 1] == "(":
            self._call(name, token, end)
            return end + 1
        if self._operand is None:
            self._atom(name, token, end)
        else:
            self._infix(name, token, end)
        return end

    # --- brackets and what separates their contents -------------------------------------------------------

    def _on_open(self, token: re.Match[str]) -> int | None:
        at = start(token)
        functor = None
        if self._operand is not None:
            functor = self.text[at - 2 : at]
            if functor not in ("{}", "[]") or token.lastindex != tokens.OPEN_ROUND:
                raise errors.operator_expected(self.source, token, self._operand)
            self._operand = None  # `{}(a)`: these two atoms are names that are not one token
        self._open(Frame(self.text[at], at, functor))
        return None

    def _on_comma(self, token: re.Match[str]) -> int | None:
        frame = self._frame
        if frame.functor is None and frame.opener != "[":
            if self._operand is None:
                raise errors.operand_missing(self.source, token, self._frame)
            self._infix(",", token, token.end())
            return None
        if frame.tail:
            raise errors.tail_over(self.source, token)
        frame.items.append(self._finish(token))
        self._operand = None
        return None

    def _on_bar(self, token: re.Match[str]) -> int | None:
        frame = self._frame
        if self._operand is None:
            raise errors.operand_missing(self.source, token, self._frame)
        if frame.opener != "[":
            self._infix("|", token, token.end())
            return None
        if frame.tail:
            raise errors.tail_over(self.source, token)
        frame.items.append(self._finish(token))
        frame.tail = True
        self._operand = None
        return None

    def _on_close_round(self, token: re.Match[str]) -> int | None:
        frame = self._frame
        if frame.opener != "(":
            raise errors.unbalanced(self.source, token, self._frame)
        term = self._finish(token)
        if frame.functor is not None:
            frame.items.append(term)
            term = Struct(frame.functor, tuple(frame.items))
        self._close(term)
        return None

    def _on_close_square(self, token: re.Match[str]) -> int | None:
        frame = self._frame
        if frame.opener != "[":
            raise errors.unbalanced(self.source, token, self._frame)
        if self._operand is None and not frame.items and not frame.pending:
            self._close(NIL)
        elif frame.tail:
            self._close(make_list(frame.items, self._finish(token)))
        else:
            frame.items.append(self._finish(token))
            self._close(make_list(frame.items))
        return None

    def _on_close_curly(self, token: re.Match[str]) -> int | None:
        if self._frame.opener != "{":
            raise errors.unbalanced(self.source, token, self._frame)
        if self._operand is None and not self._frame.pending:
            self._close(Atom("{}"))
        else:
            self._close(Struct("{}", (self._finish(token),)))
        return None

    def _close_clause(self, token: re.Match[str]) -> None:
        if self._frame.opener:
            raise errors.unbalanced(self.source, token, self._frame)
        self._finish(token)


_Handler: TypeAlias = "Callable[[Reader, re.Match[str]], int | None]"

# By the kind of the token; END and END_OF_TEXT end the loop before they come here. A handler that read past
# its token returns where to go on.
HANDLERS: dict[int, _Handler] = {
    tokens.NAME: Reader._on_name,
    tokens.NAME_CALL: Reader._on_call,
    tokens.VARIABLE: Reader._on_variable,
    tokens.VARIABLE_CALL: Reader._on_variable_call,
    tokens.COMMA: Reader._on_comma,
    tokens.CLOSE_ROUND: Reader._on_close_round,
    tokens.INTEGER: Reader._on_integer,
    tokens.OPEN_ROUND: Reader._on_open,
    tokens.OPEN_SQUARE: Reader._on_open,
    tokens.CLOSE_SQUARE: Reader._on_close_square,
    tokens.BAR: Reader._on_bar,
    tokens.COMMENT: Reader._on_comment,
    tokens.SYMBOL: Reader._on_symbol,
    tokens.SYMBOL_CALL: Reader._on_call,
    tokens.QUOTED: Reader._on_quoted,
    tokens.QUOTED_CALL: Reader._on_quoted_call,
    tokens.QUOTE: Reader._on_quote,
    tokens.NUMBER: Reader._on_number,
    tokens.OPEN_CURLY: Reader._on_open,
    tokens.CLOSE_CURLY: Reader._on_close_curly,
    tokens.OTHER: Reader._on_other,
}


def read_terms(text: str, file: str, operators: Operators | None = None) -> Iterator[ReadTerm]:
    """The terms of a text, one by one."""
    reader = Reader(text, file, operators)
    while (read := reader.read()) is not None:
        yield read


def parse_term(text: str, file: str = "<term>", operators: Operators | None = None) -> ReadTerm:
    """The one term that the text is; it may end with a full stop."""
    reader = Reader(text, file, operators)
    read = reader._read_any(end_needed=False)
    if read is None:
        raise SyntaxProblem("there is no term here", Position(file, 1, 1))
    rest = reader.source.peek(reader.offset)
    if rest.lastindex != END_OF_TEXT:
        raise reader.source.problem("more text after the end of the term", start(rest))
    return read
