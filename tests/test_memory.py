"""The bound on memory: what cannot fit is refused, and a search that passes it ends with an answer that is right."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import TermStore
from maxsynth.prolog import consult
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import MEMORY, OPTIMAL, OUT_OF_STEPS
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import METHODS, Settings
from maxsynth.task import memory
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum, optimum_exact
from oracle.random_tasks import random_task
from test_combine import hard_pool, least_cost, make_combiner
from test_limits import learn, some_task, true_cost

AUTO, FEATURES, ASP = METHODS
EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"
MEGABYTE = 1 << 20
Capture = pytest.CaptureFixture[str]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere other things are measured")


def run(*arguments: object) -> tuple[int, str, int]:
    """The exit status of the command, what it says on standard error, and its peak of memory in bytes."""
    code = (
        "import sys; from maxsynth.cli import main; status = main(sys.argv[1:])\n"
        "print(next(line for line in open('/proc/self/status') if 'VmHWM' in line), file=sys.stderr)\n"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr, int(done.stderr.split()[-2]) << 10


def most(limit: int) -> int:
    """What a process may come to under a limit: it is looked at between steps, not within them."""
    return int(1.15 * limit) + 20 * MEGABYTE


def write_graph(folder: Path, nodes: int, edges: int) -> Path:
    """A random graph, and labels that have nothing to do with it: there is much to try, and little to find."""
    rng = random.Random(1)
    folder.mkdir()
    links = [f"{name}(n{rng.randrange(nodes)},n{rng.randrange(nodes)}).\n" for name in "pqr" for _ in range(edges)]
    colours = [f"{rng.choice(('red', 'green'))}(n{i}).\n" for i in range(nodes)]
    examples = [f"{rng.choice(('pos', 'neg'))}(f(n{i})).\n" for i in range(min(nodes, 600))]
    bias = "head_pred(f,1). body_pred(p,2). body_pred(q,2). body_pred(r,2). body_pred(red,1). body_pred(green,1).\n"
    for name, lines in (("bk.pl", links + colours), ("exs.pl", examples), ("bias.pl", [bias, "max_vars(5).\n"])):
        (folder / name).write_text("".join(lines))
    return folder


def write_maze(folder: Path, rooms: int) -> Path:
    """From each start a door leads to most rooms, and from each room to most others: millions of ways through three."""
    rng = random.Random(1)
    folder.mkdir()
    doors = [f"p(a{i},n{j}).\n" for i in range(30) for j in range(rooms) if rng.random() < 0.9]
    doors += [f"q(n{i},n{j}).\n" for i in range(rooms) for j in range(rooms) if rng.random() < 0.9]
    bias = "head_pred(f,1). body_pred(p,2). body_pred(q,2). max_vars(4). max_body(4).\n"
    bias += "direction(f,(in,)). direction(p,(in,out)). direction(q,(in,out)).\n"
    examples = [f"{'pos' if i < 20 else 'neg'}(f(a{i})).\n" for i in range(30)]
    for name, lines in (("bk.pl", doors), ("exs.pl", examples), ("bias.pl", [bias])):
        (folder / name).write_text("".join(lines))
    return folder


# -- reading ------------------------------------------------------------------------------------------------


@linux
def test_less_than_the_program_itself_needs_is_refused() -> None:
    status, said, _ = run("learn", EXAMPLE, "--memory", "20M")
    assert status == 2
    assert "20 MB of memory are too little for this task: at least about " in said
    assert "allow more with --memory SIZE" in said
    needed = int(said.split("at least about ")[1].split()[0])
    assert 30 < needed < 90
    assert run("learn", EXAMPLE, "--memory", f"{needed + 5}M")[0] == 0


@linux
def test_files_that_cannot_fit_are_refused_before_they_are_read(tmp_path: Path) -> None:
    folder = write_graph(tmp_path / "task", 10, 10)
    with (folder / "bk.pl").open("a") as file:
        for _ in range(40):
            file.write("p(n1,n2).\n" * (1 << 17))
    status, said, used = run("learn", folder, "--memory", "80M")
    assert status == 2
    assert int(said.split("at least about ")[1].split()[0]) > 100
    assert used < 80 * MEGABYTE


def test_files_that_turn_out_not_to_fit_are_refused_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules take far more than their text, so that their size alone does not say it."""
    asked = itertools.count()
    monkeypatch.setattr(memory, "resident", lambda: 10 * MEGABYTE if next(asked) < 3 else 60 * MEGABYTE)
    monkeypatch.setattr(consult, "PART", 20)
    bk = "".join(f"p(a{i}).\n" for i in range(100)), "bk.pl"
    bias = parse_bias("head_pred(f,1). body_pred(p,1).", "bias.pl")
    with pytest.raises(MaxSynthError, match=r"65 MB of memory are too little .* at least about 70 MB are needed"):
        ReadTask.from_texts("task", bias, bk, ("pos(f(a1)).", "exs.pl"), memory=65 * MEGABYTE)


