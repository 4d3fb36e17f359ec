"""Triples as tables: one for each relation, with the columns subject and object.

Everything is done on codes: subjects and objects have one list of values, in which each is kept once, and a table's
values are chosen from it. So ten million triples are a few arrays.

A graph is a set: a triple that is repeated counts once. Objects are numbers, dates or yes/no where all those of a
relation are: by their datatype in RDF; and in tab-separated files by how they look, if no subject looks like that,
since where things have numbers for names these are names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maxsynth.api.stored import Chosen, Texts
from maxsynth.data.reading.columns import Codes, TextColumn, encoded, plain_text, recoded
from maxsynth.data.reading.drafts import Draft
from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.reading.graphs.terms import TEXT, Terms, iris, plain_terms, typed_terms
from maxsynth.data.reading.texts import DATE, NUMBER, SAMPLE, kind_of, kind_of_texts, settled
from maxsynth.data.tables import Column, Kind
from maxsynth.errors import MaxSynthError, Position, listed
from maxsynth.kernel.terms import TextTable

MAX_RELATIONS = 10_000
PLACES = np.iinfo(np.uint16).max


@dataclass
class Triples:
    """Triples in parts, each as three arrays of Arrow whose distinct values are found."""

    rdf: bool  # whether values are terms of RDF, such as <http://...> and "42"^^<...#integer>
    subjects: list[Any] = field(default_factory=list)
    relations: list[Any] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    count: int = 0
    expand: Callable[[Any], Any] | None = None  # makes whole terms of those of subjects and objects, which are short

    def add(self, subjects: Any, relations: Any, objects: Any) -> None:
        self.subjects.append(plain_text(subjects))
        self.relations.append(plain_text(relations))
        self.objects.append(plain_text(objects))
        self.count += len(subjects)


def relation_tables(triples: Triples, notes: list[str], place: Position) -> list[Draft]:
    relations, (relation_codes,) = unified(triples.relations)
    if len(relations) > MAX_RELATIONS:
        raise MaxSynthError(
            f"there are {len(relations):,} relations, and at most {MAX_RELATIONS:,} can be read",
            place,
            "check that the relation stands between subject and object",
        )
    names = relation_names(relations, triples.rdf)
    values, subjects, objects = shared_values(triples)
    differ = triples.expand is None  # a short term and a whole one may be the same
    values = values if triples.expand is None else triples.expand(values)
    triples.subjects, triples.objects, triples.relations = [], [], []  # they are large
    terms = typed_terms(values, notes, place, differ=differ) if triples.rdf else plain_terms(values)
    graph = Graph(terms, names_look_like(terms, subjects) if not triples.rdf else frozenset(), notes)
    if len(relations) <= PLACES:  # then sorting takes linear time
        relation_codes = relation_codes.astype(np.uint16)
    order = np.argsort(relation_codes, kind="stable")
    ends = np.cumsum(np.bincount(relation_codes, minlength=len(relations)))
    repeated = 0
    drafts = []
    for name, rows in zip(names, np.split(order, ends[:-1]), strict=True):
        one, other, again = graph.without_repeated(subjects[rows], objects[rows])
        repeated += again
        drafts.append(Draft(name, [graph.texts("subject", one), graph.column(name, other)]))
    if repeated:
        notes.append(f"{repeated:,} triples are repeated, and count once")
    return drafts


def shared_values(triples: Triples) -> tuple[Any, Codes, Codes]:
    """The values of subjects and objects together, and the codes of both."""
    values, (subjects, objects) = unified(triples.subjects, triples.objects)
    return values, subjects, objects


def unified(*columns: list[Any]) -> tuple[Any, list[Codes]]:
    """The distinct values of columns in parts, by first sight from part to part; and the codes of each column."""
    pa = arrow()
    table = TextTable()
    codes: list[list[Codes]] = [[] for _ in columns]
    for parts in zip(*columns, strict=True):
        for part, found in zip(parts, codes, strict=True):
            numbers = table.add(*Texts(part.dictionary).bytes_and_ends())
            found.append(np.take(numbers, part.indices.to_numpy(zero_copy_only=False)))
    text, ends = table.texts()
    values = pa.LargeStringArray.from_buffers(len(table), pa.py_buffer(ends), pa.py_buffer(text))
    return values, [np.concatenate(found) for found in codes]


def relation_names(relations: Any, rdf: bool) -> list[str]:
    """The names of relations: of an IRI its last part, where no other relation has the same."""
    if not rdf:
        return [str(name) for name in relations.to_pylist()]
    whole = iris(relations.to_pylist())
    local = [one.rstrip("/#").replace("#", "/").rpartition("/")[2] or one for one in whole]
    counts = Counter(local)
    return [one if counts[one] == 1 else full for one, full in zip(local, whole, strict=True)]


# -- values ---------------------------------------------------------------------------------------------------


def names_look_like(terms: Terms, subjects: Codes) -> frozenset[str]:
    """What some subjects look like: numbers, dates."""
    pc = compute()
    seen = np.zeros(len(terms.texts), bool)
    seen[subjects] = True
    texts = terms.texts.filter(arrow().array(seen))
    return frozenset(pattern for pattern in (NUMBER, DATE) if pc.any(pc.match_substring_regex(texts, pattern)).as_py())


class Graph:
    """The values of a graph, from which those of a table are chosen."""

    def __init__(self, terms: Terms, names: frozenset[str], notes: list[str]) -> None:
        self.terms = terms
        self.names = names
        self.notes = notes
        self.values = Texts(terms.texts)

    def without_repeated(self, subjects: Codes, objects: Codes) -> tuple[Codes, Codes, int]:
        """The pairs, each once and in the order of first sight, and how many were left out."""
        same = self.terms.same
        one, other = (subjects, objects) if same is None else (same[subjects], same[objects])
        pairs = one.astype(np.int64) * len(self.values) + other
        distinct = len(compute().unique(arrow().array(pairs)))
        if distinct == len(pairs):
            return subjects, objects, 0
        first = np.sort(np.unique(pairs, return_index=True)[1])
        return subjects[first], objects[first], len(pairs) - distinct

    def texts(self, name: str, codes: Codes) -> Column:
        """A column of text, chosen from those of all tables."""
        distinct, places = encoded(arrow().array(codes))
        return self.chosen(name, distinct.to_numpy(), places)

    def chosen(self, name: str, distinct: Codes, places: Codes) -> Column:
        if self.terms.same is not None:  # terms that differ may have the same text
            found, places = recoded(arrow().array(self.terms.same[distinct]), places)
            distinct = found.to_numpy()
        return Column(name, Kind.TEXT, Chosen(self.values, distinct), places)

    def column(self, relation: str, codes: Codes) -> Column:
        """The objects of a relation."""
        found, places = encoded(arrow().array(codes))
        distinct = found.to_numpy()
        if self.surely_text(distinct):
            return self.chosen("object", distinct, places)
        texts = TextColumn("object", self.terms.texts.take(found), places)
        kind = self.kind(relation, distinct, texts)
        if kind is Kind.TEXT:
            return self.chosen("object", distinct, places)
        return settled(texts, kind, self.notes, f"{relation}.object")

    def surely_text(self, distinct: Codes) -> bool:
        """Whether objects are text, as in most relations: where that is seen soon, no texts have to be copied."""
        if self.terms.kinds is not None:
            return not self.terms.kinds[distinct].any()
        some = self.terms.texts.take(arrow().array(distinct[:SAMPLE]))
        return bool(self.names) or kind_of_texts(some, words=False) is Kind.TEXT

    def kind(self, relation: str, distinct: Codes, texts: TextColumn) -> Kind:
        """What all objects of a relation are."""
        if self.terms.kinds is None:
            return kind_of(texts)
        declared = {self.terms.named[one] for one in np.unique(self.terms.kinds[distinct])}
        looked = kind_of_texts(texts.texts, words=True)
        allowed = {kind for one in declared for kind in one}
        if TEXT not in declared and looked in allowed:
            return looked
        if looked is not Kind.TEXT or TEXT not in declared:
            said = listed(sorted({kind.value for kind in allowed}) or ["text"])
            self.notes.append(
                f"{relation}: its objects are read as text, since not all are what some are declared as: {said}"
            )
        return Kind.TEXT
