"""What is too much for clingo is refused before it begins, and what is not is not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import clingo
import pytest

from maxsynth.bias.bias import Bias
from maxsynth.bias.constraints import parsed
from maxsynth.bias.parsing import parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.search.asp.encoding import Encoding
from maxsynth.search.asp.grounding import Space
from maxsynth.search.asp.space import ProgramSpace

Capture = pytest.CaptureFixture[str]
BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,2).\nbody_pred(r,3).\ntype(p,(t,)).\nmax_vars(5).\nmax_body(4).\n"
BK = "p(a). q(a,b). r(a,b,c).\n"
EXS = "pos(f(a)). neg(f(b)).\n"

CONSTRAINTS = (
    ":- body_literal(C,p,1,_), body_literal(C,q,2,_).",
    ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,t)} > 2.",
    ":- clause(C), #count{P,A,V : body_literal(C,P,A,V)} < 2.",
    ":- body_literal(C,q,2,(A,B)), body_literal(C,q,2,(B,D)), body_literal(C,q,2,(D,E)).",
    ":- body_literal(C,P,A,V), body_literal(C,P,A,W), V < W.",
    ":- body_literal(C,P,2,(A,B)), body_literal(C,Q,2,(B,A)), P < Q.",
    ":- head_literal(C,P,A,V), body_literal(C,P,A,V).",
    "linked(C,A,B) :- body_literal(C,q,2,(A,B)). linked(C,A,D) :- linked(C,A,B), linked(C,B,D). :- linked(C,A,A).",
    "pair(p,q). pair(q,r). :- pair(P,Q), body_literal(C,P,_,_), body_literal(C,Q,_,_).",
    ":- size(N), N > 7.",
    ":- clause_var(C,V;V,C), body_literal(C,(p;q),_,_), V < C.",
    ":- body_size(C,N), N > 3, X = 1..50, X = N.",
)


def joined(count: int) -> str:
    """Literals that share nothing."""
    return ", ".join(f"body_literal(C{i},P{i},A{i},V{i})" for i in range(count))


def test_every_usual_constraint_is_taken() -> None:
    for calls in ("", "enable_recursion.\n", "enable_pi.\nmax_clauses(3).\n"):
        for constraint in CONSTRAINTS:
            ProgramSpace(parse_bias(f"{BIAS}{calls}{constraint}\n", "bias.pl"), calls=bool(calls))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (f"enable_recursion.\n:- {joined(6)}.", "more than 5,000,000 instances"),
        (f"enable_recursion.\n:- #count{{V0,V1,V2,V3 : {joined(4)}}} > 9.", "more than 5,000,000 instances"),
        ("enable_pi.\nmax_clauses(17).", "max_clauses is 17, and programs that clingo generates have at most 16"),
        ("enable_recursion.\nmax_clauses(1000).\n:- body_literal(C,p,1,_), C > 2.", "max_clauses is 1000"),
        (":- body_literal(C,p,1,_), body_literal(C,q,2,_), body_literal(C,r,3,_).", None),
        ("body_pred(w,5).\n:- body_literal(C,w,5,_).", None),
        ("body_pred(w,5).\nenable_pi.\nmax_clauses(16).", "different literals, and clingo"),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused(
    more: str, said: str | None, make_task: Callable[..., Path], capsys: Capture
) -> None:
    folder = make_task(f"{BIAS}{more}\n", BK, EXS)
    status = main(["learn", str(folder), "--timeout", "1", "--quiet"])
    err = capsys.readouterr().err
    assert status == (0 if said is None else 2)
    assert (said or "") in err


def test_a_hand_written_limit_of_rules_is_no_limit_of_recursion(make_task: Callable[..., Path]) -> None:
    """Without invention and constraints, clingo does not generate the programs."""
    folder = make_task(f"{BIAS}enable_recursion.\nmax_clauses(1000).\n", BK, EXS)
    assert main(["learn", str(folder), "--timeout", "1", "--quiet"]) == 0


def ground_instances(bias: Bias, constraint: str, calls: bool) -> int:
    """How many instances of a constraint clingo makes: its variables become the arguments of a head."""
    variables = sorted(set(re.findall(r"\b[A-Z]\b", constraint)))
    control = clingo.Control(["-Wnone"], logger=lambda code, message: None)
    control.add("base", [], f"{Encoding(bias, calls).text()}\n__counted({','.join(variables)}) {constraint}")
    control.ground([("base", [])])
    return sum(1 for _ in control.symbolic_atoms.by_signature("__counted", len(variables)))


def test_the_estimate_is_not_below_what_clingo_makes() -> None:
    rng = random.Random(1)
    for calls in (False, True):
        bias = parse_bias(BIAS + ("enable_recursion.\n" if calls else ""), "bias.pl")
        encoding = Encoding(bias, calls)
        space = Space(
            bias, "", encoding.heads, [*bias.body, bias.head] if calls else list(bias.body), encoding.max_clauses
        )
        for _ in range(40):
            constraint = random_constraint(rng)
            (rule,) = parsed(constraint)
            assert space.instances(rule) >= ground_instances(bias, constraint, calls), constraint


def random_constraint(rng: random.Random) -> str:
    """A join of one to three program atoms, whose variables may be shared."""

    def number() -> str:
        return rng.choice("CCCDE")

    def name() -> str:
        return rng.choice("UVW")

    def literal() -> str:
        p, arity = rng.choice((("p", 1), ("q", 2), ("r", 3)))
        names = ",".join(name() for _ in range(arity)) + ("," if arity == 1 else "")
        return rng.choice((
            f"body_literal({number()},{p},{arity},({names}))",
            f"body_literal({number()},{rng.choice('PQ')},{rng.choice('AB')},{rng.choice('XY')})",
            f"clause_var({number()},{name()})",
            f"var_type({number()},{name()},{rng.choice('TS')})",
            f"clause({number()})",
            "size(N)",
            f"head_literal({number()},{rng.choice('PQ')},_,{rng.choice('XY')})",
        ))  # fmt: skip

    return f":- {', '.join(literal() for _ in range(rng.randint(1, 3)))}."


def test_a_refused_bias_has_its_line() -> None:
    text = f"{BIAS}:- {joined(9)}.\nenable_recursion.\n"
    with pytest.raises(MaxSynthError, match=r"^bias\.pl:8: a constraint .* \(join fewer literals"):
        ProgramSpace(parse_bias(text, "bias.pl"), calls=True)
