"""What the kernel does past its limits: the same as below them, in parts or by a slower way.

No task of a test is large enough to meet the limits as they are. So they are made small here, and nothing may change.
"""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.kernel import bodies, proofs, terms
from maxsynth.kernel import features as feature_kernel
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import parse_program
from maxsynth.prolog.consult import consult
from maxsynth.prolog.terms import Atom
from maxsynth.prolog.writer import term_text
from maxsynth.proofs import prover as prove
from maxsynth.proofs.evaluator import STEPS, Evaluator
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose import combine
from maxsynth.search.loop import Search
from maxsynth.search.programs import recursion
from maxsynth.search.result import OPTIMAL
from maxsynth.search.rules import features
from maxsynth.search.settings import METHODS, Settings
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum, optimum_exact
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from test_combine import make_combiner, random_pool
from test_least_model import background_of, least_model, random_program, random_world

_, FEATURES, ASP = METHODS
Capture = pytest.CaptureFixture[str]
Make = Callable[..., Path]


@contextmanager
def limited(module: ModuleType, **limits: int) -> Iterator[None]:
    """Sets limits of a module of the kernel for a while."""
    before = {name: module.set_limit(name, value) for name, value in limits.items()}
    try:
        yield
    finally:
        for name, value in before.items():
            module.set_limit(name, value)


# -- proofs -------------------------------------------------------------------------------------------------


def test_joins_in_parts_of_any_size(effort: Callable[[int, int], int]) -> None:
    """With budgets that never end a proof, the least model comes out all the same."""
    for seed in range(effort(200, 20_000)):
        rng = random.Random(seed)
        constants, known = random_world(rng)
        target = Predicate("f", rng.randint(1, 3))
        program = random_program(rng, known, target)
        background = background_of(known)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        model = least_model(program, known).get(target, set())
        expected = [row in model for row in rows]
        for most in (1, 2, rng.randint(3, 20)):
            with limited(proofs, rows=most, scanned=rng.randint(0, 3)):
                covered = np.zeros(len(ids), np.uint8)
                finished, _ = Evaluator(background, target).compile(program).batch.cover(ids, covered, 10**9)
            assert finished
            assert covered.astype(bool).tolist() == expected, f"seed {seed}, {most} rows:\n{program}\n{known}"


def test_without_room_nothing_wrong_is_proven(effort: Callable[[int, int], int]) -> None:
    """What does not fit is left to proofs one by one, which find the rest."""
    ended = 0
    for seed in range(effort(300, 10_000)):
        rng = random.Random(seed)
        constants, known = random_world(rng)
        target = Predicate("f", rng.randint(1, 2))
        program = random_program(rng, known, target)
        background = background_of(known)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        model = least_model(program, known).get(target, set())
        expected = [row in model for row in rows]
        prover = Evaluator(background, target).compile(program)
        with limited(proofs, cells=rng.randint(0, 200)):
            covered = np.zeros(len(ids), np.uint8)
            finished, _ = prover.batch.cover(ids, covered, 10**9)
            ended += not finished
            assert not [row for row, found, true in zip(rows, covered, expected, strict=True) if found and not true]
            assert not finished or covered.astype(bool).tolist() == expected
            assert prover.cover(ids, STEPS)[0].tolist() == expected
    assert ended


def test_one_by_one_without_room(effort: Callable[[int, int], int]) -> None:
    """Goals and answers are forgotten when there are too many; an example that needs more of them is unfinished."""
    ended = 0
    for seed in range(effort(300, 10_000)):
        rng = random.Random(seed)
        constants, known = random_world(rng)
        target = Predicate("f", rng.randint(1, 2))
        program = random_program(rng, known, target)
        background = background_of(known)
        rows = list(itertools.product(constants, repeat=target.arity))
        ids = np.array([[background.store.intern(Atom(c)) for c in row] for row in rows], dtype=np.int32)
        model = least_model(program, known).get(target, set())
        with limited(proofs, machine_cells=rng.randint(1, 100)):
            covered, unfinished = np.zeros(len(ids), np.uint8), np.zeros(len(ids), np.uint8)
            prover = Evaluator(background, target).compile(program)
            proofs.Machine(prover.plans).cover(ids, covered, unfinished, STEPS)
        ended += unfinished.any()
        for row, found, cut in zip(rows, covered, unfinished, strict=True):
            assert found == (row in model) or (cut and not found), f"seed {seed}:\n{program}\n{known}"
    assert ended


