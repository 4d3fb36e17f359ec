"""The command `maxsynth`.

Only the parser is built at start-up; a sub-command imports what it needs when it runs, so that `--help` is quick.
Results go to standard output, everything else to standard error. Exit status: 0 for a result, 1 for none
(`learn --exact`) or for a wrong one (`verify`), 2 for bad input.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from maxsynth import __version__
from maxsynth.errors import MaxSynthError, one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    if sys.stderr is None:  # it was closed: `print` would take standard output in its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    options = make_parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except MaxSynthError as error:
        complaint = str(error)
    except BrokenPipeError:
        # The reader of our output is gone (`maxsynth ... | head`): nothing to report, and nobody to report to.
        drop_output()
        return 2
    except MemoryError:
        complaint = "there is not enough memory for this task (make it smaller)"
    except OSError as error:
        drop_output()
        what = error.filename or "the output"
        complaint = f"{what}: {error.strerror} (check that there is room, and permission)"
    except KeyboardInterrupt:
        print("maxsynth: interrupted", file=sys.stderr)
        return 130
    print(f"maxsynth: {one_line(complaint)}", file=sys.stderr)
    return 2


def drop_output() -> None:
    """What is still to be written to standard output goes nowhere, so that closing it at exit does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="maxsynth",
        description="Learns logic programs of minimal description length from noisy examples.",
        epilog="A task folder holds bias.pl, bk.pl and exs.pl. `maxsynth COMMAND --help` tells more.",
    )
    parser.add_argument("--version", action="version", version=f"maxsynth {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_learn(commands)
    add_evaluate(commands)
    add_check(commands)
    add_verify(commands)
    add_demo(commands)
    return parser


Commands = argparse._SubParsersAction  # argparse has no public name for it


def add_prolog_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--prolog",
        choices=("auto", "builtin", "swipl"),
        default="auto",
        help="what runs the rules of BK: the built-in Prolog, or SWI-Prolog; auto takes the built-in one unless BK "
        "needs more (default: auto)",
    )


