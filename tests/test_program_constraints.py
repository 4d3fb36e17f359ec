"""Constraints over whole programs: what they mean, where they are judged, and the least cost under them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from maxsynth.bias.evaluated import Most
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose import whole_programs
from maxsynth.search.choose.core_guided import Clingo
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import METHODS, Settings
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations
from oracle.brute_force import all_rules
from oracle.calling_tasks import random_calling_task
from oracle.program_constraints import (
    ProgramConstraint,
    at_most_rules,
    at_most_size,
    best_allowed,
    random_constraints,
)
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

AUTO, FEATURES, ASP = METHODS
MOST_RULES = 12  # all of their sets are tried


def learn(folder: Path, **settings: object) -> SearchResult:
    return Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(**settings)).run()  # type: ignore[arg-type]


# -- against brute force ------------------------------------------------------------------------------------


def constrained_task(seed: int, kind: str) -> tuple[SmallTask, list[ProgramConstraint]]:
    rng = random.Random(seed)
    while True:
        if kind == "plain":
            task = random_task(rng, most_bodies=40)
        else:
            task = random_calling_task(rng, invention=kind == "invention", most_programs=800)
        if 2 <= len(all_rules(task)) <= MOST_RULES:
            constraints = random_constraints(rng, task)
            return replace(task, constraints=tuple(one.text for one in constraints)), constraints


@pytest.mark.parametrize("kind", ["plain", "recursion", "invention"])
def test_the_cost_is_the_least_of_what_is_allowed(tmp_path: Path, effort: Callable[[int, int], int], kind: str) -> None:
    count = effort(40, 2200) if kind == "plain" else effort(8, 400)
    for seed in range(8_000_000, 8_000_000 + count):
        task, constraints = constrained_task(seed, kind)
        least = best_allowed(task, constraints, MOST_RULES)
        task.write(tmp_path)
        result = learn(tmp_path, weights=Weights(*task.weights), exact=task.exact)
        said = f"seed {seed}: least {least}, found {result.cost} {result.program}\n{task.describe()}"
        assert (result.status, result.cost) == (OPTIMAL, least), said
        if result.program is not None:
            assert violations(result.program, ReadTask.from_folder(tmp_path, prolog="builtin").bias) == [], said


def test_all_ways_to_choose_agree(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """At most so many rules or literals: the branch and bound, and clingo, with rules from either generator."""
    for seed in range(9_000_000, 9_000_000 + effort(20, 1000)):
        rng = random.Random(seed)
        task, _ = constrained_task(seed, "plain")
        kinds = rng.sample((at_most_rules, at_most_size), rng.randint(1, 2))
        constraints = [kind(rng, task) for kind in kinds]
        task = replace(task, constraints=tuple(one.text for one in constraints))
        least = best_allowed(task, constraints, MOST_RULES)
        task.write(tmp_path)
        for method, solver in ((AUTO, None), (AUTO, Clingo()), (ASP, None)):
            if solver is not None and parse_bias(task.files()["bias.pl"], "bias.pl").program_constraints:
                continue
            result = learn(tmp_path, weights=Weights(*task.weights), exact=task.exact, method=method, solver=solver)
            said = f"seed {seed}, {method}, {solver}: least {least}\n{task.describe()}"
            assert (result.status, result.cost) == (OPTIMAL, least), said


# -- what a person would write ------------------------------------------------------------------------------

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_body(1).\n"
BK = "p(a). p(b). p(c). q(d). q(e). q(g).\n"
EXS = "".join(f"pos(f({c})).\n" for c in "abcdeg")
ONE_RULE = [
    ":- clause(1).", ":- clause(C), C > 0.", ":- clause(C), 1 <= C.", ":- #count{C : clause(C)} > 1.",
    ":- 2 <= #count{C : clause(C)}.", ":- clause(C), clause(D), C < D.", ":- clause(C), clause(D), D != C.",
    "#const n = 1. :- clause(n).",
]  # fmt: skip
SMALL = [":- size(N), N > 2.", ":- size(N), N >= 3.", ":- 2 < N, size(N).", ":- size(N), not N <= 2."]
OTHER_WAYS = [":- N = #count{C : clause(C)}, N > 1.", ":- 2 { clause(C) }.", ":- size(4)."]


@pytest.mark.parametrize("constraint", [*ONE_RULE, *SMALL, *OTHER_WAYS])
def test_two_rules_are_too_many(
    make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str], constraint: str, tmp_path: Path
) -> None:
    folder, result = make_task(f"{BIAS}{constraint}\n", BK, EXS), str(tmp_path / "result.json")
    assert main(["learn", str(folder), "--json", result]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert "optimal: cost 5 = size 2 and 0 false positives, 3 false negatives" in err
    assert main(["verify", result]) == 0


@pytest.mark.parametrize("constraint", ["", ":- not clause(1).", ":- clause(2).", ":- size(N), N != 4."])
def test_two_rules_are_wanted(make_task: Callable[..., Path], constraint: str) -> None:
    result = learn(make_task(f"{BIAS}{constraint}\n", BK, EXS))
    assert result.program is not None
    assert (result.status, result.cost, len(result.program.rules)) == (OPTIMAL, 4, 2)


@pytest.mark.parametrize("constraint", [":- clause(0).", ":- size(N), N > 1.", ":- not clause(2).", ":- clause(_)."])
def test_the_empty_program_is_always_allowed(make_task: Callable[..., Path], constraint: str) -> None:
    result = learn(make_task(f"{BIAS}{constraint}\n", BK, EXS))
    assert (result.status, result.cost, str(result.program)) == (OPTIMAL, 6, "")
    exact = learn(make_task(f"{BIAS}{constraint}\n", BK, EXS), exact=True)
    assert (exact.status, exact.program) == (OPTIMAL, None)


def test_a_rule_of_no_use_may_be_needed(make_task: Callable[..., Path]) -> None:
    """With nothing to gain from a third rule, one is taken all the same where the bias asks for it."""
    bias = BIAS.replace("max_body(1)", "max_body(2)") + "body_pred(r,1).\n:- not clause(2).\n"
    for exact in (False, True):
        result = learn(make_task(bias, BK + "r(z).\n", EXS + EXS), exact=exact)
        assert result.program is not None
        assert (result.status, result.cost, len(result.program.rules)) == (OPTIMAL, 6, 3)


def test_an_exact_program_may_need_more_rules_than_there_are_positives(make_task: Callable[..., Path]) -> None:
    bias = (
        "head_pred(f,1).\n" + "".join(f"body_pred(p{i},1).\n" for i in range(12)) + "max_body(2).\n:- not clause(9).\n"
    )
    result = learn(make_task(bias, "".join(f"p{i}(a).\n" for i in range(12)), "pos(f(a)).\n"), exact=True)
    assert (result.status, result.cost) == (OPTIMAL, 20)


@pytest.mark.parametrize(
    ("constraint", "most", "of_rules", "of_programs", "less"),
    [
        (":- clause(3).", Most(rules=3), False, False, True),
        (":- size(N), N > 5. :- clause(2). :- size(N), N > 4.", Most(2, 4), False, False, True),
        (":- body_literal(C,p,1,_), body_literal(C,q,1,_).", Most(), False, False, True),
        (":- body_literal(C,p,1,V), body_literal(C,q,1,V).", Most(), True, False, True),
        (":- body_literal(_,p,1,_).", Most(), False, False, True),
        (":- body_literal(_,p,1,_), body_literal(_,q,1,_).", Most(), False, True, True),
        (":- body_literal(C,p,1,_), body_literal(D,q,1,_).", Most(), False, True, True),
        (":- not body_literal(_,p,1,_).", Most(), False, True, False),
        (":- clause(C), not body_literal(C,p,1,_).", Most(), False, False, True),
        (":- body_literal(C,q,1,_), not body_literal(C,p,1,_).", Most(), True, False, True),
        (":- clause(C), #count{V : clause_var(C,V)} > 2.", Most(), True, False, True),
        (":- #count{V : clause_var(C,V)} > 2.", Most(), False, True, True),
        (":- clause(C), #count{D : body_literal(D,p,1,_)} > 2.", Most(), False, True, True),
        (":- clause(C), #count{C : body_literal(C,p,1,_)} > 0.", Most(), False, True, True),
        (":- body_literal(C,p,1,_), body_literal(D,p,1,_), C < D.", Most(), False, True, True),
        (":- body_literal(C,p,1,_), body_literal(D,q,1,_), C < D.", Most(), False, True, False),
        (":- body_literal(C,p,1,_), C > 0.", Most(), False, True, False),
        (":- body_literal(0,p,1,_).", Most(), False, True, False),
        (":- body_literal(C,p,1,_), size(N), N > 4.", Most(), False, True, False),
        ("a(C) :- body_literal(C,p,1,_). :- a(C), body_size(C,2).", Most(), True, False, True),
        ("a(X,C) :- body_literal(C,X,1,_). b(C) :- a(p,C), a(q,C). :- b(C), clause(C).", Most(), True, False, True),
        ("a(X) :- body_literal(_,X,1,_). :- a(p), a(q).", Most(), False, True, True),
        ("a(C) :- body_literal(C,p,1,_). a(0). :- a(C), clause(C).", Most(), False, True, False),
        ("a(C) :- clause(C). :- a(C), a(D), body_literal(C,p,1,_), body_literal(D,q,1,_).", Most(), False, True, False),
        ("a(C,D) :- clause(C), clause(D). :- a(C,C), body_literal(C,p,1,_).", Most(), False, True, False),
        ("{ a(C) } :- clause(C). :- not a(C), clause(C).", Most(), False, True, False),
        (":- clause(0;1).", Most(), False, True, False),
        (":- #count{C : clause(C)} = 2.", Most(), False, True, False),
        (":- #count{C,P : body_literal(C,P,1,_)} > 2.", Most(), False, True, True),
    ],
)
def test_what_a_constraint_speaks_of(
    constraint: str, most: Most, of_rules: bool, of_programs: bool, less: bool
) -> None:
    bias = parse_bias(f"{BIAS}{constraint}\n", "bias.pl")
    found = (bias.most, bool(bias.rule_constraints), bool(bias.program_constraints), bias.hold_of_less)
    assert found == (most, of_rules, of_programs, less)


def test_constraints_of_rules_and_of_programs_go_together(make_task: Callable[..., Path]) -> None:
    both = ":- clause(C), not body_literal(C,p,1,_), body_size(C,1).\n:- not clause(1).\n"
    result = learn(make_task(BIAS + both, BK, EXS))
    assert (result.status, result.cost) == (OPTIMAL, 6)
    assert learn(make_task(BIAS + ":- clause(C), not body_literal(C,p,1,_), body_size(C,1).\n", BK, EXS)).cost == 5


def test_a_recursive_program_keeps_to_the_limits(make_task: Callable[..., Path]) -> None:
    bias = "head_pred(f,2).\nbody_pred(e,2).\nenable_recursion.\nmax_vars(3).\nmax_body(2).\nmax_clauses(3).\n"
    nodes = "abcdefgh"
    bk = "".join(f"e({one},{other}).\n" for one, other in pairwise(nodes))
    pairs = [(one, other) for one in nodes for other in nodes]
    exs = "".join(f"{'pos' if one < other else 'neg'}(f({one},{other})).\n" for one, other in pairs)
    for constraint, cost in (("", 5), (":- size(N), N > 5.", 5), (":- clause(2).", 5)):
        assert learn(make_task(f"{bias}{constraint}\n", bk, exs)).cost == cost
    for constraint in (":- size(N), N > 4.", ":- clause(1)."):
        result = learn(make_task(f"{bias}{constraint}\n", bk, exs))
        assert result.status == OPTIMAL
        assert result.cost is not None
        assert result.cost > 5


def test_a_constraint_with_too_many_instances_is_refused(
    make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_programs, "MOST_INSTANCES", 3)
    bias = f"{BIAS}\n:- body_literal(C,p,1,_), body_literal(D,q,1,_).\n"
    assert main(["learn", str(make_task(bias, BK, EXS)), "--quiet"]) == 2
    assert "bias.pl:6: a constraint over whole programs has too many instances" in capsys.readouterr().err


def test_another_solver_has_no_part_in_constraints_over_programs(
    make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_task(f"{BIAS}:- not clause(1).\n", BK, EXS)
    assert main(["learn", str(folder), "--solver", "clingo"]) == 2
    assert "bias.pl:5: " in capsys.readouterr().err


def test_check_says_who_judges_a_constraint(make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    constraints = ":- clause(1).\n:- body_literal(C,p,1,V), body_literal(C,q,1,V).\n:- not body_literal(_,p,1,_).\n"
    main(["check", str(make_task(BIAS + constraints, BK, EXS))])
    said = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("constraints"))
    assert "at most 1 rule in a program" in said
    assert "of a rule: clingo" in said
    assert "of whole programs: clingo" in said
