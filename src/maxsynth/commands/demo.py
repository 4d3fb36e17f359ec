"""What `maxsynth demo` does and prints: it makes a task, learns from it, and compares with the hidden rule."""

from __future__ import annotations

import tempfile
from pathlib import Path

from maxsynth.commands.learn import learn
from maxsynth.commands.signals import Interrupt
from maxsynth.demos.generated import GeneratedTask
from maxsynth.demos.worlds import WORLDS
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.search.result import OPTIMAL, SearchResult, program_text
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask


def demo_command(
    name: str, *, started: float, seed: int, noise: float, timeout: float | None, save: Path | None
) -> int:
    if name not in WORLDS:
        raise MaxSynthError(f"there is no demo `{name}`", remedy=f"there is: {', '.join(WORLDS)}")
    made = WORLDS[name].make(seed, noise)
    with tempfile.TemporaryDirectory(prefix="maxsynth-demo-") as scratch:
        folder = save or Path(scratch) / name
        made.write(folder)
        print(f"{introduction(made)}\n", flush=True)  # before the progress, which goes to standard error
        task = ReadTask.from_folder(folder)
        with Interrupt() as interrupt:
            try:
                result = learn(task, Settings(timeout=timeout), interrupt, started=started)
            finally:
                task.background.close_engine()
            interrupt.wait_for_writing()
            print(findings(made, result, accuracy_on_test(result.program or Program(), folder)), flush=True)
    if save is not None:
        print(f"\nThe task is in {save}. Try:  maxsynth learn {save}")
    return interrupt.status(0)


def accuracy_on_test(program: Program, folder: Path) -> float:
    """The share of the test examples, whose labels are all right, that a program puts on the right side."""
    task = ReadTask.from_folder(folder, test=True)
    try:
        counts = evaluate_program(program, task).confusion
    finally:
        task.background.close_engine()
    return (counts.tp + counts.tn) / (counts.tp + counts.tn + counts.fp + counts.fn)


def introduction(made: GeneratedTask) -> str:
    count = len(made.examples)
    return (
        f"{made.story}\n"
        f"Given are {count} examples, but {made.flipped} of their labels ({made.flipped / count:.0%}) are wrong. "
        "Which rule is it?"
    )


def findings(made: GeneratedTask, result: SearchResult, accuracy: float) -> str:
    """The learned program beside the hidden rule, in words that fit what was found."""
    counts = result.confusion
    assert counts is not None  # there is none only in exact mode
    size = result.size or 0
    proof = (
        "proven: no program of the space costs less"
        if result.status == OPTIMAL
        else f"the search was cut: a program may cost as little as {result.lower_bound}"
    )
    found = "The hidden rule was found" if accuracy == 1 else "This is not quite the hidden rule"
    new = f"{len(made.test_examples)} new examples with no label wrong"
    return "\n".join(
        [
            f"hidden rule      {made.rule}",
            f"as a program     {indented(made.program)}",
            f"learned program  {indented(program_text(result))}",
            f"cost             {result.cost} = size {size} + {counts.fp} false positives + {counts.fn} false negatives",
            f"                 {proof} ({result.seconds['total']:.1f} s)",
            "",
            f"{found}: accuracy on {new} is {percent(accuracy)}.",
        ]
    )


def indented(program: str) -> str:
    """Its further lines below the first one."""
    return program.replace("\n", f"\n{'':17}")


def percent(share: float) -> str:
    """Never 100% for less than all."""
    return "100%" if share == 1 else f"{int(1000 * share) / 10}%"
