"""Invented predicates without recursion, by worlds: against clingo and brute force, and what is left to clingo."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxsynth.prolog.writer import term_text
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.programs.definitions import RuleList, Space
from maxsynth.search.programs.invention import InventingPrograms, can_invent
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import ASP, AUTO, Settings
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations
from oracle.calling import TooManyProgramsError, best_program, least_model, rule_runs, rules_of, text, types_agree
from oracle.inventing_tasks import bodies, random_inventing_task
from oracle.small_task import SmallTask

PATIENCE = 0.5  # seconds for clingo, and for us: where either takes longer, less is compared

BIAS = (
    "head_pred(t,2). body_pred(mother,2). body_pred(father,2). max_vars(4). max_body(3). max_clauses(3). enable_pi.\n"
)
FAMILY = [("a", "b", "c"), ("d", "e", "f"), ("c", "f", "g"), ("c", "f", "h"), ("i", "h", "j"), ("g", "k", "l")]
BK = "".join(f"mother({mother},{child}).\nfather({father},{child}).\n" for mother, father, child in FAMILY)


def read(task: SmallTask, folder: Path) -> ReadTask:
    task.write(folder)
    return ReadTask.from_folder(folder, prolog="builtin")


def learn(task: SmallTask, folder: Path, method: str = AUTO, timeout: float | None = PATIENCE) -> SearchResult:
    settings = Settings(weights=Weights(*task.weights), exact=task.exact, method=method, timeout=timeout)
    return Search(read(task, folder), settings).run()


def check(result: SearchResult, task: SmallTask, folder: Path, said: str) -> None:
    """The program is one of the space, and covers what the result says."""
    if result.program is not None:
        read_task = read(task, folder)
        assert violations(result.program, read_task.bias) == [], said
        assert evaluate_program(result.program, read_task).confusion == result.confusion, said


def test_the_cost_is_that_of_clingo(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Clingo need not come to an end: then it has found nothing better, and promises no more than is there."""
    compared = 0
    for seed in range(effort(12, 10_000)):
        task = random_inventing_task(random.Random(seed))
        if not can_invent(read(task, tmp_path)):
            continue
        ours, clingo = (learn(task, tmp_path, method) for method in (AUTO, ASP))
        said = f"seed {seed}: {ours.status} {ours.cost}, clingo {clingo.status} {clingo.cost}\n{task.describe()}"
        if ours.status == OPTIMAL:
            if clingo.status == OPTIMAL:
                compared += 1
                assert ours.cost == clingo.cost, said
            elif clingo.cost is not None:
                assert ours.cost is not None, said
                assert ours.cost <= clingo.cost, said
        check(ours, task, tmp_path, said)
    assert compared > 0


