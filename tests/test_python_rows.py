"""Rows of Python data: from tables of all kinds into the tables of a task, and what is refused on the way."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth import Compound, MaxSynthError, Task, Text, learn, predicate
from maxsynth.api.rows import Rows, Source, read_rows
from maxsynth.api.stored import Numbering
from maxsynth.api.task_data import BackgroundData
from maxsynth.background.python_terms import to_term
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.consult import consult
from maxsynth.prolog.terms import Atom
from maxsynth.task.task import ReadTask as ReadTask

PARENTS = [("ann", "bob"), ("bob", "cleo"), ("bob", "dan"), ("cleo", "eve"), ("dan", "finn"), ("eve", "gia")]
GRAND = [("ann", "cleo"), ("ann", "dan"), ("bob", "eve"), ("bob", "finn"), ("cleo", "gia")]
OTHERS = [("ann", "bob"), ("bob", "ann"), ("gia", "ann"), ("ann", "eve")]
RULE = "grand(A,B) :- parent(A,C), parent(C,B)."
EXAMPLES = {"pos": {"grand": GRAND}, "neg": {"grand": OTHERS}}


class Series:
    """As much of a Series, of pandas or of polars, as is needed."""

    def __init__(self, name: object, values: list[Any]) -> None:
        self.name = name
        self.values = values

    def to_list(self) -> list[Any]:
        return self.values


class PandasLike:
    def __init__(self, columns: list[tuple[object, list[Any]]]) -> None:
        self.columns = [name for name, _ in columns]
        self._data = columns

    def items(self) -> Iterator[tuple[object, Series]]:
        return ((name, Series(name, values)) for name, values in self._data)

    def __iter__(self) -> Iterator[object]:
        return iter(self.columns)  # as data frames do: this was taken for rows

    def __repr__(self) -> str:
        return "a  b\n1  2"


class PolarsLike(PandasLike):
    items = None  # type: ignore[assignment]

    def get_columns(self) -> list[Series]:
        return [Series(name, values) for name, values in self._data]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get_columns())


COLUMNS: list[tuple[object, list[Any]]] = [("name", [a for a, _ in PARENTS]), ("child", [b for _, b in PARENTS])]
Person = namedtuple("Person", "name child")


def pandas_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(dict(COLUMNS))


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame(dict(COLUMNS))


@pytest.mark.parametrize(
    "make",
    [
        lambda: PARENTS,
        lambda: set(PARENTS),
        lambda: (pair for pair in PARENTS),
        lambda: dict(zip("abcdef", PARENTS, strict=True)).values(),
        lambda: [Person(*pair) for pair in PARENTS],
        lambda: PandasLike(COLUMNS),
        lambda: PandasLike([("same", COLUMNS[0][1]), ("same", COLUMNS[1][1])]),
        lambda: PolarsLike(COLUMNS),
        lambda: Series("pairs", PARENTS),
        lambda: np.array(PARENTS),
        lambda: np.array(PARENTS, dtype=object),
        lambda: np.array(PARENTS, dtype=[("name", "U4"), ("child", "U4")]),
        lambda: zip(np.array([a for a, _ in PARENTS]), np.array([b for _, b in PARENTS]), strict=True),
        pandas_frame,
        lambda: pandas_frame().astype("category"),
        lambda: pandas_frame().itertuples(index=False),
        lambda: pandas_frame().to_records(index=False),
        polars_frame,
    ],
)
def test_all_forms_of_rows(make: Callable[[], object]) -> None:
    task = Task(EXAMPLES, {"parent": make()})
    assert str(learn(task).program) == RULE
    assert set(task._texts["bk.pl"].splitlines()) == {f"parent({a},{b})." for a, b in PARENTS}


@pytest.mark.parametrize(
    "make",
    [
        lambda: ["ann", "cleo"],
        lambda: [("ann",), "cleo"],
        lambda: Series("names", ["ann", "cleo"]),
        lambda: PandasLike([("name", ["ann", "cleo"])]),
        lambda: np.array(["ann", "cleo"]),
        lambda: np.array([["ann"], ["cleo"]]),
        lambda: pytest.importorskip("pandas").Series(["ann", "cleo"]),
        lambda: pytest.importorskip("pandas").Index(["ann", "cleo"]),
    ],
)
def test_one_column(make: Callable[[], object]) -> None:
    assert list(read_rows(make(), Source("p")).atoms("p")) == ["p(ann)", "p(cleo)"]


def test_examples_as_tables() -> None:
    positive, negative = np.array(GRAND), PandasLike([("a", [a for a, _ in OTHERS]), ("b", [b for _, b in OTHERS])])
    result = learn(Task({"pos": {"grand": positive}, "neg": {"grand": negative}}, {"parent": PARENTS}))
    assert str(result.program) == RULE
    assert result.predict({"grand": positive}) == [True] * 5
    assert result.predict({"grand": negative}, background={"parent": np.array([["bob", "zoe"]])}) == [False] * 4


class Colour(str, Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.str_("ann"), "ann"),
        (np.int64(3), 3),
        (np.uint8(3), 3),
        (np.float64(1.5), 1.5),
        (np.float32(1.5), 1.5),
        (np.bool_(True), True),
        (Colour.RED, "red"),
    ],
)
def test_scalars_of_other_libraries(value: object, plain: object) -> None:
    forms: list[Callable[[Any], Any]] = [
        lambda one: [one],
        lambda one: [(one, "x"), ("x", one)],
        lambda one: np.array([one], dtype=object),
    ]
    for form in forms:
        found, wanted = (list(read_rows(form(one), Source("p")).atoms("p")) for one in (value, plain))
        assert found == wanted
    term = to_term(value)
    assert type(term) is type(to_term(plain))
    assert type(term.name if isinstance(term, Atom) else term) in (str, int, float)


def test_kinds_of_values_stay_apart() -> None:
    rows = read_rows([1, 1.0, True, "1", Text("1"), 0.0, -0.0, "true", [1], (1,), Compound("f", (1,))], Source("p"))
    listed = ["1", "1.0", "true", "'1'", '"1"', "0.0", "-0.0", "true", "[1]", "1", "f(1)"]
    assert list(rows.atoms("p")) == [f"p({value})" for value in listed]
    assert len(rows.values) == 9


# -- what is refused ------------------------------------------------------------------------------------------


def missing() -> Iterator[object]:
    yield from (None, float("nan"), np.float64("nan"), np.float32("nan"), np.datetime64("NaT"), np.ma.masked)
    try:
        import pandas as pd
    except ImportError:
        return
    yield from (pd.NA, pd.NaT)


@pytest.mark.parametrize("value", list(missing()), ids=repr)
def test_missing_values(value: object) -> None:
    place = r"background 'parent', row 2, argument 2{}: .* is a missing value \(leave its row out .*, or write what"
    rows = [("ann", "bob"), ("bob", "cleo"), ("dan", value)]
    frame: Any = [("name", [a for a, _ in rows]), ("child", [b for _, b in rows])]
    for data in (rows, np.array(rows, dtype=object)):
        with pytest.raises(MaxSynthError, match=place.format("")):
            Task(EXAMPLES, {"parent": data})
    for kind in (PandasLike, PolarsLike):
        with pytest.raises(MaxSynthError, match=place.format(r" \(`child`\)")):
            Task(EXAMPLES, {"parent": kind(frame)})
    with pytest.raises(MaxSynthError, match=r"""examples\["pos"\], row 1, argument 1: .* is a missing value"""):
        Task({"pos": [("grand", "a", "b"), ("grand", value, "b")]}, {"parent": PARENTS})


@pytest.mark.parametrize(
    "make",
    [
        lambda pd: pd.DataFrame({"n": [1, 2, None]}),
        lambda pd: pd.DataFrame({"n": ["a", "b", None]}),
        lambda pd: pd.DataFrame({"n": pd.Series([1, 2, None], dtype="Int64")}),
        lambda pd: pd.DataFrame({"n": pd.Series(["a", "b", None], dtype="category")}),
    ],
)
def test_missing_values_of_pandas(make: Callable[[Any], object]) -> None:
    frame = make(pytest.importorskip("pandas"))
    with pytest.raises(MaxSynthError, match=r"background 'p', row 2, argument 1 \(`n`\): .* is a missing value"):
        Task(EXAMPLES, {"p": frame})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "d", "e")], r"parent', row 2: 3 values, where row 0 has 2 \(give rows"),
        ([("a", "b"), "c"], r"parent', row 1: 1 value, where row 0 has 2 \("),
        (["a", ("b", "c")], r"parent', row 1: 2 values, where row 0 has 1 \(.* only be given as Prolog text"),
        ([()], r"parent', row 0: an empty row \("),
        ({"ann": "bob"}, r"parent': {'ann': 'bob'} is no set of rows \(give its items\(\), or"),
        ("ann", r"parent': 'ann' is no set of rows \(give an iterable of tuples .* NumPy array of one or two dim"),
        (b"ann", r"b'ann' is no set of rows"),
        (5, r"parent': 5 is no set of rows"),
        (None, r"parent': None is no set of rows"),
        (np.zeros((2, 2, 2)), r"an array of the shape \(2, 2, 2\) is no set of rows \(give"),
        (np.array("ann"), r"an array of the shape \(\) is no set of rows"),
        (PandasLike([]), r"parent': the DataFrame has no columns"),
        ([{"name": "ann"}], r"parent', row 0, argument 1: {'name': 'ann'} \(dict\) cannot be a term"),
        ([np.array(["ann", "bob"])], r"parent', row 0, argument 1: array\(.*\) \(ndarray\) cannot be a term"),
        ([functools.reduce(lambda inner, _: [inner], range(300), ["a"])], r"argument 1: a value nests more than 200"),
        ([("a", float("inf"))], r"parent', row 0, argument 2: inf \(float\) cannot be a term"),
        (np.array(["2020-01-01"], "datetime64[ns]"), r"row 0, argument 1: .* \(datetime64\) cannot be a term"),
        ([np.timedelta64(3, "s")] * 2, r"row 0, argument 1: .* \(timedelta64\) cannot be a term"),
    ],
)  # fmt: skip
def test_what_is_no_set_of_rows(rows: object, message: str) -> None:
    with pytest.raises(MaxSynthError, match=message):
        Task(EXAMPLES, {"parent": rows})


@pytest.mark.parametrize("table", [PandasLike(COLUMNS), PolarsLike(COLUMNS), Series("s", ["a"]), np.array(PARENTS)])
def test_a_table_needs_a_name(table: object) -> None:
    """A data frame gives the names of its columns when it is iterated over: these were taken for Prolog text."""
    for background in (table, [table]):
        with pytest.raises(MaxSynthError, match=r'without a name is no background .* \(say .* {"parent": rows}'):
            Task(EXAMPLES, background)


def test_one_name_has_one_arity() -> None:
    message = r"row 0: parent/1 here, where background 'parent', row 0 has parent/2 \("
    for more in ({"parent": ["ann"]}, [("parent", "ann")]):
        with pytest.raises(MaxSynthError, match=message):
            Task(EXAMPLES, [{"parent": PARENTS}, more])
    with pytest.raises(MaxSynthError, match=message):
        learn(Task(EXAMPLES, {"parent": PARENTS})).predict(GRAND, background={"parent": ["ann"]})
    both = Task(EXAMPLES, [{"parent": PARENTS}, "parent(ann)."])
    assert "body_pred(parent,1)." in both._texts["bias.pl"]


def test_rows_that_are_lists() -> None:
    """As JSON has them. A list is a value, so this is parent/1; lists of several lengths are meant to be values."""
    task = Task(EXAMPLES, {"parent": [list(pair) for pair in PARENTS]})
    assert "background 'parent' has lists of 2 values, each read as one value, a list (give tuples" in task.warnings[0]
    for values in (
        [["a", "b"], ["c"]],
        [["a"], ["b"]],
        [["a", "b"], "c"],
        [["a", "b"]],
        [(["a", "b"], "x")] * 2,
        ["a"],
    ):
        assert Task({("f", "a"): True}, {"word": values}).warnings == ()


def test_a_relation_without_rows() -> None:
    task = Task(EXAMPLES, {"parent": PARENTS, "old": []})
    assert task.warnings == ("background 'old' has no rows, so old is never true",)
    assert task.warnings[0] in task.check().warnings


# -- into tables, and into text -------------------------------------------------------------------------------


ATOMS = st.one_of(
    st.text(max_size=5), st.sampled_from(["ann", "Ann", "[]", "mod", "-", "'", "dynamic", "a b", "\0", "é"])
)
ATOMIC = st.one_of(
    ATOMS, ATOMS.map(Text), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)
VALUES = st.recursive(
    ATOMIC,
    lambda inner: st.lists(inner, max_size=3) | st.builds(Compound, ATOMS, st.lists(inner, min_size=1, max_size=2)),
)


def tables(source: Any, store: TermStore) -> dict[object, list[list[int]]]:
    return {key: sorted(set(map(tuple, table.rows().tolist()))) for key, table in source.tables.items()}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=6), st.sampled_from(["p", "P", "+", "a b"]))
def test_tables_hold_what_their_text_says(rows: list[tuple[object, object]], name: str) -> None:
    data = BackgroundData()
    data.add("q(a).")
    data.add({name: rows})
    data.add(["q(b).", Compound(name, rows[0])])
    store = TermStore()
    assert tables(data.source(Numbering(store)), store) == tables(consult(data.whole_text(), "bk.pl", store), store)


@pytest.mark.swipl
def test_rows_stand_where_they_were_given() -> None:
    """Clauses are tried in order: a cut before the facts hides them, one behind does not."""
    rule, facts = "known(X,_) :- X == ann, !, fail.\n", {"known": [("ann", "x"), ("bob", "x")]}
    labels = {("f", "ann", "x"): True, ("f", "bob", "x"): True, ("f", "zoe", "x"): False}
    bias = {"direction": {"known": ("in", "in")}}
    for background, program in (([rule, facts], None), ([facts, rule], "f(A,B) :- known(A,B).")):
        for prolog in ("builtin", "swipl"):
            task = Task(labels, background, bias, prolog=prolog)
            found = learn(task, exact=True).program
            assert (None if found is None else str(found)) == program


@pytest.mark.swipl
def test_rows_for_swipl_and_in_folders(tmp_path: Path) -> None:
    background = [{"parent": np.array(PARENTS)}, "elder(X) :- parent(X,Y), parent(Y,_)."]
    labels = {
        ("f", name): name in ("ann", "bob", "cleo", "dan") for name in ("ann", "bob", "cleo", "eve", "finn", "gia")
    }
    task = Task(labels, background, prolog="swipl")
    assert str(learn(task).program) == "f(A) :- elder(A)."
    task.to_folder(tmp_path / "task")
    from_folder = Task.from_folder(tmp_path / "task", prolog="swipl")
    result = learn(from_folder)
    assert str(result.program) == "f(A) :- elder(A)."
    new = [{"parent": [("zoe", "yan"), ("yan", "xi")]}]
    assert result.predict([("f", "zoe"), ("f", "yan")], background=new) == [True, False]


def test_lines_of_text_beside_rows() -> None:
    """Rows take no lines: a message names the line of the text as it was given."""
    with pytest.raises(MaxSynthError, match=r"<background>:2:5: "):
        Task(EXAMPLES, [{"parent": PARENTS}, "old(ann).\nold(]).\n"])


def test_a_task_keeps_what_it_was_given() -> None:
    rows = list(PARENTS)
    task = Task(EXAMPLES, {"parent": rows})
    rows.clear()
    assert str(learn(task).program) == RULE


def test_facts_and_a_function_of_one_name() -> None:
    with pytest.raises(MaxSynthError, match="parent/2 is a Python function, and the background defines it too"):
        Task(EXAMPLES, [{"parent": np.array(PARENTS)}, {"parent": predicate("in", "in")(lambda a, b: True)}])


def test_distinct_values_are_kept_once() -> None:
    rows: Rows = read_rows([(f"n{i % 7}", i % 3) for i in range(1000)], Source("p"))
    assert (len(rows), rows.arity, len(rows.values)) == (1000, 2, 10)
    assert rows.codes.dtype == np.int32


def test_a_large_relation_is_read_like_its_folder(tmp_path: Path) -> None:
    rows = [(f"n{i}", f"n{i * 7919 % 5003}") for i in range(5003)]
    task = Task({("f", f"n{i}"): i % 2 == 0 for i in range(50)}, {"edge": rows}, {"max_vars": 2, "max_body": 1})
    task.to_folder(tmp_path / "task")
    folder, data = ReadTask.from_folder(tmp_path / "task"), task.read()
    texts = [[read.example_text(row) for row in read.negatives.rows] for read in (folder, data)]
    assert texts[0] == texts[1]
    edges = [read.background.source.tables["edge", 2].rows() for read in (folder, data)]
    assert len(edges[0]) == len(edges[1]) == 5003
    last = [
        [read.background.store.term(int(known)) for known in table[-1]]
        for read, table in zip((folder, data), edges, strict=True)
    ]
    assert last[0] == last[1]


def test_weights_of_rows() -> None:
    """Rows that somebody has as arrays may count more than once, as `pos(f(a),3)` does."""
    yes = Rows(["a"], np.array([[0]], np.int32), np.array([3]))
    no = Rows(["b", "c"], np.array([[0], [1]], np.int32))
    task = Task({"pos": {"f": yes}, "neg": {"f": no}}, {"p": ["a", "b", "c"]})
    assert task._texts["exs.pl"] == "pos(f(a),3).\nneg(f(b)).\nneg(f(c)).\n"
    assert task.read().positives.weights.tolist() == [3]
