"""Rules of the last sizes that are left out for what they can save: no program of least cost is lost by that."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import maxsynth.search.rules.features as generating
from maxsynth.bias.parsing import parse_bias
from maxsynth.search.checkpoints.phases import Phase
from maxsynth.search.choose import combine, last_size
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.last_size import LastSizes
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.learned_rules import cost as learned_cost
from oracle.random_tasks import random_task
from test_learn import check
from test_learned_search import check as check_learned
from test_learned_search import learn, task_of


@pytest.fixture(params=["before rules are made", "when there are too many"])
def always(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """It is done on every task, in many rounds, with no good program known before; gives how many rules are left."""
    if request.param == "before rules are made":
        monkeypatch.setattr(generating, "MANY", -1)
    else:
        monkeypatch.setattr(combine, "MOST_COVERED", -1)
    for name, value in (("FIRST", 3), ("AT_ONCE", 2), ("STEPS", 20), ("MOST_STEPS", 40)):
        monkeypatch.setattr(last_size, name, value)
    monkeypatch.setattr(Search, "look_around", lambda _: Phase.SET_UP)
    monkeypatch.setattr(Search, "look_further", lambda _: Phase.PRICE)
    monkeypatch.setattr(Combiner, "improve", lambda *_, **__: None)
    left: list[int] = []
    find = LastSizes.find

    def counted(self: LastSizes, *args: object) -> bool:
        found = find(self, *args)  # type: ignore[arg-type]
        left.append(len(self.pool) if self.pool is not None and found else -1)
        return found

    monkeypatch.setattr(LastSizes, "find", counted)
    return left


@pytest.mark.slow
@pytest.mark.parametrize("gone_through", [True, False])
def test_random_tasks(
    gone_through: bool,
    always: list[int],
    effort: Callable[[int, int], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not gone_through:  # then the gap is wide, and many rules are left
        list_only(monkeypatch)
    for seed in range(effort(80, 10_000)):
        check(random_task(random.Random(6_000_000 + seed)), tmp_path, seed)
    assert len(always) > effort(40, 5_000)
    assert min(always) >= 0
    assert gone_through or sum(count > 0 for count in always) > effort(25, 2_500)


def list_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules within the gap are listed, with no better program known, and chosen among in other ways."""
    of = LastSizes.__post_init__
    monkeypatch.setattr(LastSizes, "__post_init__", lambda self: (of(self), setattr(self, "improve", same))[0])
    monkeypatch.setattr(last_size, "MOST_LOOKS", -1)


def same(_: object, bound: int, *, exactly: bool = True) -> int:
    return bound


@pytest.mark.slow
def test_random_tasks_with_numbers(always: list[int], effort: Callable[[int, int], int], tmp_path: Path) -> None:
    """Thresholds make chains of items, which are gone through in blocks."""
    for seed in range(2_000_000, 2_000_000 + effort(25, 5_000)):
        task, least = task_of(seed)
        check_learned(task, learn(task, tmp_path), tmp_path, least, learned_cost, f"seed {seed}")
    assert len(always) > effort(10, 1_500)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["gone through", "listed", "listed, narrow gap"])
