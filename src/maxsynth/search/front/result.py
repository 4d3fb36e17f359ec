"""What a search for a front returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from maxsynth import __version__
from maxsynth.logic.programs import Program
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.result import EMPTY, literal_dict


@dataclass(frozen=True)
class Point:
    """A program with fewer errors than every smaller one that is known.

    `errors` are by weight; `at_least` so many has every program that is no larger. Where both are the same, the point
    is proven: no program of this size has fewer.
    """

    size: int
    errors: int
    at_least: int
    program: Program
    confusion: Confusion

    @property
    def proven(self) -> bool:
        return self.at_least >= self.errors

    def __str__(self) -> str:
        counts = self.confusion
        known = "proven" if self.proven else f"at least {self.at_least}"
        return (
            f"{self.size} literals: {self.errors} errors, {known} "
            f"({counts.fp} false positives, {counts.fn} false negatives)"
        )

    def as_dict(self) -> dict[str, object]:
        counts = self.confusion
        return {
            "size": self.size,
            "errors": self.errors,
            "at_least": self.at_least,
            "proven": self.proven,
            "tp": counts.tp,
            "fn": counts.fn,
            "tn": counts.tn,
            "fp": counts.fp,
            "program": [str(rule) for rule in self.program.rules],
            "rules": [[literal_dict(lit.name, lit.args) for lit in rule.literals()] for rule in self.program.rules],
        }


@dataclass(frozen=True)
class Front:
    """For every size the fewest errors. `points` are the sizes at which there are fewer than before.

    `errors` and `at_least` are for every size up to `size`, from 0 on: what was found, and what is proven. `status`
    says why the search ended, as in a result; "optimal" where all is proven. `larger` is what a literal weighs, and
    what a program that is larger than `size` costs at least by the weights; None where nobody looked.
    """

    status: str
    size: int
    points: tuple[Point, ...]
    errors: tuple[int, ...]
    at_least: tuple[int, ...]
    larger: tuple[int, int] | None = None
    settings: dict[str, object] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    steps: int = 0

    @property
    def proven(self) -> bool:
        return self.errors == self.at_least

    def best(self, size: int) -> Point:
        """The point with the fewest errors among those that are no larger."""
        return [point for point in self.points if point.size <= max(size, 0)][-1]

    def errors_at_least(self, size: int) -> int:
        """How many errors every program has that is no larger than this, by what is proven."""
        if size <= self.size:
            return self.at_least[max(size, 0)]
        if self.larger is None:
            return 0
        weight, cost = self.larger
        return max(0, min(cost - weight * size, self.at_least[-1]))

    def text(self, program_text: Callable[[Program], str] = str) -> str:
        """All points, as Prolog with comments."""
        return "\n\n".join(f"% {point}\n{program_text(point.program) or EMPTY}" for point in self.points)

    def summary(self) -> str:
        """One line: how far it goes, and what is proven of it."""
        unproven = sum(known > least for known, least in zip(self.errors, self.at_least, strict=True))
        proven = "all proven" if not unproven else f"{unproven} of {self.size + 1} sizes not proven"
        count = len(self.points)
        larger = ""
        if self.larger is not None:
            weight, cost = self.larger
            size = "size" if weight == 1 else f"{weight} * size"
            larger = f"; a larger program has at least {cost} - {size} errors"
        points = f"{count} point{'s' * (count != 1)}"
        return f"{self.status}: {points} up to {self.size} literals, {proven}, in {self.seconds['total']:.2f} s{larger}"

    def __repr__(self) -> str:
        return f"<Front {self.summary()}>\n{self.text()}"

    def as_dict(self, task: str, files: dict[str, str]) -> dict[str, object]:
        """As JSON takes it, with where the task is and what its files were, as in a result."""
        return {
            "task": task,
            "files": files,
            "settings": self.settings,
            "status": self.status,
            "size": self.size,
            "points": [point.as_dict() for point in self.points],
            "errors": list(self.errors),
            "at_least": list(self.at_least),
            "larger": None if self.larger is None else {"literal": self.larger[0], "cost_at_least": self.larger[1]},
            "seconds": self.seconds,
            "steps": self.steps,
            "version": __version__,
        }
