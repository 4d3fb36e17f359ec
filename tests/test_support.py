"""Constants that too few positives can meet are left out, and nothing is lost by that."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from maxsynth.bias.parsing import parse_bias
from maxsynth.proofs.metrics import Weights
from maxsynth.search.learned import reach
from maxsynth.search.learned.spelling import Numbered, spell_out
from maxsynth.search.learned.support import Support
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

BIAS = """head_pred(f,1). type(f,(thing,)). direction(f,(in,)).
body_pred(part,2). type(part,(thing,part)). direction(part,(in,out)).
body_pred(kind,2). type(kind,(part,kind)). direction(kind,(in,out)).
body_pred(link,3). type(link,(kind,part,kind)). direction(link,({0},in,{1})).
max_vars(3). max_body(3). constants(kind).
"""


def random_task(rng: random.Random) -> ReadTask:
    things, parts, kinds = rng.randint(3, 9), rng.randint(2, 6), rng.randint(1, 5)
    facts = {f"part(t{rng.randrange(things)},p{rng.randrange(parts)})." for _ in range(rng.randint(1, 14))}
    facts |= {f"kind(p{rng.randrange(parts)},k{rng.randrange(kinds)})." for _ in range(rng.randint(1, 8))}
    facts |= {
        f"link(k{rng.randrange(kinds)},p{rng.randrange(parts)},k{rng.randrange(kinds)})."
        for _ in range(rng.randint(1, 8))
    }
    exs = ["pos(f(t0)).", *exs_of(rng, things)]
    bias = BIAS.format(*rng.choice((("in", "out"), ("out", "out"), ("out", "in"), ("in", "in"))))
    texts = ("\n".join(sorted(facts)) + "\n", "bk.pl"), ("\n".join(exs) + "\n", "exs.pl")
    return ReadTask.from_texts("random", parse_bias(bias, "bias.pl"), *texts)


def exs_of(rng: random.Random, things: int) -> list[str]:
    count = rng.randint(0, 14)
    return [f"{rng.choice(('pos', 'pos', 'neg'))}(f(t{rng.randrange(things)}))." for _ in range(count)]


def spelled(task: ReadTask) -> int:
    settings = Settings()
    examples = WeighedExamples.of(task, settings.weights)
    support = Support(task.bias, task.background, examples, settings.weights.size)
    return len(spell_out(task, Numbered.LEFT, support).meaning)


def met(task: ReadTask, body: int) -> object:
    """What the positives can meet with rules of so many literals."""
    bias = dataclasses.replace(task.bias, max_body=body)
    task.background.close(bias.body)
    return Support(bias, task.background, WeighedExamples.of(task, Weights()), 1).look()


def test_what_is_kept_is_what_is_found_anew(effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches in spaces of several sizes, in any order, on the same BK; some are too much work."""
    for seed in range(effort(60, 2_000)):
        rng = random.Random(seed)
        task = random_task(random.Random(seed))
        monkeypatch.setattr(reach, "MOST_WORK", rng.choice((5, 20, 5_000_000)))
        for _ in range(4):
            body = rng.randint(1, 4)
            assert met(task, body) == met(random_task(random.Random(seed)), body), f"seed {seed}, {body} literals"


def test_other_positives_are_not_taken_for_the_same() -> None:
    task = random_task(random.Random(3))
    examples = WeighedExamples.of(task, Weights())
    fewer = dataclasses.replace(examples, pos=examples.pos * (np.arange(len(examples.pos)) < 1))
    task.background.close(task.bias.body)
    every, few, again = (Support(task.bias, task.background, one, 1).look() for one in (examples, fewer, examples))
    assert every != few
    assert every == again


@pytest.mark.slow
def test_same_cost(effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = 0
    for seed in range(effort(60, 5_000)):
        some = Search(random_task(random.Random(seed)), Settings()).run()
        few = spelled(random_task(random.Random(seed)))
        with monkeypatch.context() as patched:
            patched.setattr(Support, "look", lambda _: None)
            every = Search(random_task(random.Random(seed)), Settings()).run()
            fewer += few < spelled(random_task(random.Random(seed)))
        assert (some.status, some.cost) == (every.status, every.cost) == ("optimal", every.cost), seed
    assert fewer > effort(25, 2_000)


def test_many_constants(tmp_path: Path) -> None:
    """Each thing has a name of its own and one of two kinds: no name is spelled out."""
    bias = """head_pred(f,1). type(f,(thing,)). direction(f,(in,)).
body_pred(name,2). type(name,(thing,name)). direction(name,(in,out)).
body_pred(kind,2). type(kind,(thing,kind)). direction(kind,(in,out)).
constants(name). constants(kind).
"""
    bk = "".join(f"name(t{i},n{i}).\nkind(t{i},{'ab'[i % 2]}).\n" for i in range(2000))
    exs = "".join(f"{('pos', 'neg')[i % 2]}(f(t{i})).\n" for i in range(2000))
    task = ReadTask.from_texts("names", parse_bias(bias, "bias.pl"), (bk, "bk.pl"), (exs, "exs.pl"))
    assert spelled(task) == 1  # no positive meets kind(_,b) either
    assert str(Search(task, Settings()).run().program) == "f(A) :- kind(A,a)."
