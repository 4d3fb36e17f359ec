"""The command: how it starts and ends, and what it says when it cannot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maxsynth.cli import main
from studio.serving import Site, write_task

COMMAND = [sys.executable, "-m", "maxsynth", "studio"]


def started(folder: Path, *arguments: str) -> tuple[subprocess.Popen[str], Site]:
    process = subprocess.Popen(
        [*COMMAND, str(folder), "--no-browser", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Site(process.stdout.readline().strip())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_all(tmp_path: Path, number: int) -> None:
    process, site = started(write_task(tmp_path / "task"))
    try:
        until = time.monotonic() + 30
        while site.get("state")["run"]["state"] != "optimal":
            assert time.monotonic() < until
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 128 + number
        assert "Traceback" not in said
    finally:
        process.kill()
        process.wait()


def test_each_start_has_another_token(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    tokens = set()
    for _ in range(2):
        process, site = started(folder)
        tokens.add(site.base)
        process.kill()
        process.communicate()
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    process, site = started(folder)
    try:
        again = subprocess.run(
            [*COMMAND, str(folder), "--no-browser", "--port", str(site.port)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert again.returncode == 2
        assert again.stderr.count("\n") == 1
        assert f"port {site.port} cannot be had" in again.stderr
    finally:
        process.kill()
        process.communicate()


def test_without_its_packages_it_says_how_to_get_them(tmp_path: Path) -> None:
    code = (
        "import importlib.util, sys\nknown = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name in ('starlette', 'uvicorn') else known(name)\n"
        "from maxsynth.cli import main\nsys.exit(main(['studio', sys.argv[1]]))\n"
    )
    folder = write_task(tmp_path / "task")
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'maxsynth[studio]'" in done.stderr


def test_a_report_needs_none_of_them(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    code = (
        "import sys\nfor name in ('starlette', 'uvicorn'): sys.modules[name] = None\n"
        "from maxsynth.cli import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    assert main(["learn", str(folder), "--quiet", "--json", str(tmp_path / "result.json")]) == 0
    report = [sys.executable, "-c", code, "report", str(tmp_path / "result.json")]
    done = subprocess.run(report, capture_output=True, text=True, timeout=60)
    assert (done.returncode, (tmp_path / "result.html").exists()) == (0, True), done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{tmp}/nowhere"], "there is no such folder"),
        (["{tmp}/empty"], "no task folder"),
        (["{tmp}/a.csv"], "tables need a target"),
        (["{tmp}/task", "--leave-out", "x"], "is for tables"),
        (["{tmp}/task", "--weights", "auto"], "weights that are given"),
        (["--target", "a.b"], "none are given"),
        (["{tmp}/a.csv", "--target", "a.kind"], "name one: --target a.kind=x"),
    ],
)
def test_what_cannot_be_opened_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    write_task(tmp_path / "task")
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.csv").write_text("id,kind,n\n" + "".join(f"{n},{'xyz'[n % 3]},{n % 4}\n" for n in range(30)))
    assert main(["studio", *(one.format(tmp=tmp_path) for one in arguments), "--no-browser"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_without_a_task_the_folder_here_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["studio", "--no-browser"]) == 2
    folder = write_task(tmp_path / "task")
    process = subprocess.Popen(
        [*COMMAND, "--no-browser"], stdout=subprocess.PIPE, cwd=folder, text=True, env=os.environ
    )
    assert process.stdout is not None
    site = Site(process.stdout.readline().strip())
    assert site.get("state")["task"]["name"] == "task"
    assert site.get("state")["task"]["labels_file"] == "task.labels"
    process.kill()
    process.communicate()
