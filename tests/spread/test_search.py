"""One search on many machines: the answer, all that is counted, and the trace of costs are those of one process.

Most of it is tested with a cluster that is none: what would be sent is pickled, done in this process by workers that
share nothing, and comes back late and in another order. The last tests are with real ones.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

from maxsynth.kernel import choose
from maxsynth.kernel import features as kernel
from maxsynth.search import threads
from maxsynth.search.loop import Search
from maxsynth.search.result import MEMORY, SearchResult
from maxsynth.search.rules import elsewhere
from maxsynth.search.rules.elsewhere import Helpers, Workplace, try_out
from maxsynth.search.settings import Settings
from maxsynth.spread.cluster import Doing
from maxsynth.spread.executor import Failed, LostError
from maxsynth.spread.on_worker import Missing
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask
from test_kernel_limits import limited
from test_threads import KINDS, seen, write

NEVER = lambda: False  # noqa: E731
# Units, all in all, at least. Of BK that counts nothing is sent: it is asked as it is needed, which is done here.
LEAST_SENT = {"rules": 50, "graph": 500, "learned": 10, "recursion": 50, "counting": 0, "invention": 5, "merging": 50}


class Pretended:
    """A cluster as a `Stream` sees it. What a unit finds goes through `spoil` before it comes back."""

    def __init__(self, workers: int, rng: random.Random, jobs: int = 1) -> None:
        self.is_here = rng.random() < 0.5
        self.names = count()
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

    def new_name(self) -> str:
        return str(next(self.names))

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
            if rng.random() < 0.5:
                stack.enter_context(limited(kernel, step_rows=rng.choice((1, 40, 900))))
                stack.enter_context(limited(choose, step_work=rng.choice((1, 40, 900))))
            result = search(tmp_path, Settings(jobs=1, **how))[0]
            if result.status == MEMORY:
                continue  # what else the process holds has a say in where that is
            alone = seen(result)
            for workers in (1, 2, 3):
                cluster = Pretended(workers, rng)
                cluster.forgetful, cluster.mortal = rng.choice((0.0, 0.0, 0.3)), rng.choice((0.0, 0.0, 0.3))
                result, helpers, told = search(tmp_path, Settings(jobs=rng.choice((1, 2)), **how), cluster)
                assert seen(result) == alone, f"{kind}, seed {seed}, {workers} workers, {how}"
                assert told == []
                assert helpers is not None
                sent += helpers.sent
    assert sent >= LEAST_SENT[kind]


# -- what comes back ------------------------------------------------------------------------------------------

Spoil = Callable[[dict[str, Any]], Any]
GRAPHS = range(30_000_000, 30_000_006)


def searched_with(spoil: Spoil, folder: Path, seed: int) -> tuple[object, object, list[str]]:
    """What a search says alone and with a worker whose outcomes are spoilt, and what was told."""
    write("graph", random.Random(seed), folder)
    cluster = Pretended(2, random.Random(seed))
    cluster.spoil = spoil
    result, _, told = search(folder, Settings(jobs=1), cluster)
    return seen(search(folder, Settings(jobs=1))[0]), seen(result), told


def children(outcome: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The children in an outcome by name, to be read and written."""
    fields = [("literal", "i4"), ("equal", "i4"), ("name", "u8"), ("rows", "u8"), ("places", "u8"), ("wide", "i8")]
    found: np.ndarray[Any, Any] = outcome["children"].view(np.dtype(fields))[:, 0]
    return found


def forget_what_is_equal(outcome: dict[str, Any]) -> dict[str, Any]:
    children(outcome)["equal"] = -1
    return outcome


def cover_less(outcome: dict[str, Any]) -> dict[str, Any]:
    outcome["coverages"][::8, :] = 0
    return outcome


def name_all_anew(outcome: dict[str, Any]) -> dict[str, Any]:
    children(outcome)["name"] += np.uint64(1)
    return outcome


@pytest.mark.parametrize("spoil", [forget_what_is_equal, cover_less, name_all_anew])
def test_a_worker_that_is_wrong_would_be_seen(spoil: Spoil, tmp_path: Path) -> None:
    """That the tests above test something: what workers find decides."""
    found = [searched_with(spoil, tmp_path, seed) for seed in GRAPHS]
    assert any(alone != other for alone, other, _ in found)


def without(name: str) -> Spoil:
    return lambda outcome: {key: value for key, value in outcome.items() if key != name}


def shorter(name: str) -> Spoil:
    return lambda outcome: {**outcome, name: outcome[name][:-1].copy()}


def narrower(name: str) -> Spoil:
    return lambda outcome: {**outcome, name: np.ascontiguousarray(outcome[name][:, :-1])}


def with_field(name: str, value: int) -> Spoil:
    def spoil(outcome: dict[str, Any]) -> dict[str, Any]:
        children(outcome)[name] = value
        return outcome

    return spoil


def of_nodes(place: int, value: int) -> Spoil:
    def spoil(outcome: dict[str, Any]) -> dict[str, Any]:
        outcome["nodes"].view(np.int64)[:, place] = value
        return outcome

    return spoil


def covering_too_much(outcome: dict[str, Any]) -> dict[str, Any]:
    outcome["coverages"][:] = 255
    return outcome


