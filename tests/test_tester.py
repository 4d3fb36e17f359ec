"""Testing programs for a search: what is found out early, and what is not believed at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from maxsynth.background.background import StoppedAskingError
from maxsynth.kernel.proofs import Plans
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.proofs.prover import Prover, ends_of_parts
from maxsynth.search.loop import Search
from maxsynth.search.programs import tester
from maxsynth.search.result import INTERRUPTED, OPTIMAL
from maxsynth.search.settings import METHODS, Settings
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.calling import calling_programs
from oracle.calling_tasks import random_calling_task
from oracle.counting_tasks import write_counting_task
from programs import as_program


def test_an_early_end_says_less_but_nothing_wrong(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    ended = 0
    for seed in range(effort(10, 1000)):
        rng = random.Random(seed)
        task = random_calling_task(rng, most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        tests = tester.Tester(read, WeighedExamples.of(read, Weights(*task.weights)), task.weights[0])
        programs = list(calling_programs(task))
        for program in map(as_program, rng.sample(programs, min(20, len(programs)))):
            whole = tests.outcome(program)
            for bound in range(whole.size, whole.cost + 3):
                early = tests.outcome(program, bound, early=True)
                ended += early.most_pos > whole.most_pos
                assert (early.cost < bound) == (whole.cost < bound)
                assert whole.cost >= bound or early.cost == whole.cost
                assert early.neg <= whole.neg
                assert early.most_pos >= whole.most_pos
                assert not (early.covered & ~whole.covered).any()
    assert ended > 50
    assert tests.cut == 0


@pytest.mark.parametrize("method", [METHODS[0], METHODS[2]])
def test_what_a_result_says_it_costs_is_what_it_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int], method: str
) -> None:
    """With so few steps nearly every test is cut; a program that then seems to be better is tested again."""
    monkeypatch.setattr(tester, "STEPS", 2)
    cut = 0
    for seed in range(effort(12, 500)):
        task = random_calling_task(random.Random(seed), most_programs=800)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        result = Search(read, Settings(Weights(*task.weights), method=method)).run()
        cut += result.counts["programs_cut"]
        if result.program is not None:
            examples = WeighedExamples.of(read, Weights(*task.weights))
            covered = Evaluator(read.background, read.bias.head).coverage(result.program, examples.rows).covered
            errors = examples.neg[covered].sum() + examples.pos[~covered].sum()
            assert result.cost == task.weights[0] * result.program.size + errors, f"seed {seed}"
    assert cut > 20


BASES = ("zero(A)", "one(A)", "odd(A)")
CALLS = {
    5: ("down(A,B),f(B)", "twice(A,B),f(B)"),
    6: ("down(A,B),twice(B,C),f(C)", "twice(A,B),odd(B),f(B)", "twice(A,B),twice(B,C),f(C)", "down(A,B),odd(A),f(B)"),
}


@pytest.mark.parametrize("jobs", [1, 3])
def test_programs_are_tested_together_as_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int], jobs: int
) -> None:
    """Also where BK has to be asked, which one thread does after the others."""
    monkeypatch.setattr(tester, "WORTH", 2)
    again = 0

    class Counted(Prover):
        def __init__(self, plans: Plans) -> None:
            nonlocal again
            again += 1
            super().__init__(plans)

    monkeypatch.setattr(tester, "Prover", Counted)
    tested = cut = 0
    for seed in range(effort(10, 1000)):
        rng = random.Random(seed)
        write_counting_task(rng, tmp_path)
        size = rng.choice((5, 6))
        texts = [f"f(A) :- {base}.\nf(A) :- {call}.\n" for base in BASES for call in CALLS[size]]
        groups = [[*map(parse_program, rng.sample(texts, rng.randint(2, len(texts))))] for _ in range(3)]
        monkeypatch.setattr(tester, "STEPS", rng.choice((5, 40, 5000)))
        read, other = (ReadTask.from_folder(tmp_path, prolog="builtin") for _ in range(2))
        examples = WeighedExamples.of(read, Weights())
        bound = size + rng.randint(1, 1 + int(examples.pos.sum()))
        alone = tester.Tester(other, examples, 1)
        with Threads(jobs, -1.0) as threads:
            tests = tester.Tester(read, examples, 1, threads)
            found = []
            for group in [tester.Group(tests, programs, bound) for programs in groups]:
                tests.begin(group, None)
                tests.alone()
                found.append(tests.of_group(group, None).outcomes)
        for program, outcome in zip(chain(*groups), chain(*found), strict=True):
            coverage = alone.evaluator.quick_coverage(program, examples.rows, tester.STEPS, alone.watch(bound - size))
            tested += 1
            cut += bool(coverage.unfinished.any())
            assert (coverage.covered == outcome.covered).all(), f"seed {seed}: {program}"
            assert ((coverage.covered | coverage.unfinished) == outcome.may_cover).all(), f"seed {seed}: {program}"
    assert 0 < again < tested
    assert 0 < cut < tested


def test_looks_are_after_more_positives_than_may_be_missed(make_task: Callable[..., Path]) -> None:
    exs = "".join(f"pos(f(p{i})). pos(f(p{i})).\n" for i in range(5)) + "".join(f"neg(f(n{i})).\n" for i in range(4))
    read = ReadTask.from_folder(make_task("head_pred(f,1).\nbody_pred(p,1).\n", "p(p0).\n", exs))
    tests = tester.Tester(read, WeighedExamples.of(read, Weights()), 1)
    assert tests.looks(4) == (3, 5)
    assert tests.looks(100) == (10, 5)


def test_parts_of_the_examples() -> None:
    assert ends_of_parts(12, (7, 5)) == [4, 5, 7, 12]
    assert ends_of_parts(3, (2, 99)) == [2, 3]
    assert ends_of_parts(0, ()) == []


LISTS = "".join(
    f"{label}(f({items},{answer})).\n"
    for label, items, answer in (
        ("pos", "[a,b]", "[b,a]"), ("pos", "[a]", "[a]"), ("pos", "[a,b,c]", "[c,b,a]"), ("neg", "[a,b]", "[a,b]"),
    )
)  # fmt: skip
LIST_BIAS = (
    "head_pred(f,2).\nbody_pred(head,2).\nbody_pred(tail,2).\nbody_pred(joined,3).\nbody_pred(none,1).\n"
    "type(f,(l,l)).\ntype(head,(l,e)).\ntype(tail,(l,l)).\ntype(joined,(l,e,l)).\ntype(none,(l,)).\n"
    "direction(f,(in,out)).\ndirection(head,(in,out)).\ndirection(tail,(in,out)).\n"
    "direction(joined,(in,in,out)).\ndirection(none,(out,)).\nenable_recursion.\nmax_vars(5).\nmax_body(4).\n"
)
LIST_BK = "head([X|_],X).\ntail([_|X],X).\njoined(X,Y,Z) :- append(X,[Y],Z).\nnone([]).\n"


@pytest.mark.parametrize("looks", [1, 5, 50, 500])
def test_who_wants_to_stop_is_heard_while_bk_is_asked(make_task: Callable[..., Path], looks: int) -> None:
    """However early it ends, what it says then is true."""
    asked = 0

    def interrupted() -> bool:
        nonlocal asked
        asked += 1
        return asked > looks

    task = ReadTask.from_folder(make_task(LIST_BIAS, LIST_BK, LISTS * 5), prolog="builtin")
    result = Search(task, Settings(), interrupted=interrupted).run()
    assert result.status == INTERRUPTED
    assert result.lower_bound <= 8 <= (result.cost or 0)  # 8 is what the best program costs
    assert task.background.should_stop is None


def test_nobody_stops(make_task: Callable[..., Path]) -> None:
    result = Search(ReadTask.from_folder(make_task(LIST_BIAS, LIST_BK, LISTS * 5), prolog="builtin"), Settings()).run()
    assert (result.status, result.cost) == (OPTIMAL, 8)


def test_asking_stops(make_task: Callable[..., Path]) -> None:
    task = ReadTask.from_folder(make_task(LIST_BIAS, LIST_BK, LISTS), prolog="builtin")
    with task.background.watched_by(lambda: True), pytest.raises(StoppedAskingError):
        task.background.ask(Predicate("tail", 2), (0,), [(int(task.positives.rows[0][0]),)])