def large_join(make_task: Make) -> Path:
    """300,000 pairs of rows agree in C for each b and all a together, if not for the first 50 of them."""
    bk = [f"p(b{b},x{i},c{i % 20}).\n" for b in range(3) for i in range(400)]
    bk += [f"q(a{a},y{i},c{i % 20 if a < 25 else 20 + i % 20},z{i}).\n" for a in range(50) for i in range(400)]
    exs = [f"{'pos' if a < 25 else 'neg'}(f(a{a},b{b})).\n" for a in range(50) for b in range(3)]
    bias = "head_pred(f,2). body_pred(p,3). body_pred(q,4). max_vars(6). max_body(2).\n"
    return make_task(bias, "".join(bk), "".join(exs))


def test_a_join_that_does_not_fit(make_task: Make, tmp_path: Path, capsys: Capture) -> None:
    folder = large_join(make_task)
    (tmp_path / "program.pl").write_text("f(A,B) :- p(B,_,C), q(A,_,C,_).\n")
    assert main(["evaluate", str(tmp_path / "program.pl"), str(folder)]) == 0
    said = capsys.readouterr().out
    assert "accuracy           1.0000" in said
    assert main(["learn", str(folder)]) == 0
    said = capsys.readouterr()
    assert "optimal: cost 3 = size 3 and 0 false positives, 0 false negatives" in said.err


def test_a_hub_in_the_test_of_a_recursive_program(make_task: Make) -> None:
    """Everything is a neighbour of everything: in parts, the test ends as if there were room for all."""
    bk = "".join(f"e(a{i},hub).\n" for i in range(300)) + "s(a7).\n"
    exs = "".join(f"pos(f(a{i})).\n" for i in range(300)) + "neg(f(hub)).\n"
    task = ReadTask.from_folder(
        make_task("head_pred(f,1). body_pred(e,2). body_pred(s,1). enable_recursion.\n", bk, exs)
    )
    program = parse_program("f(A) :- s(A).\nf(A) :- e(A,B), e(C,B), f(C).")
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    evaluator = Evaluator(task.background, task.bias.head)
    whole = evaluator.quick_coverage(program, rows, 50_000)
    for most in (1, 100, 1000, 40_000):
        with limited(proofs, rows=most):
            found = evaluator.quick_coverage(program, rows, 50_000)
        assert found.covered.tolist() == whole.covered.tolist() == [True] * 300 + [False]
        assert not found.unfinished.any()
    with limited(proofs, cells=1000):
        found = evaluator.quick_coverage(program, rows, 50_000)
    assert not found.covered[-1]
    assert (found.covered | found.unfinished)[:-1].all()


# -- learning -----------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All limits of the search that nothing may depend on, as small as they can be, or nearly."""
    for module, name, value in (
        (prove, "BLOCK", 3),
        (combine, "DIVE_ENTRIES", 5),
        (recursion, "UNTESTED", 1),
        (features, "ROWS", 2),
    ):
        monkeypatch.setattr(module, name, value)
    with (
        limited(proofs, rows=2, scanned=0),
        limited(bodies, rows=1),
        limited(feature_kernel, tests=2, sample=0, sampled_from=0, some_rows=0),
        limited(terms, run=1, spread=-100, dense=-100, depth=0),
    ):
        yield


@pytest.mark.parametrize("method", [FEATURES, ASP])
def test_learning_with_small_limits(
    tmp_path: Path, small: None, effort: Callable[[int, int], int], method: str
) -> None:
    for seed in range(11_000_000, 11_000_000 + effort(35 if method == FEATURES else 8, 5000)):
        task = random_task(random.Random(seed), most_bodies=800 if method == FEATURES else 200)
        task.write(tmp_path)
        settings = Settings(Weights(*task.weights), exact=task.exact, method=method)
        result = Search(ReadTask.from_folder(tmp_path, prolog="builtin"), settings).run()
        best = optimum_exact(task) if task.exact else optimum(task)
        assert result.status == OPTIMAL
        assert result.cost == (None if best is None else best[0]), f"seed {seed}: {result.program}\n{task.describe()}"


def test_recursion_with_small_limits(
    tmp_path: Path, request: pytest.FixtureRequest, effort: Callable[[int, int], int]
) -> None:
    seeds = range(effort(6, 1000))

    def costs() -> Iterator[tuple[str, int | None]]:
        for seed in seeds:
            task = random_calling_task(random.Random(seed), most_programs=800)
            task.write(tmp_path)
            read = ReadTask.from_folder(tmp_path, prolog="builtin")
            result = Search(read, Settings(Weights(*task.weights), exact=task.exact)).run()
            yield result.status, result.cost

    before = list(costs())
    request.getfixturevalue("small")
    assert list(costs()) == before


