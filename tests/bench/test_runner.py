"""The runner: limits, errors, resuming, and being killed at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.small import command, environment, records, run, run_here, script, write_tasks
from maxsynth.bench.commands import fill, last_program
from maxsynth.bench.domains.catalogue import PAPER_TASKS, REAL
from maxsynth.bench.experiment import Experiment, plan
from maxsynth.bench.limit import Limit
from maxsynth.bench.results import ResultsFile, key_of, read
from maxsynth.bench.systems import QUICK_STEPS, System, parse_system
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    data, out = write_tasks(tmp_path / "data", [f"t{i}" for i in range(5)], trials=2), tmp_path / "out"
    systems = {
        "slow": script(tmp_path, "slow", "time.sleep(0.2)\nprint('f(A) :- p(A), q(A).')"),
        "none": script(tmp_path, "none", "print('nothing')"),
    }
    given = [part for name, text in systems.items() for part in ("--system", f"{name}:20={text}")]
    arguments = command("own", "--data", data, "--out", out, "--jobs", 2, "--trials", 2, *given)
    rng, before = random.Random(1), []
    for _ in range(effort(8, 40)):
        process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted = len(before) + rng.choice((0, 1, 2))
        reached(process, out, wanted)
        time.sleep(rng.uniform(0, 0.6 if wanted == len(before) else 0.2))  # as it starts, works, writes or reports
        process.kill()
        process.wait()
        lines = whole_lines(out / "results.jsonl")
        assert lines[: len(before)] == before  # what was there stays
        before = lines
    assert run_here(*arguments[4:]).returncode == 0
    lines = whole_lines(out / "results.jsonl")
    assert lines[: len(before)] == before
    keys = [key_of(json.loads(line)) for line in lines]
    assert len(keys) == len(set(keys)) == 5 * 2 * 2
    assert {json.loads(line)["status"] for line in lines} == {"done"}


def reached(process: subprocess.Popen[bytes], out: Path, count: int) -> None:
    """Waits until there are so many results, or the process has ended."""
    wait_for(lambda: process.poll() is not None or len(whole_lines(out / "results.jsonl")) >= count)


def whole_lines(path: Path) -> list[str]:
    return path.read_text().split("\n")[:-1] if path.exists() else []


def test_a_broken_line_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    whole = {"task": "a", "trial": 0, "system": "s", "timeout": 1.0, "status": "done"}
    path.write_text(json.dumps(whole) + "\n" + json.dumps({**whole, "trial": 1})[:-1])
    with ResultsFile(path) as file:
        assert read(path) == [whole]
        file.append({**whole, "trial": 2})
        with pytest.raises(MaxSynthError, match="another run writes to it now"):
            ResultsFile(path)
    assert [record["trial"] for record in read(path)] == [0, 2]
    path.write_text("{}\n")
    with pytest.raises(MaxSynthError, match=r"results.jsonl:1: this line is no result"):
        read(path)


def test_all_that_was_started_ends_with_the_runner(tmp_path: Path) -> None:
    data, mark = write_tasks(tmp_path / "data", ["t"]), tmp_path / "pid"
    text = script(tmp_path, "hang", f"open({str(mark)!r}, 'w').write(str(os.getpid()) + '\\n')\ntime.sleep(1000)")
    arguments = command("own", "--data", data, "--out", tmp_path / "out", "--system", f"hang:500={text}")
    process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: mark.exists() and mark.read_text().endswith("\n"))
    process.kill()
    process.wait()
    wait_for(lambda: not alive(int(mark.read_text())))
    assert records(tmp_path / "out") == []


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waited for has ended all the same."""
    try:
        os.kill(pid, 0)
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("this never happened")


def test_interrupted_by_the_user(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["t"])
    mark = tmp_path / "mark"
    text = script(tmp_path, "hang", f"open({str(mark)!r}, 'w')\ntime.sleep(1000)")
    arguments = command("own", "--data", data, "--out", tmp_path / "out", "--system", f"hang:500={text}")
    process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(mark.exists)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("maxsynth: interrupted\n")
    assert records(tmp_path / "out") == []


