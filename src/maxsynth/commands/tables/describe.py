"""What `maxsynth describe` does and prints: what was inferred from tables, and why, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from maxsynth.commands.output import warn
from maxsynth.commands.tables.options import DataOptions, DataTask, read_data_task
from maxsynth.data.description import ColumnInfo, CountInfo, Description, Role, Shape, TableInfo
from maxsynth.data.inference.values import shown
from maxsynth.data.toml import description_text
from maxsynth.errors import one_line
from maxsynth.files import check_output, write_json, write_text

WIDE = 220  # letters, in a file
SHAPES = {
    Shape.ENTITY: "things",
    Shape.ROWS: "things without a key, named by their row",
    Shape.RELATION: "a relation",
    Shape.PAIRS: "things with a key of several columns",
}


def describe_command(source: str, asked: DataOptions, *, save: str | None, json_file: str | None) -> int:
    for file in (save, json_file):
        check_output(file, source)
    task = read_data_task(source, asked)
    for file in (save, json_file):
        check_output(file, task.description.place)
    if "-" not in (save, json_file):
        show(task)
    warn([*task.database.data.notes, *task.description.notes, *task.description.leaks])
    if save is not None:
        path = None if save == "-" else Path(save)
        write_text(description_text(task.description, task.target, path), save)
    if json_file is not None:
        write_json(task.description.as_dict(), json_file)
    return 0


def show(task: DataTask) -> None:
    """Prints the description as tables, as wide as they need in a file."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDE)
    description = task.description
    console.begin_capture()
    console.print(Text(f"{description.place}: {description.form}, {len(description.tables)} tables"))
    console.print(Text(f"target {task.target}: {description.target.why}, as {targets(task)}"))
    if description.target.pairs:
        console.print(Text(examples_line(description)))
    for info in description.tables:
        console.print()
        for line in headings(info):
            console.print(Text(line))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in ("  column", "role", "in rules", "type", "different", "empty", "such as", "why"):
            table.add_column(name, justify="right" if name in ("different", "empty") else "left", overflow="fold")
        told = [(cells_of(info, column), column.role is Role.LEFT_OUT) for column in info.columns]
        for cells, dim in [*told, *((count_cells(count), False) for count in info.counts)]:
            first, *rest = [Text(one_line(cell)) for cell in cells]
            table.add_row(Text("  ") + first, *rest, style="dim" if dim else "")
        console.print(table)
    print("\n".join(line.rstrip() for line in console.end_capture().splitlines()), flush=True)


def examples_line(description: Description) -> str:
    """What becomes of the pairs of the target, and which are taken to be false."""
    each, share = description.negatives, f"{100 * description.known:.4g}%"
    positive = f"{share} of the pairs are known, as {description.target.known}/2; the others"
    negative = f"{each} for each of these, drawn by seed {description.seed}" if each else "all others"
    return f"{positive if description.known else 'all pairs'} are positive examples; negative: {negative}"


def targets(task: DataTask) -> str:
    description = task.description
    parts = []
    for aim in description.target.all_aims:
        meaning = description.target_meaning(aim)
        value = "" if aim.equals is None else f" (= {shown(aim.equals, meaning.kind)})"
        parts.append(f"{aim.predicate}/{meaning.arity}{value}")
    return (", " if description.target.rival is None else " or ").join(parts)


def headings(table: TableInfo) -> Iterator[str]:
    shape = SHAPES[table.shape]
    predicate = f", as {table.predicate}/{sum(column.used for column in table.columns)}" if table.predicate else ""
    if table.shape is Shape.PAIRS and table.predicate:
        predicate = f", as {table.predicate}/{len(table.key)}"
    yield one_line(f"{table.name}: {table.rows:,} rows, {shape}{predicate}")
    if table.key:
        yield "  " + one_line(f"key {', '.join(table.key)}: {evidence(table.key_declared, table.key_why)}")
    else:
        yield f"  no key: {table.key_why}"
    for link in table.links:
        where = f"{', '.join(link.columns)} -> {link.table}.{', '.join(link.to)}"
        yield "  " + one_line(f"link {where}: {evidence(link.declared, link.why)}")


def evidence(declared: bool, why: str) -> str:
    return why if declared else f"a guess: {why}"


def cells_of(table: TableInfo, column: ColumnInfo) -> list[str]:
    predicate = ", ".join(filter(None, (column.predicate, column.opposite)))
    if table.shape is Shape.RELATION and column.used:
        place = [one.name for one in table.columns if one.used].index(column.name) + 1
        predicate = f"{table.predicate}, argument {place}"
    said = [f"LEAK? {column.leak}"] if column.leak else []
    if column.role not in (Role.KEY, Role.LINK):
        said.append(column.why)
    return [
        column.name,
        column.role.value,
        predicate,
        "" if column.role in (Role.LEFT_OUT, Role.FLAG) or not (column.used or column.table) else column.type,
        f"{column.distinct:,}",
        f"{column.missing:,}" if column.missing else "",
        ", ".join(column.examples),
        "; ".join(filter(None, said)),
    ]


def count_cells(count: CountInfo) -> list[str]:
    return [
        count.what,
        "count",
        count.predicate,
        count.type,
        f"{count.distinct:,}",
        "",
        f"{count.least:,} to {count.most:,}",
        f"LEAK? {count.leak}" if count.leak else "",
    ]
