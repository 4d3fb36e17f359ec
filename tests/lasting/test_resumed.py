"""A run that is stopped, saved and gone on with says what the run without a stop says, but for seconds."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import maxsynth.search.loop as loop
import maxsynth.search.rules.features as generating
from maxsynth.kernel import choose
from maxsynth.kernel import features as kernel
from maxsynth.proofs.metrics import Weights
from maxsynth.search.checkpoints.keeper import Keeper
from maxsynth.search.checkpoints.phases import Phase
from maxsynth.search.choose import last_size
from maxsynth.search.loop import Search
from maxsynth.search.result import MEMORY, OPTIMAL, OUT_OF_STEPS
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.inventing_tasks import random_inventing_task
from oracle.learned_calling_tasks import random_learned_calling_task
from oracle.learned_tasks import random_learned_task
from oracle.random_options import PRUNINGS
from oracle.random_tasks import random_task
from test_kernel_limits import limited

from .resumed import Read, in_parts, run, told

MOST = 10**9  # steps: more than any of these takes
Task = Any  # of the oracles, of several kinds


def read_of(task: Task, folder: Path, *, lazy: bool = False) -> Read:
    task.write(folder)

    def read() -> ReadTask:
        made = ReadTask.from_folder(folder, prolog="builtin")
        if lazy:
            made.background.close = lambda *_, **__: set()  # type: ignore[method-assign]
        return made

    return read


def check(read: Read, settings: Settings, folder: Path, rng: random.Random, about: object) -> None:
    """Stops in several ways, and compares."""
    whole = told(run(read, settings))
    steps = whole["counts"]["steps"]
    for part in {max(1, steps // rng.randint(2, 9)), max(1, steps - 1), max(1, steps // 2 + rng.randint(-2, 3))}:
        found = told(in_parts(read, settings, folder / "saved", itertools.count(part, part)))
        assert found == whole, f"{about}, every {part} steps of {steps}"


def settings_for(task: Task, rng: random.Random) -> Settings:
    return Settings(Weights(*task.weights), exact=task.exact, steps=MOST, tables=1 if rng.random() < 0.2 else None)


def with_rules(task: Task, rng: random.Random) -> Task:
    if rng.random() < 0.4:
        task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
    return task


def check_plain(seeds: range, folder: Path) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        task = with_rules(random_task(rng), rng)
        settings = settings_for(task, rng)
        if rng.random() < 0.3:
            settings = dataclasses.replace(settings, without=tuple(rng.sample(PRUNINGS, 2)))
        check(read_of(task, folder / "task", lazy=rng.random() < 0.3), settings, folder, rng, seed)


def test_rules(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    check_plain(range(effort(20, 2000)), tmp_path)


@pytest.fixture(autouse=True)
def small_steps() -> Iterator[None]:
    """Even a small table takes several steps to go through."""
    with limited(kernel, step_rows=500), limited(choose, step_work=100):
        yield


@pytest.fixture
def hubs() -> Iterator[None]:
    """Nearly all tables are too wide, and nothing is remembered for long."""
    with limited(kernel, wide_rows=2, wide_fanout=1, pace=4, remembered=3, cells=3):
        yield


@pytest.mark.usefixtures("hubs")
def test_wide_tables(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    check_plain(range(1000, 1000 + effort(20, 1000)), tmp_path)


def test_last_rules(tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generating, "MANY", -1)
    for name, value in (("FIRST", 3), ("AT_ONCE", 2), ("STEPS", 20), ("MOST_STEPS", 40)):
        monkeypatch.setattr(last_size, name, value)
    check_plain(range(2000, 2000 + effort(20, 1000)), tmp_path)


def test_further_looks(tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A first look that sees little is followed by others, in the middle of the search."""
    monkeypatch.setattr(loop, "FIRST_LOOK", generating.Look(beam=1, work=10, rows=3, fanout=1))
    monkeypatch.setattr(loop, "LOOKS", 0)
    check_plain(range(3000, 3000 + effort(20, 1000)), tmp_path)


