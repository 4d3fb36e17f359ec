"""Turtle that is read as columns gives exactly the triples that a parser finds in it, and its errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.data.reading.graphs import graph, plain_turtle, turtle
from maxsynth.data.reading.graphs.plain_turtle import read_blocks, read_header
from maxsynth.data.reading.open_data import open_data
from maxsynth.errors import MaxSynthError

pyoxigraph = pytest.importorskip("pyoxigraph")
pytest.importorskip("pyarrow")

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = (
    "@prefix e: <http://example.org/entity/> .\n@prefix : <http://example.org/r#> .\r\n# a comment\n\n"
    f"@prefix xsd: <{XSD}> .\n@prefix a-b: <https://a.b-c.org:80/x?y=> .\n"
)
NAMES = [
    "e:Q1", "e:Q2", ":Q1", "a-b:x_1", "e:7", "<http://example.org/entity/Q1>", "<http://example.org/r#Q1>", "e:a-b",
    "_:b1", "<http://example.org/ü%20(x),y?z#é日>", "<http://example.org/entity/Q2>",
]  # fmt: skip
LITERALS = [
    '"x"', '"x y"', '""', '"a , b"', '"x ;"', '"x ."', '"# x"', '"ü😀"', '"x"@en', '"5"^^xsd:integer', "42", "-7", "+1",
    "4.5", ".5", "true", "false", f'"2020-01-31"^^<{XSD}date>', '"x"^^xsd:string', '"x"^^e:Q1', '"\'"', '"<e>"', "007",
    '"a\\nb"', '"\\""', '"\\\\"', '"x\\"^^e:Q1"', '"x\\"^^"^^xsd:integer', '"\xa0"',
]  # fmt: skip
NASTY_TERMS = [
    '"a\\nb"', '"\\u00fc"', "'x'", '"""x\ny . """', "_:b1", "[]", "[ :p e:Q1 ]", "( e:Q1 7 )", "e:", "e:a.b", "e:ü",
    "e:a%20b", "<http://example.org/ü>", "1e5", '"x"@en-GB', '"x"@EN', "e:a\\-b", "4.", "<x>", "unknown:x", "a",
    '"\t"', '"x"^^xsd:', "<http://a/b c>", '"x"y"', "e:-a", "e:a-", "true1", "e:Q1#x", '"x', "e:Q1,", "<http://h:x/>",
    "<mailto:a@b>", "TRUE",
]  # fmt: skip
NASTY_LINES = [
    "@prefix e: <http://other.org/> .", "PREFIX f: <http://f.org/>", "@base <http://base.org/> .", "# e:Q1 :p e:Q2 .",
    "e:Q1 :p e:Q2 . e:Q2 :p e:Q3 .", "e:Q1 :p e:Q2 . # x", "e:Q1 :p e:Q2 ; .", "e:Q1 :p e:Q2.", "e:Q1 :p e:Q2 ..",
    ".", ";", "e:Q1 :p\n e:Q2\n .", "e:Q1\t:p\te:Q2\t.", "   e:Q1   :p  e:Q2   .  ", "# x\re:Q1 :p e:Q2 .",
    "e:Q1 :p e:Q2 .\r", "\x0c", "e:Q1 :p e:Q2 ; :q e:Q3 .", "e:Q1 :p e:Q2 ,", "e:Q1 :p", "e:Q1 :p e:Q2 , , e:Q3 .",
    "e:Q1 :p e:Q2 ;\n# x .\n:q e:Q3 .", "e:Q1 a e:Q2 , e:Q3,e:Q4 .", '"x" :p e:Q1 .', "e:Q1 5 e:Q2 .",
    "\ufeffe:Q1 :p e:Q2 .", "e:Q1 :p e:Q2 ;;\n :q e:Q1 .",
]  # fmt: skip


def statement(rng: random.Random, nasty: float) -> str:
    """A subject with its relations and objects, in one line or several."""
    names = [*NAMES, *(NASTY_TERMS if rng.random() < nasty else [])]
    terms = [*NAMES, *LITERALS, *(NASTY_TERMS if rng.random() < nasty else [])]
    new = rng.choice(["\n", "\n", "\n\t", " \n    "])
    parts = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        comma = rng.choice([" , ", ", ", f" ,{new}", f" ,{new}", f",{new}"])
        objects = comma.join(rng.choice(terms) for _ in range(rng.choice([1, 1, 1, 2, 3])))
        parts.append(f"{rng.choice([':p', ':q', 'a', '<http://example.org/r#p>', 'e:Q1'])} {objects}")
    return f"{rng.choice(names)} {rng.choice([f' ;{new}', f';{new}']).join(parts)} ."


def read(path: Path) -> object:
    """All that is read: the tables in their order with their rows, and notes; or the error."""
    try:
        data = open_data(path)
    except MaxSynthError as error:
        return str(error)
    labels: dict[object, str] = {}
    tables = []
    for name, table in data.tables.items():
        for column in table.columns:
            values = [column.values[code] for code in column.codes]
            tables.append((name, column.kind, [named(value, labels) for value in values]))
    return tables, data.notes


def named(value: object, labels: dict[object, str]) -> object:
    """A value; blank nodes without a label by the order in which they are met here, for blocks have other orders."""
    return labels.setdefault(value, f"_:{len(labels)}") if str(value).startswith("_:unnamed") else value


def check(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether all of it was plain."""
    path.write_bytes(text.encode())
    found = read(path)
    with monkeypatch.context() as patch:
        patch.setattr(graph, "read_turtle", turtle.parsed_whole)
        assert found == read(path), text
    with path.open("rb") as file:
        return all(block.triples is not None for block in read_blocks(file, read_header(file)))


