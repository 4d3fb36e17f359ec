"""Random programs, run by the built-in interpreter and by SWI-Prolog, must give the same answers in the same order.

Programs are definite clauses over integers, atoms and lists of integers, with cut, if-then-else, negation,
disjunction, findall, bagof, between, catch and library predicates. They are typed, so that most queries have
answers, with a few slips on purpose, so that some raise errors. All programs of a run go to one SWI-Prolog
process, which answers all queries.

As a script: PYTHONPATH=src python tests/prolog/test_differential.py --programs 5000 --seed 7
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from maxsynth.errors import PrologProblem
from maxsynth.prolog.clauses import Clause
from maxsynth.prolog.interpreter.interpreter import Interpreter
from maxsynth.prolog.reading.reader import parse_term, read_terms
from maxsynth.prolog.terms import TRUE, Atom, Struct, Term
from maxsynth.prolog.writer import term_text

INT, ATOM, LIST = "int", "atom", "list"
MOST_ANSWERS = 40
INFERENCES = 100_000

# Library relations: a goal with places for inputs and outputs. `{i}` is a bound integer, `{a}` a bound atom,
# `{l}` a bound list of integers; `{I}`, `{A}`, `{L}` are new variables of those types.
CALLS = """
    between({i},3,{I}) | between(1,3,{I}) | member({I},{l}) | memberchk({i},{l}) | memberchk({I},{l})
    append({L},{L},{l}) | append({l},{l},{L}) | append({l},[{i}],{L}) | reverse({l},{L}) | length({l},{I})
    nth0({I},{l},{I}) | nth1({i},{l},{I}) | nth0({i},{l},{I}) | last({l},{I}) | sum_list({l},{I})
    max_list({l},{I}) | min_list({l},{I}) | msort({l},{L}) | sort({l},{L}) | sort(0,@>=,{l},{L})
    select({i},{l},{L}) | select({I},{l},{L}) | selectchk({i},{l},{L}) | exclude(<({i}),{l},{L})
    include(<({i}),{l},{L}) | partition(>({i}),{l},{L},{L}) | maplist(succ,{l},{L}) | maplist(plus({i}),{l},{L})
    foldl(plus,{l},{i},{I}) | list_to_set({l},{L}) | delete({l},{i},{L}) | subtract({l},{l},{L})
    intersection({l},{l},{L}) | union({l},{l},{L}) | permutation({l},{L}) | nextto({I},{I},{l})
    succ({i},{I}) | succ({I},{i}) | plus({i},{I},{i}) | atom_length({a},{I}) | atom_concat({a},{a},{A})
    atom_concat({A},{A},{a}) | sub_atom({a},X_,1,_,{A}) | atom_codes({a},{L}) | numlist({i},4,{L})
    {l} = [{I}|{L}] | {L} = [{i}|{l}] | {I} = {i} | {i} == {i} | {a} \\== {a} | {a} @< {a} | {i} =\\= {i}
    {i} < {i} | {i} >= {i} | {i} =:= {i} | integer({i}) | atom({i}) | is_list({l}) | {l} = [] | {l} = [_,_|_]
    functor(f({i},{i}),_,{I}) | arg(X_,f({i},{i},{i}),{I}) | f({i},{l}) =.. [_|[{I}|_]] | copy_term({l},{L})
    compare(<,{i},{i}) | max_member({I},{l}) | min_member({I},{l}) | sumlist({l},{I}) | once(member({I},{l}))
    aggregate_all(count,member(_,{l}),{I}) | aggregate_all(max(X_),member(X_,{l}),Y_), {I} = Y_
    aggregate_all(bag(X_),(member(X_,{l}),X_ > {i}),{L}) | msort({l},X_), predsort(compare,X_,{L}) | ground({l})
    exclude(=({i}),{l},{L}) | \\+ {l} = []
    forall(member(X_,{l}),X_ > {i}) | pairs_keys_values(_,{l},{l}) | atomic_list_concat([{a},{i}],{A})
    throw(oops({i})) | number_codes({I},[0'1,0'2]) | is_set({l}) | flatten([{l},[{l}]],{L}) | sumlist({l},{i})
"""
EXPRESSIONS = """
    {i} + {i} | {i} - {i} | {i} * {i} | {i} // {i} | {i} mod {i} | {i} rem {i} | min({i},{i}) | max({i},{i})
    abs({i}) | {i} + 1 | {i} - 1 | {i} * 2 | - {i} | {i} div 2 | {i} /\\ 3 | {i} << 1 | {i} xor {i}
    sign({i}) | gcd({i},{i}) | {i} ** 2 | truncate({i} / 2) | ({i} + {i}) * ({i} - {i}) | foo + {i} | {i} / {i}
    {i} >> 1 | {i} ^ 2 | ({i} - 1) mod 3
