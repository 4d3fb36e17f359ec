from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.language import KernelLimits

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
        limits: KernelLimits | None,
        without: Collection[str] = (),
        beam: int = 0,
        type_bits: int = 8,
        claim: Callable[[int], None] | None = None,
        threads: object = None,
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
        counts: Sequence[int],
        marks: Sequence[int],
    ) -> None: ...
    def expand(
        self,
        size: int,
        should_stop: Callable[[], bool] | None = None,
        at_rest: Callable[[], object] | None = None,
    ) -> bool: ...
    def mark(self) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any]) -> None: ...
    def next_work(self, size: int) -> int: ...
    def set_prices(self, prices: NDArray[np.int64], others: int, shift: int, bound: int) -> None: ...
    item_count: int
    def rules(
        self, some: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
    def parts(self, number: int) -> list[int]: ...
    def counts(self) -> dict[str, int]: ...

class Pricer:
    def __init__(
        self,
        rules: Conjunctions,
        values: NDArray[np.int64],
        shares: NDArray[np.int64],
        column: NDArray[np.int32],
        row: NDArray[np.int32],
        unshared: NDArray[np.int64],
        shift: int,
        bound: int,
    ) -> None: ...
    def rules_below(
        self, most_cost: int, most: int, last: int, should_stop: Callable[[], bool] | None = None
    ) -> tuple[tuple[Any, ...], bool] | None: ...

class CoverLog:
    frames: list[Any]
    asked: int
    is_behind: bool
    def __init__(self, known: list[Any] | None = None, skipped: Callable[[int], None] | None = None) -> None: ...

class Cover:
    def shares(
        self,
        bound: int,
        steps: int,
        should_stop: Callable[[], bool] | None = None,
        known: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int]: ...
    def values(
        self, bound: int, steps: int, should_stop: Callable[[], bool] | None = None
    ) -> tuple[NDArray[np.int64], int]: ...
    def unmatched(self, should_stop: Callable[[], bool] | None = None) -> list[int]: ...
    shift: int
    full: bool
    nodes: int
    steps: int
    matched: int
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
        threads: object = None,
    ) -> None: ...
    def solve(
        self,
        bound: int,
        should_stop: Callable[[], bool] | None = None,
        on_better: Callable[[list[int]], None] | None = None,
        log: CoverLog | None = None,
    ) -> tuple[list[int] | None, bool, int]: ...

class WithinGap:
    nodes: int
    looks: int
    def __init__(
        self,
        bits: NDArray[np.uint64],
        sizes: NDArray[np.int64],
        gains: NDArray[np.int64],
        values: NDArray[np.int64],
        shares: NDArray[np.int64],
        column: NDArray[np.int32],
        row: NDArray[np.int32],
        shift: int,
        paid: int,
        bound: int,
        claim: Callable[[int], None] | None = None,
        *,
        most_rules: int | None = None,
        most_literals: int | None = None,
        literal: int = 1,
        threads: object = None,
    ) -> None: ...
    def solve(
        self,
        most_looks: int,
        should_stop: Callable[[], bool] | None = None,
        on_better: Callable[[list[int]], None] | None = None,
    ) -> tuple[list[int] | None, bool]: ...

class Matching:
    wanted: NDArray[np.int64]
    left: NDArray[np.int64]
    def __init__(
        self,
        positives: NDArray[np.uint64],
        wanted: NDArray[np.int64],
        negatives: NDArray[np.uint64],
        left: NDArray[np.int64],
        rules: int,
    ) -> None: ...
    def find_choices(self, should_stop: Callable[[], bool] | None = None) -> None: ...
    def carry_negatives(self) -> int: ...
    def carry_sizes(self, slack: NDArray[np.int64]) -> int: ...
    def charge(self, rules: NDArray[np.int64]) -> None: ...

def columns_of(bits: NDArray[np.uint64], count: int) -> NDArray[np.uint64]: ...
def sums_of(which: NDArray[np.int64], weights: NDArray[np.int64], count: int) -> NDArray[np.int64]: ...
def lists_of(matrix: NDArray[np.uint8], chosen: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def equal_columns(columns: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def dive(
    bits: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    weights: NDArray[np.int64],
    starts: int,
    should_stop: Callable[[], bool] | None = None,
    *,
    most_rules: int | None = None,
    most_size: int | None = None,
    threads: object = None,
) -> tuple[int, list[int]]: ...
def set_limit(name: str, value: int) -> int: ...
