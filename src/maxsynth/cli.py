"""The command `maxsynth`.

Only the parser is built at start-up; a sub-command imports what it needs when it runs, so that `--help` is quick.
Results go to standard output, everything else to standard error. Exit status:

    0    a result
    1    proven that there is none (`learn --exact`), or a check fails (`verify`)
    2    bad input, or an output that could not be written
    3    `learn --exact` was cut before it found a program: there may be one
    128  and the number of a signal: ended by that, with the best so far (130 for Ctrl-C)
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from maxsynth import __version__
from maxsynth.commands.arguments.parser import Command, Commands, Parser, add_command
from maxsynth.commands.arguments.shared import (
    add_data_options,
    add_json_option,
    add_limit_options,
    add_prolog_option,
    add_task,
    data_options_in,
    is_data,
    learn_options_in,
    overrides_in,
)
from maxsynth.commands.arguments.values import memory, natural, percentage, positive, seconds, weights
from maxsynth.commands.output import KeptStream, Stream, complain, deliver, occupy_closed
from maxsynth.commands.signals import Interrupt, handled_by, raise_asked, status_of
from maxsynth.errors import MaxSynthError, one_line

if TYPE_CHECKING:
    from maxsynth.task.meanwhile import Meanwhile

# NumPy's linear algebra would start a thread for each core as it is loaded. None of it is used here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

LARGE = 1 << 20  # bytes of BK and examples that are worth a thread: what is smaller is read in no time
YOUNG = 200_000  # objects before Python looks for cycles among them: a command makes many, and hardly a cycle


def console() -> NoReturn:
    """The command as a process of its own.

    The process ends without taking every object apart: after a search with large tables that takes as long as starting.
    """
    status = main()
    atexit._run_exitfuncs()  # what others asked for; the process of SWI-Prolog ends here
    for stream in filter(None, (sys.stdout, sys.stderr)):  # one that is closed is None
        with contextlib.suppress(OSError, ValueError):  # `main` has seen to what it wrote
            stream.flush()
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    started = time.monotonic()
    gc.set_threshold(YOUNG)
    occupy_closed()
    before = sys.stdout, sys.stderr
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    output, errors = KeptStream(sys.stdout), Stream(sys.stderr)
    sys.stdout, sys.stderr = cast(io.TextIOWrapper, output), cast(io.TextIOWrapper, errors)
    try:
        return run(arguments, started, output, errors)
    except KeyboardInterrupt as stop:  # while it was writing, and not for the first time
        output.drop()
        return status_of(stop)
    finally:
        sys.stdout, sys.stderr = before


def run(arguments: Sequence[str] | None, started: float, output: KeptStream, errors: Stream) -> int:
    """Runs the command, and sees to it that its output can be read."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        options = make_parser(*given[:1]).parse_args(given)
    except SystemExit:  # after a help text, or a complaint
        if deliver(output, errors, at_any_rate=False):
            raise
        return 2
    options.started = started
    with Interrupt() as interrupt:
        try:
            with handled_by(raise_asked):
                status = run_safely(options)
        except KeyboardInterrupt as stop:  # as it had ended
            status = status_of(stop)
        long = options.run in (run_learn, run_front, run_ask, run_demo) or getattr(options, "weigh", False)
        written = deliver(output, errors, at_any_rate=long)
    return interrupt.status(status if written else 2)


def run_safely(options: argparse.Namespace) -> int:
    """Runs the command; a mistake becomes a message, and an exit status."""
    try:
        status: int = options.run(options)
        return status
    except MaxSynthError as error:
        complaint = str(error)
    except MemoryError:
        complaint = "there is not enough memory for this task (make it smaller)"
    except OSError as error:
        what = error.filename or "a file"
        complaint = f"{what}: {error.strerror} (check that there is room, and permission)"
    except KeyboardInterrupt as stop:
        complain("interrupted")
        return status_of(stop)
    sys.stdout.flush()  # what was found comes before what went wrong then
    complain(one_line(complaint))
    return 2


