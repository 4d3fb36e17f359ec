"""Turtle: what is plain in it is read as columns (`plain_turtle`), and the rest by way of N-Triples.

pyoxigraph parses that and writes N-Triples, both in Rust, and these are read in blocks. So a triple never becomes an
object of ours. Blank nodes that have no label in the file get a random one there; they are called after the order in
which they are met, so that the same file gives the same values.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from maxsynth.data.reading.columns import text_values
from maxsynth.data.reading.extras import arrow, compute, needed
from maxsynth.data.reading.files.places import not_utf8
from maxsynth.data.reading.graphs.ntriples import Sink
from maxsynth.data.reading.graphs.plain_turtle import Plain, read_plain
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.errors import MaxSynthError, Position

RANDOM = r"\A_:[0-9a-f]{20,32}\z"


def read_turtle(path: Path) -> Triples:
    plain = read_plain(path)
    if plain.end == path.stat().st_size:
        return plain.triples
    try:
        with path.open("rb") as file:
            rest = parsed(path, Rest(file, plain))
    except SyntaxError:  # of which the place is known when all of it is parsed
        return parsed_whole(path)
    triples = plain.triples
    for parts, more in (
        (triples.subjects, rest.subjects),
        (triples.relations, rest.relations),
        (triples.objects, rest.objects),
    ):
        parts += more
    triples.count += rest.count
    return triples


def parsed_whole(path: Path) -> Triples:
    try:
        with path.open("rb") as file:
            return parsed(path, file)
    except SyntaxError as error:
        if wrong := not_utf8(path):
            raise wrong from None
        raise MaxSynthError(
            f"this is no Turtle: {error.msg}",
            Position(str(path), error.lineno or 0, error.offset or 0),
            "correct it there",
        ) from None


def parsed(path: Path, source: Any) -> Triples:
    """The triples of a file, or of what reads like one."""
    oxigraph = needed("pyoxigraph")
    with Sink(path) as sink:
        found = oxigraph.parse(source, format=oxigraph.RdfFormat.TURTLE)
        oxigraph.serialize(found, sink, format=oxigraph.RdfFormat.N_TRIPLES)
        triples = sink.done()
    name_blank_nodes(triples)
    return triples


class Rest:
    """A file without its plain statements, and with the prefixes before them."""

    def __init__(self, file: IO[bytes], plain: Plain) -> None:
        self.file = file
        self.begin = file.read(plain.begin)
        file.seek(plain.end)

    def read(self, size: int = -1) -> bytes:
        if self.begin:
            text, self.begin = self.begin, b""
            return text
        return self.file.read(size)


def name_blank_nodes(triples: Triples) -> None:
    """Gives random labels the order of first sight instead."""
    names: dict[str, str] = {}
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