def test_as_the_parser_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int]
) -> None:
    plain = 0
    for seed in range(effort(300, 10_000)):
        rng = random.Random(seed)
        nasty = rng.choice([0.0, 0.0, 0.05, 0.3])
        statements = [
            rng.choice(NASTY_LINES) if rng.random() < nasty else statement(rng, nasty)
            for _ in range(rng.randint(1, 12))
        ]
        text = rng.choice([PREFIXES, PREFIXES, PREFIXES[:42]]) + "\n".join(statements) + rng.choice(["\n", "", "\r\n"])
        monkeypatch.setattr(plain_turtle, "BLOCK", rng.choice([5, 60, 300, 100_000]))
        plain += check(tmp_path / "g.ttl", text, monkeypatch)
    assert plain > 20


@pytest.mark.parametrize("line", NASTY_LINES)
def test_nasty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    for before, after in (("", ""), ("e:Q1 :p e:Q2 .\n", "\ne:Q3 :p e:Q2 .\n"), ("e:Q1 :p 5 ;\n", "\n:q 7 .\n")):
        check(tmp_path / "g.ttl", f"{PREFIXES}{before}{line}{after}", monkeypatch)


@pytest.mark.parametrize("term", NASTY_TERMS)
def test_nasty_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    for text in (f"e:Q1 :p {term} .", f"{term} :p e:Q1 .", f"e:Q1 {term} e:Q2 .", f"e:Q1 :p {term} , e:Q2 ."):
        check(tmp_path / "g.ttl", f"{PREFIXES}{text}\n", monkeypatch)


def test_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "g.ttl"
    file.write_bytes(PREFIXES.encode() + b'e:Q1 :p "\xff" .\n')
    with pytest.raises(MaxSynthError, match="UTF-8"):
        open_data(file)


def test_a_name_and_its_iri_are_the_same_thing(tmp_path: Path) -> None:
    """Also where there is nothing but IRIs, so that no two terms have the same text in N-Triples."""
    path = tmp_path / "g.ttl"
    path.write_text(
        "@prefix e: <http://e.org/> .\ne:a e:r e:b .\n"
        "<http://e.org/a> e:r <http://e.org/b> .\n<http://e.org/b> e:r e:a .\n"
    )
    data = open_data(path)
    assert list(data.tables["r"].column("subject").values) == ["http://e.org/a", "http://e.org/b"]
    assert list(data.tables["r"].column("object").values) == ["http://e.org/b", "http://e.org/a"]
    assert data.notes == ("1 triples are repeated, and count once",)