def test_a_text_in_parts_is_read_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "p(a,b). % p(c).\n/* q(x). */ q(1). r(X) :- q(X), \\+ p(X,_).\n" * 3 + "p('A b',[c,d]).\n:- dynamic s/1.\nq(2)."
    )
    whole = consult.consult(text, "bk.pl", TermStore())
    for part in (1, 7, 20, 50):
        monkeypatch.setattr(consult, "PART", part)
        looks = itertools.count()
        found = consult.consult(text, "bk.pl", TermStore(), lambda: next(looks) and None)  # noqa: B023
        assert next(looks) > len(text) // (part + 40)
        assert {key: [str(clause) for clause in found[key]] for key in found} == {
            key: [str(clause) for clause in whole[key]] for key in whole
        }
        assert found.dynamic == whole.dynamic


def test_where_memory_cannot_be_measured_a_limit_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(memory, "resident", lambda: None)
    assert main(["learn", str(EXAMPLE), "--memory", "1G"]) == 2
    assert "does not say how much memory a process has" in capsys.readouterr().err
    assert main(["learn", str(EXAMPLE), "--quiet"]) == 0


def test_the_resident_memory_is_measured() -> None:
    before = memory.resident()
    assert before is not None
    some = np.ones(64 * MEGABYTE, np.uint8)
    after = memory.resident()
    assert after is not None
    assert 50 * MEGABYTE < after - before < 100 * MEGABYTE or not sys.platform.startswith("linux")
    assert 10 * MEGABYTE < after < 100_000 * MEGABYTE
    del some


# -- searching ----------------------------------------------------------------------------------------------


@pytest.fixture
def every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is looked at in every step, and all that is asked for counts."""
    monkeypatch.setattr(memory, "LOOKED_EVERY", 0)
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "ASKED_EVERY", 0)


def fake_resident(monkeypatch: pytest.MonkeyPatch, looks: int) -> Callable[[], int]:
    """The memory is full at a look; returns how many there were."""
    asked = itertools.count(1)
    last = [0]

    def resident() -> int:
        last[0] = next(asked)
        return 0 if last[0] <= looks else 1 << 60

    monkeypatch.setattr(memory, "resident", resident)
    return lambda: last[0]


@pytest.mark.usefixtures("every_look")
@pytest.mark.parametrize("kind", [FEATURES, ASP, "recursion", "invention"])
def test_ended_at_any_look_at_the_memory(
    tmp_path: Path, effort: Callable[[int, int], int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said then is true: the optimum is between the bounds, and the program costs what it is said to cost."""
    ended = 0
    for seed in range(9_000_000, 9_000_000 + effort(2 if kind == "invention" else 4, 300)):
        task = some_task(kind, seed)
        task.write(tmp_path)
        settings = {
            "method": kind if kind in METHODS else AUTO, "exact": task.exact, "weights": Weights(*task.weights)
        }  # fmt: skip
        looks = fake_resident(monkeypatch, 1 << 60)
        whole = learn(tmp_path, **settings, memory=1 << 40)
        assert whole.status == OPTIMAL
        last = looks()
        before: int | None = None
        for at in sorted({1, 2, 3, *random.Random(seed).sample(range(1, last + 2), min(last, 10))}):
            fake_resident(monkeypatch, at)
            result = learn(tmp_path, **settings, memory=1 << 40)
            said = f"{kind}, seed {seed}, look {at} of {last}: {result}\n{task.describe()}"
            assert result.status in (OPTIMAL, MEMORY), said
            ended += result.status == MEMORY
            if result.status == OPTIMAL:
                assert result.cost == whole.cost, said
            if result.cost is None:
                assert task.exact, said
                assert before is None, said
                continue
            assert whole.cost is not None, said
            assert result.lower_bound <= whole.cost <= result.cost, said
            assert before is None or result.cost <= before, said
            assert result.program is not None, said
            assert result.cost == true_cost(result.program, tmp_path, Weights(*task.weights)), said
            before = result.cost
    assert ended


