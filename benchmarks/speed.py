"""How many times as fast as SWI-Prolog: loading facts, testing rules, testing a recursive program.

Both sides are timed in one run on one machine, each by the best of several repeats, SWI-Prolog inside its own process
(so neither its start-up nor any communication counts against it). A test of a program asks of every example
whether it is covered; here SWI-Prolog does that with `aggregate_all(count, (example(E), once(E)), N)` over compiled
clauses, and MaxSynth with a compiled plan. BK calls are memoised before the clock runs, goals of the program are not.
The rules are drawn at random from the task's space, as a search meets them: as many with 2, 3, 4, 5 and 6 literals,
all tested in one go; below it the rule that comes first in the paper's program.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from common import add_data_option, need_data, paper_results
from maxsynth.bias.bias import Bias
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.programs import Literal, Program, Rule, executable, parse_program
from maxsynth.prolog.consult import consult
from maxsynth.proofs.evaluator import STEPS, Evaluator
from maxsynth.task.task import ReadTask

RULES = {"zendo1-20": 20, "iggp-coins-10": 20}
TURNS = 3
RULES_DRAWN, LENGTHS = 40, (2, 3, 4, 5, 6)
RECURSIVE = {"dropk-0": 5, "evens-0": 5, "reverse-0": 5, "sorted-0": 5}
LOADING = {"wn18rr2": 5}

SWIPL_TEST = """
:- style_check(-discontiguous).
count(N) :-
    programs(K), Last is K - 1,
    aggregate_all(count, (between(0, Last, I), (pos(A) ; neg(A)), once(test(I, A))), N).
best(0, T, T) :- !.
best(K, T0, T) :-
    statistics(inferences, _), get_time(A), repeat(R), forall(between(1, R, _), count(_)), get_time(B),
    T1 is min(T0, (B - A) / R), K1 is K - 1, best(K1, T1, T).
main :- count(N), best(25, inf, T), format("~w ~15|~w~n", [N, T]).
"""


def best(action: Callable[[], object], repeats: int = 25) -> float:
    """Seconds of the quickest of several rounds, each long enough to be measured."""
    start = time.perf_counter()
    action()
    once = time.perf_counter() - start
    number = max(1, int(0.02 / max(once, 1e-6)))
    rounds = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(number):
            action()
        rounds.append((time.perf_counter() - start) / number)
    return min(rounds)


def swipl(goal: str, *files: Path) -> list[str]:
    done = subprocess.run(
        ["swipl", "-q", "-g", goal, "-t", "halt", *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def loading(path: Path) -> tuple[float, float]:
    goal = f"get_time(A),load_files('{path}',[silent(true)]),get_time(B),T is B-A,writeln(T)"
    theirs = min(float(swipl(goal)[0]) for _ in range(3))
    ours = best(lambda: consult(path.read_text(), str(path), TermStore()), 5)
    return ours, theirs


def testing(folder: Path, programs: list[Program]) -> tuple[float, float]:
    """Seconds to test these programs, one after the other, on all examples."""
    task = ReadTask.from_folder(folder, prolog="builtin")
    rows = np.concatenate([task.positives.rows, task.negatives.rows])
    task.background.close(task.bias.body)  # as before a search: BK is asked for all values that occur
    evaluator = Evaluator(task.background, task.bias.head)
    provers = [evaluator.compile(program) for program in programs]
    count = sum(int(prover.cover(rows, STEPS)[0].sum()) for prover in provers)
    ours = theirs = float("inf")
    for _ in range(TURNS):  # in turn, so that a slow moment of the machine does not hit one side only
        ours = min(ours, best(lambda: [prover.cover(rows, STEPS) for prover in provers]))
        with tempfile.TemporaryDirectory() as scratch:
            script = Path(scratch) / "test.pl"
            script.write_text(SWIPL_TEST + swipl_programs(programs) + f"repeat({max(1, int(0.03 / (ours * 40)))}).\n")
            answer = swipl("main", folder / "bk.pl", folder / "exs.pl", script)
        if int(answer[0]) != count:
            raise SystemExit(f"{folder}: SWI-Prolog covers {answer[0]} examples, MaxSynth {count}")
        theirs = min(theirs, float(answer[1]))
    return ours, theirs


def swipl_programs(programs: list[Program]) -> str:
    """The programs with targets of their own: the target's name and a number; `test(I, A)` calls the right one."""
    lines = []
    for number, program in enumerate(programs):
        target = program.rules[0].head

        def named(literal: Literal, own: Literal = target, suffix: int = number) -> Literal:
            mine = literal.predicate == own.predicate
            return Literal(f"{own.name}_{suffix}", literal.args) if mine else literal

        lines += [str(Rule(named(rule.head), tuple(map(named, rule.body)))) for rule in program.rules]
        args = ",".join(f"X{i}" for i in range(len(target.args)))
        lines.append(f"test({number}, {target.name}({args})) :- {target.name}_{number}({args}).")
    return "\n".join(lines) + f"\nprograms({len(programs)}).\n"


