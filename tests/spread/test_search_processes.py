"""One search on real clusters: the same answer, whoever dies meanwhile, and nothing stays behind."""

from __future__ import annotations

import json
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
from maxsynth.cli import main
from maxsynth.kernel import features as kernel
from maxsynth.search import threads
from maxsynth.search.loop import Search
from maxsynth.search.rules.elsewhere import Helpers
from maxsynth.search.settings import Settings
from maxsynth.spread.cluster import Cluster, connect
from maxsynth.spread.stream import Stream
from maxsynth.task.task import ReadTask
from test_kernel_limits import limited
from test_threads import KINDS, seen, write

from . import clusters
from .clusters import Processes

pytest.importorskip("distributed")

Capture = pytest.CaptureFixture[str]
SILENT = lambda text: None  # noqa: E731
GRAPH = 30_000_001  # the seed of a task of which many units are sent
SMALL = {"least_sent": 0, "unit_work": 300}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(threads, "ALONE", 0.0)
    with limited(kernel, least_work=0, batch_work=3000, **SMALL):
        yield


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    folder = tmp_path / "graph"
    folder.mkdir()
    write("graph", random.Random(GRAPH), folder)
    return folder


def joined(processes: Processes, workers: int) -> Cluster:
    """A connection, once so many workers are there."""
    made = connect(processes.address, SILENT)
    made.client.wait_for_workers(workers, timeout=clusters.PATIENCE)
    made.count_places()
    return made


def searched(folder: Path, cluster: Cluster | None, **how: Any) -> tuple[Any, int, list[str]]:
    """All that does not depend on the time, how many units were sent, and what was told."""
    task, settings = ReadTask.from_folder(folder, prolog="builtin"), Settings(jobs=1, **how)
    told: list[str] = []
    if cluster is None:
        return seen(Search(task, settings).run()), 0, told
    with Helpers(cluster, settings, told.append) as helpers:
        return seen(Search(task, settings, helpers=helpers).run()), helpers.sent, told