def test_errors_are_recorded_and_not_fatal(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["good", "bad"])
    (data / "bad" / "0" / "exs.pl").write_text("pos(g(a)).\n")
    systems = {
        "crash": script(tmp_path, "crash", "os.abort()"),
        "complain": script(tmp_path, "complain", "print('f(X) :- p', file=sys.stderr)\nsys.exit(3)"),
        "late": script(tmp_path, "late", "print('f(X) :- p(X).', flush=True)\ntime.sleep(100)"),
        "missing": "/no/such/command {task}",
        "strange": script(tmp_path, "strange", "print('f(X) :- p(X)))).')"),
    }
    given = [part for name, text in systems.items() for part in ("--system", f"{name}:1={text}")]
    done = run_here("own", "--data", data, "--out", tmp_path / "out", "--system", "maxsynth:20", *given)
    assert done.returncode == 0, done.stderr
    found = {(record["task"], record["system"]): record for record in records(tmp_path / "out")}
    assert len(found) == 12
    good = {system: record for (task, system), record in found.items() if task == "good"}
    assert good["maxsynth"]["status"] == "optimal"
    assert good["maxsynth"]["test"] == {"tp": 6, "fn": 0, "tn": 6, "fp": 0}
    assert good["crash"]["error"].endswith("ended with the status -6: it says nothing")
    assert "ended with the status 3: f(X) :- p" in good["complain"]["error"]
    assert (good["late"]["status"], good["late"]["program"]) == ("timeout", ["f(A) :- p(A)."])
    assert good["late"]["test"] == {"tp": 6, "fn": 0, "tn": 3, "fp": 3}
    assert "/no/such/command` cannot be run: No such file" in good["missing"]["error"]
    assert good["strange"]["status"] == "error"
    assert all(record["status"] == "error" for (task, _), record in found.items() if task == "bad")
    assert "is not of f/1" in found["bad", "maxsynth"]["error"]
    assert f"{sum(record['status'] == 'error' for record in found.values())} runs ended with an error" in done.stderr
    report = (tmp_path / "out" / "report" / "report.md").read_text()
    assert "Runs that ended with an error" in report
    assert "is not of f/1" in report
    # They are done again only when that is asked for.
    assert "12 of 12 runs were done before" in run_here("own", "--data", data, "--out", tmp_path / "out",
        "--system", "maxsynth:20", *given).stderr  # fmt: skip
    (data / "bad" / "0" / "exs.pl").write_text((data / "good" / "0" / "exs.pl").read_text())
    run_here("own", "--data", data, "--out", tmp_path / "out", "--system", "maxsynth:20", "--retry")
    again = {(record["task"], record["system"]): record for record in read(tmp_path / "out" / "results.jsonl")}
    assert again["bad", "maxsynth"]["status"] == "optimal"


def test_memory_is_limited(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["t"])
    text = script(tmp_path, "greedy", "x = bytearray(3 << 30)\nprint('f(X) :- p(X).')")
    done = run_here("own", "--data", data, "--out", tmp_path / "out", "--memory", "2G", "--system", f"greedy:60={text}")
    assert done.returncode == 0, done.stderr
    assert "MemoryError" in records(tmp_path / "out")[0]["error"]


def test_a_run_repeats_its_figures(tmp_path: Path) -> None:
    """Also where runs are cut, and whatever else the machine does."""
    tasks = ["iggp-md-0", "iggp-md-10", "zendo2-20", "evens-10"]
    given = [part for task in tasks for part in ("--task", task)]
    for system in ("maxsynth:400steps", "no-constraints:400steps", "exact:400steps"):
        given += ["--system", system]
    results: list[object] = []
    for name, jobs, run_it in (("one", 1, run_here), ("other", 3, run)):  # sets have another order in another process
        out = tmp_path / name
        done = run_it("paper", "--quick", "--out", out, "--seed", 7, "--trials", 1, "--jobs", jobs, *given)
        assert done.returncode == 0, done.stderr
        found = sorted(records(out), key=lambda record: (record["task"], record["system"]))
        assert len(found) == 4 * 3
        assert {record["status"] for record in found} == {"optimal", "out-of-steps"}
        for record in found:
            del record["seconds"], record["memory_mb"]
            record["curve"] = [point[1:] for point in record["curve"]]
        results.append((found, repeated(out / "report")))
    assert results[0] == results[1]


def repeated(report: Path) -> dict[str, str]:
    """The tables and figures of a report in which there are no times."""
    figures = {path.name: path.read_text() for path in report.glob("*.svg")}
    tables = {path.name: path.read_text() for path in report.glob("*.csv")}
    timed = {"constraints-time.csv", "noiseless.csv", "times.csv"}
    assert {"time-zendo2-20.svg", "noise-iggp-md.svg"} <= set(figures)
    assert {"accuracies.csv", "constraints-programs.csv", "measures-exact.csv", *timed} <= set(tables)
    return figures | {name: text for name, text in tables.items() if name not in timed}


