import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.terms import Index

# kind, target, key registers, operations on other columns, parents, filters
Step = tuple[int, int, tuple[int, ...], tuple[tuple[int, int, bool], ...], int, tuple[int, ...]]
# registers, constants, head operations, steps, output registers, output steps
Plan = tuple[
    int, tuple[tuple[int, int], ...], tuple[tuple[int, int, bool], ...], tuple[Step, ...], tuple[int, ...], int
]

class Plans:
    def __init__(self, adornments: list[tuple[int, int, list[Plan]]], indexes: list[Index]) -> None: ...

class Batch:
    def __init__(self, program: Plans) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], budget: int, asking: int = 0
    ) -> tuple[bool, int]: ...

class Machine:
    def __init__(self, program: Plans) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], unfinished: NDArray[np.uint8], budget: int
    ) -> int: ...

def set_limit(name: str, value: int) -> int: ...
