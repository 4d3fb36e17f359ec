"""A description as a file: written, edited, read again."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.small_tables import data, table
from maxsynth.data.description import Role, Shape
from maxsynth.data.inference.infer import infer
from maxsynth.data.toml import description_text, key_text, parse, read_task_file
from maxsynth.errors import MaxSynthError

WORLD = data(
    table("people", {"id": range(8), "y": [0, 1] * 4, "a name": ["x", "y", "z", "w"] * 2, "h": [1.5, 2.5] * 4}),
    table("pets", {"people_id": [3, 1, 1], "kind": ["cat", "dog", "cat"]}),
)


def read(text: str) -> object:
    return read_task_file(Path("there/task.toml"), text)


def test_it_is_read_as_it_was_written() -> None:
    found = read_task_file(Path("task.toml"), description_text(infer(WORLD, "people.y"), "people.y"))
    assert (found.target, found.data) == ("people.y", "<tables>")
    assert found.wishes.keys == {"people": "id"}
    assert found.wishes.keyless == {"pets"}
    assert found.wishes.links == {("pets", "people_id"): "people"}
    assert found.wishes.roles["people", "a name"] is Role.CATEGORY
    assert found.wishes.shapes["pets"] is Shape.RELATION
    assert infer(WORLD, "people.y", wishes=found.wishes).meanings == infer(WORLD, "people.y").meanings


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
def test_any_name_can_be_written(name: str, value: str) -> None:
    world = data(table("t", {"id": range(4), "y": [0, 1, 1, 0], name: [value, "a", "b", "a"]}))
    if name in ("id", "y"):
        return
    parsed = parse(description_text(infer(world, "t.y"), "t.y"), Path("x"))
    assert name in parsed["tables"]["t"]["columns"]
    assert parse(f"{key_text(name)} = 1", Path("x")) == {name: 1}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('data = "x"\ntarget = \n', r"task.toml:2:10: this is no TOML"),
        ('data = "x"\n', r"it does not say `target`"),
        ('data = "x"\ntarget = "t.y"\nnegative = 3\n', r"task.toml:3: `negative` is unknown here \(there are data"),
        ('data = "x"\ntarget = "t.y"\nnegatives = 0\n', r"task.toml:3: `negatives` is 0"),
        ('data = "x"\ntarget = 7\n', r"task.toml:2: `target` is 7 \(give a string\)"),
        ('data = "x"\ntarget = "t.y"\n[tables.t]\nkeys = "id"\n', r"task.toml:4: `keys` is unknown here"),
        ('data = "x"\ntarget = "t.y"\n[tables.t.columns]\nz = "nummer"\n', r"task.toml:4: 'nummer' is unknown for z"),
        ('data = "x"\ntarget = "t.y"\n[tables.t]\nkey = 7\n', r"task.toml:4: 7 is no key"),
        ('data = "x"\ntarget = "t.y"\n[tables.t]\nas = "thing"\n', r"task.toml:4: 'thing' is unknown for as"),
        ('data = "x"\ntarget = "t.y"\ntables = 5\n', r"task.toml:3: `tables` is no table"),
    ],
)
def test_mistakes_have_a_line(text: str, complaint: str) -> None:
    with pytest.raises(MaxSynthError) as found:
        read(text)
    assert re.search(complaint, str(found.value)), found.value


def test_wishes_go_before_what_is_inferred() -> None:
    text = description_text(infer(WORLD, "people.y"), "people.y")
    edited = text.replace('"a name" = "category"', '"a name" = "left out"').replace('h = "number"', 'h = "category"')
    found = infer(WORLD, "people.y", wishes=read_task_file(Path("t.toml"), edited).wishes)
    roles = {column.name: column.role for column in found.table("people").columns}
    assert (roles["a name"], roles["h"]) == (Role.LEFT_OUT, Role.CATEGORY)
    wrong = text.replace('"a name" = "category"', '"a name" = "number"')
    with pytest.raises(MaxSynthError, match=r"people\.a name is to be number, and is text"):
        infer(WORLD, "people.y", wishes=read_task_file(Path("t.toml"), wrong).wishes)
    with pytest.raises(MaxSynthError, match="the table people has no column hh"):
        infer(WORLD, "people.y", wishes=read_task_file(Path("t.toml"), text.replace("h = ", "hh = ")).wishes)
