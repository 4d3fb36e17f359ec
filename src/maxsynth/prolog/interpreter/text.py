"""Built-ins about text: atoms, strings, numbers as text, and lists of codes or characters.

Most take any text for an input, as SWI-Prolog does, so that `atom_length(123, 3)` holds; they differ in what they
make. A function here therefore asks for text with `text_of`, works on a Python string, and wraps the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from maxsynth.errors import SyntaxProblem
from maxsynth.prolog.clauses import dereference
from maxsynth.prolog.interpreter.arguments import (
    Alternatives,
    Table,
    definer,
    integer,
    integer_or_none,
    natural_or_none,
    proper_list,
    row,
    spine,
)
from maxsynth.prolog.iso_errors import domain_error, instantiation_error, resource_error, syntax_error, type_error
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, Var, is_cell, make_list
from maxsynth.prolog.writer import term_text

if TYPE_CHECKING:
    from maxsynth.prolog.interpreter.interpreter import Machine

MOST_TEXT = 10_000_000
LAST_CODE = 0x10FFFF

FUNCTIONS: Table = {}
define = definer(FUNCTIONS)

NUMBER = re.compile(
    r"""[+-]?(?:
      0x[0-9a-fA-F]+ | 0o[0-7]+ | 0b[01]+ | 0'(?:\\?.|''|\\x[0-9a-fA-F]+\\) | [1-9][0-9]?'[0-9a-zA-Z]+
    | [0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)? | [0-9]+(?:[ _][0-9]+)+ | [0-9]+\.[0-9]+(?:Inf|NaN)
    )""",
    re.VERBOSE | re.DOTALL,
)


def wrap_atom(text: str) -> Term:
    return Atom(text)


def wrap_string(text: str) -> Term:
    return String(text)


def made(machine: Machine, text: str) -> str:
    """Pays for a text that was made."""
    if len(text) > MOST_TEXT:
        raise resource_error("memory")
    machine.charge(len(text) >> 5)
    return text


def atomic_text(machine: Machine, term: Term) -> str | None:
    """The text of an atom, string or number; None for anything else."""
    if type(term) is Atom:
        return term.name
    if type(term) is String:
        return term.text
    if type(term) is int:
        machine.charge((term.bit_length() >> 9) ** 2 >> 6)
        return term_text(term)
    return term_text(term) if type(term) is float else None


def text_of(machine: Machine, term: Term, expected: str = "text", lists: bool = False) -> str:
    """The text of what must be text; `lists` of codes or characters may count."""
    term = dereference(term)
    if type(term) is Var:
        raise instantiation_error()
    if lists and (term is NIL or is_cell(term)):
        return list_text(machine, term)
    if term is NIL:
        raise type_error("text" if expected == "text" else "atom", term)
    text = atomic_text(machine, term)
    if text is None:
        raise type_error(expected, term)
    return text


def list_text(machine: Machine, term: Term) -> str:
    """The text of a list of codes or characters; strings are welcome too."""
    term = dereference(term)
    if type(term) is String:
        return term.text
    parts: list[str] = []
    for item in proper_list(machine, term):
        item = dereference(item)
        if type(item) is int and 0 <= item <= LAST_CODE:
            parts.append(chr(item))
        elif type(item) is Atom and len(item.name) == 1:
            parts.append(item.name)
        elif type(item) is Var:
            raise instantiation_error()
        else:
            raise type_error("character" if type(item) is Struct else "character_code", item)
    return made(machine, "".join(parts))


def codes(text: str) -> Term:
    return make_list([ord(c) for c in text])


def chars(text: str) -> Term:
    return make_list([Atom(c) for c in text])


def parse_number(text: str) -> int | float | None:
    """The number that a text is, signs and all; None if it is none."""
    if not NUMBER.fullmatch(text):
        return None
    digits = text.lstrip("+-").replace(" ", "_")
    try:
        value = parse_term(digits).term
    except SyntaxProblem:
        return None
    if type(value) is int or type(value) is float:
        return -value if text[0] == "-" else value
    return None


# From text of one kind to text of another


def converter(make_left: Callable[[str], Term], make_right: Callable[[str], Term], strict: bool) -> Callable[..., bool]:
    """A predicate between a text and a list of the same characters, by code or as they are, in any notation."""

    def convert(machine: Machine, args: list[Term]) -> bool:
        left, right = dereference(args[0]), dereference(args[1])
        if type(left) is Var and type(right) is Var:
            raise instantiation_error()
        if type(right) is not Var and (strict or type(left) is Var):
            check_characters(machine, right)
        if type(left) is Var:
            return machine.unify(left, make_left(list_text(machine, right)))
        if left is NIL:
            raise type_error("atom", left)
        text = text_of(machine, left, "atom")
        machine.charge(len(text) >> 1)
        mark = len(machine.trail)
        if machine.unify(right, make_right(text)):
            return True
        machine.undo(mark)
        other = chars if make_right is codes else codes
        return machine.unify(right, other(text)) or (type(right) is String and right.text == text)

    return convert


def check_characters(machine: Machine, term: Term) -> None:
    """Raises what is wrong with a list of codes or characters, as far as it is known."""
    items, tail = spine(machine, term)
    if type(tail) is not Var and tail is not NIL and type(term) is not String:
        raise type_error("list", term)
    known = [item for item in items if type(dereference(item)) is not Var]
    list_text(machine, make_list(known))


define("atom_codes/2")(converter(wrap_atom, codes, strict=True))
define("atom_chars/2")(converter(wrap_atom, chars, strict=True))
define("string_codes/2")(converter(wrap_string, codes, strict=False))
define("string_chars/2")(converter(wrap_string, chars, strict=False))


def number_converter(make_right: Callable[[str], Term]) -> Callable[..., bool]:
    def convert(machine: Machine, args: list[Term]) -> bool:
        left, right = dereference(args[0]), dereference(args[1])
        if type(left) not in (Var, int, float):
            raise type_error("number", left)
        if type(right) is not Var and type(right) is not String and right is not NIL and not is_cell(right):
            raise type_error("list", right)
        if type(right) is String or all(type(x) is not Var for x in resolved(machine, right)):
            value = parse_number(list_text(machine, right).lstrip())
            if value is None:
                raise syntax_error("illegal_number")
            return machine.unify(left, value)
        if type(left) is Var:
            raise instantiation_error()
        return machine.unify(right, make_right(text_of(machine, left)))

    return convert


def resolved(machine: Machine, term: Term) -> list[Term]:
    """The items of a list and its tail."""
    items, tail = spine(machine, term)
    return [*map(dereference, items), tail]


define("number_codes/2")(number_converter(codes))
define("number_chars/2")(number_converter(chars))


@define("char_code/2")
def char_code(machine: Machine, args: list[Term]) -> bool:
    char, code = dereference(args[0]), dereference(args[1])
    if type(char) is Atom and len(char.name) == 1:
        return machine.unify(code, ord(char.name))
    if type(char) is not Var:
        raise type_error("character", char)
    value = integer(code)
    if not 0 <= value <= LAST_CODE:
        raise type_error("character_code", value)
    return machine.unify(char, Atom(chr(value)))


@define("atom_number/2")
def atom_number(machine: Machine, args: list[Term]) -> bool:
    atom, number = dereference(args[0]), dereference(args[1])
    if (type(atom) is Atom and atom is not NIL) or type(atom) is String:
        value = parse_number(text_of(machine, atom))
        return value is not None and machine.unify(number, value)
    if type(atom) is not Var:
        raise type_error("atom", atom)
    if type(number) is Var:
        raise instantiation_error()
    if type(number) is not int and type(number) is not float:
        raise type_error("number", number)
    return machine.unify(atom, Atom(text_of(machine, number)))


@define("number_string/2")
def number_string(machine: Machine, args: list[Term]) -> bool:
    number, string = dereference(args[0]), dereference(args[1])
    if type(number) is int or type(number) is float:
        return machine.unify(string, String(text_of(machine, number)))
    if type(number) is not Var:
        raise type_error("number", number)
    if type(string) is Var:
        raise instantiation_error()
    value = parse_number(list_text(machine, string).lstrip())
    return value is not None and machine.unify(number, value)


@define("atom_string/2")
def atom_string(machine: Machine, args: list[Term]) -> bool:
    if type(dereference(args[0])) is not Var:
        return machine.unify(args[1], String(text_of(machine, args[0], "atom", lists=True)))
    return machine.unify(args[0], Atom(text_of(machine, args[1], lists=True)))


@define("string_to_atom/2")
def string_to_atom(machine: Machine, args: list[Term]) -> bool:
    if type(dereference(args[0])) is not Var:
        return machine.unify(args[1], Atom(text_of(machine, args[0], lists=True)))
    return machine.unify(args[0], String(text_of(machine, args[1])))


@define("text_to_string/2")
def text_to_string(machine: Machine, args: list[Term]) -> bool:
    text = dereference(args[0])
    if type(text) in (int, float):
        raise type_error("text", text)
    return machine.unify(args[1], String(text_of(machine, text, lists=True)))


@define("term_to_atom/2")
def term_to_atom(machine: Machine, args: list[Term]) -> bool:
    return convert_term(machine, args, Atom)


@define("term_string/2")
def term_string(machine: Machine, args: list[Term]) -> bool:
    return convert_term(machine, args, String)


def convert_term(machine: Machine, args: list[Term], wrap: Callable[[str], Term]) -> bool:
    """Reads a text if there is one; else writes the term."""
    if type(dereference(args[1])) is not Var:
        text = made(machine, text_of(machine, args[1]))
        machine.charge(len(text) >> 3)
        try:
            return machine.unify(args[0], parse_term(text).term)
        except SyntaxProblem as problem:
            raise syntax_error(problem.message) from None
    # The copy has paid for the size of the term, and stops at a cyclic one.
    return machine.unify(args[1], wrap(made(machine, term_text(machine.copy(args[0])))))


# Length, parts, concatenation


@define("atom_length/2", "string_length/2")
def text_length(machine: Machine, args: list[Term]) -> bool:
    integer_or_none(args[1])
    return machine.unify(args[1], len(text_of(machine, args[0], lists=True)))


@define("atom_concat/3")
def atom_concat(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return concatenation(machine, args, wrap_atom)


@define("string_concat/3")
def string_concat(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return concatenation(machine, args, wrap_string)


def concatenation(machine: Machine, args: list[Term], wrap: Callable[[str], Term]) -> bool | Alternatives:
    left, right, whole = map(dereference, args)
    known_left = type(left) is not Var
    known_right = type(right) is not Var
    if known_left and known_right:
        joined = made(machine, text_of(machine, left, "atomic") + text_of(machine, right, "atomic"))
        if type(whole) is Var:
            return machine.unify(whole, wrap(joined))
        return text_of(machine, whole, "atomic") == joined
    text = text_of(machine, whole, "atomic")
    if known_left:
        start = text_of(machine, left, "atomic")
        return text.startswith(start) and machine.unify(right, wrap(text[len(start) :]))
    if known_right:
        end = text_of(machine, right, "atomic")
        return text.endswith(end) and machine.unify(left, wrap(text[: len(text) - len(end)]))
    pair = row(left, right)
    return ((pair, row(wrap(text[:cut]), wrap(text[cut:]))) for cut in paid(machine, len(text) + 1, len(text)))


def paid(machine: Machine, count: int, size: int) -> Iterator[int]:
    """Counts to `count`; charges for a text of this size each time."""
    for number in range(count):
        machine.charge(size >> 5)
        yield number


@define("sub_atom/5")
def sub_atom(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return sub_text(machine, args, wrap_atom)


@define("sub_string/5")
def sub_string(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return sub_text(machine, args, wrap_string)


def sub_text(machine: Machine, args: list[Term], wrap: Callable[[str], Term]) -> bool | Alternatives:
    text = text_of(machine, args[0], "atom")
    before, length, after = map(natural_or_none, args[1:4])
    part = dereference(args[4])
    if type(part) is not Var:
        wanted = text_of(machine, part, "atom")
        return occurrences(machine, text, wanted, row(*args[1:4]))
    spans = sub_spans(machine, len(text), before, length, after)
    numbers = row(*args[1:])
    return ((numbers, row(start, end - start, len(text) - end, wrap(text[start:end]))) for start, end in spans)


def occurrences(machine: Machine, text: str, wanted: str, numbers: Term) -> Alternatives:
    start = text.find(wanted)
    while start >= 0:
        machine.charge(1 + (len(text) >> 8))
        yield numbers, row(start, len(wanted), len(text) - start - len(wanted))
        start = text.find(wanted, start + 1)


def sub_spans(
    machine: Machine, size: int, before: int | None, length: int | None, after: int | None
) -> Iterator[tuple[int, int]]:
    """Starts and ends of the parts of a text that agree with what is known."""
    if before is None and length is not None and after is not None:
        before = size - length - after
    starts = range(size + 1) if before is None else range(max(before, 0), before + 1)
    for start in starts:
        if start > size:
            return
        machine.charge(1)
        if length is not None:
            ends = range(start + length, start + length + 1)
        elif after is not None:
            ends = range(size - after, size - after + 1)
        else:
            ends = range(start, size + 1)
        for end in ends:
            if start <= end <= size and (after is None or size - end == after):
                machine.charge(end - start >> 5)
                yield start, end


@define("string_code/3")
def string_code(machine: Machine, args: list[Term]) -> bool | Alternatives:
    text = text_of(machine, args[1], lists=True)
    index = natural_or_none(args[0])
    if index is None:
        return ((row(args[0], args[2]), row(i, ord(c))) for i, c in enumerate(text, 1))
    return 0 < index <= len(text) and machine.unify(args[2], ord(text[index - 1]))


@define("atomic_list_concat/2")
def join(machine: Machine, args: list[Term]) -> bool:
    parts = [text_of(machine, item) for item in proper_list(machine, args[0])]
    return machine.unify(args[1], Atom(made(machine, "".join(parts))))


@define("atomic_list_concat/3")
def join_or_split(machine: Machine, args: list[Term]) -> bool:
    separator = text_of(machine, args[1])
    items, tail = spine(machine, args[0])
    if tail is not NIL and type(tail) is not Var:
        raise type_error("list", args[0])
    if tail is NIL and not any(type(dereference(item)) is Var for item in items):
        joined = separator.join([text_of(machine, item) for item in items])
        return machine.unify(args[2], Atom(made(machine, joined))) or (
            type(dereference(args[2])) is String and text_of(machine, args[2]) == joined
        )
    whole = text_of(machine, args[2])
    if not separator:
        raise domain_error("non_empty_atom", dereference(args[1]))
    machine.charge(len(whole) >> 3)
    return machine.unify(args[0], make_list([Atom(part) for part in whole.split(separator)]))


@define("split_string/4")
def split_string(machine: Machine, args: list[Term]) -> bool:
    """Splits at each separator; padding goes from both ends, also across separators that are padding too."""
    if type(dereference(args[0])) in (int, float):
        raise type_error("text", args[0])
    text, separators, padding = (text_of(machine, arg, lists=True) for arg in args[:3])
    machine.charge(len(text) >> 3)
    text = text.strip(padding) if padding else text
    parts: list[Term] = []
    start = 0
    while start <= len(text):
        while start < len(text) and text[start] in padding:
            start += 1
        end = start
        while end < len(text) and text[end] not in separators:
            end += 1
        parts.append(String(text[start:end].rstrip(padding) if padding else text[start:end]))
        start = end + 1
    return machine.unify(args[3], make_list(parts))


# Characters


def mapper(change: Callable[[str], str], wrap: Callable[[str], Term]) -> Callable[..., bool]:
    """A predicate that maps each character of a text."""

    def apply(machine: Machine, args: list[Term]) -> bool:
        text = text_of(machine, args[0], "atomic")
        return machine.unify(args[1], wrap(made(machine, "".join(map(change, text)))))

    return apply


def upper(char: str) -> str:
    """One character for one: no `SS` for a sharp s."""
    changed = char.upper()
    return changed if len(changed) == 1 else char


def lower(char: str) -> str:
    changed = char.lower()
    return changed if len(changed) == 1 else char


define("upcase_atom/2")(mapper(upper, wrap_atom))
define("downcase_atom/2")(mapper(lower, wrap_atom))
define("string_upper/2")(mapper(upper, wrap_string))
define("string_lower/2")(mapper(lower, wrap_string))


def is_graph(char: str) -> bool:
    return char.isprintable() and not char.isspace()


def digit_value(char: str) -> int | None:
    return ord(char) - ord("0") if "0" <= char <= "9" else None


def hex_value(char: str) -> int | None:
    return int(char, 16) if char in "0123456789abcdefABCDEF" else None


TYPES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "csym": lambda c: c.isalnum() or c == "_",
    "csymf": lambda c: c.isalpha() or c == "_",
    "ascii": str.isascii,
    "white": lambda c: c in " \t",
    "cntrl": lambda c: ord(c) < 32 or 127 <= ord(c) < 160,
    "space": str.isspace,
    "end_of_line": lambda c: c in "\n\v\f\r",
    "newline": lambda c: c == "\n",
    "lower": str.islower,
    "upper": str.isupper,
    "digit": str.isdecimal,
    "punct": lambda c: is_graph(c) and not c.isalnum(),
    "graph": is_graph,
    "print": lambda c: is_graph(c) or c == " ",
    "period": lambda c: c in ".?!",
    "quote": lambda c: c in "'\"`",
    "end_of_file": lambda c: False,
}

# Types that relate a character to another, or to its weight as a digit.
RELATIONS: dict[str, Callable[[str], str | int | None]] = {
    "digit": digit_value,
    "xdigit": hex_value,
    "lower": lambda c: upper(c) if c.islower() else None,
    "upper": lambda c: lower(c) if c.isupper() else None,
    "to_lower": upper,
    "to_upper": lower,
}


@define("char_type/2")
def char_type(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return classify(machine, args, wrap_atom)


@define("code_type/2")
def code_type(machine: Machine, args: list[Term]) -> bool | Alternatives:
    return classify(machine, args, ord)


def classify(machine: Machine, args: list[Term], wrap: Callable[[str], Term]) -> bool | Alternatives:
    given, kind = dereference(args[0]), dereference(args[1])
    if type(given) is int and given == -1:
        return type(kind) is Atom and kind.name == "end_of_file"
    if type(kind) is Var:
        kinds: list[Term] = [Atom(name) for name in TYPES]
        kinds += [Struct(name, (Var(),)) for name in RELATIONS]
    elif (type(kind) is Atom and kind.name in TYPES) or (type(kind) is Struct and kind.name in RELATIONS):
        kinds = [kind]
    else:
        raise type_error("char_type", kind)
    candidates = map(chr, range(LAST_CODE + 1)) if type(given) is Var else iter([character(given)])
    return classified(machine, given, kind, candidates, kinds, wrap)


def character(term: Term) -> str:
    if type(term) is int and 0 <= term <= LAST_CODE:
        return chr(term)
    text = term.name if type(term) is Atom else term.text if type(term) is String else ""
    if len(text) != 1:
        raise type_error("character", term)
    return text


def classified(
    machine: Machine, given: Term, asked: Term, candidates: Iterator[str], kinds: list[Term],
    wrap: Callable[[str], Term],
) -> Alternatives:  # fmt: skip
    for number, char in enumerate(candidates):
        machine.charge(number & 7 == 7)
        result = wrap(char) if type(given) is Var else given
        for kind in kinds:
            if type(kind) is Atom:
                if TYPES[kind.name](char):
                    yield row(given, asked), row(result, kind)
            elif type(kind) is Struct:
                other = RELATIONS[kind.name](char)
                if other is not None:
                    value = wrap(other) if isinstance(other, str) else other
                    yield row(given, asked), row(result, Struct(kind.name, (value,)))
