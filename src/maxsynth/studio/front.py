"""Programs by size and errors, of which none is better than another in both: a front to choose from.

Each search with other weights for literals and errors finds a point of it: the cheaper errors are, the smaller the
program. What searches meet on their way to these are points too, where nothing better is known. So the front is made of
programs that are the best for some weights, and of others that were seen; there may be more between them.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maxsynth.api.task import Task
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Program
from maxsynth.logic.tested import size_of
from maxsynth.search.progress import Progress
from maxsynth.studio.engine import Learn

# What literals and errors weigh, from the smallest programs on.
RATIOS = ((16, 1), (8, 1), (4, 1), (2, 1), (1, 1), (1, 2), (1, 4), (1, 8), (1, 16))
EACH = 10.0  # seconds of one search


@dataclass(frozen=True)
class Point:
    """A program of the front; `proven` where none is better for the weights of a search."""

    size: int
    errors: int
    program: Program
    proven: bool = False


def best_of(points: Sequence[Point]) -> list[Point]:
    """The points that no other one matches or beats in both, by size."""
    front: list[Point] = []
    for point in sorted(points, key=lambda one: (one.size, one.errors, not one.proven)):
        if not front or point.errors < front[-1].errors:
            front.append(point)
    return front


class Front:
    """Searches for the points of a front, one after the other, in a thread of its own."""

    def __init__(self, task: Task, tested: Collection[Predicate], how: Mapping[str, Any], learn: Learn) -> None:
        self.task = task
        self.tested = tested  # what of a program does not count
        self.how = {**how, "timeout": min(how.get("timeout") or EACH, EACH)}
        self.learn = learn
        self.found: list[Point] = []
        self.searched = 0
        self.problem = ""
        self.ends = False
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.work, name="front", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def end(self, seconds: float = 0.0) -> bool:
        self.ends = True
        return self.done.wait(seconds)

    @property
    def points(self) -> list[Point]:
        return best_of(list(self.found))

    def work(self) -> None:
        try:
            for size, error in RATIOS:
                if self.ends:
                    break
                self.search(size, error)
                self.searched += 1
        except MaxSynthError as error:
            self.problem = one_line(str(error))
        except Exception as error:  # in a thread nobody else would tell of it
            self.problem = one_line(f"{type(error).__name__}: {error}")
        finally:
            self.done.set()

    def search(self, size: int, error: int) -> None:
        def note(progress: Progress) -> bool:
            if progress.program is not None and progress.cost is not None:
                self.add(progress.program, progress.cost, size, error)
            return not self.ends

        result = self.learn(self.task, on_progress=note, **{**self.how, "weights": (size, error, error)})
        if result.program is not None and result.cost is not None:
            self.add(result.program, result.cost, size, error, proven=result.status == "optimal")

    def add(self, program: Program, cost: int, size: int, error: int, *, proven: bool = False) -> None:
        literals = size_of(program, self.tested)
        self.found.append(Point(literals, (cost - size * literals) // error, program, proven))
