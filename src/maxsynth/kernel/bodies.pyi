from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.language import KernelBias
from maxsynth.kernel.terms import Index

# predicate, arguments, their types (-1: none), input variables as bits, whether it may be in a body, counts, marks
GrowerLiteral = tuple[int, tuple[int, ...], Sequence[int], int, bool, int, int]

class BodyGrower:
    grown: int
    def __init__(
        self,
        bias: KernelBias,
        literals: list[GrowerLiteral],
        may_miss: int,
        examples: NDArray[np.int32],
        index_of: Callable[[int, tuple[int, ...]], Index | None],
        claim: Callable[[int], None] | None = None,
    ) -> None: ...
    def grow(
        self, last: bool, should_stop: Callable[[], bool]
    ) -> list[tuple[tuple[int, ...], int, NDArray[np.bool_], bool]] | None: ...
    def parents(self, body: tuple[int, ...]) -> list[tuple[int, ...]]: ...

class WeighedBits:
    def __init__(self, weights: NDArray[np.int64]) -> None: ...
    def of(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]: ...
    def of_both(self, rows: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.int64]: ...

def set_limit(name: str, value: int) -> int: ...
