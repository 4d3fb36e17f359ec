"""RelF of TreeLiker, by way of python-rdm: features of several tables, which a decision tree takes.

python-rdm writes the facts of each row as it does for its users, and calls TreeLiker, which is in its package and needs
Java. It asks for an old Orange, which has no wheels any more; what is used here does without, so it is installed by
`pip install --no-deps python-rdm` and its other dependencies. Columns with numbers are cut into four equal parts, since
RelF has no numbers; columns of the target's own table, which python-rdm leaves out, go to the tree as they are.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from compared.folds import Mask
from compared.joined import Numbers, plain
from compared.learners import Labels, Learner
from maxsynth.data.description import Description, Role
from maxsynth.data.tables import NULL, Data

COMMAND = "pip install --no-deps python-rdm PyMySQL psycopg2-binary liac-arff"
PARTS = 4
NEEDED = ("rdm", "pymysql", "psycopg2", "arff")


def missing() -> str:
    """How to get what is not there; empty if all is."""
    if any(importlib.util.find_spec(module) is None for module in NEEDED):
        return COMMAND
    return "" if shutil.which("java") else "install Java"


@dataclass(frozen=True)
class Facts:
    """The facts of each row as TreeLiker reads them, and what features are made of."""

    lines: list[str]  # in the order of rows
    template: str
    found: dict[bytes, tuple[Numbers, Numbers]] = field(default_factory=dict)  # features, by the rows that are held out


def facts(file: Path, data: Data, description: Description) -> Facts:
    from rdm.db import DBContext, SQLiteDBConnection, TreeLikerConverter

    table, column = description.target.table, description.target.column
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, file.name)
        shutil.copyfile(file, copy)  # python-rdm opens it for writing
        context = DBContext(SQLiteDBConnection(str(copy)), target_table=table, target_att=column, in_memory=False)
        for info in description.tables:
            gone = {one.name for one in info.columns if one.role is Role.LEFT_OUT} - set(info.key)
            context.cols[info.name] = [name for name in context.cols[info.name] if name not in gone]
        rows = context.rows(table, [column, context.pkeys[table]])
        converter = TreeLikerConverter(context, discr_intervals=cuts(data, description))
        lines = converter.dataset().splitlines()
    order = sorted(range(len(rows)), key=lambda row: rows[row][0])  # as python-rdm sorts them
    in_order = [""] * len(rows)
    for line, row in zip(lines, order, strict=True):
        in_order[row] = line.partition(" ")[2]
    return Facts(in_order, converter.default_template())


def cuts(data: Data, description: Description) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for info in description.tables:
        for one in info.columns:
            if one.role is Role.NUMBER:
                column = data.tables[info.name].column(one.name)
                values = np.asarray(plain(column), float)[column.codes[column.codes != NULL]]
                places = np.quantile(values, np.arange(1, PARTS) / PARTS)
                found.setdefault(info.name, {})[one.name] = sorted(set(places.tolist()))
    return found


def predicted(known: Facts, own: Numbers, learner: Learner, labels: Labels, held_out: Mask) -> Labels:
    """The labels of the rows that are held out: features are found, and a learner is fitted, on the others."""
    if held_out.tobytes() not in known.found:
        known.found[held_out.tobytes()] = features(known, labels, held_out)
    train, test = known.found[held_out.tobytes()]
    return learner(
        np.concatenate([train, own[~held_out]], axis=1),
        labels[~held_out],
        np.concatenate([test, own[held_out]], axis=1),
    )


def features(known: Facts, labels: Labels, held_out: Mask) -> tuple[Numbers, Numbers]:
    import arff

    texts = []
    for side, told in ((~held_out, True), (held_out, False)):
        rows = np.flatnonzero(side).tolist()
        # The label of a row that is held out is not told; both must occur for the file to be read.
        marks = [bool(labels[row]) if told else place % 2 == 0 for place, row in enumerate(rows)]
        texts.append("\n".join(f"{int(mark)} {known.lines[row]}" for mark, row in zip(marks, rows, strict=True)))
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=1")
    found = treeliker()(texts[0], known.template, texts[1], settings={"algorithm": "relf"}).run()
    tables = [arff.loads(text)["data"] for text in found]
    for text, rows in zip(texts, tables, strict=True):
        assert [line[0] for line in text.splitlines()] == [row[-1] for row in rows], "rows are in another order"
    train, test = (np.array([[value == "+" for value in row[:-1]] for row in rows], float) for rows in tables)
    return train, test


def treeliker() -> Any:
    """The class of python-rdm; the package that it is in cannot be imported without Orange."""
    import rdm

    file = Path(rdm.__path__[0], "wrappers", "treeliker", "treeliker.py")
    spec = importlib.util.spec_from_file_location("rdm_treeliker", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TreeLiker
