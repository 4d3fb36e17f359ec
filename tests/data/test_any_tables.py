"""Whatever tables there are: a task, or an error in a line; never anything else."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from data.small_tables import column, data
from maxsynth.data.description import Description
from maxsynth.data.inference.infer import infer
from maxsynth.data.tables import Data, Kind, Table
from maxsynth.data.task import make_task
from maxsynth.data.toml import description_text, read_task_file
from maxsynth.errors import MaxSynthError

NAMES = (
    "id", "Id", "select", "not", "a b", "it's", 'say "x"', "x\ny", "größe", "数", "is", "atom_length", "y_id", "t1_id",
    "1st", "", "DROP TABLE t; --", "pos", "type", "true", "_", "A", "head_pred", "#row", "in", "constants",
)  # fmt: skip
TEXTS = ("a", "b", "it's", "yes", "no", "\\", "\n", "数", "'quoted'", "", "A", "1", "%d", "/* x */")


def some_values(chance: random.Random, rows: int) -> tuple[list[Any], Kind | None]:
    """A column of some kind, with holes now and then."""
    kind = chance.randrange(8)
    holes = chance.random() < 0.3
    made: list[Any] = {
        0: [*range(rows)],
        1: [chance.randint(0, 3) for _ in range(rows)],
        2: [round(chance.gauss(0, 3), 1) for _ in range(rows)],
        3: [chance.choice(TEXTS) for _ in range(rows)],
        4: [f"n{number}" for number in range(rows)],
        5: [chance.random() < 0.5 for _ in range(rows)],
        6: [chance.randint(0, 20000) for _ in range(rows)],
        7: [chance.choice((0.0, 86400.0, 1e9 + 0.5)) for _ in range(rows)],
    }[kind]
    values = [None if holes and chance.random() < 0.3 else value for value in made]
    known = {0: Kind.INTEGER, 1: Kind.INTEGER, 2: Kind.REAL, 5: Kind.YES_NO, 6: Kind.DATE, 7: Kind.TIME}
    return values, known.get(kind, Kind.TEXT)


def some_data(chance: random.Random) -> Data:
    tables = []
    for name in chance.sample(NAMES, chance.randint(1, 3)):
        rows = chance.choice((0, 1, 2, 12, 30))
        columns = []
        for one in chance.sample(NAMES, chance.randint(1, 6)):
            values, kind = some_values(chance, rows)
            columns.append(column(one, values, kind))
        tables.append(Table(name, tuple(columns)))
    return data(*tables, form=chance.choice(("python", "csv")))


@pytest.mark.parametrize("seed", range(150))
def test_any_tables(seed: int) -> None:
    chance = random.Random(seed)
    world = some_data(chance)
    table = chance.choice(list(world.tables.values()))
    target = f"{table.name}.{chance.choice(table.columns).name}" if chance.random() < 0.9 else table.name
    try:
        found = infer(world, target)
        task = make_task(world, found, chance.choice(found.target.aims))
    except MaxSynthError:  # which is a line
        return
    meanings = [*found.meanings.values(), *(found.target_meaning(aim) for aim in found.target.aims)]
    assert len({meaning.predicate for meaning in meanings}) == len(meanings)
    assert Description.from_dict(json.loads(json.dumps(found.as_dict()))) == found
    again = read_task_file(Path("t.toml"), description_text(found, target))
    assert again.target == target
    result = maxsynth.learn(task, steps=50)
    assert result.program is not None
    assert result.cost == result.size + result.confusion().fp + result.confusion().fn
