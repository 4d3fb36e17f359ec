"""Learning against brute force: the least cost of random small tasks, with every pruning on and each one off."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.background import background
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.brute_force import cost, optimum, optimum_exact
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

PRUNINGS = ("dead", "closed", "equal", "order", "stand_in", "matched", "ties", "partners", "outdone", "prices", "wide")


def learn(
    task: SmallTask, folder: Path, without: tuple[str, ...] = (), *, tables: int | None = None, lazy: bool = False
) -> SearchResult:
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    if lazy:
        read.background.close = lambda *_, **__: set()  # type: ignore[method-assign]
    settings = Settings(Weights(*task.weights), exact=task.exact, tables=tables, without=without)
    return Search(read, settings).run()


def least(task: SmallTask) -> int | None:
    if task.exact:
        solution = optimum_exact(task)
        return None if solution is None else solution[0]
    return optimum(task)[0]


def check(task: SmallTask, folder: Path, seed: int, without: tuple[str, ...] = ()) -> None:
    """Learns the task in one of several ways that must not matter: BK by rules, lazily; tables in blocks."""
    rng = random.Random(-seed - 1)
    if rng.random() < 0.4:
        task.by_rules = frozenset(name for name, _ in task.body if rng.random() < 0.6)
    tables = 1 if rng.random() < 0.3 else None
    result = learn(task, folder, without, tables=tables, lazy=rng.random() < 0.3)
    assert result.status == OPTIMAL
    assert result.cost == least(task), f"seed {seed}, without {without}: {result.program}\n{task.describe()}"


def test_the_cost_is_the_least(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(effort(120, 20_000)):
        check(random_task(random.Random(seed)), tmp_path, seed)


@pytest.mark.parametrize("seed", [23, 55, 80, 88, 903, 42086, 67107, 300034, 300493])
def test_tasks_that_found_a_mistake_once(tmp_path: Path, seed: int) -> None:
    check(random_task(random.Random(seed)), tmp_path, seed)


def test_blocks_of_any_size_find_the_same(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """Tables for a few rows, or none: all that is counted is the same, but for the steps."""
    for seed in range(7_000_000, 7_000_000 + effort(40, 5000)):
        task = random_task(random.Random(seed))
        found = []
        for tables in (None, 1, 200, 600, 2000):
            result = learn(task, tmp_path, tables=tables)
            del result.counts["steps"]
            found.append((str(result.program), result.cost, result.counts))
        assert all(other == found[0] for other in found), f"seed {seed}\n{task.describe()}"


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_no_pruning_changes_the_answer(tmp_path: Path, effort: Callable[[int, int], int], pruning: str) -> None:
    for seed in range(1_000_000, 1_000_000 + effort(15, 1000)):
        check(random_task(random.Random(seed)), tmp_path, seed, (pruning,))


def test_the_cost_is_that_of_the_program(tmp_path: Path) -> None:
    for seed in range(2_000_000, 2_000_060):
        task = random_task(random.Random(seed))
        result = learn(task, tmp_path)
        if result.program is None or task.exact or task.weights != (1, 1, 1):
            continue
        again = evaluate_program(parse_program(str(result.program)), ReadTask.from_folder(tmp_path, prolog="builtin"))
        assert again.cost == result.cost


def unary_task(members: dict[str, list[str]], positives: list[str], negatives: list[str], max_body: int) -> SmallTask:
    return SmallTask(
        head=("f", 1),
        body=[(name, 1) for name in members],
        max_vars=2,
        max_body=max_body,
        facts=[(name, (member,)) for name, many in members.items() for member in many],
        positives=[((constant,), 1) for constant in positives],
        negatives=[((constant,), 1) for constant in negatives],
    )


def test_rules_that_share_false_positives_pay_together(tmp_path: Path) -> None:
    """Neither rule pays by itself by much, but both cover the same eight negatives."""
    pos, neg = [f"p{i}" for i in range(40)], [f"n{i}" for i in range(8)]
    task = unary_task({"a": pos[:31] + neg, "b": pos[31:] + neg, "c": pos[:3]}, pos, neg, 3)
    assert learn(task, tmp_path).cost == 12


def test_three_way_intersection(tmp_path: Path) -> None:
    """Each predicate, and each pair, covers many negatives; all three together cover few."""
    pos, neg = [f"p{i}" for i in range(20)], [f"n{i}" for i in range(30)]
    members = {"b1": pos + neg[:20], "b2": pos + neg[10:], "b3": pos + neg[:10] + neg[20:]}
    task = unary_task(members, pos, neg, 4)
    result = learn(task, tmp_path)
    assert result.cost == 4
    assert result.cost == cost(task, optimum(task)[1])


def test_a_predicate_that_stays_lazy(make_task: Callable[..., Path]) -> None:
    """cons/3 makes ever new lists, so it is asked on demand; here its output is bound by the head."""
    bias = (
        "head_pred(f,3).\nbody_pred(cons,3).\nmax_vars(3).\nmax_body(1).\n"
        "type(f,(e,l,l)).\ntype(cons,(e,l,l)).\ndirection(f,(in,in,out)).\ndirection(cons,(in,in,out)).\n"
    )
    pos = "".join(f"pos(f({i},[{i}],[{i},{i}])).\n" for i in range(6))
    neg = "".join(f"neg(f({i},[{i}],[{i}])).\n" for i in range(6))
    folder = make_task(bias, "cons(H,T,[H|T]).\n", pos + neg)
    result = Search(ReadTask.from_folder(folder, prolog="builtin"), Settings()).run()
    assert (result.cost, str(result.program)) == (2, "f(A,B,C) :- cons(A,B,C).")


def test_a_bias_beyond_the_kernel_is_refused(
    make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bias = "head_pred(f,1).\nbody_pred(p,1).\nmax_vars(40).\n"
    assert main(["learn", str(make_task(bias, "p(a).\n", "pos(f(a)).\n"))]) == 2
    assert capsys.readouterr().err == "maxsynth: max_vars is 40, and `learn` takes at most 16 (lower it)\n"


def test_no_literal_twice(make_task: Callable[..., Path]) -> None:
    """E in x(B,E,F) occurs once in every rule of five literals: saying x(B,E,F) twice must not help."""
    bias = (
        "head_pred(f,2).\nbody_pred(p,2).\nbody_pred(h,2).\nbody_pred(x,3).\nbody_pred(k,2).\nmax_vars(6).\nmax_body(5).\nno_singletons.\n"
        "type(f,(a,b)).\ntype(p,(a,c)).\ntype(h,(c,d)).\ntype(x,(b,e,g)).\ntype(k,(g,d)).\n"
        "direction(f,(in,in)).\ndirection(p,(in,out)).\ndirection(h,(in,out)).\ndirection(x,(in,out,out)).\n"
        "direction(k,(in,out)).\n"
    )
    facts = "".join(f"p(a{i},c{i}). h(c{i},d{i}). x(b{i},e{i},g{i}). k(g{i},d{i}).\n" for i in range(12))
    examples = "".join(f"pos(f(a{i},b{i})).\nneg(f(a{i},b{(i + 1) % 12})).\n" for i in range(12))
    folder = make_task(bias, facts, examples)
    assert Search(ReadTask.from_folder(folder, prolog="builtin"), Settings()).run().cost == 12
    (folder / "bias.pl").write_text(bias.replace("max_body(5)", "max_body(6)").replace("max_vars(6)", "max_vars(7)"))
    longer = Search(ReadTask.from_folder(folder, prolog="builtin"), Settings()).run()
    assert (longer.cost, longer.status) == (7, OPTIMAL)


def test_an_error_on_the_way_does_not_lose_what_was_found(
    make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from BK that raises where it is asked for the first time, or from a solver that gives no answer."""

    def fail(*_: object) -> None:
        raise MaxSynthError("something broke", remedy="mend it")

    monkeypatch.setattr(Combiner, "best", fail)
    monkeypatch.setattr(Combiner, "at_least", lambda *_: 0)  # so that the last step is needed
    exs = "".join(f"pos(f({c})).\n" for c in "abcde")
    folder = make_task("head_pred(f,1).\nbody_pred(p,1).\nmax_body(2).\n", "p(a). p(b). p(c). p(d).\n", exs)
    assert main(["learn", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == "f(A) :- p(A).\n"
    assert "cost 3, the best so far" in err
    assert err.splitlines()[-1] == "maxsynth: something broke (mend it)"


def test_one_variable_of_a_type_means_what_clingo_says(
    make_task: Callable[..., Path], effort: Callable[[int, int], int]
) -> None:
    """The spelling that the search understands, and one that only clingo does."""
    native, asked = (f":- clause(C), #count{{{what} : var_type(C,V,t)}} != 1.\n" for what in ("V", "V,1"))
    bias = (
        "head_pred(f,1). body_pred(p,2). body_pred(q,1). body_pred(r,2). max_vars(3). max_body(3).\n"
        "type(f,(t,)). type(p,(t,u)). type(q,(u,)). type(r,(t,t)).\n"
    )
    assert parse_bias(bias + native, "b.pl").one_of_type == ("t",)
    assert parse_bias(bias + asked, "b.pl").one_of_type == ()
    for seed in range(effort(10, 500)):
        rng = random.Random(15_000_000 + seed)
        facts = "".join(
            f"p({rng.choice('abcd')},{rng.randrange(3)}). r({rng.choice('abcd')},{rng.choice('abcd')}).\n"
            for _ in range(6)
        ) + "".join(f"q({value}).\n" for value in range(3) if rng.random() < 0.6)
        labels = ["pos", *rng.choices(["pos", "neg"], k=3)]
        examples = "".join(
            f"{label}(f({name}),{rng.randrange(1, 9)}).\n" for label, name in zip(labels, "abcd", strict=True)
        )
        costs = []
        for said in (native, asked):
            folder = make_task(bias + said, facts, examples)
            costs.append(Search(ReadTask.from_folder(folder, prolog="builtin"), Settings()).run().cost)
        assert costs[0] == costs[1], seed


def test_sparse_indexes_find_the_same(
    tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of few ids among many are found by hashing: here they all are."""
    monkeypatch.setattr(background, "IDS_FOR_A_ROW", 0)
    monkeypatch.setattr(background, "SPREAD", -1)
    made: list[object] = []
    sparse = background.Relation.sparse_index
    monkeypatch.setattr(background.Relation, "sparse_index", lambda self, at: (made.append(at), sparse(self, at))[1])
    for seed in range(9_000_000, 9_000_000 + effort(40, 5_000)):
        check(random_task(random.Random(seed)), tmp_path, seed)
    assert len(made) > effort(40, 5_000)
