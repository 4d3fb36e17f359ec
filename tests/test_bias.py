"""Bias files a person could write, with what they mean or what is said about them."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsynth.bias.bias import Bias
from maxsynth.bias.parsing import parse_bias, read_bias
from maxsynth.errors import MaxSynthError, Position, SyntaxProblem
from maxsynth.logic.predicates import Predicate

BASE = "head_pred(f,2).\nbody_pred(p,2).\nbody_pred(q,1).\n"  # what follows starts in line 4

F, P, Q = Predicate("f", 2), Predicate("p", 2), Predicate("q", 1)


def parse(text: str) -> Bias:
    return parse_bias(text, "b.pl")


def message(text: str) -> str:
    with pytest.raises(MaxSynthError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_defaults() -> None:
    assert parse(BASE) == Bias(
        head=F, body=(P, Q), types={}, directions={}, max_vars=6, max_body=6, max_clauses=2, recursion=False,
        invention=False, singletons=True, non_datalog=False, one_of_type=(), constraints="", warnings=(), text=BASE,
        constraint_position=None, file="b.pl", by_default=("max_vars", "max_body", "max_clauses"),
    )  # fmt: skip
    assert str(F) == "f/2"


def test_a_whole_file() -> None:
    text = """
        % drop the first K elements
        head_pred(drop,3).  type(drop,(list,element,list)).  direction(drop,(in,in,out)).
        body_pred(tail,2).  type(tail,(list,list)).          direction(tail,(in,out)).
        body_pred(one,1).   type(one,(element,)).            direction(one,(in,)).
        type(cons,(element,list,list)).                      direction(cons,(in,in,out)). %* not
        declared *%
        max_vars(5). max_body(4). max_clauses(3). enable_recursion. enable_pi. no_singletons. non_datalog."""
    drop, tail, one = Predicate("drop", 3), Predicate("tail", 2), Predicate("one", 1)
    assert parse(text) == Bias(
        head=drop,
        body=(tail, one),
        types={drop: ("list", "element", "list"), tail: ("list", "list"), one: ("element",)},
        directions={drop: ("in", "in", "out"), tail: ("in", "out"), one: ("in",)},
        max_vars=5,
        max_body=4,
        max_clauses=3,
        recursion=True,
        invention=True,
        singletons=False,
        non_datalog=True,
        text=text,
        file="b.pl",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("allow_singletons.", {"singletons": True}),
        ("max_vars(3..3).", {"max_vars": 3}),
        ("#const n = 2*2+1. max_body(n).", {"max_body": 5}),
        ("#const n = 2**3. max_body(n).", {"max_body": 8}),
        ("max_body(n). #const n = 7.", {"max_body": 7}),
        ("max_body(2+1). max_body(3).", {"max_body": 3}),
        ("pick(1;2). max_body(M) :- M = #count{X : pick(X)}.", {"max_body": 2}),
        ("a. b :- a, not c. #defined c/0. enable_pi :- b.", {"invention": True}),
        ("body_pred(p,2). body_pred(b,1).", {"body": (P, Q, Predicate("b", 1))}),
        ('body_pred("p",2). body_pred("Odd name",1).', {"body": (P, Q, Predicate("Odd name", 1))}),
        ("body_pred(f,3).", {"body": (P, Q, Predicate("f", 3))}),
        ("body_pred((z;c),1). body_pred(b,1).", {"body": (P, Q, *(Predicate(n, 1) for n in "bcz"))}),
        ("type(f,(a,b)). type(p,(a,a)). type(q,a).", {"types": {F: ("a", "b"), P: ("a", "a"), Q: ("a",)}}),
        ("type(f,(a,b)). type(p,(a,a)). type(q,(a)).", {"types": {F: ("a", "b"), P: ("a", "a"), Q: ("a",)}}),
        (
            "type(f,(a,b)). type(p,(a,a)). type(q,(list(a),)).",
            {"types": {F: ("a", "b"), P: ("a", "a"), Q: ("list(a)",)}},
        ),
        (
            "direction(f,(in,out)). direction(p,(in,out)). direction(q,in).",
            {"directions": {F: ("in", "out"), P: ("in", "out"), Q: ("in",)}},
        ),
        ("type(r,(a,b,c)). direction(r,(in,up)).", {"types": {}, "directions": {}}),
        ("#show p/2. #show.", {}),
        ('%* #include %* "x" *% *% % #script (python)\n', {}),
        (':- body_pred(P,"% no comment").', {"constraints": ""}),
    ],
)
def test_directives(text: str, expected: dict[str, Any]) -> None:
    bias = parse(BASE + text)
    assert {name: getattr(bias, name) for name in expected} == expected
    assert bias.warnings == ()


def test_one_name_with_two_arities() -> None:
    bias = parse(BASE + "body_pred(p,1). type(p,(a,b)). type(p,c). type(q,a). type(f,(a,b)).")
    assert bias.types[P] == ("a", "b")
    assert bias.types[Predicate("p", 1)] == ("c",)


def test_predicates_derived_from_constants() -> None:
    bias = parse("""
        body_pred(P,1) :- constant(P,_).
        type(P,(T,)) :- constant(P,T).
        constant(two,int). constant(one,int). constant(noop,action).
        head_pred(next,2). type(next,(ex,int)).
        body_pred(succ,2). type(succ,(int,int)).""")
    assert [str(predicate) for predicate in bias.body] == ["succ/2", "noop/1", "one/1", "two/1"]
    assert bias.types[Predicate("noop", 1)] == ("action",)
    assert bias.warnings == ()


# Constraints over programs

TYPED = BASE + "type(f,(ex,t)). type(p,(ex,t)). type(q,t).\n"  # what follows starts in line 5


@pytest.mark.parametrize(
    "constraint",
    [
        ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.",
        ":- #count{X : var_type(R,X,ex), clause_var(R,X)} != 1, clause(R).",
        ":- clause(C), #count{V : var_type(C,V,ex)} != 1.",
        ":-\n    clause(C),\n\t#count{V : var_type(C,V,ex)} != 1.",
        ":- #count{X : var_type(R,X,ex)} != 1, clause(R).",
        ":- clause(C), not #count{V : clause_var(C,V), var_type(C,V,ex)} = 1.",
        ":- clause(C), 1 != #count{V : clause_var(C,V), var_type(C,V,ex)}.",
        "#false :- not 1 = #count{V : clause_var(C,V), var_type(C,V,ex)}, clause(C).",
        "#const e = ex. :- clause(C), #count{V : clause_var(C,V), var_type(C,V,e)} != 1.",
    ],
)
def test_one_variable_of_a_type_is_understood(constraint: str) -> None:
    bias = parse(TYPED + constraint)
    assert (bias.one_of_type, bias.constraints, bias.constraint_position) == (("ex",), "", None)
    assert bias.warnings == ()


@pytest.mark.parametrize(
    "constraint",
    [
        ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} = 1.",
        ":- clause(C), not #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.",
        ":- clause(C), #count{C : clause_var(C,V), var_type(C,V,ex)} != 1.",
        ":- clause(C), #count{V : clause_var(C,V), var_type(D,V,ex)} != 1.",
        ":- clause(C), #count{V : clause_var(V,C), var_type(C,V,ex)} != 1.",
        ":- clause(C), #count{V : clause_var(C,V), not var_type(C,V,ex)} != 1.",
        ":- clause(C), #count{V : clause_var(C,V)} != 1.",
        ":- clause(C), #count{V : var_type(D,V,ex)} != 1.",
        ":- clause(C), #sum{V : clause_var(C,V), var_type(C,V,ex)} != 1.",
    ],
)
def test_constraints_that_only_look_like_it_are_kept(constraint: str) -> None:
    bias = parse(TYPED + constraint)
    assert bias.one_of_type == ()
    assert "#false :- " in bias.constraints
    assert bias.constraint_position == Position("b.pl", 5)


def test_constraints_take_along_what_they_use() -> None:
    bias = parse(
        TYPED
        + """
        #const n = 2.
        rare(p). rare(r). other(1).
        pair(A,B) :- rare(A), rare(B), A < B.
        reached(C,B) :- head_literal(C,_,n,(B,_)).
        reached(C,B) :- reached(C,A), body_literal(C,_,2,(A,B)).
        :- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.
        :- pair(P,Q), body_literal(C,P,_,_), body_literal(C,Q,_,_), type(q,T), not reached(C,n).
        max_body(N) :- other(N)."""
    )
    assert bias.max_body == 1
    assert bias.one_of_type == ("ex",)
    assert bias.constraints.splitlines() == [
        "type(f,(ex,t)).",
        "type(p,(ex,t)).",
        "type(q,t).",
        "pair(p,r).",
        "reached(C,B) :- head_literal(C,_,2,(B,_)).",
        "reached(C,B) :- reached(C,A); body_literal(C,_,2,(A,B)).",
        "#false :- pair(P,Q); body_literal(C,P,_,_); body_literal(C,Q,_,_); type(q,T); not reached(C,2).",
    ]
    assert bias.constraint_position == Position("b.pl", 9)
    assert bias.warnings == ()


def test_the_constraints_text_decides_what_the_file_says() -> None:
    import clingo

    bias = parse(BASE + "once(q). :- once(P), body_literal(C,P,_,A), body_literal(C,P,_,B), A < B.")
    for literals, allowed in (("0,q,1,(0,)", True), ("0,q,1,(0,1)", False), ("0,p,1,(0,1)", True)):
        control = clingo.Control(logger=lambda *_: None)
        control.add("base", [], f"{bias.limits_text} body_literal(0,q,1,(0,)). body_literal({literals}).")
        control.ground([("base", [])])
        assert control.solve().satisfiable is allowed


# Warnings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_var(6).", ["4: unknown directive max_var/1; did you mean max_vars/1?"]),
        ("body_prd(r,1).\nbody_prd(s,1).", ["4: unknown directive body_prd/2; did you mean body_pred/2?"]),
        ("xyzzy.", ["4: unknown directive xyzzy/0 is ignored"]),
        ("mx(X) :- body_pred(X,1).", ["4: unknown directive mx/1 is ignored"]),
        ("bkcons.\nprop(a,b).", ["4: bkcons/0 is not supported and is ignored",
                                  "5: prop/2 is not supported and is ignored"]),
        ("constant(a,b).", ["4: constant/2 is not supported and is ignored"]),
        ("max_body(a+1) :- a. a.", ["4: operation undefined: (a+1)"]),
        ("type(p,(a,b)).", ["1: no type for f/2, q/1: their arguments fit every type"]),
        (
            ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.",
            ["4: no predicate has type ex: no rule satisfies this constraint"],
        ),
    ],
)  # fmt: skip
def test_warnings(text: str, expected: list[str]) -> None:
    assert parse(BASE + text).warnings == tuple(f"b.pl:{line}" for line in expected)


# Errors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "b.pl: no head_pred (name the predicate to learn, for example head_pred(f,2).)"),
        ("body_pred(p,1).", "b.pl: no head_pred (name the predicate to learn, for example head_pred(f,2).)"),
        ("head_pred(f,1).", "b.pl: no body_pred (name the predicates that rules may use: body_pred(p,2).)"),
        (BASE + "head_pred(g,1).", "b.pl:4: two head predicates, f/2 and g/1 (keep one: a task learns one predicate)"),
        (
            BASE + "body_pred(f,2).",
            "b.pl:4: f/2 is both head_pred and body_pred "
            "(remove the body_pred; for recursive rules write enable_recursion.)",
        ),
        (BASE + "body_pred(r).", "b.pl:4: body_pred takes 2 argument(s), not 1 (write for example body_pred(p,2).)"),
        (
            BASE + "enable_pi(1).",
            "b.pl:4: enable_pi takes no arguments, not 1 (write for example enable_pi.)",
        ),
        (
            BASE + "body_pred(r,x).",
            "b.pl:4: x in body_pred(r,x) is not a number of arguments (write body_pred(r,2).)",
        ),
        (
            BASE + "body_pred(r,-1).",
            "b.pl:4: -1 in body_pred(r,-1) is not a number of arguments (write body_pred(r,2).)",
        ),
        (
            BASE + "body_pred(r(a),1).",
            "b.pl:4: r(a) in body_pred(r(a),1) is not a predicate name "
            '(write a name that starts with a lower-case letter, or quote it: "name")',
        ),
        (
            BASE + "body_pred(1,1).",
            "b.pl:4: 1 in body_pred(1,1) is not a predicate name "
            '(write a name that starts with a lower-case letter, or quote it: "name")',
        ),
        (
            BASE + "body_pred(r,0).",
            "b.pl:4: r/0 has no arguments, so no variable could connect it to the rest of a rule "
            "(remove it or give it an argument)",
        ),
        (
            "head_pred(f,0). body_pred(p,1).",
            "b.pl:1: f/0 has no arguments, so no variable could connect it to the rest of a rule (give it an argument)",
        ),
        (
            BASE + "body_pred(r,7).",
            "b.pl:4: r/7 has more arguments than a rule has variables: max_vars is 6 "
            "(write max_vars(7). or remove r/7)",
        ),
        (
            BASE + "body_pred(R,1).",
            "b.pl:4: variable R is not bound "
            "(it must occur in a positive literal of the body; names start with a lower-case letter)",
        ),
        (
            BASE + "\n:- body_literal(C,p,2,(A,B)), X < A.",
            "b.pl:5: variable X is not bound "
            "(it must occur in a positive literal of the body; names start with a lower-case letter)",
        ),
        (BASE + "max_vars(a).", "b.pl:4: max_vars(a) is not a positive integer (write max_vars(6).)"),
        (BASE + "max_body(0).", "b.pl:4: max_body(0) is not a positive integer (write max_body(6).)"),
        (BASE + "max_clauses(3).\nmax_clauses(4).", "b.pl:5: max_clauses is both 3 and 4 (keep one of them)"),
        (BASE + "max_vars(2..3).", "b.pl:4: max_vars is both 2 and 3 (keep one of them)"),
        (
            BASE + "no_singletons.\nallow_singletons.",
            "b.pl:5: allow_singletons and no_singletons contradict each other (remove one of them)",
        ),
        (
            BASE + "type(p,(a,b)).\ntype(p,(a,c)).",
            "b.pl:5: p/2 has two different types: (a,b) and (a,c) (keep one of them)",
        ),
        (BASE + "type(p,(a,b,c)).", "b.pl:4: type of p has 3 argument(s), but p has 2 (write type(p,(t,t)).)"),
        (BASE + "type(p,a).", "b.pl:4: type of p has 1 argument(s), but p has 2 (write type(p,(t,t)).)"),
        (
            BASE + "direction(q,(in,out)).",
            "b.pl:4: direction of q has 2 argument(s), but q has 1 (write direction(q,(in,)).)",
        ),
        (
            BASE + "direction(f,(in,out)).",
            "b.pl:2: no direction for p/2, q/1 (give all declared predicates a direction, or none)",
        ),
        (BASE + "direction(p,(in,up)).", "b.pl:4: direction of p/2 has up (an argument is in or out)"),
        (
            BASE + "direction(p,(in,in)).\ndirection(p,(in,out)).",
            "b.pl:5: p/2 has two different directions: (in,in) and (in,out) (keep one of them)",
        ),
        (BASE + ":- body_pred(P,1).", "b.pl:4: the bias violates this constraint of its own (remove it)"),
        (
            BASE + ":- not body_lit(0,p,2,(0,1)).",
            "b.pl:4: nothing defines body_lit/4, so it is never true (did you mean body_literal/4?)",
        ),
        (
            BASE + ":- clause(C), body_literal(C,p,2).",
            "b.pl:4: nothing defines body_literal/3, so it is never true (did you mean body_literal/4?)",
        ),
        (
            BASE + "known(q).\n:- knwn(P), body_literal(_,P,_,_), known(P).",
            "b.pl:5: nothing defines knwn/1, so it is never true (did you mean known/1?)",
        ),
        (
            BASE + "body_pred(P,1) :- xyzzy(P).",
            "b.pl:4: nothing defines xyzzy/1, so it is never true "
            "(define it, or write #defined xyzzy/1. if that is meant)",
        ),
        (
            BASE + "max_body(N) :- vars(N,_).",
            "b.pl:4: max_body/1 cannot depend on vars/2 (derive it from facts of the bias)",
        ),
        (
            BASE + "max_vars(30).\nbody_pred(r,5).\nbad_body(r,Vars) :- vars(5,Vars), Vars = (1,_,_,_,_).",
            "b.pl:6: with 30 variables there are more than 40,000 tuples of them, too many for vars/2 "
            "(lower max_vars, or state it as a constraint over body_literal/4)",
        ),
        (
            BASE + "body_literal(0,p,2,(0,1)).",
            "b.pl:4: body_literal/4 is defined by the search, and a bias can only use it "
            "(state a constraint, such as :- not body_literal(0,p,1,(0,)).)",
        ),
        (
            BASE + "one :- clause(0).\nmax_vars(3) :- one.",
            "b.pl:5: max_vars/1 cannot depend on the program that is searched for (derive it from facts of the bias)",
        ),
        (BASE + "{ body_pred(r,1) }.", "b.pl:4: a bias cannot leave a choice open (state what holds as facts)"),
        (BASE + "a ; b.", "b.pl:4: a bias cannot leave a choice open (state what holds as facts)"),
        (BASE + "not a :- body_pred(p,2).", "b.pl:4: not a cannot be the head of a rule (use :- ...)"),
        (
            BASE + "a :- not b. b :- not a.",
            "b.pl:4: a/0 depends on itself (write its facts out; directives cannot be recursive)",
        ),
        (BASE + "a :- a.", "b.pl:4: a/0 depends on itself (write its facts out; directives cannot be recursive)"),
        (BASE + "-a.", "b.pl:4: classical negation (-a) is not allowed in a bias (use not)"),
        (BASE + "#minimize { 1 : clause(C) }.", "b.pl:4: optimisation is not allowed in a bias (remove it)"),
        (BASE + "#external a.", "b.pl:4: #external is not allowed in a bias (remove it)"),
        (BASE + "#program step(t).", "b.pl:4: #program is not allowed in a bias (remove it)"),
        (BASE + "#theory t { }.", "b.pl:4: #theory is not allowed in a bias (remove it)"),
        (BASE + "a :- &sum { x }.", "b.pl:4: a theory atom is not allowed in a bias (remove it)"),
        (
            BASE + "#const n = m. #const m = n.",
            "b.pl:4:1: cyclic constant definition: #const n=m. (correct the text there)",
        ),
        (BASE + "#const n = f(a).", "b.pl:4: #const n has no plain value (give a number or a name)"),
    ],
)
def test_errors(text: str, expected: str) -> None:
    assert message(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("body_pred(r,1.", "b.pl:4:14: syntax error, unexpected ., expecting ) or ; (correct the text there)"),
        ("body_pred(r,1)", "b.pl:4: the file ends within a statement (is a . missing?)"),
        ("%* no end", "b.pl:4:1: comment that starts with %* has no end *% (correct the text there)"),
        ("max_vars(99999999999).", "b.pl:4:10: number 99999999999 is too large (correct the text there)"),
        ("body_pred(größe,1).", "b.pl:4:13: unexpected character '\\xf6' (correct the text there)"),
        ("body_pred(r,1).\0", "b.pl:4:16: unexpected character '\\x00' (correct the text there)"),
    ],
)
def test_syntax_errors(text: str, expected: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse(BASE + text)
    assert str(caught.value) == expected
    assert capfd.readouterr() == ("", "")


# Files that mean harm


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#script (python)\nraise SystemExit\n#end.", "#script is not allowed in a bias"),
        ('#include "/dev/stdin".', "#include is not allowed in a bias"),
        ('body_pred("%*",1). #include "/dev/stdin". %* *%', "#include is not allowed in a bias"),
        ("#include <incmode>.", "#include is not allowed in a bias"),
        ("a(@f()).", "external function @f is not allowed"),
        ("a(X) :- X = @f(1).", "external function @f is not allowed"),
        ("#const n = @f.", "external function @f is not allowed"),
        ("a(1..1000000000).", "range (1..1000000000) is wider than 100,000"),
        ("#const n=1000000000. a :- X=1..n.", "range (1..n) is wider than 100,000"),
        ("a(1..-2147483647-2).", "bounds that are not plain numbers"),
        ("b(5). a(1..X) :- b(X).", "bounds that are not plain numbers"),
        ("a(1..90000). b(X,Y) :- a(X), a(Y).", "may have more than 1,000,000 instances"),
        ("a(1..90000). b(X,Y,Z) :- c(X,Y,Z), a(X), a(Y), a(Z). #defined c/3.", "may have more than 1,000,000"),
        ("a(1..90000). :- a(X), a(Y), X+Y < 0.", "may have more than 1,000,000 instances"),
        ("a(1..90000). :- a(X), a(Y), not clause(X+Y).", "may have more than 1,000,000 instances"),
        (f"a({','.join(['(1;2)'] * 40)}).", "may have more than 1,000,000 instances"),
        ("".join(f"a{i}(1..90000). " for i in range(20)), "may have more than 1,000,000 instances"),
        ("a(0). a(X+1) :- a(X).", "a/1 depends on itself"),
        ("a(X) :- clause(X). a(X+1) :- a(X).", "a recursive rule that builds new terms may never end"),
        ("a(X) :- clause(X). a(f(X)) :- a(X).", "a recursive rule that builds new terms may never end"),
        ("a(X) :- clause(X). a(Y) :- b(X), Y = f(X). b(X) :- a(X).", "a recursive rule that builds new terms"),
        ("a0(x). " + "".join(f"a{i + 1}(f(X,X)) :- a{i}(X). " for i in range(60)), "too many rules build terms"),
        (f"a({'f(' * 100000}1{')' * 100000}).", "term is nested more than 100 deep"),
        (f"a({'(1+' * 60}1{')' * 60}).", "term is nested more than 100 deep"),
        (f"a({'+'.join('1' * 100000)}).", "term is nested more than 100 deep"),
        (f"a({'-' * 100000}1).", "term is nested more than 100 deep"),
        (f"a :- {'1<' * 100000}2.", "term is nested more than 100 deep"),
        (f"a({'..'.join('1' * 100000)}).", "term is nested more than 100 deep"),
        ("% " + "x" * 3_000_000, "are the limit"),
        ("a. " * 200_000, "more than 100,000 statements"),
        ('a("' + '\\"' * 500_000, "string has no end"),
        ('a("' + "x" * 1_000_000, "string has no end"),
        ('#script (python)\nx = "\\t"\n#end.', "#script is not allowed"),
    ],
)
def test_hostile_files_are_refused_at_once(text: str, expected: str) -> None:
    assert expected in message(BASE + text)


def test_deep_but_legal_terms_are_read() -> None:
    parse(BASE + f"a({'f(' * 90}1{')' * 90}, {'-' * 90}1, {'+'.join('1' * 90)}). b :- a(X,Y,Z), b(X). #defined b/1.")


def test_many_wide_statements_are_not_deep() -> None:
    many = ",".join(["(1+2)"] * 1000)
    parse(BASE + f"a({many}). " + "a(1-1,2-2). " * 500)


# The result does not depend on the order of the statements

STATEMENTS = [
    "head_pred(f,2).", "body_pred(p,2).", "body_pred(q,1).", "body_pred(P,1) :- constant(P,_).",
    "constant(a,t).", "constant(b,t).", "type(P,(T,)) :- constant(P,T).", "type(f,(ex,t)).", "type(p,(t,t)).",
    "type(q,(t)).", "#const n = 3.", "max_vars(n).", "max_body(M) :- M = n + 1.", "enable_recursion.",
    "direction(f,(in,out)).", "direction(p,(in,out)).", "direction(P,(in,)) :- body_pred(P,1).",
    ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,ex)} != 1.",
    ":- body_literal(C,P,1,_), constant(P,_), body_size(C,n).", "max_clause(2).", ":- constant(c,_).",
]  # fmt: skip


def summary(bias: Bias) -> tuple[object, ...]:
    """All of a bias that the order of its file should leave alone."""
    return (
        bias.head, sorted(bias.body), bias.types, bias.directions, bias.max_vars, bias.max_body, bias.max_clauses,
        bias.recursion, bias.one_of_type, sorted(bias.constraints.splitlines()),
        sorted(warning.split(": ", 1)[1] for warning in bias.warnings),
    )  # fmt: skip


@functools.cache
def in_order() -> tuple[object, ...]:
    return summary(parse("\n".join(STATEMENTS)))


@given(st.permutations(STATEMENTS))
def test_order_of_statements(statements: list[str]) -> None:
    shuffled = parse("\n".join(statements))
    assert summary(shuffled) == in_order()
    facts = [s for s in statements if s in ("body_pred(p,2).", "body_pred(q,1).")]
    assert [f"body_pred({p.name},{p.arity})." for p in shuffled.body] == [*facts, "body_pred(a,1).", "body_pred(b,1)."]


@given(st.text(alphabet='ab(){},.:-;%*"\\#@|+&1 \nXé', max_size=60))
def test_any_text_is_read_or_refused_politely(text: str) -> None:
    for whole in (text, BASE + text):
        try:
            parse(whole)
        except MaxSynthError as problem:
            assert "\n" not in str(problem)  # noqa: PT017


def test_read_bias(tmp_path: Any) -> None:
    pytest.importorskip("maxsynth.files")
    path = tmp_path / "bias.pl"
    path.write_text(BASE)
    assert read_bias(path).head == F


def test_clingo_is_loaded_only_when_a_file_is_read() -> None:
    code = "import sys, maxsynth.bias.bias; sys.exit('clingo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
