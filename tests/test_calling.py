"""Recursion, invention and constraints of a bias's own, against brute force and on tasks a person could have."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxsynth.bias.constraints import treats_names_alike
from maxsynth.cli import main
from maxsynth.logic.programs import Program, Rule
from maxsynth.proofs.metrics import Weights
from maxsynth.search.asp.space import ProgramSpace
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.loop import Search
from maxsynth.search.result import OPTIMAL, SearchResult
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.settings import METHODS, Settings
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations
from oracle.brute_force import optimum, optimum_exact
from oracle.calling import best_program, text
from oracle.calling_tasks import random_calling_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

AUTO, FEATURES, ASP = METHODS


def learn(folder: Path, method: str = AUTO, **settings: object) -> SearchResult:
    return Search(ReadTask.from_folder(folder, prolog="builtin"), Settings(method=method, **settings)).run()  # type: ignore[arg-type]


def learn_small(task: SmallTask, folder: Path, method: str) -> SearchResult:
    task.write(folder)
    return learn(folder, method, weights=Weights(*task.weights), exact=task.exact)


# -- against brute force ------------------------------------------------------------------------------------


def test_clingo_and_features_agree(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    for seed in range(3_000_000, 3_000_000 + effort(25, 3000)):
        task = random_task(random.Random(seed))
        found = optimum_exact(task) if task.exact else optimum(task)
        results = [learn_small(task, tmp_path, method) for method in (FEATURES, ASP)]
        assert {result.status for result in results} == {OPTIMAL}
        assert {result.cost for result in results} == {found[0] if found else None}, f"seed {seed}\n{task.describe()}"


@pytest.mark.parametrize(("kind", "method"), [("recursion", AUTO), ("recursion", ASP), ("invention", AUTO)])
def test_the_cost_is_the_least(tmp_path: Path, effort: Callable[[int, int], int], kind: str, method: str) -> None:
    quick, invention = (30, False) if kind == "recursion" else (18, True)
    for seed in range(effort(quick, 1500)):
        limit = 60_000 if invention else 800
        task = random_calling_task(random.Random(seed), invention=invention, most_programs=limit)
        least, program = best_program(task)
        result = learn_small(task, tmp_path, method)
        said = f"seed {seed}: {least} {text(program)}, found {result.cost} {result.program}\n{task.describe()}"
        assert (result.status, result.cost) == (OPTIMAL, least), said
        if result.program is not None:
            assert violations(result.program, ReadTask.from_folder(tmp_path, prolog="builtin").bias) == [], said


def test_rules_below_a_bound_contain_the_optimum(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """A bound just above the least cost leaves out rules, but not those of a program that costs less than it."""
    for seed in range(4_000_000, 4_000_000 + effort(25, 3000)):
        task = replace(random_task(random.Random(seed)), exact=False)
        task.write(tmp_path)
        read = ReadTask.from_folder(tmp_path, prolog="builtin")
        least = optimum(task)[0]
        examples = WeighedExamples.of(read, Weights(*task.weights))
        generator = RuleGenerator(read, examples, task.weights[0])
        combiner = Combiner(examples, task.weights[0])
        while not generator.exhausted:
            generator.keep_below(least + 1)
            batch = generator.next_size()
            assert batch is not None
            combiner.add(batch)
        found = combiner.best(least + 1).best
        empty = int(examples.pos.sum())
        assert (found.cost if found else empty) == least, f"seed {seed}\n{task.describe()}"


def test_an_error_outweighs_the_largest_program(tmp_path: Path) -> None:
    """With a single positive, the smallest exact program has more literals than a rule may have."""
    task = SmallTask(
        head=("f", 1),
        body=[("next", 2), ("zero", 1)],
        max_vars=2,
        max_body=2,
        facts=[*(("next", (f"c{i}", f"c{i + 1}")) for i in range(5)), ("zero", ("c5",))],
        positives=[(("c3",), 6)],
        negatives=[((f"c{i}",), 1) for i in (0, 1, 2, 4, 5)],
        directions={"f": ("in",), "next": ("in", "out"), "zero": ("out",)},
        singletons=False,
        exact=True,
        invention=True,
    )
    assert learn_small(task, tmp_path, AUTO).cost == best_program(task)[0] == 6


def test_a_call_gives_what_the_body_of_an_invented_predicate_does_not(tmp_path: Path) -> None:
    """f(A) :- inv1(A,B), inv1(B,A). inv1(A,_) :- zero(A). runs only when inv1 is given its second argument."""
    task = SmallTask(
        head=("f", 1),
        body=[("next", 2), ("zero", 1)],
        max_vars=2,
        max_body=2,
        facts=[*(("next", (f"c{i}", f"c{i + 1}")) for i in range(7)), ("zero", ("c7",))],
        positives=[((f"c{i}",), 1) for i in (0, 3, 5, 6)],
        negatives=[((f"c{i}",), 1) for i in (1, 2, 4, 7)],
        directions={"f": ("in",), "next": ("in", "out"), "zero": ("out",)},
        non_datalog=True,
        exact=True,
        recursion=True,
        invention=True,
    )
    assert learn_small(task, tmp_path, AUTO).cost == best_program(task)[0]


# -- recursion ----------------------------------------------------------------------------------------------

PATH = (
    "head_pred(path,2).\nbody_pred(edge,2).\nenable_recursion.\nmax_vars(3).\nmax_body(2).\n"
)  # fmt: skip
EDGES = "edge(a,b). edge(b,c). edge(c,d). edge(d,e). edge(e,c). edge(x,y). edge(y,z). edge(z,w). edge(w,v).\n"
PAIRS = {
    True: "ab ac ad ae bc bd be cd ce cc dc de dd ec ed ee xy xz xw xv yz yw yv zw zv wv",
    False: "ba ca da ax xa by ya za zb ey vz vw wx az",
}


def examples(name: str, positives: str, negatives: str) -> str:
    return "".join(
        f"{label}({name}({','.join(pair)})).\n"
        for label, pairs in (("pos", positives), ("neg", negatives))
        for pair in pairs.split()
    )


@pytest.mark.parametrize("method", [AUTO, ASP])
def test_path_in_a_graph_with_a_cycle(make_task: Callable[..., Path], method: str) -> None:
    folder = make_task(PATH, EDGES, examples("path", PAIRS[True], PAIRS[False]))
    result = learn(folder, method)
    assert (result.status, result.cost) == (OPTIMAL, 5)
    assert result.program is not None
    assert result.program.calls_itself


def test_a_result_that_calls_itself_can_be_verified(
    make_task: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_task(PATH, EDGES, examples("path", PAIRS[True], PAIRS[False]))
    assert main(["learn", str(folder), "--quiet", "--json", str(tmp_path / "result.json")]) == 0
    assert main(["verify", str(tmp_path / "result.json")]) == 0
    assert "wrong" not in capsys.readouterr().out


def test_recursion_is_not_used_where_it_does_not_pay(make_task: Callable[..., Path]) -> None:
    folder = make_task(PATH, EDGES, examples("path", "ab bc cd de ec xy yz", "ac ba xz az ca"))
    result = learn(folder)
    assert (result.status, str(result.program)) == (OPTIMAL, "path(A,B) :- edge(A,B).")


def test_features_do_not_do_recursion(make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_task(PATH, EDGES, examples("path", "ab", ""))
    assert main(["learn", str(folder), "--method", "features"]) == 2
    assert "enable_recursion" in capsys.readouterr().err


# -- steps --------------------------------------------------------------------------------------------------


def test_a_test_that_runs_out_of_steps_is_counted(make_task: Callable[..., Path]) -> None:
    """f(A) :- longer(A,B), f(B) goes on for ever."""
    bias = (
        "head_pred(f,1).\nbody_pred(longer,2).\nbody_pred(nil,1).\nenable_recursion.\nmax_vars(2).\nmax_body(2).\n"
        "type(f,(l,)).\ntype(longer,(l,l)).\ntype(nil,(l,)).\n"
        "direction(f,(in,)).\ndirection(longer,(in,out)).\ndirection(nil,(in,)).\n"
    )
    bk = "longer(A,[a|A]).\nnil([]).\n"
    exs = "".join(
        f"{label}(f([{','.join(letter * n)}])).\n"
        for label, letter in (("pos", "a"), ("neg", "b"))
        for n in range(1, 9)
    )
    result = learn(make_task(bk=bk, bias=bias, exs=exs))
    assert result.counts["programs_cut"] > 0
    assert result.status == OPTIMAL


# -- invention ----------------------------------------------------------------------------------------------

FAMILY = (
    "head_pred(grandparent,2).\nbody_pred(mother,2).\nbody_pred(father,2).\nenable_pi.\nmax_vars(3).\nmax_body(2).\n"
    "max_clauses(3).\n"
)  # fmt: skip


def family(count: int) -> tuple[str, str]:
    """Chains of four generations, with parents of either sex in all combinations, and who is a grandparent of whom."""
    facts, exs = [], []
    for number in range(count):
        people = [f"p{number}_{generation}" for generation in range(4)]
        for generation in range(3):
            parent = "mother" if number >> generation & 1 else "father"
            facts.append(f"{parent}({people[generation]},{people[generation + 1]}).")
        exs += [f"pos(grandparent({people[i]},{people[i + 2]}))." for i in range(2)]
        exs += [f"neg(grandparent({people[i]},{people[j]}))." for i, j in ((0, 1), (1, 0), (2, 3), (0, 3))]
    return "\n".join(facts) + "\n", "\n".join(exs) + "\n"


def test_grandparent_through_an_invented_parent(make_task: Callable[..., Path]) -> None:
    bk, exs = family(8)
    result = learn(make_task(FAMILY, bk, exs))
    assert (result.status, result.cost) == (OPTIMAL, 7)  # 12 without the invented predicate
    assert result.program is not None
    assert len(result.program.defined) == 2


def test_nothing_is_invented_where_it_does_not_pay(make_task: Callable[..., Path]) -> None:
    bk, _ = family(8)
    exs = "".join(f"pos(grandparent(p{i}_0,p{i}_1)).\nneg(grandparent(p{i}_1,p{i}_0)).\n" for i in (0, 2, 4, 6))
    result = learn(make_task(FAMILY, bk, exs))
    assert (result.status, str(result.program)) == (OPTIMAL, "grandparent(A,B) :- father(A,B).")


def test_an_invented_recursive_helper(make_task: Callable[..., Path]) -> None:
    """Two nodes are friends when both reach the same mark; reaching is what has to be invented."""
    bias = (
        "head_pred(f,1).\nbody_pred(edge,2).\nbody_pred(start,2).\nbody_pred(goal,1).\nenable_pi.\nenable_recursion.\n"
        "max_vars(2).\nmax_body(2).\nmax_clauses(3).\ntype(f,(t,)).\ntype(start,(t,n)).\ntype(edge,(n,n)).\ntype(goal,(n,)).\n"
    )
    facts, exs = [], []
    for number in range(12):
        length = 1 + number % 5
        facts.append(f"start(t{number},n{number}_0).")
        facts += [f"edge(n{number}_{i},n{number}_{i + 1})." for i in range(length)]
        if number < 8:
            facts.append(f"goal(n{number}_{length}).")
        exs.append(f"{'pos' if number < 8 else 'neg'}(f(t{number})).")
    result = learn(make_task(bias, "\n".join(facts) + "\n", "\n".join(exs * 2) + "\n"))
    assert (result.status, result.cost) == (OPTIMAL, 8)
    assert result.program is not None
    assert len(result.program.defined) == 2


# -- constraints of a bias's own ----------------------------------------------------------------------------

WORLD = SmallTask(
    head=("f", 1),
    body=[("p", 1), ("q", 1), ("r", 2), ("s", 1)],
    max_vars=3,
    max_body=3,
    facts=[
        *(("p", (c,)) for c in ("a", "b", "c", "d")),
        *(("q", (c,)) for c in ("b", "c", "d", "e", "x")),
        *(("r", pair) for pair in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "x"), ("x", "e"))),
        *(("s", (c,)) for c in ("a", "c", "e")),
    ],
    positives=[((c,), 3) for c in ("b", "c", "d")],
    negatives=[((c,), 3) for c in ("a", "e", "x")],
)


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        (":- #count{C,V : body_literal(C,q,1,V)} > 0.", lambda rules: all("q(" not in rule for rule in rules)),
        (":- clause(C), #count{V : body_literal(C,p,1,V)} > 1.", lambda rules: all(r.count("p(") < 2 for r in rules)),
        (
            ":- body_literal(C,p,1,_), body_literal(C,q,1,_).",
            lambda rules: not any("p(" in rule and "q(" in rule for rule in rules),
        ),
        (":- clause(C), not body_literal(C,s,1,_).", lambda rules: all("s(" in rule for rule in rules)),
        (":- clause(C), not body_literal(C,r,2,_).", lambda rules: all("r(" in rule for rule in rules)),
        (":- body_size(C,N), N < 2.", lambda rules: all(rule.count("(") > 2 for rule in rules)),
        (":- clause(C), #count{V : clause_var(C,V)} != 2.", lambda rules: all("B" in r or "_" in r for r in rules)),
        (":- clause(C), not body_literal(C,s,1,(0,)).", lambda rules: all("s(A)" in rule for rule in rules)),
    ],
)
def test_a_constraint_holds_and_changes_nothing_else(
    tmp_path: Path, constraint: str, holds: Callable[[list[str]], bool]
) -> None:
    """The result is the best of all sets of rules that the constraint allows, as the definition says."""
    task = replace(WORLD, constraints=(constraint,))
    result = learn_small(task, tmp_path, AUTO)
    read = ReadTask.from_folder(tmp_path, prolog="builtin")
    assert result.status == OPTIMAL
    assert result.program is not None
    assert violations(result.program, read.bias) == []
    assert holds([str(rule) for rule in result.program.rules])
    assert result.cost == least_allowed(task, read)


def least_allowed(task: SmallTask, read: ReadTask) -> int:
    """The optimum by brute force, over the rules that `space.violations` finds nothing against."""
    from maxsynth.logic.programs import Literal, Program, Rule
    from oracle import brute_force

    def allowed(rule: brute_force.Rule) -> bool:
        body = tuple(Literal(name, args) for name, args in rule.body)
        return not violations(Program((Rule(Literal("f", (0,)), body),)), read.bias)

    every = brute_force.all_rules
    rules = [rule for rule in every(task) if allowed(rule)]
    brute_force.all_rules = lambda *_: rules  # type: ignore[assignment]
    try:
        return optimum(task)[0]
    finally:
        brute_force.all_rules = every


@pytest.mark.parametrize(
    ("constraint", "count"),
    [(":- #count{C : clause(C)} != 3.", 3), (":- clause(2).", 2), (":- C1 < C2, clause(C1), clause(C2), C2 > 1.", 2)],
)
def test_the_number_of_rules_of_a_recursive_program(
    make_task: Callable[..., Path], constraint: str, count: int
) -> None:
    folder = make_task(PATH + f"max_clauses(3).\n{constraint}\n", EDGES, examples("path", PAIRS[True], PAIRS[False]))
    result = learn(folder)
    assert result.status == OPTIMAL
    assert result.program is not None
    assert len(result.program.rules) == count


def test_a_constraint_with_a_syntax_error(make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_task(PATH + ":- clause(C), body_literal(C,edge,2.\n", EDGES, examples("path", "ab", ""))
    assert main(["learn", str(folder)]) == 2
    assert "bias.pl:6" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("constraint", "alike"),
    [
        (":- body_literal(C,p,1,_), body_literal(C,q,1,_).", True),
        (":- body_literal(C,p,2,(A,B)), body_literal(C,p,2,(B,A)).", True),
        (":- clause(C), #count{V : clause_var(C,V), var_type(C,V,t)} > 2.", True),
        (":- body_literal(C,p,1,_), body_literal(D,p,1,_), C != D.", True),
        (":- clause(C), C > 1.", False),
        (":- body_literal(0,p,1,_).", False),
        (":- body_literal(C,p,2,(0,V)).", False),
        (":- body_literal(C,p,1,_), body_literal(D,p,1,_), C < D.", False),
        ("bad(C) :- body_literal(C,p,1,_).\n:- bad(0).", False),
        (":- #sum{V : clause_var(0,V)} > 3.", False),
    ],
)
def test_which_constraints_treat_names_alike(constraint: str, alike: bool) -> None:
    assert treats_names_alike(constraint) == alike


# -- exact mode ---------------------------------------------------------------------------------------------


def test_a_run_without_errors_that_is_cut_says_how_small_a_program_may_be(make_task: Callable[..., Path]) -> None:
    pairs = [(i, i + 1) for i in range(7)]
    bk = "".join(f"next(c{i},c{j}). " for i, j in pairs) + "zero(c7)."
    exs = "".join(f"{'pos' if i % 2 else 'neg'}(f(c{i})).\n" for i in range(8))
    folder = make_task("head_pred(f,1).\nbody_pred(next,2).\nbody_pred(zero,1).\nenable_recursion.\n", bk, exs)
    whole = learn(folder, exact=True)
    assert (whole.status, whole.cost, whole.lower_bound) == (OPTIMAL, 6, 6)
    bounds = []
    for steps in (1, 5, 20, 50, 100):
        cut = learn(folder, exact=True, steps=steps)
        bounds.append(cut.lower_bound)
        assert 0 <= cut.lower_bound <= 6
        assert cut.cost in (None, 6)
    assert bounds == sorted(bounds)
    assert bounds[-1] > 2


def test_what_can_be_unfolded_is_not_generated(make_task: Callable[..., Path]) -> None:
    """Programs of three rules in which a predicate that calls nothing is called once, or has one literal."""
    bias = "head_pred(f,2). body_pred(p,2). body_pred(q,2). max_vars(3). max_body(2). max_clauses(3). enable_pi."
    read = ReadTask.from_folder(make_task(bias, "p(a,b). q(b,c).", "pos(f(a,c))."), prolog="builtin")
    space = ProgramSpace(read.bias, calls=True)
    found: list[Program] = []
    for size in range(4, 8):
        assert space.programs(size, found.append, lambda: False)
    assert found
    for program in found:
        rules = [rule for rule in program.rules if rule.head.name == "inv1"]
        calls = [literal for rule in program.rules for literal in rule.body if literal.name == "inv1"]
        if len(program.rules) == 3 and "inv2" not in {rule.head.name for rule in program.rules}:
            assert len(rules) > 1 or len(rules[0].body) > 1 or is_too_large(program), str(program)
            assert len(calls) > 1 or is_too_large(program), str(program)


def is_too_large(program: Program) -> bool:
    """Whether a rule has more than three variables, or two literals, with its calls replaced by a body."""
    own = [rule for rule in program.rules if rule.head.name == "inv1"]
    calls = [(rule, sum(literal.name == "inv1" for literal in rule.body)) for rule in program.rules]
    return any(
        len(caller.body) + count * (len(rule.body) - 1) > 2
        or len(variables(caller)) + count * (len(variables(rule)) - len(rule.head.args)) > 3
        for caller, count in calls
        for rule in own
        if count
    )


def variables(rule: Rule) -> set[object]:
    return {arg for literal in rule.literals() for arg in literal.args}
