"""What `maxsynth learn` is asked for, be it of a task folder or of tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from maxsynth.bias.bias import Overrides
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.metrics import Weights
from maxsynth.search.checkpoints.asked import AskedToLast
from maxsynth.search.choose.problem import MakeSolver
from maxsynth.search.settings import Settings
from maxsynth.spread.address import parse_address
from maxsynth.spread.executor import Executor, Serial
from maxsynth.task.labels import Labels
from maxsynth.task.memory import check_limit
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions


@dataclass(frozen=True)
class LearnOptions:
    started: float
    timeout: float | None
    steps: int | None
    jobs: int | None
    exact: bool
    weights: tuple[int, int, int] | None  # None: chosen by cross-validation
    forbid_singletons: bool
    ignore_directions: bool
    overrides: Overrides
    json_file: str | None
    quiet: bool
    prolog: str
    solver: str | None
    solver_format: str
    memory: int | None
    constraints: bool
    method: str
    cluster: str | None = None  # where the searches of `--weights auto` are done, and parts of one
    checkpoint: str | None = None
    resume: str | None = None
    labels: str | None = None  # a file of decisions about labels

    def lasting(self, *, climbs: bool = False, several: bool = False, counts: bool = False) -> AskedToLast:
        """Where the run is saved; an error where that cannot be, as it is more than one search."""
        save, resume = (None if name is None else Path(name) for name in (self.checkpoint, self.resume))
        files = AskedToLast(save, resume)
        if self.weights is None:
            files.refuse("--weights auto makes many", "give the weights as three numbers")
        if several:
            files.refuse("there is one for each value of the target", "give one value: --target TABLE.COLUMN=VALUE")
        if climbs:
            files.refuse("there is one for each size of rules", "give --max-vars and --max-body")
        if counts:
            files.refuse("there may be one without counts", "give --no-counts")
        return files

    def settings(self) -> Settings:
        """For a search; an error where options do not go together."""
        if self.steps is not None and self.solver is not None:
            raise MaxSynthError(
                "the steps of --solver cannot be counted", remedy="use --timeout, or leave out --solver"
            )
        if self.exact and self.weights is None:
            raise MaxSynthError(
                "a program without errors has no use for --weights auto", remedy="leave out one of them"
            )
        if self.cluster is not None:
            parse_address(self.cluster)
        check_limit(self.memory)
        return Settings(
            Weights(*(self.weights or ())),
            self.exact,
            self.timeout,
            self.steps,
            solver=choose_solver(self.solver, self.solver_format),
            memory=self.memory,
            constraints=self.constraints,
            method=self.method,
            directions=not self.ignore_directions,
            prolog=self.prolog,
            jobs=self.jobs,
            labels=() if self.decisions is None else self.decisions.recorded(),
        )

    @cached_property
    def decisions(self) -> Labels | None:
        """What is decided about labels; an error where that cannot be."""
        if self.labels is None:
            return None
        if self.cluster is not None:
            raise MaxSynthError("a cluster reads the task as it is, without --labels", remedy="leave out one of them")
        return Labels.from_file(Path(self.labels))

    @contextmanager
    def executor(self, tell: Callable[[str], None]) -> Iterator[Executor]:
        """Who does the searches of `--weights auto`, and helps with one."""
        if self.cluster is None:
            yield Serial()
            return
        from maxsynth.spread.cluster import executor_for  # with what most do without

        with executor_for(self.cluster, tell) as executor:
            yield executor

    def as_asked(self, task: ReadTask) -> ReadTask:
        """The task with the labels and the space of programs that are asked for."""
        if self.decisions is not None:
            task = self.decisions.apply(task)
        if self.forbid_singletons:
            task = task.with_bias(dataclasses.replace(task.bias, singletons=False))
        return without_directions(task) if self.ignore_directions else task


def choose_solver(solver: str | None, solver_format: str) -> MakeSolver | None:
    """What `--solver` means: `clingo` is built in."""
    if solver is None:
        return None
    from maxsynth.search.choose.core_guided import (
        Clingo,  # with the solver's own modules, which take their time to load
    )
    from maxsynth.search.choose.maxsat import SolverCommand

    return Clingo() if solver == Clingo().text else SolverCommand(solver, solver_format)
