"""Random tasks on numbers that count down, by rules: what a program that calls itself needs of BK is asked as it runs.

Examples have large numbers and few of them, so that bodies alone do not come to the small ones.
"""

from __future__ import annotations

import random
from pathlib import Path

BK = """down(X,Y) :- X > 0, Y is X-1.
twice(X,Y) :- X > 1, Y is X-2.
zero(0).
one(1).
odd(X) :- 1 is X mod 2.
"""
BIAS = """head_pred(f,1).
body_pred(down,2).
body_pred(twice,2).
body_pred(zero,1).
body_pred(one,1).
body_pred(odd,1).
direction(f,(in,)).
direction(down,(in,out)).
direction(twice,(in,out)).
direction(zero,(in,)).
direction(one,(in,)).
direction(odd,(in,)).
enable_recursion.
"""


def write_counting_task(rng: random.Random, folder: Path) -> None:
    """A task of the generator `rng`: numbers that a step leads to some end, with some labels wrong."""
    step, end = rng.choice((2, 3, 4)), rng.randint(0, 1)
    numbers = rng.sample(range(4, 40), rng.randint(6, 20))
    labels = [(number % step == end) != (rng.random() < 0.15) for number in numbers]
    labels[0] = labels[0] or not any(labels)  # a task has a positive example
    weight = rng.choice((1, 1, 3))
    exs = "".join(
        f"pos(f({number}),{weight}).\n" if label else f"neg(f({number})).\n"
        for number, label in zip(numbers, labels, strict=True)
    )
    limits = (
        f"max_vars({rng.choice((2, 3, 4))}).\nmax_body({rng.choice((2, 3))}).\nmax_clauses({rng.choice((2, 2, 3))}).\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("bk.pl", BK), ("bias.pl", BIAS + limits), ("exs.pl", exs)):
        (folder / name).write_text(text)
