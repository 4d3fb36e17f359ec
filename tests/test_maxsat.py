"""External MaxSAT solvers: real ones give the optimum, and whatever a bad one does, no wrong optimum comes of it."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import clingo
import numpy as np
import pytest
from numpy.typing import NDArray

from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.core_guided import Clingo
from maxsynth.search.choose.maxsat import Answer, SolverCommand, Wcnf, at_most, read_model
from maxsynth.search.choose.problem import Combination, Problem, make_problem
from maxsynth.search.coverage import Pool
from maxsynth.search.coverage import Pool as RuleBatch
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, TIMEOUT
from maxsynth.search.settings import Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum
from oracle.random_tasks import random_task

Capture = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"
PYTHON = shlex.quote(sys.executable)

# clingo is a MaxSAT solver too, when told so; it knows the old format only, and writes a model for each better cost.
CLASP = SolverCommand(f"{PYTHON} -m clingo --mode=clasp {{file}}", "old")
RC2 = [
    SolverCommand(f"{PYTHON} -m pysat.examples.rc2 -vv", "old"),
    SolverCommand(f"{PYTHON} -m pysat.examples.rc2 -vv", "new"),
    SolverCommand(f"{PYTHON} -m pysat.examples.rc2 -vv --vnew {{file}}", "new"),
]
needs_rc2 = pytest.mark.skipif(
    importlib.util.find_spec("pysat") is None, reason="the solver RC2 is not installed (pip install python-sat)"
)
SOLVERS = [pytest.param(CLASP, id="clasp")]
SOLVERS += [pytest.param(rc2, id=f"rc2-{i}", marks=needs_rc2) for i, rc2 in enumerate(RC2)]


def never() -> bool:
    return False


def random_problem(rng: random.Random) -> Problem:
    rules, examples = rng.randint(1, 7), rng.randint(1, 12)
    matrix = np.array([[rng.random() < 0.4 for _ in range(examples)] for _ in range(rules)])
    matrix[np.arange(rules), rng.choices(range(examples), k=rules)] = True
    weights = [(rng.choice((0, 1, 3, 8)), rng.choice((0, 0, 1, 5))) for _ in range(examples)]
    pos, neg = (np.array(side, dtype=np.int64) for side in zip(*weights, strict=True))
    sizes = np.array([rng.randint(2, 6) for _ in range(rules)], dtype=np.int64)
    weighed = WeighedExamples(np.arange(examples, dtype=np.int32).reshape(-1, 1), pos, neg)
    return problem_of(matrix, sizes, weighed)


def problem_of(matrix: NDArray[np.bool_], sizes: NDArray[np.int64], examples: WeighedExamples) -> Problem:
    none = np.zeros(len(sizes), np.int64)
    return make_problem(Pool(np.arange(len(sizes)), pack(matrix), sizes, none, none), examples)


def pack(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    bits = np.zeros((len(matrix), 8 * -(-matrix.shape[1] // 64)), dtype=np.uint8)
    packed = np.packbits(matrix, axis=1, bitorder="little")
    bits[:, : packed.shape[1]] = packed
    return bits.view(np.uint64)


def least_cost(problem: Problem) -> int:
    rules = range(len(problem.sizes))
    subsets = itertools.chain.from_iterable(itertools.combinations(rules, count) for count in range(len(rules) + 1))
    return min(problem.combination(list(subset)).cost for subset in subsets)


def solve(problem: Problem, command: SolverCommand, bound: int = 10**6) -> tuple[Combination | None, bool]:
    return command(problem).solve(bound, never)


@pytest.mark.parametrize("command", SOLVERS)
def test_the_least_cost(command: SolverCommand, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(6, 1000)):
        problem = random_problem(random.Random(seed))
        expected = least_cost(problem)
        found, proven = solve(problem, command)
        assert proven
        assert found is not None
        assert found.cost == expected, f"seed {seed}"
        assert solve(problem, command, bound=expected) == (None, True)


def test_learning_with_a_solver(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(5_000_000, 5_000_000 + effort(12, 1000)):
        task = random_task(random.Random(seed))
        if task.exact:
            continue
        task.write(tmp_path)
        result = Search(ReadTask.from_folder(tmp_path), Settings(Weights(*task.weights), solver=CLASP)).run()
        assert (result.status, result.cost) == (OPTIMAL, optimum(task)[0]), f"seed {seed}\n{task.describe()}"


def test_clingo_agrees_with_the_branch_and_bound(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(20, 2000)):
        problem = random_problem(random.Random(seed))
        found, proven = Clingo()(problem).solve(10**6, never)
        rules, finished, lower = problem.cover().solve(10**6)
        assert proven
        assert finished
        assert found is not None
        assert rules is not None
        assert found.cost == problem.combination(rules).cost == lower + problem.base == least_cost(problem)


def test_the_command(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    options = ["--solver", CLASP.text, "--solver-format", "old", "--json", str(file)]
    assert main(["learn", str(EXAMPLE), *options]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("grandparent(A,B) :- ")
    assert "optimal: cost 8 " in err
    recorded = json.loads(file.read_text())
    assert recorded["settings"]["solver"] == CLASP.text
    assert recorded["counts"]["solver_calls"] == 1
    assert main(["verify", str(file)]) == 0


# -- the two formats ----------------------------------------------------------------------------------------


def test_what_is_written() -> None:
    """Rule 1 covers both positives and a negative, rule 2 the first positive only."""
    weighed = WeighedExamples(np.zeros((3, 1), np.int32), np.array([3, 4, 0]), np.array([0, 0, 5]))
    matrix = np.array([[True, True, True], [True, False, False]])
    problem = problem_of(matrix, np.array([2, 3]), weighed)
    wcnf = Wcnf.of(problem)
    # The second positive and the negative are covered by the same rule: together a negative of weight 1.
    assert wcnf.text("new").splitlines() == ["2 -1 0", "3 -2 0", "h 3 -1 0", "1 -3 0", "h 4 1 2 0", "3 -4 0"]
    assert wcnf.text("old").splitlines() == ["p wcnf 4 6 10", "2 -1 0", "3 -2 0", "10 3 -1 0", "1 -3 0",
                                             "10 4 1 2 0", "3 -4 0"]  # fmt: skip


def test_at_most_so_much_together() -> None:
    """The clauses can be met, by a choice of the new variables, just when the amounts are within the limit."""
    rng = random.Random(1)
    for _ in range(60):
        amounts = [rng.randint(1, 4) for _ in range(rng.randint(1, 5))]
        limit = rng.randint(0, 8)
        last, clauses = at_most(amounts, limit, len(amounts))
        control = clingo.Control()
        with control.backend() as backend:
            atoms = [backend.add_atom() for _ in range(last)]
            backend.add_rule(atoms, choice=True)
            for clause in clauses:
                backend.add_rule([], [-atoms[abs(v) - 1] if v > 0 else atoms[abs(v) - 1] for v in clause])
        for chosen in itertools.product([False, True], repeat=len(amounts)):
            assumed = [atom if on else -atom for atom, on in zip(atoms, chosen, strict=False)]
            total = sum(amount for amount, on in zip(amounts, chosen, strict=True) if on)
            assert control.solve(assumptions=assumed).satisfiable == (total <= limit)


def test_weights_beyond_what_solvers_take() -> None:
    weighed = WeighedExamples(np.zeros((1, 1), np.int32), np.array([1]), np.array([0]))
    problem = problem_of(np.array([[True]]), np.array([2]), weighed)
    problem.weights[:] = problem.sizes[:] = 1 << 62
    with pytest.raises(MaxSynthError, match="weights are too large"):
        Wcnf.of(problem)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("1 -2 3 0", {1: True, 2: False, 3: True}),
        ("1 -2 3", {1: True, 2: False, 3: True}),
        ("101", {1: True, 2: False, 3: True}),
        ("-1 -2 -3", {1: False, 2: False, 3: False}),
        ("000", {1: False, 2: False, 3: False}),
        ("1 2 99 0", {1: True, 2: True}),
        ("x y", {}),
        ("", {}),
    ],
)
def test_models(text: str, model: dict[int, bool]) -> None:
    assert read_model(text, 3) == model


def test_models_of_one_variable() -> None:
    assert read_model("1", 1) == read_model("1 0", 1) == {1: True}
    assert read_model("0", 1) == read_model("-1 0", 1) == {1: False}


def test_answers() -> None:
    """The last of everything counts; a model may take several lines."""
    text = b"c hello\no 12\nv -1 2 -3 0\no 7\nv 1 2\nv -3 0\ns OPTIMUM   FOUND\r\nwhatever\n\xff\n"
    assert Answer.read(text, 3) == Answer("OPTIMUM FOUND", 7, {1: True, 2: True, 3: False})
    assert Answer.read(b"", 3) == Answer("", None, {})
    assert Answer.read(b"o x\ns\n", 3) == Answer("", None, {})


# -- solvers that misbehave ---------------------------------------------------------------------------------

# Two rules: the first has size 2 and covers positives of weight 9, the second size 3 and nothing that the first does
# not. So the optimum chooses the first, and costs 2.
FULL = "v 1 -2 -3 -4"


@pytest.fixture
def problem() -> Problem:
    weighed = WeighedExamples(np.zeros((2, 1), np.int32), np.array([5, 4]), np.array([0, 0]))
    matrix = np.array([[True, True], [True, False]])
    return problem_of(matrix, np.array([2, 3]), weighed)


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], SolverCommand]:
    """A solver that is a Python script."""

    def make(script: str) -> SolverCommand:
        file = tmp_path / "solver.py"
        file.write_text(script)
        return SolverCommand(f"{PYTHON} -S {shlex.quote(str(file))}")

    return make


def says(*lines: str, status: int = 0) -> str:
    return f"print({chr(10).join(lines)!r})\nraise SystemExit({status})"


@pytest.mark.parametrize("model", [FULL, f"{FULL} 0", "v 1000", "v 1 -2\nv -3 -4 0", "v -1 2 -3 4 0\no 9\nv 1000"])
def test_an_honest_fake(fake: Callable[[str], SolverCommand], problem: Problem, model: str) -> None:
    found = solve(problem, fake(says("o 7", "o 2", "s OPTIMUM FOUND", *model.split("\n")).replace("o 9", "o 2")))
    assert found == (Combination(2, [0]), True)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("", "gave no answer: it ended with status 0"),
        ("raise SystemExit(3)", "gave no answer: it ended with status 3"),
        ("1/0", "gave no answer: it ended with status 1, saying `ZeroDivisionError: division by zero`"),
        ("import os; os.kill(os.getpid(), 11)", "gave no answer: it was ended by SIGSEGV"),
        (says("o 2", FULL), "gave no answer: it ended with status 0"),
        (says("s UNSATISFIABLE", status=20), "says that the problem has no solution, and it always has one"),
        (says("s OPTIMUM", "o 2", FULL), "answers `s OPTIMUM`, which means nothing to MaxSynth"),
        (says("o 2", "s OPTIMUM FOUND"), "claims an optimum but does not give its whole model (`v` lines)"),
        (says("o 2", "s OPTIMUM FOUND", "v 1"), "claims an optimum but does not give its whole model (`v` lines)"),
        (says("s OPTIMUM FOUND", FULL), "claims an optimum but does not say its cost (`o` line)"),
        (says("o 1", "s OPTIMUM FOUND", FULL), "says that its optimum costs 1, but its model costs 2"),
        (says("o 2", "s OPTIMUM FOUND", "v -1 -2 3 4"), "says that its optimum costs 2, but its model costs 9"),
        (says("o 2", "s OPTIMUM FOUND", "v 0011"), "says that its optimum costs 2, but its model costs 9"),
    ],
)
def test_failures(fake: Callable[[str], SolverCommand], problem: Problem, script: str, message: str) -> None:
    with pytest.raises(MaxSynthError) as error:
        solve(problem, fake(script))
    assert error.value.message.split("` ", 1)[1] == message


def test_an_optimum_worse_than_no_rule_at_all(fake: Callable[[str], SolverCommand], problem: Problem) -> None:
    problem.sizes[:] = [20, 30]
    with pytest.raises(MaxSynthError, match="claims an optimum of 20, but choosing no rule at all costs less"):
        solve(problem, fake(says("o 20", "s OPTIMUM FOUND", FULL)))


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (says("o 2", "s SATISFIABLE", FULL, status=10), Combination(2, [0])),
        (says("o 1", "s SATISFIABLE", FULL), Combination(2, [0])),  # the cost is ours
        (says("s UNKNOWN"), None),
        (says("s SATISFIABLE"), None),
    ],
)
def test_no_proof(
    fake: Callable[[str], SolverCommand], problem: Problem, script: str, found: Combination | None
) -> None:
    assert solve(problem, fake(script)) == (found, False)


def test_an_answer_without_proof_is_not_optimal(
    fake: Callable[[str], SolverCommand], capsys: Capture, tmp_path: Path
) -> None:
    """The dive's program stays, and the status is that of a run that was cut."""
    command = fake(says("s UNKNOWN"))
    result = Search(ReadTask.from_folder(EXAMPLE), Settings(solver=command)).run()
    assert (result.status, result.cost) == (TIMEOUT, 8)
    assert result.lower_bound < 8


