"""The combine stage against brute force over all sets of small random pools, made to be nasty."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from maxsynth.bench.domains.zendo import ZENDO3
from maxsynth.bias.evaluated import Most
from maxsynth.kernel.choose import Cover, dive
from maxsynth.search.choose import combine
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.core_guided import Clingo
from maxsynth.search.choose.problem import Choice, Combination, lists, make_problem
from maxsynth.search.coverage import Pool as RuleBatch
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask


def make_combiner(
    covers: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    pos: NDArray[np.int64],
    neg: NDArray[np.int64],
    batches: int = 1,
) -> Combiner:
    """A pool in which rule i has number 10 i + 3."""
    examples = WeighedExamples(np.zeros((len(pos), 1), np.int32), pos, neg)
    combiner = Combiner(examples, 1)
    words = -(-len(pos) // 64)
    bits = np.zeros((len(covers), words * 8), np.uint8)
    packed = np.packbits(covers, axis=1, bitorder="little")
    bits[:, : packed.shape[1]] = packed
    rules = np.arange(len(covers))
    for part in np.array_split(rules, batches):
        combiner.add(
            RuleBatch(part * 10 + 3, bits.view(np.uint64)[part], sizes[part], covers[part] @ pos, covers[part] @ neg)
        )
    return combiner


def cost_of(chosen: list[int], combiner: Combiner) -> int:
    pool = combiner.pool(1 << 60)
    place = {number: i for i, number in enumerate(pool.numbers.tolist())}
    rules = [place[number] for number in chosen]
    bits = np.bitwise_or.reduce(pool.bits[rules], axis=0) if rules else np.zeros(pool.bits.shape[1], np.uint64)
    covered = np.unpackbits(bits.view(np.uint8), bitorder="little")[: len(combiner.examples.pos)].astype(bool)
    return int(pool.sizes[rules].sum() + combiner.examples.neg[covered].sum() + combiner.examples.pos[~covered].sum())


def least_cost(
    covers: NDArray[np.bool_], sizes: NDArray[np.int64], pos: NDArray[np.int64], neg: NDArray[np.int64]
) -> int:
    """Over all sets: one rule more doubles them."""
    covered = np.zeros((1, covers.shape[1]), bool)
    size = np.zeros(1, np.int64)
    for row, rule_size in zip(covers, sizes, strict=True):
        covered = np.concatenate([covered, covered | row])
        size = np.concatenate([size, size + rule_size])
    return int((size + covered @ neg + ~covered @ pos).min())


def random_pool(
    rng: random.Random,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Rules that are unions of a few blocks of examples, with twins, shared false positives and weights."""
    rules, examples = rng.randrange(1, 11), rng.choice([1, 5, 12, 25, 40, 70])
    blocks = [[rng.random() < rng.choice([0.1, 0.3, 0.6]) for _ in range(examples)] for _ in range(rng.randrange(1, 7))]
    negatives = rng.choice([0.0, 0.3, 0.5, 0.8, 1.0])
    heavy = rng.choice([1, 1, 3, 1000])
    both = rng.choice([0.0, 0.0, 0.3])
    pos, neg = np.zeros(examples, np.int64), np.zeros(examples, np.int64)
    for x in range(examples):
        side = rng.random() < negatives
        (neg if side else pos)[x] = rng.randrange(1, heavy + 1)
        if rng.random() < both:
            (pos if side else neg)[x] = rng.randrange(1, heavy + 1)
    covers = np.zeros((rules, examples), bool)
    sizes = np.zeros(rules, np.int64)
    for r in range(rules):
        if r and rng.random() < 0.2:
            covers[r] = covers[rng.randrange(r)]
        else:
            for block in rng.sample(blocks, rng.randrange(0, min(3, len(blocks)) + 1)):
                covers[r] |= np.array(block)
        for x in range(examples):
            if rng.random() < 0.05:
                covers[r, x] = not covers[r, x]
        sizes[r] = rng.randrange(1, rng.choice([2, 4, 8]) * rng.choice([1, heavy]) + 1)
    return covers, sizes, pos, neg


