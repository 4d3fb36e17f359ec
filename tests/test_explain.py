"""Proofs prove, failures fail, and labels that are wrong are found again."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from maxsynth.cli import main
from maxsynth.demos import zendo
from maxsynth.explanation.explain import Explainer, Explanation, Failure, Proof
from maxsynth.explanation.suspects import Labelled, find_suspects
from maxsynth.logic.programs import Program, Rule, parse_program
from maxsynth.task.task import ReadTask
from oracle.brute_force import Rule as OracleRule
from oracle.brute_force import all_rules, covers, rule_text
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask

MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).parent.parent / "examples" / "kinship"

EDGES = "edge(a,b).\nedge(b,c).\nedge(c,a).\nedge(d,d).\n"
PATH = "path(A,B) :- edge(A,B).\npath(A,B) :- edge(A,C), path(C,B).\n"
REACH = "path(A,B) :- step(A,B).\npath(A,B) :- path(A,C), path(C,B).\nstep(A,B) :- edge(A,B).\n"
PATH_BIAS = "head_pred(path,2).\nbody_pred(edge,2).\nenable_recursion.\n"
PATH_EXS = "pos(path(a,c)).\npos(path(d,b)).\nneg(path(a,d)).\nneg(path(b,a)).\n"
MORE = "--weigh tells labels that are probably wrong from exceptions\n"


# -- proofs are proofs ----------------------------------------------------------------------------------------


def assert_proves(proof: Proof, rules: set[str], facts: set[str]) -> None:
    """Each node is a fact, or an instance of a rule of the program whose body is what its parts prove."""
    if proof.rule is None:
        assert proof.atom in facts
        return
    assert proof.rule in rules
    rule: Rule = parse_program(proof.rule).rules[0]
    values: dict[object, str] = {}
    for literal, atom in zip(rule.literals(), [proof.atom, *(part.atom for part in proof.parts)], strict=True):
        name, _, rest = atom.partition("(")
        args = rest.removesuffix(")").split(",")
        assert (literal.name, len(literal.args)) == (name, len(args))
        for variable, value in zip(literal.args, args, strict=True):
            assert values.setdefault(variable, value) == value
    assert set(proof.binding.values()) <= set(values.values())
    for part in proof.parts:
        assert_proves(part, rules, facts)


def assert_fails(failure: Failure, task: SmallTask, example: tuple[str, ...]) -> None:
    """The body up to the literal that is named is never true; without it, it is, as the failure says."""
    rule = parse_program(failure.rule).rules[0]
    place = len(failure.held)
    facts = {f"{name}({','.join(args)})" for name, args in task.facts}
    assert set(failure.held) <= facts
    assert failure.literal is not None
    assert failure.literal.startswith(f"{rule.body[place].name}(")
    body = tuple((literal.name, literal.args) for literal in rule.body[: place + 1])
    arity = len(rule.head.args)
    numbers = {variable: number for number, variable in enumerate(rule.head.args)}
    for _, args in body:
        for variable in args:
            numbers.setdefault(variable, arity + len(numbers))
    renamed = tuple((name, tuple(numbers[v] for v in args)) for name, args in body)
    oracle_rule = OracleRule(rule.head.name, arity, renamed)
    assert not covers(task, oracle_rule, example)
    if place:
        assert covers(task, oracle_rule._replace(body=renamed[:-1]), example)


def test_random_programs_without_recursion(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    seen = {True: 0, False: 0}
    for seed in range(effort(25, 3000)):
        rng = random.Random(seed)
        small = random_task(rng, most_bodies=200)
        rules = all_rules(small)
        if not rules:
            continue
        small.by_rules = frozenset(name for name, _ in small.body if rng.random() < 0.3)
        small.write(tmp_path)
        task = ReadTask.from_folder(tmp_path, prolog="builtin")
        chosen = rng.sample(rules, min(3, len(rules)))
        program = parse_program("\n".join(map(rule_text, chosen)))
        explainer = Explainer(program, task)
        facts = {f"{name}({','.join(args)})" for name, args in small.facts}
        texts = {str(rule) for rule in explainer.program.rules}
        sides = zip((small.positives, small.negatives), (task.positives, task.negatives), strict=True)
        for examples, side in sides:
            for (atom, _), row in zip(examples, side.rows.tolist(), strict=True):
                found = explainer.explain(tuple(row))
                assert found.covered == any(covers(small, rule, atom) for rule in chosen)
                assert found.rules == tuple(i for i, rule in enumerate(chosen) if covers(small, rule, atom))
                if found.proof is not None:
                    assert_proves(found.proof, texts, facts)
                assert len(found.failures) == (0 if found.covered else len(chosen))
                for failure in found.failures:
                    assert_fails(failure, small, atom)
                seen[bool(found.covered)] += 1
    assert min(seen.values()) > 50


@pytest.mark.parametrize("rules", [PATH, REACH])
def test_recursive_programs_on_random_graphs(
    tmp_path: Path, make_task: MakeTask, rules: str, effort: Callable[[int, int], int]
) -> None:
    for seed in range(effort(12, 500)):
        rng = random.Random(seed)
        nodes = [f"n{i}" for i in range(6)]
        edges = {(rng.choice(nodes), rng.choice(nodes)) for _ in range(rng.randint(1, 9))}
        folder = make_task(
            PATH_BIAS,
            "".join(f"edge({a},{b}).\n" for a, b in sorted(edges)),
            "".join(f"pos(path({a},{b})).\n" for a in nodes for b in nodes),
        )
        reached = set(edges)
        while more := {(a, d) for a, b in reached for c, d in edges if b == c} - reached:
            reached |= more
        task = ReadTask.from_folder(folder)
        explainer = Explainer(parse_program(rules), task)
        facts = {f"edge({a},{b})" for a, b in edges}
        pairs = [(a, b) for a in nodes for b in nodes]
        order = list(range(len(pairs)))
        rng.shuffle(order)  # what was derived for one example is there for the next
        for i in order:
            found = explainer.explain(tuple(task.positives.rows[i].tolist()))
            assert found.covered == (pairs[i] in reached)
            if found.proof is not None:
                assert_proves(found.proof, {str(rule) for rule in explainer.program.rules}, facts)
            else:
                assert len(found.failures) == 2


# -- as it prints ---------------------------------------------------------------------------------------------


def explain(capsys: Capture, *arguments: str | Path) -> str:
    assert main(["explain", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err.removeprefix(MORE) == ""
    text: str = out
    return text


def test_a_recursive_program(make_task: MakeTask, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "program.pl").write_text(PATH)
    assert explain(capsys, tmp_path / "program.pl", make_task(PATH_BIAS, EDGES, PATH_EXS)) == (
        "rule 1: path(A,B) :- edge(A,B).\n"
        "rule 2: path(A,B) :- edge(A,C), path(C,B).\n"
        "\n"
        "positive path(a,c) is covered:\n"
        "  path(a,c)  by  path(A,B) :- edge(A,C), path(C,B).  with A = a, B = c, C = b\n"
        "    edge(a,b)\n"
        "    path(b,c)  by  path(A,B) :- edge(A,B).  with A = b, B = c\n"
        "      edge(b,c)\n"
        "positive path(d,b) is not covered:\n"
        "  path(A,B) :- edge(A,B).\n"
        "    fails at edge(A,B): no values make it true\n"
        "  path(A,B) :- edge(A,C), path(C,B).\n"
        "    fails at path(C,B): edge(d,d) holds, but no values make it true\n"
        "negative path(b,a) is covered:\n"
        "  path(b,a)  by  path(A,B) :- edge(A,C), path(C,B).  with A = b, B = a, C = c\n"
        "    edge(b,c)\n"
        "    path(c,a)  by  path(A,B) :- edge(A,B).  with A = c, B = a\n"
        "      edge(c,a)\n"
        "\n"
        "suspected label noise (suspicion, label, example, what the program does):\n"
        "  0.67  positive  path(d,b)  rule 1 fails at edge(A,B); rule 2 fails at path(C,B); 1 of 1 others treated "
        "alike are negative\n"
        "  0.67  negative  path(b,a)  covered by rule 2; 1 of 1 others treated alike are positive\n"
    )


def test_one_example(capsys: Capture) -> None:
    known = explain(capsys, EXAMPLE / "program.pl", EXAMPLE, "--example", "grandparent(ann1,bob3)")
    assert known == (
        "grandparent(ann1,bob3) is covered:\n"
        "  grandparent(ann1,bob3)  by  grandparent(A,B) :- parent(A,C), parent(C,B).  "
        "with A = ann1, B = bob3, C = bob2\n"
        "    parent(ann1,bob2)\n"
        "    parent(bob2,bob3)\n"
    )
    stranger = explain(capsys, EXAMPLE / "program.pl", EXAMPLE, "--example", "grandparent(ann1,nobody).")
    assert "fails at parent(C,B): parent(ann1,bob2) holds, but no values make it true\n" in stranger


def test_constants_and_heads_that_do_not_match(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "program.pl").write_text("path(a,B) :- edge(B,c).\npath(_,d).\n")
    folder = make_task(PATH_BIAS, EDGES, PATH_EXS)
    out = explain(capsys, tmp_path / "program.pl", folder, "--example", "path(a,b)")
    assert out == "path(a,b) is covered:\n  path(a,b)  by  path(a,A) :- edge(A,c).  with A = b\n    edge(b,c)\n"
    out = explain(capsys, tmp_path / "program.pl", folder, "--example", "path(b,b)")
    assert out.count("its head does not match") == 2


def test_the_empty_program(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "program.pl").write_text("")
    out = explain(capsys, tmp_path / "program.pl", make_task(PATH_BIAS, EDGES, PATH_EXS))
    assert out.startswith("the empty program\n\npositive path(a,c) is not covered: there is no rule\n")


def test_steps_that_do_not_suffice(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "program.pl").write_text(PATH)
    folder = make_task(PATH_BIAS, EDGES, PATH_EXS)
    out = explain(capsys, tmp_path / "program.pl", folder, "--example", "path(a,d)", "--steps", "2")
    assert out == "path(a,d): it was not found out whether it is covered (see --steps)\n"


# -- results and noise ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, set[str]]:
    """A learned task, its result, and the examples whose labels are wrong."""
    folder = tmp_path_factory.mktemp("noisy")
    made = zendo.make(seed=3, noise=10, train=120, test=20)
    made.write(folder / "task")
    assert main(["learn", str(folder / "task"), "--quiet", "--json", str(folder / "result.json")]) == 0
    return folder / "task", folder / "result.json", {one.atom for one in made.examples if one.true != one.given}


def test_wrong_labels_are_suspected(noisy: tuple[Path, Path, set[str]], capsys: Capture) -> None:
    _, result, wrong = noisy
    out = explain(capsys, result, "--suspects", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["example"] for row in rows} == wrong
    suspicions = [float(row["suspicion"]) for row in rows]
    assert suspicions == sorted(suspicions, reverse=True)
    assert all(0 < suspicion < 1 for suspicion in suspicions)


def test_csv_to_a_file(noisy: tuple[Path, Path, set[str]], tmp_path: Path, capsys: Capture) -> None:
    task, result, wrong = noisy
    out = explain(capsys, result, task, "--suspects", "--csv", tmp_path / "noise.csv")
    assert out.count("\n  0.") == len(wrong)
    rows = list(csv.DictReader((tmp_path / "noise.csv").open()))
    lines = (task / "exs.pl").read_text().splitlines()
    assert all(lines[int(row["line"]) - 1] == f"{row['label']}({row['example']})." for row in rows)


def test_the_test_folder(noisy: tuple[Path, Path, set[str]], capsys: Capture) -> None:
    task, result, _ = noisy
    assert explain(capsys, result, task, "--suspects", "--test").endswith("the program contradicts no label\n")


def test_suspicion_by_hand() -> None:
    covered = Explanation("e", True, Proof("e"), (), (0,))
    other = Explanation("e", True, Proof("e"), (), (0, 1))
    examples = [Labelled(True, 1, covered)] * 8 + [Labelled(False, 2, covered)] + [Labelled(False, 3, other)]
    suspects = find_suspects(examples)
    assert [(s.example.line, s.against, s.others, s.suspicion) for s in suspects] == [(2, 8, 8, 0.9), (3, 0, 0, 0.5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--example", "path(a"], "--example: `path(a` is no atom: "),
        (["--example", "edge(a,b)"], "--example: `edge(a,b)` is not of path/2, which the task is about"),
        (["--example", "path(a,X)"], "--example: `path(a,X)` has a variable (give a ground atom)"),
    ],
)
def test_bad_atoms(arguments: list[str], message: str, make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "program.pl").write_text(PATH)
    folder = make_task(PATH_BIAS, EDGES, PATH_EXS)
    assert main(["explain", str(tmp_path / "program.pl"), str(folder), *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"maxsynth: {message}")


def test_what_cannot_be_explained(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    program = tmp_path / "program.pl"
    program.write_text(PATH)
    assert main(["explain", str(program)]) == 2
    assert capsys.readouterr().err == (
        f"maxsynth: {program}: a file of rules does not say what it is for (name the task folder too)\n"
    )
    folder = make_task("head_pred(f,1).\nbody_pred(p,1).\n", "p(a).\n", "pos(f(a)).\nneg(f(a)).\n")
    result = tmp_path / "none.json"
    assert main(["learn", str(folder), "--exact", "--quiet", "--json", str(result)]) == 1
    assert json.loads(result.read_text())["program"] is None
    capsys.readouterr()
    assert main(["explain", str(result)]) == 2
    assert capsys.readouterr().err.endswith("there is no program in this result (there is nothing to explain)\n")


def test_a_long_proof_is_cut(make_task: MakeTask) -> None:
    bias = "head_pred(even,1).\nbody_pred(next,2).\nbody_pred(zero,1).\nenable_recursion.\n"
    bk = "zero(n0).\n" + "".join(f"next(n{i + 1},n{i}).\n" for i in range(900))
    task = ReadTask.from_folder(make_task(bias, bk, "pos(even(n900)).\n"))
    program: Program = parse_program("even(A) :- zero(A).\neven(A) :- next(A,B), next(B,C), even(C).\n")
    found = Explainer(program, task).explain(tuple(np.ravel(task.positives.rows).tolist()))
    assert found.covered
    assert len(str(found).splitlines()) < 700