def add_learn(commands: Commands[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "learn",
        help="learn a program of least cost from a task",
        description="Learns a program that minimises size + false positives + false negatives, and proves it.",
        epilog="examples:\n  maxsynth learn mytask\n  maxsynth learn mytask --timeout 60 --json result.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("task", metavar="TASK_FOLDER", type=Path, help="the folder of the task")
    command.add_argument("--timeout", type=seconds, metavar="S", help="end after S seconds with the best so far")
    command.add_argument(
        "--exact", action="store_true", help="the smallest program without any error, or say that there is none"
    )
    command.add_argument(
        "--weights", type=weights, default=(1, 1, 1), metavar="SIZE,FP,FN",
        help="what a literal, a false positive and a false negative cost (default: 1,1,1)",
    )  # fmt: skip
    command.add_argument("--forbid-singletons", action="store_true", help="no variable may occur only once in a rule")
    command.add_argument("--json", metavar="FILE", help="write the result there as JSON (- for standard output)")
    command.add_argument("--quiet", action="store_true", help="print only the program")
    command.add_argument(
        "--solver", metavar="COMMAND",
        help="choose the rules by this MaxSAT solver, on a WCNF file in place of {file} or at the end of the command; "
        "`clingo` is built in (default: a branch and bound)",
    )  # fmt: skip
    command.add_argument(
        "--solver-format", choices=("new", "old"), default="new",
        help="WCNF with `h` for hard clauses, or with the header `p wcnf` that older solvers want (default: new)",
    )  # fmt: skip
    command.add_argument(
        "--memory", type=memory, metavar="SIZE", help="for tables, such as 500M or 2G (default: half of the machine's)"
    )
    command.add_argument(
        "--method", choices=("auto", "features", "asp"), default="auto",
        help="how to generate rules without recursion: by features, which is fast, or by clingo, which takes every "
        "bias (default: by features where the bias allows it)",
    )  # fmt: skip
    command.add_argument(
        "--no-constraints", dest="constraints", action="store_false",
        help="leave out the paper's noisy constraints, to measure them",
    )  # fmt: skip
    add_prolog_option(command)
    command.set_defaults(run=run_learn)


def run_learn(options: argparse.Namespace) -> int:
    from maxsynth import learning

    return learning.learn_command(
        options.task,
        timeout=options.timeout,
        exact=options.exact,
        weights=options.weights,
        forbid_singletons=options.forbid_singletons,
        json_file=options.json,
        quiet=options.quiet,
        prolog=options.prolog,
        solver=options.solver,
        solver_format=options.solver_format,
        memory=options.memory,
        constraints=options.constraints,
        method=options.method,
    )


def add_evaluate(commands: Commands[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "evaluate",
        help="test a program on the examples of a task",
        description="Tests a program on the examples of a task: confusion matrix, accuracies, size and cost.",
        epilog="examples:\n  maxsynth evaluate program.pl mytask\n"
        "  maxsynth evaluate program.pl mytask --test --json -",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("program", metavar="PROGRAM", type=Path, help="a file of rules (- for standard input)")
    command.add_argument("task", metavar="TASK_FOLDER", type=Path, help="the folder of the task")
    command.add_argument("--test", action="store_true", help="use the examples and BK in the folder's test/")
    command.add_argument("--json", metavar="FILE", help="write the result there as JSON (- for standard output)")
    command.add_argument(
        "--steps", type=positive, metavar="N", help="steps that a recursive program may take for an example"
    )
    add_prolog_option(command)
    command.set_defaults(run=run_evaluate)


def run_evaluate(options: argparse.Namespace) -> int:
    from maxsynth import report

    return report.evaluate(
        options.program,
        options.task,
        test=options.test,
        prolog=options.prolog,
        steps=options.steps,
        json_file=options.json,
    )


def add_check(commands: Commands[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "check",
        help="read a task and report what is wrong with it",
        description="Reads everything in a task folder and reports what is wrong or doubtful.",
        epilog="examples:\n  maxsynth check mytask\n  maxsynth check mytask --prolog swipl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("task", metavar="TASK_FOLDER", type=Path, help="the folder of the task")
    add_prolog_option(command)
    command.set_defaults(run=run_check)


def run_check(options: argparse.Namespace) -> int:
    from maxsynth import report

    return report.check(options.task, prolog=options.prolog)


def add_verify(commands: Commands[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "verify",
        help="check a result of learn with independent, simple code",
        description="Checks a result of `maxsynth learn --json`: counts, size and cost, by a second, simple\n"
        "evaluator, and that the bias allows the program. That no better program exists cannot be checked.\n"
        "Exit status: 0 when all checks hold, 1 when one fails, 2 for bad input.",
        epilog="examples:\n  maxsynth verify result.json\n  maxsynth verify result.json --task mytask --prolog swipl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("result", metavar="RESULT", type=Path, help="the JSON of a run (- for standard input)")
    command.add_argument("--task", metavar="FOLDER", type=Path, help="where the task is now (default: where it was)")
    command.add_argument(
        "--prolog",
        choices=("builtin", "swipl"),
        help="builtin: BK's rules by the built-in Prolog, the program by a simple evaluator; swipl: SWI-Prolog proves "
        "each example by itself (default: the simple evaluator, and BK's rules as when the result was learned)",
    )
    command.add_argument("--steps", type=positive, metavar="N", help="steps that the simple evaluator may take for an "
                         "example")  # fmt: skip
    command.set_defaults(run=run_verify)


def run_verify(options: argparse.Namespace) -> int:
    from maxsynth import verify

    return verify.verify(options.result, folder=options.task, prolog=options.prolog, steps=options.steps)


def add_demo(commands: Commands[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "demo",
        help="learn from a generated task and compare with its hidden rule",
        description="Makes a task with a hidden rule and some labels wrong, learns from it, and shows what was found.",
        epilog="examples:\n  maxsynth demo\n  maxsynth demo zendo --noise 10 --seed 7 --save mytask",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("name", metavar="NAME", nargs="?", default="zendo", help="which task (default: zendo)")
    command.add_argument("--save", metavar="FOLDER", type=Path, help="keep the task there, in a new folder")
    command.add_argument("--seed", type=natural, default=1, metavar="N", help="another task of the kind (default: 1)")
    command.add_argument(
        "--noise", type=percentage, default=20.0, metavar="PERCENT", help="how many labels are wrong (default: 20)"
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="end after S seconds with the best so far")
    command.set_defaults(run=run_demo)


def run_demo(options: argparse.Namespace) -> int:
    from maxsynth.demos import show

    return show.demo_command(
        options.name, seed=options.seed, noise=options.noise, timeout=options.timeout, save=options.save
    )


# -- values of options --------------------------------------------------------------------------------------

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds")
    return number


def weights(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(part.isdecimal() and 0 < int(part) < 1 << 20 for part in parts):
        raise argparse.ArgumentTypeError(f"`{text}` is not three positive integers SIZE,FP,FN")
    size, fp, fn = map(int, parts)
    return size, fp, fn


def memory(text: str) -> int:
    number, unit = text[:-1], text[-1:].upper()
    if unit not in UNITS or not number.isdecimal() or not 0 < int(number) < 1 << 30:
        raise argparse.ArgumentTypeError(f"`{text}` is not a size of memory, such as 500M or 2G")
    return int(number) * UNITS[unit]


def positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive integer")
    return number


def natural(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 0 on")
    return int(text)


def percentage(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"`{text}` is not a percentage from 0 to 100")
    return number


if __name__ == "__main__":
    sys.exit(main())