def test_best_within_limits_is_the_least_of_the_sets_that_keep_to_them(effort: Callable[[int, int], int]) -> None:
    """At most so many rules, of such a size: by the branch and bound, by clingo, and by a quick dive or not."""
    rng = random.Random(2)
    for case in range(effort(400, 15_000)):
        covers, sizes, pos, neg = random_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg)
        combiner.most = Most(
            rng.choice([None, 0, 1, 1, 2, 3]),
            rng.choice([None, 0, int(sizes.min()), int(sizes.sum()) // rng.randint(1, 5)]),
        )
        costs = [
            cost_of([10 * i + 3 for i in chosen], combiner)
            for count in range(
                1 + (len(sizes) if combiner.most.rules is None else min(combiner.most.rules, len(sizes)))
            )
            for chosen in itertools.combinations(range(len(sizes)), count)
            if combiner.most.size is None or sum(sizes[list(chosen)]) <= combiner.most.size
        ]
        least, bound = min(costs), rng.choice([min(costs) + 1, int(pos.sum()) + 1])
        if case % 20 == 0:
            combiner.solver = Clingo()
        for proof in (combiner.best(bound), combiner.best(least)):
            assert proof.proven, case
            assert proof.best is None or proof.best.cost == cost_of(proof.best.rules, combiner), case
        found = combiner.best(bound).best
        assert (found.cost if found else bound) == min(least, bound), case
        assert combiner.at_least(bound) <= least, case
        quick = combiner.improve(int(pos.sum()) + 1)
        assert quick is None or quick.cost in costs, case


def test_best_is_the_least_of_all_sets(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(1)
    for case in range(effort(600, 20_000)):
        covers, sizes, pos, neg = random_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg, rng.randrange(1, 3))
        least = least_cost(covers, sizes, pos, neg)
        bound = rng.choice([least, least + 1, least + 5, int(pos.sum()) + 1])
        proof = combiner.best(bound)
        assert proof.proven, case
        if least < bound:
            assert proof.best is not None, case
            assert proof.best.cost == least == cost_of(proof.best.rules, combiner), case
            assert proof.lower_bound == least, case
        else:
            assert proof.best is None, case
            assert proof.lower_bound == bound, case


def hard_pool(
    seed: int, rules: int, examples: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Independent random rules: the worst case, for they have nothing in common."""
    rng = np.random.default_rng(seed)
    covers = rng.random((rules, examples)) < 0.25
    pos = (rng.random(examples) < 0.5).astype(np.int64)
    covers[:, pos == 0] &= rng.random((rules, int((pos == 0).sum()))) < 0.4
    return covers, rng.integers(2, 5, rules), pos, 1 - pos


def crowded_pool(
    seed: int,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """A few rules, each in several variants that differ in size and in an example or two."""
    rng = np.random.default_rng(seed)
    examples = 60
    pos = (rng.random(examples) < 0.6).astype(np.int64)
    first = rng.random((4, examples)) < np.where(pos, 0.4, 0.2)
    covers = np.repeat(first, 3, axis=0) ^ (rng.random((12, examples)) < 0.02)
    return covers, rng.integers(2, 6, 12), pos, 1 - pos


def grid_pool(seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every rule has one of three blocks of positives and one of four blocks of negatives: shared ones count once."""
    rng = np.random.default_rng(seed)
    of_pos, of_neg = rng.integers(0, 3, 30), rng.integers(0, 4, 24)
    covers = np.array([[*(of_pos == i), *(of_neg == j)] for i in range(3) for j in range(4)])
    covers ^= rng.random(covers.shape) < 0.01
    return covers, rng.integers(2, 5, 12), np.array([1] * 30 + [0] * 24), np.array([0] * 30 + [1] * 24)


@pytest.mark.parametrize(("check", "patience"), [(1, 0), (2, 0), (3, 1), (10, 8)])
def test_branching_loses_nothing(check: int, patience: int, effort: Callable[[int, int], int]) -> None:
    """With little patience even a small pool is matched and branched on."""
    rng = random.Random(check)
    nodes, matched, cases = 0, 0, effort(200, 6_000)
    for case in range(cases):
        covers, sizes, pos, neg = (hard_pool(case, 12, 60), crowded_pool(case), grid_pool(case), random_pool(rng))[
            case % 4
        ]
        combiner = make_combiner(covers, sizes, pos, neg)
        least = least_cost(covers, sizes, pos, neg)
        bound = rng.choice([least, least + 1, least + 3, int(pos.sum()) + 1])
        problem = make_problem(combiner.pool(bound), combiner.examples)
        cover = problem.cover()
        cover.check, cover.patience = check, patience
        polls = itertools.count()
        rules, finished, lower = cover.solve(bound - problem.base, lambda: next(polls) > 20_000)  # noqa: B023
        assert finished, case
        assert lower + problem.base == min(least, bound), case
        assert (rules is not None) == (least < bound), case
        if rules is not None:
            assert problem.combination(rules).cost == least, case
        nodes += cover.nodes
        matched += cover.matched
    if check == 1:  # or the test tests too little
        assert min(nodes, matched) > cases


def wide_pool(
    rng: random.Random,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """More examples than a word has bits, and than are added at a time: some rules are near others, some have few."""
    examples, rules = rng.choice([63, 64, 65, 130, 350, 350]), rng.randrange(2, 13)
    positive = np.array([rng.random() < rng.choice([0.1, 0.5, 0.9]) for _ in range(examples)])
    covers = np.zeros((rules, examples), bool)
    sizes = np.array([rng.randrange(2, 8) for _ in range(rules)])
    for r in range(rules):
        if r > 2 and rng.random() < 0.8:
            like = rng.randrange(3)
            covers[r], sizes[r] = covers[like], sizes[like] + rng.choice([0, 0, 1, 3])
            for x in rng.sample(range(examples), rng.randrange(8)):
                covers[r, x] = not covers[r, x]
        else:
            density = rng.choice([0.03, 0.1, 0.3, 0.6])
            covers[r] = [rng.random() < density * (1.3 if side else 0.7) for side in positive]
    weights = np.array([rng.choice([1, 1, 1, rng.randrange(1, 4)]) for _ in range(examples)])
    return covers, sizes, np.where(positive, weights, 0), np.where(positive, 0, weights)


def unmerged(
    covers: NDArray[np.bool_], sizes: NDArray[np.int64], pos: NDArray[np.int64], neg: NDArray[np.int64]
) -> Cover:
    """Every example by itself: few rules leave few that differ."""
    return Cover(*lists(covers[:, pos > 0]), *lists(covers[:, neg > 0]), sizes, pos[pos > 0], neg[neg > 0])


@pytest.mark.parametrize("factor", [1, 1 << 20])
def test_many_examples_at_a_time(factor: int, effort: Callable[[int, int], int]) -> None:
    """With small weights, shares are added by rows; with large ones, one by one. Both find the least cost."""
    rng = random.Random(factor)
    nodes = 0
    for case in range(effort(200, 10_000)):
        covers, sizes, pos, neg = wide_pool(rng)
        sizes, pos, neg = sizes * factor, pos * factor, neg * factor
        least = least_cost(covers, sizes, pos, neg)
        bound = rng.choice([least, least + 1, least + 3 * factor, int(pos.sum()) + 1])
        cover = unmerged(covers, sizes, pos, neg)
        cover.check, cover.patience = rng.choice([(1, 0), (1, 0), (2, 0), (7, 16)])
        rules, finished, lower = cover.solve(bound)
        assert finished, case
        assert lower == min(least, bound), case
        assert (rules is not None) == (least < bound), case
        if rules is not None:
            assert cost_of([10 * r + 3 for r in rules], make_combiner(covers, sizes, pos, neg)) == least, case
        nodes += cover.nodes
    assert nodes > 200  # or the test tests too little


def test_without_matched_rules_the_least_cost_is_the_same(effort: Callable[[int, int], int]) -> None:
    """Before anything else could hide that a rule is missing."""
    rng = random.Random(8)
    dropped = 0
    for case in range(effort(400, 20_000)):
        covers, sizes, pos, neg = (wide_pool, random_pool)[case % 2](rng)
        pos, neg = np.maximum(pos - neg, 0), np.maximum(neg - pos, 0)
        kept = unmerged(covers, sizes, pos, neg).unmatched()
        assert least_cost(covers[kept], sizes[kept], pos, neg) == least_cost(covers, sizes, pos, neg), case
        for r in sorted(set(range(len(sizes))) - set(kept)):
            costs = sizes + (covers & ~covers[r]) @ neg + (~covers & covers[r]) @ pos
            assert (np.delete(costs, r) <= sizes[r]).any(), case
            dropped += 1
    assert dropped > 200


def must_cover_pool(
    rng: random.Random,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """As without noise: an error weighs more than all rules, and most rules make none. A positive may have no rule."""
    rules, examples = rng.randrange(2, 12), rng.choice([3, 10, 30])
    covers = np.array([[rng.random() < rng.choice([0.2, 0.5]) for _ in range(examples)] for _ in range(rules)])
    sizes = np.array([rng.randrange(2, 8) for _ in range(rules)])
    weight = int(sizes.sum()) + rng.choice([1, 10**6, 10**11])
    positive = np.array([rng.random() < 0.9 for _ in range(examples)])
    covers &= positive | (np.array([rng.random() for _ in range(rules)]) < 0.2)[:, None]
    return covers, sizes, np.where(positive, weight, 0), np.where(positive, 0, weight)


def test_every_positive_must_be_covered(effort: Callable[[int, int], int]) -> None:
    """A set cover, with weights that leave few bits for fractions, and with few steps between branchings."""
    rng = random.Random(6)
    for case in range(effort(300, 20_000)):
        covers, sizes, pos, neg = must_cover_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg)
        least = least_cost(covers, sizes, pos, neg)
        bound = rng.choice([least, least + 1, least + 4, int(pos.sum()) + 1])
        assert combiner.at_least(bound) <= least, case
        problem = make_problem(combiner.pool(bound), combiner.examples)
        cover = problem.cover()
        cover.check, cover.patience = rng.choice([(1, 0), (2, 0), (3, 1), (7, 16)])
        rules, finished, lower = cover.solve(bound - problem.base)
        assert finished, case
        assert lower + problem.base == min(least, bound), case
        assert (rules is not None) == (least < bound), case
        if rules is not None:
            assert problem.combination(rules).cost == least, case


def test_the_bound_is_near_after_few_steps() -> None:
    """Three blocks of positives, three ways to cover each at the price of negatives: a few steps nearly prove it."""
    blocks = np.arange(90) // 30
    covers = np.array([[*(blocks == i), *(np.arange(30) // 10 == j)] for i in range(3) for j in range(3)])
    pos, neg = np.array([1] * 90 + [0] * 30), np.array([0] * 90 + [1] * 30)
    combiner = make_combiner(covers, np.full(9, 4), pos, neg)
    assert least_cost(covers, np.full(9, 4), pos, neg) == 22
    assert combiner.at_least(22) >= 21


def test_a_noisy_task_takes_few_steps(tmp_path: Path) -> None:
    """Some 2,500 steps towards better bounds; without momentum it took ten times as many."""
    ZENDO3.make(7010, 30, test=2).write(tmp_path / "task")
    result = Search(ReadTask.from_folder(tmp_path / "task", prolog="builtin"), Settings()).run()
    assert result.status == "optimal"
    assert result.cost == 74
    assert result.counts["bound_steps"] < 8_000


@pytest.mark.parametrize("patience", [0, 1, 8])
def test_a_bound_that_stays_one_below_is_not_waited_for(patience: int) -> None:
    """Here the lower bound comes to exactly the best cost less one, and stays: only branching ends that."""
    covers, sizes, pos, neg = grid_pool(2046)
    combiner = make_combiner(covers, sizes, pos, neg)
    problem = make_problem(combiner.pool(31), combiner.examples)
    cover = problem.cover()
    cover.check, cover.patience = 2, patience
    polls = itertools.count()
    rules, finished, _ = cover.solve(31 - problem.base, lambda: next(polls) > 20_000)
    assert finished
    assert rules is not None
    assert problem.combination(rules).cost == least_cost(covers, sizes, pos, neg)


def test_a_cut_leaves_a_true_lower_bound(effort: Callable[[int, int], int]) -> None:
    """Stopped anywhere, the lower bound is at most the least cost, and what was found costs what it says."""
    rng = random.Random(2)
    useful = 0
    for case in range(effort(300, 5_000)):
        if rng.random() < 0.5:
            covers, sizes, pos, neg = random_pool(rng)
        else:
            covers, sizes, pos, neg = hard_pool(case, 12, 50)
        least = least_cost(covers, sizes, pos, neg)
        bound = rng.choice([least + 1, int(pos.sum()) + 1])
        polls = itertools.count()
        limit = rng.choice([0, 1, 2, 10, 40, 60, 100])
        combiner = make_combiner(covers, sizes, pos, neg)
        problem = make_problem(combiner.pool(bound), combiner.examples)
        cover = problem.cover()
        cover.check = rng.choice([1, 2, 5, 10])
        cover.patience = rng.choice([0, 1, 8])
        rules, finished, lower = cover.solve(bound - problem.base, lambda: next(polls) >= limit)  # noqa: B023
        assert lower + problem.base <= min(least, bound), case
        assert not finished or lower + problem.base == min(least, bound), case
        useful += not finished and lower > 0
        if rules is not None:
            found = problem.combination(rules)
            assert least <= found.cost == cost_of(found.rules, combiner) < bound, case
    assert useful > 30


def test_dives_count_right(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(3)
    for case in range(effort(300, 5_000)):
        covers, sizes, pos, neg = random_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg)
        found = combiner.improve(int(pos.sum()))
        if found:
            assert found.cost == cost_of(found.rules, combiner) < pos.sum(), case


def test_merging_and_netting_keep_every_cost(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(4)
    for case in range(effort(100, 2_000)):
        covers, sizes, pos, neg = random_pool(rng)
        combiner = make_combiner(covers, sizes, pos, neg)
        problem = make_problem(combiner.pool(1 << 60), combiner.examples)
        for _ in range(5):
            chosen = sorted(rng.sample(range(len(covers)), rng.randrange(len(covers) + 1)))
            combination = problem.combination(chosen)
            assert combination.cost == cost_of(combination.rules, combiner), case


def test_two_rules_pay_only_together() -> None:
    """Each covers no more than its size and its false positives, which they share."""
    covers = np.zeros((2, 26), bool)
    covers[0, 0:8] = covers[1, 8:16] = covers[:, 16:26] = True
    pos = np.array([2] * 16 + [0] * 10)
    proof = make_combiner(covers, np.array([4, 4]), pos, np.array([0] * 16 + [1] * 10)).best(32)
    assert proof == Choice(Combination(18, [3, 13]), True, 18)


def test_empty_pool_and_empty_sides() -> None:
    none = np.zeros((0, 3), bool)
    combiner = make_combiner(none, np.zeros(0, np.int64), np.array([1, 1, 0]), np.array([0, 0, 1]))
    assert combiner.improve(2) is None
    proof = combiner.best(2)
    assert proof == Choice(None, True, 2)
    ones = np.ones((1, 3), bool)
    only_pos = make_combiner(ones, np.array([2]), np.array([1, 1, 1]), np.zeros(3, np.int64)).best(3)
    assert only_pos == Choice(Combination(2, [3]), True, 2)
    only_neg = make_combiner(ones, np.array([2]), np.zeros(3, np.int64), np.array([1, 1, 1])).best(3)
    assert only_neg == Choice(Combination(0, []), True, 0)


def test_huge_weights_do_not_overflow() -> None:
    rng = random.Random(5)
    for _ in range(50):
        covers, sizes, pos, neg = random_pool(rng)
        factor = 10_000_000
        proof = make_combiner(covers, sizes * factor, pos * factor, neg * factor).best(int(pos.sum()) * factor + 1)
        assert proof.best
        assert proof.best.cost == proof.lower_bound == least_cost(covers, sizes, pos, neg) * factor


def test_a_large_pool_stops_at_once() -> None:
    """Whatever it is at when the time is up, it asks within half a second. Of its own time: the machine may be busy."""
    covers, sizes, pos, neg = hard_pool(7, 3000, 1200)
    combiner = make_combiner(covers, sizes, pos, neg)
    asked = [time.thread_time()]

    def should_stop() -> bool:
        asked.append(time.thread_time())
        return asked[-1] - asked[0] > 2

    proof = combiner.best(int(pos.sum()), should_stop)
    asked.append(time.thread_time())
    assert not proof.proven
    assert proof.lower_bound > 0
    assert max(b - a for a, b in itertools.pairwise(asked)) < 0.5


def test_clingo_asks_whether_to_stop_by_its_own_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for the shares: no clock has a say in how often it asks, nor in what it then says."""
    monkeypatch.setattr(combine, "MOST_SHARES", -1)
    covers, sizes, pos, neg = hard_pool(7, 30, 60)
    bound, least = int(pos.sum()), make_combiner(covers, sizes, pos, neg).best(int(pos.sum()))
    assert least.proven
    before, stopped = bound, 0
    for most in (1, 5, 20, 40, 60, 80, 100, 150, 100_000):
        proofs = []
        for _ in range(2):
            asked = itertools.count(1)
            proofs.append(make_combiner(covers, sizes, pos, neg).best(bound, lambda: next(asked) >= most))  # noqa: B023
        proof = proofs[0]
        assert proof == proofs[1]
        assert proof.lower_bound <= least.lower_bound
        stopped += not proof.proven
        cost = proof.best.cost if proof.best else bound
        assert least.lower_bound <= cost <= before
        before = cost
    assert proof == least
    assert stopped > 4


def test_dive_without_gain_is_empty() -> None:
    bits = np.array([[3]], np.uint64)
    assert dive(bits, np.array([5]), np.array([1, 1]), 10) == (0, [])


def test_a_lower_bound_is_rounded_up() -> None:
    """Three positives, a rule for each two of them: shares of a half add up to one and a half, so two it must be."""
    pairs = np.array([0, 1, 1, 2, 0, 2], np.int32)
    starts, none = np.array([0, 2, 4, 6], np.int32), np.zeros(4, np.int32)
    ones = np.ones(3, np.int64)
    cover = Cover(starts, pairs, none, np.zeros(0, np.int32), ones, ones, np.zeros(0, np.int64))
    assert cover.solve(3, lambda: True) == (None, False, 2)
    assert cover.solve(3)[1:] == (True, 2)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_same_whatever_the_hash_seed(seed: str) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests'); from test_combine import *\n"
        "c = make_combiner(*hard_pool(3, 30, 60)); p = c.best(1000); print(p, c.nodes, c.steps)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    combiner = make_combiner(*hard_pool(3, 30, 60))
    assert out.stdout.strip() == f"{combiner.best(1000)} {combiner.nodes} {combiner.steps}"