@pytest.mark.parametrize(
    ("make", "usual"),
    [
        (random_learned_task, 15),  # constants and numbers
        (random_calling_task, 15),
        (random_learned_calling_task, 10),
        (lambda rng: random_calling_task(rng, invention=True), 3),
        (random_inventing_task, 2),
    ],
)
def test_other_kinds(
    make: Callable[[random.Random], Task], usual: int, tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    for seed in range(effort(usual, 100 * usual)):
        rng = random.Random(seed)
        task = make(rng)
        if make is random_calling_task:
            task = with_rules(task, rng)
        check(read_of(task, tmp_path / "task"), settings_for(task, rng), tmp_path, rng, seed)


@pytest.mark.parametrize("make", [random_task, random_learned_task])
def test_every_step(make: Callable[[random.Random], Task], tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """One stop for each step, with what was saved at each of them."""
    for seed in range(effort(3, 30)):
        read = read_of(make(random.Random(seed)), tmp_path / "task")
        whole = told(run(read, Settings(steps=MOST)))
        every = whole["counts"]["steps"]
        for steps in range(1, every, max(1, every // 60)):
            run(read, Settings(steps=steps), tmp_path / "saved")
            assert told(run(read, Settings(steps=MOST), tmp_path / "saved", resume=True)) == whole
            (tmp_path / "saved").unlink()


def test_a_limit_of_steps_counts_from_the_beginning(tmp_path: Path) -> None:
    read = read_of(random_task(random.Random(4)), tmp_path / "task")
    half = run(read, Settings(steps=MOST)).counts["steps"] // 2
    run(read, Settings(steps=half // 2), tmp_path / "saved")
    resumed = run(read, Settings(steps=half), tmp_path / "saved", resume=True)
    assert told(resumed) == told(run(read, Settings(steps=half)))
    fewer = run(read, Settings(steps=1), tmp_path / "saved", resume=True)
    assert (fewer.status, fewer.cost) == (OUT_OF_STEPS, resumed.cost)


def test_what_is_written_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rest can be gone on from, whatever the search did after it: here each is written, at some later step."""
    kept: list[bytes] = []

    class Keeping(Keeper):
        def write(self, state: dict[str, Any]) -> None:
            super().write(state)
            kept.append(self.path.read_bytes())

    for seed in range(8):
        rng = random.Random(seed)
        make = (random_task, random_learned_task, random_calling_task)[seed % 3]
        read = read_of(make(rng), tmp_path / "task")
        kept.clear()
        with monkeypatch.context() as patch:
            patch.setattr("lasting.resumed.Keeper", Keeping)
            patch.setenv("MAXSYNTH_CHECKPOINT_SECONDS", "0")
            whole = told(run(read, Settings(steps=MOST), tmp_path / "saved"))
        assert whole == told(run(read, Settings(steps=MOST)))
        for data in rng.sample(kept, min(len(kept), 12)):
            (tmp_path / "saved").write_bytes(data)
            assert told(run(read, Settings(steps=MOST), tmp_path / "saved", resume=True)) == whole
        (tmp_path / "saved").unlink()


def test_no_more_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends for memory is saved as it was before, and goes on with more."""
    for seed in range(12):
        rng = random.Random(seed)
        make = (random_task, random_learned_task, random_calling_task)[seed % 3]
        read = read_of(make(rng), tmp_path / "task")
        whole = told(run(read, Settings(steps=MOST)))
        left = rng.randint(1, 30)

        def claim(_: object, size: int) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise MemoryError

        with monkeypatch.context() as patch:
            patch.setattr("maxsynth.task.memory.Memory.claim", claim)
            patch.setattr("maxsynth.task.memory.Memory.take", claim)
            result = run(read, Settings(steps=MOST), tmp_path / "saved")
        assert result.status in (MEMORY, OPTIMAL)
        assert told(run(read, Settings(steps=MOST), tmp_path / "saved", resume=True)) == whole
        (tmp_path / "saved").unlink()


def test_the_end_is_saved(tmp_path: Path) -> None:
    """Who resumes a run that came to its end has its result at once."""
    read = read_of(random_task(random.Random(1)), tmp_path / "task")
    whole = run(read, Settings(), tmp_path / "saved")
    assert whole.status == OPTIMAL
    entered: list[Phase] = []
    enter = Search.enter
    try:
        Search.enter = lambda self, phase: (entered.append(phase), enter(self, phase))[1]  # type: ignore[method-assign]
        again = run(read, Settings(), tmp_path / "saved", resume=True)
    finally:
        Search.enter = enter  # type: ignore[method-assign]
    assert told(again) == told(whole)
    assert set(entered) == {Phase.PROVEN}
