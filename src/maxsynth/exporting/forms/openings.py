"""How a sentence about tables begins: what the rules are about, and that it is so."""

from __future__ import annotations

from maxsynth.data.meaning import Form, Meaning
from maxsynth.exporting.forms.words import article, flag_phrase, listed, said, singular, without_id, words
from maxsynth.exporting.subject import Subject
from maxsynth.logic.programs import Rule

YES = (True, 1, "yes", "y", "true", "t", "on")
NO = (False, 0, "no", "n", "false", "f", "off")
LETTERS = "XYZUVWPQRST"  # of things that are told apart


def opening(subject: Subject, rules: list[Rule]) -> str:
    """What the rules are about: `A drug is active`, or that none is."""
    meaning = subject.meanings[subject.target]
    one = singular(meaning.table)
    if meaning.form is not Form.FLAG or meaning.arity > 1:
        return pair_opening(subject, meaning, bool(rules))
    of_column, text = property_of(meaning.column, meaning.equals)
    if not rules:
        return f"The {text.replace(' is ', f' of no {one} is ', 1)}." if of_column else f"No {one} {text}."
    thing = article(one)
    return (
        f"The {text.replace(' is ', f' of {thing} is ', 1)}" if of_column else f"{thing[0].upper()}{thing[1:]} {text}"
    )


def pair_opening(subject: Subject, meaning: Meaning, some: bool) -> str:
    names = head_names(meaning)
    if meaning.form is Form.FLAG:
        of_column, text = property_of(meaning.column, meaning.equals)
        things = listed([f"{words(arg.column)} {names[i]}" for i, arg in enumerate(meaning.arguments)])
        whole = f"the row with {things} {'has: ' if of_column else ''}{text}"
    elif meaning.form is Form.LINK:
        one, other = (thing_named(subject, meaning, i, names[i]) for i in range(2))
        whole = f"the {words(without_id(meaning.arguments[1].column))} of {one} is {other}"
    else:
        things = listed([thing_named(subject, meaning, i, name) for i, name in names.items()])
        whole = f"{things} are {article(singular(meaning.table))}"
    return f"{whole[0].upper()}{whole[1:]}" if some else f"It is never so that {whole}: the program has no rules."


def thing_named(subject: Subject, meaning: Meaning, place: int, name: str) -> str:
    argument = meaning.arguments[place]
    return f"{article(singular(argument.entity or argument.column))} {name}"


def head_names(meaning: Meaning) -> dict[int, str]:
    return {i: LETTERS[i] if i < len(LETTERS) else f"X{i}" for i in range(meaning.arity)}


def property_of(column: str, value: object) -> tuple[bool, str]:
    """That a column has a value: whether the column is the subject of that, and the words."""
    truth = value if isinstance(value, bool) else value.lower() if isinstance(value, str) else value
    if truth in YES or truth in NO:
        verb, text = flag_phrase(column, truth in YES)
        return not verb, text
    return True, f"{words(column)} is {said(value)}"
