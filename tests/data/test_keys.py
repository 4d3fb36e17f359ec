"""Keys and links: declared ones, and those that the data allows."""

import pytest

from data.small_tables import data, table
from maxsynth.data.inference.keys import find_keys
from maxsynth.data.inference.words import is_key_name, names_table, plain_name
from maxsynth.data.tables import ForeignKey
from maxsynth.errors import MaxSynthError


def test_declared_keys_are_used() -> None:
    parts = table(
        "parts", {"number": [3, 1, 2], "whole": [1, 1, 2]}, ["number"], [ForeignKey(("whole",), "cars", ("id",))]
    )
    cars = table("cars", {"id": [1, 2], "color": ["red", "red"]}, ["id"])
    keys = find_keys(data(parts, cars))
    assert keys.keys["parts"].columns == ("number",)
    assert keys.keys["parts"].declared
    assert [(link.columns, link.table, link.declared) for link in keys.links["parts"]] == [(("whole",), "cars", True)]


def test_keys_and_links_are_guessed_from_names_and_values() -> None:
    drugs = table("drugs", {"drug_id": [7, 8, 9], "logp": [1.5, 2.5, 3.5]})
    atoms = table(
        "atoms", {"id": [1, 2, 3, 4], "drug": [7, 7, 8, 9], "next_atom": [2, 3, 4, None], "age": [1, 2, 3, 3]}
    )
    keys = find_keys(data(drugs, atoms))
    assert {name: key.columns for name, key in keys.keys.items()} == {"drugs": ("drug_id",), "atoms": ("id",)}
    found = {link.columns[0]: (link.table, link.declared) for link in keys.links["atoms"]}
    assert found == {"drug": ("drugs", False), "next_atom": ("atoms", False)}  # but not age, whose values are there too
    assert "all its values are there" in keys.links["atoms"][0].why


def test_text_that_is_among_the_keys_of_another_table_is_a_link() -> None:
    countries = table("countries", {"cca3": ["FRA", "DEU", "CHE", "ITA"], "area": [5, 4, 4, 3]})
    borders = table("borders", {"a": ["FRA", "FRA", "DEU"], "b": ["DEU", "CHE", "CHE"], "km": [1.0, 2.0, 3.0]})
    keys = find_keys(data(countries, borders))
    assert keys.keys["countries"].columns == ("cca3",)
    assert keys.link("borders", "b") is None  # two values are there by chance
    more = table("borders", {"a": ["FRA", "FRA", "DEU"], "b": ["DEU", "CHE", "ITA"], "km": [1.0, 2.0, 3.0]})
    link = find_keys(data(countries, more)).link("borders", "b")
    assert link is not None
    assert link.table == "countries"


def test_a_measurement_is_no_key() -> None:
    assert "iris" not in find_keys(data(table("iris", {"width": [1.5, 2.5, 3.5], "petals": [5, 9, 7]}))).keys


def test_composite_keys() -> None:
    students = table("students", {"id": [1, 2, 3]} | {"age": [20, 20, 21]})
    courses = table("courses", {"id": [5, 6], "hours": [2, 2]})
    grades = table("grades", {"student_id": [1, 1, 2, 3], "course_id": [5, 6, 5, 5], "grade": [1, 2, 2, 2]})
    keys = find_keys(data(students, courses, grades))
    assert keys.keys["grades"].columns == ("student_id", "course_id")
    assert keys.keys["grades"].why == "unique together"


def test_a_key_with_duplicates_is_an_error() -> None:
    with pytest.raises(MaxSynthError, match=r"cars\.id is to be the key of cars, and 3 rows have only 2 different"):
        find_keys(data(table("cars", {"id": [1, 2, 2], "x": [1, 2, 3]}, ["id"])))
    with pytest.raises(MaxSynthError, match=r"cars\.id is to be a key, and has 1 empty value"):
        find_keys(data(table("cars", {"id": [1, 2, None], "x": [1, 2, 3]}, ["id"])))


@pytest.mark.parametrize(
    ("column", "name", "is_key"),
    [("id", "x", True), ("DrugID", "drugs", True), ("country_code", "countries", True), ("age", "people", False)],
)
def test_names_of_keys(column: str, name: str, is_key: bool) -> None:
    assert is_key_name(column, name) is is_key


@pytest.mark.parametrize(
    ("column", "name", "key", "told"),
    [
        ("drug_id", "drugs", "id", True),
        ("homeTeamId", "teams", "id", True),
        ("atom1_id", "atoms", "id", True),
        ("tid", "trains", "id", True),
        ("iso", "countries", "iso", True),
        ("id", "countries", "id", False),
        ("position", "trains", "id", False),
    ],
)
def test_names_that_tell_of_a_table(column: str, name: str, key: str, told: bool) -> None:
    assert bool(names_table(column, name, key)) is told


@pytest.mark.parametrize(
    ("text", "name"),
    [("Body Mass (g)", "body_mass_g"), ("2nd", "x_2nd"), ("---", "x"), ("größe", "größe"), ("HomeTeam", "home_team")],
)
def test_names_for_prolog(text: str, name: str) -> None:
    assert plain_name(text) == name
