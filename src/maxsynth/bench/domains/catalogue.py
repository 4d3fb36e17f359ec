"""The tasks of the paper by name: a domain, and how many percent of its training labels are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from maxsynth.bench.domains import buttons, coins, lists, minimal_decay, rock_paper_scissors, zendo
from maxsynth.demos.generated import GeneratedTask


class Domain(Protocol):
    """What makes tasks of a kind."""

    @property
    def train(self) -> int: ...

    @property
    def test(self) -> int: ...

    def make(self, seed: int, noise: float, train: int | None = None, test: int | None = None) -> GeneratedTask: ...


DOMAINS: dict[str, Domain] = {
    "iggp-md": minimal_decay.GAME,
    "iggp-buttons": buttons.GAME,
    "iggp-coins": coins.GAME,
    "iggp-rps": rock_paper_scissors.GAME,
    "zendo1": zendo.ZENDO1,
    "zendo2": zendo.ZENDO2,
    "zendo3": zendo.ZENDO3,
    "zendo4": zendo.ZENDO4,
    "dropk": lists.DROPK,
    "evens": lists.EVENS,
    "reverse": lists.REVERSE,
    "sorted": lists.SORTED,
}
NOISE = (0, 10, 20)
MORE_NOISE = (0, 10, 20, 30, 40)  # for the figures
FIGURED = ("iggp-rps", "dropk")
REAL = ("alzheimer-acetyl", "alzheimer-amine", "alzheimer-mem", "alzheimer-toxic", "wn18rr1", "wn18rr2")

PAPER_TASKS = [
    f"{domain}-{noise}" for domain in DOMAINS for noise in (MORE_NOISE if domain in FIGURED else NOISE)
] + list(REAL)


@dataclass(frozen=True)
class Named:
    """What a task's name says: `zendo2-20` is the domain `zendo2` with 20 percent noise; real data has none known."""

    domain: str
    noise: int | None

    @classmethod
    def of(cls, name: str) -> Named:
        domain, dash, noise = name.rpartition("-")
        return cls(domain, int(noise)) if dash and noise.isdecimal() else cls(name, None)


def make(name: str, trial: int, seed: int, *, test: int | None = None) -> GeneratedTask:
    """The task of a name; each trial has its own data, the same for all shares of noise."""
    named = Named.of(name)
    domain = DOMAINS[named.domain]
    return domain.make(trial_seed(seed, trial), named.noise or 0, test=min(test, domain.test) if test else None)


def trial_seed(seed: int, trial: int) -> int:
    """Far apart, so that the trials of one seed are not those of the next."""
    return 1000 * seed + trial
