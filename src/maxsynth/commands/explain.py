"""What `maxsynth explain` does and prints: proofs and failures, and which labels are probably wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from maxsynth.commands.evaluate import program_doubts
from maxsynth.commands.given import Given, read_program
from maxsynth.commands.output import warn
from maxsynth.commands.progress import say
from maxsynth.commands.signals import Interrupt
from maxsynth.errors import MaxSynthError, Position
from maxsynth.explanation.explain import Explainer
from maxsynth.explanation.suspects import Labelled, Suspect, all_examples, as_csv, find_suspects
from maxsynth.files import check_output, write_text
from maxsynth.logic.programs import Program
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Struct
from maxsynth.task.task import ReadTask
from maxsynth.verification.simple_evaluator import STEPS


def explain_command(
    result: Path,
    folder: Path | None,
    *,
    example: str | None,
    suspects: bool,
    weigh: bool,
    timeout: float | None,
    csv_file: str | None,
    test: bool,
    steps: int | None,
    prolog: str,
) -> int:
    check_weighing(weigh, example, timeout, test=test)
    given = read_program(result, folder)
    program, file = given.program, given.file
    check_output(csv_file, result, given.place)
    task = task_to_weigh(given, prolog) if weigh else given.task(test=test, prolog=prolog)
    try:
        warn(task.warnings + program_doubts(program, task, file))
        explainer = make_explainer(given, task, steps or STEPS)
        if example is not None:
            print(explainer.explain(read_key(example, explainer, task) or read_atom(example, task)))
            return 0
        examples = list(all_examples(explainer, task))
        found = find_suspects(examples)
        if weigh:
            return show_weighed(given, task, explainer.program, examples, found, suspects, timeout, csv_file)
    except MaxSynthError as error:
        error.at(Position(file))
        raise
    finally:
        task.background.close_engine()
    if csv_file != "-":
        print("\n".join(report(explainer.program, examples, suspects, suspect_lines(found))), flush=True)
    if csv_file is not None:
        write_text(as_csv(found), csv_file)
    if suspects and found and given.recorded is not None and not test and csv_file != "-":
        say("--weigh tells labels that are probably wrong from exceptions")
    return 0


def check_weighing(weigh: bool, example: str | None, timeout: float | None, *, test: bool) -> None:
    if timeout is not None and not weigh:
        raise MaxSynthError("--timeout is for --weigh, which alone takes long", remedy="give --weigh too")
    if weigh and example is not None:
        raise MaxSynthError("--weigh is about all suspects, not about one atom", remedy="leave out --example")
    if weigh and test:
        raise MaxSynthError("--weigh is about the labels that were learned from", remedy="leave out --test")


def task_to_weigh(given: Given, prolog: str) -> ReadTask:
    from maxsynth.commands.weighing import searched_task  # with the search, which others do without

    return searched_task(given, prolog)


def show_weighed(
    given: Given,
    task: ReadTask,
    program: Program,
    examples: list[Labelled],
    found: list[Suspect],
    only_suspects: bool,
    timeout: float | None,
    csv_file: str | None,
) -> int:
    """Weighs the suspects, and shows what is known of them when that ends, in whatever way."""
    from maxsynth.commands.weighing import recorded_in, weigh_suspects, weighed_lines

    with Interrupt() as interrupt:
        weighed = weigh_suspects(found, given, task, timeout, interrupt)
        interrupt.wait_for_writing()
        if csv_file != "-":
            lines = weighed_lines(weighed, recorded_in(given)) if weighed else suspect_lines(weighed)
            print("\n".join(report(program, examples, only_suspects, lines)), flush=True)
        if csv_file is not None:
            write_text(as_csv(weighed, weighed=True), csv_file)
        interrupt.all_is_written()
    return interrupt.status(0)


def make_explainer(given: Given, task: ReadTask, steps: int) -> Explainer:
    """One that speaks of tables and columns, where the program was learned from these."""
    if given.data is None:
        return Explainer(given.program, task, steps)
    from maxsynth.data.description import Description
    from maxsynth.data.telling import TableExplainer

    return TableExplainer(given.program, task, Description.from_dict(given.data), steps)


def read_key(text: str, explainer: Explainer, task: ReadTask) -> tuple[int, ...] | None:
    """An example by its key, as the data has it; None where it may be written as an atom."""
    from maxsynth.data.telling import TableExplainer

    if not isinstance(explainer, TableExplainer):
        return None
    rows = (tuple(row) for side in (task.positives, task.negatives) for row in side.rows.tolist())
    found = next((row for row in rows if explainer.key(row) == text), None)
    if found is None and not text.startswith(f"{task.bias.head.name}("):
        key = explainer.key(tuple(task.positives.rows[0].tolist()))
        raise MaxSynthError(
            f"no example has the key `{text}`", Position("--example"), f"give one as the data has it, such as {key}"
        )
    return found


def read_atom(text: str, task: ReadTask) -> tuple[int, ...]:
    """The arguments of an atom of the target, as term ids."""
    place = Position("--example")
    try:
        term = parse_term(text.rstrip().removesuffix(".")).term
    except MaxSynthError as error:
        raise MaxSynthError(f"`{text}` is no atom: {error.message}", place, "write it as in exs.pl") from None
    target = task.bias.head
    if not isinstance(term, Struct) or (term.name, len(term.args)) != target:
        raise MaxSynthError(f"`{text}` is not of {target}, which the task is about", place, f"give one of {target}")
    try:
        row = tuple(task.background.store.intern(arg) for arg in term.args)
    except ValueError:
        raise MaxSynthError(f"`{text}` has a variable", place, "give a ground atom") from None
    task.background.learn_values(target, np.array([row], dtype=np.int32))
    return row


def report(program: Program, examples: list[Labelled], only_suspects: bool, about: Iterator[str]) -> Iterator[str]:
    """The rules, what becomes of each example by them, and at the end what is said `about` suspects."""
    if program.rules:
        yield from (f"rule {number}: {rule}" for number, rule in enumerate(program.rules, 1))
    else:
        yield "the empty program"
    yield ""
    if not only_suspects:
        for example in examples:
            # Of a negative that is not covered, there is nothing to say.
            if example.label or example.explanation.covered is not False:
                yield f"{'positive' if example.label else 'negative'} {example.explanation}"
        yield ""
    yield from about


def suspect_lines(suspects: Sequence[Suspect]) -> Iterator[str]:
    if suspects:
        yield "suspected label noise (suspicion, label, example, what the program does):"
        yield from (f"  {suspect}" for suspect in suspects)
    else:
        yield "the program contradicts no label"
