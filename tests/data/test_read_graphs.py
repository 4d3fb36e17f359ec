"""Graphs: N-Triples, Turtle and tab-separated triples."""

from __future__ import annotations

import random
from pathlib import Path

import pyoxigraph
import pytest

from maxsynth.data.reading.graphs import ntriples, tab_separated
from maxsynth.data.reading.open_data import open_data
from maxsynth.data.tables import Column, Data, Kind
from maxsynth.errors import MaxSynthError

E = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"


def rows(column: Column) -> list[object]:
    values = list(column.values)
    return [None if code < 0 else values[code] for code in column.codes.tolist()]


def triples(data: Data) -> dict[str, list[tuple[object, object]]]:
    assert data.form == "graph"
    assert all([column.name for column in table.columns] == ["subject", "object"] for table in data.tables.values())
    for table in data.tables.values():
        for column in table.columns:  # each value once, in the order of first sight, and none that no row has
            assert list(column.values) == list(dict.fromkeys(rows(column)))
    return {
        name: list(zip(rows(table.column("subject")), rows(table.column("object")), strict=True))
        for name, table in data.tables.items()
    }


def read(folder: Path, name: str, text: str) -> Data:
    path = folder / name
    path.write_bytes(text.encode())
    return open_data(path)


# -- N-Triples and Turtle -------------------------------------------------------------------------------------


def test_ntriples(tmp_path: Path) -> None:
    text = (
        "# a graph\n"
        "<http://e/ann> <http://e/knows> <http://e/bob> .\r\n"
        "\n"
        "  <http://e/bob>\t<http://e/knows>\t_:someone   .   # who.\n"
        '<http://e/ann><http://e/says>"a \\"b\\"\\n . \\u00fc \\U0001F600"@en-GB.\n'
        '<http://e/ann> <http://e/says> "1"^^<http://e/other> .\n'
        "<http://e/ann> <http://e/knows> <http://e/bob> ."
    )
    data = read(tmp_path, "g.nt", text)
    assert triples(data) == {
        "knows": [("http://e/ann", "http://e/bob"), ("http://e/bob", "_:someone")],
        "says": [("http://e/ann", 'a "b"\n . ü 😀'), ("http://e/ann", "1")],
    }
    assert data.notes == ("1 values have a language, which is left out", "1 triples are repeated, and count once")


def test_datatypes(tmp_path: Path) -> None:
    text = f"""
        @prefix : <{E}> . @prefix xsd: <{XSD}> .
        :a :age 42 ; :size 1.5 ; :born "1990-01-31"^^xsd:date ; :at "2020-01-01T12:00:00+02:00"^^xsd:dateTime ;
           :ok true ; :some 1 ; :wrong "x"^^xsd:integer ; :name "7" .
        :b :age -1 ; :size 2 ; :ok false ; :some :a ; :wrong 5 ; :name "x" .
    """
    data = read(tmp_path, "g.ttl", text)
    found = {name: (table.column("object").kind, rows(table.column("object"))) for name, table in data.tables.items()}
    assert found == {
        "age": (Kind.INTEGER, [42, -1]),
        "size": (Kind.REAL, [1.5, 2.0]),
        "born": (Kind.DATE, [7335]),
        "at": (Kind.TIME, [1577872800.0]),
        "ok": (Kind.YES_NO, [True, False]),
        "some": (Kind.TEXT, ["1", f"{E}a"]),
        "wrong": (Kind.TEXT, ["x", "5"]),
        "name": (Kind.TEXT, ["7", "x"]),
    }
    assert [note.partition(":")[0] for note in data.notes] == ["wrong"]


def test_relations_with_one_last_part(tmp_path: Path) -> None:
    text = "".join(f"<http://e/a> <{name}> <http://e/b> .\n" for name in ("http://x/of", "http://y#of", "http://x/in/"))
    assert list(read(tmp_path, "g.nt", text).tables) == ["http://x/of", "http://y#of", "in"]


def test_turtle(tmp_path: Path) -> None:
    text = f"""
        @base <{E}> .
        PREFIX : <#>
        <ann> :knows <bob>, [ :name "x" ] ; a :Person .
        <bob> :knows _:named ; :list ( <ann> ) .
    """
    first = triples(read(tmp_path, "g.ttl", text))
    assert first["knows"] == [(f"{E}ann", f"{E}bob"), (f"{E}ann", "_:unnamed1"), (f"{E}bob", "_:named")]
    assert first["name"] == [("_:unnamed1", "x")]
    assert first["type"] == [(f"{E}ann", f"{E}#Person")]
    assert first["first"] == [("_:unnamed2", f"{E}ann")]
    assert triples(read(tmp_path, "g.ttl", text)) == first  # labels that are made up are the same each time


TEXTS = ["", "x", 'q"', "\\", "a b", "\n", "\t.", "ü😀", "#", "<b>", "'", "\u0001", " . ", "1", "@en"]


def random_term(rng: random.Random, literal: bool) -> object:
    kind = rng.randrange(5 if literal else 2)
    if kind == 0:
        return pyoxigraph.BlankNode(f"b{rng.randrange(4)}")
    if kind == 1:
        return pyoxigraph.NamedNode(E + rng.choice(["a", "b", "ü", "c#d", "e/f?g=h&i"]))
    if kind == 2:
        return pyoxigraph.Literal(rng.choice(TEXTS), language="en")
    if kind == 3:
        return pyoxigraph.Literal(rng.choice(TEXTS))
    return pyoxigraph.Literal(str(rng.randrange(20)), datatype=pyoxigraph.NamedNode(f"{XSD}integer"))


