"""A file with a graph, by its suffix: .nt is N-Triples, .ttl is Turtle, others are tab-separated triples."""

from __future__ import annotations

from pathlib import Path

from maxsynth.data.reading.drafts import Draft
from maxsynth.data.reading.files.places import problems_of
from maxsynth.data.reading.graphs.ntriples import read_ntriples
from maxsynth.data.reading.graphs.relations import relation_tables
from maxsynth.data.reading.graphs.tab_separated import read_tab_separated
from maxsynth.data.reading.graphs.turtle import read_turtle
from maxsynth.errors import MaxSynthError, Position


def read_graph(path: Path, suffix: str, notes: list[str]) -> list[Draft]:
    place = Position(str(path))
    with problems_of(path):
        if suffix == ".nt":
            triples = read_ntriples(path)
        elif suffix == ".ttl":
            triples = read_turtle(path)
        else:
            triples = read_tab_separated(path, notes)
    if not triples.count:
        raise MaxSynthError("there are no triples", place, "check that it is the right file")
    return relation_tables(triples, notes, place)