def test_an_answer_in_the_wrong_format_is_one_line(capsys: Capture) -> None:
    """clingo takes the new format for a logic program."""
    assert main(["learn", str(EXAMPLE), "--quiet", "--solver", CLASP.text]) == 2
    out, err = capsys.readouterr()
    assert out  # the best so far
    best, problem = err.splitlines()
    assert "the best so far" in best
    assert problem.startswith("maxsynth: the MaxSAT solver `")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/nowhere/solver", "there is no MaxSAT solver `/nowhere/solver` to run (give its path with --solver)"),
        ("", "the name of the MaxSAT solver is empty (give a command with --solver)"),
        ("a 'b", "the solver `a 'b` cannot be read: no closing quotation (quote it as for a shell)"),
    ],
)
def test_commands_that_cannot_be_run(command: str, message: str, capsys: Capture) -> None:
    assert main(["learn", str(EXAMPLE), "--solver", command]) == 2
    assert capsys.readouterr().err == f"maxsynth: {message}\n"


def test_a_file_that_is_no_program(tmp_path: Path, problem: Problem) -> None:
    file = tmp_path / "solver"
    file.write_text("\x7fELF and nothing more")
    file.chmod(0o755)
    with pytest.raises(MaxSynthError, match="cannot be started: Exec format error"):
        solve(problem, SolverCommand(str(file)))