def text_of(term: object) -> str:
    return str(term) if isinstance(term, pyoxigraph.BlankNode) else term.value  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(30))
def test_as_another_reader_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Random graphs, written by pyoxigraph and with the spaces of a careless writer, in small blocks."""
    rng = random.Random(seed)
    relations = [pyoxigraph.NamedNode(E + name) for name in ("p", "q", "r")]
    graph = [
        pyoxigraph.Triple(random_term(rng, False), rng.choice(relations), random_term(rng, True))  # type: ignore[arg-type]
        for _ in range(rng.randrange(1, 60))
    ]
    lines = []
    for one in graph:
        spaces = [rng.choice([" ", " ", "", "\t", "  "]) for _ in range(4)]
        after_label = [" " if isinstance(term, pyoxigraph.BlankNode) else "" for term in (one.subject, one.object)]
        parts = (
            spaces[0],
            one.subject,
            after_label[0],
            spaces[1],
            one.predicate,
            spaces[2],
            one.object,
            after_label[1],
        )
        lines.append("".join(map(str, (*parts, spaces[3], ".", rng.choice(["", " ", "\r", " # x", "\n", "\n# y ."])))))
    monkeypatch.setattr(ntriples, "BLOCK", rng.choice([10, 200, 10_000]))
    found = triples(read(tmp_path, "g.nt", "\n".join(lines)))
    wanted: dict[str, list[tuple[str, str]]] = {}
    for one in graph:
        wanted.setdefault(one.predicate.value[len(E) :], []).append((text_of(one.subject), text_of(one.object)))
    assert list(found) == list(wanted)
    for name, pairs in wanted.items():
        assert [(subject, str(other)) for subject, other in found[name]] == list(dict.fromkeys(pairs))
    with (tmp_path / "g.ttl").open("wb") as file:
        pyoxigraph.serialize(graph, file, format=pyoxigraph.RdfFormat.TURTLE)
    turtle = triples(open_data(tmp_path / "g.ttl"))
    assert {name: set(pairs) for name, pairs in turtle.items()} == {name: set(pairs) for name, pairs in found.items()}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("<http://e/a> <http://e/p> .", "this is no triple"),
        ("<http://e/a> <http://e/p> <http://e/b>", "this is no triple"),
        ("<http://e/a> _:p <http://e/b> .", "this is no triple"),
        ('"a" <http://e/p> <http://e/b> .', "this is no triple"),
        ("<http://e/a b> <http://e/p> <http://e/b> .", "this is no triple"),
        ('<http://e/a> <http://e/p> "x\\q" .', "this is no triple"),
        ('<http://e/a> <http://e/p> "x .', "this is no triple"),
        ("a\tb\tc", "this is no triple"),
    ],
)
def test_lines_that_are_no_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str) -> None:
    monkeypatch.setattr(ntriples, "BLOCK", 100)
    good = "<http://e/a> <http://e/p> <http://e/b> .\n# a comment\n\n"
    with pytest.raises(MaxSynthError, match=said) as error:
        read(tmp_path, "g.nt", f"{good * 5}{line}\n{good}")
    assert str(error.value).startswith(f"{tmp_path / 'g.nt'}:16: ")


# -- tab-separated --------------------------------------------------------------------------------------------


def test_tab_separated(tmp_path: Path) -> None:
    text = 'Q1\tP1\tQ2\r\nQ2\tP2\t"Q 3"\r\nQ1\tP1\tQ2\r\n\r\nQ1\tP1\tQ3\r\n'
    data = read(tmp_path, "train.txt", text)
    assert triples(data) == {"P1": [("Q1", "Q2"), ("Q1", "Q3")], "P2": [("Q2", '"Q 3"')]}
    assert data.notes == ("1 triples are repeated, and count once",)


def test_a_first_line_with_names(tmp_path: Path) -> None:
    data = read(tmp_path, "train.txt", "Head\trelation\ttail\na\tp\tb\n")
    assert triples(data) == {"p": [("a", "b")]}
    assert data.notes == ("the first line names the columns: Head, relation, tail",)


def test_numbers_are_names_or_values(tmp_path: Path) -> None:
    named = read(tmp_path, "a.txt", "00260881\tisa\t260622\n260622\tisa\t1\n")
    assert triples(named) == {"isa": [("00260881", "260622"), ("260622", "1")]}
    valued = read(tmp_path, "b.txt", "ann\tage\t42\nann\tborn\t1990-01-31\nbob\tage\t7\nann\tknows\tbob\n")
    kinds = {name: table.column("object").kind for name, table in valued.tables.items()}
    assert kinds == {"age": Kind.INTEGER, "born": Kind.DATE, "knows": Kind.TEXT}


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("a\tp\tb\nb\tp\tc\n", True),
        ("id\tname\tage\n1\tann\t5\n2\tbob\t5\n", False),
        ("id\tname\n1\tname\n", False),
    ],
)
def test_tables_and_triples_are_told_apart(tmp_path: Path, text: str, graph: bool) -> None:
    assert read(tmp_path, "x.tsv", text).form == ("graph" if graph else "csv")


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"e{(7 * n) % 40}\tp{n % 3}\te{(11 * n) % 40}\n" for n in range(300))
    whole = read(tmp_path, "x.txt", text)
    monkeypatch.setattr(tab_separated, "BLOCK", 64)
    parts = read(tmp_path, "x.txt", text)
    assert triples(whole) == triples(parts)
    assert whole.notes == parts.notes
