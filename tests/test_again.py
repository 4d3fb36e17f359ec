"""Learning again with other labels: always what a fresh run proves, with whatever is known from before."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.again.again import Knowledge, Labelling, Way, learn_again
from maxsynth.search.again.ask import collect
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.labels import Labels
from maxsynth.task.task import ReadTask
from oracle.brute_force import _Atoms, _coverages, all_rules, optimum
from oracle.calling import best_program
from oracle.calling_tasks import random_calling_task
from oracle.fronts import smallest_unions
from oracle.learned_rules import answer
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask
from test_labels import KINSHIP, decided, suspects

Least = Callable[[SmallTask], int | None]


def check(task: SmallTask, folder: Path, seed: int, least: Least) -> None:
    """Some rounds of decisions, each against brute force, with a pool for all labels or without."""
    rng = random.Random(-seed)
    task.write(folder)
    read = ReadTask.from_folder(folder, prolog="builtin")
    weights = Weights(*task.weights)
    knowledge = Knowledge(read, weights)
    prepared = rng.random() < 0.6
    before: list[tuple[SmallTask, Labels]] = [(task, Labels(()))]
    for number in range(4):
        made = (task, Labels(())) if not number else rng.choice(before) if rng.random() < 0.2 else decided(task, rng)
        if made is None:
            continue
        before.append(made)
        by_hand, labels = made
        now = labels.apply(read)
        if number and prepared:
            knowledge.prepare(Search(read, Settings(weights, jobs=1)))

        def search(now: ReadTask = now) -> Search:
            return Search(now, Settings(weights, jobs=1))

        result = learn_again(now, knowledge, search)
        told = f"seed {seed}, round {number}\n{task.describe()}\n{labels.text()}"
        assert result.status == OPTIMAL, told
        assert result.cost == result.lower_bound == least(by_hand), told
        check_result(result, now, weights)


def check_result(result: SearchResult, task: ReadTask, weights: Weights) -> None:
    assert result.program is not None
    judged = replace(evaluate_program(result.program, task), weights=weights)
    assert judged.cost == result.cost
    assert judged.confusion == result.confusion
    assert judged.size == result.size


def test_always_what_a_fresh_run_proves(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(90_000, 90_000 + effort(50, 2000)):
        task = replace(random_task(random.Random(seed)), exact=False)
        check(task, tmp_path, seed, lambda task: optimum(task)[0])


def test_the_same_with_constants_and_numbers(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(95_000, 95_000 + effort(20, 600)):
        task = replace(random_learned_task(random.Random(seed)), exact=False)
        check(task, tmp_path, seed, lambda task: answer(task)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("invention", [False, True])
def test_the_same_with_programs_that_call_themselves(
    tmp_path: Path, effort: Callable[[int, int], int], invention: bool
) -> None:
    for seed in range(97_000, 97_000 + effort(4, 100)):
        task = random_calling_task(random.Random(seed), invention=invention, most_programs=300)
        check(replace(task, exact=False), tmp_path, seed, lambda task: best_program(task)[0])


def test_by_how_much_a_cost_changes_at_least(effort: Callable[[int, int], int]) -> None:
    """For whatever a program covers."""
    for seed in range(effort(300, 10_000)):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 8))
        one, other = (Labelling(*rng.integers(0, 4, (2, count))) for _ in range(2))
        changes = [
            other.errors(covered) - one.errors(covered)
            for bits in range(1 << count)
            for covered in [np.array([bits >> place & 1 for place in range(count)], np.bool_)]
        ]
        assert min(changes) == one.least_change(other)


# -- from Python ----------------------------------------------------------------------------------------------


def test_decisions_that_agree_need_no_search(tmp_path: Path) -> None:
    found = suspects(tmp_path)
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP)) as session:
        first = session.learn()
        assert (first.status, first.cost) == (OPTIMAL, 8)
        again = session.learn(dict.fromkeys(found[:3], "flip"))
        assert (again.status, again.cost, str(again.program)) == (OPTIMAL, 5, str(first.program))
        assert again._run.counts["steps"] == 0
        assert session.learn().cost == 8
        assert session.prepare()
        other = {"grandparent(nobody,ann)": "flip"}
        with pytest.raises(MaxSynthError, match="is no example of this task"):
            session.learn(other)


def test_others_are_chosen_from_what_is_known() -> None:
    task = maxsynth.Task.from_folder(KINSHIP)
    read = ReadTask.from_folder(KINSHIP)
    right = [read.example_text(row) for row in read.positives.rows][:6]
    labels = dict.fromkeys(right, "flip")
    with maxsynth.Session(task) as session:
        session.learn()
        assert session.prepare()
        again = session.learn(labels)
        assert again.status == OPTIMAL
        assert again.cost == maxsynth.learn(task, labels=labels).cost


def test_a_limit_ends_it_with_what_is_known() -> None:
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP)) as session:
        cut = session.learn(steps=1)
        assert cut.status == "out-of-steps"
        assert cut.lower_bound <= 8 <= (cut.cost or 8)
        assert session.learn().cost == 8


# -- asking ---------------------------------------------------------------------------------------------------


def test_a_flip_finds_the_best_that_disagrees(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """For each example that the best program has right: if another treats it otherwise for less than twice its weight
    more, the cheapest such program is known then."""
    for seed in range(110_000, 110_000 + effort(25, 1000)):
        task = replace(random_task(random.Random(seed)), exact=False, weights=(1, 1, 1))
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        knowledge = Knowledge(read, Weights())
        learn_again(read, knowledge, lambda read=read: Search(read, Settings(jobs=1)))  # type: ignore[misc]
        assert knowledge.prepare(Search(read, Settings(jobs=1)))
        labelling = knowledge.labelling(read)
        least, best = knowledge.best(labelling)
        collect(knowledge, labelling, 1000, lambda: False)
        for place in range(len(knowledge.rows)):
            missed, covered = int(labelling.missed[place]), int(labelling.covered[place])
            if missed == covered or (missed > covered) != best.covered[place]:
                continue
            true = cheapest(task, place, not best.covered[place])
            known = [
                knowledge.cost(one, labelling)
                for one in knowledge.programs
                if one.covered[place] != best.covered[place]
            ]
            if true < least + 2 * abs(missed - covered):
                assert min(known) == true, f"seed {seed}, example {place}\n{task.describe()}"


def cheapest(task: SmallTask, place: int, wanted: bool) -> int:
    """What the best program costs that covers an example, or does not."""
    atoms = _Atoms(task)
    rules = [(bits, rule.size) for bits, rule in _coverages(task, atoms, all_rules(task)).items()]
    return min(
        (
            size + atoms.false_positives(bits) + atoms.false_negatives(bits)
            for bits, size in smallest_unions(rules, 10**6)
            if bool(bits >> place & 1) == wanted
        ),
        default=10**6,
    )


def test_questions_from_python() -> None:
    task = maxsynth.Task(
        examples={"pos": [("f", name) for name in "abcdef"], "neg": [("f", name) for name in "uvwxyz"]},
        background={"p": [*"abcdefm"], "q": [*"abcdefn"]},
        bias={"max_vars": 1, "max_body": 1},
    )
    with maxsynth.Session(task) as session:
        session.learn()
        assert session.ask() == []  # p and q are the same for all that has a label
    with maxsynth.Session(task, atoms=["f(m)", "f(n)", "f(a)"]) as session:
        asked = session.ask()
        assert [(question.example, question.doubt, question.label) for question in asked] == [
            ("f(m)", 1.0, None),
            ("f(n)", 1.0, None),
        ]
    with pytest.raises(MaxSynthError, match="is not of f/1"):
        maxsynth.Session(task, atoms=["g(a)"])


# p and q are true of the same examples but one, which is negative.
DIVIDED = (
    "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(1).\nmax_body(2).\n",
    "".join(f"p(a{n}).\nq(a{n}).\n" for n in range(8)) + "p(b).\np(c).\n",
    "".join(f"pos(f(a{n})).\n" for n in range(8)) + "".join(f"neg(f({name})).\n" for name in ("b", "d", "e", "g")),
)
ASKED = """\
0.67  negative  f(b)  1 of 2 programs say that it is true
  false by a program of cost 2:
    f(A) :- q(A).
  true by a program of cost 3:
    f(A) :- p(A).