def make_parser(asked: str = "") -> argparse.ArgumentParser:
    """With all commands, or with the one that is asked for: to make them takes longer than many a task."""
    parser: argparse.ArgumentParser = Parser(
        prog="maxsynth",
        usage="maxsynth COMMAND [options]",
        description="Learns logic programs of minimal description length from noisy examples.",
        epilog="A task folder holds bias.pl, bk.pl and exs.pl. Try `maxsynth COMMAND --help`, or --version.\n\n"
        "examples:\n  maxsynth demo kinship\n  maxsynth learn mytask",
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)  # who reads it knows it
    parser.add_argument("--version", action="version", version=f"maxsynth {__version__}", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="maxsynth")
    every = {
        "learn": add_learn,
        "front": add_front,
        "ask": add_ask,
        "describe": add_describe,
        "predict": add_predict,
        "evaluate": add_evaluate,
        "check": add_check,
        "verify": add_verify,
        "explain": add_explain,
        "export": add_export,
        "studio": add_studio,
        "report": add_report,
        "demo": add_demo,
        "bench": add_bench,
    }
    for name in [asked] if asked in every else every:
        every[name](commands)
    return parser


def add_learn(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "learn", run_learn, given="TASK_FOLDER | DATA --target T",
        summary="learn a program of least cost from a task, or from tables",
        description="Learns a program of least size + false positives + false negatives. Exit status:\n"
        "0 result, 1 proven none, 2 bad input, 3 cut with none, 128 + signal.",
        examples=("learn mytask --timeout 60 --json result.json", "learn drugs.sqlite3 --target drugs.active"),
    )  # fmt: skip
    command.add_argument("task", metavar="TASK_FOLDER", help=argparse.SUPPRESS)  # which the usage names
    add_data_options(command, brief=True)
    command.add_argument("--infer", action="store_true", help="types, constants, numbers and limits of a folder by BK")
    command.add_argument("--timeout", type=seconds, metavar="S", help="end after S seconds with the best so far")
    command.add_argument("--steps", type=positive, metavar="N", help="end after N steps: the same on every machine")
    command.add_argument("--jobs", type=positive, metavar="N", help="threads, all cores by default; the same answer")
    command.add_argument("--cluster", metavar="ADDRESS", help="local:4 or HOST:PORT of Dask: has a part in it")
    command.add_argument("--exact", action="store_true", help="the smallest program without any error, or none")
    command.add_argument(
        "--weights", type=weights, default=(1, 1, 1), metavar="SIZE,FP,FN",
        help="of literal, false positive, false negative; or auto",
    )  # fmt: skip
    command.add_argument(
        "--forbid-singletons", action="store_true", help="no variable once in a rule; or --ignore-directions"
    )
    command.add_argument("--ignore-directions", action="store_true", help=argparse.SUPPRESS)
    add_limit_options(command)
    add_json_option(command)
    command.add_argument("--quiet", action="store_true", help="print only the program")
    command.add_argument(
        "--solver", metavar="COMMAND",
        help="MaxSAT solver of rules, which reads {file}; or clingo",
    )  # fmt: skip
    command.add_argument("--solver-format", choices=("new", "old"), default="new", help=argparse.SUPPRESS)
    command.add_argument("--memory", type=memory, metavar="SIZE", help="of the process, such as 500M or 2G")
    command.add_argument("--checkpoint", metavar="FILE", help="save the run every minute; --resume FILE goes on")
    command.add_argument("--resume", metavar="FILE", help=argparse.SUPPRESS)
    command.add_argument("--labels", metavar="FILE", help="decisions: keep, flip or leave out an example (docs)")
    command.add_argument("--no-constraints", dest="constraints", action="store_false", help=argparse.SUPPRESS)
    command.add_argument(
        "--method", choices=("auto", "features", "asp"), default="auto", metavar="METHOD",
        help="auto, features or asp; or --no-constraints: to compare",
    )  # fmt: skip
    add_prolog_option(command)


