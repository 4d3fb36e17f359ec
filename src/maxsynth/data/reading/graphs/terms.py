"""Terms of RDF as values: an IRI and a literal by their text, a blank node by its label.

They are looked at once each, in C++; only the few with escapes one by one. The datatype of a literal says what it may
be read as. A language is not part of a value: that it is left out is noted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.reading.columns import encoded
from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError, Position

IRI = r"""<(?:[^\x00-\x20<>"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>"""
BLANK = r"""_:[^\s<>"]*[^\s<>".]"""
STRING = r'''"(?:[^"\\\n\r]|\\[tbnrf"'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*"'''
LITERAL = rf"{STRING}(?:@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*|\^\^{IRI})?"

PARTS = r'(?s)\A"(?P<text>.*)"(?:@(?P<language>[-a-zA-Z0-9]+)|\^\^<(?P<datatype>[^>]*)>)?\z'
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}

XSD = "http://www.w3.org/2001/XMLSchema#"
SIZES = ("int", "long", "short", "byte", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte")
SIGNS = ("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger")
Kinds = tuple[Kind, ...]
TEXT: Kinds = ()
NUMBERS: Kinds = (Kind.INTEGER, Kind.REAL)
DATATYPES: dict[str, Kinds] = {
    **{XSD + name: NUMBERS for name in ("integer", *SIZES, *SIGNS, "gYear", "decimal", "double", "float")},
    XSD + "date": (Kind.DATE,),
    XSD + "dateTime": (Kind.TIME,),
    XSD + "boolean": (Kind.YES_NO,),
}
NAMED: list[Kinds] = [TEXT, NUMBERS, (Kind.DATE,), (Kind.TIME,), (Kind.YES_NO,)]


@dataclass
class Terms:
    """The values of a graph: their texts, and of RDF what they may be."""

    texts: Any
    kinds: NDArray[np.int8] | None = None  # the place in `named` of each
    same: NDArray[np.int32] | None = None  # for each the first with the same text, where there are such
    named: tuple[Kinds, ...] = tuple(NAMED)


def plain_terms(values: Any) -> Terms:
    return Terms(values)


def typed_terms(values: Any, notes: list[str], place: Position, *, differ: bool) -> Terms:
    """What terms of RDF are; `differ` says that no two of them are the same."""
    pc = compute()
    iri, literal = pc.starts_with(values, "<"), pc.starts_with(values, '"')
    parts = pc.extract_regex(pc.if_else(literal, values, None), PARTS)
    bare = pc.if_else(iri, pc.ascii_trim(values, "<>"), pc.coalesce(pc.struct_field(parts, "text"), values))
    texts = unescaped(bare, pc.match_substring(pc.if_else(pc.or_(iri, literal), values, ""), "\\"), place)
    datatypes = pc.struct_field(parts, "datatype")
    kinds = np.zeros(len(values), np.int8)
    if pc.any(pc.fill_null(literal, False)).as_py():
        kinds = datatype_kinds(datatypes)
        tagged = pc.sum(pc.not_equal(pc.fill_null(pc.struct_field(parts, "language"), ""), "")).as_py()
        if tagged:
            notes.append(f"{tagged:,} values have a language, which is left out")
    if differ and texts is bare and pc.all(iri, min_count=0).as_py():  # IRIs differ just where their texts do
        return Terms(as_large(texts), kinds)
    distinct, codes = encoded(texts)
    same = None
    if len(distinct) < len(texts):
        first = np.full(len(distinct), -1, np.int32)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1, dtype=np.int32)
        same = first[codes]
    return Terms(as_large(texts), kinds, same)


def as_large(texts: Any) -> Any:
    pa = arrow()
    return pa.array(texts, pa.large_string()) if texts.type != pa.large_string() else texts


def datatype_kinds(datatypes: Any) -> NDArray[np.int8]:
    """The place in `NAMED` for the datatype of each term."""
    found, codes = encoded(datatypes)
    places = [NAMED.index(DATATYPES.get(one, TEXT)) for one in found.to_pylist()]
    return np.array([*places, 0], np.int8)[codes]


def unescaped(texts: Any, escaped: Any, place: Position) -> Any:
    """The texts with the escapes in some of them resolved."""
    pa, pc = arrow(), compute()
    if not pc.any(escaped).as_py():
        return texts
    some = [without_escapes(text) for text in texts.filter(escaped).to_pylist()]
    try:
        return pc.replace_with_mask(texts, escaped, pa.array(some, texts.type))
    except UnicodeError:
        wrong = next(text for text in some if any("\ud800" <= char <= "\udfff" for char in text))
        raise MaxSynthError(
            f"an escape stands for no character: {ascii(wrong)[:60]}", place, "write characters beyond U+FFFF as \\U"
        ) from None


def without_escapes(text: str) -> str:
    return ESCAPE.sub(
        lambda found: chr(int(found[1] or found[2], 16)) if found[1] or found[2] else ESCAPED.get(found[3], found[3]),
        text,
    )


def iris(terms: list[str]) -> list[str]:
    return [without_escapes(term.strip("<>")) for term in terms]
