from maxsynth.kernel.index import Index

# kind, target, key registers, operations on other columns, parents, filters
Step = tuple[int, int, tuple[int, ...], tuple[tuple[int, int, bool], ...], int, tuple[int, ...]]
# registers, constants, head operations, steps, output registers, output steps
Plan = tuple[
    int, tuple[tuple[int, int], ...], tuple[tuple[int, int, bool], ...], tuple[Step, ...], tuple[int, ...], int
]

class Plans:
    def __init__(self, adornments: list[tuple[int, int, list[Plan]]], indexes: list[Index]) -> None: ...
