"""The oracle itself: each line of the definition on a task where it decides, and each method against a second one."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracle.brute_force import (
    Rule,
    SpaceTooLargeError,
    all_rules,
    canonical,
    cost,
    covers,
    in_space,
    optimum,
    optimum_exact,
    optimum_exact_of_few_rules,
    optimum_of_few_rules,
    rule_text,
    solves,
)
from oracle.random_tasks import answer, random_task, statistics
from oracle.small_task import Atom, Example, SmallTask


def task_of(head: str = "f/1", body: str = "p/1", **changes: object) -> SmallTask:
    """`task_of("f/1", "p/1 q/2")`: a task with these predicates, two variables, one body literal."""

    def predicate(text: str) -> tuple[str, int]:
        name, arity = text.split("/")
        return name, int(arity)

    predicates = [predicate(part) for part in body.split()]
    task = SmallTask(predicate(head), predicates, max_vars=2, max_body=1, facts=[], positives=[])
    return replace(task, **changes)  # type: ignore[arg-type]


def space(task: SmallTask) -> set[str]:
    return {rule_text(rule) for rule in all_rules(task)}


def examples(*constants: str, weight: int = 1) -> list[Example]:
    return [((constant,), weight) for constant in constants]


def unary_facts(**rows: str) -> list[tuple[str, Atom]]:
    return [(name, (constant,)) for name, constants in rows.items() for constant in constants.split()]


# The space


def test_a_body_has_between_one_and_max_body_literals() -> None:
    assert space(task_of(body="p/1 q/1")) == {"f(A):-p(A).", "f(A):-q(A)."}
    assert space(task_of(body="p/1 q/1", max_body=2)) == {"f(A):-p(A).", "f(A):-q(A).", "f(A):-p(A),q(A)."}
    assert not in_space(task_of(non_datalog=True), Rule("f", 1, ()))


def test_the_arguments_of_a_literal_are_distinct() -> None:
    assert space(task_of(body="p/2")) == {"f(A):-p(A,B).", "f(A):-p(B,A)."}
    assert not in_space(task_of(body="p/2"), Rule("f", 1, (("p", (0, 0)),)))


def test_a_body_is_a_set() -> None:
    assert space(task_of(max_body=4)) == {"f(A):-p(A)."}
    assert not in_space(task_of(max_body=4), Rule("f", 1, (("p", (0,)), ("p", (0,)))))


def test_head_variables_count_among_max_vars() -> None:
    assert space(task_of("f/1", "p/2", max_vars=1)) == set()
    assert space(task_of("f/2", "p/3", max_vars=2)) == set()
    # A head variable that the body leaves out still takes its place.
    assert space(task_of("f/2", "p/2", max_vars=2, non_datalog=True)) == {"f(A,B):-p(A,B).", "f(A,B):-p(B,A)."}
    assert "f(A,B):-p(A,C)." in space(task_of("f/2", "p/2", max_vars=3, non_datalog=True))


def test_every_head_variable_occurs_in_the_body_unless_non_datalog() -> None:
    assert space(task_of("f/2", "p/1")) == set()
    assert space(task_of("f/2", "p/1", max_body=2)) == {"f(A,B):-p(A),p(B)."}
    assert space(task_of("f/2", "p/1", non_datalog=True)) == {"f(A,B):-p(A).", "f(A,B):-p(B)."}


def test_body_variables_are_connected_to_a_head_variable() -> None:
    assert "f(A):-p(A),q(B)." not in space(task_of(body="p/1 q/1 r/2", max_body=2))
    linked = space(task_of(body="p/1 q/1 r/2", max_body=2))
    assert "f(A):-q(B),r(A,B)." in linked
    # A literal without a head variable, linked through a second one; and a chain that hangs on nothing.
    long = task_of(body="p/1 r/2", max_vars=3, max_body=2)
    assert "f(A):-r(A,B),r(B,C)." in space(long)
    assert "f(A):-p(A),r(B,C)." not in space(long)
    assert not in_space(long, Rule("f", 1, (("p", (0,)), ("r", (1, 2)))))
    # With non_datalog the same holds when no literal has a head variable.
    assert space(task_of(body="p/1", non_datalog=True)) == {"f(A):-p(A)."}


def test_a_rule_is_listed_once_for_all_names_of_its_variables() -> None:
    rules = space(task_of(body="p/2", max_vars=3, max_body=2))
    assert "f(A):-p(A,B),p(A,C)." in rules
    assert {"f(A):-p(A,B),p(B,C).", "f(A):-p(A,C),p(C,B)."} & rules == {"f(A):-p(A,B),p(B,C)."}
    assert in_space(task_of(body="p/2", max_vars=3, max_body=2), Rule("f", 1, (("p", (0, 7)), ("p", (7, 4)))))


def test_a_variable_has_one_type() -> None:
    types = {"f": ("t",), "p": ("t",), "q": ("u",), "r": ("t", "u")}
    task = task_of(body="p/1 q/1 r/2", max_body=2, types=types)
    assert space(task) == {"f(A):-p(A).", "f(A):-r(A,B).", "f(A):-p(A),r(A,B).", "f(A):-q(B),r(A,B)."}


def test_a_predicate_without_type_fits_all_types() -> None:
    types = {"f": ("t",), "p": ("t",), "q": ("u",)}
    rules = space(task_of(body="p/1 q/1 r/2", max_body=2, types=types))
    assert {"f(A):-q(B),r(A,B).", "f(A):-p(B),r(A,B).", "f(A):-r(A,B),r(B,A)."} <= rules
    assert "f(A):-q(A)." not in rules
    # Without a type for the head, its variable gets one from the body.
    headless = space(task_of(body="p/1 q/1", max_body=2, types={"p": ("t",), "q": ("u",)}))
    assert headless == {"f(A):-p(A).", "f(A):-q(A)."}


def test_inputs_are_safe() -> None:
    directions = {"f": ("in",), "p": ("in", "out"), "q": ("in",)}
    task = task_of(body="p/2 q/1", max_body=2, directions=directions)
    assert space(task) == {
        "f(A):-p(A,B).", "f(A):-q(A).", "f(A):-p(A,B),q(A).", "f(A):-p(A,B),q(B).", "f(A):-p(A,B),p(B,A).",
    }  # fmt: skip


def test_an_output_of_the_head_is_no_input() -> None:
    directions = {"f": ("out",), "p": ("in",), "q": ("out",)}
    assert space(task_of(body="p/1 q/1", max_body=2, directions=directions)) == {"f(A):-q(A).", "f(A):-p(A),q(A)."}


def test_literals_that_wait_for_each_other_are_not_safe() -> None:
    directions: dict[str, tuple[str, ...]] = {"f": ("out", "out"), "p": ("in", "out")}
    assert space(task_of("f/2", "p/2", max_body=2, directions=directions)) == set()
    # An output helps only if the literal's own inputs are safe: here r starts the chain, in whatever place it stands.
    directions |= {"r": ("out",)}
    rules = space(task_of("f/2", "p/2 r/1", max_body=2, directions=directions))
    assert rules == {"f(A,B):-p(A,B),r(A).", "f(A,B):-p(B,A),r(B).", "f(A,B):-r(A),r(B)."}


def test_an_argument_that_is_only_input_makes_nothing_safe() -> None:
    directions = {"f": ("out",), "p": ("in",)}
    assert space(task_of(body="p/1", directions=directions)) == set()


def test_singletons_can_be_forbidden() -> None:
    task = task_of(body="p/2 q/1", max_body=2, singletons=False)
    assert space(task) == {
        "f(A):-q(A).", "f(A):-p(A,B),q(B).", "f(A):-p(B,A),q(B).", "f(A):-p(A,B),p(B,A).",
    }  # fmt: skip
    assert "f(A):-p(A,B)." in space(replace(task, singletons=True))


def test_a_head_variable_that_the_body_leaves_out_is_a_singleton() -> None:
    task = task_of("f/2", "p/1", non_datalog=True, max_body=2, singletons=False)
    assert space(task) == {"f(A,B):-p(A),p(B)."}


def test_one_variable_of_a_type() -> None:
    task = task_of(body="p/2 q/2", types={"f": ("t",), "p": ("t", "u"), "q": ("t", "t")}, one_of_type=("t",))
    assert space(task) == {"f(A):-p(A,B)."}
    assert space(replace(task, one_of_type=("u",))) == {"f(A):-p(A,B)."}
    assert space(replace(task, one_of_type=("t", "u"))) == {"f(A):-p(A,B)."}
    assert space(replace(task, one_of_type=("v",))) == set()
    two = replace(task, max_body=2, max_vars=3)
    assert "f(A):-p(A,B),p(A,C)." in space(two)
    assert "f(A):-p(A,B),p(A,C)." not in space(replace(two, one_of_type=("u",)))


def test_a_head_variable_that_the_body_leaves_out_counts_by_its_type() -> None:
    types = {"f": ("t", "t"), "p": ("t",)}
    task = task_of("f/2", "p/1", non_datalog=True, types=types)
    assert space(task) == {"f(A,B):-p(A).", "f(A,B):-p(B)."}
    assert space(replace(task, one_of_type=("t",))) == set()


def test_a_variable_of_unknown_type_does_not_count() -> None:
    task = task_of(body="p/2", types={"f": ("t",)}, one_of_type=("t",))
    assert space(task) == {"f(A):-p(A,B).", "f(A):-p(B,A)."}


def test_a_space_can_be_too_large() -> None:
    task = task_of(body="p/2", max_vars=3, max_body=3)
    with pytest.raises(SpaceTooLargeError):
        all_rules(task, 10)


def subsets(task: SmallTask) -> set[Rule]:
    """The space by trying all sets of literals."""
    literals = [
        (name, args) for name, arity in task.body for args in itertools.permutations(range(task.max_vars), arity)
    ]
    bodies = itertools.chain.from_iterable(
        itertools.combinations(literals, count) for count in range(1, task.max_body + 1)
    )
    rules = (Rule(*task.head, body) for body in bodies)
    return {canonical(rule) for rule in rules if in_space(task, rule)}


def test_the_grown_space_is_all_of_the_space(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(1)
    for _ in range(effort(25, 1000)):
        task = random_task(rng, most_bodies=80)
        rules = all_rules(task)
        assert len(rules) == len(set(rules))
        assert set(rules) == subsets(task), task.describe()


def test_random_rules_are_judged_alike(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(2)
    verdicts = {True: 0, False: 0}
    for _ in range(effort(25, 1000)):
        task = random_task(rng)
        rules = set(all_rules(task))
        for _ in range(40):
            rule = random_rule(rng, task)
            verdict = in_space(task, rule)
            verdicts[verdict] += 1
            assert verdict == (canonical(rule) in rules), f"{rule_text(rule)}\n{task.describe()}"
    assert min(verdicts.values()) > 100


def random_rule(rng: random.Random, task: SmallTask) -> Rule:
    """A rule that need not be in the space, at times too long, with too many variables or with a variable twice."""
    variables = range(task.max_vars + (rng.random() < 0.1))
    body = set()
    for _ in range(rng.randint(1, task.max_body + (rng.random() < 0.1))):
        name, arity = rng.choice(task.body)
        body.add(
            (name, tuple(rng.choices(variables, k=arity) if rng.random() < 0.05 else rng.sample(variables, arity)))
        )
    return Rule(*task.head, tuple(sorted(body)))


# Coverage and cost


def test_covers_follows_shared_variables() -> None:
    task = task_of("f/2", "p/2", facts=[("p", ("a", "b")), ("p", ("b", "c")), ("p", ("d", "d"))])
    chain = Rule("f", 2, (("p", (0, 2)), ("p", (2, 1))))
    assert rule_text(chain) == "f(A,B):-p(A,C),p(C,B)."
    assert covers(task, chain, ("a", "c"))
    assert not covers(task, chain, ("a", "b"))
    # Different variables may stand for the same constant.
    assert covers(task, chain, ("d", "d"))


def test_a_head_variable_outside_the_body_matches_anything() -> None:
    task = task_of("f/2", "p/1", non_datalog=True, facts=[("p", ("a",))])
    assert covers(task, Rule("f", 2, (("p", (0,)),)), ("a", "never_heard_of"))


def test_examples_count_as_listed() -> None:
    task = task_of(facts=unary_facts(p="a b"), positives=examples("a", "a", "b", "c", weight=2))
    task.negatives = examples("a", weight=3)
    (rule,) = all_rules(task)
    assert cost(task, ()) == 8
    assert cost(task, (rule,)) == 2 + 3 + 2
    assert optimum(task) == (7, (rule,))
    assert optimum(replace(task, weights=(2, 1, 1))) == (8, ())
    assert optimum(replace(task, weights=(1, 2, 3))) == (2 + 6 + 6, (rule,))


def test_the_empty_program_can_be_best() -> None:
    task = task_of(facts=unary_facts(p="a b"), positives=examples("a", "b"))
    assert optimum(task) == (2, ())


def test_the_smallest_of_the_exact_programs() -> None:
    task = task_of(body="p/1 q/1 r/1", max_body=2, positives=examples("a", "b"), negatives=examples("c"))
    task.facts = unary_facts(p="a c", q="a b", r="b")
    found = optimum_exact(task)
    assert found is not None
    assert (found[0], [rule_text(rule) for rule in found[1]]) == (2, ["f(A):-q(A)."])
    weighted = optimum_exact(replace(task, weights=(3, 1, 1)))
    assert weighted is not None
    assert weighted[0] == 6
    two = optimum_exact(replace(task, facts=unary_facts(p="a c", q="a c", r="b")))
    assert two is None
    two = optimum_exact(replace(task, facts=unary_facts(p="a c", q="a", r="b")))
    assert two is not None
    assert two[0] == 4


def test_a_contradiction_has_no_exact_program() -> None:
    task = task_of(facts=unary_facts(p="a"), positives=examples("a"), negatives=examples("a"))
    assert optimum_exact(task) is None


# Traps: toys on which published systems return more than the optimum


def numbered(letter: str, *ranges: range) -> list[str]:
    return [f"{letter}{number}" for part in ranges for number in part]


def trap(names: str, max_body: int, positives: int, facts: dict[str, list[str]]) -> SmallTask:
    return task_of(
        body=names,
        max_body=max_body,
        facts=[(name, (constant,)) for name, constants in facts.items() for constant in constants],
        positives=examples(*numbered("p", range(positives))),
        negatives=examples(*numbered("n", range(40))),
    )


def test_shared_false_positives() -> None:
    """`b` covers 9 positives and 8 negatives: it pays only beside `a`, which covers the same negatives."""
    shared = numbered("n", range(8))
    facts = {
        "a": numbered("p", range(31)) + shared,
        "b": numbered("p", range(31, 40)) + shared,
        "c": numbered("p", range(3)),
    }
    least, program = optimum(trap("a/1 b/1 c/1", 3, 40, facts))
    assert least == 12
    assert {rule_text(rule) for rule in program} == {"f(A):-a(A).", "f(A):-b(A)."}


def test_three_way_intersection() -> None:
    """Each two of the three predicates share many negatives, and all three share none."""
    facts = {
        "b1": numbered("p", range(20)) + numbered("n", range(23)),
        "b2": numbered("p", range(15)) + numbered("n", range(19), range(23, 35)),
        "b3": numbered("p", range(15)) + numbered("n", range(19, 35)),
    }
    least, program = optimum(trap("b1/1 b2/1 b3/1", 4, 20, facts))
    assert least == 9
    assert {rule_text(rule) for rule in program} == {"f(A):-b1(A),b2(A),b3(A)."}


# Random tasks


def test_unions_agree_with_all_small_sets_of_rules(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(3)
    compared = 0
    for _ in range(effort(60, 600)):
        task = random_task(rng, most_bodies=16)
        most = 3 if len(all_rules(task)) <= 9 else 2
        least, program = optimum(task)
        naive, _ = optimum_of_few_rules(task, most)
        assert cost(task, program) == least, task.describe()
        assert naive >= least, task.describe()
        # A program of more rules than were tried costs at least their size.
        if len(program) <= most or naive <= 2 * task.weights[0] * (most + 1):
            assert naive == least, task.describe()
            compared += 1
    assert compared > 40


def test_exact_unions_agree_with_all_small_sets_of_rules(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(4)
    solved = 0
    for _ in range(effort(25, 600)):
        task = replace(random_task(rng, most_bodies=16), exact=True)
        most = 3 if len(all_rules(task)) <= 9 else 2
        found = optimum_exact(task)
        naive = optimum_exact_of_few_rules(task, most)
        if found is None:
            assert naive is None, task.describe()
            continue
        assert solves(task, found[1]), task.describe()
        assert found[0] == task.weights[0] * sum(rule.size for rule in found[1])
        if len(found[1]) <= most:
            assert naive is not None
            assert naive[0] == found[0], task.describe()
            solved += 1
    assert solved > 10


def test_answers_are_of_the_space_and_cost_what_they_say() -> None:
    rng = random.Random(5)
    for _ in range(40):
        task = random_task(rng)
        found = answer(task)
        if found is not None:
            assert found[0] == cost(task, found[1]), task.describe()
            assert all(in_space(task, rule) for rule in found[1]), task.describe()


def test_one_seed_gives_one_series_of_tasks() -> None:
    """In every process: no choice may hang on the order of a set."""
    script = (
        "import random; from oracle.random_tasks import answer, random_task; rng = random.Random(6)\n"
        "for _ in range(20): task = random_task(rng); print(task, answer(task))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 20


def test_random_tasks_are_what_they_should_be() -> None:
    rng = random.Random(7)
    tasks = [random_task(rng) for _ in range(60)]
    for task in tasks:
        arities = [arity for _, arity in (task.head, *task.body)]
        assert task.max_vars >= max(arities)
        assert task.facts
        assert 1 <= len(task.positives) <= 12
        assert len(task.negatives) <= 12
        assert all(weight >= 1 for _, weight in (*task.positives, *task.negatives))
        assert task.directions is None or set(task.directions) == {name for name, _ in (task.head, *task.body)}
    counts = statistics(tasks)
    several = sum(counts[f"{mode}: {number} rules"] for mode in ("cost", "exact") for number in (2, 3))
    nothing = counts["cost: 0 rules"] + counts["exact: no solution"]
    assert nothing < counts["tasks"] / 2
    assert several > counts["tasks"] / 10


# Files


def test_a_task_as_files(tmp_path: Path) -> None:
    task = SmallTask(
        head=("f", 2),
        body=[("p", 1), ("q", 2)],
        max_vars=3,
        max_body=2,
        facts=[("p", ("a",)), ("q", ("a", "b"))],
        positives=[(("a", "b"), 1), (("a", "c"), 3)],
        negatives=[(("b", "b"), 1)],
        types={"f": ("t", "u"), "p": ("t",), "q": ("t", "u")},
        directions={"f": ("in", "out"), "p": ("in",), "q": ("in", "out")},
        singletons=False,
        non_datalog=True,
        one_of_type=("t",),
    )
    task.write(tmp_path / "new" / "task")
    texts = {path.name: path.read_text().splitlines() for path in (tmp_path / "new" / "task").iterdir()}
    assert texts["bias.pl"] == [
        "head_pred(f,2).", "body_pred(p,1).", "body_pred(q,2).",
        "type(f,(t,u)).", "type(p,(t,)).", "type(q,(t,u)).",
        "direction(f,(in,out)).", "direction(p,(in,)).", "direction(q,(in,out)).",
        "max_vars(3).", "max_body(2).", "no_singletons.", "non_datalog.",
        ":- clause(C), #count{V : clause_var(C,V),var_type(C,V,t)} != 1.",
    ]  # fmt: skip
    assert texts["bk.pl"][1:] == ["p(a).", "q(a,b)."]
    assert texts["exs.pl"] == ["pos(f(a,b)).", "pos(f(a,c),3).", "neg(f(b,b))."]
    description = task.describe()
    assert "pos(f(a,c),3)." in description
    assert eval(description.split("--- again\n")[1]) == task
