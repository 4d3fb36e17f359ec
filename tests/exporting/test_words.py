"""English and LaTeX, as people read them, and Datalog as Souffle does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from exporting.test_equivalence import examples
from exporting.test_facts import Case
from exporting.worlds import written
from maxsynth.data.meaning import Argument, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.exporting.forms.telling import row_noun
from maxsynth.exporting.forms.words import article, flag_phrase, plural, said, singular, without_id, words
from maxsynth.exporting.subject import Background, Subject, subject_of_facts, subject_of_meanings
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import parse_program

DRUG = Argument("id", Kind.INTEGER, "drugs")
ATOM = Argument("id", Kind.TEXT, "atoms")
ACTIVE = Meaning("active", Form.FLAG, "drugs", (DRUG,), "active", True)
MEANINGS = [
    Meaning("logp", Form.COLUMN, "drugs", (DRUG, Argument("logp", Kind.REAL))),
    Meaning("approved", Form.COLUMN, "drugs", (DRUG, Argument("approved_on", Kind.DATE))),
    Meaning("ind1", Form.FLAG, "drugs", (DRUG,), "ind1", 1),
    Meaning("not_ind1", Form.FLAG, "drugs", (DRUG,), "ind1", 0),
    Meaning("is_open", Form.FLAG, "drugs", (DRUG,), "is_open", "yes"),
    Meaning("has_child", Form.FLAG, "drugs", (DRUG,), "has_child", False),
    Meaning("rival", Form.LINK, "drugs", (DRUG, Argument("rival_id", Kind.INTEGER, "drugs"))),
    Meaning("atom", Form.LINK, "atoms", (ATOM, Argument("did", Kind.INTEGER, "drugs"))),
    Meaning("element", Form.COLUMN, "atoms", (ATOM, Argument("element", Kind.TEXT))),
    Meaning(
        "bond",
        Form.RELATION,
        "bonds",
        (
            Argument("from", Kind.TEXT, "atoms"),
            Argument("to", Kind.TEXT, "atoms"),
            Argument("type", Kind.INTEGER),
        ),
    ),
    Meaning(
        "drugs_effects",
        Form.RELATION,
        "drugs_effects",
        (Argument("drug_id", Kind.INTEGER, "drugs"), Argument("effect", Kind.TEXT)),
    ),
]


def of_drugs(program: str, target: Meaning = ACTIVE) -> Subject:
    return subject_of_meanings(parse_program(program), target, MEANINGS, {"drugs": ("id",), "atoms": ("id",)})


def of_facts(program: str, name: str, arity: int) -> Subject:
    return subject_of_facts(parse_program(program), Predicate(name, arity), Background())


def sentence(subject: Subject) -> str:
    return " ".join(written(subject, "english").split())


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("active(A) :- logp(A,B), B >= 4.2.", "A drug is active if its logp is at least 4.2."),
        ("active(A) :- logp(A,B), B >= 4.2, B =< 5.", "A drug is active if its logp is between 4.2 and 5."),
        ("active(A) :- logp(A,B), B > 4, 5 > B.", "A drug is active if its logp is more than 4 and less than 5."),
        ("active(A) :- logp(A,_).", "A drug is active if its logp is known."),
        (
            "active(A) :- approved(A,B), B >= 7305.",
            "A drug is active if its approved on is on or after 1 January 1990.",
        ),
        (
            "active(A) :- ind1(A).\nactive(A) :- not_ind1(A), is_open(A), has_child(A).",
            "A drug is active if its ind1 is yes or if its ind1 is no, it is open and it has no child.",
        ),
        (
            "active(A) :- logp(A,B), B >= 4.2, atom(C,A), element(C,nitrogen), bond(C,D,1), element(D,carbon).",
            "A drug is active if its logp is at least 4.2, and it has an atom whose element is nitrogen and that has a "
            "bond of type 1 to an atom whose element is carbon.",
        ),
        (
            "active(A) :- atom(C,A), bond(D,C,B), B >= 2.",
            "A drug is active if it has an atom that has a bond of type at least 2 from an atom.",
        ),
        (
            "active(A) :- atom(C,A), bond(C,D,_), atom(D,A).",
            "A drug is active if it has an atom that has a bond to an atom whose drug is the drug.",
        ),
        (
            "active(A) :- atom(C,A), atom(D,A), element(C,E), element(D,E), bond(C,C,_).",
            "A drug is active if it has an atom X, it has an atom Y, X has a bond to itself and the element of Y is "
            "the element of X.",
        ),
        ("active(A) :- rival(A,B), active(B).", "A drug is active if it has a rival that is active."),
        ("active(A) :- rival(B,A), ind1(B).", "A drug is active if it is the rival of a drug whose ind1 is yes."),
        ("active(A) :- drugs_effects(A,'head ache').", "A drug is active if it has the effect head ache."),
        ("active(A) :- element(_,'it''s\\n').", "A drug is active if there is an atom whose element is “it's\\n”."),
        (
            "active(A) :- rival(A,B), logp(A,C), logp(B,D), C < D.",
            "A drug is active if it has a rival whose logp is more than the logp of the drug.",
        ),
        ("", "No drug is active."),
    ],
)
def test_sentences_about_tables(program: str, told: str) -> None:
    assert sentence(of_drugs(program)) == told


def test_sentences_about_other_targets() -> None:
    colour = Meaning("red", Form.FLAG, "drugs", (DRUG,), "colour", "red")
    assert sentence(of_drugs("red(A) :- ind1(A).", colour)) == "The colour of a drug is red if its ind1 is yes."
    assert sentence(of_drugs("", colour)) == "The colour of no drug is red."
    pairs = Meaning("rivals", Form.LINK, "drugs", (DRUG, Argument("rival_id", Kind.INTEGER, "drugs")))
    assert sentence(of_drugs("rivals(A,B) :- atom(C,A), atom(D,B), bond(C,D,_).", pairs)) == (
        "The rival of a drug X is a drug Y if X has an atom that has a bond to an atom whose drug is Y."
    )


@pytest.mark.parametrize(
    ("program", "name", "arity", "told"),
    [
        (
            "grandparent(A,B) :- parent(A,C), parent(C,B).",
            "grandparent",
            2,
            "A is a grandparent of B if A is a parent of some C and C is a parent of B.",
        ),
        (
            "ancestor(A,B) :- parent(A,B).\nancestor(A,B) :- parent(A,C), ancestor(C,B).",
            "ancestor",
            2,
            "A is an ancestor of B if A is a parent of B or if A is a parent of some C and C is an ancestor of B.",
        ),
        (
            "heavy(A) :- has_part(A,B), size(B,C), C >= 9.4, color(B,red), likes(A,_), near_to(A,B).",
            "heavy",
            1,
            "A is heavy if A has some part B, the size of B is at least 9.4, the color of B is red, A likes something "
            "and A is near to B.",
        ),
        ("likes(A,B) :- parent_of(A,B).", "likes", 2, "A likes B if A is a parent of B."),
        ("", "even", 1, "Nothing is even."),
    ],
)
def test_sentences_about_facts(program: str, name: str, arity: int, told: str) -> None:
    assert sentence(of_facts(program, name, arity)) == told


def test_everything_is_told() -> None:
    """Whatever the program, there is a sentence on lines that can be printed, with all its constants."""
    for _, programs in examples(25, "english"):
        for example in programs:
            program, text = example.program, written(example.subject, "english")
            assert text.rstrip().endswith("."), text
            assert all(line.isprintable() for line in text.split("\n"))
            words_in_rules = {"nitrogen", "true", "--", "日本"}
            for word in words_in_rules:
                if any(f"'{word}'" in str(rule) for rule in program.rules if rule.head.name == "covered"):
                    assert word in text, f"{program}\n{text}"
    for number in range(50):
        assert written(Case(f"english {number}").subject, "english")


def test_words() -> None:
    tables = ["drugs", "people", "movies", "categories", "boxes", "buses", "addresses", "status", "news", "TrainCars"]
    assert [singular(table) for table in tables] == [
        "drug", "person", "movie", "category", "box", "bus", "address", "status", "news", "train car",
    ]  # fmt: skip
    assert [article(noun) for noun in ("atom", "drug", "hour", "user", "unit", "x1", "uncle", "euro")] == [
        "an atom", "a drug", "an hour", "a user", "a unit", "an x1", "an uncle", "a euro",
    ]  # fmt: skip
    assert [without_id(name) for name in ("drug_id", "drugId", "valid", "id", "grid", "key")] == [
        "drug", "drug", "valid", "id", "grid", "key",
    ]  # fmt: skip
    assert flag_phrase("can_fly", False) == (True, "cannot fly")
    assert flag_phrase("closed", False) == (True, "is not closed")
    assert flag_phrase("speed", True) == (False, "speed is yes")
    assert words("") == "value"
    assert said("a,b") == "“a,b”"
    assert said(10**5000).startswith("1000")


# -- LaTeX ----------------------------------------------------------------------------------------------------------


def test_latex() -> None:
    text = written(of_drugs("active(A) :- approved(A,B), B >= 7305, atom(C,A), element(C,'50%_{x}~\\\\^').\n"), "latex")
    assert text.split("\n") == [
        r"% needs \usepackage{amsmath}",
        r"\begin{align*}",
        r"\text{active}(A) &\leftarrow \text{approved}(A, B) \land B \geq \text{1990-01-01} \land \text{atom}(C, A) \\",
        r"&\qquad \land \text{element}(C, \text{50\%\_\{x\}\textasciitilde{}\textbackslash{}\textasciicircum{}})",
        r"\end{align*}",
        "",
    ]
    assert "(no rules)" in written(of_drugs(""), "latex")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex on this machine")
def test_latex_can_be_set(tmp_path: Path) -> None:
    texts = [written(of_drugs("active(A) :- logp(A,B), B < 1e-9."), "latex"), written(of_drugs(""), "latex")]
    for _, programs in examples(6, "latex"):
        texts += [written(example.subject, "latex") for example in programs]
    known = "\n\n".join(text.replace("日本", "J") for text in texts)  # which pdflatex does not know
    document = f"\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{known}\n\\end{{document}}\n"
    (tmp_path / "rules.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "rules.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout[-2000:]


def test_a_row_of_a_relation_is_what_the_other_side_is() -> None:
    assert row_noun("movies_genres", "movies") == "genre"
    assert row_noun("movies_directors", "directors") == "movie"
    assert row_noun("lens_tests", "tests") == "lens"
    assert row_noun("roles", "movies") == "role"
    for one, several in (("movie", "movies"), ("genre", "genres"), ("lens", "lenses"), ("city", "cities")):
        assert plural(one) == several
        assert singular(several) == singular(one) == one