"""
CALL_FORMS = [form.strip() for line in CALLS.splitlines() for form in line.split(" | ") if form.strip()]
EXPRESSION_FORMS = [form.strip() for line in EXPRESSIONS.splitlines() for form in line.split(" | ") if form.strip()]
PLACES = {"i": INT, "a": ATOM, "l": LIST}


class Generator:
    """Makes one program. Predicates only call earlier ones, or themselves with a shorter list."""

    def __init__(self, random: Random, prefix: str) -> None:
        self.random = random
        self.prefix = prefix
        self.predicates: list[tuple[str, list[str], list[str]]] = []  # name, types of inputs, types of outputs
        self.clauses: list[str] = []
        self.count = 0

    def program(self) -> tuple[list[str], list[str]]:
        """The clauses, and queries: goals whose outputs are `R1`, `R2`..."""
        self.facts()
        for number in range(self.random.randint(2, 4)):
            self.rules(f"{self.prefix}r{number}")
        self.recursion(f"{self.prefix}rec")
        self.rules(f"{self.prefix}top")
        queries = []
        for name, inputs, outputs in self.predicates:
            args = [self.constant(kind) for kind in inputs] + [f"R{n}" for n in range(len(outputs))]
            queries.append(f"{name}({','.join(args)})")
        return self.clauses, queries

    # Predicates

    def facts(self) -> None:
        name = f"{self.prefix}f"
        for _ in range(self.random.randint(2, 5)):
            self.clauses.append(f"{name}({self.constant(INT)},{self.constant(INT)}).")
        self.predicates.append((name, [INT], [INT]))
        name = f"{self.prefix}g"
        for _ in range(self.random.randint(2, 4)):
            self.clauses.append(f"{name}({self.constant(ATOM)},{self.constant(INT)}).")
        self.predicates += [(name, [ATOM], [INT]), (name, [], [ATOM, INT])]

    def rules(self, name: str) -> None:
        inputs = [self.random.choice([INT, INT, ATOM, LIST]) for _ in range(self.random.randint(1, 2))]
        outputs = [self.random.choice([INT, LIST, ATOM])]
        for _ in range(self.random.randint(1, 3)):
            bound = {f"A{n}": kind for n, kind in enumerate(inputs)}
            body = self.body(bound, self.random.randint(1, 4), 2, cut=True)
            result = self.operand(bound, outputs[0])
            self.clauses.append(f"{name}({','.join([*list(bound)[: len(inputs)], result])}) :- {body}.")
        self.predicates.append((name, inputs, outputs))

    def recursion(self, name: str) -> None:
        """Along a list, with a step that may keep, drop or change each item."""
        self.clauses.append(f"{name}([],{self.random.choice(['[]', '[]', '[9]'])}).")
        for _ in range(self.random.randint(1, 2)):
            bound = {"H": INT}
            test = self.body(bound, 1, 1, cut=self.random.random() < 0.5)
            item = self.operand(bound, INT)
            out = self.random.choice([f"[{item}|R]", "R", f"[H,{item}|R]"])
            self.clauses.append(f"{name}([H|T],{out}) :- {test}, {name}(T,R).")
        if self.random.random() < 0.7:
            self.clauses.append(f"{name}([_|T],R) :- {name}(T,R).")
        self.predicates.append((name, [LIST], [LIST]))

    # Bodies. `bound` grows with the variables that a goal binds.

    def body(self, bound: dict[str, str], length: int, depth: int, cut: bool = False) -> str:
        goals = []
        for _ in range(length):
            goals.append(self.goal(bound, depth))
            if cut and self.random.random() < 0.12:
                goals.append("!")
        return ", ".join(goals)

    def goal(self, bound: dict[str, str], depth: int) -> str:
        roll = self.random.random()
        if depth and roll < 0.4:
            return self.control(bound, depth - 1)
        if roll < 0.6:
            name, inputs, outputs = self.random.choice(self.predicates)
            args = [self.operand(bound, kind) for kind in inputs]
            args += [self.fresh(bound, kind) for kind in outputs]
            return f"{name}({','.join(args)})"
        if roll < 0.75:
            form = self.random.choice(EXPRESSION_FORMS)
            expression = self.fill(form, bound)
            return f"{self.fresh(bound, INT)} is {expression}"
        return self.fill(self.random.choice(CALL_FORMS), bound)

    def control(self, bound: dict[str, str], depth: int) -> str:
        """A control construct. Variables that only a branch binds do not count as bound after it."""
        inner = dict(bound)
        goal = self.body(inner, self.random.randint(1, 2), depth)
        kind = self.random.randrange(12)
        if kind < 3:
            arrow = "*->" if kind == 2 else "->"
            then = self.body(inner, 1, depth, cut=True)
            otherwise = self.body(dict(bound), 1, depth, cut=True)
            return f"({goal} {arrow} {then} ; {otherwise})"
        if kind < 5:
            result = f"V{self.number()}"
            left = f"{goal}, {result} = {self.operand(inner, INT)}"
            bound[result] = INT
            right = {key: value for key, value in bound.items() if key != result}
            return f"({left} ; {self.body(right, 1, depth, cut=True)}, {result} = {self.operand(right, INT)})"
        if kind == 5:
            return f"\\+ ({goal})"
        if kind < 8:
            template = self.operand(inner, INT)
            return f"findall({template}, ({goal}), {self.fresh(bound, LIST)})"
        if kind == 8:
            caught = self.random.choice(["true", "fail", f"{self.operand(bound, INT)} > 1", "throw(again)"])
            # Not `_`, which would catch SWI-Prolog's way to end a query that takes too long.
            return f"catch(({goal}), {self.random.choice(['error(_,_)', 'oops(_)', 'again'])}, {caught})"
        if kind == 9:
            return f"once(({goal}))" if self.random.random() < 0.5 else f"ignore(({goal}))"
        if kind == 10:
            bag = self.random.choice(["bagof", "setof"])
            names = sorted(set(re.findall(r"\b[A-Z]\d+\b", goal)) - set(bound))
            free = [name for name in names if name in inner and self.random.random() < 0.5]
            keys = "".join(f"{name}^" for name in names if name not in free)
            # Answers are grouped by what is ground, because the order of unbound variables is undefined.
            grouped = f"{goal}, ground([{','.join(free)}])"
            return f"{bag}({self.operand(inner, INT)}, {keys}({grouped}), {self.fresh(bound, LIST)})"
        return f"forall(({goal}), ({self.body(inner, 1, depth)}))"

    # Terms

    def fill(self, form: str, bound: dict[str, str]) -> str:
        """Replaces the places of a form; the inputs first, so that they are not its own outputs."""
        number = self.number()
        form = form.replace("X_", f"X{number}").replace("Y_", f"Y{number}")
        for place in "ial":
            while "{" + place + "}" in form:
                form = form.replace("{" + place + "}", self.operand(bound, PLACES[place]), 1)
        for place in "IAL":
            while "{" + place + "}" in form:
                form = form.replace("{" + place + "}", self.fresh(bound, PLACES[place.lower()]), 1)
        return form

    def number(self) -> int:
        self.count += 1
        return self.count

    def fresh(self, bound: dict[str, str], kind: str) -> str:
        if bound and self.random.random() < 0.1:
            return self.operand(bound, kind)
        name = f"V{self.number()}"
        bound[name] = kind
        return name

    def operand(self, bound: dict[str, str], kind: str) -> str:
        known = [name for name, its_kind in bound.items() if its_kind == kind]
        roll = self.random.random()
        if roll < 0.02:
            return f"U{self.number()}" if roll < 0.01 else self.constant(self.random.choice([INT, ATOM, LIST]))
        return self.random.choice(known) if known and roll < 0.85 else self.constant(kind)

    def constant(self, kind: str) -> str:
        if kind == INT:
            return str(self.random.choice([0, 1, 1, 2, 2, 3, 3, 4, -1, 5]))
        if kind == ATOM:
            return self.random.choice(["a", "b", "ab", "abc", "c"])
        return f"[{','.join(self.constant(INT) for _ in range(self.random.randint(0, 4)))}]"


def make_programs(count: int, seed: int) -> Iterator[tuple[list[str], list[str]]]:
    for number in range(count):
        # A program depends on the seed and its number only, so one that fails can be made again alone.
        yield Generator(Random(f"{seed}-{number}"), f"p{number}_").program()


# Running. A query is wrapped so that an error is an answer too.

WRAPPED = """catch(({0}, RESULT = answer({0})), BALL,
    ( BALL = error(FORMAL,_) -> RESULT = error(FORMAL) ; RESULT = ball(BALL) ))"""

DRIVER = f"""
:- style_check(-singleton).
:- style_check(-discontiguous).
:- style_check(-no_effect).
:- style_check(-var_branches).
run(Number, Goal) :-
    Find = findnsols({MOST_ANSWERS}, Result, wrapped(Goal, Result), Found),
    call_with_inference_limit(Find, {INFERENCES}, Limit), !,
    ( Limit == inference_limit_exceeded -> report(Number, limit) ; report(Number, Found) ).
