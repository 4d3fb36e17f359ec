"""Arguments that several commands take, and what they mean."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from maxsynth.commands.arguments.parser import Command
from maxsynth.commands.arguments.values import natural, positive, share
from maxsynth.errors import MaxSynthError, Position

if TYPE_CHECKING:
    from maxsynth.bias.bias import Overrides
    from maxsynth.commands.learn_options import LearnOptions
    from maxsynth.commands.tables.options import DataOptions

TABLES = (".sqlite", ".sqlite3", ".db", ".duckdb", ".csv", ".tsv", ".parquet", ".nt", ".ttl")  # what data is called


def add_task(command: Command, nargs: str | None = None) -> None:
    """The usage line says all about it."""
    command.add_argument("task", metavar="TASK_FOLDER", type=Path, nargs=nargs, help=argparse.SUPPRESS)


def add_json_option(command: Command) -> None:
    command.add_argument("--json", metavar="FILE", help="write it all there as JSON (- for standard output)")


def add_prolog_option(command: Command) -> None:
    command.add_argument(
        "--prolog", choices=("auto", "builtin", "swipl"), default="auto", metavar="ENGINE",
        help="auto, builtin or swipl: what runs the rules of BK",
    )  # fmt: skip


def add_limit_options(command: Command) -> None:
    """One line for all three."""
    command.add_argument(
        "--max-body", type=positive, metavar="N", help="not as bias.pl says; or --max-vars, --max-clauses"
    )
    for name in ("--max-vars", "--max-clauses"):
        command.add_argument(name, type=positive, metavar="N", help=argparse.SUPPRESS)


def overrides_in(options: argparse.Namespace) -> Overrides:
    from maxsynth.bias.bias import Overrides

    return Overrides(options.max_vars, options.max_body, options.max_clauses)


def add_data_options(command: Command, *, brief: bool = False) -> None:
    """What to make of tables; `brief` shows only the first, so that the help fits a screen."""

    def shown(text: str) -> str:
        return argparse.SUPPRESS if brief else text

    more = "; see describe --help" if brief else " (of pairs)"
    command.add_argument("--target", metavar="T", help=f"TABLE.COLUMN[=VALUE], or TABLE{more}")
    command.add_argument(
        "--leave-out", action="append", default=[], metavar="COLUMN", help=shown("not in rules (may be repeated)")
    )
    command.add_argument(
        "--keep", action="append", default=[], metavar="COLUMN", help=shown("in rules although it looks useless")
    )
    command.add_argument("--negatives", type=positive, metavar="N", help=shown("drawn for each true pair (default: 1)"))
    command.add_argument("--closed-world", action="store_true", help=shown("all pairs that are not true are false"))
    command.add_argument(
        "--known", type=share, metavar="SHARE", help=shown("of true pairs, which rules may use; 0: none (default: 0.5)")
    )
    command.add_argument("--where", metavar="SQL", help=shown("only rows of the target's table with this condition"))
    command.add_argument("--seed", type=natural, metavar="N", help=shown("of what is drawn (default: 1)"))
    command.add_argument("--no-counts", action="store_true", help=shown("rules do not count rows that lead to a thing"))


def data_options_in(options: argparse.Namespace) -> DataOptions:
    from maxsynth.commands.tables.options import DataOptions

    return DataOptions(
        options.target,
        tuple(options.leave_out),
        tuple(options.keep),
        options.negatives,
        options.closed_world,
        options.where,
        options.seed,
        options.known,
        not options.no_counts,
    )


def learn_options_in(options: argparse.Namespace) -> LearnOptions:
    from maxsynth.commands.learn_options import LearnOptions

    given = {**vars(options), "json_file": options.json, "overrides": overrides_in(options)}
    return LearnOptions(**{field: given[field] for field in LearnOptions.__dataclass_fields__})


def is_data(options: argparse.Namespace) -> bool:
    """Whether tables are given, and not a task folder; an error where what is said of them does not fit."""
    given = options.task or ""
    data = options.target is not None or given.lower().endswith(".toml")
    if not data and given and are_tables(given):
        remedy = "say what to learn with --target TABLE.COLUMN, or TABLE for pairs"
        raise MaxSynthError("tables need a target", Position(given), remedy)
    if data and not given:
        raise MaxSynthError("--target is of tables, and none are given", remedy="name a file, a folder or a database")
    for name in ("leave_out", "keep", "negatives", "closed_world", "where", "seed", "known", "no_counts"):
        if getattr(options, name) not in (None, [], False) and not data:
            raise MaxSynthError(f"--{name.replace('_', '-')} is for tables", remedy="give --target TABLE.COLUMN too")
    return data


def are_tables(given: str) -> bool:
    """Whether it looks like data, and not like a task folder."""
    if "://" in given or given.lower().endswith(TABLES):
        return True
    names = os.listdir(given) if os.path.isdir(given) and os.access(given, os.R_OK) else []
    return "bias.pl" not in names and any(name.lower().endswith(TABLES) for name in names)
