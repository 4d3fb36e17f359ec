"""`learn --weights auto` on a cluster: the answer is that of one process, byte for byte, whoever dies meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from maxsynth.bench.domains.catalogue import make
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.search.weights.cross_validation import CANDIDATES, Choice, Known, choose_weights
from maxsynth.search.weights.folds import HERE, Where
from maxsynth.spread.cluster import connect, executor_for
from maxsynth.task.source import FolderSource
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task

from . import clusters

Capture = pytest.CaptureFixture[str]
SILENT = lambda text: None  # noqa: E731


def random_folder(rng: random.Random, folder: Path) -> Path:
    """A random task of any kind; of some, rules define a predicate of BK, so that it is asked and kept."""
    kind = rng.choice((random_task, random_task, random_learned_task, random_calling_task))
    kind(rng).write(folder)
    text = (folder / "bk.pl").read_text()
    name, arity = "p0", next((line.split("(")[1].count(",") + 1 for line in text.splitlines() if line[:3] == "p0("), 0)
    if arity and rng.random() < 0.5:
        variables = ",".join("ABC"[:arity])
        text = text.replace(f"{name}(", "fact(") + f"{name}({variables}) :- fact({variables}).\n"
        (folder / "bk.pl").write_text(text)
    return folder


def chosen(task: ReadTask, settings: Settings, where: Where) -> tuple[Choice, list[str], list[str]]:
    """All that is chosen, told and known, but for the time."""
    said: list[str] = []
    known = Known()
    choice = choose_weights(task, settings, candidates=CANDIDATES[:2], tell=said.append, known=known, where=where)
    found = [f"{one.program} {one.cost} {one.steps}" for one in known.evaluations]
    return choice, said, found


def test_a_task_afresh_is_one_that_was_read_again(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Whatever was searched before, the same steps lead to the same result."""
    rng = random.Random(18)
    for number in range(effort(20, 1000)):
        folder = random_folder(rng, tmp_path / str(number))
        settings = Settings(steps=rng.choice((30, 300, None)))
        task = ReadTask.from_folder(folder)
        first, again = (Search(one, settings).run() for one in (task, task.afresh()))
        other = Search(FolderSource.of(folder, "auto").read_again(task.bias), settings).run()
        for result in (again, other):
            assert (result.program, result.cost, result.counts) == (first.program, first.cost, first.counts)
            assert [entry[1:] for entry in result.trace] == [entry[1:] for entry in first.trace]


