"""Rows of Python values as columns: the same as when each value is looked at by itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth.data.reading.databases.python_values import Gathered, add_rows
from maxsynth.kernel.batches import columns_of

NONE = st.none()
WHOLE = st.integers(-(2**63), 2**63 - 1)
REAL = st.floats(allow_nan=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
COLUMNS = [NONE, WHOLE, NONE | WHOLE, REAL | NONE | WHOLE, REAL, TEXT, TEXT | NONE, TEXT | WHOLE, st.binary() | NONE]
COLUMNS += [st.booleans(), st.integers(), NONE | st.just("") | WHOLE]


@settings(max_examples=200)
@given(st.data())
def test_rows_are_gathered_as_columns_are(data: st.DataObject) -> None:
    """Among them values that are left to Python: of several types, of other types, and with more than 64 bits."""
    kinds = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4))
    batches = data.draw(st.lists(st.lists(st.tuples(*kinds), min_size=1, max_size=20), max_size=3))
    by_rows, by_columns = ([Gathered(str(place), untyped=True) for place in range(len(kinds))] for _ in range(2))
    for batch in batches:
        add_rows(by_rows, batch)
        for column, values in zip(by_columns, zip(*batch, strict=True), strict=True):
            column.add(values)
    for one, other in zip(by_rows, by_columns, strict=True):
        assert one.classes == other.classes
        assert [part.type for part in one.parts] == [part.type for part in other.parts]
        assert [part.to_pylist() for part in one.parts] == [part.to_pylist() for part in other.parts]
        for part in one.parts:
            part.validate(full=True)


@pytest.mark.parametrize("rows", [[(1,), (1, 2)], [[1]], [(1,), None]])
def test_what_is_no_row_is_refused(rows: list[Any]) -> None:
    with pytest.raises(TypeError):
        columns_of(rows, 1)
