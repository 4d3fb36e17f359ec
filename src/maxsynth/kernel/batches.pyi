import numpy as np
from numpy.typing import NDArray

Column = tuple[type, NDArray[np.uint8] | None, NDArray[np.generic], NDArray[np.int64] | None]

def columns_of(rows: list[tuple[object, ...]], width: int) -> list[Column | None]: ...
