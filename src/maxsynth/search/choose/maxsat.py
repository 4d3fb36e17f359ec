"""Combine by an external MaxSAT solver: any command that reads WCNF and answers as the MaxSAT Evaluations ask.

The problem is written to a file in the encoding that `core_guided` describes, and the command is run on it. Two
formats are in use: since 2022 a hard clause begins with `h`; before, a header `p wcnf VARIABLES CLAUSES TOP` gave the
weight `TOP` that makes a clause hard. The answer is in lines: `s` the status, `o` the cost of the best model so far,
`v` the model, as literals or, since 2022, as a string of zeros and ones.

A solver is not trusted further than needed. The cost of its model is computed again; an answer that disagrees with
itself, or makes no sense, is an error. Only `s OPTIMUM FOUND` counts as a proof. A solver runs in a process group of
its own, which is ended as a whole: with its answer, when the run is to stop, or when anything goes wrong here.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from maxsynth.errors import MaxSynthError
from maxsynth.search.choose.problem import Combination, Problem, Stop
from maxsynth.search.weighing import MOST_WEIGHT

NEW, OLD = "new", "old"
MOST = (1 << 63) - 1  # what solvers take as the sum of all weights
MOST_OUTPUT = 1 << 28  # bytes
POLL, GRACE = 0.02, 0.4  # seconds: between looks at a running solver, and from the request to end to the order

Clause = tuple[int, list[int]]  # weight and literals


@dataclass(frozen=True)
class SolverCommand:
    """What the user gave: a command, with `{file}` where the WCNF file goes (else at its end), and a format."""

    text: str
    format: str = NEW
    most_weight: int = MOST_WEIGHT  # far below MOST; the sizes of all rules come on top

    def __post_init__(self) -> None:
        """Refuses what cannot be run, before any work is done."""
        name = self.words()[0]
        if shutil.which(name) is None:
            raise MaxSynthError(f"there is no MaxSAT solver `{name}` to run", remedy="give its path with --solver")

    def words(self) -> list[str]:
        try:
            words = shlex.split(self.text)
        except ValueError as error:
            raise MaxSynthError(
                f"the solver `{self.text}` cannot be read: {str(error).lower()}", remedy="quote it as for a shell"
            ) from None
        if not words:
            raise MaxSynthError("the name of the MaxSAT solver is empty", remedy="give a command with --solver")
        return words

    def on(self, file: Path) -> list[str]:
        words = self.words()
        if any("{file}" in word for word in words):
            return [word.replace("{file}", str(file)) for word in words]
        return [*words, str(file)]

    def __call__(self, problem: Problem) -> ExternalSolver:
        return ExternalSolver(problem, self)


class ExternalSolver:
    """One problem for an external solver, as `combine.Solver` says."""

    def __init__(self, problem: Problem, command: SolverCommand) -> None:
        self.problem = problem
        self.command = command

    def solve(self, bound: int, should_stop: Stop) -> tuple[Combination | None, bool]:
        """As `combine.Solver` says."""
        wcnf = Wcnf.of(self.problem)
        with tempfile.TemporaryDirectory(prefix="maxsynth-") as folder:
            file = Path(folder) / "combine.wcnf"
            file.write_text(wcnf.text(self.command.format))
            output, ended, stopped = run(self.command.on(file), Path(folder), should_stop)
        answer = Answer.read(output, wcnf.variables)
        if answer.status == "" and not stopped:
            raise self.failure(f"gave no answer: {ended}")
        if answer.status == "UNSATISFIABLE":
            raise self.failure("says that the problem has no solution, and it always has one")
        if answer.status not in ("", "OPTIMUM FOUND", "SATISFIABLE", "UNKNOWN"):
            raise self.failure(f"answers `s {answer.status}`, which means nothing to MaxSynth")
        proven = answer.status == "OPTIMUM FOUND"
        found = self.combination(answer, wcnf, proven)
        return (found if found is not None and found.cost < bound else None), proven

    def combination(self, answer: Answer, wcnf: Wcnf, proven: bool) -> Combination | None:
        """The rules in the model, after a check that they cost what the solver says."""
        rules = range(1, len(self.problem.sizes) + 1)
        if any(rule not in answer.model for rule in rules):
            if proven:
                raise self.failure("claims an optimum but does not give its whole model (`v` lines)")
            return None  # cut while it was writing
        found = self.problem.combination([rule - 1 for rule in rules if answer.model[rule]])
        if proven:
            cost = found.cost - self.problem.base
            if answer.cost is None:
                raise self.failure("claims an optimum but does not say its cost (`o` line)")
            if answer.cost != cost:
                raise self.failure(f"says that its optimum costs {answer.cost}, but its model costs {cost}")
            if cost > int(self.problem.missed.sum()):
                raise self.failure(f"claims an optimum of {cost}, but choosing no rule at all costs less")
        return found

    def failure(self, what: str) -> MaxSynthError:
        return MaxSynthError(
            f"the MaxSAT solver `{self.command.text}` {what}",
            remedy="check it by itself, see --solver-format, or leave --solver out",
        )


# -- the problem --------------------------------------------------------------------------------------------


@dataclass
class Wcnf:
    """Weighted clauses. The first variables are those of the rules; weight 0 stands for a hard clause."""

    variables: int
    clauses: list[Clause]

    @classmethod
    def of(cls, problem: Problem) -> Wcnf:
        """One-sided, as everywhere: a rule costs its size, a missed positive and a covered negative their weight."""
        clauses: list[Clause] = [(int(size), [-rule]) for rule, size in enumerate(problem.sizes, 1)]
        last = len(problem.sizes)
        for example in range(problem.covers.shape[1]):
            covering = (np.flatnonzero(problem.covers[:, example]) + 1).tolist()
            if problem.missed[example]:
                last += 1
                clauses.append((0, [last, *covering]))
                clauses.append((int(problem.missed[example]), [-last]))
            if problem.covered[example]:
                last += 1
                clauses += [(0, [last, -rule]) for rule in covering]
                clauses.append((int(problem.covered[example]), [-last]))
        for limit, amounts in problem.limited_sums():
            last, more = at_most(amounts, limit, last)
            clauses += [(0, clause) for clause in more]
        total = sum(weight for weight, _ in clauses)
        if total >= MOST:
            raise MaxSynthError("the weights are too large for a MaxSAT solver", remedy="divide them, see --weights")
        return cls(last, clauses)

    def text(self, format: str) -> str:
        return "".join(self.lines(format))

    def lines(self, format: str) -> Iterator[str]:
        hard = "h"
        if format == OLD:
            hard = str(1 + sum(weight for weight, _ in self.clauses))
            yield f"p wcnf {self.variables} {len(self.clauses)} {hard}\n"
        for weight, literals in self.clauses:
            yield f"{weight or hard} {' '.join(map(str, literals))} 0\n"


def at_most(amounts: list[int], limit: int, last: int) -> tuple[int, list[list[int]]]:
    """Clauses under which those of the variables 1, 2, ... that hold have amounts of at most `limit` together.

    The last variable in use is given, and comes back before the clauses.
    A new variable says, for each i and each sum up to the limit, that the first i have at least that much together.
    """
    clauses: list[list[int]] = []
    before: dict[int, int] = {}  # sum -> the variable that says that it is reached
    for variable, amount in enumerate(amounts, 1):
        if amount > limit:
            clauses.append([-variable])
            continue
        reached = {}
        for total in sorted({*before, amount, *(total + amount for total in before)}):
            if total > limit:
                continue
            last += 1
            reached[total] = last
        for total, said in before.items():
            clauses.append([-said, reached[total]])
            if total + amount > limit:
                clauses.append([-said, -variable])
            else:
                clauses.append([-said, -variable, reached[total + amount]])
        clauses.append([-variable, reached[amount]])
        before = reached
    return last, clauses


# -- the answer ---------------------------------------------------------------------------------------------


@dataclass
class Answer:
    """What a solver said: its last status and cost, and its last model, by variable."""

    status: str
    cost: int | None
    model: dict[int, bool]

    @classmethod
    def read(cls, output: bytes, variables: int) -> Answer:
        """Lines that are of no known kind are comments. A solver may give a model and a cost many times over."""
        answer = cls("", None, {})
        for line in output.decode("ascii", errors="replace").splitlines():
            kind, _, rest = line.strip().partition(" ")
            if kind == "s":
                answer.status = " ".join(rest.split())
            elif kind == "o":
                answer.cost = integer(rest)
            elif kind == "v":
                answer.model.update(read_model(rest, variables))
        return answer


def read_model(text: str, variables: int) -> dict[int, bool]:
    """A `v` line, or a part of a model that takes several: as a string of bits, or as literals."""
    word = text.strip()
    # No literal is that long a number, except with one variable, where both ways mean the same.
    if len(word) == variables and set(word) <= {"0", "1"}:
        return {variable: bit == "1" for variable, bit in enumerate(word, 1)}
    literals = [literal for literal in map(integer, word.split()) if literal]
    return {abs(literal): literal > 0 for literal in literals if abs(literal) <= variables}


def integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


# -- the process --------------------------------------------------------------------------------------------


def run(command: list[str], folder: Path, should_stop: Stop) -> tuple[bytes, str, bool]:
    """Runs a solver: its output, how it ended and what it complained about, and whether it was stopped from here."""
    with (folder / "output").open("w+b") as output, (folder / "errors").open("w+b") as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise MaxSynthError(
                f"the MaxSAT solver `{command[0]}` cannot be started: {error.strerror}", remedy="check --solver"
            ) from None
        try:
            stopped = wait(process, should_stop, (output, errors))
        finally:
            end(process)
        return contents(output), how_it_ended(process.returncode, contents(errors)), stopped


def wait(process: subprocess.Popen[bytes], should_stop: Stop, outputs: tuple[BinaryIO, ...]) -> bool:
    """Waits for the end of a solver, or asks it to end early: solvers then write the best model that they have."""
    while process.poll() is None:
        if should_stop():
            signal_group(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            return True
        if sum(os.fstat(output.fileno()).st_size for output in outputs) > MOST_OUTPUT:
            raise MaxSynthError("the MaxSAT solver writes without end", remedy="check it by itself")
        time.sleep(POLL)
    return False


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a solver with all that it started."""
    signal_group(process, signal.SIGKILL)
    process.wait()


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def contents(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


def how_it_ended(status: int, complaints: bytes) -> str:
    """How a process ended, and its last word."""
    ended = f"it was ended by {signal.Signals(-status).name}" if status < 0 else f"it ended with status {status}"
    lines = complaints.decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"{ended}, saying `{last[:200]}`" if last else ended