def test_the_same_is_chosen_by_one_two_and_three_workers(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    rng = random.Random(180)
    cases: list[tuple[Path, Settings, Any]] = []
    while len(cases) < effort(2, 100):
        folder = random_folder(rng, tmp_path / str(len(cases)))
        settings = Settings(steps=rng.choice((500, 5000)))
        try:
            cases.append((folder, settings, chosen(ReadTask.from_folder(folder), settings, HERE)))
        except MaxSynthError as error:  # too few examples
            assert "too few examples" in str(error)  # noqa: PT017
    with clusters.cluster(tmp_path, workers=0) as processes:
        for workers in (1, 2, 3):
            processes.add_worker()
            executor = connect(processes.address, SILENT)
            executor.client.wait_for_workers(workers, timeout=clusters.PATIENCE)
            executor.count_places()
            for folder, settings, (choice, said, known) in cases:
                where = Where(executor, FolderSource.of(folder, "auto"))
                found, told, learned = chosen(ReadTask.from_folder(folder), settings, where)
                assert (found.scores, found.weights, found.steps) == (choice.scores, choice.weights, choice.steps)
                assert found.undirected == choice.undirected
                assert (told, learned) == (said, known)
            executor.close()


# -- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def zendo(tmp_path: Path) -> Path:
    """A task with some noise; with these steps, 40 searches take a second or two."""
    make("zendo1-20", 0, 1, test=20).write(tmp_path / "zendo")
    return tmp_path / "zendo"


AUTO = ("--weights", "auto", "--steps", "10000")


def untimed(file: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(file.read_text())
    del result["seconds"], result["settings"]["weights_auto"]["seconds"]
    result["trace"] = [entry[1:] for entry in result["trace"]]
    return result


def test_the_command_gives_the_same_result(zendo: Path, tmp_path: Path, capsys: Capture) -> None:
    results, outs, told = [], [], []
    for number, where in enumerate(([], ["--cluster", "local:2"])):
        file = tmp_path / f"{number}.json"
        assert main(["learn", str(zendo), *AUTO, "--json", str(file), *where]) == 0
        out, err = capsys.readouterr()
        results.append(untimed(file))
        outs.append(out)
        told.append([line for line in err.splitlines() if line.startswith("weights ")])
    assert results[0] == results[1]
    assert outs[0] == outs[1]
    assert told[0] == told[1]
    assert err.startswith("cluster: 2 places for work")


def test_tables_and_python_give_the_same_result(tmp_path: Path, capsys: Capture) -> None:
    rows = "".join(f"{number},{number * 7 % 13},{'abc'[number % 3]},{int(number % 3 == 1)}\n" for number in range(130))
    (tmp_path / "things.csv").write_text(f"id,size,kind,good\n{rows}")
    results = []
    for number, where in enumerate(([], ["--cluster", "local:2"])):
        file = str(tmp_path / f"{number}.json")
        line = [str(tmp_path / "things.csv"), "--target", "things.good", *AUTO]
        assert main(["learn", *line, "--json", file, *where]) == 0
        results.append(untimed(Path(file)))
    assert results[0] == results[1]

    def even(number: object) -> bool:
        return isinstance(number, int) and number % 2 == 0

    facts = {"size": [(f"t{number}", number) for number in range(120)]}
    function = maxsynth.predicate("in")(even)
    examples = {"pos": [("f", f"t{n}") for n in range(0, 120, 2)], "neg": [("f", f"t{n}") for n in range(1, 120, 2)]}
    task = maxsynth.Task(examples, [facts, function])
    with executor_for("local:1", SILENT) as executor:
        found = [maxsynth.learn(task, weights="auto", steps=2000, cluster=where) for where in (None, executor.client)]
    assert found[0].program == found[1].program
    assert found[0]._run.counts == found[1]._run.counts


def command(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "maxsynth", *map(str, arguments)],
        env=clusters.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def lines_until(process: subprocess.Popen[str], beginning: str) -> Iterator[str]:
    """What it says, up to a line that begins so."""
    assert process.stderr is not None
    for line in process.stderr:
        yield line
        if line.startswith(beginning):
            return
    pytest.fail(f"it never said {beginning}")


def test_a_worker_that_is_killed_changes_nothing(
    zendo: Path, tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    alone, file = tmp_path / "alone.json", tmp_path / "result.json"
    assert main(["learn", str(zendo), *AUTO, "--quiet", "--json", str(alone)]) == 0
    rng = random.Random(1)
    with clusters.cluster(tmp_path, workers=1) as processes:
        for _ in range(effort(1, 20)):
            processes.add_worker()
            process = command("learn", zendo, *AUTO, "--json", file, "--cluster", processes.address)
            list(lines_until(process, "weights 1,1,1"))
            time.sleep(rng.random() / 2)
            processes.workers[-1].kill()
            _, said = process.communicate(timeout=clusters.PATIENCE)
            assert process.returncode == 0, said
            assert untimed(file) == untimed(alone)


def test_a_scheduler_that_is_killed_ends_it_with_the_best_so_far(
    zendo: Path, tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    for _ in range(effort(1, 5)):
        file = tmp_path / "result.json"
        with clusters.cluster(tmp_path, workers=1) as processes:
            process = command("learn", zendo, *AUTO, "--json", file, "--cluster", processes.address)
            list(lines_until(process, "weights 1,1,1"))
            processes.scheduler.kill()
            out, said = process.communicate(timeout=clusters.PATIENCE)
        (tmp_path / "scheduler.json").unlink()
        assert process.returncode == 0, said
        assert said.count("maxsynth: the scheduler of the cluster is gone (") == 1
        assert "Traceback" not in said
        result = json.loads(file.read_text())
        assert result["status"] == "interrupted"
        assert out == "".join(f"{rule}\n" for rule in result["program"])
        assert result["program"]
        assert main(["verify", str(file)]) == 0


@pytest.mark.parametrize("everybody", [False, True])
def test_ctrl_c_ends_all(zendo: Path, everybody: bool) -> None:
    """To the command alone, or to all of its processes, as a terminal sends it."""
    process = command("learn", zendo, *AUTO, "--cluster", "local:2")
    list(lines_until(process, "weights 1,1,1"))
    started = clusters.children(process.pid)
    assert len(started) >= 2
    if everybody:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 130
    assert "interrupted: cost " in said
    assert out
    assert "Traceback" not in said
    clusters.wait_until(lambda: not any(map(clusters.is_running, started)))


def test_a_command_that_is_killed_leaves_no_process(zendo: Path) -> None:
    process = command("learn", zendo, *AUTO, "--cluster", "local:2")
    list(lines_until(process, "weights 1,1,1"))
    started = clusters.children(process.pid)
    process.kill()
    process.communicate()
    clusters.wait_until(lambda: not any(map(clusters.is_running, started)))


def test_seconds_are_those_of_a_clock_on_the_wall(zendo: Path, capsys: Capture) -> None:
    began = time.monotonic()
    assert main(["learn", str(zendo), "--weights", "auto", "--timeout", "8", "--cluster", "local:2"]) == 0
    assert time.monotonic() - began < 16
    assert "chosen in " in capsys.readouterr().err


# -- mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["local:0", "local:x", "nowhere", "127.0.0.1:9"])
def test_addresses_where_nothing_is(zendo: Path, capsys: Capture, address: str) -> None:
    began = time.monotonic()
    assert main(["learn", str(zendo), "--weights", "auto", "--cluster", address]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"`{address}`" in err
    assert time.monotonic() - began < 20


def test_without_dask_it_says_what_to_install(zendo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    assert main(["learn", str(zendo), "--weights", "auto", "--cluster", "local:2"]) == 2
    assert capsys.readouterr().err == "maxsynth: a cluster needs Dask (pip install 'maxsynth[cluster]')\n"


def test_what_is_no_cluster(zendo: Path) -> None:
    with pytest.raises(MaxSynthError, match="cluster=7"):
        maxsynth.learn(maxsynth.Task.from_folder(zendo), cluster=7)
