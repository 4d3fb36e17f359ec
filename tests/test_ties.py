"""Features that tie head variables together: found by paths between near terms, with the rest sealed.

The random tasks of `test_learn` are small, and all their terms are near each other. Here the tasks are larger graphs
with few edges, in which most examples have no short path; the search with these prunings is compared with the search
without them, which brute force checks.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from maxsynth.kernel.features import Ties
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.search.rules import features
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

Graph = dict[str, set[tuple[str, ...]]]


def random_graph(rng: random.Random) -> tuple[Graph, list[str]]:
    """Sparse relations over some nodes; the second of them may be a copy of the first with a few edges changed."""
    nodes = [f"n{i}" for i in range(rng.randint(8, 30))]
    graph: Graph = {}
    for number in range(rng.randint(2, 3)):
        arity = rng.choices((1, 2, 3), (1, 8, 1))[0] if number else 2
        edges = {tuple(rng.choices(nodes, k=arity)) for _ in range(rng.randint(4, len(nodes) * 3 // 2))}
        if number and rng.random() < 0.3:
            edges = set(rng.sample(sorted(graph["p0"]), len(graph["p0"]) * 3 // 4))
        graph[f"p{number}"] = edges
    return graph, nodes


def walk(rng: random.Random, graph: Graph, node: str, steps: int) -> str:
    for _ in range(steps):
        around = sorted({other for rows in graph.values() for row in rows if node in row for other in row} - {node})
        node = rng.choice(around) if around else node
    return node


def write_task(rng: random.Random, folder: Path) -> None:
    """A task on a random graph whose positives are, most of them, a few steps apart, and whose negatives are not."""
    graph, nodes = random_graph(rng)
    arity = rng.choices((2, 3), (5, 1))[0]
    steps = rng.randint(1, 3)
    examples = []
    for label, share in (("pos", 0.8), ("neg", 0.2)):
        for _ in range(rng.randint(12, 30)):
            first = rng.choice(nodes)
            rest = [
                walk(rng, graph, first, steps) if rng.random() < share else rng.choice(nodes) for _ in range(arity - 1)
            ]
            examples.append(f"{label}(f({','.join([first, *rest])}), {rng.choice((1, 1, 2))}).\n")
    bias = [f"head_pred(f,{arity}).", *(f"body_pred({name},{len(next(iter(rows)))})." for name, rows in graph.items())]
    bias += [f"max_vars({rng.randint(arity + 1, arity + 3)}).", f"max_body({rng.randint(2, 4)})."]
    bias += ["no_singletons."] * (rng.random() < 0.3)
    facts = [f"{name}({','.join(row)}).\n" for name, rows in graph.items() for row in sorted(rows)]
    for name, lines in (("exs.pl", examples), ("bk.pl", facts), ("bias.pl", [line + "\n" for line in bias])):
        (folder / name).write_text("".join(lines))


def least(folder: Path, without: tuple[str, ...], tables: int | None = None) -> int | None:
    result = Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(tables=tables, without=without)).run()
    assert result.status == OPTIMAL
    return result.cost


@pytest.mark.parametrize("limits", [None, (40, 400, 8)], ids=["as always", "with small limits"])
def test_the_answer_is_that_of_the_plain_search(
    tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch, limits: tuple[int, ...] | None
) -> None:
    if limits is not None:
        monkeypatch.setattr(features, "Ties", lambda *arguments: Ties(*arguments[:3], *limits))
    first = 0 if limits is None else 500_000
    for seed in range(first, first + effort(25, 3000)):
        rng = random.Random(seed)
        write_task(rng, tmp_path)
        wanted = least(tmp_path, ("ties",))
        assert least(tmp_path, ()) == wanted, f"seed {seed}"
        assert least(tmp_path, ("partners",), tables=1) == wanted, f"seed {seed}, in blocks"


def distance(edges: list[tuple[int, int]], first: int, last: int) -> float:
    """The least number of edges between two terms, whatever their direction."""
    seen, queue = {first: 0}, deque([first])
    while queue:
        term = queue.popleft()
        for a, b in edges:
            for here, there in ((a, b), (b, a)):
                if here == term and there not in seen:
                    seen[there] = seen[term] + 1
                    queue.append(there)
    return seen.get(last, float("inf"))


def test_near_examples_are_those_with_a_short_path() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        count = rng.randint(3, 25)
        edges = [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(1, count))]
        rows = np.array([(rng.randrange(count), rng.randrange(count)) for _ in range(10)], dtype=np.int32)
        longest = rng.randint(1, 5)
        limits = [rng.choice((1, 10, 1 << 20)) for _ in range(3)]
        ties = Ties(rows, [np.array(edges, dtype=np.int32)], longest, *limits)
        within = [distance(edges, int(a), int(b)) <= longest for a, b in rows]
        if min(limits) == 1 << 20:
            assert ties.near_examples(0) == within
        else:
            assert all(near or not truth for near, truth in zip(ties.near_examples(0), within, strict=True))
