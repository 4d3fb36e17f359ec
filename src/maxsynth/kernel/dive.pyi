from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
