"""Turtle in lines as programs write it: `e:Q1 r:P2 e:Q3 .` after prefixes, and lines that go on after `;` or `,`.

A parser takes a file apart letter by letter; here a block of lines is split by a few calls of Arrow, and its distinct
terms are checked. What counts as plain is less than Turtle allows, and such that there is no doubt what it means: names
of ASCII letters, IRIs of http, blank nodes with a label, texts in one line, numbers, true and false. Where a block is
not plain, all statements before it are complete: so with the same prefixes it is a Turtle file of its own, for the
parser to read; or else all that is left is one.

Names stay short, as `e:Q1`, until the distinct ones of all blocks are known (`expanded`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.reading.graphs.spaced import spaced
from maxsynth.data.reading.graphs.terms import XSD

BLOCK = 16 << 20  # bytes
HEADER = 1 << 20
THREADS = 2
PREFIX = r"(?:[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)?"
HOST = r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]+)?"
MARKS = r"A-Za-z0-9._~:@!$&'()*+,;=/-"
NAMESPACE = rf"{HOST}/[{MARKS}]*(?:\?[{MARKS}]*)?#?"
LETTERS = rf"(?:[{MARKS}\x{{A0}}-\x{{D7FF}}]|%[0-9A-Fa-f][0-9A-Fa-f])*"  # with those of all languages
IRI = rf"{HOST}/{LETTERS}(?:\?{LETTERS})?(?:#{LETTERS})?"
LABEL = r"_:[A-Za-z][A-Za-z0-9]{0,15}"
DIRECTIVE = re.compile(rf"(?:@prefix[ \t]+({PREFIX}):[ \t]*<({NAMESPACE})>[ \t]*\.|#[^\r\n]*)?[ \t]*\r?\n".encode())
LOCAL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
PARTS_AFTER = {".": 3, ";": 2, ",": 1}  # in a line, by how the line before it ended
MORE_LINES = 10_000  # after a block, at most, until a statement ends
NO_DATATYPE = "angString"  # what has a language, and no text does by itself
NUMBERS = {"integer": r"[+-]?[0-9]+", "decimal": r"[+-]?[0-9]*\.[0-9]+", "boolean": r"true|false"}


@dataclass(frozen=True)
class Header:
    """The prefixes at the beginning of a file, and all that is there up to their end."""

    text: bytes
    prefixes: Mapping[str, str]

    def expanded(self, terms: Any) -> Any:
        return expanded(terms, self.prefixes)


class Block(NamedTuple):
    """Lines of a file, where they begin, and their triples; None where they are not plain."""

    start: int
    text: bytes
    triples: list[Any] | None


def read_header(file: IO[bytes]) -> Header:
    """Reads directives from the beginning of a file on. What follows them is read next."""
    text, at = file.read(HEADER), 0
    prefixes: dict[str, str] = {}
    while found := DIRECTIVE.match(text, at):
        at = found.end()
        if found[2] is not None:
            prefixes[found[1].decode()] = found[2].decode()
    try:
        text[:at].decode()
    except UnicodeDecodeError:  # in a comment
        at, prefixes = 0, {}
    file.seek(at)
    return Header(text[:at], prefixes)


def read_blocks(file: IO[bytes], header: Header) -> Iterator[Block]:
    """The blocks of a file after its header, in their order; a few are read at once."""
    patterns = Patterns(header.prefixes)
    waiting: deque[tuple[int, bytes, Future[list[Any] | None]]] = deque()
    start = len(header.text)
    with ThreadPoolExecutor(THREADS) as pool:
        for text in texts(file):
            waiting.append((start, text, pool.submit(partial(columns, text, patterns))))
            start += len(text)
            if len(waiting) > THREADS:
                yield taken(waiting)
        while waiting:
            yield taken(waiting)


def taken(waiting: deque[tuple[int, bytes, Future[list[Any] | None]]]) -> Block:
    start, text, found = waiting.popleft()
    return Block(start, text, found.result())


def texts(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks of lines, each up to the end of a statement, if that is near."""
    while block := file.read(BLOCK):
        lines = [file.readline()]
        while (
            len(lines) < MORE_LINES and not (lines[-1] or block).rstrip().endswith(b".") and (line := file.readline())
        ):
            lines.append(line)
        yield block + b"".join(lines)


