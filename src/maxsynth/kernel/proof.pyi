import numpy as np
from numpy.typing import NDArray

from maxsynth.evaluate import Plan
from maxsynth.kernel.index import Index

class Prover:
    def __init__(self, adornments: list[tuple[int, int, list[Plan]]], indexes: list[Index]) -> None: ...
    def cover(self, examples: NDArray[np.int32], budget: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]: ...
