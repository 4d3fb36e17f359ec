from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.language import KernelBias
from maxsynth.kernel.terms import Index

# predicate, arguments, their types (-1: none), input variables as bits, whether it may be in a body, counts, marks
GrowerLiteral = tuple[int, tuple[int, ...], Sequence[int], int, bool, int, int]

class BodyGrower:
    grown: int
    size: int
    found: list[int]
    def __init__(
        self,
        bias: KernelBias,
        literals: list[GrowerLiteral],
        may_miss: int,
        examples: NDArray[np.int32],
        index_of: Callable[[int, tuple[int, ...]], Index | None],
        claim: Callable[[int], None] | None = None,
        tests: Sequence[int] = (),
    ) -> None: ...
    def body(self, number: int) -> tuple[tuple[int, ...], int]: ...
    def covers(self, number: int) -> tuple[int, bool]: ...
    def children(self, number: int) -> list[int]: ...
    def parents(self, number: int) -> list[int]: ...
    def least(
        self,
        should_stop: Callable[[], bool],
        is_of_use: Callable[[int, int], bool],
        at_rest: Callable[[], object] | None = None,
    ) -> bool: ...
    def mark(self) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any]) -> None: ...

def set_limit(name: str, value: int) -> int: ...
