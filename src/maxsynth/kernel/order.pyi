from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SPREAD: int

def sorted_order(rows: NDArray[np.int32], columns: Sequence[int]) -> NDArray[np.int32]: ...
