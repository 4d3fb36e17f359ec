"""The command as a person uses it: what it prints where, and that it is quick, quiet and repeatable."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from maxsynth import __version__
from maxsynth.cli import main
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.metrics import Confusion
from maxsynth.search.result import SearchResult, summary

EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"
MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\n"
BK = "p(a).\np(b).\np(c).\nq(a).\n"
EXS = "pos(f(a)).\npos(f(b)).\npos(f(d)).\nneg(f(c)).\nneg(f(e)).\n"

PATHS = (
    "head_pred(path,2).\nbody_pred(edge,2).\nenable_recursion.\n",
    "edge(a,b).\nedge(b,c).\nedge(c,a).\nedge(d,d).\n",
    "pos(path(a,c)).\npos(path(b,b)).\npos(path(d,d)).\nneg(path(a,d)).\nneg(path(d,a)).\n",
)
PATH_RULES = "path(A,B) :- edge(A,B).\npath(A,B) :- edge(A,C), path(C,B).\n"


def run(*arguments: str | Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    command = [sys.executable, "-m", "maxsynth", *map(str, arguments)]
    return subprocess.run(command, input=stdin, env=variables, capture_output=True, text=True, timeout=60)


def evaluate(capsys: Capture, program: Path, task: Path, *options: str) -> tuple[str, str]:
    assert main(["evaluate", str(program), str(task), *options]) == 0
    out, err = capsys.readouterr()
    return out, err


def as_json(capsys: Capture, program: Path, task: Path, *options: str) -> dict[str, Any]:
    out, _ = evaluate(capsys, program, task, "--json", "-", *options)
    result: dict[str, Any] = json.loads(out)
    return result


@pytest.fixture
def write_program(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "program.pl"
        path.write_text(text)
        return path

    return write


# -- help ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "mentioned"),
    [
        (
            [],
            [
                "learn",
                "evaluate",
                "check",
                "verify",
                "explain",
                "demo",
                "bench",
                "--version",
                "bias.pl, bk.pl and exs.pl",
            ],
        ),
        (["evaluate"], ["PROGRAM", "TASK_FOLDER", "--test", "--json", "--steps", "--prolog", "examples:"]),
        (["check"], ["TASK_FOLDER", "--prolog", "examples:"]),
        (
            ["learn"],
            ["TASK_FOLDER", "3 cut with none", "--timeout", "--steps", "--solver COMMAND", "{file}", "examples:"],
        ),
        (["verify"], ["RESULT", "--task FOLDER", "--prolog", "--steps", "examples:"]),
        (["explain"], ["RESULT", "TASK_FOLDER", "--example", "--suspects", "--weigh", "--csv", "--test", "examples:"]),
        (["demo"], ["NAME", "--save", "--seed", "--noise", "--timeout", "examples:"]),
        (["bench"], ["WHAT", "--quick", "--data", "--recorded", "--system", "--retry", "examples:"]),
    ],
)
def test_help(command: list[str], mentioned: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    out, err = capsys.readouterr()
    assert (stopped.value.code, err) == (0, "")
    assert [word for word in mentioned if word not in out] == []
    # It fits a screen, and ends with two examples.
    lines = out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 95
    assert lines[-3] == "examples:"
    assert all(line.startswith("  maxsynth ") for line in lines[-2:])


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert (stopped.value.code, capsys.readouterr().out) == (0, f"maxsynth {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "light"),
    [
        (["--help"], ("numpy", "clingo", "rich", "maxsynth.kernel", "maxsynth.prolog", "maxsynth.demos", "asyncio")),
        (["bench", "--help"], ("numpy", "clingo", "rich", "maxsynth.kernel", "maxsynth.bench", "matplotlib")),
        (["learn", "--help"], ("numpy", "clingo", "rich", "maxsynth.kernel", "maxsynth.prolog", "maxsynth.search")),
        (["demo"], ("numpy", "clingo", "rich", "maxsynth.kernel", "maxsynth.prolog", "maxsynth.search")),
        # Standard error is no terminal here.
        (
            ["demo", "kinship"],
            ("rich", "maxsynth.prolog.swipl.swipl", "maxsynth.verification.verify", "maxsynth.checks", "asyncio"),
        ),
    ],
)
def test_a_command_loads_only_what_it_needs(arguments: list[str], light: tuple[str, ...]) -> None:
    script = (
        "import sys\nfrom maxsynth.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', sorted(name for name in sys.modules if name.startswith({light!r})))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


# -- evaluate -----------------------------------------------------------------------------------------------


def test_the_example_of_the_readme(capsys: Capture) -> None:
    out, err = evaluate(capsys, EXAMPLE / "program.pl", EXAMPLE)
    assert err == ""
    assert out == (
        "grandparent(A,B) :- parent(A,C), parent(C,B).\n"
        "\n"
        "              covered  not covered\n"
        "positive           22            2\n"
        "negative            3           23\n"
        "\n"
        "accuracy           0.9000\n"
        "balanced accuracy  0.9006\n"
        "precision          0.8800\n"
        "recall             0.9167\n"
        "size               3\n"
        "cost               8\n"
    )


def test_json(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS)
    program = write_program("f(A) :- p(A).")
    expected = {
        "task": str(task),
        "test": False,
        "prolog": "auto",
        "program": ["f(A) :- p(A)."],
        "size": 2,
        "tp": 2,
        "fn": 1,
        "tn": 1,
        "fp": 1,
        "cost": 4,
        "weights": [1, 1, 1],
        "accuracy": 3 / 5,
        "balanced_accuracy": (2 / 3 + 1 / 2) / 2,
        "precision": 2 / 3,
        "recall": 2 / 3,
        "unfinished": 0,
    }
    found = as_json(capsys, program, task)
    assert found.pop("steps") >= 0
    assert found == expected
    file = task.parent / "result.json"
    file.write_text("something longer that was there before" * 100)
    out, err = evaluate(capsys, program, task, "--json", str(file))
    assert out.startswith("f(A) :- p(A).\n")
    assert err == ""
    found = json.loads(file.read_text())
    assert found.pop("steps") >= 0
    assert found == expected
    assert not list(task.parent.glob("*.part"))


def test_json_through_a_link_and_to_a_device(
    make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture
) -> None:
    task, program = make_task(BIAS, BK, EXS), write_program("f(A) :- p(A).")
    (task.parent / "real.json").write_text("{}")
    link = task.parent / "link.json"
    link.symlink_to("real.json")
    evaluate(capsys, program, task, "--json", str(link))
    assert link.is_symlink()
    assert json.loads((task.parent / "real.json").read_text())["cost"] == 4
    evaluate(capsys, program, task, "--json", os.devnull)
    assert not Path(os.devnull).is_file()


def test_measures_without_a_denominator(
    make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture
) -> None:
    task, program = make_task(BIAS, BK, "pos(f(x)).\npos(f(y)).\n"), write_program("f(A) :- p(A).")
    found = as_json(capsys, program, task)
    assert (found["precision"], found["recall"], found["balanced_accuracy"]) == (None, 0.0, 0.0)
    assert "precision          -\n" in evaluate(capsys, program, task)[0]


@pytest.mark.parametrize("text", ["", "% nothing\n", "\n\n"])
def test_the_empty_program(
    text: str, make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture
) -> None:
    """It covers nothing, so it costs what the positive examples weigh."""
    task = make_task(BIAS, BK, "pos(f(a)).\npos(f(b),5).\nneg(f(c),100).\n")
    out, _ = evaluate(capsys, write_program(text), task)
    assert out.startswith("(the empty program)\n")
    assert out.endswith("size               0\ncost               6\n")


def test_weights(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    """The matrix counts examples; the cost counts each as often as its weight says."""
    exs = "pos(f(a),7).\npos(f(d),20).\nneg(f(b),300).\npos(f(e)).\nneg(f(c)).\nneg(f(x),4000).\n"
    found = as_json(capsys, write_program("f(A) :- p(A)."), make_task(BIAS, BK, exs))
    assert [found[key] for key in ("tp", "fn", "fp", "tn")] == [1, 2, 2, 1]
    assert found["cost"] == 2 + 20 + 1 + 300 + 1


def test_the_test_folder(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS, test=("p(z).\nq(z).\n", "pos(f(z)).\nneg(f(a)).\n"))
    program = write_program("f(A) :- p(A).")
    found = as_json(capsys, program, task, "--test")
    assert (found["test"], found["tp"], found["tn"], found["cost"]) == (True, 1, 1, 2)
    (task / "test" / "bk.pl").unlink()  # then BK is that of the task
    found = as_json(capsys, program, task, "--test")
    assert (found["fn"], found["fp"]) == (1, 1)


def test_a_program_on_standard_input(make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(BIAS, BK, EXS)

    def give(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    give(b"f(A) :- p(A), q(A).")
    assert as_json(capsys, Path("-"), task)["program"] == ["f(A) :- p(A), q(A)."]
    for text, message in [
        (b"f(A) :- p(A)", "<stdin>:1:13: "),
        (b"\x00", "<stdin>:1: this is binary data"),
        (b"g(a).", "<stdin>: the program defines g/1"),
    ]:
        give(text)
        assert main(["evaluate", "-", str(task)]) == 2
        assert capsys.readouterr().err.startswith(f"maxsynth: {message}")
    monkeypatch.setattr(sys, "stdin", None)  # closed: `maxsynth evaluate - task <&-`
    assert main(["evaluate", "-", str(task)]) == 2
    assert capsys.readouterr().err == "maxsynth: <stdin>: standard input is closed (give the program as a file)\n"


def test_the_result_of_a_run(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    """It names its task, and its cost is counted with its weights."""
    task = make_task(BIAS, BK, EXS, test=("p(z).\nq(z).\n", "pos(f(z)).\nneg(f(a)).\n"))
    result = tmp_path / "result.json"
    assert main(["learn", str(task), "--quiet", "--json", str(result), "--weights", "1,2,3"]) == 0
    learned = json.loads(result.read_text())
    assert learned["program"]
    capsys.readouterr()
    for given in ([], [str(task)]):
        assert main(["evaluate", str(result), *given, "--json", "-"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {name: learned[name] for name in ("tp", "fn", "tn", "fp", "size", "cost", "program")}.items() <= (
            found.items()
        )
        assert (found["task"], found["weights"]) == (str(task), [1, 2, 3])
    assert main(["evaluate", str(result)]) == 0
    assert capsys.readouterr().out.endswith(f"cost               {learned['cost']} (weights 1,2,3)\n")
    assert main(["evaluate", str(result), "--test", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tp"], found["tn"]) == (1, 1)


def test_what_cannot_be_evaluated(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS)
    program, result = write_program("f(A) :- p(A)."), task.parent / "result.json"
    assert main(["learn", str(task), "--exact", "--quiet", "--json", str(result)]) == 1
    broken = write_program("{}").rename(task.parent / "broken.json")
    write_program("f(A) :- p(A).")
    capsys.readouterr()
    for file, complaint in (
        (program, "a file of rules does not say what it is for (name the task folder too)"),
        (result, "there is no program in this result (there is nothing to test)"),
        (broken, "this is no result of a run: there is no `settings` (give a file that `maxsynth learn --json` wrote)"),
    ):
        assert main(["evaluate", str(file)]) == 2
        assert capsys.readouterr() == ("", f"maxsynth: {file}: {complaint}\n")


def test_warnings_go_to_standard_error_only(
    make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture
) -> None:
    task = make_task(BIAS + "type(p,(t,)).\n", "p(a).\n", EXS)
    program = write_program("f(A) :- p(A), r(A,B).")
    out, err = evaluate(capsys, program, task, "--json", "-")
    assert json.loads(out)["tp"] == 0
    assert err.splitlines() == [
        f"maxsynth: warning: {task / 'bias.pl'}:1: no type for f/1, q/1: their arguments fit every type",
        f"maxsynth: warning: {task / 'bk.pl'}: BK does not define q/1, so it is never true "
        "(check body_pred in bias.pl)",
        f"maxsynth: warning: {program}: neither the program nor BK defines r/2, so it is never true",
    ]


def test_recursion_through_cycles(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    found = as_json(capsys, write_program(PATH_RULES), make_task(*PATHS))
    assert [found[key] for key in ("tp", "fn", "tn", "fp", "size", "cost", "unfinished")] == [3, 0, 2, 0, 5, 5, 0]


def test_invented_predicates(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    """Two steps at a time, with a predicate that only the program knows; mutual recursion on top."""
    program = write_program(
        "path(A,B) :- two(A,B).\npath(A,B) :- two(A,C), odd(C,B).\n"
        "odd(A,B) :- edge(A,B).\nodd(A,B) :- edge(A,C), path(C,B).\n"
        "two(A,B) :- edge(A,C), edge(C,B).\n"
    )
    out, err = evaluate(capsys, program, make_task(*PATHS))
    assert err == ""
    assert out.startswith(program.read_text() + "\n")
    assert "positive            3            0\nnegative            0            2\n" in out


def test_steps_that_do_not_suffice(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    edges = "".join(f"edge({i},{i + 1}).\n" for i in range(500))
    task = make_task(PATHS[0], edges, "pos(path(0,500)).\npos(path(0,1)).\n")
    program = write_program(PATH_RULES)
    out, err = evaluate(capsys, program, task, "--steps", "20")
    assert err == "maxsynth: warning: 1 example ran out of 20 steps, taken as not covered (see --steps)\n"
    assert "positive            1            1\n" in out
    assert as_json(capsys, program, task, "--steps", "20")["unfinished"] == 1
    found = as_json(capsys, program, task)
    assert (found["unfinished"], found["tp"]) == (0, 2)
    assert found["steps"] > 500


def test_bodies_are_shown_in_an_order_that_prolog_can_run(
    make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture
) -> None:
    bias = (
        "head_pred(f,2).\nbody_pred(tail,2).\nbody_pred(head,2).\n"
        "direction(f,(in,out)).\ndirection(tail,(in,out)).\ndirection(head,(in,out)).\n"
    )
    task = make_task(bias, "tail([_|T],T).\nhead([H|_],H).\n", "pos(f([a,b,c],c)).\nneg(f([a,b,c],b)).\n")
    found = as_json(capsys, write_program("f(A,B) :- head(D,B), tail(C,D), tail(A,C)."), task)
    assert found["program"] == ["f(A,B) :- tail(A,C), tail(C,D), head(D,B)."]
    assert (found["tp"], found["tn"]) == (1, 1)


def test_constants_of_all_kinds(make_task: MakeTask, write_program: Callable[[str], Path], capsys: Capture) -> None:
    constants = [
        "1",
        "1.0",
        "'A b'",
        '"1"',
        "[]",
        "[1,2|x]",
        "f(g,'H')",
        "-1",
        "- 1",
        "10000000000000000000000",
        "{a}",
        "'é'",
    ]
    facts = "".join(f"p({constant},k{i}).\n" for i, constant in enumerate(constants))
    task = make_task(
        "head_pred(f,1).\nbody_pred(p,2).\n", facts, "".join(f"pos(f(k{i})).\n" for i in range(len(constants)))
    )
    for constant in constants:
        found = as_json(capsys, write_program(f"f(A) :- p({constant},A)."), task)
        assert found["tp"] == 1, constant


# -- check --------------------------------------------------------------------------------------------------


def test_check(capsys: Capture) -> None:
    assert main(["check", str(EXAMPLE)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "examples    24 positive, 26 negative, of grandparent/2\n"
        "background  32 facts, 2 rules\n"
        "bias        3 predicates, at most 3 variables and 3 body literals\n"
        "space       at most 987 rules\n"
        "effort      fewer than 100 tests to generate the rules: less than a second\n"
        "nothing wrong was found\n"
    )


def test_check_reports_doubts(make_task: MakeTask, capsys: Capture) -> None:
    exs = "pos(f(a)).\nneg(f(b)).\npos(f(a)).\nneg(f(a)).\n"
    task = make_task(BIAS + "enable_recursion.\nenable_pi.\n", "p(a).\n", exs)
    assert main(["check", str(task)]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "bias        2 predicates, at most 6 variables and 6 body literals, "
        "recursion and predicate invention with at most 2 rules",
        "space       at most 2,509 rules without recursion",
        f"warning: {task / 'bk.pl'}: BK does not define q/1, so it is never true (check body_pred in bias.pl)",
        f"warning: {task / 'exs.pl'}:3: the positive example `f(a)` is listed 2 times",
        f"warning: {task / 'exs.pl'}:4: `f(a)` is a negative and (line 1) a positive example",
        "warning: with two positive examples no program costs less than the empty one, since a rule has two literals "
        "at least (give more, or use --exact, or --weights)",
        "4 warnings",
    ]


# -- how a run ends -----------------------------------------------------------------------------------------


def test_exact_tells_that_there_is_none_from_that_there_was_no_time(
    make_task: MakeTask, tmp_path: Path, capsys: Capture
) -> None:
    task, file = make_task(BIAS, BK, EXS), tmp_path / "result.json"
    none = "no program without errors exists in this space"
    cut = "no program without errors was found: there may be one"
    for options, status, ended, text in (
        ([], 1, "optimal", none),
        (["--timeout", "0"], 3, "timeout", cut),
        (["--steps", "1"], 3, "out-of-steps", cut),
    ):
        assert main(["learn", str(task), "--exact", "--json", str(file), *options]) == status
        out, err = capsys.readouterr()
        assert out == f"% {text}\n"
        assert f"{ended}: {text}\n" in err
        assert json.loads(file.read_text())["status"] == ended
        assert main(["verify", str(file)]) == 0
        capsys.readouterr()
        assert main(["learn", str(task), "--exact", "--quiet", *options]) == status
        assert capsys.readouterr() == (f"% {text}\n", "")


def test_a_result_says_all_that_the_answer_depends_on(make_task: MakeTask, tmp_path: Path) -> None:
    """The same from Python, whether it is saved or not; with the options as they were given, and in one place."""
    bias = BIAS + "direction(f,(in,)).\ndirection(p,(in,)).\ndirection(q,(in,)).\n"
    task, file = make_task(bias, BK, EXS), tmp_path / "result.json"
    usual = {
        "weights": [1, 1, 1], "exact": False, "timeout": None, "steps": None, "memory": None, "singletons": True,
        "directions": True, "solver": None, "constraints": True, "method": "auto", "prolog": "auto",
        "max_vars": None, "max_body": None, "max_clauses": None,
    }  # fmt: skip

    def settings(*options: str) -> object:
        assert main(["learn", str(task), "--quiet", "--json", str(file), *options]) in (0, 1, 3)
        return json.loads(file.read_text())["settings"]

    assert settings() == usual
    chosen = settings("--weights", "auto", "--timeout", "60", "--steps", "99999")
    assert isinstance(chosen, dict)
    assert {*chosen} - {*usual} == {"weights_auto"}
    assert chosen["weights"] == max(chosen["weights_auto"]["tried"], key=lambda s: s["balanced_accuracy"])["weights"]
    assert (chosen["timeout"], chosen["steps"]) == (60.0, 99999)
    given = {
        "weights": [1, 2, 3], "timeout": 30.0, "memory": 1 << 36, "singletons": False, "directions": False,
        "prolog": "builtin", "max_vars": 4, "max_body": 3, "max_clauses": 1,
    }  # fmt: skip
    options = (
        "--weights 1,2,3 --timeout 30 --memory 64G --forbid-singletons --ignore-directions --prolog builtin "
        "--max-vars 4 --max-body 3 --max-clauses 1"
    )
    more = "--solver clingo --no-constraints --method features"
    assert settings(*options.split(), *more.split()) == {
        **usual, **given, "solver": "clingo", "constraints": False, "method": "features",
    }  # fmt: skip
    result = maxsynth.learn(
        maxsynth.Task.from_folder(task, prolog="builtin"), weights=(1, 2, 3), timeout=30.0, memory=1 << 36,
        forbid_singletons=True, ignore_directions=True, max_vars=4, max_body=3, max_clauses=1,
    )  # fmt: skip
    assert result._run.settings == {**usual, **given}
    result.save(file)
    assert json.loads(file.read_text())["settings"] == {**usual, **given}


def test_a_program_without_errors_that_is_not_proven_to_be_the_smallest() -> None:
    """In exact mode there is no lower bound to speak of."""
    program = parse_program("f(A) :- p(A), q(A).")
    result = SearchResult("timeout", program, 3, 0, Confusion(3, 0, 3, 0), {"exact": True}, seconds={"total": 1.0})
    assert summary(result) == (
        "timeout: cost 3 = size 3 and 0 false positives, 0 false negatives, in 1.00 s; there may be a smaller one"
    )


# -- as a process -------------------------------------------------------------------------------------------


def test_the_same_output_whatever_the_hash_seed(make_task: MakeTask, write_program: Callable[[str], Path]) -> None:
    bk = PATHS[1] + "".join(f"edge(n{i},n{(i * 7 + 3) % 50}).\n" for i in range(50)) + "near(X,Y) :- edge(X,Y).\n"
    exs = "".join(f"{'pos' if i % 3 else 'neg'}(path(n{i},n{(i * i) % 50})).\n" for i in range(50))
    task = make_task(PATHS[0] + "body_pred(near,2).\n", bk, exs)
    program = write_program(PATH_RULES + "path(A,B) :- near(A,C), path(C,B), edge(B,_).\n")
    runs = [run("evaluate", program, task, "--json", "-", PYTHONHASHSEED=seed) for seed in ("0", "1", "4711")]
    assert all(done.returncode == 0 for done in runs)
    assert len({done.stdout for done in runs}) == 1
    assert json.loads(runs[0].stdout)["program"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_reader_that_goes_away() -> None:
    """`maxsynth ... | head -1`, and a pipe that nobody reads at all."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = f"{sys.executable} -m maxsynth evaluate {EXAMPLE / 'program.pl'} {EXAMPLE}"
    for after in ("head -1", "true", "sleep 0"):
        done = subprocess.run(
            ["sh", "-c", f"{command} | {after}"], env=variables, capture_output=True, text=True, timeout=60
        )
        assert done.stderr == ""
        assert done.stdout in ("", "grandparent(A,B) :- parent(A,C), parent(C,B).\n")