"""


def test_a_label_that_is_contradicted_is_questioned(make_task: Callable[..., Path]) -> None:
    """Another rule would be right about three more examples and wrong about one, at the same cost."""
    bk = "".join(f"p(a{n}).\n" for n in range(8)) + "".join(f"q({name}).\n" for name in "bcde")
    exs = "".join(f"pos(f({name})).\n" for name in [*(f"a{n}" for n in range(8)), *"bcd"]) + "neg(f(e)).\nneg(f(g)).\n"
    folder = make_task("head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nmax_vars(1).\nmax_body(1).\n", bk, exs)
    with maxsynth.Session(maxsynth.Task.from_folder(folder)) as session:
        asked = session.ask()
    assert [(one.example, one.alike, [rival.cost for rival in one.rivals]) for one in asked] == [("f(b)", 3, [5, 5])]
    assert {rival.covers for rival in asked[0].sides} == {True, False}


def test_the_command_that_asks(
    make_task: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = make_task(*DIVIDED), tmp_path / "asked.json"
    assert main(["ask", str(folder), "--quiet", "--json", str(file)]) == 0
    assert capsys.readouterr().out == ASKED
    told = json.loads(file.read_text())["questions"]
    assert [(one["example"], one["label"], one["says_true"], one["says_false"]) for one in told] == [
        ("f(b)", False, 1, 1)
    ]
    assert told[0]["programs"][0] == {"rules": ["f(A) :- q(A)."], "cost": 2, "covers": False}
    # What is decided is not asked for.
    (tmp_path / "labels").write_text("# maxsynth labels 1\nkeep f(b)\n")
    assert main(["ask", str(folder), "--quiet", "--labels", str(tmp_path / "labels")]) == 0
    assert capsys.readouterr().out.startswith("programs that cost up to 2 more than the best agree")
    # Atoms without a label.
    (tmp_path / "atoms").write_text("% some\nf(a1).\n\nf(c)\n")
    assert main(["ask", str(folder), "--quiet", "--atoms", str(tmp_path / "atoms"), "--slack", "1"]) == 0
    assert capsys.readouterr().out.startswith("0.67  unlabelled  f(c)  1 of 2 programs say that it is true\n  false by")
    # No time at all: what is known by then.
    assert main(["ask", str(folder), "--quiet", "--timeout", "0"]) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["{tmp}/nowhere"], "there is no such folder"),
        (["{tmp}/task", "--weights", "auto"], "no use for --weights auto"),
        (["{tmp}/task", "--atoms", "{tmp}/nothing"], "there is no such file"),
        (["{tmp}/task", "--atoms", "{tmp}/atoms"], "is not of f/1"),
        (["{tmp}/task", "--labels", "{tmp}/atoms"], "no file of decisions"),
        (["{tmp}/task", "--target", "a.b"], ""),
        (["{tmp}/task", "--json", "{tmp}/task/exs.pl"], "exs.pl"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    make_task: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    make_task(*DIVIDED)
    (tmp_path / "atoms").write_text("g(a)\n")
    assert main(["ask", *(one.format(tmp=tmp_path) for one in given), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_questions_about_tables(capsys: pytest.CaptureFixture[str]) -> None:
    bank = str(KINSHIP.parent / "bank")
    assert main(["ask", bank, "--target", "loans.defaulted", "--max-vars", "2", "--max-body", "1", "--jobs", "1"]) == 0
    assert capsys.readouterr().out


# -- fronts, and an end at any time ---------------------------------------------------------------------------


def test_a_front_of_a_session_is_the_front() -> None:
    task = maxsynth.Task.from_folder(KINSHIP)
    right = {"grandparent(bob1,hal3)": "flip", "grandparent(ann3,bob1)": "leave out"}
    told: list[maxsynth.Front] = []
    with maxsynth.Session(task) as session:
        for labels in (None, right, None):
            found = session.front(labels, size=6, on_points=told.append)
            fresh = maxsynth.front(task, labels=labels, size=6)
            assert (found.status, found.errors, found.at_least) == (OPTIMAL, fresh.errors, fresh.at_least)
    assert told
    assert {one.status for one in told} == {"running"}
    assert all(least <= most for one in told for least, most in zip(one.at_least, one.errors, strict=True))


def test_the_way_is_said(tmp_path: Path) -> None:
    found = suspects(tmp_path)
    read = ReadTask.from_folder(KINSHIP)
    right = dict.fromkeys([read.example_text(row) for row in read.positives.rows][:6], "flip")
    with maxsynth.Session(maxsynth.Task.from_folder(KINSHIP)) as session:
        ways = []
        for labels in ({}, {found[0]: "flip"}, right):
            session.learn(labels)
            ways.append(session.way)
        assert session.can_prepare
        assert session.prepare()
        assert (session.prepared, session.can_prepare) == (True, False)
        texts = [read.example_text(row) for row in read.negatives.rows]
        session.learn(dict.fromkeys([*texts[5:9], *list(right)[3:]], "flip"))
        ways.append(session.way)
    assert ways == [Way.NOTHING, Way.KNOWN, Way.BELOW, Way.CHOSEN]


@pytest.mark.parametrize("what", ["prepare", "front", "ask"])
def test_all_of_it_can_be_ended(tmp_path: Path, what: str) -> None:
    """Where nothing is told of a search, it is asked all the same whether to go on."""
    predicates = "pqrstuvw"
    bk = "".join(f"{p}(a{n}).\n" for p in predicates for n in range(300) if (ord(p) * n + n // 7) % 3)
    bk += "".join(f"e(a{n},a{(n * 7 + k) % 300}).\n" for n in range(300) for k in (1, 5, 11))
    bias = "head_pred(f,1).\nbody_pred(e,2).\nmax_vars(5).\nmax_body(6).\n"
    bias += "".join(f"body_pred({p},1).\n" for p in predicates)
    exs = "".join(f"{'pos' if (n * 31) % 7 < 3 else 'neg'}(f(a{n})).\n" for n in range(300))
    for name, text in {"bias.pl": bias, "bk.pl": bk, "exs.pl": exs}.items():
        (tmp_path / name).write_text(text)
    since: list[float] = []

    def note(progress: maxsynth.Progress) -> bool:
        since.append(time.monotonic())
        return False

    with maxsynth.Session(maxsynth.Task.from_folder(tmp_path), jobs=1) as session:
        session.learn(timeout=1)
        getattr(session, what)(on_progress=note)
        assert since
        assert time.monotonic() - since[0] < 10