def test_the_cost_is_the_least(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    compared = 0
    for seed in range(100_000, 100_000 + effort(35, 6000)):
        task = random_inventing_task(random.Random(seed))
        if bodies(task) > 40 or not can_invent(read(task, tmp_path)):
            continue
        try:
            least, program = best_program(task, 5_000)
        except TooManyProgramsError:
            continue
        compared += 1
        result = learn(task, tmp_path, timeout=None)
        said = f"seed {seed}: {least} {text(program)}, found {result.cost} {result.program}\n{task.describe()}"
        assert (result.status, result.cost) == (OPTIMAL, least), said
        check(result, task, tmp_path, said)
    assert compared > effort(5, 200)


def test_every_relation_of_a_rule_is_listed_with_a_smallest_one(
    tmp_path: Path, effort: Callable[[int, int], int]
) -> None:
    compared = 0
    for seed in range(200_000, 200_000 + effort(25, 4000)):
        task = random_inventing_task(random.Random(seed))
        if bodies(task) > 700 or not can_invent(read(task, tmp_path)):
            continue
        compared += 1
        assert listed(task, tmp_path) == smallest(task), f"seed {seed}\n{task.describe()}"
    assert compared > effort(5, 500)


Known = dict[tuple[tuple[str, ...], frozenset[tuple[str, ...]], int], int]  # types, relation, inputs -> literals


def listed(task: SmallTask, folder: Path) -> Known:
    read_task = read(task, folder)
    space = Space(read_task, Memory())
    rules = RuleList(space, (), "inv1")
    found: Known = {}
    for size in range(1, task.max_body + 1):
        for types, entries in rules.of_size(size).items():
            for entry in entries:
                rows = space.tuples[len(types)].rows_of(entry.views[0]).tolist()
                names = frozenset(
                    tuple(term_text(read_task.background.store.term(value)) for value in row) for row in rows
                )
                found.setdefault((types, names, entry.inputs), size)
    return least_inputs(found)


def smallest(task: SmallTask) -> Known:
    found: Known = {}
    constants = sorted({value for _, row in task.facts for value in row})
    for arity in range(1, min(task.max_vars, max(arity for _, arity in (task.head, *task.body))) + 1):
        for rule in rules_of(task, ("inv1", arity), task.body):
            if not types_agree(task, (rule,)):
                continue
            types = tuple(type_of(task, rule[1], variable) for variable in range(arity))
            covered = frozenset(least_model(replace(task, head=("inv1", arity)), (rule,), constants))
            for inputs in range(1 << arity) if task.directions else (0,):
                ways = tuple("in" if inputs >> place & 1 else "out" for place in range(arity))
                if covered and (task.directions is None or rule_runs(task, rule, {**task.directions, "inv1": ways})):
                    key = types, covered, inputs
                    found[key] = min(found.get(key, len(rule[1])), len(rule[1]))
    return least_inputs(found)


def type_of(task: SmallTask, body: tuple[tuple[str, tuple[int, ...]], ...], variable: int) -> str:
    return next((task.types[name][args.index(variable)] for name, args in body if task.types and variable in args), "")


def least_inputs(found: Known) -> Known:
    """Without what needs more than a rule for the same that is not larger."""
    return {
        (types, covered, inputs): size
        for (types, covered, inputs), size in found.items()
        if not any(
            not other & ~inputs and found.get((types, covered, other), size + 1) <= size for other in range(inputs)
        )
    }


# -- tasks a person could have ------------------------------------------------------------------------------


def family(make_task: Callable[..., Path], positives: list[str], negatives: list[str], bias: str = BIAS) -> Path:
    examples = [f"pos(t({pair}))." for pair in positives] + [f"neg(t({pair}))." for pair in negatives]
    return make_task(bias, BK, "\n".join(examples))


def test_a_great_grandparent_is_found(make_task: Callable[..., Path]) -> None:
    """`parent` is invented, and called three times."""
    pairs = ["a,l", "b,l", "d,l", "e,l", "a,j", "b,j", "d,j", "e,j"]
    folder = family(make_task, pairs, ["a,g", "c,l", "a,c", "l,a", "i,j", "k,l", "g,l"])
    result = Search(ReadTask.from_folder(folder), Settings(exact=True)).run()
    assert (result.status, result.cost) == (OPTIMAL, 8)
    assert str(result.program).count("inv1(") == 5
    assert result.counts["worlds"] > 0


def test_definitions_may_call_each_other(make_task: Callable[..., Path]) -> None:
    """With two literals in a body, a great-grandparent takes a grandparent, which takes a parent."""
    pairs = ["a,l", "b,l", "d,l", "e,l", "a,j", "b,j", "d,j", "e,j"]
    bias = BIAS.replace("max_body(3)", "max_body(2)").replace("max_clauses(3)", "max_clauses(4)")
    folder = family(make_task, pairs, ["a,g", "c,l", "a,c", "l,a", "i,j", "k,l", "g,l"], bias)
    result = Search(ReadTask.from_folder(folder), Settings(exact=True)).run()
    assert result.status == OPTIMAL
    assert result.program is not None
    assert len(result.program.defined) == 3
    assert result.cost == 10


def test_steps_end_a_search(make_task: Callable[..., Path]) -> None:
    folder = family(make_task, ["a,g", "b,g", "d,h", "e,h"], ["a,c", "c,g", "a,j"])
    results = [Search(ReadTask.from_folder(folder), Settings(exact=True, steps=steps)).run() for steps in (30, 30, 31)]
    assert {result.status for result in results} == {"out-of-steps"}
    assert results[0].counts == results[1].counts
    assert results[2].counts["steps"] == 31


def test_clingo_is_not_loaded(make_task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = family(make_task, ["a,g", "b,g", "d,h", "e,h"], ["a,c", "c,g", "a,j"])
    monkeypatch.setitem(sys.modules, "clingo", None)
    assert Search(ReadTask.from_folder(folder), Settings(exact=True)).run().status == OPTIMAL


@pytest.mark.parametrize(
    ("more", "ours"),
    [
        ("", True),
        ("type(t,(p,p)). type(mother,(p,p)). type(father,(p,p)).", True),
        ("type(t,(p,p)). type(mother,(p,p)).", False),
        ("direction(t,(in,out)). direction(mother,(in,out)). direction(father,(in,out)).", True),
        ("enable_recursion.", False),
        ("no_singletons.", False),
        ("non_datalog.", False),
        (":- clause(2).", True),
        (":- size(5).", False),
        ("body_pred(older,2).", True),
        ("body_pred(many,2).", False),
    ],
)
def test_what_is_left_to_clingo(make_task: Callable[..., Path], more: str, ours: bool) -> None:
    many = "".join(f"many({number},{number}).\n" for number in range(250))
    bk = f"{BK}older(A,B) :- mother(A,B).\n{many}"
    task = ReadTask.from_folder(make_task(BIAS + more, bk, "pos(t(a,g)).\nneg(t(a,c))."))
    assert can_invent(task) == ours
    for method in (AUTO, ASP):
        search = Search(task, Settings(method=method, exact=True))
        programs = search.parts.programs()
        assert isinstance(programs, InventingPrograms) == (ours and method == AUTO)


@pytest.mark.parametrize("more", ["", ":- clause(2).", ":- size(S), S > 6."])
def test_limits_of_a_program_hold(make_task: Callable[..., Path], more: str) -> None:
    """For `parent`, two rules or six literals are too few."""
    bias = BIAS.replace("max_vars(4). max_body(3)", "max_vars(3). max_body(2)") + more
    folder = family(make_task, ["a,g", "b,g", "d,h", "e,h"], ["a,c", "c,g", "a,j", "g,a"], bias)
    task = ReadTask.from_folder(folder)
    assert can_invent(task)
    ours, clingo = (Search(task, Settings(method=method)).run() for method in (AUTO, ASP))
    assert (ours.status, ours.cost) == (clingo.status, clingo.cost)
    ours, clingo = (Search(task, Settings(method=method, exact=True)).run() for method in (AUTO, ASP))
    assert (ours.status, ours.cost) == (clingo.status, clingo.cost)
    assert (ours.cost == 7) == (more == "")
