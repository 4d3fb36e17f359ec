"""`maxsynth verify`: results that are right pass, and a result that was changed in any one place does not."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.logic.programs import Literal, Program, Rule, parse_program
from maxsynth.verification.space import violations
from oracle.brute_force import Rule as SmallRule
from oracle.brute_force import all_rules, in_space
from oracle.random_tasks import random_task

EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"
MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
Change = Callable[[dict[str, Any]], object]

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(2).\nmax_body(2).\n"
BK = "p(a).\np(b).\np(c).\nq(c).\nq(d).\n"
EXS = "pos(f(a),3).\npos(f(b),4).\npos(f(e)).\nneg(f(c)).\nneg(f(d),9).\n"

PATHS = (
    "head_pred(path,2).\nbody_pred(edge,2).\nenable_recursion.\n",
    "edge(a,b).\nedge(b,c).\nedge(c,a).\nedge(d,d).\n",
    "pos(path(a,c)).\npos(path(b,b)).\npos(path(d,d)).\nneg(path(a,d)).\nneg(path(d,a)).\n",
)
PATH_RULES = "path(A,B) :- edge(A,B).\npath(A,B) :- edge(A,C), path(C,B)."


def learn(folder: Path, capsys: Capture, *options: str, status: int = 0) -> Path:
    file = folder.parent / "result.json"
    assert main(["learn", str(folder), "--quiet", "--json", str(file), *options]) == status
    capsys.readouterr()
    return file


def verify(file: Path, capsys: Capture, *options: str) -> tuple[int, list[str], str]:
    """Exit status, the checks that failed with what they say, and standard error."""
    status = main(["verify", str(file), *options])
    out, err = capsys.readouterr()
    return status, [" ".join(line.split()) for line in out.splitlines() if line.startswith(("WRONG", "UNSURE"))], err


def change(file: Path, how: Change) -> None:
    value = json.loads(file.read_text())
    how(value)
    file.write_text(json.dumps(value))


def record(file: Path, program: Program, **fields: object) -> None:
    """Puts another program into a result."""
    rules = [
        [
            {"predicate": lit.name, "args": [a if isinstance(a, int) else a.text for a in lit.args]}
            for lit in r.literals()
        ]
        for r in program.rules
    ]
    size = sum(len(rule) for rule in rules)
    change(file, lambda value: value.update(program=str(program).splitlines(), rules=rules, size=size, **fields))


# -- results that are right ---------------------------------------------------------------------------------


def test_what_it_prints(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    assert main(["learn", str(EXAMPLE), "--quiet", "--json", str(file)]) == 0
    capsys.readouterr()
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out == (
        f"ok      task         {EXAMPLE}, unchanged\n"
        "ok      singletons   allowed\n"
        "ok      status       optimal\n"
        "ok      text         text and data agree, rules: 1\n"
        "ok      size         3\n"
        "ok      tp           22\n"
        "ok      fn           2\n"
        "ok      tn           23\n"
        "ok      fp           3\n"
        "ok      cost         8\n"
        "ok      lower bound  8, the cost\n"
        "ok      trace        improvements: 1\n"
        "ok      space        the bias allows the program\n"
        "all 13 checks hold\n"
        "that no better program exists is what the search claims; it is not checked here\n"
    )


def test_results_of_random_tasks(tmp_path: Path, capsys: Capture, effort: Callable[[int, int], int]) -> None:
    for seed in range(3_000_000, 3_000_000 + effort(25, 2000)):
        task = random_task(random.Random(seed))
        task.write(tmp_path / "task")
        options = ["--weights", ",".join(map(str, task.weights)), *(["--exact"] if task.exact else [])]
        main(["learn", str(tmp_path / "task"), "--quiet", "--json", str(tmp_path / "r.json"), *options])
        capsys.readouterr()
        assert verify(tmp_path / "r.json", capsys) == (0, [], ""), f"seed {seed}"


@pytest.mark.swipl
def test_swipl_says_the_same(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    assert verify(file, capsys, "--prolog", "swipl") == (0, [], "")
    change(file, lambda value: value.update(tp=1, fn=2))
    assert verify(file, capsys, "--prolog", "swipl")[:2] == (
        1, ["WRONG tp recorded 1, found 2", "WRONG fn recorded 2, found 1"],
    )  # fmt: skip


def test_weights_of_examples_and_options(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys, "--weights", "2,1,3")
    recorded = json.loads(file.read_text())
    assert recorded["program"] == ["f(A) :- p(A)."]
    assert recorded["cost"] == 2 * 2 + 1 + 3
    assert verify(file, capsys) == (0, [], "")
    change(file, lambda value: value["settings"].update(weights=[2, 2, 3]))
    assert verify(file, capsys)[:2] == (1, ["WRONG cost recorded 8, found 9"])


def test_the_empty_program(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, "pos(f(a)).\nneg(f(b)).\n"), capsys)
    assert json.loads(file.read_text())["program"] == []
    assert verify(file, capsys) == (0, [], "")


def test_exact_mode(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, "pos(f(a)).\npos(f(d)).\nneg(f(e)).\n"), capsys, "--exact")
    assert json.loads(file.read_text())["cost"] == 4
    assert verify(file, capsys) == (0, [], "")
    record(file, parse_program("f(A) :- p(A)."), cost=3, lower_bound=3, tp=1, fn=1)
    change(file, lambda value: value.update(trace=[[0.1, 3, 0]]))
    assert verify(file, capsys)[:2] == (1, ["WRONG exact there are errors"])


def test_exact_mode_without_a_program(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys, "--exact", status=1)
    assert json.loads(file.read_text())["program"] is None
    assert verify(file, capsys) == (0, [], "")
    changes: dict[str, Change] = {
        "WRONG size recorded 2, found none": lambda value: value.update(size=2),
        "WRONG tp recorded 2, found none": lambda value: value.update(tp=2),
        "WRONG cost recorded 0, found none": lambda value: value.update(cost=0),
        "WRONG trace there is no program, but the trace has one": lambda value: value.update(trace=[[0.1, 2, 0]]),
        "WRONG text there is a program as text or as data, but not as both": lambda value: value.update(rules=[]),
        "WRONG program none, but without --exact there is always one": lambda v: v["settings"].update(exact=False),
    }
    for message, how in changes.items():
        learn(file.parent / "task", capsys, "--exact", status=1)
        change(file, how)
        assert verify(file, capsys)[:2] == (1, [message])


def test_a_run_that_was_cut(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys, "--timeout", "0")
    recorded = json.loads(file.read_text())
    assert recorded["status"] == "timeout"
    assert main(["verify", str(file)]) == 0
    assert "no better program" not in capsys.readouterr().out
    change(file, lambda value: value.update(lower_bound=recorded["cost"] + 1))
    assert verify(file, capsys)[:2] == (1, ["WRONG lower bound 9, more than the cost 8"])


def test_forbidden_singletons(make_task: MakeTask, capsys: Capture) -> None:
    """The option makes the space smaller than the bias does; the result says so and is held to it."""
    bias = "head_pred(f,1).\nbody_pred(p,2).\n"
    task = make_task(bias, "p(a,b).\np(b,b).\np(c,c).\n", "pos(f(a),9).\nneg(f(d)).\n")
    file = learn(task, capsys, "--forbid-singletons")
    assert verify(file, capsys) == (0, [], "")
    record(file, parse_program("f(A) :- p(A,_)."), cost=2, lower_bound=2)
    change(file, lambda value: value.update(trace=[[0.1, 2, 0]], tp=1, fn=0))
    assert verify(file, capsys)[:2] == (1, ["WRONG space `f(A) :- p(A,_).`: a variable occurs only once"])
    change(file, lambda value: value["settings"].update(singletons=True))
    assert verify(file, capsys)[:2] == (0, [])


def test_a_bias_that_forbids_singletons(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS + "no_singletons.\n", BK, EXS), capsys)
    change(file, lambda value: value["settings"].update(singletons=True))
    assert verify(file, capsys)[:2] == (1, ["WRONG singletons recorded allowed, found forbidden"])


# -- recursion and invention --------------------------------------------------------------------------------


def recursive_result(make_task: MakeTask, capsys: Capture, bias: str, rules: str, **fields: object) -> Path:
    """A result for the task of paths, as a search that can do recursion would write it."""
    file = learn(make_task(BIAS, BK, EXS), capsys)
    folder = make_task(bias, *PATHS[1:])
    program = parse_program(rules)
    counts: dict[str, object] = {"tp": 3, "fn": 0, "tn": 2, "fp": 0, "cost": program.size, "lower_bound": program.size}
    record(file, program, trace=[[0.1, program.size, 0]], **(counts | fields))
    from maxsynth.search.result import fingerprints

    change(file, lambda value: value.update(files=fingerprints(folder)))
    return file


@pytest.mark.parametrize("judge", ["builtin", pytest.param("swipl", marks=pytest.mark.swipl)])
def test_recursive_programs(make_task: MakeTask, capsys: Capture, judge: str) -> None:
    file = recursive_result(make_task, capsys, PATHS[0], PATH_RULES)
    assert verify(file, capsys, "--prolog", judge) == (0, [], "")
    change(file, lambda value: value.update(tp=2, fn=1))
    assert verify(file, capsys, "--prolog", judge)[1] == [
        "WRONG tp recorded 2, found 3",
        "WRONG fn recorded 1, found 0",
    ]


def test_invented_predicates(make_task: MakeTask, capsys: Capture) -> None:
    rules = "path(A,B) :- inv(A,B).\ninv(A,B) :- edge(A,B).\ninv(A,B) :- edge(A,C), path(C,B)."
    file = recursive_result(make_task, capsys, PATHS[0] + "enable_pi.\nmax_clauses(3).\n", rules)
    assert verify(file, capsys) == (0, [], "")
    file = recursive_result(make_task, capsys, PATHS[0] + "max_clauses(3).\n", rules)
    assert verify(file, capsys)[1] == [
        "WRONG space it defines inv/2, which is not the head_pred, and the bias has no enable_pi"
    ]


def test_too_few_steps_are_no_verdict(make_task: MakeTask, capsys: Capture) -> None:
    file = recursive_result(make_task, capsys, PATHS[0], PATH_RULES)
    status, failed, _ = verify(file, capsys, "--steps", "3")
    assert status == 1
    assert failed[0].startswith("UNSURE tp recorded 3, found ")
    assert failed[0].endswith(": 3 steps do not suffice for every example (see --steps)")
    assert failed[-1] == "UNSURE cost recorded 5: not every example could be decided"
    change(file, lambda value: value.update(tp=4))
    assert verify(file, capsys, "--steps", "3")[1][0].startswith("WRONG tp recorded 4")


# -- results that were changed ------------------------------------------------------------------------------

TAMPERED: dict[str, tuple[Change, list[str]]] = {
    "status": (
        lambda value: value.update(status="best"),
        ["status best is none of optimal, timeout, out-of-steps, memory, interrupted"],
    ),
    "size": (lambda value: value.update(size=3), ["size recorded 3, found 2"]),
    "tp": (lambda value: value.update(tp=3), ["tp recorded 3, found 2"]),
    "fn": (lambda value: value.update(fn=0), ["fn recorded 0, found 1"]),
    "tn": (lambda value: value.update(tn=2), ["tn recorded 2, found 1"]),
    "fp": (lambda value: value.update(fp=None), ["fp recorded none, found 1"]),
    "lower bound": (lambda value: value.update(lower_bound=3), ["lower bound 3, but the cost of an optimum is 4"]),
    "cost": (
        lambda value: value.update(cost=3, lower_bound=3),
        ["cost recorded 3, found 4", "trace costs [4] do not fall to 3"],
    ),
    "no cost": (
        lambda value: value.update(cost=None),
        [
            "cost recorded none, found 4",
            "lower bound there is no cost to compare it with",
            "trace costs [4] do not fall to none",
        ],
    ),
    "weights": (lambda value: value["settings"].update(weights=[1, 1, 2]), ["cost recorded 4, found 5"]),
    "exact": (lambda value: value["settings"].update(exact=True), ["exact there are errors"]),
    "text": (
        lambda value: value.update(program=["f(A) :- q(A)."]),
        ["text as text `f(A) :- q(A).`, as data `f(A) :- p(A).`"],
    ),
    "text with one rule more": (
        lambda value: value["program"].append("f(A) :- q(A)."),
        ["text as text `f(A) :- q(A).`, as data ``"],
    ),
    "structure": (
        lambda value: value["rules"][0][1].update(predicate="q"),
        [
            "text as text `f(A) :- p(A).`, as data `f(A) :- q(A).`",
            "tp recorded 2, found 0",
            "fn recorded 1, found 3",
            "tn recorded 1, found 0",
            "fp recorded 1, found 2",
            "cost recorded 4, found 20",
        ],
    ),
    "trace": (lambda value: value.update(trace=[]), ["trace costs [] do not fall to 4"]),
    "rising trace": (lambda value: value["trace"].insert(0, [0, 3, 0]), ["trace costs [3, 4] do not fall to 4"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_a_changed_result(name: str, make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    how, expected = TAMPERED[name]
    change(file, how)
    assert verify(file, capsys) == (1, [f"WRONG {line}" for line in expected], "")


def test_other_names_of_variables_are_the_same_rule(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    change(file, lambda value: value.update(program=["f(Thing) :- p(Thing)."]))
    assert verify(file, capsys)[0] == 0


def test_a_program_that_cannot_be_run(make_task: MakeTask, capsys: Capture) -> None:
    bias = "head_pred(f,1).\nbody_pred(s,2).\ndirection(f,(in,)).\ndirection(s,(in,out)).\n"
    file = learn(make_task(bias, "s(X,Y) :- X < 3, Y is X + 1.\n", "pos(f(1)).\n"), capsys, "--timeout", "0")
    record(file, parse_program("f(A) :- s(B,A)."))
    failed = verify(file, capsys)[1]
    why = "an `in` argument of `s(V1,V0)` is never bound (bind it by another literal)"
    assert f"WRONG coverage cannot be computed: {why}" in failed
    assert "WRONG space no order of a body makes every `in` argument safe" in failed


# -- the space ----------------------------------------------------------------------------------------------

SPACE = (
    "head_pred(f,2).\nbody_pred(p,2).\nbody_pred(q,1).\nbody_pred(r,3).\nmax_vars(3).\nmax_body(3).\n"
    "type(f,(t,u)).\ntype(p,(t,u)).\ntype(q,(t,)).\n"
)
TWO_RULES = "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C)."
NOT_INVENTED = "it defines g/2, which is not the head_pred, and the bias has no enable_pi"
FORBIDDEN = "an ASP constraint of the bias forbids it"
OUTSIDE = {
    "f(A,B) :- p(A,c), p(A,B).": "argument 2 of p/2 is not a variable",
    "f(A,A) :- p(A,B).": "f/2 has an argument twice",
    "f(A,B) :- p(A,B), r(A,A,B).": "r/3 has an argument twice",
    "f(A,B) :- p(A,B), s(A).": "s/1 is not a body_pred",
    "f(A,B).": "it has no body literal",
    "f(A,B) :- p(A,B), q(A), r(A,B,C), r(B,A,C).": "it has 4 body literals, and max_body is 3",
    "f(A,B) :- p(A,B), p(A,B).": "it has a body literal twice",
    "f(A,B) :- p(A,B), r(A,C,D).": "it has 4 variables, and max_vars is 3",
    "f(A,B) :- q(A).": "a head variable does not occur in the body",
    "f(A,B) :- p(A,B), q(C).": "a body variable is not connected to the head",
    "f(A,B) :- p(A,B), q(B).": "a variable has two types",
}


@pytest.mark.parametrize("text", OUTSIDE)
def test_one_violation_each(text: str) -> None:
    program = parse_program(text)
    found = violations(program, parse_bias(SPACE, "bias.pl"))
    assert f"`{program}`: {OUTSIDE[text]}" in found


@pytest.mark.parametrize(
    ("bias", "text", "what"),
    [
        ("", "f(A,B) :- p(A,C), p(C,B).", "`f(A,B) :- p(A,C), p(C,B).`: a variable has two types"),
        ("no_singletons.", "f(A,B) :- r(A,B,C).", "`f(A,B) :- r(A,B,_).`: a variable occurs only once"),
        (
            ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,u)} != 1.",
            "f(A,B) :- p(A,B), p(A,C), r(A,B,C).",
            "`f(A,B) :- p(A,B), p(A,C), r(A,B,C).`: it has 2 variables of type u, and the bias wants one",
        ),
        ("", "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C), f(A,C).", "it is recursive, and the bias has no enable_recursion"),
        ("enable_recursion.", "f(A,B) :- r(A,B,C), f(A,C).", "it has no base rule for f/2"),
        (
            "enable_recursion.",
            "f(A,B) :- p(A,B).\nf(A,B) :- q(A), f(A,B).",
            "`f(A,B) :- q(A), f(A,B).`: it calls itself with the inputs of its head",
        ),
        ("enable_pi.", "f(A,B) :- p(A,B).\ng(A) :- q(A).", "it invents g/1, which f/2 does not need"),
        (
            "enable_recursion.",
            "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C).\nf(A,B) :- r(A,B,C), f(A,C).",
            "it has 3 rules, and max_clauses is 2",
        ),
        ("", "f(A,B) :- p(A,B), q(A).\nf(X,Y) :- q(X), p(X,Y).", "it has a rule twice"),
        (":- body_literal(C,p,2,_), body_literal(C,q,1,_).", "f(A,B) :- p(A,B), q(A).", FORBIDDEN),
        (":- body_size(C,N), N > 1.", "f(A,B) :- p(A,B), q(A).", FORBIDDEN),
        # A constraint is about the whole program, and any numbering of its rules will do.
        (":- size(N), N > 2.", "f(A,B) :- p(A,B), q(A).", "it has 3 literals, and the bias allows 2"),
        (":- size(N), N > 3.", TWO_RULES, "it has 4 literals, and the bias allows 3"),
        (":- clause(1).", TWO_RULES, "it has 2 rules, and the bias allows 1"),
        (":- #count{C : clause(C)} > 1.", TWO_RULES, "it has 2 rules, and the bias allows 1"),
        (":- not clause(2).", TWO_RULES, FORBIDDEN),
        (":- not body_literal(_,q,1,_).", TWO_RULES, FORBIDDEN),
        (":- body_literal(_,p,2,_), body_literal(_,r,3,_).", TWO_RULES, FORBIDDEN),
        (":- clause(1), not body_literal(1,q,1,_).", TWO_RULES, FORBIDDEN),
        (
            "enable_recursion.\n:- clause(C), #count{V : clause_var(C,V)} > 2.",
            "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C), f(A,C).",
            FORBIDDEN,
        ),
    ],
)  # fmt: skip
def test_one_violation_each_of_other_parts(bias: str, text: str, what: str) -> None:
    assert violations(parse_program(text), parse_bias(f"{SPACE}{bias}\n", "bias.pl")) == [what]


@pytest.mark.parametrize(
    ("bias", "text"),
    [
        ("", ""),
        ("", "f(A,B) :- p(A,B)."),
        ("", "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C).\nf(A,B) :- r(B,A,C).\nf(A,B) :- r(C,A,B)."),
        ("non_datalog.", "f(A,B) :- q(A)."),
        ("enable_recursion.", "f(A,B) :- p(A,B).\nf(A,B) :- r(A,B,C), f(A,C)."),
        ("enable_pi.", "f(A,B) :- g(A,B).\ng(A,B) :- p(A,B)."),
        # Any naming of the other variables will do, and any order of the rules.
        (":- body_literal(0,r,3,(0,1,3)).", "f(A,B) :- r(A,B,C)."),
        (":- clause_var(0,3).", "f(A,B) :- p(A,B), r(A,B,C)."),
        ("enable_recursion.\n:- body_literal(0,f,2,_).", "f(A,B) :- r(A,B,C), f(A,C).\nf(A,B) :- p(A,B)."),
        (":- size(N), N > 4.", TWO_RULES),
        (":- clause(2).", TWO_RULES),
        (":- not clause(1).", TWO_RULES),
        (":- not body_literal(0,p,2,_).", TWO_RULES),
        (":- body_literal(C,p,2,_), body_literal(C,r,3,_).", TWO_RULES),
        (":- not clause(1).", ""),
        (":- var_type(C,V,t), var_type(C,W,t), V < W.", "f(A,B) :- p(A,B), q(A)."),
    ],
)
def test_programs_of_the_space(bias: str, text: str) -> None:
    assert violations(parse_program(text), parse_bias(f"{SPACE}{bias}\n", "bias.pl")) == []


def test_names_that_asp_quotes() -> None:
    bias = (
        'head_pred(f,1).\nbody_pred("Big",1).\nbody_pred(p,1).\n:- body_literal(_,"Big",_,_), body_literal(_,p,_,_).\n'
    )
    read = parse_bias(bias, "bias.pl")
    assert violations(parse_program("f(A) :- 'Big'(A)."), read) == []
    assert violations(parse_program("f(A) :- 'Big'(A), p(A)."), read) == [FORBIDDEN]


DIRECTED = (
    "head_pred(f,2).\nbody_pred(p,2).\nenable_pi.\nenable_recursion.\nmax_clauses(3).\n"
    "direction(f,(in,out)).\ndirection(p,(in,out)).\n"
)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("f(A,B) :- p(A,B).", True),
        ("f(A,B) :- p(C,B), p(A,C).", True),
        ("f(A,B) :- p(B,A).", False),
        ("f(A,B) :- p(C,B), p(C,A).", False),
        ("f(A,B) :- p(A,B).\nf(A,B) :- f(C,B), p(A,C).", True),
        ("f(A,B) :- p(A,B).\nf(A,B) :- f(C,A), p(A,B).", False),
        ("f(A,B) :- g(A,B).\ng(A,B) :- p(A,B).", True),
        ("f(A,B) :- g(B,A).\ng(A,B) :- p(B,A).", True),
        ("f(A,B) :- g(B,A).\ng(A,B) :- p(A,B).", False),
    ],
)
def test_directions(text: str, safe: bool) -> None:
    found = violations(parse_program(text), parse_bias(DIRECTED, "bias.pl"))
    assert found == ([] if safe else ["no order of a body makes every `in` argument safe"])


def test_the_space_is_that_of_brute_force(effort: Callable[[int, int], int]) -> None:
    """Rules of the space, and rules in which a variable was exchanged, which mostly are not in it any more."""
    for seed in range(effort(25, 2000)):
        rng = random.Random(seed)
        task = random_task(rng)
        bias = parse_bias(task.files()["bias.pl"], "bias.pl")
        rules = all_rules(task)
        for rule in rng.sample(rules, min(len(rules), 10)):
            exchanged = [
                (name, tuple(rng.randrange(task.max_vars) if rng.random() < 0.2 else arg for arg in args))
                for name, args in rule.body
            ]
            for body in (rule.body, tuple(exchanged)):
                literals = tuple(Literal(name, args) for name, args in body)
                program = Program((Rule(Literal(rule.head, tuple(range(rule.arity))), literals),))
                expected = in_space(task, SmallRule(rule.head, rule.arity, body))
                assert (violations(program, bias) == []) == expected, f"seed {seed}: {program}\n{task.describe()}"


# -- bad input ----------------------------------------------------------------------------------------------


def complaint(file: Path | str, capsys: Capture, *options: str) -> str:
    assert main(["verify", str(file), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("maxsynth: ")
    assert err.count("\n") == 1
    return err.removeprefix("maxsynth: ").removesuffix("\n")


NO_ARGUMENT = "an argument in `rules` is neither a variable nor a constant"
NO_WEIGHTS = "`settings.weights` is not three positive integers"
REMEDY = "(give a file that `maxsynth learn --json` wrote)"


def test_no_file(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "none.json"
    assert complaint(file, capsys) == f"{file}: there is no such file (check the path)"
    assert complaint(tmp_path, capsys) == f"{tmp_path}: this is a folder, not a file (give a file)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not JSON"),
        ("pos(f(a)).", "this is not JSON"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is no result of a run: it nests too deeply"),
        ("[]", "this is no result of a run: it is not an object"),
        ('{"tp": 1}', "this is no result of a run: there is no `settings`"),
        ('{"a": "\\ud800"}', "this is no result of a run: it has half of a character (a lone surrogate)"),
    ],
)
def test_no_result(text: str, message: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "result.json"
    file.write_text(text)
    found = complaint(file, capsys)
    assert found.startswith(str(file))
    assert found.endswith(f": {message} {REMEDY}")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (lambda value: value.update(tp="2"), "`tp` is not what a result has there"),
        (lambda value: value.update(tp=True), "`tp` is not what a result has there"),
        (lambda value: value.update(cost=1.5), "`cost` is not what a result has there"),
        (lambda value: value.update(status=None), "`status` is not what a result has there"),
        (lambda value: value.update(program="f(A) :- p(A)."), "`program` is not what a result has there"),
        (lambda value: value.update(program=[1]), "`program` is not what a result has there"),
        (lambda value: value.update(rules=[[]]), "`rules` has what is no rule"),
        (lambda value: value.update(rules=[[{"predicate": "f"}]]), "there is no `rules.args`"),
        (lambda value: value["rules"][0][0].update(args=[-1]), NO_ARGUMENT),
        (lambda value: value["rules"][0][0].update(args=[None]), NO_ARGUMENT),
        (lambda value: value.update(trace=[[1, 2]]), "`trace` is not a list of seconds, cost and lower bound"),
        (lambda value: value["settings"].update(weights=[1, 1]), NO_WEIGHTS),
        (lambda value: value["settings"].update(weights=[1, 0, 1]), NO_WEIGHTS),
        (lambda value: value["settings"].pop("exact"), "there is no `settings.exact`"),
        (lambda value: value["settings"].update(prolog="yap"), "`settings.prolog` is none of auto, builtin, swipl"),
        (lambda value: value["files"].pop("bk.pl"), "`files` is not of bias.pl, bk.pl, exs.pl"),
    ],
)  # fmt: skip
def test_a_broken_result(how: Change, message: str, make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    change(file, how)
    assert complaint(file, capsys) == f"{file}: this is no result of a run: {message} {REMEDY}"


def test_a_rule_that_cannot_be_read(make_task: MakeTask, capsys: Capture) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    change(file, lambda value: value.update(program=["f(A) :- p(A"]))
    assert complaint(file, capsys).startswith("the program in the result:1:")


def test_a_task_that_is_gone_or_elsewhere(make_task: MakeTask, capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS)
    file = learn(task, capsys)
    moved = task.rename(task.with_name("moved"))
    assert complaint(file, capsys) == (
        f"{file}: the task folder {task} is not there (say where it is now with --task FOLDER)"
    )
    assert verify(file, capsys, "--task", str(moved)) == (0, [], "")


@pytest.mark.parametrize("name", ["bias.pl", "bk.pl", "exs.pl"])
def test_a_task_that_was_changed(name: str, make_task: MakeTask, capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS)
    file = learn(task, capsys)
    with (task / name).open("a") as stream:
        stream.write("% a comment\n")
    message = (
        f"{file}: {task / name} is not the file that this result was learned from "
        "(learn again, or give the folder as it was with --task FOLDER)"
    )
    assert complaint(file, capsys) == message
    (task / name).unlink()
    assert complaint(file, capsys) == message


def test_a_path_relative_to_where_it_was_learned(
    make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task(BIAS, BK, EXS)
    monkeypatch.chdir(task.parent)
    file = learn(Path("task"), capsys)
    monkeypatch.chdir("/")
    assert verify(task.parent / file, capsys) == (0, [], "")


def test_a_result_on_standard_input(make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    assert verify(Path("-"), capsys) == (0, [], "")
    monkeypatch.setattr(sys, "stdin", None)
    assert complaint("-", capsys) == "<stdin>: standard input is closed (give the result as a file)"


def test_without_swipl(make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    file = learn(make_task(BIAS, BK, EXS), capsys)
    monkeypatch.setenv("MAXSYNTH_SWIPL", "/nowhere/swipl")
    assert "there is no `swipl` on this machine" in complaint(file, capsys, "--prolog", "swipl")


def test_a_result_is_not_written_over_the_task(make_task: MakeTask, capsys: Capture) -> None:
    task = make_task(BIAS, BK, EXS)
    assert main(["learn", str(task), "--json", str(task / "bk.pl")]) == 2
    assert "this is an input and would be overwritten" in capsys.readouterr().err
    assert (task / "bk.pl").read_text() == BK
