"""What columns are, what is left out and why, and which predicates come of it."""

from typing import Any

import pytest

from data.small_tables import data, table
from maxsynth.data.description import Description, Role, Shape
from maxsynth.data.inference.infer import infer
from maxsynth.data.tables import ForeignKey, Table
from maxsynth.errors import MaxSynthError

ROWS = 12


def people(**columns: Any) -> Table:
    return table("people", {"id": range(ROWS), "y": [0, 1] * (ROWS // 2), **columns})


def roles(description: Description, name: str = "people") -> dict[str, Role]:
    return {column.name: column.role for column in description.table(name).columns}


def test_roles() -> None:
    found = infer(
        data(
            people(
                city=["Bern", "Basel", "Genf"] * 4,
                name=[f"name {number}" for number in range(ROWS)],
                height=[150.5 + number for number in range(ROWS)],
                kind=[1, 2, 2, 3] * 3,
                smoker=["yes", "no", "no"] * 4,
                vip=[None, "x", None] * 4,
                wheels=[4] * ROWS,
                note=[None] * ROWS,
                member_id=[100 + number for number in range(ROWS)],
            )
        ),
        "people.y",
    )
    assert roles(found) == {
        "id": Role.KEY, "y": Role.TARGET, "city": Role.CATEGORY, "name": Role.LEFT_OUT, "height": Role.NUMBER,
        "kind": Role.CODE, "smoker": Role.FLAG, "vip": Role.CATEGORY, "wheels": Role.LEFT_OUT, "note": Role.LEFT_OUT,
        "member_id": Role.LEFT_OUT,
    }  # fmt: skip
    why = {column.name: column.why for column in found.table("people").columns}
    assert why["wheels"] == "always 4"
    assert why["note"] == "empty"
    assert why["name"] == "text, and 12 of 12 values are different"
    assert list(found.meanings) == [
        ("city", 2),
        ("height", 2),
        ("kind", 2),
        ("smoker", 1),
        ("not_smoker", 1),
        ("vip", 2),
    ]


def test_copies_are_left_out() -> None:
    found = infer(
        data(
            people(
                label=["no", "yes"] * 6,
                celsius=[float(number * 7 % 12) for number in range(ROWS)],
                fahrenheit=[32 + 1.8 * (number * 7 % 12) for number in range(ROWS)],
                other=[float(number * 5 % 12) for number in range(ROWS)],
                region=["a", "b", "c"] * 4,
                region_code=["x", "y", "z"] * 4,
            )
        ),
        "people.y",
    )
    why = {column.name: column.why for column in found.table("people").columns if column.role is Role.LEFT_OUT}
    assert why == {
        "label": "says the same as the target, y",
        "fahrenheit": "says the same as celsius",
        "region_code": "says the same as region",
    }


def test_leave_out_and_keep() -> None:
    world = data(people(city=["Bern", "Basel"] * 6, name=[f"n{number}" for number in range(ROWS)]))
    found = infer(world, "people.y", leave_out=["people.city"], keep=["people.name"])
    assert roles(found)["city"] is Role.LEFT_OUT
    assert roles(found)["name"] is Role.CATEGORY
    with pytest.raises(MaxSynthError, match=r"the table people has no column cty \(did you mean city\?\)"):
        infer(world, "people.y", leave_out=["people.cty"])
    with pytest.raises(MaxSynthError, match=r"people\.y is what is to be learned"):
        infer(world, "people.y", keep=["people.y"])


def test_shapes() -> None:
    """A table of links is a relation, though it numbers its rows; one with much to say is of things."""
    films = table("films", {"id": [1, 2, 3, 4], "good": [0, 1, 0, 1]})
    actors = table("actors", {"id": [7, 8, 9], "gender": ["f", "m", "f"]})
    roles_table = table("roles", {"id": [1, 2, 3], "film_id": [1, 2, 3], "actor_id": [7, 8, 9]})
    scenes = table(
        "scenes", {"id": [1, 2, 3], "film_id": [1, 1, 2], "a": [1.5, 2.5, 3], "b": [2.5, 2, 1], "c": [1, 4.5, 2]}
    )
    tags = table("tags", {"film_id": [1, 1, 2], "tag": ["x", "y", "x"]})
    found = infer(data(films, actors, roles_table, scenes, tags), "films.good")
    assert {one.name: one.shape for one in found.tables} == {
        "films": Shape.ENTITY, "actors": Shape.ENTITY, "roles": Shape.RELATION, "scenes": Shape.ENTITY,
        "tags": Shape.RELATION,
    }  # fmt: skip
    meanings = found.meanings
    assert [argument.entity for argument in meanings["roles", 2].arguments] == ["films", "actors"]
    assert meanings["film", 2].arguments[1].type == meanings["roles", 2].arguments[0].type


def test_a_table_without_a_key_is_of_rows() -> None:
    found = infer(data(table("iris", {"width": [1.5, 1.5, 2.5, 3.0], "kind": ["a", "a", "b", "b"]})), "iris.kind")
    assert found.table("iris").shape is Shape.ROWS
    assert found.target_meaning().arguments[0].column == "#row"


def test_pairs_of_keys() -> None:
    students = table("students", {"id": [1, 2, 3], "age": [20, 20, 21]})
    courses = table("courses", {"id": [5, 6], "hours": [2, 3]})
    grades = table(
        "grades",
        {"student_id": [1, 1, 2, 3], "course_id": [5, 6, 5, 5], "passed": [0, 1, 1, 1], "hours": [1.5, 2.5, 3.5, 3.0]},
    )
    found = infer(data(students, courses, grades), "grades.passed")
    assert found.target_meaning().arity == 2
    assert found.meanings["grades_hours", 3].table == "grades"


def test_tables_that_nothing_leads_to_are_left_out() -> None:
    other = table("weather", {"day": [1, 2, 3], "rain": [1.5, 2.5, 3.5], "sun": [1.0, 2.0, 2.5]})
    found = infer(data(people(x=[1.5, 2.5] * 6), other), "people.y")
    assert [key for key, meaning in found.meanings.items() if meaning.table == "weather"] == []


def test_names_of_predicates() -> None:
    """Those of columns, with the table where two have it; never what Prolog or another predicate has."""
    cars = table(
        "cars",
        {
            "id": range(ROWS),
            "people_id": [0, 1, 2] * 4,
            "size": [1, 2, 2, 3] * 3,
            "atom_length": [1.5, 2.5, 3.5] * 4,
            "not": [1.5, 3, 2] * 4,
        },
        ["id"],
    )
    found = infer(data(people(size=[1.5, 2.5, 3.5] * 4, y_=[2.5, 1.5, 2.0] * 4), cars), "people.y")
    names = {name for name, _ in found.meanings}
    assert {"people_size", "cars_size", "cars_atom_length", "cars_not", "people_y"} <= names
    assert found.target.aims[0].predicate == "y"


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("peple.y", r"there is no table peple \(did you mean people\?\)"),
        ("people.z", r"the table people has no column z"),
        ("people.one", r"people\.one has only one value, 1"),
        ("people.id", r"people\.id is the key of its table"),
        ("people.none", r"people\.none is empty"),
        ("people.many", r"people\.many has 24 different numbers"),
        ("people.y=7", r"people\.y is never 7"),
        ("people", r"people is no table of pairs"),
        ("", r"the target is empty"),
    ],
)
def test_targets_that_are_none(target: str, complaint: str) -> None:
    columns = {"id": range(24), "y": [0, 1] * 12, "one": [1] * 24, "none": [None] * 24, "many": range(100, 124)}
    with pytest.raises(MaxSynthError, match=complaint):
        infer(data(table("people", columns, ["id"])), target)


def test_targets() -> None:
    world = data(
        people(kind=["a", "b", "c"] * 4, side=["l", "l", "r"] * 4, boss=[None, *[0] * 6, *[1] * 5]),
        table("friends", {"one": [0, 1, 2, 3, 4], "other": [1, 2, 3, 4, 5], "since": [1, 2, 3, 4, 5]}),
    )
    aims = {aim.predicate: aim.equals for aim in infer(world, "people.kind").target.aims}
    assert aims == {"kind_a": "a", "kind_b": "b", "kind_c": "c"}
    assert [aim.predicate for aim in infer(world, "people.kind=b").target.aims] == ["kind_b"]
    assert [(aim.equals, aim.otherwise) for aim in infer(world, "people.side").target.aims] == [("r", "l")]
    assert infer(world, "people.y").target.aims[0].equals == 1
    assert infer(world, "y").target.column == "y"


def test_rows_without_a_label_are_said() -> None:
    found = infer(data(people(z=[None, None, *[0, 1] * 5])), "people.z")
    assert found.notes == ("2 of 12 rows have no people.z and are left out",)


def test_a_link_to_a_column_that_is_no_key() -> None:
    """Its values are those of that column, which is kept for it."""
    countries = table("countries", {"id": [1, 2, 3], "code": ["fr", "de", "ch"], "area": [5, 4, 4]}, ["id"])
    cities = table(
        "cities",
        {"id": [1, 2, 3, 4], "country": ["fr", "de", "ch", "fr"], "large": [0, 1, 0, 1]},
        ["id"],
        [ForeignKey(("country",), "countries", ("code",))],
    )
    meanings = infer(data(countries, cities), "cities.large").meanings
    assert meanings["country", 2].arguments[1].entity is None
    assert meanings["country", 2].arguments[1].type == meanings["code", 2].arguments[1].type