def test_rules_chosen_without_room_for_shares(
    monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int]
) -> None:
    """Then clingo chooses them."""
    rng = random.Random(5)
    for case in range(effort(30, 1000)):
        pool = random_pool(rng)
        found = []
        for shares, entries in ((combine.MOST_SHARES, combine.MOST_ENTRIES), (-1, 1 << 31), (1 << 26, -1)):
            monkeypatch.setattr(combine, "MOST_SHARES", shares)
            monkeypatch.setattr(combine, "MOST_ENTRIES", entries)
            combiner = make_combiner(*pool)
            proof = combiner.best(int(pool[2].sum()) + 1)
            assert proof.proven
            assert proof.best is not None
            found.append((proof.best.cost, proof.lower_bound))
        assert found[0] == found[1] == found[2], case


def test_nested_terms_are_read_alike() -> None:
    """Facts that are too deep for the quick reader are left to the full one."""
    text = "p(a,f(g(h(b)),[1,[2,[3]]])). p(c,d). p(f(f(f(x))),'A b').\n"

    def rows() -> list[list[str]]:
        read = consult(text, "bk.pl", TermStore())
        return [[term_text(read.store.term(known)) for known in row] for row in read.tables["p", 2].rows().tolist()]

    before = rows()
    for depth in (0, 1, 2):
        with limited(terms, depth=depth):
            assert rows() == before


def test_arguments_of_terms_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MAX_ARGUMENTS", 3)
    store = TermStore()
    known = [store.make("f", (store.intern(Atom("a")),)), store.make("g", (0, 0))]
    with pytest.raises(MaxSynthError, match=r"more than 3 arguments in all terms \(make the task smaller\)"):
        store.make("h", (0,))
    assert known == [store.make("f", (store.intern(Atom("a")),)), store.make("g", (0, 0))]


# -- what sets of examples weigh ----------------------------------------------------------------------------


def test_weights_of_bits(effort: Callable[[int, int], int]) -> None:
    rng = np.random.default_rng(1)
    for case in range(effort(100, 5000)):
        count = int(rng.choice([1, 7, 64, 65, 200]))
        most = int(rng.choice([1, 3, 1000, 10**15 // count]))
        weights = rng.integers(0, most, count, endpoint=True) * (1 if most > 1000 else int(rng.choice([1, 17])))
        weigher = recursion.Weigher(weights)
        for chosen in rng.random((5, count)) < 0.5:
            assert weigher.of(recursion.bits(chosen)) == sum(weights[chosen].tolist()), case


def test_nothing_multiplies_matrices() -> None:
    """NumPy does that in as many threads as it likes, and adds up floats in another order with each number of them."""
    products = {"dot", "vdot", "matmul", "einsum", "tensordot", "inner", "linalg", "convolve", "correlate"}
    found = []
    for file in sorted(Path(maxsynth.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            named = isinstance(node, ast.Attribute) and node.attr in products and ast.unparse(node.value) == "np"
            if named or isinstance(getattr(node, "op", None), ast.MatMult):
                found.append(f"{file}:{node.lineno}")
    assert not found


def test_heads_that_are_read_from_pairs(make_task: Callable[..., Path], effort: Callable[[int, int], int]) -> None:
    """What leads to the head reads two values that come before it: each pair of them is tried with every head."""
    bias = (
        "head_pred(f,1). body_pred(p,2). body_pred(q,2). body_pred(r,3). max_vars(4). max_body(3).\n"
        "direction(f,(in,)). direction(p,(out,out)). direction(q,(out,out)). direction(r,(out,in,in)).\n"
    )
    found = 0
    for seed in range(24_000_000, 24_000_000 + effort(12, 1000)):
        rng = random.Random(seed)
        pairs = {f"{name}(b{rng.randrange(6)},x{rng.randrange(3)})" for name in "pq" for _ in range(7)}
        ties = {f"r(a{rng.randrange(8)},b{rng.randrange(6)},b{rng.randrange(6)})" for _ in range(25)}
        labels = [rng.random() < 0.6 for _ in range(8)]
        for number in range(8):  # mostly by a rule
            own = [tie for tie in ties if tie.startswith(f"r(a{number},")]
            values = [[x for x in range(3) for b in tie[2:-1].split(",")[1:] if f"p({b},x{x})" in pairs] for tie in own]
            if rng.random() < 0.9:
                labels[number] = any(len(set(value)) < len(value) for value in values)
        labels[rng.randrange(8)] = True  # there is a positive at least
        exs = "".join(f"{'pos' if label else 'neg'}(f(a{number})).\n" * 3 for number, label in enumerate(labels))
        folder = make_task(bias, "".join(f"{fact}.\n" for fact in sorted(pairs | ties)), exs)
        costs = []
        for method in (FEATURES, ASP):
            with limited(feature_kernel, some_rows=0):
                result = Search(ReadTask.from_folder(folder), Settings(method=method)).run()
            assert result.status == OPTIMAL
            costs.append(result.cost)
        assert costs[0] == costs[1], f"seed {seed}"
        found += bool(result.program.rules)
    assert found
