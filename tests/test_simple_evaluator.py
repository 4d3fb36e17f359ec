"""The simple evaluator, and SWI-Prolog as a judge, against the kernel's prover: they must agree on every example."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule, parse_program
from maxsynth.prolog.terms import Atom
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.task.task import ReadTask
from maxsynth.verification.simple_evaluator import SimpleEvaluator
from maxsynth.verification.swipl_proof import SwiplProof
from oracle.brute_force import all_rules
from oracle.random_tasks import random_task
from test_least_model import background_of, random_program, random_world

LISTS = (
    "head_pred(f,2).\nbody_pred(tail,2).\nbody_pred(head,2).\nbody_pred(cons,3).\nbody_pred(even,1).\n"
    "enable_recursion.\nenable_pi.\nmax_clauses(4).\n"
    "direction(f,(in,out)).\ndirection(tail,(in,out)).\ndirection(head,(in,out)).\n"
    "direction(cons,(in,in,out)).\ndirection(even,(in,)).\n",
    "tail([_|T],T).\nhead([H|_],H).\ncons(H,T,[H|T]).\neven(X) :- integer(X), 0 is X mod 2.\n",
    "pos(f([1,2,3],3)).\npos(f([4],4)).\npos(f([1,[2]],[2])).\nneg(f([1,2,3],2)).\nneg(f([],1)).\nneg(f(7,7)).\n",
)


def test_programs_that_call_themselves(effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(240, 20_000)):
        rng = random.Random(seed)
        constants, facts = random_world(rng)
        target = Predicate("f", rng.randint(1, 3))
        program = random_program(rng, facts, target)
        background = background_of(facts)
        rows = list(itertools.product(constants, repeat=target.arity))
        rng.shuffle(rows)
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        expected = Evaluator(background, target).coverage(program, ids).covered.tolist()
        simple = SimpleEvaluator(program, background, target)
        assert [simple.covers(tuple(row)) for row in ids.tolist()] == expected, f"seed {seed}:\n{program}\n{facts}"


def random_rules(rng: random.Random, folder: Path) -> tuple[ReadTask, Program]:
    """A random task, and a program of up to four rules of its space."""
    small = random_task(rng)
    small.write(folder)
    rules = all_rules(small)
    chosen = rng.sample(rules, min(len(rules), rng.randint(0, 4)))
    program = Program(
        tuple(
            Rule(Literal(rule.head, tuple(range(rule.arity))), tuple(Literal(name, args) for name, args in rule.body))
            for rule in chosen
        )
    )
    return ReadTask.from_folder(folder, prolog="builtin"), program


def kernel_coverage(task: ReadTask, program: Program) -> list[bool]:
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    covered: list[bool] = Evaluator(task.background, task.bias.head).coverage(program, rows).covered.tolist()
    return covered


def examples(task: ReadTask) -> list[tuple[int, ...]]:
    return [tuple(row) for side in (task.positives, task.negatives) for row in side.rows.tolist()]


def test_rules_of_random_tasks(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(80, 5000)):
        task, program = random_rules(random.Random(seed), tmp_path)
        simple = SimpleEvaluator(program, task.background, task.bias.head)
        found = [simple.covers(row) for row in examples(task)]
        assert found == kernel_coverage(task, program), f"seed {seed}:\n{program}"


@pytest.mark.swipl
def test_swipl_on_rules_of_random_tasks(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(10_000, 10_000 + effort(8, 500)):
        task, program = random_rules(random.Random(seed), tmp_path)
        proof = SwiplProof(program.executable(task.bias.directions), task)
        try:
            found = [proof.covers(row) for row in examples(task)]
        finally:
            proof.close()
        assert found == kernel_coverage(task, program), f"seed {seed}:\n{program}"


LIST_PROGRAMS = {
    "last": "f(A,B) :- head(A,B), tail(A,C), empty(C).\nf(A,B) :- tail(A,C), f(C,B).",
    "member": "f(A,B) :- head(A,B).\nf(A,B) :- tail(A,C), f(C,B).",
    "an even member": "f(A,B) :- head(A,B), even(B).\nf(A,B) :- tail(A,C), f(C,B).",
    "invented": "f(A,B) :- inv(A,C), head(C,B).\ninv(A,B) :- tail(A,B).\ninv(A,B) :- tail(A,C), inv(C,B).",
    "mutual": "f(A,B) :- tail(A,C), inv(C,B).\ninv(A,B) :- head(A,B).\ninv(A,B) :- tail(A,C), f(C,B).",
    "a literal that asks by its inputs": "f(A,B) :- tail(A,C), head(A,D), cons(D,C,A), f(C,B).\nf(A,B) :- head(A,B).",
}


@pytest.mark.parametrize("name", LIST_PROGRAMS)
@pytest.mark.parametrize("judge", ["simple", pytest.param("swipl", marks=pytest.mark.swipl)])
def test_background_with_rules(make_task: Callable[..., Path], name: str, judge: str) -> None:
    bias, bk, exs = LISTS
    bias += "body_pred(empty,1).\ndirection(empty,(in,)).\n"
    task = ReadTask.from_folder(make_task(bias, bk + "empty([]).\n", exs), prolog="builtin")
    program = parse_program(LIST_PROGRAMS[name])
    proof = SwiplProof(program, task) if judge == "swipl" else SimpleEvaluator(program, task.background, task.bias.head)
    assert [proof.covers(row) for row in examples(task)] == kernel_coverage(task, program)
    if isinstance(proof, SwiplProof):
        proof.close()


def test_a_proof_without_end_is_cut(make_task: Callable[..., Path]) -> None:
    """The lists that the rule builds never end, so no answer is right but none at all."""
    task = ReadTask.from_folder(make_task(*LISTS), prolog="builtin")
    program = parse_program("f(A,B) :- head(A,C), cons(C,A,D), f(D,B).\nf(A,B) :- head(A,B), even(B).")
    simple = SimpleEvaluator(program, task.background, task.bias.head, steps=2000)
    assert [simple.covers(row) for row in examples(task)] == [None, True, None, None, False, False]
    again = SimpleEvaluator(program, task.background, task.bias.head, steps=2000)
    assert [again.covers(row) for row in examples(task)] == [None, True, None, None, False, False]


def test_parts_of_a_body_do_not_multiply(make_task: Callable[..., Path]) -> None:
    """Four unrelated parts of 300 rows each, the last of which fails: 300 * 4 steps and not 300 ** 4."""
    bk = "".join(f"p(a,{i}).\n" for i in range(300)) + "q(z).\n"
    task = ReadTask.from_folder(make_task("head_pred(f,1).\nbody_pred(p,2).\nbody_pred(q,1).\n", bk, "pos(f(a)).\n"))
    program = parse_program("f(A) :- p(A,B), p(A,C), p(A,D), p(A,E), q(E), p(A,F), q(F).")
    simple = SimpleEvaluator(program, task.background, task.bias.head, steps=3000)
    assert simple.covers(examples(task)[0]) is False


def test_constants_and_repeated_variables(make_task: Callable[..., Path]) -> None:
    bk = 'p(a,a).\np(b,c).\np(c,"x").\n'
    folder = make_task("head_pred(f,1).\nbody_pred(p,2).\n", bk, "pos(f(a)).\npos(f(b)).\nneg(f(c)).\n")
    task = ReadTask.from_folder(folder)
    for text in (
        "f(A) :- p(A,A).",
        'f(A) :- p(A,"x").',
        "f(A) :- p(A,x).",
        "f(b) :- p(a,a).",
        "f(A) :- p(A,B), p(B,_).",
    ):
        program = parse_program(text)
        simple = SimpleEvaluator(program, task.background, task.bias.head)
        assert [simple.covers(row) for row in examples(task)] == kernel_coverage(task, program), text


def test_a_long_chain_is_quick(make_task: Callable[..., Path]) -> None:
    edges = "".join(f"edge({i},{i + 1}).\n" for i in range(2000))
    exs = "pos(path(0,2000)).\nneg(path(1000,0)).\n"
    task = ReadTask.from_folder(make_task("head_pred(path,2).\nbody_pred(edge,2).\nenable_recursion.\n", edges, exs))
    program = parse_program("path(A,B) :- edge(A,B).\npath(A,B) :- edge(A,C), path(C,B).")
    simple = SimpleEvaluator(program, task.background, task.bias.head, steps=50_000)
    assert [simple.covers(row) for row in examples(task)] == [True, False]