def run_learn(options: argparse.Namespace) -> int:
    data = is_data(options)
    if data and options.infer:
        raise MaxSynthError("--infer is for task folders", remedy="leave it out: of tables all is inferred")
    if data:
        from maxsynth.commands.tables.learn import learn_data_command

        return learn_data_command(options.task, data_options_in(options), learn_options_in(options))
    meanwhile = begin_to_read(options)
    try:
        asked = learn_options_in(options)
        from maxsynth.commands.learn import learn_command

        return learn_command(Path(options.task), asked, infer=options.infer, meanwhile=meanwhile)
    finally:
        if meanwhile is not None:
            meanwhile.drop()


def begin_to_read(options: argparse.Namespace) -> Meanwhile | None:
    """Has a large task read while the rest of the program is loaded, where there is a core for that."""
    from maxsynth.search.threads import cores
    from maxsynth.task.meanwhile import Meanwhile
    from maxsynth.task.memory import file_sizes

    if options.jobs == 1 or cores() == 1:
        return None
    meanwhile = Meanwhile(Path(options.task), options.memory)
    if file_sizes(meanwhile.files) < LARGE:
        return None
    try:
        meanwhile.begin()
    except RuntimeError:  # the system gives no more threads
        return None
    return meanwhile


def add_front(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "front", run_front, given="TASK_FOLDER | DATA --target T",
        summary="learn the program with the fewest errors for every size",
        description="For every size the program with the fewest errors (false positives and false negatives),\n"
        "as far as `learn` would go: each proven, or with how many errors there are at least.",
        examples=("front mytask --json front.json", "front drugs.sqlite3 --target drugs.active --size 12"),
    )  # fmt: skip
    command.add_argument("task", metavar="TASK_FOLDER", help=argparse.SUPPRESS)
    add_data_options(command, brief=True)
    command.add_argument("--size", type=positive, metavar="N", help="up to N literals (default: as `learn` chooses)")
    command.add_argument("--timeout", type=seconds, metavar="S", help="end after S seconds with what is known")
    command.add_argument("--steps", type=positive, metavar="N", help="end after N steps: the same on every machine")
    command.add_argument("--jobs", type=positive, metavar="N", help="threads, all cores by default; the same answer")
    command.add_argument(
        "--weights", type=weights, default=(1, 1, 1), metavar="SIZE,FP,FN",
        help="of literal (how far to go), of errors",
    )  # fmt: skip
    command.add_argument(
        "--forbid-singletons", action="store_true", help="no variable once in a rule; or --ignore-directions"
    )
    command.add_argument("--ignore-directions", action="store_true", help=argparse.SUPPRESS)
    add_limit_options(command)
    add_json_option(command)
    command.add_argument("--quiet", action="store_true", help="print only the programs")
    command.add_argument("--memory", type=memory, metavar="SIZE", help="of the process, such as 500M or 2G")
    add_prolog_option(command)
    command.set_defaults(exact=False, solver=None, solver_format="new", constraints=True, method="auto")
    command.set_defaults(cluster=None, checkpoint=None, resume=None)
    command.add_argument("--labels", metavar="FILE", help="decisions: keep, flip or leave out an example (docs)")


def run_front(options: argparse.Namespace) -> int:
    from maxsynth.commands.several.front import front_command, front_data_command

    if options.weights is None:
        raise MaxSynthError("a front has no use for --weights auto", remedy="give three numbers, or leave it out")
    data, asked = is_data(options), learn_options_in(options)
    if data:
        return front_data_command(options.task, data_options_in(options), asked, options.size)
    return front_command(Path(options.task), asked, options.size)


