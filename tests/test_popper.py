"""What users of Popper bring along: atoms of its encoding in a bias, its spellings of constraints, its options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import maxsynth
from maxsynth.bias.bias import Bias, Overrides
from maxsynth.bias.parsing import overridden, parse_bias
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import parse_program
from maxsynth.verification.space import violations

BASE = "head_pred(f,2). body_pred(p,2). body_pred(q,1). body_pred(r,3).\n"
TYPED = BASE + "type(f,(a,b)). type(p,(a,b)). type(q,(a,)). type(r,(a,b,c)).\n"

MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


def bias_of(text: str, base: str = TYPED) -> Bias:
    return parse_bias(base + text, "bias.pl")


# -- what the search understands by itself --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (":- clause(C), #count{V : var_type(C,V,a)} > 2.", ["at most 2 variables of type a"]),
        (":- clause(C), #count{V : var_type(C,V,c)} < 1.", ["at least 1 variable of type c"]),
        (":- clause(C), not 1 #count{V : clause_var(C,V), var_type(C,V,a)} 2.", ["1 to 2 variables of type a"]),
        (":- clause(C), #count{V : var_type(C,V,T)} != 1, type(q,T).", ["exactly 1 variable of type (a,)"]),
        (":- clause(C), #count{Vars : body_literal(C,p,_,Vars)} > 1.", ["at most 1 literal of p"]),
        (":- clause(C), #count{Vars : body_literal(C,p,2,Vars)} != 1.", ["exactly 1 literal of p/2"]),
        (":- body_literal(C,p,_,V), body_literal(C,p,_,W), V < W.", ["at most 1 literal of p"]),
        (
            "only_once(p;q). :- only_once(P), clause(C), #count{Vars : body_literal(C,P,A,Vars)} > 1.",
            ["at most 1 literal of p", "at most 1 literal of q"],
        ),
        (
            "num_p(p,2). num_p(q,1). :- clause(C), #count{P,Vars : body_literal(C,P,A,Vars), num_p(P,A)} > 2.",
            ["at most 2 literals of p/2 or of q/1"],
        ),
        (":- body_literal(C,p,_,_), body_literal(C,q,_,_).", ["not a literal of p and a literal of q"]),
        (
            "apart(p,q). :- apart(P,Q), body_literal(C,P,_,_), body_literal(C,Q,_,_), P != Q.",
            ["not a literal of p and a literal of q"],
        ),
        (":- body_literal(_,p,_,_).", ["no literal of p"]),
        (":- body_literal(C,p,2,(1,_)).", ["no literal p(1,_)"]),
        (":- clause(C), not body_literal(C,r,3,(0,_,_)).", ["at least 1 literal r(0,_,_)"]),
        (":- head_literal(C,_,_,(_,V)), not body_literal(C,p,_,(_,V)).", ["at least 1 literal p(_,1)"]),
        (":- head_literal(C,g,_,(_,V)), not body_literal(C,p,_,(_,V)).", []),
        ("non_datalog. :- not body_var(_,1).", ["at least 1 literal with head variable 1"]),
        ("non_datalog. no_singletons. :- not body_var(_,1).", []),
        (":- not body_var(_,1).", []),
        (":- body_size(C,N), N > 4.", ["at most 4 literals of any predicate"]),
        ("bad_body(p,Vars) :- vars(_,Vars), Vars = (V,_), V != 0.", ["no literal of bad_body"]),
        ("bad_body(q,(0,)).", ["no literal of bad_body"]),
        ("bad_body(nothing,(0,)).", ["no literal of bad_body"]),
    ],
)
def test_the_search_understands(text: str, limits: list[str]) -> None:
    bias = bias_of(text)
    assert (bias.limits.texts(), bias.constraints, bias.clingo_notes()) == (limits, "", [])


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (":- clause(C), #count{V : var_type(C,V,a)} < 3.", ""),  # the search might lose one of two variables
        (":- clause(C), #count{V : var_type(C,V,a)} = 1.", ""),  # none, or two and more
        (":- clause(C), #count{Vars : body_literal(C,p,A,Vars)} < 2.", ""),
        (":- clause(C), #count{Vars : body_literal(C,_,_,Vars)} > 4.", ""),  # tuples are counted, and not literals
        (":- clause(C), #count{P : body_literal(C,P,_,_)} > 1.", ""),
        (":- body_literal(C,p,_,(A,B)), body_literal(C,p,_,(A,D)), B != D.", ""),
        (":- body_literal(C,p,_,_), not body_literal(C,q,_,_).", ""),
        (":- body_literal(C,p,2,(2,_)).", ""),  # a variable that is not in the head has no name
        ("bad_body(p,Vars) :- vars(_,Vars), Vars = (V,W), V > W.", ""),
        ("bad_body(p,(0,2)).", ""),
        (":- clause(C), C > 0, #count{Vars : body_literal(C,p,_,Vars)} > 1.", ""),
        (":- body_literal(_,p,_,_), body_literal(_,q,_,_).", ":- body_literal(C,p,_,_), body_literal(C,q,_,_)."),
        (":- not body_literal(_,p,_,_).", ":- clause(C), not body_literal(C,p,_,_)."),
        (":- not body_literal(0,p,_,(0,1)).", ":- clause(C), not body_literal(C,p,_,(0,1))."),
        (":- body_literal(0,p,_,_).", ":- body_literal(C,p,_,_)."),
        ("enable_recursion. :- body_literal(0,p,_,_).", ""),  # there, the number says something
    ],
)
def test_left_to_clingo(text: str, instead: str) -> None:
    bias = bias_of(text)
    assert not bias.limits
    (note,) = bias.clingo_notes()
    assert note.startswith("bias.pl:3: clingo judges `")
    assert (f"say `{instead}`, which is fast" in note) if instead else ("say" not in note)


def test_too_many_limits_are_left_to_clingo() -> None:
    names = [f"p{number}" for number in range(40)]
    text = "".join(f"body_pred({name},1). only_once({name}).\n" for name in names)
    bias = bias_of(f"{text}:- only_once(P), clause(C), #count{{V : body_literal(C,P,_,V)}} > 1.")
    assert not bias.limits
    assert len(bias.left) == 1


def test_a_variable_that_nothing_binds_is_an_error() -> None:
    with pytest.raises(MaxSynthError, match="variable C is not bound"):
        bias_of(":- not body_literal(C,p,_,_).")


# -- atoms of the encoding ------------------------------------------------------------------------------------

RECURSIVE = "f(A,B) :- p(A,B). f(A,B) :- p(A,C), f(C,B)."
PLAIN = "f(A,B) :- p(A,B), q(A)."


@pytest.mark.parametrize(
    ("constraint", "recursive", "plain"),
    [
        (":- recursive.", False, True),
        (":- not recursive.", True, False),
        (":- recursive_clause(C,f,2), body_size(C,2).", False, True),
        (":- recursive_clause(C,f,2), body_size(C,1).", True, True),
        (":- not base_clause(_,f,2).", True, True),
        (":- base_clause(_,f,2).", False, False),
        (":- pi.", True, True),
        (":- invented(_,_).", True, True),
        (":- clause_size(C,N), N > 1.", False, False),
        (":- num_clauses(f,2).", False, True),
        (":- multiclause(f,2).", False, True),
        (":- num_recursive(f,1).", False, True),
        (":- body_var(C,2).", False, True),
        (":- head_var(C,2).", True, True),
        (":- body_var(C,V), not head_var(C,V).", False, True),
        (":- clause_var(C,V), #count{P,Vars : var_in_literal(C,P,Vars,V)} != 2.", True, False),
        (":- singleton(_).", True, True),
        (":- body_literal(_,P,A,Vars), not vars(A,Vars).", True, True),
        (":- body_literal(_,_,_,Vars), var_member(2,Vars).", False, True),
        (":- body_literal(_,_,_,Vars), var_pos(2,Vars,0).", False, True),
        (":- body_literal(_,_,A,Vars), head_vars(A,Vars).", False, False),
        (":- body_literal(_,_,_,Vars), var(V), V > 1, var_member(V,Vars).", False, True),
    ],
)
def test_what_atoms_of_the_encoding_mean(constraint: str, recursive: bool, plain: bool) -> None:
    bias = bias_of(f"enable_recursion.\n{constraint}", BASE)
    for text, allowed in ((RECURSIVE, recursive), (PLAIN, plain)):
        found = violations(parse_program(text), bias)
        assert found == ([] if allowed else ["an ASP constraint of the bias forbids it"]), text


def test_directions() -> None:
    directions = "direction(f,(in,out)). direction(p,(in,out)). direction(q,(in,)). direction(r,(in,in,in)).\n"
    bias = bias_of(directions + ":- body_literal(_,P,_,Vars), var_pos(0,Vars,I), direction_(P,I,out).", BASE)
    assert violations(parse_program("f(A,B) :- p(A,B), p(B,A)."), bias)
    assert not violations(parse_program("f(A,B) :- p(A,B)."), bias)


def test_singletons() -> None:
    bias = bias_of(":- singleton(_).", BASE)
    assert violations(parse_program("f(A,B) :- p(A,B), p(A,C)."), bias)
    assert not violations(parse_program("f(A,B) :- p(A,B), p(A,C), q(C)."), bias)


def test_a_file_may_define_such_an_atom_itself() -> None:
    bias = bias_of("recursive :- clause(1).\n:- recursive.", BASE)
    assert violations(parse_program("f(A,B) :- p(A,B). f(A,B) :- p(B,A)."), bias)
    assert not violations(parse_program(PLAIN), bias)


def test_bad_bodies_by_names_of_variables(make_task: MakeTask) -> None:
    """A program is allowed when some names of its variables are; clingo finds them."""
    bias = BASE + "max_vars(4).\nmax_body(2).\nbad_body(p,Vars) :- vars(_,Vars), Vars = (V,W), V > W.\n"
    bk = "p(a,x). p(b,x). p(c,y). p(d,x). q(x). q(a). r(a,a,a)."
    exs = "".join(f"pos(f({one},{other})).\n" for one in "abd" for other in "abd") + "neg(f(a,c))."
    folder = make_task(bias, bk, exs)
    found = maxsynth.learn(maxsynth.Task.from_folder(folder))
    assert str(found.program) == "f(A,B) :- p(A,C), p(B,C)."


# -- limits in the place of those of the bias -------------------------------------------------------------------


def test_overrides() -> None:
    bias = bias_of("max_body(3). bad_body(q,Vars) :- vars(_,Vars), Vars = (V,), V > 1.")
    assert (bias.max_vars, bias.max_body, bias.max_clauses) == (6, 3, 2)
    assert bias.by_default == ("max_vars", "max_clauses")
    other = overridden(bias, Overrides(4, None, 5))
    assert (other.max_vars, other.max_body, other.max_clauses) == (4, 3, 5)
    assert other.by_default == ()
    assert other.limits.texts() == ["no literal of bad_body"]
    assert overridden(other, Overrides()) == bias


CHAIN = "head_pred(f,1). body_pred(p,2). body_pred(q,1). max_body(1).\n"
CHAIN_BK = "p(a,b). p(b,c). p(c,d). p(d,e). p(e,g). q(c). q(g)."
CHAIN_EXS = "pos(f(a)). neg(f(b)). neg(f(c)). pos(f(d)). neg(f(e))."


def test_the_command_takes_limits(make_task: MakeTask, tmp_path: Path, capsys: Capture) -> None:
    folder = str(make_task(CHAIN, CHAIN_BK, CHAIN_EXS))
    assert main(["learn", folder, "--exact"]) == 1
    said = capsys.readouterr()
    assert said.out == "% no program without errors exists in this space\n"
    assert (
        "That holds for this space: max_body 1, max_vars 6 by default. "
        "Rules may need more: try --max-body 3, or --max-vars likewise." in said.err
    )
    result = tmp_path / "result.json"
    assert main(["learn", folder, "--exact", "--max-body", "3", "--max-vars", "3", "--json", str(result)]) == 0
    assert capsys.readouterr().out == "f(A) :- p(A,B), p(B,C), q(C).\n"
    settings = json.loads(result.read_text())["settings"]
    assert [settings[name] for name in ("max_vars", "max_body", "max_clauses")] == [3, 3, None]
    assert main(["verify", str(result)]) == 0
    result.write_text(result.read_text().replace('"max_body": 3', '"max_body": null'))
    assert main(["verify", str(result)]) == 1
    assert "3 body literals, and max_body is 1" in capsys.readouterr().out
    assert main(["check", folder, "--max-body", "3"]) == 0
    assert "at most 6 variables and 3 body literals" in capsys.readouterr().out
    assert main(["learn", folder, "--max-body", "25"]) == 2
    assert "max_body is 25, and `learn` takes at most 24" in capsys.readouterr().err


def test_limits_from_python(make_task: MakeTask) -> None:
    task = maxsynth.Task.from_folder(make_task(CHAIN, CHAIN_BK, CHAIN_EXS))
    assert maxsynth.learn(task, exact=True).program is None
    found = maxsynth.learn(task, exact=True, max_body=3)
    assert str(found.program) == "f(A) :- p(A,B), p(B,C), q(C)."
    for wrong in (0, -1, True, "3", 2.5):
        with pytest.raises(MaxSynthError, match="max_body="):
            maxsynth.learn(task, max_body=wrong)  # type: ignore[arg-type]


def test_a_body_of_twenty_literals(make_task: MakeTask) -> None:
    """Each of twenty predicates keeps one negative out, so all of them are needed."""
    names = [f"p{number}" for number in range(20)]
    bias = "head_pred(f,1). max_body(20). max_vars(1).\n" + "".join(f"body_pred({name},1)." for name in names)
    facts = [f"{name}(a)." for name in names]
    facts += [f"{name}(n{other})." for name in names for other in range(20) if name != f"p{other}"]
    exs = "pos(f(a)). " + " ".join(f"neg(f(n{other}))." for other in range(20))
    task = maxsynth.Task.from_folder(make_task(bias, "\n".join(facts), exs))
    found = maxsynth.learn(task, exact=True)
    assert found.cost == 21
    assert maxsynth.learn(task, exact=True, max_body=19).program is None


# -- what is said -------------------------------------------------------------------------------------------------


def test_learn_and_check_name_what_clingo_judges(make_task: MakeTask, capsys: Capture) -> None:
    folder = str(make_task(CHAIN + ":- not body_literal(_,q,_,_).\n", CHAIN_BK, CHAIN_EXS))
    note = (
        "bias.pl:2: clingo judges `:- not body_literal(_,q,_,_).`, which is much slower than the search by itself; "
        "if each rule is meant, say `:- clause(C), not body_literal(C,q,_,_).`, which is fast"
    )
    main(["learn", folder])
    assert note in capsys.readouterr().err
    main(["learn", folder, "--quiet"])
    assert capsys.readouterr().err == ""
    main(["check", folder])
    said = capsys.readouterr().out
    assert note in said
    assert "effort      not known: clingo generates the rules" in said


def test_check_finds_cuts_that_matter(make_task: MakeTask, capsys: Capture) -> None:
    bias = (
        "head_pred(f,1). body_pred(element,2). body_pred(last,2).\n"
        "direction(f,(in,)). direction(element,(in,out)). direction(last,(in,out)).\n"
        "type(f,(l,)). type(element,(l,e)). type(last,(l,e)).\n"
    )
    bk = "element([X|_],X) :- !.\nelement([_|T],X) :- element(T,X).\nlast([X],X) :- !.\nlast([_|T],X) :- last(T,X).\n"
    folder = make_task(bias, bk, "pos(f([1,2])). pos(f([2,1])). neg(f([3])).")
    main(["check", str(folder)])
    said = capsys.readouterr().out
    assert f"warning: {folder}/bk.pl:1:1: because of this cut `element([1,2],2)` holds, but `element([1,2],X)`" in said
    assert "last/2" not in said
