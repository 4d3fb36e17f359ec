"""Several threads: the answer, all that is counted, and the trace of costs are those of one."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsynth.kernel import choose
from maxsynth.kernel import features as kernel
from maxsynth.kernel.choose import Cover
from maxsynth.proofs.metrics import Weights
from maxsynth.search import threads
from maxsynth.search.choose.problem import lists
from maxsynth.search.loop import Search
from maxsynth.search.programs import tester
from maxsynth.search.result import INTERRUPTED, OPTIMAL, SearchResult
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import Settings
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.counting_tasks import write_counting_task
from oracle.inventing_tasks import random_inventing_task
from oracle.learned_tasks import random_learned_task
from oracle.merging_tasks import write_merging_task
from oracle.random_tasks import random_task
from test_kernel_limits import limited
from test_ties import write_task

JOBS = (2, 3, 8)
FOUND = {"graph": (42_003_554,)}  # an equal feature that becomes known between two levels, which few tasks have
KINDS = ("rules", "graph", "learned", "recursion", "counting", "invention", "merging")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads begin at once, and share the least work."""
    monkeypatch.setattr(threads, "ALONE", 0.0)
    monkeypatch.setattr(tester, "WORTH", 2)
    with limited(kernel, least_work=0, batch_work=3000), limited(choose, least_sifted=0, least_dived=0, least_shared=0):
        yield


def write(kind: str, rng: random.Random, folder: Path) -> None:
    if kind == "graph":
        write_task(rng, folder)
    elif kind == "rules":
        random_task(rng).write(folder)
    elif kind == "learned":
        random_learned_task(rng).write(folder)
    elif kind == "recursion":
        random_calling_task(rng).write(folder)
    elif kind == "counting":
        write_counting_task(rng, folder)
    elif kind == "merging":
        write_merging_task(rng, folder)
    else:
        random_inventing_task(rng).write(folder)


def search(folder: Path, jobs: int, **how: Any) -> SearchResult:
    return Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(jobs=jobs, **how)).run()