@pytest.mark.parametrize(
    "spoil",
    [
        *(make(name) for name in ("nodes", "children", "coverages") for make in (without, shorter, narrower)),
        *(with_field("literal", value) for value in (-1, 0, 1 << 30)),
        *(with_field("equal", value) for value in (-2, 1000)),
        with_field("places", 0x1111),
        *(of_nodes(0, value) for value in (-1, 1, 1 << 62)),
        *(of_nodes(1, value) for value in (-1, 1 << 62)),
        *(of_nodes(place, -1) for place in (2, 3)),
        of_nodes(3, 1 << 62),
        covering_too_much,
        lambda outcome: dict.fromkeys(outcome, 7),
        lambda outcome: {**outcome, "children": outcome["children"].astype(np.float64)},
    ],
)
def test_what_cannot_be_is_not_believed(spoil: Spoil, tmp_path: Path) -> None:
    """It is told, once, and the search goes on here."""
    complaints = 0
    for seed in GRAPHS:
        alone, found, told = searched_with(spoil, tmp_path, seed)
        assert found == alone
        assert len(told) <= 1
        complaints += len(told)
        assert all("a worker found what cannot be: " in text and "goes on here, alone" in text for text in told)
    assert complaints >= 1


def test_whatever_comes_back_is_survived(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Some random bytes of an outcome are others."""
    rng = random.Random(31)

    def spoil(outcome: dict[str, Any]) -> dict[str, Any]:
        for name in ("nodes", "children", "coverages"):
            flat = outcome[name].reshape(-1)
            for _ in range(rng.choice((0, 0, 1, 3))):
                if flat.size:
                    flat[rng.randrange(flat.size)] = rng.choice((0, 1, 255, rng.randrange(256)))
        return outcome

    for number in range(effort(10, 500)):
        write("graph", random.Random(31_000_000 + number), tmp_path)
        cluster = Pretended(2, rng)
        cluster.spoil = spoil
        # As many steps as may come of it: a number of looks that is wrong, but can be so, is believed.
        search(tmp_path, Settings(jobs=1, steps=3000), cluster)


# -- whatever happens -----------------------------------------------------------------------------------------


def test_a_scheduler_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    lost = 0
    for seed in GRAPHS:
        write("graph", random.Random(seed), tmp_path)
        alone = seen(search(tmp_path, Settings(jobs=1))[0])
        for units in (0, 1, 7, 20):
            cluster = Pretended(2, random.Random(seed))
            cluster.ends_after = units
            result, _, told = search(tmp_path, Settings(jobs=2), cluster)
            assert seen(result) == alone
            assert told in ([], ["the scheduler of the cluster is gone: the search goes on here, alone"])
            lost += len(told)
    assert lost > 10


def test_workers_without_memory_leave_it_to_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim(self: Memory, size: int) -> None:
        raise MemoryError("no more")

    write("graph", random.Random(GRAPHS[1]), tmp_path)
    alone = seen(search(tmp_path, Settings(jobs=1))[0])
    cluster, asked = Pretended(2, random.Random(1)), []
    outcome = cluster.outcome

    def without_memory(arrived: Any, patience: float) -> Any:
        with monkeypatch.context() as within:
            within.setattr(Memory, "claim", claim)
            asked.append(outcome(arrived, patience))
            return asked[-1]

    monkeypatch.setattr(cluster, "outcome", without_memory)
    result, _, told = search(tmp_path, Settings(jobs=1), cluster)
    assert seen(result) == alone
    assert told == []
    assert any(isinstance(one, Failed) for one in asked)


def test_workers_with_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "threads_here", lambda: 3)
    for seed in GRAPHS:
        write("graph", random.Random(seed), tmp_path)
        with limited(kernel, unit_work=5000):
            found, helpers, _ = search(tmp_path, Settings(jobs=1), Pretended(2, random.Random(seed)))
        assert helpers is not None
        assert helpers.sent
        assert seen(found) == seen(search(tmp_path, Settings(jobs=1))[0])


def test_who_interrupts_is_heard_and_nothing_stays_behind(tmp_path: Path) -> None:
    write("graph", random.Random(30_000_001), tmp_path)
    for asked in (1, 5, 10, 20, 40, 80):
        left = iter(range(asked))
        cluster = Pretended(2, random.Random(asked))
        with Helpers(cluster, Settings(), print) as helpers:  # type: ignore[arg-type]
            task = ReadTask.from_folder(tmp_path, prolog="builtin")
            result = Search(task, Settings(), None, lambda left=left: next(left, None) is None, helpers=helpers).run()
        assert result.status in ("interrupted", "optimal")
        assert not cluster.on_their_way
        assert not cluster.data


def test_a_run_goes_on_from_a_checkpoint_with_others(tmp_path: Path) -> None:
    """What was saved with one number of workers goes on with another."""
    from maxsynth.search.checkpoints.asked import AskedToLast

    for seed in GRAPHS:
        write("graph", random.Random(seed), tmp_path)
        alone = seen(search(tmp_path, Settings(jobs=1, steps=300))[0])
        file = tmp_path / f"{seed}.checkpoint"
        for steps, resume in ((60, None), (300, file)):
            task, settings = ReadTask.from_folder(tmp_path, prolog="builtin"), Settings(jobs=1, steps=steps)
            given = AskedToLast(file, resume).for_search(task, settings)
            with Helpers(Pretended(2, random.Random(seed)), settings, print) as helpers:  # type: ignore[arg-type]
                result = Search(task, settings, helpers=helpers, **given).run()
        assert seen(result)[:4] == alone[:4]
        assert result.counts == alone[4]
