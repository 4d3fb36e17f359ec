import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.plans import Plans

class Machine:
    def __init__(self, program: Plans) -> None: ...
    def cover(
        self, examples: NDArray[np.int32], covered: NDArray[np.uint8], unfinished: NDArray[np.uint8], budget: int
    ) -> int: ...

def set_limit(name: str, value: int) -> int: ...
