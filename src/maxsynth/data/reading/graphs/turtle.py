"""Turtle, by way of N-Triples: pyoxigraph parses it and writes N-Triples, both in Rust, and these are read in blocks.

So a triple never becomes an object of ours. Blank nodes that have no label in the file get a random one there; they are
called after the order in which they are met, so that the same file gives the same values.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maxsynth.data.reading.columns import text_values
from maxsynth.data.reading.extras import arrow, compute, needed
from maxsynth.data.reading.files.places import not_utf8
from maxsynth.data.reading.graphs.ntriples import Sink
from maxsynth.data.reading.graphs.relations import Triples
from maxsynth.errors import MaxSynthError, Position

RANDOM = r"\A_:[0-9a-f]{20,32}\z"


def read_turtle(path: Path) -> Triples:
    oxigraph = needed("pyoxigraph")
    try:
        with Sink(path) as sink:
            found = oxigraph.parse(path=str(path), format=oxigraph.RdfFormat.TURTLE)
            oxigraph.serialize(found, sink, format=oxigraph.RdfFormat.N_TRIPLES)
            triples = sink.done()
    except SyntaxError as error:
        if wrong := not_utf8(path):
            raise wrong from None
        raise MaxSynthError(
            f"this is no Turtle: {error.msg}",
            Position(str(path), error.lineno or 0, error.offset or 0),
            "correct it there",
        ) from None
    name_blank_nodes(triples)
    return triples


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
