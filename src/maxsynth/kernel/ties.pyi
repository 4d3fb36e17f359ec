import numpy as np
from numpy.typing import NDArray

ENTRIES: int

class Ties:
    def __init__(
        self,
        rows: NDArray[np.int32],
        relations: list[NDArray[np.int32] | None],
        longest: int,
        entries: int = ...,
        effort: int = ...,
        walk: int = ...,
    ) -> None: ...
    def near_examples(self, start: int) -> list[bool]: ...