def add_ask(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "ask", run_ask, given="TASK_FOLDER | DATA --target T",
        summary="say which labels would tell most between programs that cost about the same",
        description="Which examples somebody should look at: those about which programs of nearly the same cost are\n"
        "divided, the most evenly divided first, each with the cheapest program of either side.",
        examples=("ask mytask --labels mytask.labels", "ask mytask --atoms unlabelled.pl --most 3"),
    )  # fmt: skip
    command.add_argument("task", metavar="TASK_FOLDER", help=argparse.SUPPRESS)
    add_data_options(command, brief=True)
    command.add_argument("--labels", metavar="FILE", help="decisions: what is decided is not asked for (docs)")
    command.add_argument("--atoms", metavar="FILE", help="without labels, one a line: ask for these instead")
    command.add_argument("--slack", type=natural, default=2, metavar="N", help="what programs cost more (default: 2)")
    command.add_argument("--most", type=positive, default=10, metavar="N", help="examples (default: 10)")
    command.add_argument("--timeout", type=seconds, metavar="S", help="ask by the programs known after S seconds")
    command.add_argument("--jobs", type=positive, metavar="N", help="threads, all cores by default; the same answer")
    command.add_argument(
        "--weights", type=weights, default=(1, 1, 1), metavar="SIZE,FP,FN",
        help="of literal, false positive, false negative",
    )  # fmt: skip
    add_limit_options(command)
    add_json_option(command)
    command.add_argument("--quiet", action="store_true", help="print only the examples")
    command.add_argument("--memory", type=memory, metavar="SIZE", help="of the process, such as 500M or 2G")
    add_prolog_option(command)


def run_ask(options: argparse.Namespace) -> int:
    if options.weights is None:
        raise MaxSynthError("a question has no use for --weights auto", remedy="give three numbers, or leave it out")
    tables = is_data(options)
    from maxsynth.commands.several.ask import ask_command

    names = ("weights", "max_vars", "max_body", "max_clauses", "jobs", "memory")
    return ask_command(
        options.task,
        data_options_in(options) if tables else None,
        how={name: getattr(options, name) for name in names},
        labels=options.labels,
        atoms=options.atoms,
        slack=options.slack,
        most=options.most,
        timeout=options.timeout,
        json_file=options.json,
        quiet=options.quiet,
        prolog=options.prolog,
    )


def add_describe(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "describe", run_describe, given="DATA --target T",
        summary="show what tables mean as a task, and why",
        description="Shows what is inferred from tables: keys, what each column is, what is left out and why,\n"
        "and leaks. DATA is a SQLite file, a database's URL, a CSV or Parquet file, a folder of them, or\n"
        "a graph (N-Triples, Turtle, tab-separated triples). `learn` takes the file of --save in its place.",
        examples=("describe drugs.sqlite3 --target drugs.active --save task.toml", "learn task.toml"),
    )  # fmt: skip
    command.add_argument("data", metavar="DATA", help=argparse.SUPPRESS)
    add_data_options(command)
    command.add_argument("--save", metavar="FILE", help="write it there as TOML, to edit and learn from")
    add_json_option(command)


def run_describe(options: argparse.Namespace) -> int:
    from maxsynth.commands.tables.describe import describe_command

    return describe_command(options.data, data_options_in(options), save=options.save, json_file=options.json)


def add_predict(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "predict", run_predict, given="RESULT NEWDATA",
        summary="say what a program predicts for new tables",
        description="For each key of the target's table in new data: what the program predicts, and the rule\n"
        "that fired. New data has the same tables; the column that is predicted may be missing. Of pairs, all\n"
        "that are there are known; each is judged by the others, or those in the file of --pairs are judged.",
        examples=("predict result.json new.sqlite3", "predict result.json new.csv --csv predicted.csv"),
    )  # fmt: skip
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run (- for standard input)")
    command.add_argument("data", metavar="NEWDATA", help="a file, a folder, or a database's URL")
    command.add_argument(
        "--pairs", metavar="FILE", help="data with the pairs to be judged, instead of those in NEWDATA"
    )
    command.add_argument("--csv", metavar="FILE", help="write it there as CSV (- for standard output)")


def run_predict(options: argparse.Namespace) -> int:
    from maxsynth.commands.tables.predict import predict_command

    return predict_command(options.result, options.data, pairs=options.pairs, csv_file=options.csv)


