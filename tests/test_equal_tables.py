"""Features count as equal when their tables are, and not when a hash of the tables is."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.random_tasks import random_task

MakeTask = Callable[..., Path]
MEMORY = (None, 1)  # tables in one piece, and key by key


def learn(folder: Path, settings: Settings, *, lazy: bool = False) -> SearchResult:
    task = ReadTask.from_folder(folder, prolog="builtin")
    if lazy:
        task.background.close = lambda *_, **__: set()  # type: ignore[method-assign]
    return Search(task, settings).run()


def test_with_a_hash_of_one_bit_all_is_found_and_counted_alike(
    tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    for seed in range(8_000_000, 8_000_000 + effort(50, 5000)):
        task = random_task(random.Random(seed))
        rng = random.Random(-seed)
        lazy = rng.random() < 0.3
        if rng.random() < 0.4:
            task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
        task.write(tmp_path)
        weights, memory = Weights(*task.weights), rng.choice(MEMORY)
        found = []
        for without in ((), ("hash",)):
            settings = Settings(weights, exact=task.exact, tables=memory, without=without)
            result = learn(tmp_path, settings, lazy=lazy)
            del result.counts["steps"]
            found.append((str(result.program), result.cost, result.counts))
        assert found[0] == found[1], f"seed {seed}\n{task.describe()}"


@pytest.mark.parametrize("memory", MEMORY)
def test_tables_that_differ_in_their_parity(make_task: MakeTask, memory: int | None) -> None:
    """All ways to choose one of two in each column: an even number of seconds in one table, an odd one in the other.

    Sums of products over such tables differ by a product of differences, and modulo a power of two that can be zero
    though no factor is: with the values chosen here it was, in the hash that once decided.
    """
    choices = [(6536, 4818), (1024, 263), (49, 4653), (1912, 5397), (5596, 4531), (3211, 5422)]
    rows = {name: [] for name in ("even", "odd")}  # type: dict[str, list[str]]
    for seconds in product((0, 1), repeat=6):
        values = [f"c{pair[second]}" for pair, second in zip(choices, seconds, strict=True)]
        rows["odd" if sum(seconds) % 2 else "even"].append(",".join(values))
    types = ",".join(f"t{column}" for column in range(6))
    bias = (
        "head_pred(f,1).\nbody_pred(even,7).\nbody_pred(odd,7).\nbody_pred(seen,6).\nmax_vars(7).\nmax_body(3).\n"
        f"type(f,(e,)).\ntype(even,(e,{types})).\ntype(odd,(e,{types})).\ntype(seen,({types})).\n"
    )
    facts = [f"c(c{number})." for number in range(8000)]  # which numbers terms: as they are first seen
    for example in range(12):
        for name, table in rows.items():
            facts += [f"{name}(p{example},{row})." for row in table]
            facts.append(f"{name}(n{example},{rows['even'][1]}).")
    facts.append(f"seen({rows['odd'][0]}).")
    examples = "".join(f"pos(f(p{example})).\nneg(f(n{example})).\n" for example in range(12))
    result = learn(make_task(bias, "\n".join(facts) + "\n", examples), Settings(tables=memory))
    assert (result.status, result.cost) == (OPTIMAL, 3)
    assert str(result.program) == "f(A) :- odd(A,B,C,D,E,F,G), seen(B,C,D,E,F,G)."


@pytest.mark.parametrize("memory", MEMORY)
def test_tables_of_which_not_all_was_asked_for(make_task: MakeTask, memory: int | None) -> None:
    """Each thing has two pairs. The first is even and low, so the second, which matters, was not asked about.

    That is enough to know what is covered, and was taken for the whole table. There are too many pairs of numbers to
    ask for all beforehand.
    """
    bias = (
        "head_pred(f,1).\nbody_pred(pair,3).\nbody_pred(even,2).\nbody_pred(low,2).\nbody_pred(marked,2).\n"
        "type(f,(thing,)).\ntype(pair,(thing,int,int)).\ntype(even,(int,int)).\ntype(low,(int,int)).\n"
        "type(marked,(int,int)).\ndirection(f,(in,)).\ndirection(pair,(in,out,out)).\ndirection(even,(in,in)).\n"
        "direction(low,(in,in)).\ndirection(marked,(in,in)).\nmax_vars(3).\nmax_body(3).\n"
    )
    rules = "even(X,Y) :- 0 is (X + Y) mod 2.\nlow(X,Y) :- X < Y.\n"
    pairs, marked, examples = [], [], []
    for i in range(0, 600, 10):
        pairs += [f"pair(p{i},{i},{i + 2}).", f"pair(p{i},{i + 1},{i + 4})."]
        pairs += [f"pair(n{i},{i + 5},{i + 7}).", f"pair(n{i},{i + 9},{i + 6})."]
        marked += [f"marked({i + 1},{i + 4}).", f"marked({i + 9},{i + 6})."]
        examples += [f"pos(f(p{i})).", f"neg(f(n{i}))."]
    folder = make_task(bias, rules + "\n".join([*pairs, *marked]) + "\n", "\n".join(examples) + "\n")
    result = learn(folder, Settings(tables=memory))
    assert (result.status, result.cost) == (OPTIMAL, 4)
    assert str(result.program) == "f(A) :- pair(A,B,C), low(B,C), marked(B,C)."


@pytest.mark.parametrize("without", [(), ("hash",)])
@pytest.mark.parametrize("memory", MEMORY)
def test_the_types_of_columns_count(make_task: MakeTask, memory: int | None, without: tuple[str, ...]) -> None:
    """p and q have the same facts, but only what q gives can be warm."""
    bias = (
        "head_pred(f,1).\nbody_pred(p,2).\nbody_pred(q,2).\nbody_pred(warm,1).\nmax_vars(2).\nmax_body(3).\n"
        "type(f,(thing,)).\ntype(p,(thing,paint)).\ntype(q,(thing,light)).\ntype(warm,(light,)).\n"
    )
    facts = "".join(f"p(x{i},c{i}).\nq(x{i},c{i}).\n" for i in range(12)) + "".join(f"warm(c{i}).\n" for i in range(6))
    examples = "".join(f"{'pos' if i < 6 else 'neg'}(f(x{i})).\n" for i in range(12))
    result = learn(make_task(bias, facts, examples), Settings(tables=memory, without=without))
    assert (result.cost, str(result.program)) == (3, "f(A) :- q(A,B), warm(B).")


@pytest.mark.parametrize("without", [(), ("hash",)])
def test_the_types_of_head_variables_count(make_task: MakeTask, without: tuple[str, ...]) -> None:
    """a and b hold of the same things, but only what b takes them for can be warm."""
    bias = (
        "head_pred(f,1).\nbody_pred(a,1).\nbody_pred(b,1).\nbody_pred(warm,1).\nmax_vars(2).\nmax_body(3).\n"
        "type(a,(paint,)).\ntype(b,(light,)).\ntype(warm,(light,)).\n"
    )
    things = range(18)
    facts = "".join(f"a(x{i}).\nb(x{i}).\n" for i in things if i < 12)
    facts += "".join(f"warm(x{i}).\n" for i in things if i < 6 or i >= 12)
    examples = "".join(f"{'pos' if i < 6 else 'neg'}(f(x{i})).\n" for i in things)
    result = learn(make_task(bias, facts, examples), Settings(without=without))
    assert (result.cost, str(result.program)) == (3, "f(A) :- b(A), warm(A).")
