"""Numbers in groups: few, in order, of about equal size, and the same for a weight as for a repetition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxsynth.data.tables import NULL, Column, Kind
from maxsynth.sklearn.bins import grouped


def column(numbers: list[float | None]) -> Column:
    known = list(dict.fromkeys(one for one in numbers if one is not None))
    codes = [NULL if one is None else known.index(one) for one in numbers]
    return Column("x", Kind.REAL, np.array(known, float), np.array(codes, np.int32))


def numbers_of(found: Column) -> list[float | None]:
    return [None if code == NULL else float(found.values[code]) for code in found.codes.tolist()]


def test_groups_of_equal_size() -> None:
    found = grouped(column([float(number) for number in range(100)]), np.ones(100), 10)
    assert found.values.tolist() == [5.0 + 10 * group - 1 for group in range(10)]
    assert np.bincount(found.codes).tolist() == [10] * 10


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(-20, 20).map(float)), min_size=1, max_size=40).filter(
        lambda numbers: any(one is not None for one in numbers)
    ),
    st.integers(1, 8),
    st.randoms(use_true_random=False),
)
def test_any_numbers(numbers: list[float | None], most: int, random: object) -> None:
    weights = np.array([random.randint(1, 3) for _ in numbers])  # type: ignore[attr-defined]
    found = numbers_of(grouped(column(numbers), weights.astype(float), most))
    assert {one for one in found if one is not None} <= {one for one in numbers if one is not None}
    assert len(set(found) - {None}) <= most
    pairs = sorted((old, new) for old, new in zip(numbers, found, strict=True) if old is not None and new is not None)
    assert [new for _, new in pairs] == sorted(new for _, new in pairs)
    assert [one is None for one in found] == [one is None for one in numbers]
    repeated = [one for one, times in zip(numbers, weights, strict=True) for _ in range(times)]
    again = numbers_of(grouped(column(repeated), np.ones(len(repeated)), most))
    assert dict(zip(repeated, again, strict=True)) == dict(zip(numbers, found, strict=True))


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DATE])
def test_whole_numbers_stay_whole(kind: Kind) -> None:
    whole = Column("x", kind, np.arange(50), np.arange(50, dtype=np.int32))
    assert grouped(whole, np.ones(50), 4).values.dtype.kind == "i"
