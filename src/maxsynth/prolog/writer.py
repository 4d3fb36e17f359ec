"""Terms to Prolog text that reads back as the same term.

The text is that of SWI-Prolog's `writeq/1`: operators where they can be, brackets and quotes only where they
must be, and white space only where two tokens would else become one. A stack of what is still to be written
takes the place of recursion, so a term may be as long and as deep as memory allows.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from maxsynth.prolog.reading.operators import ARGUMENT_PRIORITY, MAX_PRIORITY, Operators
from maxsynth.prolog.reading.reader import is_symbol
from maxsynth.prolog.terms import Atom, String, Struct, Term, Var, is_cell

PLAIN_ATOM = re.compile(r"[a-z][a-zA-Z0-9_]*|(?!/\*|\.\Z)[-+*/\\^<>=~:.?@#&$]+|\[\]|\{\}|[!;]")
ESCAPES = {
    "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip

# From here on a float is written with an exponent.
LARGE_FLOAT = 1e15
# Python refuses to convert longer integers to text in one step, because that step is quadratic.
MAX_DIGITS = 4000
PREFIX, INFIX, POSTFIX = "prefix", "infix", "postfix"


class _Operand(NamedTuple):
    """A term that is to be written, and the loosest operator it may show without brackets."""

    term: Term
    limit: int
    beside_operator: bool = False


class _Operator(NamedTuple):
    """The name of an operator that is to be written as one."""

    text: str
    place: str


_Item: TypeAlias = "_Operand | _Operator | str"


def term_text(term: Term, quoted: bool = True, operators: Operators | None = None, *, named: bool = False) -> str:
    """The term as text; if not `quoted`, atoms and strings show as they are, and may not read back.

    `named`: variables have the names that they were read with.
    """
    return _Writer(quoted, Operators() if operators is None else operators, named).write(term)


def atom_text(name: str) -> str:
    """The atom as text, in quotes if it needs them."""
    if PLAIN_ATOM.fullmatch(name) or _is_foreign_word(name):
        return name
    return _in_quotes(name, "'")


def _is_foreign_word(name: str) -> bool:
    """Whether it is an atom without quotes thanks to letters or symbols beyond ASCII."""
    if name.isascii():
        return False
    first = name[0]
    if first.isalpha():
        named = all(c.isalpha() or c.isdecimal() or c == "_" or "\u0300" <= c <= "\u036f" for c in name)
        return named and not (first.isupper() or first.istitle())
    return all(not c.isascii() and is_symbol(c) for c in name)


def _in_quotes(text: str, quote: str) -> str:
    parts = [quote]
    for c in text:
        if c == quote:
            parts.append("\\" + c)
        elif c in ESCAPES:
            parts.append(ESCAPES[c])
        else:
            parts.append(c if c.isprintable() else f"\\x{ord(c):X}\\")
    parts.append(quote)
    return "".join(parts)


def _integer_text(value: int) -> str:
    """`str(value)` for any size."""
    if value < 0:
        return "-" + _integer_text(-value)
    digits = value.bit_length() * 3 // 10  # never more than there are
    if digits < MAX_DIGITS:
        return str(value)
    half = digits // 2
    high, low = divmod(value, 10**half)
    return _integer_text(high) + _integer_text(low).zfill(half)


def _float_text(value: float) -> str:
    """The shortest text that reads back as this float."""
    if value != value:
        return "1.5NaN"
    if value in (float("inf"), float("-inf")):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent):+d}"
    if abs(value) < LARGE_FLOAT:
        return text
    sign = "-" if value < 0 else ""
    whole, fraction = text.lstrip("-").split(".")
    mantissa = (whole[1:] + fraction).rstrip("0") or "0"
    return f"{sign}{whole[0]}.{mantissa}e+{len(whole) - 1}"


def _kind(character: str) -> str:
    """Two neighbouring characters of the same kind would be read as one token."""
    if character.isalnum() or character == "_" or "\u0300" <= character <= "\u036f":
        return "letter"
    return "symbol" if is_symbol(character) else ""


class _Writer:
    def __init__(self, quoted: bool, operators: Operators, named: bool) -> None:
        self.quoted = quoted
        self.named = named
        self.operators = operators
        self.parts: list[str] = []
        self.last_kind = ""  # of the last character written
        self.space_before = ""  # the characters that may not directly follow the last token
        self.space_next = False
        self.stack: list[_Item] = []
        self.variables: dict[Var, str] = {}

    def write(self, term: Term) -> str:
        self.stack = [_Operand(term, MAX_PRIORITY)]
        while self.stack:
            item = self.stack.pop()
            if type(item) is str:
                self._emit(item)
            elif type(item) is _Operator:
                self._emit_operator(item)
            elif type(item) is _Operand:
                self._operand(item)
        return "".join(self.parts)

    # --- tokens -------------------------------------------------------------------------------------------

    def _emit(self, token: str) -> bool:
        """Write a token, after a space if it needs one; return whether it did."""
        if not token:
            return False
        first = token[0]
        kind = _kind(first)
        spaced = self.space_next or (kind != "" and kind == self.last_kind) or first in self.space_before
        if spaced:
            self.parts.append(" ")
        self.parts.append(token)
        self.last_kind = _kind(token[-1]) if len(token) > 1 else kind
        self.space_before = ""
        self.space_next = False
        return spaced

    def _emit_operator(self, operator: _Operator) -> None:
        spaced = self._emit(operator.text)
        if operator.place == PREFIX:
            # `-(a)`, `-1` and, for SWI-Prolog, `-{a}` are not the operator `-` before `(a)`, `1` and `{a}`.
            self.space_before = "({0123456789" if operator.text == "-" else "({"
        elif operator.place == INFIX:
            self.space_next = spaced  # `a is [b]`, but `[a]is[b]`

    # --- terms --------------------------------------------------------------------------------------------

    def _operand(self, item: _Operand) -> None:
        term = _value(item.term)
        if type(term) is Struct:
            self._compound(term, item.limit)
        elif type(term) is Atom:
            text = atom_text(term.name) if self.quoted else term.name
            if item.beside_operator and term.name in self.operators:
                self._later("(", text, ")")
            else:
                self._emit(text)
        elif type(term) is int:
            self._emit(_integer_text(term))
        elif type(term) is float:
            self._emit(_float_text(term))
        elif type(term) is String:
            self._emit(_in_quotes(term.text, '"') if self.quoted else term.text)
        elif type(term) is Var:
            name = term.name if self.named else f"_{len(self.variables) + 1}"
            self._emit(self.variables.setdefault(term, name))

    def _later(self, *items: _Item) -> None:
        self.stack += reversed(items)

    def _compound(self, term: Struct, limit: int) -> None:
        name, arguments = term.name, term.args
        if is_cell(term):
            self._list(term)
        elif name == "{}" and len(arguments) == 1:
            self._later("{", _Operand(arguments[0], MAX_PRIORITY), "}")
        else:
            items, priority = self._operation(term)
            if not items:
                self._call(term)
            elif priority > limit:
                self._later("(", *items, ")")
            else:
                self._later(*items)

    def _operation(self, term: Struct) -> tuple[list[_Item], int]:
        """What to write for an operator with its arguments, and its priority; nothing if it is not one."""
        name, arguments = term.name, term.args
        operators = self.operators
        if name not in (",", "|") and atom_text(name) != name:
            return [], 0
        if len(arguments) == 2 and name in operators.infix:
            priority, left, right = operators.infix[name]
            return [
                _Operand(arguments[0], left, True),
                _Operator(name, INFIX),
                self._right_operand(arguments[1], priority, right),
            ], priority
        if len(arguments) == 1 and name in operators.prefix:
            priority, right = operators.prefix[name]
            return [_Operator(name, PREFIX), self._right_operand(arguments[0], priority, right)], priority
        # An operator that is infix as well would take what follows for its right argument.
        if len(arguments) == 1 and name in operators.postfix and name not in operators.infix:
            priority, left = operators.postfix[name]
            return [_Operand(arguments[0], left, True), _Operator(name, POSTFIX)], priority
        return [], 0

    def _right_operand(self, term: Term, priority: int, limit: int) -> _Operand:
        """The right argument of an operator of this priority.

        `a xfy b yfx c` with both priorities the same reads as `(a xfy b) yfx c`, so the other grouping needs
        brackets although the priorities alone would do without.
        """
        inner = _value(term)
        if limit == priority and type(inner) is Struct:
            operators = self.operators
            table = (operators.postfix, operators.infix)[len(inner.args) == 2]
            operator = table.get(inner.name)
            if operator is not None and operator.left == priority:
                limit -= 1
        return _Operand(term, limit, True)

    def _call(self, term: Struct) -> None:
        name = atom_text(term.name) if self.quoted else term.name
        items: list[_Item] = [name + "("]
        for argument in term.args:
            items += (_Operand(argument, ARGUMENT_PRIORITY), ",")
        items[max(1, len(items) - 1) :] = [")"]
        self._later(*items)

    def _list(self, cell: Term) -> None:
        items: list[_Item] = ["["]
        while type(cell) is Struct and is_cell(cell):
            items += (_Operand(cell.args[0], ARGUMENT_PRIORITY), ",")
            cell = _value(cell.args[1])
        if cell is Atom("[]"):
            items[-1] = "]"
        else:
            items[-1:] = ["|", _Operand(cell, ARGUMENT_PRIORITY), "]"]
        self._later(*items)


def _value(term: Term) -> Term:
    """What the term stands for, if it is a bound variable."""
    while type(term) is Var and term.value is not None:
        term = term.value
    return term
