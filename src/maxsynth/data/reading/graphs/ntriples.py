"""N-Triples: a triple a line, `<subject> <relation> object .`

Read in blocks of lines, each by a few calls of Arrow: split at single spaces (`spaced`) or, where some are not so, at
the first two runs of spaces (neither a subject nor a relation has any in it); then the distinct terms are found, and
checked. Lines for which this is not enough (comments after the point, no spaces) are parsed one by one and put in
order; then the block is read again. Arrow lets other threads run, so that two blocks are read at once; their order is
kept.
"""

from __future__ import annotations

import re
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from maxsynth.data.reading.columns import encoded
from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.data.reading.graphs.spaced import spaced
from maxsynth.data.reading.graphs.terms import BLANK, IRI, LITERAL
from maxsynth.errors import MaxSynthError, Position, shortened

BLOCK = 16 << 20  # bytes
THREADS = 2
SUBJECT, RELATION, OBJECT = rf"\A(?:{IRI}|{BLANK})\z", rf"\A{IRI}\z", rf"\A(?:{IRI}|{BLANK}|{LITERAL})\z"
LINE = re.compile(rf"({IRI}|{BLANK})[ \t]*({IRI})[ \t]*({IRI}|{BLANK}|{LITERAL})[ \t]*\.[ \t]*(?:#.*)?")
FORM = 'a line is <subject> <relation> <object> . or <subject> <relation> "text" .'


class Block(NamedTuple):
    """What was read from some lines; or what is wrong in which of them."""

    lines: int
    parts: list[Any]
    wrong: int = 0
    problem: tuple[str, str] = ("", "")


def read_ntriples(path: Path) -> Triples:
    with path.open("rb") as file, Sink(path) as sink:
        while block := file.read(BLOCK):
            sink.add(block + file.readline())
        return sink.done()


class Sink:
    """Takes N-Triples, in blocks of whole lines or in any pieces."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.triples = Triples(rdf=True)
        self.lines = 0  # that were read
        self.pieces: list[bytes] = []
        self.size = 0
        self.pool = ThreadPoolExecutor(THREADS)
        self.waiting: deque[Future[Block]] = deque()

    def __enter__(self) -> Sink:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def write(self, piece: bytes) -> int:
        self.pieces.append(bytes(piece))
        self.size += len(piece)
        if self.size >= BLOCK:
            text = b"".join(self.pieces)
            end = text.rfind(b"\n") + 1
            self.pieces, self.size = [text[end:]], len(text) - end
            self.add(text[:end])
        return len(piece)

    def flush(self) -> None:
        """Writers to a file call this. What is left here waits until there is more, or until all is done."""

    def add(self, text: bytes) -> None:
        self.waiting.append(self.pool.submit(parsed, text))
        if len(self.waiting) > THREADS:
            self.take()

    def take(self) -> None:
        block = self.waiting.popleft().result()
        if block.wrong:
            message, remedy = block.problem
            raise MaxSynthError(message, Position(str(self.path), self.lines + block.wrong), remedy)
        self.lines += block.lines
        if block.parts:
            self.triples.add(*block.parts)

    def done(self) -> Triples:
        if self.size:
            self.add(b"".join(self.pieces))
        while self.waiting:
            self.take()
        return self.triples


def parsed(text: bytes) -> Block:
    """Reads whole lines."""
    pa, pc = arrow(), compute()
    count = text.count(b"\n")
    if (quickly := in_order(text, count)) is not None:
        return Block(count, quickly)
    text = text.removesuffix(b"\n")
    try:
        whole = pa.array([text], pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return Block(count, [], bad_line(text), ("this is not UTF-8 text", "save it as UTF-8"))
    lines = pc.ascii_trim_whitespace(pc.split_pattern(whole, "\n").values)
    used = pc.and_(pc.greater(pc.binary_length(lines), 0), pc.invert(pc.starts_with(lines, "#")))
    used = used.to_numpy(zero_copy_only=False)
    if not used.all():
        lines = lines.filter(pa.array(used))
        if not len(lines):
            return Block(count, [])
    parts, wrong = split(lines)
    if not wrong.any():
        return Block(count, parts)
    fixed = []
    for at, line in zip(np.flatnonzero(wrong).tolist(), lines.filter(pa.array(wrong)).to_pylist(), strict=True):
        found = LINE.fullmatch(line)
        if found is None:
            number = int(np.flatnonzero(used)[at]) + 1
            return Block(count, [], number, (f"this is no triple: {shortened(line, 60)}", FORM))
        fixed.append(" ".join(found.groups()) + " .")
    return Block(count, split(pc.replace_with_mask(lines, pa.array(wrong), pa.array(fixed, lines.type)))[0])


def in_order(text: bytes, count: int) -> list[Any] | None:
    """The parts of lines that are all as most programs write them; None where some are not."""
    pc = compute()
    parts = spaced(text)
    if parts is None or len(parts[0]) != count + (not text.endswith(b"\n")):  # a return may end a line in a line
        return None
    good = (
        pc.all(pc.match_substring_regex(part.dictionary, pattern)).as_py()
        for part, pattern in zip(parts, (SUBJECT, RELATION, OBJECT), strict=True)
    )
    return parts if all(good) else None


def bad_line(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return text.count(b"\n", 0, error.start) + 1
    return 1


def split(lines: Any) -> tuple[list[Any], Any]:
    """Subjects, relations and objects of lines, with their distinct values; and which lines are not in order."""
    pa, pc = arrow(), compute()
    pieces = pc.ascii_split_whitespace(lines, max_splits=2)
    wrong = pc.less(pc.list_value_length(pieces), 3).to_numpy(zero_copy_only=False)
    if wrong.any():
        pieces = pc.if_else(pa.array(wrong), pa.scalar(["", "", ""], pieces.type), pieces)
    columns = [pc.list_element(pieces, place) for place in range(3)]
    wrong = wrong | ~pc.ends_with(columns[2], ".").to_numpy(zero_copy_only=False)
    columns[2] = pc.ascii_rtrim(columns[2], " \t.")
    found = []
    for column, pattern in zip(columns, (SUBJECT, RELATION, OBJECT), strict=True):
        coded = column.dictionary_encode()
        good = pc.match_substring_regex(coded.dictionary, pattern).to_numpy(zero_copy_only=False)
        if not good.all():
            wrong |= ~good[encoded(coded)[1]]
        found.append(coded)
    return found, wrong
