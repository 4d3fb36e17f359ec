"""A description is kept as JSON and comes back the same, and says what each predicate means."""

import json

from maxsynth.data.description import Aim, ColumnInfo, Description, LinkInfo, Role, Shape, TableInfo, Target
from maxsynth.data.meaning import ROW_NUMBER, Form
from maxsynth.data.tables import Kind

DRUGS = TableInfo(
    "drugs",
    42,
    Shape.ENTITY,
    (
        ColumnInfo("id", Kind.INTEGER, Role.KEY, "drug", table="drugs"),
        ColumnInfo("logp", Kind.REAL, Role.NUMBER, "logp", "logp", examples=("4.2", "1.0")),
        ColumnInfo("ind1", Kind.REAL, Role.FLAG, predicate="ind1", opposite="not_ind1", yes=1.0, no=0.0),
        ColumnInfo("active", Kind.INTEGER, Role.TARGET),
    ),
    key=("id",),
    type="drug",
)
ATOMS = TableInfo(
    "atoms",
    1000,
    Shape.ROWS,
    (
        ColumnInfo("drug_id", Kind.INTEGER, Role.LINK, "drug", "atoms_drug", table="drugs"),
        ColumnInfo("element", Kind.TEXT, Role.CATEGORY, "element", "element"),
        ColumnInfo("name", Kind.TEXT, Role.LEFT_OUT, why="nearly all distinct"),
    ),
    links=(LinkInfo(("drug_id",), "drugs", ("id",), declared=False, why="named so"),),
    type="atoms",
)
DESCRIPTION = Description(
    "drugs.sqlite3", "sqlite", (DRUGS, ATOMS), Target("drugs", "active", (Aim("active", 1),)), notes=("one note",)
)


def test_it_comes_back_from_json() -> None:
    assert Description.from_dict(json.loads(json.dumps(DESCRIPTION.as_dict()))) == DESCRIPTION


def test_meanings() -> None:
    meanings = DESCRIPTION.meanings
    assert list(meanings) == [("logp", 2), ("ind1", 1), ("not_ind1", 1), ("atoms_drug", 2), ("element", 2)]
    assert meanings["logp", 2].form is Form.COLUMN
    assert meanings["not_ind1", 1].equals == 0.0
    link = meanings["atoms_drug", 2]
    assert (link.form, link.arguments[0].column, link.arguments[1].entity) == (Form.LINK, ROW_NUMBER, "drugs")
    target = DESCRIPTION.target_meaning()
    assert (target.form, target.column, target.equals, target.arity) == (Form.FLAG, "active", 1, 1)
