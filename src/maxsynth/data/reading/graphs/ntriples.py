"""N-Triples: a triple a line, `<subject> <relation> object .`

Read in blocks of lines, each by a few calls of Arrow: split at the first two runs of spaces (neither a subject nor a
relation has any in it), take off the point, and find the distinct terms, which are then checked. Lines for which this
is not enough (comments after the point, no spaces) are parsed one by one and put in order; then the block is read
again.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from maxsynth.data.reading.columns import encoded
from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.data.reading.graphs.terms import BLANK, IRI, LITERAL
from maxsynth.errors import MaxSynthError, Position, shortened

BLOCK = 32 << 20  # bytes
SUBJECT, RELATION, OBJECT = rf"\A(?:{IRI}|{BLANK})\z", rf"\A{IRI}\z", rf"\A(?:{IRI}|{BLANK}|{LITERAL})\z"
LINE = re.compile(rf"[ \t]*({IRI}|{BLANK})[ \t]*({IRI})[ \t]*({IRI}|{BLANK}|{LITERAL})[ \t]*\.[ \t]*(?:#.*)?")


def read_ntriples(path: Path) -> Triples:
    sink = Sink(path)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            sink.block(block + file.readline())
    return sink.triples


class Sink:
    """Takes N-Triples in any pieces."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.triples = Triples(rdf=True)
        self.lines = 0  # that were read before
        self.pieces: list[bytes] = []
        self.size = 0

    def write(self, piece: bytes) -> int:
        self.pieces.append(bytes(piece))
        self.size += len(piece)
        if self.size >= BLOCK:
            self.flush()
        return len(piece)

    def flush(self, *, last: bool = False) -> None:
        text = b"".join(self.pieces)
        end = len(text) if last else text.rfind(b"\n") + 1
        self.pieces, self.size = [text[end:]], len(text) - end
        if end:
            self.block(text[:end])

    def block(self, text: bytes) -> None:
        """Reads whole lines."""
        pa, pc = arrow(), compute()
        try:
            whole = pa.array([text], pa.large_binary()).cast(pa.large_string())
        except pa.ArrowInvalid:
            raise self.not_utf8(text) from None
        lines = pc.ascii_trim_whitespace(pc.split_pattern(whole, "\n").values)
        used = pc.and_(pc.greater(pc.binary_length(lines), 0), pc.invert(pc.starts_with(lines, "#")))
        numbers = np.flatnonzero(used.to_numpy(zero_copy_only=False)) + self.lines + 1
        self.lines += len(lines) - 1
        lines = lines.filter(used)
        if not len(lines):
            return
        parts, wrong = split(lines)
        if wrong.any():
            lines = self.in_order(lines, wrong, numbers)
            parts, _ = split(lines)
        self.triples.add(*parts)

    def in_order(self, lines: Any, wrong: Any, numbers: Any) -> Any:
        pa, pc = arrow(), compute()
        fixed = []
        for number, line in zip(numbers[wrong].tolist(), lines.filter(pa.array(wrong)).to_pylist(), strict=True):
            found = LINE.fullmatch(line)
            if found is None:
                raise MaxSynthError(
                    f"this is no triple: {shortened(line, 60)}",
                    Position(str(self.path), number),
                    'a line is <subject> <relation> <object> . or <subject> <relation> "text" .',
                )
            fixed.append(" ".join(found.groups()) + " .")
        return pc.replace_with_mask(lines, pa.array(wrong), pa.array(fixed, lines.type))

    def not_utf8(self, text: bytes) -> MaxSynthError:
        line = self.lines + 1
        try:
            text.decode()
        except UnicodeDecodeError as error:
            line += text.count(b"\n", 0, error.start)
        return MaxSynthError("this is not UTF-8 text", Position(str(self.path), line), "save it as UTF-8")


def split(lines: Any) -> tuple[list[Any], Any]:
    """Subjects, relations and objects of lines, with their distinct values; and which lines are not in order."""
    pa, pc = arrow(), compute()
    pieces = pc.ascii_split_whitespace(lines, max_splits=2)
    wrong = pc.less(pc.list_value_length(pieces), 3).to_numpy(zero_copy_only=False)
    if wrong.any():
        pieces = pc.if_else(pa.array(wrong), pa.scalar(["", "", ""], pieces.type), pieces)
    columns = [pc.list_element(pieces, place) for place in range(3)]
    wrong |= ~pc.ends_with(columns[2], ".").to_numpy(zero_copy_only=False)
    columns[2] = pc.ascii_rtrim(columns[2], " \t.")
    found = []
    for column, pattern in zip(columns, (SUBJECT, RELATION, OBJECT), strict=True):
        coded = column.dictionary_encode()
        good = pc.match_substring_regex(coded.dictionary, pattern).to_numpy(zero_copy_only=False)
        if not good.all():
            wrong |= ~good[encoded(coded)[1]]
        found.append(coded)
    return found, wrong