def add_evaluate(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "evaluate", run_evaluate, given="PROGRAM [TASK_FOLDER]",
        summary="test a program on the examples of a task",
        description="Tests a program on the examples of a task: confusion matrix, accuracies, size, cost. The\n"
        "JSON of a run names its task itself, and has the weights that the cost is counted with.",
        examples=("evaluate result.json --test", "evaluate program.pl mytask --json -"),
    )  # fmt: skip
    command.add_argument("program", metavar="PROGRAM", type=Path, help="a file of rules, or the JSON of a run (or -)")
    add_task(command, nargs="?")
    add_test_option(command)
    add_json_option(command)
    add_steps_option(command)
    add_prolog_option(command)


def add_test_option(command: Command) -> None:
    command.add_argument("--test", action="store_true", help="use the examples and BK in the folder's test/")


def add_steps_option(command: Command) -> None:
    command.add_argument("--steps", type=positive, metavar="N", help="steps that the proof of an example may take")


def run_evaluate(options: argparse.Namespace) -> int:
    from maxsynth.commands.evaluate import evaluate_command

    return evaluate_command(
        options.program,
        options.task,
        test=options.test,
        prolog=options.prolog,
        steps=options.steps,
        json_file=options.json,
    )


def add_check(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "check", run_check, given="TASK_FOLDER",
        summary="tell whether a task is well posed",
        description="Is a task well posed? Reports its size; what is probably not meant (warnings: positives\n"
        "that no rule can cover and why, predicates that are never true, types that do not meet,\n"
        "contradictory examples); and how the space could be smaller for nothing (hints).",
        examples=("check mytask", "check mytask --json report.json"),
    )  # fmt: skip
    add_task(command)
    add_limit_options(command)
    add_json_option(command)
    add_prolog_option(command)


def run_check(options: argparse.Namespace) -> int:
    from maxsynth.commands.check import check_command

    return check_command(options.task, prolog=options.prolog, json_file=options.json, overrides=overrides_in(options))


def add_verify(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "verify", run_verify, given="RESULT",
        summary="check a result of learn with independent, simple code",
        description="Checks a result of `maxsynth learn --json`: counts, size and cost, by a second, simple\n"
        "evaluator, and that the bias allows the program. That no better program exists cannot be\n"
        "checked. Exit status: 0 when all checks hold, 1 when one fails, 2 for bad input.",
        examples=("verify result.json", "verify result.json --task mytask --prolog swipl"),
    )  # fmt: skip
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run (- for standard input)")
    command.add_argument("--task", metavar="FOLDER", type=Path, help="where the task is now, if it was moved")
    command.add_argument(
        "--prolog", choices=("builtin", "swipl"), metavar="ENGINE",
        help="builtin: for BK's rules; swipl: SWI-Prolog proves all",
    )  # fmt: skip
    add_steps_option(command)


def run_verify(options: argparse.Namespace) -> int:
    from maxsynth.commands.verify import verify_command

    return verify_command(options.result, folder=options.task, prolog=options.prolog, steps=options.steps)


def add_explain(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "explain", run_explain, given="RESULT [TASK_FOLDER]",
        summary="say why examples are covered, and which labels look wrong",
        description="For each covered example the rule and the values that cover it, as a proof; for each\n"
        "positive that is not covered the literal at which each rule fails; then the examples whose\n"
        "labels the program contradicts, the most suspicious first. With --weigh, by a search for each\n"
        "of these: those that programs agree with only where they are clearly worse, and exceptions.",
        examples=("explain result.json mytask --example 'f(a)'", "explain result.json --suspects --weigh"),
    )  # fmt: skip
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run, or a file of rules")
    add_task(command, nargs="?")
    command.add_argument("--example", metavar="ATOM", help="explain this atom only, such as 'f(a,b)'")
    command.add_argument("--suspects", action="store_true", help="list only the suspected label noise")
    command.add_argument("--weigh", action="store_true", help="tell labels that are probably wrong from exceptions")
    command.add_argument(
        "--timeout", type=seconds, metavar="S", help="of --weigh: end after S seconds with what is known"
    )
    command.add_argument("--csv", metavar="FILE", help="write the suspects there as CSV (- for standard output)")
    add_test_option(command)
    add_steps_option(command)
    add_prolog_option(command)


