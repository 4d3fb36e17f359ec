"""Aleph, run in SWI-Prolog where the file of its source is given: the port of Aleph 5 by Riguzzi and Giubelli.

The bias becomes modes and determinations. Directions give the modes; where there are none, a literal may have any one
of its arguments bound, or all. The settings are Aleph's defaults (coverage, no negatives), but for those that make its
space about that of the bias. When its time is up, Aleph has nothing to show.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from maxsynth.bench import commands
from maxsynth.bench.variants import Learned
from maxsynth.bias.bias import Bias
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Atom
from maxsynth.prolog.writer import term_text
from maxsynth.search.result import TIMEOUT
from maxsynth.task.task import Examples, ReadTask

NODES = 30_000  # clauses that one search may look at; Aleph's default of 5000 is little for these spaces
DEPTH = 4  # of variables, counted in literals from the head

GOAL = "induce(Program), is_list(Program), forall(member(Rule, Program), portray_clause(Rule))"
MODULE = re.compile(r"(?m)^:-\s*module\(\s*aleph\b")


def learn(source: Path, folder: Path, timeout: float) -> Learned:
    if not source.is_file():
        raise MaxSynthError(f"{source}: there is no such file", remedy="give the file of Aleph's source")
    if not MODULE.search(source.read_text(errors="replace")):
        raise MaxSynthError(
            f"{source}: this is not Aleph as a module of SWI-Prolog",
            remedy="give prolog/aleph.pl of the pack `aleph`; Aleph's original source does not load there",
        )
    if shutil.which("swipl") is None:
        raise MaxSynthError("Aleph needs SWI-Prolog, which is not installed", remedy="install swipl")
    task = ReadTask.from_folder(folder)
    with tempfile.TemporaryDirectory(prefix="maxsynth-aleph-") as scratch:
        file = Path(scratch) / "task.pl"
        file.write_text(translate(task, source.resolve(), (folder / "bk.pl").read_text()))
        command = f"swipl -q -f {file} -g '{GOAL}' -t halt"
        learned = commands.learn(command, folder, timeout, task.bias.head.name)
    # What it prints on the way is not its program.
    return dataclasses.replace(learned, program=None) if learned.status == TIMEOUT else learned


def translate(task: ReadTask, source: Path, bk: str) -> str:
    """The task as Aleph reads it."""
    bias = task.bias
    parts = [
        f":- use_module({term_text(Atom(str(source)))}).",
        ":- aleph.",
        f":- aleph_set(clauselength, {bias.max_body + 1}).",
        f":- aleph_set(i, {DEPTH}).",
        f":- aleph_set(nodes, {NODES}).",
        f":- modeh(*, {mode(bias.head, ['+'] * bias.head.arity, bias)}).",
        *(f":- modeb(*, {text})." for predicate in bias.body for text in modes(predicate, bias)),
        *(f":- determination({indicator(bias.head)}, {indicator(predicate)})." for predicate in bias.body),
        *section("bg", [bk]),
        *section("in_pos", atoms(task, task.positives)),
        *section("in_neg", atoms(task, task.negatives)),
        ":- aleph_read_all.",
    ]
    return "\n".join(parts) + "\n"


def modes(predicate: Predicate, bias: Bias) -> Iterator[str]:
    directions = bias.directions.get(predicate)
    if directions is not None:
        yield mode(predicate, ["-" if direction == "out" else "+" for direction in directions], bias)
        return
    arity = predicate.arity
    for bound in range(arity):
        yield mode(predicate, ["+" if position == bound else "-" for position in range(arity)], bias)
    if arity > 1:
        yield mode(predicate, ["+"] * arity, bias)


def mode(predicate: Predicate, signs: list[str], bias: Bias) -> str:
    types = bias.types.get(predicate, ("any",) * predicate.arity)
    arguments = (f"{sign}{term_text(Atom(str(name)))}" for sign, name in zip(signs, types, strict=True))
    name = term_text(Atom(predicate.name))
    return f"{name}({','.join(arguments)})" if signs else name


def indicator(predicate: Predicate) -> str:
    return f"{term_text(Atom(predicate.name))}/{predicate.arity}"


def section(name: str, lines: list[str]) -> list[str]:
    return [f":- begin_{name}.", *lines, f":- end_{name}."]


def atoms(task: ReadTask, examples: Examples) -> list[str]:
    return [f"{task.example_text(row)}." for row in examples.rows]
