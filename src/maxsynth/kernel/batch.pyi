import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.plans import Plans

class Batch:
    def __init__(self, program: Plans) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], budget: int, asking: int = 0
    ) -> tuple[bool, int]: ...

def set_limit(name: str, value: int) -> int: ...
