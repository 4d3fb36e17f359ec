"""Large numbers: weights, types, arguments, literals. At each limit all is as below it; past it there is an error."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import Index, TermStore
from maxsynth.prolog.terms import Atom, Struct
from maxsynth.proofs.metrics import Weights
from maxsynth.search import kernel_bias
from maxsynth.search.choose import core_guided
from maxsynth.search.choose.core_guided import Clingo
from maxsynth.search.choose.maxsat import Wcnf
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL
from maxsynth.search.settings import METHODS, Settings
from maxsynth.search.weighing import MOST_WEIGHT, WeighedExamples
from maxsynth.task.task import ReadTask
from oracle.brute_force import optimum, optimum_exact
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask
from test_combine import cost_of, least_cost, make_combiner, random_pool
from test_maxsat import never, problem_of

AUTO, FEATURES, ASP = METHODS
Capture = pytest.CaptureFixture[str]
Make = Callable[..., Path]

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(1).\nmax_body(2).\n"
BK = "p(a). p(b). q(a). q(c).\n"


# -- weights ------------------------------------------------------------------------------------------------


def heavier(task: SmallTask, rng: random.Random) -> SmallTask:
    """The task with large weights that have nothing in common, and still some room below the limit."""

    def weighed(examples: list[tuple[tuple[str, ...], int]]) -> list[tuple[tuple[str, ...], int]]:
        return [(atom, weight * 10**7 + rng.randrange(10**6)) for atom, weight in examples]

    size, fp, fn = task.weights
    return replace(
        task,
        positives=weighed(task.positives),
        negatives=weighed(task.negatives),
        weights=(size * 10**11 + rng.randrange(10**9), fp * 10**4 + rng.randrange(9), fn * 10**4 + rng.randrange(9)),
    )


def test_large_weights_against_brute_force(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    found = 0
    for seed in range(8_000_000, 8_000_000 + effort(25, 5000)):
        rng = random.Random(seed)
        task = heavier(random_task(rng), rng)
        task.write(tmp_path)
        settings = Settings(
            Weights(*task.weights),
            exact=task.exact,
            method=rng.choice((FEATURES, FEATURES, ASP)),
        )
        result = Search(ReadTask.from_folder(tmp_path, prolog="builtin"), settings).run()
        best = optimum_exact(task) if task.exact else optimum(task)
        assert result.status == OPTIMAL
        assert result.cost == (None if best is None else best[0]), f"seed {seed}: {result.program}\n{task.describe()}"
        found += bool(result.program)
    assert found > 20


def test_large_weights_of_recursive_programs(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """All weights times a number: the same programs cost that many times as much."""
    times = 10**12
    for seed in range(effort(5, 500)):
        task = random_calling_task(random.Random(seed), most_programs=800)
        task.write(tmp_path)
        small, large = (
            Search(
                ReadTask.from_folder(tmp_path, prolog="builtin"),
                Settings(Weights(*(weight * by for weight in task.weights)), exact=task.exact),
            ).run()
            for by in (1, times)
        )
        assert small.status == large.status == OPTIMAL
        assert large.cost == (None if small.cost is None else small.cost * times), f"seed {seed}\n{task.describe()}"


@pytest.mark.parametrize(("piece", "most"), [(1, 1), (5, 1), (1 << 30, Clingo().most_weight), (1 << 30, MOST_WEIGHT)])
def test_choosing_rules_by_large_weights(
    piece: int, most: int, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int]
) -> None:
    """Up to the limits; clingo gets them in pieces."""
    monkeypatch.setattr(core_guided, "PIECE", piece)
    rng = random.Random(3)
    for case in range(effort(25, 3000)):
        covers, sizes, pos, neg = random_pool(rng)
        total = int(pos.sum() + neg.sum() + sizes.sum())
        if piece < 1 << 30 and total > 100 * piece:
            continue
        times = 1 if piece < 1 << 30 else most // total
        sizes, pos, neg = (side * times - (side > 0) * (times > 1) * rng.randrange(9) for side in (sizes, pos, neg))
        least = least_cost(covers, sizes, pos, neg)
        for solver in (None, Clingo()) if most < MOST_WEIGHT else (None,):
            combiner = make_combiner(covers, sizes, pos, neg)
            combiner.solver = solver
            proof = combiner.best(int(pos.sum()) + 1)
            assert proof.proven, case
            assert proof.best is not None, case
            assert proof.best.cost == least == cost_of(proof.best.rules, combiner) == proof.lower_bound, case
            assert combiner.at_least(int(pos.sum()) + 1) <= least


def test_what_clingo_has_no_room_for_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_guided, "MOST_PIECES", 3)
    monkeypatch.setattr(core_guided, "PIECE", 10)
    covers, sizes = np.array([[True, True], [True, False]]), np.array([7, 2])
    combiner = make_combiner(covers, sizes, np.array([41, 3]), np.array([0, 0]))
    combiner.solver = Clingo()
    monkeypatch.setattr(combiner, "improve", lambda *_: None)  # with a good set known, large weights need not be said
    proof = combiner.best(43)
    assert not proof.proven
    assert proof.lower_bound <= 5


def test_the_limit_on_weights(make_task: Make) -> None:
    folder = make_task(BIAS, BK, "pos(f(a)). pos(f(b)).\nneg(f(c)).\n")
    task = maxsynth.Task.from_folder(folder)
    most = (MOST_WEIGHT - 3 - 2) // 2  # besides a rule of three literals, and one negative of weight 2 with what is odd
    weights = (1, MOST_WEIGHT - 3 - 2 * most, most)
    assert maxsynth.learn(task, weights=weights).cost == 2
    assert maxsynth.learn(task, weights=(10**14, 10**14, 10**14)).cost == 2 * 10**14
    for past in ((1, weights[1] + 1, most), (10**15,) * 3, (10**400, 1, 1)):
        with pytest.raises(
            MaxSynthError, match=r"together weigh [\d,.]+, and `learn` takes at most 1,000,000,000,000,000"
        ):
            maxsynth.learn(task, weights=past)


def test_a_weight_is_refused_where_it_is(make_task: Make, capsys: Capture) -> None:
    exs = "pos(f(a)).\npos(f(b),2000000000).\npos(f(b),5). neg(f(c)).\n"
    folder = make_task(BIAS, BK, exs)
    for options in ("--weights 1,50,50", "--weights 1,400000,400000", "--solver clingo --weights 1,1,498", "--exact"):
        assert main(["learn", str(folder), *options.split()]) == 0
        assert "optimal: cost 2 = size 2" in capsys.readouterr().err
    assert main(["learn", str(folder), "--solver", "clingo", "--weights", "1,1,501"]) == 2
    assert "`--solver clingo` takes at most 1,000,000,000,000 (" in capsys.readouterr().err
    assert main(["learn", str(folder), "--weights", "1,1,600000"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"maxsynth: {folder}/exs.pl:2: all errors and the largest rule together weigh 1,200,000,003,600,004,"
    )
    assert said.endswith("(divide the weights of the examples, or those of the cost, by a number)\n")
    assert "Traceback" not in said


def test_exact_programs_whatever_the_weights(make_task: Make) -> None:
    """One error is too many: what it counts for does not matter, and cannot be too much."""
    most = (1 << 31) - 1
    exs = "".join(f"pos(f(a{i}),{most}).\n" for i in range(2000)) + "neg(f(c)).\n"
    bk = "".join(f"p(a{i}). " for i in range(2000)) + "q(c).\n"
    folder = make_task(BIAS, bk, exs)
    assert maxsynth.learn(maxsynth.Task.from_folder(folder), exact=True, weights=(1000, 1, 1)).cost == 2000
    with pytest.raises(MaxSynthError, match=r"exs\.pl:1: .* together weigh"):
        maxsynth.learn(maxsynth.Task.from_folder(folder), weights=(1, 1000, 1000))


def test_the_sum_that_other_solvers_take() -> None:
    """The old format also writes a weight that is larger than all others together."""
    weighed = WeighedExamples(np.zeros((1, 1), np.int32), np.array([1]), np.array([0]))
    problem = problem_of(np.array([[True]]), np.array([2]), weighed)
    problem.sizes[:] = 1 << 62
    problem.weights[:] = (1 << 62) - 2
    assert Wcnf.of(problem).text("old").startswith(f"p wcnf 2 3 {(1 << 63) - 1}\n")
    problem.weights[:] += 1
    with pytest.raises(MaxSynthError, match="too large for a MaxSAT solver"):
        Wcnf.of(problem)
    assert Clingo()(problem).solve(10, never)[0] is None


# -- types --------------------------------------------------------------------------------------------------


def many_types(make_task: Make, count: int, arity: int) -> Path:
    """A head without types whose first and last arguments need the last and the second of so many types."""
    names = "abcdefgh"[:arity]
    bias = f"head_pred(f,{arity}). max_vars({arity}). max_body(2).\nnon_datalog.\n"
    bias += "".join(f"body_pred(p{i},1). type(p{i},(t{i},)).\n" for i in range(count))
    bk = "".join(f"p{i}(none). " for i in range(count))
    bk += "".join(f"p{count - 1}(x{i}). p1(y{i}).\n" for i in range(12))
    fill = ",".join("m" for _ in names[2:])
    row = "pos(f(x{0},y{0}{1})).\nneg(f(x{0},m{1})).\nneg(f(m,y{0}{1})).\n"
    exs = "".join(row.format(i, f",{fill}" if fill else "") for i in range(12))
    return make_task(bias, bk, exs)


@pytest.mark.parametrize("count", [255, 256, 257, 300])
def test_more_types_than_a_byte_holds(make_task: Make, count: int) -> None:
    task = ReadTask.from_folder(many_types(make_task, count, 2))
    result = Search(task, Settings()).run()
    assert (result.status, result.cost) == (OPTIMAL, 3), result.program


def test_the_limit_on_types(make_task: Make) -> None:
    for count in (127, 255):
        assert Search(ReadTask.from_folder(many_types(make_task, count, 8)), Settings()).run().cost == 3
    with pytest.raises(MaxSynthError, match=r"f/8 has no types, and the bias has 256 .* at most 255 \(declare type\(f"):
        Search(ReadTask.from_folder(many_types(make_task, 256, 8)), Settings()).run()


def test_the_limit_in_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Callable[[int, int], int]) -> None:
    """Refused or right, with a word of a few bits."""
    monkeypatch.setattr(kernel_bias, "WORD", 3)
    refused = 0
    for seed in range(9_000_000, 9_000_000 + effort(25, 3000)):
        task = random_task(random.Random(seed))
        task.write(tmp_path)
        try:
            result = Search(ReadTask.from_folder(tmp_path), Settings(Weights(*task.weights), exact=task.exact)).run()
        except MaxSynthError as error:
            refused += "has no types" in str(error)
            continue
        best = optimum_exact(task) if task.exact else optimum(task)
        assert result.cost == (None if best is None else best[0]), f"seed {seed}\n{task.describe()}"
    assert refused


def test_more_types_with_one_variable_than_there_are_variables(make_task: Make) -> None:
    """Then no rule is in the space, even if all others are."""
    for count in (1, 2, 70):
        bias = "head_pred(f,1). body_pred(p,1). max_vars(2). type(f,(t0,)). type(p,(t0,)).\n"
        bias += "".join(f"body_pred(q{i},1). type(q{i},(t{i},)).\n" for i in range(count))
        bias += "".join(
            f":- clause(C), #count{{V : clause_var(C,V), var_type(C,V,t{i})}} != 1.\n" for i in range(count)
        )
        exs = "".join(f"pos(f(a{i})).\n" for i in range(5))
        task = ReadTask.from_folder(make_task(bias, "".join(f"p(a{i}). " for i in range(5)), exs))
        assert len(task.bias.one_of_type) == count
        assert Search(task, Settings()).run().cost == (2 if count == 1 else 5)


# -- arguments, variables and literals ----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "most"), [("max_vars", 16), ("max_body", 24)])
def test_the_limits_of_a_rule(make_task: Make, name: str, most: int) -> None:
    bias = "head_pred(f,1). body_pred(p,1). body_pred(q,1). "
    for count in (most, most + 1):
        folder = make_task(f"{bias}{name}({count}).\n", BK, "pos(f(a),9). neg(f(b)). neg(f(c)).\n")
        search = ReadTask.from_folder(folder), Settings()
        if count == most:
            assert Search(*search).run().cost == 3
        else:
            with pytest.raises(MaxSynthError, match=f"{name} is {most + 1}, and `learn` takes at most {most}"):
                Search(*search)


@pytest.mark.parametrize("arity", [8, 9, 10, 12])
def test_heads_with_many_arguments(make_task: Make, arity: int) -> None:
    pairs = arity // 2 + arity % 2
    bias = f"head_pred(f,{arity}). body_pred(p,2). max_vars({arity}). max_body({pairs}).\n"
    row = ",".join(f"a{i}" for i in range(arity))
    exs = f"pos(f({row}),20).\nneg(f({','.join(['a0'] * arity)}),20).\n"
    folder = make_task(bias, "".join(f"p(a{i},a{i + 1}).\n" for i in range(arity)), exs)
    result = Search(ReadTask.from_folder(folder), Settings(steps=20_000)).run()
    assert result.cost == pairs + 1


def test_the_limit_on_literals(make_task: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bias = "head_pred(f,2). body_pred(p,3). body_pred(q,1). max_vars(4).\n"
    ways = 4 * 3 * 2 + 4
    for extra, more in (("", 0), ("enable_recursion.\n", 4 * 3)):
        folder = make_task(bias + extra, "p(a,b,c). q(a).\n", "pos(f(a,b),9). neg(f(b,a)).\n")
        monkeypatch.setattr(kernel_bias, "MOST_LITERALS", ways + more)
        assert Search(ReadTask.from_folder(folder), Settings()).run().cost == 2
        monkeypatch.setattr(kernel_bias, "MOST_LITERALS", ways + more - 1)
        with pytest.raises(
            MaxSynthError, match=f"p/3 makes 24 literals, all predicates make {ways + more}, .*lower max_vars"
        ):
            Search(ReadTask.from_folder(folder), Settings()).run()


def test_a_predicate_with_more_literals_than_there_is_room_for(make_task: Make, capsys: Capture) -> None:
    row = ",".join(f"a{i}" for i in range(12))
    folder = make_task("head_pred(f,1). body_pred(p,12). max_vars(12).\n", f"p({row}).\n", "pos(f(a0)).\n")
    assert main(["learn", str(folder)]) == 2
    assert "p/12 makes 479,001,600 literals" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["max_vars(16). max_body(2).", "max_vars(2). max_body(16).", "max_vars(15)."])
def test_checking_at_the_limits_of_learning(make_task: Make, capsys: Capture, limit: str) -> None:
    """To say what keeps an example out, larger spaces are tried: none that is too large."""
    bias = f"head_pred(f,1). body_pred(p,2). direction(f,(in,)). direction(p,(in,out)). {limit}\n"
    folder = make_task(bias, "p(a,b). p(c,b).\n", "pos(f(a)). pos(f(b)). pos(f(c)). neg(f(d)).\n")
    assert main(["check", str(folder)]) == 0
    assert "without directions, `f(A) :- p(_,A).` would cover it" in capsys.readouterr().out


def test_bodies_and_arguments_of_a_program(make_task: Make, tmp_path: Path, capsys: Capture) -> None:
    """64 of them can be evaluated."""
    row = ",".join(["a"] * 64)
    folder = make_task(BIAS, BK + f"w({row}). w({row},a).\n", "pos(f(a)). neg(f(b)).\n")
    variables = ",".join(["A"] * 64)
    file = tmp_path / "program.pl"
    for body in (",".join(["p(A)"] * 31 + ["q(A)"] * 33), f"w({variables})"):
        file.write_text(f"f(A) :- {body}.\n")
        assert main(["evaluate", str(file), str(folder)]) == 0
        assert "accuracy           1.0000" in capsys.readouterr().out
    for body in (",".join(["p(A)"] * 65), f"w({variables},A)"):
        file.write_text(f"f(A) :- {body}.\n")
        assert main(["evaluate", str(file), str(folder)]) == 2
        assert "more than 64 literals or arguments" in capsys.readouterr().err


# -- numbers from Python ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [-1, 3, 10**8])
def test_what_is_no_id(number: int) -> None:
    store = TermStore()
    known = store.intern(Struct("f", (Atom("a"),)))
    assert (known, len(store)) == (2, 3)
    functor = store.functor("f", 1)
    ids = np.array([known, number], np.int32)
    for use in (
        lambda: store.term(number),
        lambda: store.is_compound(number),
        lambda: store.parts(number),
        lambda: store.make("g", (known, number)),
        lambda: store.argument(number, functor, 0),
        lambda: store.argument(known, functor, 1),
        lambda: store.append(number, known),
        lambda: store.append(store.nil, number),
        lambda: store.spread(ids, functor),
        lambda: store.spread(ids[:1], functor + 1),
    ):
        with pytest.raises(IndexError):
            use()
    assert store.argument(known, functor, 0) == 1


def test_what_is_no_key() -> None:
    index = Index(2, (0,), np.array([[1, 2], [3, 4]], np.int32))
    for key in ((), (1, 2), (-1,)):
        for use in (index.rows, index.knows, lambda key: index.put(key, [])):
            with pytest.raises(IndexError):
                use(key)
    with pytest.raises(IndexError):
        Index(2, (0,), np.array([[1, -2]], np.int32))
    with pytest.raises(IndexError):
        Index(2, (0,), ask=lambda key: [(1,)]).rows((1,))
    assert index.rows((1,)) == [(1, 2)]
    assert index.rows((1 << 30,)) == []