def random_rules(bias: Bias, seed: int) -> list[Program]:
    """Rules of the space (types kept, every head variable used, connected), in an order that Prolog can execute."""
    rng = random.Random(seed)
    found: list[Program] = []
    arity = bias.head.arity
    while len(found) < RULES_DRAWN:
        types = dict(enumerate(bias.types[bias.head]))
        body: list[Literal] = []
        used: set[int] = set()
        length = LENGTHS[len(found) % len(LENGTHS)]
        while len(body) < length:
            predicate = rng.choice(bias.body)
            args = [draw(rng, types, kind, bias.max_vars) for kind in bias.types[predicate]]
            literal = Literal(predicate.name, tuple(args))
            known = set(range(arity)) | used
            if len(set(args)) == len(args) and literal not in body and known & set(args):
                body.append(literal)
                used |= set(args)
                types |= dict(zip(args, bias.types[predicate], strict=True))
            elif rng.random() < 0.05:
                break  # this beginning may have no such end
        kinds = [types[variable] for variable in {*used, *range(arity)}]
        once = all(kinds.count(kind) == 1 for kind in bias.one_of_type)
        if len(body) == length and set(range(arity)) <= used and once:
            rule = executable(Rule(Literal(bias.head.name, tuple(range(arity))), tuple(body)), bias.directions)
            if not bias.directions or is_safe(rule, bias):
                found.append(Program((rule,)))
    return found


def draw(rng: random.Random, types: dict[int, str], kind: str, max_vars: int) -> int:
    """A variable of that type, known or new."""
    known = [variable for variable, its in types.items() if its == kind]
    return rng.choice([*known, len(types)] if len(types) < max_vars else known or [0])


def is_safe(rule: Rule, bias: Bias) -> bool:
    modes = bias.directions
    bound = {v for v, mode in zip(rule.head.args, modes[rule.head.predicate], strict=True) if mode == "in"}
    for literal in rule.body:
        if any(m == "in" and v not in bound for v, m in zip(literal.args, modes[literal.predicate], strict=True)):
            return False
        bound |= set(literal.args)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_option(parser)
    options = parser.parse_args()
    need_data(options.data)
    results = paper_results(options.data)
    print(f"{'what':34} {'MaxSynth':>12} {'SWI-Prolog':>12} {'ratio':>7} {'wanted':>7}")
    failures = 0

    def show(what: str, ours: float, theirs: float, wanted: int) -> bool:
        print(f"{what:34} {1000 * ours:9.3f} ms {1000 * theirs:9.3f} ms {theirs / ours:6.1f}x {wanted:6}x", flush=True)
        return theirs / ours < wanted

    for task, wanted in {**LOADING, **RULES, **RECURSIVE}.items():
        folder = options.data / "paper" / task / "0"
        program = parse_program("\n".join(results[task]["maxsynth"]["0"]["program"]))
        if task in LOADING:
            failures += show(f"load the facts of {task}", *loading(folder / "bk.pl"), wanted)
        elif task in RULES:
            rules = random_rules(ReadTask.from_folder(folder, prolog="builtin").bias, 0)
            failures += show(f"test {RULES_DRAWN} rules of {task}", *testing(folder, rules), wanted)
            first = Program(program.rules[:1])
            failures += show(f"test the paper's of {task}", *testing(folder, [first]), wanted)
        else:
            failures += show(f"test the program of {task}", *testing(folder, [program]), wanted)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
