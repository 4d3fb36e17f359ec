"""One search on many machines: the answer, all that is counted, and the trace of costs are those of one process.

Most of it is tested with a cluster that is none: what would be sent is pickled, done in this process by workers that share
nothing, and comes back late and in another order. The last tests are with real ones.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.kernel import features as kernel
from maxsynth.search import threads
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.rules import elsewhere
from maxsynth.search.rules.elsewhere import Helpers, SentUnit, Workplace, try_out
from maxsynth.search.settings import Settings
from maxsynth.spread.cluster import Doing
from maxsynth.spread.executor import Failed, LostError
from maxsynth.spread.on_worker import Missing
from maxsynth.task.task import ReadTask
from test_kernel_limits import limited
from test_threads import KINDS, seen, write

NEVER = lambda: False  # noqa: E731
LEAST_SENT = {"rules": 50, "graph": 500, "learned": 10, "recursion": 50, "invention": 5}  # units, all in all


class Pretended:
    """A cluster as a `Stream` sees it. What a unit finds goes through `spoil` before it comes back."""

    def __init__(self, workers: int, rng: random.Random, jobs: int = 1) -> None:
        self.name, self.is_here = f"pretended-{id(self)}", rng.random() < 0.5
        self.jobs = jobs
        self.rng = rng
        self.threads = {f"worker {number}": jobs for number in range(workers)}
        self.places_of: dict[str, Workplace] = {}
        self.data: dict[Any, Any] = {}
        self.on_their_way: list[tuple[Any, Any]] = []
        self.done = 0
        self.forgetful = 0.0  # how often a worker has forgotten everything, ...
        self.mortal = 0.0  # ... a unit comes to nothing, ...
        self.ends_after: int | None = None  # ... and after how many units the scheduler is gone
        self.spoil: Callable[[Any], Any] = lambda outcome: outcome

    def look(self) -> None:
        if self.ends_after is not None and self.done >= self.ends_after:
            raise LostError("the scheduler of the cluster is gone")

    def start(self, one: Doing, doing: dict[Any, Doing]) -> None:
        worker = self.rng.choice(list(self.threads))
        digest = self.data.setdefault(one.work, cloudpickle.dumps(one.work.sent()))
        assert isinstance(one.unit, elsewhere.Unit)
        sent = pickle.loads(pickle.dumps(one.unit.addressed_to(worker, bool(one.tried))))
        future = object()
        doing[future] = one._replace(worker=worker)
        self.on_their_way.insert(self.rng.randrange(len(self.on_their_way) + 1), (future, (worker, digest, sent)))

    def next_arrival(self, moment: float) -> Any:
        self.look()
        if not self.on_their_way or (moment == 0 and self.rng.random() < 0.5):
            return None
        return self.on_their_way[0][0]

    def outcome(self, arrived: Any, patience: float) -> Any:
        _, (worker, digest, sent) = self.on_their_way.pop(0)
        self.done += 1
        if worker not in self.places_of or self.rng.random() < self.forgetful:
            self.places_of[worker] = Workplace(pickle.loads(digest).setting)
        outcome = try_out(self.places_of[worker], sent, NEVER)
        if self.rng.random() < self.mortal:
            return Failed("it died")
        return outcome if isinstance(outcome, Missing) else self.spoil(pickle.loads(pickle.dumps(outcome)))

    def done_again(self, doing: dict[Any, Doing]) -> Iterator[tuple[int, Any]]:
        return iter(())

    def note_data(self, done: Doing) -> None:
        pass

    def cancel(self, futures: list[Any]) -> None:
        self.on_their_way = [one for one in self.on_their_way if one[0] not in futures]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads begin at once, and the least work is sent."""
    monkeypatch.setattr(threads, "ALONE", 0.0)
    monkeypatch.setattr(elsewhere, "threads_here", lambda: 1)
    with limited(kernel, least_work=0, batch_work=3000, least_sent=0, unit_work=300):
        yield


def search(folder: Path, settings: Settings, cluster: Any = None) -> tuple[SearchResult, Helpers | None, list[str]]:
    told: list[str] = []
    task = ReadTask.from_folder(folder, prolog="builtin")
    if cluster is None:
        return Search(task, settings).run(), None, told
    with Helpers(cluster, settings, told.append) as helpers:
        return Search(task, settings, helpers=helpers).run(), helpers, told


def random_settings(rng: random.Random) -> dict[str, Any]:
    how: dict[str, Any] = {}
    if rng.random() < 0.4:
        how["steps"] = rng.choice((1, 5, 20, 60, 200))
    if rng.random() < 0.3:
        how["tables"] = rng.choice((500, 5000, 50_000))
    if rng.random() < 0.3:
        how["without"] = rng.choice((("hash",), ("equal",), ("ties",), ("closed", "dead"), ("partners",)))
    return how


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_workers_gives_the_same(kind: str, tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    sent = 0
    for seed in range(30_000_000, 30_000_000 + effort(15, 1000)):
        rng = random.Random(seed)
        write(kind, rng, tmp_path)
        how = random_settings(rng)
        with ExitStack() as stack:
            if rng.random() < 0.3:
                stack.enter_context(limited(kernel, wide_rows=3, wide_fanout=1, pace=2, counted=30))
            if rng.random() < 0.3:
                stack.enter_context(limited(kernel, unit_work=5000))
            alone = seen(search(tmp_path, Settings(jobs=1, **how))[0])
            for workers in (1, 2, 3):
                cluster = Pretended(workers, rng)
                cluster.forgetful, cluster.mortal = rng.choice((0.0, 0.0, 0.3)), rng.choice((0.0, 0.0, 0.3))
                result, helpers, told = search(tmp_path, Settings(jobs=rng.choice((1, 2)), **how), cluster)
                assert seen(result) == alone, f"{kind}, seed {seed}, {workers} workers, {how}"
                assert told == []
                assert helpers is not None
                sent += helpers.sent
    assert sent > LEAST_SENT[kind]
