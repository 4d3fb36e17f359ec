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
        wait_for_proof(site)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 128 + number
        assert "Traceback" not in said
    finally:
        process.kill()
        process.wait()


def test_a_signal_ends_what_is_done_beside(tmp_path: Path) -> None:
    bk = "".join(f"{p}(a{n}).\n" for p in "pqrstuvw" for n in range(300) if (ord(p) * n + n // 7) % 3)
    bk += "".join(f"e(a{n},a{(n * 7 + k) % 300}).\n" for n in range(300) for k in (1, 5, 11))
    bias = "head_pred(f,1).\nbody_pred(e,2).\nmax_vars(4).\nmax_body(4).\n"
    bias += "".join(f"body_pred({p},1).\n" for p in "pqrstuvw")
    exs = "".join(f"{'pos' if (n * 31) % 7 < 3 else 'neg'}(f(a{n})).\n" for n in range(300))
    process, site = started(write_task(tmp_path / "task", bias, bk, exs), "--jobs", "1")
    try:
        wait_for_proof(site)
        site.post("find-front", size=60)
        assert site.get("state")["beside"]["doing"] == "front"
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 128 + signal.SIGINT
        assert "Traceback" not in said
        assert time.monotonic() - since < 10
    finally:
        process.kill()
        process.wait()


def wait_for_proof(site: Site) -> None:
    until = time.monotonic() + 60
    while site.get("state")["run"]["state"] != "optimal":
        assert time.monotonic() < until
        time.sleep(0.05)


def test_nothing_decided_is_lost_by_a_kill(tmp_path: Path) -> None:
    """The next start has all that was answered, to the last decision and the last one that was taken back."""
    folder = write_task(tmp_path / "task")
    process, site = started(folder)
    try:
        wait_for_proof(site)
        for number in range(12):
            site.post("decide", numbers=[number], decision=("flip", "leave out", "keep")[number % 3])
        site.post("undo")
        site.post("learn")  # which may or may not be over when the end comes
        process.kill()
        process.communicate()
    finally:
        process.kill()
        process.wait()
    assert not list(tmp_path.glob(".maxsynth*"))
    process, site = started(folder)
    try:
        wait_for_proof(site)
        counts = site.get("state")["decisions"]
        assert [counts[name] for name in ("flip", "leave out", "keep")] == [4, 4, 3]
        assert site.get("state")["runs"][0]["decisions"] == 8
    finally:
        process.kill()
        process.communicate()


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
