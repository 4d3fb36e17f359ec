"""What is known of a front while it is looked for: for each size, the fewest errors found, and what is proven.

Errors are the weights of false positives and false negatives together. A program of a size is also one of every larger
size, so the errors of the best never grow with the size, and neither does what they are at least.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from maxsynth.logic.programs import Program


@dataclass
class KnownFront:
    """For each size up to `most`: the fewest errors of programs that are not larger."""

    most: int
    nothing: int  # the errors of the empty program
    errors: list[int] = field(init=False)
    at_least: list[int] = field(init=False)
    programs: dict[int, Program] = field(default_factory=dict)  # by their errors

    def __post_init__(self) -> None:
        self.errors = [self.nothing] * (self.most + 1)
        self.at_least = [0] * (self.most + 1)
        self.programs[self.nothing] = Program()
        self.raise_at_least(1, self.nothing)  # a rule has two literals, so that only the empty program is smaller

    def is_better(self, size: int, errors: int) -> bool:
        return size <= self.most and errors < self.errors[size]

    def take(self, size: int, errors: int, program: Program) -> None:
        """Takes a program, if it is better than all of its size."""
        if self.is_better(size, errors):
            self.programs[errors] = program
            for larger in range(size, self.most + 1):
                self.errors[larger] = min(self.errors[larger], errors)

    def raise_at_least(self, size: int, errors: int) -> None:
        """No program of so many literals, or fewer, has fewer errors."""
        for smaller in range(min(size, self.most) + 1):
            self.at_least[smaller] = max(self.at_least[smaller], min(errors, self.errors[smaller]))

    def raise_by_cost(self, size_weight: int, error_weight: int, cost: int) -> None:
        """All programs cost at least so much, where literals and errors have these weights."""
        for size in range(self.most + 1):
            self.raise_at_least(size, -((size_weight * size - cost) // error_weight))

    def is_proven(self, size: int) -> bool:
        return self.at_least[size] >= self.errors[size]

    @property
    def proven(self) -> bool:
        return all(map(self.is_proven, range(self.most + 1)))

    def open_sizes(self) -> list[int]:
        return [size for size in range(self.most + 1) if not self.is_proven(size)]

    def steepest(self, size: int) -> tuple[int, int]:
        """Weights of literals and errors under which the best of all programs up to a size, if it has fewer errors than
        are known, has exactly that size. All smaller sizes are proven.

        Let t be one error less than known for the size s, and E(s - k) the fewest errors of programs that are smaller
        by k. Each E(s - k) is above t, since E never grows. With the weights a of a literal and b of an error such that
        a k < b (E(s - k) - t) for all k from 1 to s, a program of size s - k costs a (s - k) + b E(s - k) at least,
        which is more than a s + b t. So among programs up to size s, those that cost at most that are just those of
        size s with at most t errors, and the cheapest of them has the fewest.

        The more a literal weighs, the more a search can leave out. So the weights are near the limit.
        """
        target = self.errors[size] - 1
        # The smallest (E(s - k) - t) / k, as a pair.
        rise, run = self.errors[size - 1] - target, 1
        for less in range(2, size + 1):
            other = self.errors[size - less] - target
            if other * run < rise * less:
                rise, run = other, less
        return PARTS * rise - 1, PARTS * run


PARTS = 8