def run_explain(options: argparse.Namespace) -> int:
    from maxsynth.commands.explain import explain_command

    return explain_command(
        options.result,
        options.task,
        example=options.example,
        suspects=options.suspects,
        weigh=options.weigh,
        timeout=options.timeout,
        csv_file=options.csv,
        test=options.test,
        steps=options.steps,
        prolog=options.prolog,
    )


def add_export(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "export", run_export, given="RESULT --to FORM",
        summary="write a learned program as SQL, Python, Prolog, Datalog, English or LaTeX",
        description="Writes the program of a result in a form in which it is used: a SELECT of what it covers,\n"
        "a Python file that needs nothing else, Prolog, Datalog for Souffle, sentences, or mathematics.",
        examples=("export result.json --to sql --dialect duckdb", "export result.json --to python --output rules.py"),
    )  # fmt: skip
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run (- for standard input)")
    command.add_argument("--to", required=True, metavar="FORM", help="sql, prolog, datalog, python, english or latex")
    command.add_argument("--dialect", metavar="NAME", help="of SQL: sqlite, postgresql or duckdb")
    command.add_argument("--output", metavar="FILE", help="write it there (default: standard output)")


def run_export(options: argparse.Namespace) -> int:
    from maxsynth.commands.export import export_command

    return export_command(options.result, to=options.to, dialect=options.dialect, output=options.output)


def add_studio(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "studio", run_studio, given="[TASK_FOLDER | DATA --target T]",
        summary="watch, read and question a run on a page in the browser",
        description="Learns, and shows it on a page that this machine alone can open: the search as it runs, the\n"
        "program with what each rule covers, proofs, and labels to keep, flip or leave out. Decisions are\n"
        "saved beside the task, in TASK.labels. Ctrl-C ends it all. `report` writes the page as a file.",
        examples=("studio mytask", "studio drugs.sqlite3 --target drugs.active --timeout 60"),
    )  # fmt: skip
    command.add_argument("task", metavar="TASK_FOLDER", nargs="?", help=argparse.SUPPRESS)
    add_data_options(command, brief=True)
    command.add_argument("--timeout", type=seconds, metavar="S", help="of a search, with the best so far at its end")
    command.add_argument(
        "--weights", type=weights, default=(1, 1, 1), metavar="SIZE,FP,FN",
        help="of literal, false positive, false negative",
    )  # fmt: skip
    add_limit_options(command)
    command.add_argument("--jobs", type=positive, metavar="N", help="threads, all cores by default; the same answer")
    command.add_argument("--port", type=natural, default=0, metavar="N", help="to serve at (default: a free one)")
    command.add_argument("--no-browser", dest="browse", action="store_false", help="print the address, open nothing")
    add_prolog_option(command)


def run_studio(options: argparse.Namespace) -> int:
    if options.weights is None:
        raise MaxSynthError("the studio learns with weights that are given", remedy="give three numbers")
    tables = is_data(options)
    from maxsynth.commands.viewing.studio import studio_command

    names = ("timeout", "weights", "max_vars", "max_body", "max_clauses", "jobs")
    return studio_command(
        options.task,
        data_options_in(options) if tables else None,
        how={name: getattr(options, name) for name in names},
        port=options.port,
        browse=options.browse,
        prolog=options.prolog,
    )


def add_report(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "report", run_report, given="RESULT [TASK_FOLDER]",
        summary="write a finished run as one page that can be sent to others",
        description="Writes the page of `maxsynth studio` for a result of `learn --json`, as one HTML file with all\n"
        "that it shows: program, coverage, examples, proofs and suspected labels. It needs no network.",
        examples=("report result.json", "report result.json --output drugs.html"),
    )  # fmt: skip
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run (- for standard input)")
    add_task(command, nargs="?")
    command.add_argument("-o", "--output", metavar="FILE", help="write it there (default: RESULT.html)")
    add_prolog_option(command)


