from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

class Conjunctions:
    def __init__(
        self,
        nexamples: int,
        pos_weight: NDArray[np.int64],
        neg_weight: NDArray[np.int64],
        size_weight: int,
        max_body: int,
        max_own: int,
        head_needed: int,
        one_types: list[tuple[int, int]],
        without: Collection[str] = (),
        beam: int = 0,
        type_bits: int = 8,
        claim: Callable[[int], None] | None = None,
    ) -> None: ...
    def safety_number(self, function: tuple[tuple[int, bool], ...]) -> int: ...
    def add_items(
        self,
        bits: NDArray[np.uint64],
        sizes: Sequence[int],
        owns: Sequence[int],
        heads: Sequence[int],
        types: Sequence[int],
        head_types: Sequence[int],
        safeties: Sequence[int],
        limits: Sequence[int],
    ) -> None: ...
    def expand(self, size: int, should_stop: Callable[[], bool] | None = None) -> bool: ...
    def rules(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
    def parts(self, number: int) -> list[int]: ...
    def counts(self) -> dict[str, int]: ...