def test_runs_with_limits_of_both_kinds_are_different_runs(tmp_path: Path) -> None:
    data, out = write_tasks(tmp_path / "data", ["t"]), tmp_path / "out"
    given = ["--data", data, "--out", out, "--system", "maxsynth:600", "--system", "maxsynth:2steps"]
    assert run_here("own", *given).returncode == 0
    assert run_here("own", *given).returncode == 0
    found = {record["most_steps"]: record for record in records(out)}
    assert {steps: record["status"] for steps, record in found.items()} == {None: "optimal", 2: "out-of-steps"}
    assert len(records(out)) == 2
    assert [found[2]["timeout"], found[2]["steps"]] == [600, 2]


def test_other_data_is_not_mixed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--out", str(tmp_path), "--task", "iggp-md-0", "--trials", "1"]
    assert main(["bench", "data", *given]) == 0
    assert (tmp_path / "tasks" / "iggp-md-0" / "0" / "program.pl").read_text().count("next_value") == 2
    assert main(["bench", "data", *given]) == 0
    assert main(["bench", "data", *given, "--seed", "2"]) == 2
    assert "the results there are with seed = 1, not 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--task", "chess"], "there is no task `chess`"),
        (["--system", "popper"], "the system `popper` is not built in (write popper=COMMAND"),
        (["--system", "aleph"], "write aleph=FILE"),
        (["--system", "maxsynth=x"], "the system `maxsynth` is built in"),
        (["--system", "max synth"], "`max synth` is no system"),
        (
            ["--system", "exact:1.2.3"],
            "`1.2.3` is no limit of a run (write a number of seconds such as 60, or of steps",
        ),
        (["--system", "exact:1.5steps"], "`1.5steps` is no limit of a run"),
        (["--system", "exact:0"], "`0` is no limit of a run"),
        (["--system", "exact:99999999999"], "`99999999999` is no limit of a run"),
        (["--system", "mine:9steps=mine"], "the steps of the system `mine` cannot be counted (give it seconds)"),
        (["--system", "exact", "--system", "exact"], "the system `exact` is given twice"),
        (["--data", "/no/such/folder"], "/no/such/folder: cannot be read"),
        (["--memory", "500M", "--task", "chess"], "there is no task `chess`"),
    ],
)
def test_bad_values(given: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "paper", "--out", str(tmp_path / "out"), *given]) == 2
    assert complaint in capsys.readouterr().err


def test_no_results_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "report", "--out", str(tmp_path)]) == 2
    assert "there is no experiment (run `maxsynth bench paper` first)" in capsys.readouterr().err
    assert main(["bench", "own", "--out", str(tmp_path / "out")]) == 2
    assert "say where they are: --data FOLDER" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["bench", "paper", "--out", str(tmp_path / "out"), "--data", str(tmp_path / "empty")]) == 2
    assert "there are no tasks" in capsys.readouterr().err


# -- commands of others -------------------------------------------------------------------------------------


def test_tasks_that_are_not_in_the_folder_are_generated(tmp_path: Path) -> None:
    experiment = Experiment(tmp_path / "out", 1, True, write_tasks(tmp_path / "data", ["zendo1-0", "wn18rr1", "mine"]))
    assert experiment.tasks([]) == [name for name in PAPER_TASKS if name not in REAL or name == "wn18rr1"] + ["mine"]
    assert experiment.tasks(["zendo1", "mine"]) == ["zendo1-0", "zendo1-10", "zendo1-20", "mine"]
    assert experiment.folder("zendo1-0", 0) == tmp_path / "data" / "zendo1-0" / "0"
    assert experiment.folder("zendo1-10", 0) == tmp_path / "out" / "tasks" / "zendo1-10" / "0"
    systems = [System("maxsynth", Limit(1.0))]
    assert len(plan(experiment, ["mine", "zendo1-10"], range(3), systems)) == 1 + 3  # there is one trial in the folder


def test_what_a_system_is() -> None:
    system = parse_system("popper:60=popper {task} --timeout {timeout} --x=1")
    assert (system.name, system.limit) == ("popper", Limit(60.0))
    assert system.command == "popper {task} --timeout {timeout} --x=1"
    assert parse_system("maxsynth").limit == Limit(300.0)
    assert parse_system("exact").limit == Limit(60.0)
    assert parse_system("exact:0.5").limit == Limit(0.5)
    assert parse_system("exact:500steps").limit.steps == 500
    assert {parse_system(name, quick=True).limit for name in ("maxsynth", "exact")} == {Limit.of_steps(QUICK_STEPS)}
    assert parse_system("popper=popper", quick=True).limit.steps is None