def run_report(options: argparse.Namespace) -> int:
    from maxsynth.commands.viewing.report import report_command

    return report_command(options.result, options.task, output=options.output, prolog=options.prolog)


def add_demo(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "demo", run_demo, given="[NAME]",
        summary="learn from a generated task with a hidden rule",
        description="Makes a task with a hidden rule and some labels wrong, learns from it, and shows what was\n"
        "found. Without a name, lists the tasks that there are.",
        examples=("demo kinship", "demo zendo --noise 10 --seed 7 --save mytask"),
    )  # fmt: skip
    command.add_argument("name", metavar="NAME", nargs="?", help="which task (none: list them)")
    command.add_argument("--save", metavar="FOLDER", type=Path, help="keep the task there, in a new folder")
    command.add_argument("--seed", type=natural, default=1, metavar="N", help="another task of the kind (default: 1)")
    command.add_argument(
        "--noise", type=percentage, default=20.0, metavar="PERCENT", help="how many labels are wrong (default: 20)"
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="end after S seconds with the best so far")


def run_demo(options: argparse.Namespace) -> int:
    if options.name is None:
        from maxsynth.commands.demo_list import list_command

        return list_command()
    from maxsynth.commands.demo import demo_command

    return demo_command(
        options.name,
        started=options.started,
        seed=options.seed,
        noise=options.noise,
        timeout=options.timeout,
        save=options.save,
    )


def add_bench(commands: Commands[Command]) -> None:
    command = add_command(
        commands, "bench", run_bench, given="WHAT",
        summary="run the paper's experiments and report them",
        description="Runs tasks x systems x trials, resumable, and writes tables and figures.",
        examples=("bench paper --quick", "bench paper --task zendo1 --system 'mine:60=mine {task}'"),
    )  # fmt: skip
    command.add_argument(
        "what",
        metavar="WHAT",
        choices=("paper", "own", "data", "report"),
        help="paper, own (tasks in --data), data (make tasks), report",
    )
    command.add_argument(
        "--out", type=Path, default=Path("bench"), metavar="FOLDER", help="for results (default: bench)"
    )
    command.add_argument("--quick", action="store_true", help="fewer trials, low limits that count steps")
    command.add_argument("--data", type=Path, metavar="FOLDER", help="with TASK/TRIAL/ folders: tasks to read")
    command.add_argument("--recorded", type=Path, metavar="FILE", help="JSON of others' results, to show beside ours")
    command.add_argument("--task", action="append", default=[], metavar="NAME", help="only this (may be repeated)")
    command.add_argument(
        "--system", action="append", default=[], metavar="SYSTEM", help="NAME[:LIMIT][=COMMAND] (may be repeated)"
    )
    command.add_argument("--trials", type=positive, metavar="N", help="of each task (default: 3)")
    command.add_argument("--jobs", type=positive, metavar="N", help="runs at a time (default: one a core)")
    command.add_argument("--cluster", metavar="ADDRESS", help="local:4 or HOST:PORT of Dask: does the runs")
    command.add_argument("--memory", type=memory, metavar="SIZE", help="of a run (default: 4G)")
    command.add_argument("--seed", type=natural, default=1, metavar="N", help="other data (default: 1)")
    command.add_argument("--retry", action="store_true", help="do runs again that ended with an error")


def run_bench(options: argparse.Namespace) -> int:
    from maxsynth.bench.experiment import bench_command

    return bench_command(
        what=options.what,
        out=options.out,
        quick=options.quick,
        data=options.data,
        recorded=options.recorded,
        tasks=options.task,
        systems=options.system,
        trials=options.trials,
        jobs=options.jobs,
        memory=options.memory,
        seed=options.seed,
        retry=options.retry,
        cluster=options.cluster,
    )


if __name__ == "__main__":
    sys.exit(main())
