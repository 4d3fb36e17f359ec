"""Several threads: the answer, all that is counted, and the trace of costs are those of one."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsynth.kernel import choose
from maxsynth.kernel import features as kernel
from maxsynth.kernel.choose import Cover
from maxsynth.search import threads
from maxsynth.search.choose.problem import lists
from maxsynth.search.loop import Search
from maxsynth.search.programs import tester
from maxsynth.search.result import INTERRUPTED, OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.search.threads import Threads
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
    for seed in range(20_000_000, 20_000_000 + effort(8, 1000)):
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


def test_what_a_thread_meets_ends_the_search(tmp_path: Path) -> None:
    """An error in a thread is an error of the run, and no thread stays behind."""
    crew = Threads(3, 0.0)
    done = []

    def work(number: int) -> None:
        if number == 2:
            raise MemoryError("too little")
        done.append(number)

    with crew, pytest.raises(MemoryError, match="too little"):
        crew.run(work, lambda: None)
    assert sorted(done) == [0, 1]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


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
