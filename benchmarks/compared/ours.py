"""MaxSynth in cross-validation on a database: rows that are held out have no label when the task is made."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

import maxsynth
from compared.folds import Mask
from compared.joined import joined_table
from compared.learners import Labels
from maxsynth.data.description import Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.rows import coded
from maxsynth.data.tables import NULL, Column, Data, Kind
from maxsynth.data.task import make_task


def without_labels(data: Data, table: str, column: str, rows: Mask) -> Data:
    """The same data, in which some rows lack what is to be learned."""
    changed = data.tables[table]
    columns = tuple(
        dataclasses.replace(one, codes=np.where(rows, np.int32(NULL), one.codes)) if one.name == column else one
        for one in changed.columns
    )
    return dataclasses.replace(data, tables={**data.tables, table: dataclasses.replace(changed, columns=columns)})


def with_joined(data: Data, description: Description, steps: int) -> Data:
    """The same data, with the columns of the joined table in the target's."""
    joined = joined_table(data, description, steps)
    table = data.tables[description.target.table]
    columns = []
    for name, values in zip(joined.names, joined.values.T, strict=True):
        if name.startswith("<"):
            distinct, codes = np.unique(values, return_inverse=True)
            missing = np.isnan(distinct)
            kept = distinct[~missing]
            codes = np.where(missing[codes], NULL, codes).astype(np.int32)
            kind = Kind.INTEGER if (kept == np.round(kept)).all() else Kind.REAL
            columns.append(Column(name, kind, kept if kind is Kind.REAL else kept.astype(np.int64), codes))
    wider = dataclasses.replace(table, columns=(*table.columns, *columns))
    return dataclasses.replace(data, tables={**data.tables, table.name: wider})


def predicted(
    data: Data,
    target: tuple[str, str],
    leave_out: Sequence[str],
    options: Mapping[str, object],
    labels: Labels,
    held_out: Mask,
) -> Labels:
    """The labels of the rows that are held out, by a program that is learned from the others.

    `options` are those of `maxsynth.learn`, and `other`: the value to learn is the more frequent one;
    `counts`: whether rules may count; `joined`: rules may use columns of the joined table (for so many steps).
    """
    options = dict(options)
    counts = bool(options.pop("counts", True))
    if steps := options.pop("joined", 0):
        data = with_joined(data, infer(data, ".".join(target), leave_out=list(leave_out)), int(str(steps)))
    known = without_labels(data, *target, held_out)
    description = infer(known, ".".join(target), leave_out=list(leave_out), counts=counts)
    if options.pop("other", False):
        other = description.target.aims[0].otherwise
        description = infer(known, f"{'.'.join(target)}={other}", leave_out=list(leave_out), counts=counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = maxsynth.learn(make_task(known, description), **options)
    assert result.task is not None
    assert result.task.origin is not None
    aim = Description.from_dict(result.task.origin).target.aims[0]  # of two values, the one that rules are about
    column = data.tables[target[0]].column(target[1])
    covered = np.asarray(result.predict({aim.predicate: keys_of(data, description, held_out)}), bool)
    return covered == label_of(column, aim.equals, labels)


def keys_of(data: Data, description: Description, rows: Mask) -> list[object]:
    meaning = description.target_meaning()
    key = coded(data.tables[meaning.table], meaning.arguments[0])
    return [key.values[code] for code in key.codes[rows].tolist()]


def label_of(column: Column, value: object, labels: Labels) -> bool:
    """Whether the rows with this value are those that are labelled."""
    values = column.values.tolist() if isinstance(column.values, np.ndarray) else column.values
    return bool(labels[column.codes == values.index(value)][0])