@pytest.mark.parametrize("kind", [FEATURES, "recursion"])
def test_little_memory_changes_the_effort_and_not_the_answer(
    tmp_path: Path, effort: Callable[[int, int], int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is split, or left out, where a limit is small; with nothing that ever passes it."""
    monkeypatch.setattr(memory, "resident", lambda: -(1 << 60))
    for seed in range(9_500_000, 9_500_000 + effort(25 if kind == FEATURES else 5, 3000)):
        task = random_task(random.Random(seed)) if kind == FEATURES else some_task(kind, seed)
        task.write(tmp_path)
        settings = {"exact": task.exact, "weights": Weights(*task.weights)}
        found = {limit: learn(tmp_path, **settings, memory=limit) for limit in (1, 300, 5000, 1 << 40)}
        costs = {result.cost for result in found.values()}
        assert {result.status for result in found.values()} == {OPTIMAL}, f"seed {seed}"
        assert len(costs) == 1, f"seed {seed}: {found}\n{task.describe()}"
        if kind == FEATURES:
            exact = optimum_exact(task) if task.exact else None
            least = (exact and exact[0]) if task.exact else optimum(task)[0]
            assert costs == {least}, f"seed {seed}\n{task.describe()}"


def test_the_branch_and_bound_without_memory(effort: Callable[[int, int], int]) -> None:
    """It is refused at some point: then its lower bound holds, and what it found costs what it says."""
    ended = useful = 0
    for case in range(effort(100, 3000)):
        rng = random.Random(case)
        covers, sizes, pos, neg = hard_pool(case, 12, 50)
        combiner = make_combiner(covers, sizes, pos, neg)
        least, bound = least_cost(covers, sizes, pos, neg), int(pos.sum())
        left = rng.choice((0, 1, 3, 10, 30))

        class Few(Memory):
            def claim(self, size: int) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    self.full = True
                    raise MemoryError

        problem = combiner.problem(combiner.pool(bound))
        try:
            cover = problem.cover(Few())
        except MemoryError:
            continue
        cover.check, cover.patience = 2, 0
        rules, finished, lower = cover.solve(bound - problem.base)
        assert finished != cover.full, case
        assert lower + problem.base <= least, case
        assert not finished or lower + problem.base == least, case
        ended += cover.full
        useful += cover.full and lower > 0
        if rules is not None:
            assert least <= problem.combination(rules).cost < bound, case
    assert ended > 20
    assert useful > 10


def test_an_allocation_that_fails_ends_the_search_with_the_best_so_far(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    next_size = RuleGenerator.next_size

    def fails(self: RuleGenerator, should_stop: Callable[[], bool] | None = None) -> object:
        if self.size == 2 and self.features is not None and not hasattr(self, "beam"):
            raise MemoryError
        return next_size(self, should_stop)

    monkeypatch.setattr(RuleGenerator, "next_size", fails)
    file = tmp_path / "result.json"
    assert main(["learn", str(EXAMPLE), "--json", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == "grandparent(A,B) :- parent(A,C), parent(C,B).\n"
    assert "memory: cost 8, at least " in said.err
    assert "--memory SIZE allows more" in said.err
    recorded = json.loads(file.read_text())
    assert (recorded["status"], recorded["cost"]) == (MEMORY, 8)
    assert main(["verify", str(file)]) == 0
    assert "no better program" not in capsys.readouterr().out


@linux
def test_a_system_that_gives_no_more_memory_ends_the_search_with_the_best_so_far(tmp_path: Path) -> None:
    """Not a limit of our own: allocations fail, at whatever place they are made."""
    folder = write_graph(tmp_path / "task", 2000, 6000)
    code = "import resource, sys; from maxsynth.cli import main; import maxsynth.commands.learn, clingo, json\n"
    code += "now = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
    code += "resource.setrlimit(resource.RLIMIT_AS, (now + int(sys.argv[1]),) * 2)\n"
    code += "sys.exit(main(['learn', sys.argv[2], '--steps', '3000', '--json', '-']))\n"
    ended = []
    for more in (15, 30, 60):
        done = subprocess.run(
            [sys.executable, "-c", code, str(more * MEGABYTE), str(folder)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        ended.append(json.loads(done.stdout)["status"])
    assert MEMORY in ended


@linux
@pytest.mark.parametrize("limit", [80, 100])
@pytest.mark.parametrize("kind", ["many facts", "many bindings"])
def test_the_process_stays_within_its_limit(tmp_path: Path, kind: str, limit: int) -> None:
    """Where it would take far more: in many steps, or in a single one."""
    if kind == "many facts":
        folder = write_graph(tmp_path / "task", 20_000, 100_000)
    else:
        folder = write_maze(tmp_path / "task", 200)
    file = tmp_path / "result.json"
    status, said, used = run("learn", folder, "--memory", f"{limit}M", "--steps", "2000", "--json", file)
    assert status == 0, said
    assert used < most(limit * MEGABYTE), said
    recorded = json.loads(file.read_text())
    assert recorded["settings"]["memory"] == limit * MEGABYTE
    assert recorded["status"] in (MEMORY, OUT_OF_STEPS)
    assert main(["verify", str(file)]) == 0


def test_steps_without_a_limit_of_memory_never_look_at_it(
    monkeypatch: pytest.MonkeyPatch, make_task: Callable[..., Path]
) -> None:
    def nobody() -> int:
        raise AssertionError("somebody looked")

    monkeypatch.setattr(memory, "resident", nobody)
    assert main(["learn", str(EXAMPLE), "--quiet", "--steps", "1000"]) == 0


def test_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    task = maxsynth.Task.from_folder(EXAMPLE)
    for bad in (0, -1, 2.5, True, "1X"):
        with pytest.raises(MaxSynthError, match="give a number of bytes"):
            maxsynth.learn(task, memory=bad)  # type: ignore[arg-type]
    with pytest.raises(MaxSynthError, match="1 MB of memory are too little"):
        maxsynth.learn(task, memory=MEGABYTE)
    fake_resident(monkeypatch, 4)
    monkeypatch.setattr(memory, "LOOKED_EVERY", 0)
    result = maxsynth.learn(task, memory=1 << 40)
    assert (result.status, result.lower_bound) == (MEMORY, 2)
    assert result.summary().startswith(f"memory: cost {result.cost}, at least 2")


def test_small_claims_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 0)
    bounded = Memory(3 * MEGABYTE)
    bounded.claim(MEGABYTE)
    with pytest.raises(MemoryError, match="4 MB more would pass the limit of 3 MB"):
        bounded.claim(4 * MEGABYTE)
    assert bounded.full
    bounded = Memory(MEGABYTE)
    for _ in range(200):
        bounded.take(10_000)
    with pytest.raises(MemoryError):
        bounded.take(100_000)
    Memory().claim(1 << 60)
    assert Search(ReadTask.from_folder(EXAMPLE), Settings(steps=5)).memory.limit is None
