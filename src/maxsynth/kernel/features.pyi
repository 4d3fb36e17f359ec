from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.language import KernelBias
from maxsynth.kernel.terms import Index

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

class FeatureSearch:
    size: int
    def __init__(
        self,
        bias: KernelBias,
        without: Collection[str],
        examples: NDArray[np.int32],
        pos_weight: NDArray[np.int64],
        neg_weight: NDArray[np.int64],
        size_weight: int,
        make_index: Callable[[int, tuple[int, ...]], Index],
        row_limit: int = ...,
        ties: Ties | None = None,
        beam: int = 0,
        claim: Callable[[int], None] | None = None,
        number_of: Callable[[int], float] | None = None,
        threads: object = None,
        expect: Callable[[list[tuple[int, tuple[int, ...]]]], object] | None = None,
    ) -> None: ...
    narrowed: bool
    work: int
    def narrow(self, work: int, rows: int, fanout: int) -> None: ...
    def next_work(self) -> int: ...
    def end_at(self, body: int) -> None: ...
    def set_prices(self, prices: NDArray[np.int64], others: int, shift: int, bound: int) -> None: ...
    def expand(
        self, should_stop: Callable[[], bool] | None = None, at_rest: Callable[[], object] | None = None
    ) -> bool: ...
    def go_on(self) -> None: ...
    def mark(self) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any], terms: int) -> None: ...
    def collect(self, safety_number: Callable[[tuple[tuple[int, bool], ...]], int]) -> tuple[Any, ...]: ...
    def literals_of(self, number: int) -> list[tuple[int, tuple[int, ...]]]: ...
    def numbers_of(self, number: int) -> list[int]: ...
    def rows_of(self, number: int) -> tuple[list[int], list[list[int]]]: ...
    def counts(self) -> dict[str, int]: ...

def set_limit(name: str, value: int) -> int: ...
def canonical(
    literals: list[tuple[int, tuple[int, ...]]], nhead: int
) -> tuple[tuple[int, tuple[int, ...]], ...] | None: ...