def test_random_tables(
    way: str, always: list[int], effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables with long chains of thresholds, three tests in a rule: the same cost as when all conjunctions are kept.

    With a narrow gap, a program that costs just one less than the bound has all its rules in the list.
    """
    if way != "gone through":
        list_only(monkeypatch)
    find, least = LastSizes.find, [0]
    if way == "listed, narrow gap":
        monkeypatch.setattr(LastSizes, "find", lambda self, known, bound: find(self, known, min(bound, least[0] + 1)))
    for seed in range(effort(8, 600)):
        task = table_task(random.Random(seed))
        with monkeypatch.context() as never:
            never.setattr(generating, "MANY", 1 << 60)
            never.setattr(combine, "MOST_COVERED", 1 << 60)
            plain = Search(task, Settings()).run()
        assert plain.cost is not None
        least[0] = plain.cost
        found = Search(task, Settings()).run()
        assert (found.status, found.cost) == (plain.status, plain.cost), f"seed {seed}"
        assert found.confusion is not None
        assert found.program is not None
        errors = found.confusion.fp + found.confusion.fn
        assert found.size is not None
        assert found.size + errors == found.cost, f"seed {seed}"
    assert len(always) > effort(5, 500)
    assert way == "gone through" or sum(count > 0 for count in always) > effort(3, 250)


@pytest.mark.parametrize("limit", [":- clause(1).", ":- clause(2).", ":- size(N), N > 7."])
def test_limited_programs(
    limit: str, always: list[int], effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A better program that has too many rules takes no other one's place."""
    for seed in [72, *range(1_000, 1_000 + effort(8, 1_500))]:
        task = table_task(random.Random(seed), limit)
        with monkeypatch.context() as never:
            never.setattr(generating, "MANY", 1 << 60)
            never.setattr(combine, "MOST_COVERED", 1 << 60)
            plain = Search(task, Settings()).run()
        found = Search(task, Settings()).run()
        assert (found.status, found.cost) == (plain.status, plain.cost), f"seed {seed}"
    assert len(always) > effort(5, 900)


def table_task(rng: random.Random, constraint: str = "") -> ReadTask:
    """A few columns of numbers, some of which follow others; labels by two or three of them, some wrong."""
    columns, rows, values = rng.randint(2, 4), rng.randint(20, 60), rng.choice((4, 12, 40))
    base = [[rng.randrange(values) for _ in range(columns)] for _ in range(rows)]
    if rng.random() < 0.5:  # so that thresholds of different columns cover much the same
        base = [[(value + row[0]) // 2 for value in row] for row in base]
    tests = [(rng.randrange(columns), rng.random() < 0.5, rng.randrange(values)) for _ in range(rng.randint(1, 4))]
    noise = rng.choice((0.0, 0.1, 0.25))
    labels = [
        any(all((row[c] >= cut) == up for c, up, cut in part) for part in (tests[:2], tests[2:]) if part)
        != (rng.random() < noise)
        for row in base
    ]
    labels[0] = True
    bk = "".join(f"c{c}(r{r},{row[c]}).\n" for c in range(columns) for r, row in enumerate(base))
    exs = "".join(f"{'pos' if label else 'neg'}(f(r{r})).\n" for r, label in enumerate(labels))
    bias = "".join(
        f"body_pred(c{c},2). type(c{c},(row,v{c})). direction(c{c},(in,out)). numbers(v{c}).\n" for c in range(columns)
    )
    if rng.random() < 0.5:  # then a test is one literal, and a gap has room for one more
        bias += "".join(f"tested(c{c},2).\n" for c in range(columns))
    limits = f"max_body({rng.choice((4, 6))}). max_vars(4). max_numeric({rng.randint(2, 3)})."
    head = f"head_pred(f,1). type(f,(row,)). direction(f,(in,)). {limits}\n"
    text = head + bias + constraint
    return ReadTask.from_texts("table", parse_bias(text, "bias.pl"), (bk, "bk.pl"), (exs, "exs.pl"))


def test_a_table(always: list[int]) -> None:
    """Two tests of numbers in ten columns, with wrong labels: all pairs of tests are gone through, and few are kept."""
    rng = random.Random(1)
    rows = [[rng.randrange(30) for _ in range(6)] for _ in range(120)]
    labels = [(row[0] >= 12 and row[1] <= 18) != (rng.random() < 0.05) for row in rows]
    bk = "".join(f"c{c}(r{r},{value}).\n" for c in range(6) for r, value in enumerate(row[c] for row in rows))
    exs = "".join(f"{'pos' if label else 'neg'}(f(r{r})).\n" for r, label in enumerate(labels))
    columns = "".join(
        f"body_pred(c{c},2). type(c{c},(row,v{c})). direction(c{c},(in,out)). numbers(v{c}).\n" for c in range(6)
    )
    bias = f"head_pred(f,1). type(f,(row,)). direction(f,(in,)). max_body(4). max_vars(3).\n{columns}"
    task = ReadTask.from_texts("table", parse_bias(bias, "bias.pl"), (bk, "bk.pl"), (exs, "exs.pl"))
    result = Search(task, Settings()).run()
    assert result.status == "optimal"
    assert len(always) == 1
    assert 0 <= always[0] < 1000
    assert str(result.program) == "f(A) :- c0(A,B), B >= 12, c1(A,C), C =< 18."
