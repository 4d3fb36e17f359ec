"""Turtle: what is plain in it is read as columns (`plain_turtle`), and the rest by way of N-Triples.

pyoxigraph parses that and writes N-Triples, both in Rust, and these are read in blocks. So a triple never becomes an
object of ours. Blank nodes that have no label in the file get a random one there; they are called after the order in
which they are met, so that the same file gives the same values.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from maxsynth.data.reading.columns import text_values
from maxsynth.data.reading.extras import arrow, compute, needed
from maxsynth.data.reading.files.places import not_utf8
from maxsynth.data.reading.graphs.ntriples import Sink
from maxsynth.data.reading.graphs.plain_turtle import Block, Header, read_blocks, read_header
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.errors import MaxSynthError, Position

DIRECTIVES = re.compile(rb"(?i)\b(?:prefix|base)\b")
RANDOM = r"\A_:[0-9a-f]{20,32}\z"


def read_turtle(path: Path) -> Triples:
    try:
        with path.open("rb") as file:
            header = read_header(file)
            return Reader(path, header).read(file)
    except SyntaxError:  # of which the place is known when all of it is parsed
        return parsed_whole(path)


class Reader:
    """Reads what is plain as columns, and parses the rest."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.header = path, header
        self.triples = Triples(rdf=True, expand=header.expanded)
        self.names: dict[str, str] = {}  # of blank nodes that have no label

    def read(self, file: IO[bytes]) -> Triples:
        for block in read_blocks(file, self.header):
            if block.triples:
                self.triples.add(*block.triples)
            elif block.triples is None and not self.parsed_alone(block):
                file.seek(block.start)
                self.add(Rest(self.header.text, file))
                break
        return self.triples

    def parsed_alone(self, block: Block) -> bool:
        """Parses a block, if it is a file of its own and has no prefixes or base for those that follow."""
        if DIRECTIVES.search(block.text):
            return False
        try:
            self.add(Rest(self.header.text, BytesIO(block.text)))
        except SyntaxError:
            return False
        return True

    def add(self, source: Rest) -> None:
        found = parsed(self.path, source, self.names)
        for part in zip(found.subjects, found.relations, found.objects, strict=True):
            self.triples.add(*part)


def parsed_whole(path: Path) -> Triples:
    try:
        with path.open("rb") as file:
            return parsed(path, file, {})
    except SyntaxError as error:
        if wrong := not_utf8(path):
            raise wrong from None
        raise MaxSynthError(
            f"this is no Turtle: {error.msg}",
            Position(str(path), error.lineno or 0, error.offset or 0),
            "correct it there",
        ) from None


def parsed(path: Path, source: Any, names: dict[str, str]) -> Triples:
    """The triples of a file, or of what reads like one."""
    oxigraph = needed("pyoxigraph")
    with Sink(path) as sink:
        found = oxigraph.parse(source, format=oxigraph.RdfFormat.TURTLE)
        oxigraph.serialize(found, sink, format=oxigraph.RdfFormat.N_TRIPLES)
        triples = sink.done()
    name_blank_nodes(triples, names)
    return triples


class Rest:
    """A part of a file with the prefixes before it."""

    def __init__(self, begin: bytes, rest: IO[bytes]) -> None:
        self.begin, self.rest = begin, rest

    def read(self, size: int = -1) -> bytes:
        text, self.begin = self.begin, b""
        return text or self.rest.read(size)


def name_blank_nodes(triples: Triples, names: dict[str, str]) -> None:
    """Gives random labels the order of first sight instead."""
    for place in range(len(triples.subjects)):
        for parts in (triples.subjects, triples.objects):
            parts[place] = renamed(parts[place], names)


def renamed(part: Any, names: dict[str, str]) -> Any:
    pa, pc = arrow(), compute()
    terms = part.dictionary
    blank = pc.match_substring_regex(terms, RANDOM)
    if not pc.any(blank).as_py():
        return part
    new = [names.setdefault(term, f"_:unnamed{len(names) + 1}") for term in text_values(terms.filter(blank))]
    return pa.DictionaryArray.from_arrays(part.indices, pc.replace_with_mask(terms, blank, pa.array(new, terms.type)))
