"""Whether programs learned from real data cover the same in every form that they can be exported to.

.venv/bin/python benchmarks/exports.py [--data FOLDER] [--databases trains ...] [--relations 10]

Programs are learned from three databases, and for the most frequent relations of the graph CoDEx-S, by `maxsynth learn`
as a process of its own. What they cover, `maxsynth predict` says: of a database each key of the target's table; of a
relation its pairs in train.txt, and as many with the sides of two of them, drawn by a seed. All pairs are known then,
and none counts for itself, as in exports.

Each form is run by what it is for: SQL by SQLite (of a database, in the file itself, which is only read), DuckDB, and a
PostgreSQL server in a temporary folder; Python as a fresh process, on CSV files; Prolog by SWI-Prolog and Datalog by
Souffle, on the facts that they say they need. What is missing is said and left out. *same*: covers exactly what the
program covers; *DIFFERENT (3)*: does not, of three keys or pairs. If any differs or fails, the exit status is 1.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common import DEFAULT, print_head, print_row
from databases import DATABASES
from graphs import GRAPH, LIMIT, learn, triples
from maxsynth.data.meaning import Form, Meaning
from maxsynth.exporting.counts import needed
from maxsynth.exporting.export import subjects_of_file
from maxsynth.exporting.forms.datalog import DatalogExport
from maxsynth.exporting.subject import Subject
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.terms import Atom
from maxsynth.prolog.writer import atom_text, term_text

SEED = 1
MAXSYNTH = (sys.executable, "-m", "maxsynth")
FORMS = ("SQLite", "DuckDB", "PostgreSQL", "Python", "Prolog", "Datalog")
TYPES = {"integer": "BIGINT", "float": "DOUBLE PRECISION"}  # of SQLite's columns in other databases; or else text
UNSAYABLE = ("which SQL cannot say", "which Datalog cannot say", "holds for everything", "of different kinds")

Row = tuple[Any, ...]
Keys = set[tuple[str, ...]]  # or pairs; as texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    folders = f"databases/ and {GRAPH}/"
    parser.add_argument("--data", type=Path, default=DEFAULT, help=f"folder with {folders} (default: {DEFAULT})")
    parser.add_argument("--databases", nargs="*", choices=DATABASES, default=list(DATABASES))
    parser.add_argument("--relations", type=int, default=10, help="so many, the most frequent ones (default: 10)")
    options = parser.parse_args()
    files = [options.data / "databases" / f"{name}.sqlite3" for name in options.databases]
    files += [options.data / GRAPH / "train.txt"] if options.relations else []
    for file in files:
        if not file.is_file():
            print(f"no data: there is no {file}; this part needs it (see --data)")
    files = [file for file in files if file.is_file()]
    if not files:
        return
    right = True
    with tempfile.TemporaryDirectory() as scratch, postgres() as server:
        lacking = missing(server)
        for form, what in lacking.items():
            print(f"{form} is left out: {what}")
        print_head("program", "rules", "covered of asked", *FORMS)
        for file in files:
            data = Data(file, Path(scratch, file.stem))
            data.write_csv()
            with ExitStack() as stack:
                runs = running(data, server, lacking, stack)
                for name, target, how in questions(data, options.relations):
                    right &= show(data, name, target, how, runs)
    sys.exit(0 if right else 1)


def missing(server: str | None) -> dict[str, str]:
    needs = {
        "DuckDB": (find_spec("duckdb"), "the package duckdb is not installed"),
        "PostgreSQL": (server, "there is no server on this machine, or the package psycopg is not installed"),
        "Prolog": (shutil.which("swipl"), "SWI-Prolog is not installed"),
        "Datalog": (shutil.which("souffle"), "Souffle is not installed (the tests have a strict reader in its place)"),
    }
    return {form: why for form, (found, why) in needs.items() if not found}


def questions(data: Data, relations: int) -> list[tuple[str, str, list[str]]]:
    """What is asked of data: a name, a target, and options for it."""
    if data.is_graph:
        most = sorted(data.tables, key=lambda table: -len(data.rows(table, ["subject", "object"])))
        return [(relation, relation, []) for relation in most[:relations]]
    question = DATABASES[data.file.stem]
    return [(data.file.stem, question.target, [part for one in question.leave_out for part in ("--leave-out", one)])]


# -- data -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """What is learned from, and a folder for its tables as CSV files."""

    file: Path
    folder: Path

    @property
    def is_graph(self) -> bool:
        return self.file.suffix == ".txt"

    @cached_property
    def source(self) -> sqlite3.Connection:
        """The database itself; of a graph, one with a table for each relation."""
        if not self.is_graph:
            return sqlite3.connect(f"{self.file.resolve().as_uri()}?mode=ro", uri=True)
        made = sqlite3.connect(":memory:")
        for subject, relation, thing in triples(self.file):
            made.execute(f'CREATE TABLE IF NOT EXISTS "{relation}" ("subject" TEXT, "object" TEXT)')
            made.execute(f'INSERT INTO "{relation}" VALUES (?, ?)', (subject, thing))
        return made

    @cached_property
    def tables(self) -> dict[str, str]:
        """Each with the statement that makes it in another database."""
        found = {}
        for (table,) in self.source.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = self.source.execute(f'PRAGMA table_info("{table}")').fetchall()
            types = ", ".join(f'"{column[1]}" {TYPES.get(column[2].lower(), "VARCHAR")}' for column in columns)
            found[table] = f'CREATE TEMP TABLE "{table}" ({types})'
        return {table: made for table, made in found.items() if not table.startswith("sqlite_")}

    def csv(self, table: str) -> Path:
        return self.folder / f"{table}.csv"

    def write_csv(self) -> None:
        self.folder.mkdir()
        for table in self.tables:
            rows = self.source.execute(f'SELECT * FROM "{table}"')
            with self.csv(table).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([[column[0] for column in rows.description], *rows])

    def rows(self, table: str, columns: Sequence[str], where: str = "", *values: object) -> list[Row]:
        """What these columns have, where each has a value."""
        names = [f'"{column}"' for column in columns]
        tests = " AND ".join(f"{name} <> ''" for name in names)
        query = f'SELECT DISTINCT {", ".join(names)} FROM "{table}" WHERE {tests} {where}'
        return self.source.execute(query, values).fetchall()

    def facts(self, meaning: Meaning) -> list[Row]:
        """What a predicate is true of."""
        columns = [argument.column for argument in meaning.arguments]
        if meaning.form is Form.FLAG:
            return self.rows(meaning.table, columns, f'AND "{meaning.column}" = ?', meaning.equals)
        return self.rows(meaning.table, columns)


# -- a program, and what it covers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Learned:
    """A program, and which of the keys or pairs that were asked about it covers."""

    data: Data
    subject: Subject
    asked: list[Row]
    covered: Keys
    folder: Path  # with its result, and for files of its own

    def exported(self, *form: str) -> str:
        return output([*MAXSYNTH, "export", "result.json", "--to", *form], self.folder)


Run = Callable[[Learned], Keys]


def show(data: Data, name: str, target: str, how: list[str], runs: dict[str, Run]) -> bool:
    """A row for a program; whether no form differs."""
    with tempfile.TemporaryDirectory() as folder:
        found, cells = learn(data.file, target, Path(folder, "result.json"), [*how, "--timeout", str(LIMIT)])
        if not found:
            print_row(name, *cells, "", *[""] * len(FORMS))
            return False
        learned = predicted(data, target, Path(folder))
        said = [compared(learned, runs[form]) if form in runs else "missing" for form in FORMS]
    print_row(name, cells[0], f"{len(learned.covered):,} of {len(learned.asked):,}", *said)
    return all(one in ("same", "cannot say it", "missing") for one in said)


def predicted(data: Data, target: str, folder: Path) -> Learned:
    (subject,) = subjects_of_file((folder / "result.json").read_text(), "result.json")
    command = [*MAXSYNTH, "predict", "result.json", str(data.file.resolve()), "--csv", "-"]
    if data.is_graph:
        asked = drawn_pairs(data.rows(target, ["subject", "object"]))
        (folder / "asked.txt").write_text("".join(f"{one}\t{target}\t{other}\n" for one, other in asked))
        command += ["--pairs", "asked.txt"]
    else:
        meaning = subject.meanings[subject.target]
        asked = data.rows(meaning.table, [argument.column for argument in meaning.arguments])
    _, *rows = csv.reader(io.StringIO(output(command, folder)))
    rules = {tuple(keys): rule for *keys, _, rule in rows}  # those that fired
    assert set(rules) == texts(asked), "not what was asked"
    return Learned(data, subject, asked, {keys for keys, rule in rules.items() if rule}, folder)


def drawn_pairs(pairs: list[Row]) -> list[Row]:
    rng = random.Random(SEED)
    return list(dict.fromkeys([*pairs, *((rng.choice(pairs)[0], rng.choice(pairs)[1]) for _ in pairs)]))


def compared(learned: Learned, run: Run) -> str:
    try:
        found = run(learned)
    except Exception as error:  # of any package that runs it
        said = " ".join(str(error).split())
        return "cannot say it" if any(reason in said for reason in UNSAYABLE) else f"FAILS: {said}"
    if learned.data.is_graph:  # more pairs may be covered than were asked about
        found &= texts(learned.asked)
    wrong = len(found ^ learned.covered)
    return f"DIFFERENT ({wrong:,})" if wrong else "same"


def texts(rows: Iterable[Row]) -> Keys:
    return {tuple(map(str, row)) for row in rows}


def output(command: Sequence[str], folder: Path) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if run.returncode or run.stderr:
        raise RuntimeError(run.stderr or f"exit status {run.returncode}")
    return run.stdout


# -- forms, and what runs them --------------------------------------------------------------------------------------


def running(data: Data, server: str | None, lacking: dict[str, str], stack: ExitStack) -> dict[str, Run]:
    """What runs each form, with the tables in the databases."""
    runs: dict[str, Run] = {"Python": run_python, "Prolog": run_prolog, "Datalog": run_datalog}
    databases: dict[str, Callable[[Data], Any]] = {"DuckDB": duckdb, "PostgreSQL": partial(postgresql, server or "")}
    for form, load in {"SQLite": lambda data: data.source, **databases}.items():
        if form not in lacking:
            runs[form] = partial(run_sql, form.lower(), stack.enter_context(closing(load(data))))
    return {form: run for form, run in runs.items() if form not in lacking}


def run_sql(dialect: str, connection: Any, learned: Learned) -> Keys:
    return texts(connection.execute(learned.exported("sql", "--dialect", dialect)).fetchall())


def duckdb(data: Data) -> Any:
    import duckdb

    connection = duckdb.connect(":memory:", config={"threads": 1})
    for table, made in data.tables.items():
        connection.execute(made)
        connection.execute(f"COPY \"{table}\" FROM '{data.csv(table)}' (HEADER, DELIMITER ',')")
    return connection


def postgresql(server: str, data: Data) -> Any:
    import psycopg

    connection = psycopg.connect(server, autocommit=True, options="-c jit=off")
    for table, made in data.tables.items():
        connection.execute(made)
        with connection.cursor().copy(f'COPY "{table}" FROM STDIN (FORMAT csv, HEADER)') as copy:
            copy.write(data.csv(table).read_bytes())
    connection.execute("ANALYZE")
    return connection


@contextmanager
def postgres() -> Iterator[str | None]:
    """Where a server listens that runs as long as it is needed, and not as root, which it refuses; None without one."""
    found = shutil.which("initdb") or max(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), default=None)
    if not (found and find_spec("psycopg")):
        yield None
        return
    programs, user = Path(found).parent, "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="maxsynth-pg-") as folder:
        if user:
            shutil.chown(folder, user)

        def call(program: str, *args: str) -> None:
            command = [str(programs / program), "-D", f"{folder}/data", *args]
            subprocess.run(command, cwd=folder, user=user, stdout=subprocess.DEVNULL, check=True)

        call("initdb", "-E", "UTF8", "-A", "trust", "-U", "owner", "--no-sync")
        call("pg_ctl", "-w", "-l", f"{folder}/log", "-o", f"-F -k {folder} -h ''", "start")
        try:
            yield f"postgresql://owner@/postgres?host={folder}"
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")


def run_python(learned: Learned) -> Keys:
    (learned.folder / "rules.py").write_text(learned.exported("python"), encoding="utf-8")
    out = output([sys.executable, "-I", "rules.py", str(learned.data.folder)], learned.folder)
    return {tuple(row) for row in csv.reader(io.StringIO(out, newline=""))}


def run_prolog(learned: Learned) -> Keys:
    """Asks about each key or pair, by its number."""
    (learned.folder / "rules.pl").write_text(learned.exported("prolog"), encoding="utf-8")
    facts = [fact(one.predicate, row) for one in needed(learned.subject) for row in learned.data.facts(one)]
    facts += [fact("asked about", (number, *row)) for number, row in enumerate(learned.asked)]
    (learned.folder / "facts.pl").write_text("".join(facts), encoding="utf-8")
    args = ", ".join(f"X{place}" for place in range(learned.subject.target.arity))
    holds = f"{atom_text(learned.subject.target.name)}({args})"
    goal = f"forall(('asked about'(N, {args}), once({holds})), (write(N), nl))"
    out = output(["swipl", "-q", "-g", goal, "-t", "halt", "facts.pl", "rules.pl"], learned.folder)
    return texts(learned.asked[int(number)] for number in out.split())


def fact(name: str, row: Row) -> str:
    args = ", ".join(term_text(Atom(value) if isinstance(value, str) else value) for value in row)
    return f"{atom_text(name)}({args}).\n"


def run_datalog(learned: Learned) -> Keys:
    names = DatalogExport(learned.subject).names
    (learned.folder / "rules.dl").write_text(learned.exported("datalog"), encoding="utf-8")
    for one in needed(learned.subject):
        lines = ["\t".join(map(str, row)) + "\n" for row in learned.data.facts(one)]
        name = names[Predicate(one.predicate, one.arity)]
        (learned.folder / f"{name}.facts").write_text("".join(lines), encoding="utf-8")
    output(["souffle", "-F", ".", "-D", ".", "rules.dl"], learned.folder)
    found = (learned.folder / f"{names[learned.subject.target]}.csv").read_text(encoding="utf-8")
    return {tuple(line.split("\t")) for line in found.splitlines()}


if __name__ == "__main__":
    main()