def at_unit(number: int, do: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Does something when so many units were sent."""
    send, sent = Stream.send, iter(range(1_000_000))

    def noted(self: Stream[Any, Any], *given: Any) -> None:
        if next(sent) == number:
            do()
        send(self, *given)

    monkeypatch.setattr(Stream, "send", noted)


def test_one_two_and_three_workers_find_the_same(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    cases: list[tuple[Path, dict[str, Any], Any]] = []
    rng, sent = random.Random(32), 0
    for kind in KINDS:
        for number in range(effort(1, 40)):
            folder = tmp_path / f"{kind}{number}"
            folder.mkdir()
            write(kind, rng, folder)
            how = {"steps": rng.choice((20, 200))} if rng.random() < 0.3 else {}
            cases.append((folder, how, searched(folder, None, **how)[0]))
    with clusters.cluster(tmp_path, workers=0) as processes:
        for workers in (1, 2, 3):
            processes.add_worker()
            executor = joined(processes, workers)
            for folder, how, alone in cases:
                found, units, told = searched(folder, executor, **how)
                assert (found, told) == (alone, [])
                sent += units
            executor.close()
    assert sent > 50


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_changes_nothing(
    graph: Path, tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of one, too: then all is done here."""
    with clusters.cluster(tmp_path, workers=workers) as processes:
        executor = joined(processes, workers)
        at_unit(10, processes.workers[0].kill, monkeypatch)
        found, sent, told = searched(graph, executor)
        executor.close()
    assert processes.workers[0].poll() is not None
    assert sent > 10
    assert found == searched(graph, None)[0]
    assert told == []


def test_a_scheduler_that_is_killed_changes_nothing(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The search goes on here, and that is said, once; the command has a result as always."""
    alone, file = tmp_path / "alone.json", tmp_path / "result.json"
    assert main(["learn", str(graph), "--quiet", "--json", str(alone)]) == 0
    with clusters.cluster(tmp_path, workers=1) as processes:
        joined(processes, 1).close()
        at_unit(10, processes.scheduler.kill, monkeypatch)
        capsys.readouterr()
        assert main(["learn", str(graph), "--json", str(file), "--cluster", processes.address]) == 0
    err = capsys.readouterr().err
    assert err.count("maxsynth: the scheduler of the cluster is gone") == 1
    assert err.count("the search goes on here, alone") == 1
    assert "Traceback" not in err
    assert untimed(file) == untimed(alone)


def test_a_late_worker_of_another_version_is_not_believed(graph: Path, tmp_path: Path) -> None:
    with clusters.cluster(tmp_path, workers=0) as processes:
        executor = connect(processes.address, SILENT)
        processes.add_worker("import maxsynth; maxsynth.__version__ = '0.0.7'")
        executor.client.wait_for_workers(1, timeout=clusters.PATIENCE)
        executor.count_places()
        found, _, told = searched(graph, executor)
        executor.close()
    assert found == searched(graph, None)[0]
    assert len(told) == 1
    assert "has maxsynth 0.0.7, and here it is " in told[0]


def untimed(file: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(file.read_text())
    del result["seconds"]
    result["trace"] = [entry[1:] for entry in result["trace"]]
    return result


def test_the_command_and_python_give_the_same_result(
    graph: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    at_unit(3, lambda: sent.append(1), monkeypatch)
    results, outs = [], []
    for number, where in enumerate(([], ["--cluster", "local:2"])):
        file = tmp_path / f"{number}.json"
        assert main(["learn", str(graph), "--json", str(file), *where]) == 0
        out, err = capsys.readouterr()
        results.append(untimed(file))
        outs.append(out)
    assert results[0] == results[1]
    assert outs[0] == outs[1]
    assert err.startswith("cluster: 2 places for work")
    assert sent
    task = maxsynth.Task.from_folder(graph)
    found = maxsynth.learn(task, cluster="local:1")
    assert found._run.counts == maxsynth.learn(task)._run.counts == results[0]["counts"]


LONG = """
import sys
from maxsynth.kernel import features
features.set_limit("least_sent", 0)
features.set_limit("unit_work", 3000)
from maxsynth.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def long_search(tmp_path: Path) -> list[str]:
    """A command that takes minutes: pairs of nodes of a random graph, with long rules that do not tell them apart."""
    rng, folder = random.Random(1), tmp_path / "long"
    folder.mkdir()
    names = [f"n{number}" for number in range(300)]
    facts = [f"e{rng.randrange(6)}({rng.choice(names)},{rng.choice(names)})." for _ in range(3000)]
    pairs = [f"{'pos' if number % 2 else 'neg'}(f({rng.choice(names)},{rng.choice(names)}))." for number in range(400)]
    bias = ["head_pred(f,2).", *(f"body_pred(e{number},2)." for number in range(6)), "max_vars(6).", "max_body(6)."]
    for name, lines in (("bk.pl", sorted(facts)), ("exs.pl", sorted(set(pairs))), ("bias.pl", bias)):
        (folder / name).write_text("\n".join(lines) + "\n")
    script = tmp_path / "long.py"
    script.write_text(LONG)
    return [sys.executable, str(script), "learn", str(folder), "--cluster", "local:2"]


def started(line: list[str]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        line, env=clusters.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("cluster: 2 places")
    return process


def test_ctrl_c_ends_all(tmp_path: Path) -> None:
    process = started(long_search(tmp_path))
    time.sleep(3)
    workers = clusters.children(process.pid)
    assert len(workers) >= 2
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 130, said
    assert "interrupted: cost " in said
    assert "Traceback" not in said
    clusters.wait_until(lambda: not any(map(clusters.is_running, workers)))


def test_seconds_are_kept(tmp_path: Path) -> None:
    began = time.monotonic()
    process = started([*long_search(tmp_path), "--timeout", "8"])
    _, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 0, said
    assert "timeout: cost " in said
    assert time.monotonic() - began < 20
