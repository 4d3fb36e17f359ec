"""Columns that are tested: `p(X,B), B >= c` counts as one literal, where the bias says `tested(p,2).`

The same can be said without: a predicate of one argument for each column, comparison and number, by hand. Then all
costs must be the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import maxsynth
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import parse_program
from maxsynth.logic.tested import size_of
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import ASP, AUTO, Settings
from maxsynth.task.task import ReadTask
from maxsynth.verification.learned_literals import program_size
from maxsynth.verification.space import violations

COLUMNS = [Predicate("weight", 2), Predicate("price", 2)]


@dataclass(frozen=True)
class World:
    """Things with parts; both have numbers, some of which are missing."""

    facts: dict[str, list[tuple[object, ...]]]
    exs: str
    limits: str
    directed: bool
    wholes: int

    def bias(self, *, by_hand: bool) -> str:
        lines = ["head_pred(f,1). type(f,(thing,)). body_pred(part,2). type(part,(thing,piece)).", self.limits]
        if self.directed:
            lines.append("direction(f,(in,)). direction(part,(in,out)).")
        for column, kind in (("weight", "thing"), ("price", "piece")):
            lines.append(f"body_pred({column},2). type({column},({kind},{column}_value)).")
            if self.directed:
                lines.append(f"direction({column},(in,out)).")
            if not by_hand:
                lines.append(f"numbers({column}_value). tested({column},2).")
                continue
            for name in sorted(self.spelled(column)):
                lines.append(f"body_pred({name},1). type({name},({kind},)).")
                if self.directed:
                    lines.append(f"direction({name},(in,)).")
        return "\n".join(lines)

    def spelled(self, column: str) -> dict[str, list[str]]:
        values = sorted({value for _, value in self.facts[column]})
        return {
            f"{column}_{way}_{place}": [thing for thing, value in self.facts[column] if holds(value, cut)]
            for place, cut in enumerate(values)
            for way, holds in (("ge", lambda value, cut: value >= cut), ("le", lambda value, cut: value <= cut))
        }

    def bk(self, *, by_hand: bool) -> str:
        facts = {**self.facts}
        if by_hand:
            for column in ("weight", "price"):
                facts |= {name: [(thing,) for thing in things] for name, things in self.spelled(column).items()}
        return "".join(f"{name}({','.join(map(str, row))}).\n" for name, rows in facts.items() for row in rows)

    def task(self, *, by_hand: bool) -> ReadTask:
        bias = parse_bias(self.bias(by_hand=by_hand), "bias.pl")
        return ReadTask.from_texts("world", bias, (self.bk(by_hand=by_hand), "bk.pl"), (self.exs, "exs.pl"))


def random_world(rng: random.Random) -> World:
    things, values = rng.randint(4, 14), rng.choice((3, 8, 20))
    some = [f"t{number}" for number in range(things)]
    parts = [(thing, f"p{thing}{number}") for thing in some for number in range(rng.randint(0, 3))]
    weight = [(thing, rng.randrange(values)) for thing in some if rng.random() < 0.9]
    price = [(part, rng.randrange(values)) for _, part in parts if rng.random() < 0.9]
    rng.shuffle(weight)
    labels = [
        (thing, (dict(weight).get(thing, 0) > values // 2) != (rng.random() < 0.25))
        for thing in (some if rng.random() < 0.7 else rng.choices(some, k=things))
    ]
    labels.append((some[0], True))
    exs = "".join(f"{'pos' if label else 'neg'}(f({thing})).\n" for thing, label in labels)
    limits = f"max_vars({rng.randint(2, 4)}). max_body({rng.randint(1, 4)})."
    singletons = " no_singletons." if rng.random() < 0.15 else ""
    facts: dict[str, list[tuple[object, ...]]] = {
        "part": [*parts] or [("t0", "p")],
        "weight": [*weight] or [("t0", 1)],
        "price": [*price] or [("p", 1)],
    }
    return World(facts, exs, limits + singletons, rng.random() < 0.6, things)


def learn(task: ReadTask, method: str = AUTO, **options: object) -> SearchResult:
    return Search(task, Settings(method=method, **options)).run()  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "usual", "large"), [(AUTO, 50, 4000), (ASP, 12, 400)])
def test_random_worlds(method: str, usual: int, large: int, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(usual, large)):
        world = random_world(random.Random(seed))
        exact = seed % 5 == 0
        by_hand = learn(world.task(by_hand=True), exact=exact)
        task = world.task(by_hand=False)
        found = learn(task, method, exact=exact)
        said = f"seed {seed}: {found.program} costs {found.cost}, by hand {by_hand.program} costs {by_hand.cost}"
        assert (found.status, found.cost) == (by_hand.status, by_hand.cost), said
        if found.program is not None:
            judged = evaluate_program(found.program, task)
            assert judged.cost == found.cost, said
            assert judged.size == program_size(found.program, task.bias) == found.size, said
            assert violations(found.program, task.bias) == [], said


def test_what_counts() -> None:
    sizes = {
        "f(A) :- weight(A,B), B >= 3.": 2,
        "f(A) :- weight(A,B), B >= 3, B =< 5.": 3,
        "f(A) :- weight(A,_).": 2,
        "f(A) :- weight(A,B), price(C,B), B >= 3.": 4,  # B is there for more than that
        "f(A) :- part(A,B), price(B,C), C =< 7.": 3,
        "f(A) :- weight(A,B), price(A,C), B < C.": 4,
        "f(A) :- weight(A,3).": 2,
        "f(A,B) :- weight(A,B), B >= 3.": 3,
        "f(A) :- weight(A,B), B >= 3, weight(A,C), C =< 5.": 3,
    }
    task = random_world(random.Random(1)).task(by_hand=False)
    for text, size in sizes.items():
        program = parse_program(text)
        assert size_of(program, COLUMNS) == size, text
        assert program_size(program, task.bias) == size, text


def test_a_range_has_one_variable() -> None:
    rows = [(f"t{number}", number) for number in range(30)]
    inside, outside = (
        [name for name, value in rows if value in range(8, 20)],
        [name for name, value in rows if value not in range(8, 20)],
    )
    task = maxsynth.Task(
        {"pos": {"f": inside}, "neg": {"f": outside}},
        {"weight": rows},
        {"type": {"f": ("thing",), "weight": ("thing", "kg")}, "numbers": ["kg"], "tested": ["weight/2"]},
    )
    result = maxsynth.learn(task)
    assert str(result.program) == "f(A) :- weight(A,B), B =< 19, B >= 8."
    assert (result.size, result.cost) == (3, 3)


@pytest.mark.parametrize(
    ("bias", "said"),
    [
        ("tested(weight,3).", "tested(weight,3) is about weight/3, which is no body_pred"),
        ("tested(part,2).", "tested(part,2): the last of two arguments must be compared with numbers"),
    ],
)
def test_a_wrong_directive_is_said(bias: str, said: str) -> None:
    with pytest.raises(MaxSynthError) as error:
        parse_bias(random_world(random.Random(1)).bias(by_hand=False) + "\n" + bias, "bias.pl")
    assert said in str(error.value)


def test_a_column_with_two_values_is_said() -> None:
    world = random_world(random.Random(1))
    world.facts["weight"] += [("t1", 1), ("t1", 2)]
    with pytest.raises(MaxSynthError) as error:
        learn(world.task(by_hand=False))
    assert "gives t1 more than one value" in str(error.value)


def test_recursive_programs_may_have_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A way over things that are light enough."""
    steps = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("b", "x"), ("x", "y"), ("y", "z"), ("e", "g")]
    weights = {"a": 2, "b": 3, "c": 1, "d": 2, "e": 3, "g": 1, "x": 9, "y": 8, "z": 2}
    light = {thing for thing, weight in weights.items() if weight <= 4}
    reach = {(one, two) for one, two in steps if two in light}
    for _ in steps:
        reach |= {(one, three) for one, two in steps if two in light for start, three in reach if start == two}
    pairs = [(one, two) for one in weights for two in weights if one != two]
    exs = "".join(f"{'pos' if pair in reach else 'neg'}(way({pair[0]},{pair[1]})).\n" for pair in pairs)
    bias = (
        "head_pred(way,2). body_pred(step,2). body_pred(weight,2). type(way,(n,n)). type(step,(n,n))."
        "type(weight,(n,kg)). numbers(kg). tested(weight,2). enable_recursion. max_vars(3). max_body(3)."
        "direction(way,(in,out)). direction(step,(in,out)). direction(weight,(in,out))."
    )
    folder = tmp_path / "ways"
    folder.mkdir()
    (folder / "exs.pl").write_text(exs)
    (folder / "bias.pl").write_text(bias)
    facts = [f"step({one},{two})." for one, two in steps] + [f"weight({one},{two})." for one, two in weights.items()]
    (folder / "bk.pl").write_text("\n".join(facts) + "\n")
    assert main(["learn", str(folder), "--quiet", "--json", str(tmp_path / "result.json")]) == 0
    assert "way(C,B)" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "result.json")]) == 0, capsys.readouterr().out
