from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

class Cover:
    nodes: int
    def __init__(
        self,
        pos: NDArray[np.uint64],
        neg: NDArray[np.uint64],
        sizes: NDArray[np.int64],
        pos_weight: NDArray[np.int64],
        neg_weight: NDArray[np.int64],
    ) -> None: ...
    def dive(self, bound: int, starts: int) -> list[int] | None: ...
    def solve(
        self, bound: int, budget: int, should_stop: Callable[[], bool] | None = None
    ) -> tuple[list[int] | None, bool]: ...
