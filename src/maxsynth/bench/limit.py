"""What a run may take at most."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maxsynth.errors import MaxSynthError

WRITTEN = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>steps)?")
STEPS_A_SECOND = 3000  # very roughly, for estimates
MOST = 1e9  # seconds or steps: more are a slip of the pen
PATIENCE = 600.0  # seconds that a run with a limit of steps may take


@dataclass(frozen=True)
class Limit:
    """Seconds; or steps as a search counts them, and then the seconds are only for a run that hangs.

    A limit of steps ends a run at the same point on every machine, so that a run with it can be repeated.
    """

    seconds: float
    steps: int | None = None

    @classmethod
    def of_steps(cls, steps: int) -> Limit:
        return cls(PATIENCE, steps)

    @classmethod
    def parse(cls, text: str) -> Limit:
        """`60` is seconds, `25000steps` is steps."""
        match = WRITTEN.fullmatch(text)
        number = float(match["number"]) if match else 0.0
        if match is None or not 0 < number < MOST or (match["unit"] and not number.is_integer()):
            raise MaxSynthError(
                f"`{text}` is no limit of a run", remedy="write a number of seconds such as 60, or of steps: 25000steps"
            )
        return cls.of_steps(int(number)) if match["unit"] else cls(number)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Limit:
        """The limit that a recorded run had."""
        return cls(float(record["timeout"]), record.get("most_steps"))

    @property
    def recorded(self) -> dict[str, object]:
        return {"timeout": self.seconds, "most_steps": self.steps}

    @property
    def order(self) -> tuple[float, float]:
        """What is larger lets a run go further."""
        return self.seconds, math.inf if self.steps is None else self.steps

    @property
    def likely_seconds(self) -> float:
        """About how long a run takes that needs all of it."""
        return self.seconds if self.steps is None else min(self.seconds, self.steps / STEPS_A_SECOND)

    def __str__(self) -> str:
        return f"{self.seconds:g} s" if self.steps is None else f"{self.steps:,} steps"
