"""Columns of a graph that share a value are joined, however the joining is done."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np

from maxsynth.data.inference.types import Union, join_all_that_share
from maxsynth.data.inference.values import Values
from maxsynth.data.tables import Column, Kind


def some_columns(chance: random.Random) -> dict[tuple[str, str], Values]:
    most = chance.choice([8, 20, 40])
    found = {}
    for number in range(chance.randint(1, 7)):
        values = [f"node {node}" for node in chance.sample(range(most), chance.randint(1, 6))]
        column = Column("subject", Kind.TEXT, values, np.arange(len(values), dtype=np.int32))
        found[f"relation {number}", "subject"] = Values(f"relation {number}", column)
    return found


def test_columns_that_share_a_value_are_joined_and_no_others() -> None:
    for seed in range(300):
        columns = some_columns(random.Random(seed))
        union, simple = Union(), Union()
        join_all_that_share(union, columns)
        for one, other in combinations(columns, 2):
            if columns[one].known & columns[other].known:
                simple.join(one, other)
        for one, other in combinations(columns, 2):
            assert (union.find(one) == union.find(other)) == (simple.find(one) == simple.find(other)), seed
