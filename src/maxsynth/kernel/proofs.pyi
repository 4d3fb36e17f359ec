from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.plans import PlannedAdornment
from maxsynth.kernel.terms import Index

class Plans:
    def __init__(self, adornments: list[PlannedAdornment], indexes: list[Index]) -> None: ...

class Batch:
    part: int
    steps: int
    def __init__(self, program: Plans | None) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], budget: int, asking: int = 0
    ) -> tuple[bool, int]: ...
    def cover_within(
        self,
        examples: NDArray[np.int32],
        covered: NDArray[np.uint8],
        unfinished: NDArray[np.uint8],
        ends: NDArray[np.int32],
        weights: NDArray[np.int64],
        enough: int,
        steps: int,
        asking: int,
        part: int,
        taken: int,
    ) -> None: ...

class ManyTests:
    def __init__(self, examples: NDArray[np.int32], weights: NDArray[np.int64]) -> None: ...
    def begin(
        self,
        programs: list[Plans],
        covered: NDArray[np.uint8],
        unfinished: NDArray[np.uint8],
        lacking: NDArray[np.uint8],
        ends: list[int],
        enough: int,
        steps: int,
        asking: int,
        threads: int,
        peek: Callable[[], bool] | None,
    ) -> None: ...
    def pass_on(self) -> None: ...
    def stop(self) -> None: ...
    def work_off(self, which: int) -> None: ...

class Machine:
    def __init__(self, program: Plans) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], unfinished: NDArray[np.uint8], budget: int
    ) -> int: ...

class GroundProgram:
    def __init__(
        self,
        ngoals: int,
        goal: NDArray[np.int32],
        calls_from: NDArray[np.int32],
        calls: NDArray[np.int32],
        values: NDArray[np.float64],
        least: NDArray[np.float64],
        greatest: NDArray[np.float64],
        examples: NDArray[np.int32],
        pos: NDArray[np.int64],
        neg: NDArray[np.int64],
    ) -> None: ...
    def best_cuts_below(self, errors: int, should_stop: Callable[[], bool] | None = None) -> list[float] | None: ...
    def covered(self, cuts: list[float]) -> list[bool]: ...
    def gap(self, test: int, cuts: list[float]) -> tuple[float | None, float]: ...

def set_limit(name: str, value: int) -> int: ...