def seen(result: SearchResult) -> tuple[object, ...]:
    """All that does not depend on the time."""
    costs = [(cost, bound) for _, cost, bound in result.trace]
    return result.status, str(result.program), result.cost, result.lower_bound, result.counts, costs


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_threads_gives_the_same(kind: str, tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in (*FOUND.get(kind, ()), *range(20_000_000, 20_000_000 + effort(8, 1000))):
        rng = random.Random(seed)
        write(kind, rng, tmp_path)
        how: dict[str, Any] = {}
        if rng.random() < 0.4:
            how["steps"] = rng.choice((1, 5, 20, 60, 200))
        if rng.random() < 0.3:
            how["tables"] = rng.choice((500, 5000, 50_000))
        if rng.random() < 0.3:
            how["without"] = rng.choice((("hash",), ("equal",), ("ties",), ("closed", "dead"), ("partners",)))
        with ExitStack() as stack:
            if rng.random() < 0.3:
                stack.enter_context(limited(kernel, wide_rows=3, wide_fanout=1, pace=2, counted=30))
            if rng.random() < 0.3:
                stack.enter_context(limited(kernel, batch_work=300_000))
            if rng.random() < 0.5:
                stack.enter_context(limited(kernel, sliced_rows=rng.choice((0, 5, 20)), sliced_work=0))
                if rng.random() < 0.3:
                    how["without"] = ("hash",)
            if rng.random() < 0.5:
                stack.enter_context(
                    limited(kernel, step_rows=rng.choice((1, 40, 900)), merged_at_once=rng.choice((2, 5, 1000)))
                )
                stack.enter_context(limited(choose, step_work=rng.choice((1, 40, 900))))
            alone = seen(search(tmp_path, 1, **how))
            for jobs in JOBS:
                assert seen(search(tmp_path, jobs, **how)) == alone, f"{kind}, seed {seed}, {jobs} threads, {how}"


def test_shares_are_the_same_for_every_number_of_threads(effort: Callable[[int, int], int]) -> None:
    """Values, shares and the choice among rules, also where weights are so large that sums may be rounded."""
    for seed in range(23_000_000, 23_000_000 + effort(60, 3000)):
        rng = np.random.default_rng(seed)
        rules, positives, negatives = rng.integers(1, 60), rng.integers(1, 90), rng.integers(0, 40)
        sides = [rng.random((rules, count)) < rng.choice((0.05, 0.3, 0.8)) for count in (positives, negatives)]
        heaviest = int(rng.choice((1, 9, 1 << 30, 1 << 40)))
        sizes, *weights = (rng.integers(1, heaviest + 1, count) for count in (rules, positives, negatives))
        steps, found = int(rng.integers(1, 40)), []
        for jobs in (1, *JOBS):
            with Threads(jobs, 0.0) as crew:
                made = [Cover(*lists(sides[0]), *lists(sides[1]), sizes, *weights, threads=crew) for _ in range(2)]
                bound = int(weights[0].sum())
                values, shares, shift = made[0].shares(bound, steps)
                asked = iter(range(60))
                choice = made[1].solve(bound, lambda asked=asked: next(asked, None) is None)
                found.append((values.tolist(), shares.tolist(), shift, choice, made[1].nodes, made[1].steps))
        assert all(one == found[0] for one in found), f"seed {seed}"


@pytest.mark.parametrize("kind", ["graph", "counting"])
def test_several_work(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the tests above test something: all threads have a part in it."""
    worked: set[int] = set()
    start, finish = Threads.start, Threads.finish

    def noted(work: Callable[[int], object]) -> Callable[[int], object]:
        def also(number: int) -> object:
            worked.add(number)
            return work(number)

        return also

    monkeypatch.setattr(Threads, "start", lambda self, work: start(self, noted(work)))
    monkeypatch.setattr(Threads, "finish", lambda self, others, work, idle: finish(self, others, noted(work), idle))
    for seed in range(20_000_000, 20_000_005):
        write(kind, random.Random(seed), tmp_path)
        search(tmp_path, 3)
    assert worked == {0, 1, 2}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


@pytest.mark.parametrize("kind", ["rules", "graph", "merging"])
def test_bounds_that_fall_between_levels(kind: str, tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """What others did ahead for a bound that has fallen since is not used."""
    for seed in range(26_000_000, 26_000_000 + effort(25, 2000)):
        rng = random.Random(seed)
        write(kind, rng, tmp_path)
        task = ReadTask.from_folder(tmp_path, prolog="builtin")
        task.background.close(task.bias.body)
        most = task.bias.max_body
        bounds = sorted((rng.randrange(3, most + 4) for _ in range(most)), reverse=True)
        found = []
        for jobs in (1, *JOBS):
            with Threads(jobs, 0.0) as crew:
                rules, other = (
                    RuleGenerator(task, WeighedExamples.of(task, Weights()), 1, threads=crew) for _ in range(2)
                )
                made = []
                for bound in bounds:
                    batch = rules.next_size() if not rules.exhausted else None
                    made.append(None if batch is None else (batch.numbers.tolist(), batch.bits.tolist()))
                    ahead = crew.ahead
                    other.keep_below(bound)
                    assert crew.ahead is ahead  # that of another search is no concern of this one
                    rules.keep_below(bound)
                assert rules.features is not None
                found.append((made, rules.counts(), rules.features.work))
        assert all(one == found[0] for one in found), f"{kind}, seed {seed}"


def test_what_a_thread_meets_ends_the_search(tmp_path: Path) -> None:
    """An error in a thread is an error of the run, and no thread stays behind."""
    crew = Threads(3, 0.0)
    done = []
    all_are_there = threading.Barrier(3)

    def work(number: int) -> None:
        all_are_there.wait()
        if number == 2:
            raise MemoryError("too little")
        done.append(number)

    with crew, pytest.raises(MemoryError, match="too little"):
        crew.run(work, lambda: None)
    assert sorted(done) == [0, 1]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


def test_who_has_not_begun_is_not_waited_for() -> None:
    """Nobody waits for a thread that is busy elsewhere, when its part is done."""
    crew = Threads(2, 0.0)
    free, done = threading.Event(), []
    with crew:
        busy = crew.start(lambda number: free.wait())
        crew.run(done.append, lambda: None)
        assert done == [0]
        free.set()
        assert busy[0].result()


class Counting:
    """Numbers that threads count to together, ahead or not, for they can be held."""

    def __init__(self, end: int) -> None:
        self.left = iter(range(end))
        self.counted: list[tuple[int, int]] = []
        self.held = threading.Event()
        self.dropped = False
        self.crew = Threads(3, 0.0)
        self.at_work = [threading.Lock() for _ in range(3)]

    def work(self, number: int) -> None:
        assert self.at_work[number].acquire(blocking=False), "one part is done twice at the same time"
        with ExitStack() as stack:
            stack.callback(self.at_work[number].release)
            while not self.held.is_set() and (one := next(self.left, None)) is not None:
                self.counted.append((number, one))
                time.sleep(0.0001)

    def hold(self, on: bool) -> None:
        self.held.set() if on else self.held.clear()

    def drop(self) -> None:
        self.dropped = True
        self.left = iter(())
        self.crew.settle()

    def ahead(self) -> None:
        self.crew.go_ahead(self.work, self.hold, self.drop)


def test_what_is_done_ahead_makes_way(effort: Callable[[int, int], int]) -> None:
    """Others leave what they do ahead when they are needed, go on with it then, and all of it is done once."""
    for seed in range(effort(10, 200)):
        rng = random.Random(seed)
        counting, other = Counting(200), Counting(20)
        with counting.crew as crew:
            counting.ahead()
            for _ in range(rng.randrange(4)):
                other.left = iter(range(20))
                crew.run(other.work, lambda: None)
                time.sleep(rng.choice((0, 0.001)))
            crew.catch_up(lambda: None)
            assert crew.ahead is None
        assert sorted(one for _, one in counting.counted) == list(range(200)), f"seed {seed}"
        assert not counting.dropped


def test_ahead_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where others cannot be started again, one does what is left."""
    counting = Counting(50)
    with counting.crew as crew:
        counting.hold(True)
        counting.ahead()
        submit = ThreadPoolExecutor.submit

        def none_left(self: ThreadPoolExecutor, work: Callable[..., object], number: int) -> Future[object]:
            submit(self, work, number)  # it is in the queue all the same
            raise RuntimeError("can't start new thread")

        while not all(part.done() for part in crew.ahead.parts):
            time.sleep(0.001)
        monkeypatch.setattr(ThreadPoolExecutor, "submit", none_left)
        crew.catch_up(lambda: None)
        assert not crew.ready()
    assert sorted(one for _, one in counting.counted) == list(range(50))


def test_what_is_done_ahead_ends_with_the_run() -> None:
    endless = Counting(1 << 60)
    with endless.crew:
        endless.ahead()
    assert endless.dropped
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


@pytest.mark.parametrize("wanted", [True, False])
def test_what_is_met_ahead_counts_when_it_is_wanted(wanted: bool) -> None:
    def fail(number: int) -> None:
        if number == 1:
            raise MemoryError("too little")

    with Threads(2, 0.0) as crew:
        parts = crew.go_ahead(fail, lambda on: None, crew.settle)
        assert isinstance(parts[0].exception(), MemoryError)
        crew.run(lambda number: None, lambda: None)  # it is not tried again
        if wanted:
            with pytest.raises(MemoryError, match="too little"):
                crew.catch_up(lambda: None)
        else:
            crew.settle()


def test_what_is_done_ahead_is_used_and_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the tests above test something: levels are begun ahead, and some of it is for nothing."""
    used: list[bool] = []
    caught_up, settled = Threads.catch_up, Threads.settle

    def catch_up(self: Threads, idle: Callable[[], object]) -> None:
        used.append(self.ahead is not None)
        caught_up(self, idle)

    def settle(self: Threads) -> None:
        if self.ahead is not None:
            used.append(False)
        settled(self)

    monkeypatch.setattr(Threads, "catch_up", catch_up)
    monkeypatch.setattr(Threads, "settle", settle)
    for kind in ("rules", "graph", "merging"):
        for seed in range(20_000_000, 20_000_010):
            write(kind, random.Random(seed), tmp_path)
            search(tmp_path, 3)
    assert set(used) == {True, False}


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is there does it all, and nothing begins later."""
    started = threading.Thread.start

    def one_more(self: threading.Thread) -> None:
        if sum(thread.name.startswith("maxsynth") for thread in threading.enumerate()) >= 1:
            raise RuntimeError("can't start new thread")
        started(self)

    monkeypatch.setattr(threading.Thread, "start", one_more)
    crew = Threads(4, 0.0)
    done: list[int] = []
    with crew:
        crew.run(done.append, lambda: None)
        assert done.count(0) == 1
        assert not crew.ready()
    assert sorted(set(done)) == sorted(done)


def test_who_interrupts_is_heard(tmp_path: Path) -> None:
    write_task(random.Random(20_000_001), tmp_path)
    asked = 0

    def came() -> bool:
        nonlocal asked
        asked += 1
        assert threading.current_thread() is threading.main_thread()
        return asked > 30

    task = ReadTask.from_folder(tmp_path, prolog="builtin")
    result = Search(task, Settings(jobs=3), None, came).run()
    assert result.status in (INTERRUPTED, OPTIMAL)
    assert asked > 30 or result.status == OPTIMAL
