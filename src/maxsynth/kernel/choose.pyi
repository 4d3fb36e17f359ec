from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

class Cover:
    full: bool
    nodes: int
    steps: int
    matched: int
    probed: int
    check: int
    patience: int
    def __init__(
        self,
        pos_from: NDArray[np.int32],
        pos: NDArray[np.int32],
        neg_from: NDArray[np.int32],
        neg: NDArray[np.int32],
        sizes: NDArray[np.int64],
        pos_weight: NDArray[np.int64],
        neg_weight: NDArray[np.int64],
        *,
        most_rules: int | None = None,
        most_size: int | None = None,
        claim: Callable[[int], None] | None = None,
    ) -> None: ...
    def solve(
        self,
        bound: int,
        should_stop: Callable[[], bool] | None = None,
        on_better: Callable[[list[int]], None] | None = None,
    ) -> tuple[list[int] | None, bool, int]: ...

def dive(
    bits: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    weights: NDArray[np.int64],
    starts: int,
    should_stop: Callable[[], bool] | None = None,
    *,
    most_rules: int | None = None,
    most_size: int | None = None,
) -> tuple[int, list[int]]: ...
