import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.forms.plans import PlannedAdornment
from maxsynth.kernel.terms import Index

class Plans:
    def __init__(self, adornments: list[PlannedAdornment], indexes: list[Index]) -> None: ...

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