def test_text_that_the_terminal_cannot_show(make_task: MakeTask, write_program: Callable[[str], Path]) -> None:
    task, program = make_task(BIAS, "p('é').\nq(a).\n", "pos(f('é')).\n"), write_program("f(A) :- p(A), q('é').")
    done = run("evaluate", program, task, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("f(A) :- p(A), q('\\xe9').\n") or done.stdout.startswith("f(A) :- p(A), q(\\xe9).\n")
    done = run("evaluate", program, task, "--json", "-", PYTHONIOENCODING="ascii")
    assert "é" in json.loads(done.stdout)["program"][0]


def test_no_constraints_changes_the_effort_and_not_the_answer(tmp_path: Path, capsys: Capture) -> None:
    results = []
    for options in ([], ["--no-constraints"], ["--memory", "500G"]):
        assert main(["learn", str(EXAMPLE), "--quiet", "--json", "-", *options]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert len({result["cost"] for result in results}) == 1
    assert [result["settings"]["constraints"] for result in results] == [True, False, True]
    assert results[1]["counts"]["features"] > results[0]["counts"]["features"]
    assert results[2]["counts"] == results[0]["counts"]


@pytest.mark.parametrize("size", ["", "2", "G", "0G", "1.5G", "-1M", "2GB"])
def test_sizes_of_memory_that_are_none(size: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["learn", str(EXAMPLE), f"--memory={size}"])
    assert stopped.value.code == 2
    assert "such as 500M or 2G" in capsys.readouterr().err


def test_facts_are_used_in_every_direction_when_asked(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    """The `in` argument of q is bound by nothing, so only without directions is this rule in the space."""
    bias = "head_pred(f,1).\nbody_pred(p,2).\nbody_pred(q,2).\nmax_vars(3).\nmax_body(2).\n"
    bias += "direction(f,(in,)).\ndirection(p,(in,out)).\ndirection(q,(in,out)).\n"
    facts = "".join(f"p(a{i},b{i}).\np(n{i},c{i}).\nq(d{i},b{i}).\n" for i in range(9))
    examples = "".join(f"pos(f(a{i})).\nneg(f(n{i})).\n" for i in range(9))
    task, result = make_task(bias, facts, examples), tmp_path / "result.json"
    assert main(["learn", str(task), "--quiet", "--json", str(result)]) == 0
    assert json.loads(result.read_text())["cost"] == 9
    assert main(["learn", str(task), "--quiet", "--json", str(result), "--ignore-directions"]) == 0
    assert json.loads(result.read_text())["cost"] == 3
    capsys.readouterr()
    assert main(["verify", str(result)]) == 0
    # With the directions that the bias has, the same program is outside the space.
    changed = json.loads(result.read_text())
    changed["settings"]["directions"] = True
    result.write_text(json.dumps(changed))
    assert main(["verify", str(result)]) == 1
    by_rules = make_task(bias, facts.replace("q(", "q0(") + "q(A,B) :- q0(A,B).\n", examples)
    assert main(["learn", str(by_rules), "--ignore-directions"]) == 2
    assert "rules define q/2, and may work in its direction only" in capsys.readouterr().err
