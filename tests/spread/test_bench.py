"""`bench --cluster`: the same file of results, whoever did the runs."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.small import command, records, run, script, write_tasks

from . import clusters

SYSTEMS = ("--system", "maxsynth:500steps", "--system", "exact:500steps", "--system", "none:5=no-such-program {task}")


def untimed(out: Path) -> list[dict[str, Any]]:
    found = records(out)
    for record in found:
        for name in ("seconds", "memory_mb"):
            record.pop(name, None)
        record["curve"] = [entry[1:] for entry in record.get("curve", [])]
    return found


def test_the_results_are_those_of_this_machine(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["one", "two"], trials=2)
    (data / "two" / "1" / "bk.pl").write_text("p(")  # an error, that names the file
    given = ("own", "--data", data, "--trials", 2, *SYSTEMS)
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    assert run(*given, "--out", alone, "--jobs", 1).returncode == 0
    done = run(*given, "--out", spread, "--cluster", "local:2")
    assert done.returncode == 0, done.stderr
    assert untimed(spread) == untimed(alone)  # in the same order
    assert [list(record) for record in records(spread)] == [list(record) for record in records(alone)]
    assert "12 runs, about" in done.stderr
    assert (spread / "report" / "report.html").exists()
    again = run(*given, "--out", spread, "--cluster", "local:1")
    assert "12 of 12 runs were done before" in again.stderr


def test_a_run_has_the_same_limits_there(tmp_path: Path) -> None:
    """A system that takes too long is ended with all that it started; one that takes too much memory, too."""
    data = write_tasks(tmp_path / "data", ["one"])
    slow = script(tmp_path, "slow", f"open({str(tmp_path / 'began')!r}, 'w').close()\ntime.sleep(1000)")
    large = script(tmp_path, "large", "x = bytearray(1 << 30)\nprint('f(A) :- p(A).')")
    systems = ("--system", f"slow:1={slow}", "--system", f"large:20={large}")
    done = run("own", "--data", data, "--out", tmp_path / "out", "--trials", 1, "--memory", "700M", *systems,
               "--cluster", "local:1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {record["system"]: record for record in records(tmp_path / "out")}
    assert (tmp_path / "began").exists()
    assert found["slow"]["status"] == "timeout"
    assert "MemoryError" in found["large"]["error"]


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments), env=clusters.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip


@pytest.fixture
def half_done(tmp_path: Path) -> tuple[object, ...]:
    """The first run has a result at once, the second waits for a file."""
    data = write_tasks(tmp_path / "data", ["one", "two"])
    wait = script(
        tmp_path,
        "wait",
        f"open({str(tmp_path / 'began')!r}, 'w').close()\n"
        f"while '/two' in open(task + '/name.txt').read() and not os.path.exists({str(tmp_path / 'go')!r}):\n"
        "    time.sleep(0.02)\nprint('f(A) :- p(A).')",
    )
    for name in ("one", "two"):
        (data / name / "0" / "name.txt").write_text(f"/{name}")
    return "own", "--data", data, "--out", tmp_path / "out", "--trials", 1, "--system", f"wait:60={wait}"


def until_one_is_done(tmp_path: Path) -> None:
    results = tmp_path / "out" / "results.jsonl"
    clusters.wait_until(lambda: results.exists() and results.read_text().count("\n") == 1)


def test_a_worker_that_dies_costs_its_run_which_is_done_again(tmp_path: Path, half_done: tuple[object, ...]) -> None:
    with clusters.cluster(tmp_path, workers=1) as processes:
        process = start(*half_done, "--cluster", processes.address)
        until_one_is_done(tmp_path)
        processes.add_worker()
        (tmp_path / "began").unlink()
        processes.workers[0].kill()
        clusters.wait_until((tmp_path / "began").exists)  # again
        (tmp_path / "go").touch()
        _, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 0, said
    assert [(record["task"], record["status"]) for record in records(tmp_path / "out")] == [
        ("one", "done"),
        ("two", "done"),
    ]


def test_a_scheduler_that_dies_leaves_what_was_done(tmp_path: Path, half_done: tuple[object, ...]) -> None:
    with clusters.cluster(tmp_path, workers=1) as processes:
        process = start(*half_done, "--cluster", processes.address)
        until_one_is_done(tmp_path)
        processes.scheduler.kill()
        _, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 2
    assert said.endswith(
        "maxsynth: the scheduler of the cluster is gone (what was done so far is kept: run the same command again)\n"
    )
    assert "Traceback" not in said
    (tmp_path / "go").touch()
    assert run(*half_done).returncode == 0  # without a cluster
    assert [record["task"] for record in records(tmp_path / "out")] == ["one", "two"]


def test_ctrl_c_ends_all(tmp_path: Path, half_done: tuple[object, ...]) -> None:
    process = start(*half_done, "--cluster", "local:1")
    until_one_is_done(tmp_path)
    started = clusters.children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=clusters.PATIENCE)
    assert process.returncode == 130
    assert said.endswith("maxsynth: interrupted\n")
    assert "Traceback" not in said
    clusters.wait_until(lambda: not any(map(clusters.is_running, started)))
    assert [record["task"] for record in records(tmp_path / "out")] == ["one"]


def test_jobs_are_of_this_machine(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["one"])
    done = run("own", "--data", data, "--out", tmp_path / "out", "--jobs", 2, "--cluster", "local:2")
    assert done.returncode == 2
    assert "leave out one of --jobs and --cluster" in done.stderr
    done = run("own", "--data", data, "--out", tmp_path / "out", "--cluster", "local:no")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