def test_arguments_stay_whole() -> None:
    folder = Path("/a b/c'd")
    assert fill("run 'a b' {task} -t{timeout} {other}", folder, 2.5) == ["run", "a b", str(folder), "-t2.5", "{other}"]
    with pytest.raises(MaxSynthError, match="is no command"):
        fill("run 'a", folder, 1)


@pytest.mark.parametrize(
    ("output", "program"),
    [
        ("New best:\nf(A):- p(A).\n****\nSOLUTION\nsize:2\nf(A):- p(A),q(A).\nf(A):- r(A).\n****\nTime: 1\n",
         "f(A) :- p(A), q(A).\nf(A) :- r(A)."),
        ("[Rule 1] [Pos cover = 5 Neg cover = 0]\nf(A) :-\n   p(A), q(A).\n\n[Rule 2] [Pos cover = 1 Neg cover = 0]\n"
         "f(A) :-\n   r(A).\n\nSummary\n", "f(A) :- p(A), q(A).\nf(A) :- r(A)."),
        ("f(V0):- inv1(V0).\ninv1(V0):- p(V0).\n", "f(A) :- inv1(A).\ninv1(A) :- p(A)."),
        ("f(A) :- p(A).\nbest of all\ng(A) :- p(A).\n", "f(A) :- p(A)."),
        ("NO SOLUTION\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_last_program_is_read(output: str, program: str | None) -> None:
    found = last_program(output, "f")
    assert (None if found is None else str(found)) == program


ALEPH = """\
:- module(aleph, [induce/1]).
% What the adapter relies on: directives, sections, and a program as a list of rules.
:- dynamic user:'seen'/1.
system:term_expansion((:- aleph), []).
system:term_expansion((:- aleph_read_all), []).
system:term_expansion((:- aleph_set(A,B)), []) :- assertz(user:seen(set(A,B))).
system:term_expansion((:- modeh(A,B)), []) :- assertz(user:seen(modeh(A,B))).
system:term_expansion((:- modeb(A,B)), []) :- assertz(user:seen(modeb(A,B))).
system:term_expansion((:- determination(A,B)), []) :- assertz(user:seen(determination(A,B))).
system:term_expansion((:- begin_bg), []).
system:term_expansion((:- end_bg), []).
system:term_expansion((:- begin_in_pos), []) :- assertz(user:seen(pos)).
system:term_expansion((:- end_in_pos), []).
system:term_expansion((:- begin_in_neg), []) :- assertz(user:seen(neg)).
system:term_expansion((:- end_in_neg), []).
system:term_expansion(f(X), []) :- assertz(user:seen(example(X))).
induce([(f(A) :- p(A), q(A))]) :-
    user:seen(modeh(*, f(+any))), user:seen(modeb(*, p(+any))), user:seen(determination(f/1, q/1)),
    user:seen(set(clauselength, 3)), user:p(s0), user:q(s11),
    aggregate_all(count, user:seen(example(_)), 12).
"""


@pytest.mark.swipl
def test_aleph_is_given_the_task_in_its_own_words(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["t"])
    (tmp_path / "aleph.pl").write_text(ALEPH)
    done = run_here("own", "--data", data, "--out", tmp_path / "out", "--system", f"aleph:30={tmp_path / 'aleph.pl'}")
    assert done.returncode == 0, done.stderr
    (record,) = records(tmp_path / "out")
    assert record.get("program") == ["f(A) :- p(A), q(A)."], record
    assert record["status"] == "done"


@pytest.mark.swipl
def test_what_aleph_prints_on_the_way_is_not_its_program(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["t"])
    (tmp_path / "aleph.pl").write_text(
        ALEPH.replace("induce([", "induce(_) :- writeln('f(s0).'), sleep(60).\ninduce([")
    )
    run_here("own", "--data", data, "--out", tmp_path / "out", "--system", f"aleph:2={tmp_path / 'aleph.pl'}")
    (record,) = records(tmp_path / "out")
    assert (record["status"], record["found"], record["program"]) == ("timeout", False, [])


def test_aleph_needs_its_file(tmp_path: Path) -> None:
    data = write_tasks(tmp_path / "data", ["t"])
    (tmp_path / "original.pl").write_text("% A L E P H\ninduce :- true.\n")
    for name, complaint in (
        ("/no/aleph.pl", "/no/aleph.pl: there is no such file"),
        (
            str(tmp_path / "original.pl"),
            "original.pl: this is not Aleph as a module of SWI-Prolog (give prolog/aleph.pl",
        ),
    ):
        out = tmp_path / Path(name).stem
        run_here("own", "--data", data, "--out", out, "--system", f"aleph:30={name}")
        assert complaint in records(out)[0]["error"]