def test_output_without_end(
    fake: Callable[[str], SolverCommand], problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxsynth.search.choose.maxsat.MOST_OUTPUT", 1 << 16)
    with pytest.raises(MaxSynthError, match="writes without end"):
        solve(problem, fake("while True:\n    print('c so it goes')"))


# -- stopping -----------------------------------------------------------------------------------------------

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
SOON = 3  # seconds: well under one, on a machine that has nothing else to do
CHILD = "import os, subprocess, time\nchild = subprocess.Popen(['sleep', '600'])\n"
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


def ended(pid: int) -> bool:
    """Whether a process that was killed ends, which may take a moment. One that waits to be collected has ended."""
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def stopped_after(problem: Problem, command: SolverCommand, ready: Path) -> tuple[Combination | None, bool, float]:
    """Stops a solver once it has written its file; returns what it gave, and the seconds from then to the end."""
    start = 0.0

    def stop() -> bool:
        nonlocal start
        if not start and ready.exists() and ready.read_text().endswith("\n"):
            start = time.monotonic()
        return bool(start)

    found, proven = command(problem).solve(100, stop)
    return found, proven, time.monotonic() - start


@needs_proc
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_solver_is_ended_with_its_children(
    fake: Callable[[str], SolverCommand], problem: Problem, tmp_path: Path, stubborn: bool
) -> None:
    ready = tmp_path / "pids"
    script = CHILD + (STUBBORN if stubborn else "")
    script += f"open({str(ready)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}\\n')\ntime.sleep(600)"
    found, proven, seconds = stopped_after(problem, fake(script), ready)
    assert (found, proven) == (None, False)
    assert seconds < SOON
    assert all(ended(int(pid)) for pid in ready.read_text().split())


@needs_proc
def test_children_that_outlive_their_solver(
    fake: Callable[[str], SolverCommand], problem: Problem, tmp_path: Path
) -> None:
    ready = tmp_path / "pids"
    script = f"{CHILD}open({str(ready)!r}, 'w').write(str(child.pid))\n{says('o 2', 's OPTIMUM FOUND', FULL)}"
    assert solve(problem, fake(script)) == (Combination(2, [0]), True)
    assert ended(int(ready.read_text()))


def test_the_best_so_far_of_a_solver_that_is_stopped(
    fake: Callable[[str], SolverCommand], problem: Problem, tmp_path: Path
) -> None:
    """Solvers write their best model when they are asked to end."""
    ready = tmp_path / "ready"
    script = (
        "import signal, sys, time\n"
        f"def last(*_):\n    print({f'o 2{chr(10)}s SATISFIABLE{chr(10)}{FULL}'!r}, flush=True)\n    sys.exit(10)\n"
        f"signal.signal(signal.SIGTERM, last)\nopen({str(ready)!r}, 'w').write('ready\\n')\ntime.sleep(600)"
    )
    found, proven, seconds = stopped_after(problem, fake(script), ready)
    assert (found, proven) == (Combination(2, [0]), False)
    assert seconds < SOON


def test_a_timeout(fake: Callable[[str], SolverCommand]) -> None:
    settings = Settings(timeout=0.5, solver=fake("import time; time.sleep(600)"))
    start = time.monotonic()
    result = Search(ReadTask.from_folder(EXAMPLE), settings).run()
    assert (result.status, result.cost) == (TIMEOUT, 8)
    assert time.monotonic() - start < 0.5 + SOON


@needs_proc
def test_ctrl_c(fake: Callable[[str], SolverCommand], tmp_path: Path) -> None:
    ready = tmp_path / "pid"
    command = fake(f"import os, time\nopen({str(ready)!r}, 'w').write(f'{{os.getpid()}}\\n')\ntime.sleep(600)")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-m", "maxsynth", "learn", str(EXAMPLE), "--solver", command.text],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(600):
        if ready.exists() and ready.read_text().endswith("\n"):
            break
        time.sleep(0.05)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - start < SOON
    assert process.returncode == 130
    assert out.startswith("grandparent(A,B) :- ")
    assert err.splitlines()[-1].startswith("interrupted: cost 8, at least ")
    assert ended(int(ready.read_text()))


def test_the_combiner_asks_no_one_else(problem: Problem, fake: Callable[[str], SolverCommand]) -> None:
    weighed = WeighedExamples(np.zeros((2, 1), np.int32), np.array([5, 4]), np.array([0, 0]))
    combiner = Combiner(weighed, 1, fake(says("s UNSATISFIABLE")))
    sizes, none = np.array([2, 2]), np.array([0, 0])
    combiner.add(RuleBatch(np.array([0, 1]), pack(np.eye(2, dtype=np.bool_)), sizes, np.array([5, 4]), none))
    with pytest.raises(MaxSynthError, match="it always has one"):
        combiner.best(9, never)
    assert combiner.nodes == 0
