"""Turtle in lines as programs write it: `e:Q1 r:P2 e:Q3 .` after prefixes, and lines that go on after `;` or `,`.

A parser takes a file apart letter by letter; here a block of lines is split by a few calls of Arrow, and its distinct
terms are checked. What counts as plain is much less than Turtle allows, and such that there is no doubt what it means:
names and IRIs of ASCII letters, texts without escapes, numbers, true and false. Where the first block begins in which
something else is met (a comment after a statement, a blank node, a prefix that is not known), all statements so far are
complete: so the rest is a Turtle file of its own after the same prefixes, for the parser to read.

Names stay short, as `e:Q1`, until the distinct ones of all blocks are known (`expanded`).
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.reading.extras import arrow, compute, needed
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.data.reading.graphs.terms import XSD

BLOCK = 16 << 20  # bytes
HEADER = 1 << 20
THREADS = 2
PREFIX = r"(?:[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)?"
PATH = r"[A-Za-z0-9._~:@!$&'()*+,;=/-]*"
PLAIN_IRI = rf"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]+)?/{PATH}(?:\?{PATH})?(?:#{PATH})?"
NAMESPACE = rf"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]+)?/{PATH}(?:\?{PATH})?#?"
DIRECTIVE = re.compile(rf"(?:@prefix[ \t]+({PREFIX}):[ \t]*<({NAMESPACE})>[ \t]*\.|#[^\r\n]*)?[ \t]*\r?\n".encode())
LOCAL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
PARTS_AFTER = {".": 3, ";": 2, ",": 1}  # in a line, by how the line before it ended
MORE_LINES = 10_000  # after a block, at most, until a statement ends
NO_DATATYPE = "angString"  # what has a language, and no text does by itself
NUMBERS = {"integer": r"[+-]?[0-9]+", "decimal": r"[+-]?[0-9]*\.[0-9]+", "boolean": r"true|false"}


def read_plain(path: Path) -> Plain:
    """What can be read so, and where it ends."""
    with path.open("rb") as file, ThreadPoolExecutor(THREADS) as pool:
        prefixes, start = directives(file)
        plain = Plain(start, start, prefixes)
        file.seek(start)
        patterns = Patterns(prefixes)
        waiting: deque[tuple[int, Future[list[Any] | None]]] = deque()
        for text in blocks(file):
            waiting.append((len(text), pool.submit(partial(columns, text, patterns))))
            if len(waiting) > THREADS and not plain.take(waiting):
                break
        while waiting and plain.take(waiting):
            pass
    return plain


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks of lines, each up to the end of a statement."""
    while block := file.read(BLOCK):
        lines = [file.readline()]
        while (
            len(lines) < MORE_LINES and not (lines[-1] or block).rstrip().endswith(b".") and (line := file.readline())
        ):
            lines.append(line)
        yield block + b"".join(lines)


def directives(file: IO[bytes]) -> tuple[dict[str, str], int]:
    """The prefixes at the beginning of a file, and where they end."""
    text, at = file.read(HEADER), 0
    prefixes: dict[str, str] = {}
    while found := DIRECTIVE.match(text, at):
        at = found.end()
        if found[2] is not None:
            prefixes[found[1].decode()] = found[2].decode()
    try:
        text[:at].decode()
    except UnicodeDecodeError:  # in a comment
        return {}, 0
    return prefixes, at


@dataclass
class Plain:
    """The triples of plain statements; `begin` and `end` are where these are in the file, with directives before."""

    begin: int
    end: int
    prefixes: Mapping[str, str]
    triples: Triples = field(init=False)

    def __post_init__(self) -> None:
        self.triples = Triples(rdf=True, expand=partial(expanded, prefixes=self.prefixes))

    def take(self, waiting: deque[tuple[int, Future[list[Any] | None]]]) -> bool:
        """Adds the first block that is waiting; False where it is not plain: then none that follows counts."""
        size, block = waiting.popleft()
        found = block.result()
        if found is None:
            waiting.clear()
            return False
        self.end += size
        if found:
            self.triples.add(*found)
        return True


class Patterns:
    """What terms look like, given the prefixes."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.prefixes = prefixes
        known = "|".join(map(re.escape, prefixes))
        name = rf"(?:{known}):{LOCAL}" if prefixes else r"[^\s\S]"
        thing = rf"<{PLAIN_IRI}>|{name}"
        text = rf'"[^"\\\x00-\x1f\x7f]*"(?:@[a-z][a-z]|\^\^(?:{thing}))?'
        self.subject = rf"\A(?:{thing})\z"
        self.relation = rf"\A(?:{thing}|a)\z"
        self.object = rf"\A(?:{thing}|{text}|{'|'.join(NUMBERS.values())})\z"

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


def spaced(text: bytes) -> list[Any] | None:
    """The parts of lines in which one space stands between each two, which is fastest; None where some are not so."""
    pa, csv = arrow(), needed("pyarrow.csv")
    names = ("subject", "relation", "object", "point")
    if text.startswith(codecs.BOM_UTF8):  # which would be skipped
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
            ),
        )
    except pa.ArrowInvalid:
        return None
    *parts, points = (table.column(name).combine_chunks() for name in names)
    points = points.chunk(0) if isinstance(points, pa.ChunkedArray) else points
    return parts if points.dictionary.to_pylist() == ["."] else None


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
    typed = pc.match_substring_regex(terms, r'\A"[^"]*"\^\^[^<]')
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