run(Number, _) :- report(Number, []).
wrapped(Goal, Result) :-
    catch((Goal, Result = answer(Goal)), Ball,
        ( Ball = error(Formal,_) -> Result = error(Formal) ; Result = ball(Ball) )).
report(Number, Found) :-
    write_term(result(Number, Found), [quoted(true), ignore_ops(true)]), write('.'), nl.
"""


def swipl_results(programs: list[tuple[list[str], list[str]]]) -> dict[int, Term]:
    """What SWI-Prolog answers, by the number of the query."""
    lines = [DRIVER]
    runs = []
    for clauses, queries in programs:
        lines += clauses
        runs += queries
    lines += [f"query({number}, {query})." for number, query in enumerate(runs)]
    lines.append("main :- forall(query(Number, Goal), run(Number, Goal)), halt.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "programs.pl"
        file.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            ["swipl", "-q", "-f", "none", "-g", "main", "-t", "halt(3)", str(file)],
            capture_output=True, text=True, timeout=900, check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    assert not done.stderr, done.stderr[:2000]
    found: dict[int, Term] = {}
    for read in read_terms(done.stdout, "swipl"):
        assert isinstance(read.term, Struct)
        number, answers = read.term.args
        assert isinstance(number, int)
        found[number] = answers
    return found


def consult(clauses: list[str]) -> dict[tuple[str, int], list[Clause]]:
    predicates: dict[tuple[str, int], list[Clause]] = {}
    for read in read_terms("\n".join(clauses), "program.pl"):
        head, body = read.term, TRUE
        if isinstance(head, Struct) and head.name == ":-":
            head, body = head.args  # type: ignore[assignment]
        assert isinstance(head, Struct)
        predicates.setdefault((head.name, len(head.args)), []).append(Clause(head, body, read.position))
    return predicates


def our_results(interpreter: Interpreter, query: str) -> str:
    """What the interpreter answers, as text in which variables are numbered."""
    read = parse_term(WRAPPED.format(query))
    result = read.variables["RESULT"]
    found = []
    try:
        for _ in interpreter.query(read.term, MOST_ANSWERS):
            found.append(canonical(result))
    except PrologProblem as problem:
        return "limit" if "inference steps" in problem.message else str(problem)
    return "\n".join(found)


def canonical(term: Term) -> str:
    """As text. For a library predicate that got no list, the private goal that no rule matches may differ."""
    return re.sub(r"matching_rule,.*", "matching_rule,...", term_text(term))


def their_results(answers: Term) -> str:
    if answers is Atom("limit"):
        return "limit"
    found = []
    while isinstance(answers, Struct):
        found.append(canonical(answers.args[0]))
        answers = answers.args[1]
    return "\n".join(found)


def compare_programs(count: int, seed: int) -> tuple[int, int, list[str]]:
    """How many queries were compared, how many had answers, and what differs."""
    programs = list(make_programs(count, seed))
    theirs = swipl_results(programs)
    compared = answered = number = 0
    differences = []
    for index, (clauses, queries) in enumerate(programs):
        interpreter = Interpreter(consult(clauses), steps=4 * INFERENCES)
        for query in queries:
            want = their_results(theirs[number])
            number += 1
            if want == "limit" or "inference_limit" in want:
                continue
            got = our_results(interpreter, query)
            if got == "limit":
                continue
            compared += 1
            answered += "answer(" in want
            if got != want:
                program = "\n".join(clauses)
                differences.append(f"program {index}, query {query}\n{program}\nSWI-Prolog:\n{want}\nours:\n{got}\n")
    return compared, answered, differences


@pytest.mark.swipl
@pytest.mark.skipif(shutil.which("swipl") is None, reason="needs SWI-Prolog")
def test_random_programs_agree_with_swipl() -> None:
    compared, answered, differences = compare_programs(300, 1)
    assert not differences, "\n".join(differences[:3])
    assert compared > 1500
    assert answered > compared // 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compared, answered, differences = compare_programs(options.programs, options.seed)
    for difference in differences[:10]:
        print(difference)
    print(f"{options.programs} programs: {compared} queries compared, {answered} with answers,", end=" ")
    print(f"{len(differences)} differ")


if __name__ == "__main__":
    main()