class Patterns:
    """What terms look like, given the prefixes."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.prefixes = prefixes
        known = "|".join(map(re.escape, prefixes))
        name = rf"(?:{known}):{LOCAL}" if prefixes else r"[^\s\S]"
        iri = rf"<{IRI}>|{name}"
        text = rf'"(?:[^"\\\x00-\x1f\x7f]|\\[tbnrf"\'\\])*"(?:@[a-z][a-z]|\^\^(?:{iri}))?'
        self.subject = rf"\A(?:{iri}|{LABEL})\z"
        self.relation = rf"\A(?:{iri}|a)\z"
        self.object = rf"\A(?:{iri}|{LABEL}|{text}|{'|'.join(NUMBERS.values())})\z"

    def fit(self, parts: list[Any]) -> bool:
        pc = compute()
        return (
            all(
                pc.all(pc.match_substring_regex(part.dictionary, pattern)).as_py()
                for part, pattern in zip(parts, (self.subject, self.relation, self.object), strict=True)
            )
            and not pc.any(pc.match_substring(parts[2].dictionary, NO_DATATYPE)).as_py()
        )


def columns(text: bytes, patterns: Patterns) -> list[Any] | None:
    """Subjects, relations and objects of a block of lines, with their distinct values; None where it is not plain."""
    for parts in (spaced(text), None):
        parts = split(text) if parts is None else parts
        if parts is None or not parts:
            return parts
        if patterns.fit(parts):
            subjects, relations, objects = parts
            terms = expanded(relations.dictionary, patterns.prefixes).dictionary_encode()  # of which some may be equal
            places = terms.indices.take(relations.indices)
            return [subjects, arrow().DictionaryArray.from_arrays(places, terms.dictionary), objects]
    return None


def split(text: bytes) -> list[Any] | None:
    """The parts of lines that are statements, or go on after `;` with the subject, after `,` with the relation as well.

    A line may list several objects, unless there are texts among them, in which a comma means nothing.
    """
    lines = lines_of(text)
    if lines is None or not len(lines):
        return lines and []
    pa, pc = arrow(), compute()
    last = pc.utf8_slice_codeunits(lines, -1, 1 << 30)
    ends = np.select(
        [pc.equal(last, end).to_numpy(zero_copy_only=False) for end in PARTS_AFTER], [*PARTS_AFTER.values()]
    )
    expected = np.concatenate([[PARTS_AFTER["."]], ends[:-1]])  # parts of each line, after the end of the one before
    rest = pc.ascii_rtrim(pc.utf8_slice_codeunits(lines, 0, -1), " \t")
    tight = pc.equal(pc.add(pc.binary_length(rest), 1), pc.binary_length(lines)).to_numpy(zero_copy_only=False)
    if not ends.all() or ends[-1] != PARTS_AFTER["."] or (tight & (ends == PARTS_AFTER["."])).any():
        return None
    found: list[list[Any]] = [[], [], []]  # of subjects, relations and objects: the lines that have some, and which
    for count in sorted(set(expected.tolist())):
        places = np.flatnonzero(expected == count)
        pieces = pc.ascii_split_whitespace(rest.take(pa.array(places)), max_splits=count - 1) if count > 1 else None
        if pieces is not None and not pc.all(pc.equal(pc.list_value_length(pieces), count)).as_py():
            return None
        for part in range(3 - count, 3):
            texts = rest.take(pa.array(places)) if pieces is None else pc.list_element(pieces, part - 3 + count)
            found[part].append((places, texts))
    rows, objects = listed(*in_order(found[2]))
    return [*(filled(*in_order(part), rows) for part in found[:2]), objects.dictionary_encode()]


def lines_of(text: bytes) -> Any:
    """The lines that have something else than a comment; None where there may be a line in a line, or no UTF-8."""
    pa, pc = arrow(), compute()
    if b"\v" in text or b"\f" in text:  # which are no spaces to Turtle
        return None
    try:
        whole = pa.array([text], pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return None
    lines = pc.ascii_trim_whitespace(pc.split_pattern(whole, "\n").values)
    if pc.any(pc.match_substring(lines, "\r")).as_py():  # which ends a comment
        return None
    return lines.filter(pc.invert(pc.match_substring_regex(lines, r"\A(?:#|\z)")))


def in_order(parts: list[tuple[NDArray[np.int64], Any]]) -> tuple[NDArray[np.int64], Any]:
    """Texts from several groups of lines, in the order of these lines."""
    pa = arrow()
    places, texts = np.concatenate([one for one, _ in parts]), pa.concat_arrays([one for _, one in parts])
    order = np.argsort(places, kind="stable")
    return places[order], texts.take(pa.array(order)) if len(parts) > 1 else texts


def listed(places: NDArray[np.int64], objects: Any) -> tuple[NDArray[np.int64], Any]:
    """The objects one by one, with the line of each."""
    pc = compute()
    several = pc.and_(pc.match_substring_regex(objects, r",[ \t]"), pc.invert(pc.match_substring(objects, '"')))
    if not pc.any(several).as_py():
        return places, objects
    which = several.to_numpy(zero_copy_only=False)
    lists = pc.split_pattern_regex(objects.filter(several), r"[ \t]*,[ \t]+")
    many = np.repeat(places[which], pc.list_value_length(lists).to_numpy(zero_copy_only=False))
    return in_order([(places[~which], objects.filter(pc.invert(several))), (many, pc.list_flatten(lists))])


def filled(places: NDArray[np.int64], texts: Any, rows: NDArray[np.int64]) -> Any:
    """For each row, by its line, the text of that line or of the last one before it that has any."""
    pa = arrow()
    coded = texts.dictionary_encode()
    at = np.searchsorted(places, rows, side="right") - 1
    return pa.DictionaryArray.from_arrays(coded.indices.take(pa.array(at)), coded.dictionary)


# -- short names ----------------------------------------------------------------------------------------------


def expanded(terms: Any, prefixes: Mapping[str, str]) -> Any:
    """Terms as N-Triples have them: names as IRIs, numbers as literals with a datatype."""
    pa, pc = arrow(), compute()
    short = pc.invert(pc.match_substring_regex(terms, r'\A[<"_]'))
    names = pc.and_(short, pc.match_substring(terms, ":"))
    terms = replaced(terms, names, lambda some: whole_names(some, prefixes))
    terms = replaced(terms, pc.equal(terms, "a"), lambda some: pa.array([f"<{TYPE}>"] * len(some), some.type))
    for datatype, pattern in NUMBERS.items():
        numbers = pc.match_substring_regex(terms, rf"\A(?:{pattern})\z")
        terms = replaced(terms, numbers, partial(quoted, end=f'"^^<{XSD}{datatype}>'))
    typed = pc.match_substring_regex(terms, r'"\^\^[^<"]+\z')
    return replaced(terms, typed, lambda some: with_datatypes(some, prefixes))


def replaced(terms: Any, which: Any, make: Callable[[Any], Any]) -> Any:
    pc = compute()
    return pc.replace_with_mask(terms, which, make(terms.filter(which))) if pc.any(which).as_py() else terms


def quoted(texts: Any, end: str) -> Any:
    return joined('"', texts, end)


def whole_names(names: Any, prefixes: Mapping[str, str]) -> Any:
    """The IRIs of names such as `e:Q1`."""
    pa, pc = arrow(), compute()
    parts = pc.split_pattern(names, ":", max_splits=1)
    found = pc.list_element(parts, 0).dictionary_encode()
    starts = pa.array([f"<{prefixes[prefix]}" for prefix in found.dictionary.to_pylist()], names.type)
    return joined(starts.take(found.indices), pc.list_element(parts, 1), ">")


def with_datatypes(literals: Any, prefixes: Mapping[str, str]) -> Any:
    """Literals such as `"5"^^xsd:int` with the IRI of the datatype."""
    pc = compute()
    parts = pc.extract_regex(literals, r'(?s)\A(?P<text>".*"\^\^)(?P<name>.*)\z')
    return joined(pc.struct_field(parts, "text"), whole_names(pc.struct_field(parts, "name"), prefixes))


def joined(*parts: Any) -> Any:
    """Texts put together, row by row."""
    pa, pc = arrow(), compute()
    kind = next(part.type for part in parts if not isinstance(part, str))
    texts = [pa.scalar(part, kind) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", kind))
