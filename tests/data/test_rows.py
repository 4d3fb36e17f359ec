"""Where values of one column are among those of another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.data.rows import places_among
from maxsynth.data.tables import NULL

LARGEST = 2**63 - 1


@given(st.data())
@pytest.mark.parametrize("most", [5, 1000, LARGEST])
def test_places_are_found_whether_numbers_lie_close_or_far_apart(most: int, data: st.DataObject) -> None:
    numbers = st.integers(-most - 1, most)
    known = data.draw(st.lists(numbers, unique=True))
    values = data.draw(st.lists(st.sampled_from(known) | numbers if known else numbers))
    expected = [known.index(value) if value in known else NULL for value in values]
    assert places_among(np.array(values, np.int64), np.array(known, np.int64)).tolist() == expected
    assert places_among(values, known).tolist() == expected
    assert places_among([str(value) for value in values], [str(value) for value in known]).tolist() == expected
