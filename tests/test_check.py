"""What `check` says must be true: held against a listing of all rules, and shown on tasks with one flaw each."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.bias.parsing import read_bias
from maxsynth.checks import reach
from maxsynth.checks.examples import forced_errors
from maxsynth.checks.meeting import columns, suggested_types, usable
from maxsynth.checks.reach import find_unreached
from maxsynth.checks.report import examine, number_text
from maxsynth.checks.space_size import most_rules
from maxsynth.cli import main
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations
from oracle.brute_force import all_rules, covers, optimum
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


def random_tasks(folder: Path, count: int, first: int = 0) -> list[tuple[SmallTask, ReadTask]]:
    """Random tasks, most of them with positives that no rule covers: a few more positives are put in."""
    made = []
    for seed in range(first, first + count):
        rng = random.Random(seed)
        task = random_task(rng, most_bodies=250)
        values = sorted({value for _, args in task.facts for value in args} | {"stranger"})
        task.positives += [(tuple(rng.choices(values, k=task.head[1])), 1) for _ in range(6)]
        task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.2)
        task.write(folder)
        made.append((task, ReadTask.from_folder(folder, prolog="builtin")))
    return made


# -- against a listing of all rules ---------------------------------------------------------------------------


@pytest.mark.parametrize("lazy", [False, True])
def test_unreached_positives_are_those_that_no_rule_covers(
    tmp_path: Path, effort: Callable[[int, int], int], lazy: bool
) -> None:
    seen = {True: 0, False: 0}
    for small, task in random_tasks(tmp_path, effort(70, 5000), first=1000 * lazy):
        if lazy:
            task.background.close = lambda *_, **__: set()  # type: ignore[method-assign]
        atoms = list(dict.fromkeys(atom for atom, _ in small.positives))
        rules = all_rules(small)
        reached = {atom for atom in atoms if any(covers(small, rule, atom) for rule in rules)}
        found = find_unreached(task)
        store = task.background.store
        unreached = {tuple(str(getattr(store.term(v), "name", "")) for v in row) for row in found.unreached}
        assert not found.undecided
        assert unreached == set(atoms) - reached, small.describe()
        for atom in atoms:
            seen[atom in reached] += 1
    assert min(seen.values()) > 50


def test_what_would_let_a_positive_in_is_true(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """The rule that is named covers the example, and is in the space with the change that is named."""
    changes = 0
    for _, task in random_tasks(tmp_path, effort(60, 2000), first=5000):
        for row, reason in find_unreached(task).unreached.items():
            if "would cover it" not in reason:
                continue
            change, _, text = reason.rpartition(", `")
            rule = parse_program(text.split("` would")[0])
            bias = next(bias for what, bias in reach.relaxed(task) if what == change)
            assert violations(rule, bias) == []
            assert violations(rule, task.bias) != []
            one = dataclasses.replace(task, bias=bias, positives=pick(task, row), negatives=pick(task, None))
            assert evaluate_program(rule, one).confusion.tp == 1
            changes += 1
    assert changes > 10


def pick(task: ReadTask, row: tuple[int, ...] | None) -> object:
    chosen = [i for i, known in enumerate(task.positives.rows.tolist()) if tuple(known) == row][:1]
    return dataclasses.replace(
        task.positives,
        rows=task.positives.rows[chosen],
        weights=task.positives.weights[chosen],
        lines=[1] * len(chosen),
    )


def test_the_space_is_no_larger_than_said(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for small, task in random_tasks(tmp_path, effort(50, 3000), first=9000):
        assert len(all_rules(small)) <= most_rules(task.bias)


def test_unusable_predicates_are_in_no_rule(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    unusable = 0
    for small, task in random_tasks(tmp_path, effort(70, 3000), first=20_000):
        used = {Predicate(name, len(args)) for rule in all_rules(small) for name, args in rule.body}
        assert used <= usable(task.bias)
        unusable += len(set(task.bias.body) - usable(task.bias))
    assert unusable > 1


def test_every_program_makes_the_forced_errors(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """The least cost is at least what no program can avoid."""
    for small, task in random_tasks(tmp_path, effort(60, 2000), first=30_000):
        cheap = dataclasses.replace(small, weights=(1, 1, 1), exact=False)
        assert forced_errors(task, set(find_unreached(task).unreached)) <= optimum(cheap)[0]


def test_suggested_types_lose_nothing(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    suggested = 0
    for seed, (small, _) in enumerate(random_tasks(tmp_path, effort(60, 3000), first=40_000)):
        # Some columns get values that occur in no others.
        rng = random.Random(seed)
        prefix = {(name, i): rng.choice(("", "", "u_", "v_")) for name, arity in small.body for i in range(arity)}
        facts = [(name, tuple(prefix[name, i] + value for i, value in enumerate(args))) for name, args in small.facts]
        untyped = dataclasses.replace(small, facts=facts, types=None, one_of_type=(), directions=None)
        untyped.write(tmp_path)
        task = ReadTask.from_folder(tmp_path, prolog="builtin")
        known = columns(task)
        types = suggested_types(task.bias, known) if known is not None else []
        if types:
            before = Search(task, Settings()).run().cost
            (tmp_path / "bias.pl").write_text((tmp_path / "bias.pl").read_text() + "\n".join(types))
            typed = ReadTask.from_folder(tmp_path, prolog="builtin")
            assert typed.bias.types
            assert Search(typed, Settings()).run().cost == before
            suggested += 1
    assert suggested > 10


# -- flaws, one at a time ---------------------------------------------------------------------------------------

KIN = {
    "bias": "head_pred(gp,2).\nbody_pred(parent,2).\nbody_pred(old,1).\nmax_vars(3).\nmax_body(3).\n"
    "type(gp,(person,person)).\ntype(parent,(person,person)).\ntype(old,(person,)).\n",
    "bk": "parent(a,b).\nparent(b,c).\nparent(b,d).\nparent(e,a).\nold(e).\nold(a).\n",
    "exs": "pos(gp(a,c)).\npos(gp(a,d)).\npos(gp(e,b)).\nneg(gp(a,b)).\nneg(gp(c,a)).\n",
}

DIRECTIONS = "direction(parent,(in,out)).\ndirection(old,(in,)).\n"


def flawed(make_task: MakeTask, **changes: tuple[str, str]) -> Path:
    """The task with one text replaced by another in some files."""
    files = dict(KIN)
    for name, (old, new) in changes.items():
        assert old in files[name]
        files[name] = files[name].replace(old, new)
    return make_task(**files)


def checked(folder: Path, capsys: Capture) -> list[str]:
    assert main(["check", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines: list[str] = out.splitlines()
    return lines


def test_nothing_wrong(make_task: MakeTask, capsys: Capture) -> None:
    assert checked(flawed(make_task), capsys) == [
        "examples    3 positive, 2 negative, of gp/2",
        "background  6 facts, 0 rules",
        "bias        2 predicates, at most 3 variables and 3 body literals",
        "space       at most 129 rules",
        "effort      fewer than 100 tests to generate the rules: less than a second",
        "hint: max_body(1) loses nothing: a larger rule costs as much as the 3 positive examples it could cover "
        "(but for --exact and --weights)",
        "nothing wrong was found",
    ]


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        (
            "  `gp(a,zoe)`: nothing is true of `zoe` (argument 2, of type person): a literal of parent/2 or old/1 that "
            "is true of it would be needed",
            {"exs": ("neg(gp(a,b))", "pos(gp(a,zoe))")},
        ),
        (
            "warning: every program of the space is wrong on at least 1 example",
            {"exs": ("neg(gp(a,b))", "pos(gp(a,zoe))")},
        ),
        (
            "warning: old/1 is never true: no rule with it covers anything (check bk.pl, or remove it from bias.pl)",
            {"bk": ("old(e).\nold(a).", ":- dynamic old/1.")},
        ),
        (
            "warning: old/1 can be in no rule: neither the head nor a predicate that can be reached from it has type "
            "dog",
            {"bias": ("type(old,(person,))", "type(old,(dog,))")},
        ),
        (
            "warning: no rule is possible: argument 2 of gp/2 has type dog, and every head variable must occur in a "
            "body, but no predicate that a rule can use takes a dog",
            {"bias": ("type(gp,(person,person))", "type(gp,(person,dog))")},
        ),
        (
            "warning: argument 1 of old/1 has type person, but shares no value with any other argument of that type: "
            "no rule that covers anything joins it with one of them",
            {"bk": ("old(e).\nold(a).", "old('E').\nold('A').")},
        ),
        (
            "warning: {folder}/exs.pl:5: `gp(a,c)` is a negative and (line 1) a positive example",
            {"exs": ("neg(gp(c,a))", "neg(gp(a,c))")},
        ),
        (
            "warning: {folder}/exs.pl:5: the negative example `gp(a,b)` is listed 2 times",
            {"exs": ("neg(gp(c,a))", "neg(gp(a,b))")},
        ),
        (
            "warning: with one positive example no program costs less than the empty one, since a rule has two "
            "literals at least (give more, or use --exact, or --weights)",
            {"exs": ("pos(gp(a,c)).\npos(gp(a,d)).\n", "")},
        ),
        (
            "hint: BK has facts of cat/1, which bias.pl does not declare: no rule uses them",
            {"bk": ("old(e)", "cat(tom). old(e)")},
        ),
        (
            "hint: old/1 and aged/1 hold of the same values: one of them is enough",
            {
                "bias": ("body_pred(old,1)", "body_pred(old,1). body_pred(aged,1). type(aged,(person,))"),
                "bk": ("old(e)", "aged(a). aged(e). old(e)"),
            },
        ),
        (
            "hint: these types keep apart what never meets, and lose nothing: type(gp,(t1,t1)). type(parent,(t1,t1)). "
            "type(old,(t2,)).",
            {
                "bias": ("type(gp,(person,person)).\ntype(parent,(person,person)).\ntype(old,(person,)).", ""),
                "bk": ("old(e).\nold(a).", "old(x)."),
            },
        ),
        (
            "  `gp(c,y)`: without directions, `gp(A,B) :- parent(_,A), parent(_,B).` would cover it",
            {
                "bias": ("max_vars(3).", "max_vars(4). direction(gp,(in,in)).\n" + DIRECTIONS),
                "bk": ("parent(b,c).", "parent(b,c). parent(x,y)."),
                "exs": ("pos(gp(a,c))", "pos(gp(c,y))"),
            },
        ),
    ],
)
def test_a_flaw_is_named(said: str, changes: dict[str, tuple[str, str]], make_task: MakeTask, capsys: Capture) -> None:
    folder = flawed(make_task, **changes)
    assert said.format(folder=folder) in checked(folder, capsys)


def test_limits_that_keep_a_positive_out(make_task: MakeTask, capsys: Capture) -> None:
    bias = "head_pred(f,2).\nbody_pred(p,2).\nbody_pred(q,2).\nmax_vars(3).\nmax_body({body}).\n"
    bias += "type(f,(s,t)).\ntype(p,(s,s)).\ntype(q,(s,t)).\n"
    bias += "direction(f,(in,out)).\ndirection(p,(in,out)).\ndirection(q,(in,out)).\n"
    folder = make_task(bias.format(body=1), "p(a,b).\nq(b,c).\nq(z,z).\n", "pos(f(a,c)).\npos(f(z,z)).\nneg(f(b,b)).\n")
    assert "  `f(a,c)`: with max_body(2), `f(A,B) :- p(A,C), q(C,B).` would cover it" in checked(folder, capsys)
    folder = make_task(
        bias.format(body=3).replace("max_vars(3)", "max_vars(2)"),
        "p(a,b).\nq(b,c).\nq(z,z).\n", "pos(f(a,c)).\npos(f(z,z)).\nneg(f(b,b)).\n",
    )  # fmt: skip
    assert "  `f(a,c)`: with max_vars(3), `f(A,B) :- p(A,C), q(C,B).` would cover it" in checked(folder, capsys)


def test_an_effort_too_large_is_not_decided(
    make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach.uncovered, "__defaults__", (3,))
    folder = flawed(make_task, bias=("max_body(3)", "max_body(3). no_singletons"), exs=("neg(gp(a,b))", "pos(gp(a,c))"))
    assert any("within the effort allowed for this check" in line for line in checked(folder, capsys))


def test_recursion_and_invention_are_left_alone(make_task: MakeTask, capsys: Capture) -> None:
    """A recursive program may cover what no single rule does, so nothing is said of that."""
    folder = flawed(
        make_task, bias=("max_vars(3)", "enable_recursion. max_vars(3)"), exs=("neg(gp(a,b))", "pos(gp(a,zoe))")
    )
    lines = checked(folder, capsys)
    assert "space       at most 129 rules without recursion" in lines
    assert not any("no rule of the space" in line or line.startswith("effort") for line in lines)


def test_json(make_task: MakeTask, capsys: Capture) -> None:
    folder = flawed(make_task, exs=("neg(gp(c,a))", "neg(gp(a,c))"))
    assert main(["check", str(folder), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    report = examine(ReadTask.from_folder(folder), str(folder / "exs.pl"))
    assert found == {"task": str(folder), **dict(report.facts), "warnings": report.warnings, "hints": report.hints}
    assert found["space"] == "at most 129 rules"


def test_bounds_are_rounded_up() -> None:
    assert [number_text(n) for n in (987, 999_999, 1_000_000, 1_234_567, 9_990_000)] == [
        "987", "999,999", "1.1e6", "1.3e6", "1.0e7",
    ]  # fmt: skip


def test_the_count_of_a_small_space_by_hand(tmp_path: Path) -> None:
    (tmp_path / "bias.pl").write_text("head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(1).\nmax_body(2).\n")
    assert most_rules(read_bias(tmp_path / "bias.pl")) == 3  # p; q; p and q


# -- after learning -----------------------------------------------------------------------------------------------


def test_learn_says_why_it_found_nothing(make_task: MakeTask, capsys: Capture) -> None:
    folder = flawed(make_task, bk=("parent(a,b).\n", ""), exs=("pos(gp(e,b))", "pos(gp(e,zoe))"))
    assert main(["learn", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out == "% the empty program\n"
    assert "What `maxsynth check` would say:\n  no rule of the space covers 1 of the 3 positive examples:\n" in err
    assert main(["learn", str(folder), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_exact_mode_says_why_there_is_none(make_task: MakeTask, capsys: Capture) -> None:
    folder = flawed(make_task, exs=("neg(gp(c,a))", "neg(gp(a,c))"))
    assert main(["learn", str(folder), "--exact"]) == 1
    out, err = capsys.readouterr()
    assert out == "% no program without errors exists in this space\n"
    assert "every program of the space is wrong on at least 1 example\n" in err


def test_learn_says_when_nothing_is_wrong(make_task: MakeTask, capsys: Capture) -> None:
    assert main(["learn", str(flawed(make_task))]) == 0
    assert "`maxsynth check` finds nothing wrong" in capsys.readouterr().err
