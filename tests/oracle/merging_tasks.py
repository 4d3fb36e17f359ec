"""Tasks with directions in which literals read from several features, which are merged for that.

An example has parts, parts have values, and what decides is mostly a literal on values of two parts. Sizes are values
but for the largest, which the literals that read two of them do not have: so there are pairs that come to the same.
"""

from __future__ import annotations

import random
from pathlib import Path

EXAMPLES = 12
BIAS = """
head_pred(f,1). body_pred(part,2). body_pred(value,2). body_pred(size,2). body_pred(less,2). body_pred(add,3).
body_pred(red,1). direction(f,(in,)). direction(part,(in,out)). direction(value,(in,out)). direction(size,(in,out)).
direction(less,(in,in)). direction(add,(in,in,out)). direction(red,(in,)).
"""


def write_merging_task(rng: random.Random, folder: Path) -> None:
    facts, values = [], {}
    for example in range(EXAMPLES):
        for number in range(rng.randrange(1, 4)):
            part = f"p{example}_{number}"
            values.setdefault(example, []).append(rng.randrange(6))
            facts += [f"part(e{example},{part})", f"value({part},{values[example][-1]})"]
            facts += [f"red({part})"] * (rng.random() < 0.5)
            facts += [f"size({part},{values[example][-1]})"] * (values[example][-1] < 5)
    facts += [f"less({x},{y})" for x in range(5) for y in range(5) if x < y and rng.random() < 0.9]
    facts += [f"add({x},{y},{x + y})" for x in range(5) for y in range(5) if x + y < 6]
    rng.shuffle(facts)
    hidden = rng.choice((lambda own: max(own) - min(own) > 2, lambda own: sum(own) < 6, lambda own: len(own) > 1))
    labels = [hidden(values[example]) != (rng.random() < 0.1) for example in range(EXAMPLES)]
    labels[rng.randrange(EXAMPLES)] = True  # there is a positive at least
    limits = f"max_vars({rng.choice((4, 5))}). max_body({rng.choice((4, 5))})."
    (folder / "bias.pl").write_text(f"{BIAS}{limits}\n")
    (folder / "bk.pl").write_text(":- style_check(-discontiguous).\n" + "".join(f"{fact}.\n" for fact in facts))
    copies = rng.choice((1, 3))
    (folder / "exs.pl").write_text(
        "".join(f"{'pos' if label else 'neg'}(f(e{example})).\n" * copies for example, label in enumerate(labels))
    )
