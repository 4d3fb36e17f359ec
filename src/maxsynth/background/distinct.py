"""The different ones among many numbers.

NumPy has this too, by a hash table from version 2.3 on, in which numbers that make up two (a * n + b) collide so often
that it can take a hundred times as long as sorting them.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer[Any])


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """Each once, in order."""
    ordered: NDArray[Number] = np.sort(numbers, axis=None)
    differs = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
    found: NDArray[Number] = ordered[differs]
    return found


def distinct_but(numbers: NDArray[Number], known: NDArray[Number]) -> NDArray[Number]:
    """The same without those that are known."""
    found, ordered = distinct(numbers), np.sort(known, axis=None)
    if not len(ordered):
        return found
    places = np.minimum(np.searchsorted(ordered, found), len(ordered) - 1)
    new: NDArray[Number] = found[ordered[places] != found]
    return new
