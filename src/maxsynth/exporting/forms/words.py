"""Names of tables, columns and predicates as English words.

Nobody has declared what the names mean, so this is guessing, with care: where a guess could say something wrong, the
plain name is used in a frame that is always right (`its ind1 is yes`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from maxsynth.prolog.writer import term_text

IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse", "geese": "goose",
    "feet": "foot", "teeth": "tooth", "data": "data", "series": "series", "species": "species", "news": "news",
    "movies": "movie", "cookies": "cookie", "ties": "tie", "pies": "pie", "lives": "life", "wives": "wife",
    "knives": "knife", "leaves": "leaf", "halves": "half", "shelves": "shelf", "wolves": "wolf", "analyses": "analysis",
    "bases": "base", "crises": "crisis", "theses": "thesis", "diagnoses": "diagnosis", "indices": "index",
    "matrices": "matrix", "vertices": "vertex", "criteria": "criterion", "phenomena": "phenomenon", "media": "medium",
    "buses": "bus", "gases": "gas", "lenses": "lens", "viruses": "virus", "statuses": "status", "campuses": "campus",
    "caches": "cache", "aches": "ache", "axes": "axis", "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato",
    "echoes": "echo", "shoes": "shoe", "canoes": "canoe",
}  # fmt: skip
LIKE_PLURALS = ("ss", "us", "is", "os")  # address, status, analysis, chaos
PREPOSITIONS = ("in", "of", "by", "at", "to", "with", "from", "on", "for", "than", "as", "near", "under", "above")
VERBS = ("is", "are", "was", "were", "has", "had", "can", "does", "did", "will")
ADJECTIVE_ENDINGS = ("ed", "ive", "able", "ible", "ful", "less", "ous", "al", "ic", "ish")
NOT_ADJECTIVES = frozenset(  # for all that they end so
    word
    for line in (
        "speed breed creed archive olive drive table cable variable syllable vegetable constable animal metal hospital",
        "capital signal journal rental approval arrival proposal referral trial total goal material interval terminal",
        "manual mineral music topic clinic traffic metric critic fabric logic graphic statistic dish fish",
        "finish polish relative native objective directive motive executive detective representative bible crucible",
    )
    for word in line.split()
)
ADJECTIVES = frozenset(
    word
    for line in (
        "open new old male female free private public dead alive big small large long short high low hot cold fast",
        "slow good bad rich poor young local main valid invalid empty full safe healthy sick happy red green blue",
        "white black yellow even odd prime wide narrow live online offline correct wrong true false dry wet ready",
        "busy visible secure single double hidden sold broken known unknown european asian african american heavy",
        "pregnant urgent recent permanent absent present different independent dominant important relevant",
    )
    for word in line.split()
)
NOUN_ENDINGS = ("er", "or", "ist", "ian", "son", "man", "ment", "tion", "ness", "ity", "ship", "ee")
PLAIN = re.compile(r"\w(?:[\w .+/-]*\w)?|[-+]?\d[\d.]*")


def words(name: str) -> str:
    """`atomCount_2` -> atom count 2. A name in one piece stays as it is written."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    text = " ".join(part for part in re.split(r"[\s_\-.]+", apart) if part)
    return shown_text(text.lower() if text.isascii() and not text.isupper() else text) if text else "value"


def shown_text(text: str) -> str:
    """Text on one line, whatever is in it."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def without_id(name: str) -> str:
    """The name of a link without what says that it is one: `drug_id`, `drugId` and `drugID` are a drug."""
    return re.sub(r"(?:(?<=\w)[_ ](?i:id|fk|key|ref)|(?<=[a-z])(?:Id|ID|Key))$", "", name)


def singular(name: str) -> str:
    """What one row of a table is: the last word without its plural."""
    *first, last = words(name).split(" ")
    return " ".join([*first, singular_word(last)])


def singular_word(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if not word.endswith("s") or word.endswith(LIKE_PLURALS) or len(word) < 3 or word in IRREGULAR.values():
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def plural(noun: str) -> str:
    """Several of what `singular` says."""
    *first, last = noun.split(" ")
    known = {one: several for several, one in IRREGULAR.items()}
    if last in known:
        last = known[last]
    elif re.search(r"[^aeiou]y$", last):
        last = f"{last[:-1]}ies"
    else:
        last += "es" if last.endswith(("s", "x", "ch", "sh", "z")) else "s"
    return " ".join([*first, last])


def article(noun: str) -> str:
    """The noun with `a` or `an`, as it is spoken."""
    lower = noun.lower()
    silent = lower.startswith(("hour", "honest", "honour", "honor", "heir"))
    you = re.match(r"(uni(?!n|m)|use|usu|eu|ewe|one|once|ut[ie])", lower)
    single = re.match(r"[aefhilmnorsx](\b|\d)", lower)  # a letter by its name: an x
    vowel = lower[:1] in tuple("aeiouäöüéè") and not you
    return f"{'an' if vowel or silent or single else 'a'} {noun}"


def is_adjective(text: str) -> bool:
    last = text.split(" ")[-1]
    if last in ADJECTIVES:
        return True
    return len(last) > 4 and last.endswith(ADJECTIVE_ENDINGS) and last not in NOT_ADJECTIVES


def flag_phrase(column: str, truth: bool) -> tuple[bool, str]:
    """That a yes/no column is so: whether it is a verb with its subject before it, and the words.

    `is active`, `has no child`; or, of a column, `ind1 is yes`.
    """
    text = words(column)
    first, _, rest = text.partition(" ")
    if first in VERBS and rest:
        if first in ("has", "had"):
            return True, f"{first} {rest if truth else f'no {rest}'}"
        return True, f"{first} {rest}" if truth else f"{first}{'' if first == 'can' else ' '}not {rest}"
    if is_adjective(text):
        return True, f"is {'' if truth else 'not '}{text}"
    return False, f"{text} is {'yes' if truth else 'no'}"


def said(value: object) -> str:
    """A value in a sentence. Texts that could be taken for something else are in quotes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime.datetime):
        fraction = f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
        seconds = f":{value:%S}{fraction}" if value.second or value.microsecond else ""
        return f"{said(value.date())} at {value:%H:%M}{seconds}"
    if isinstance(value, datetime.date):
        return f"{value.day} {value:%B} {value.year}"
    if isinstance(value, int | float):
        return term_text(
            int(value) if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else value
        )
    text = str(value)
    return text if PLAIN.fullmatch(text) else f"“{shown_text(text)}”"


def listed(parts: Sequence[str], *, apart: bool = False) -> str:
    """`a, b and c`; `apart`, with a comma before the last as well, where the parts are long."""
    if len(parts) < 2:
        return "".join(parts)
    comma = "," if apart else ""
    return f"{', '.join(parts[:-1])}{comma} and {parts[-1]}"


def predicate_phrase(name: str, subject: str, other: str) -> str:
    """A predicate of two things, as a sentence: `A is a parent of B`, `A likes B`, `A lives in B`."""
    text = words(name)
    first, *_ = parts = text.split(" ")
    if first in ("has", "had") and len(parts) > 1 and other.startswith("some"):  # which was not spoken of
        return f"{subject} {first} some {text.partition(' ')[2]}{other.removeprefix('something').removeprefix('some')}"
    if first in VERBS:
        return f"{subject} {text} {other}"
    if parts[-1] == "of" and len(parts) == 2 and not is_adjective(first) and first not in ("made", "out"):
        return f"{subject} is {article(text)} {other}"
    if parts[-1] in PREPOSITIONS:
        verb = "" if is_verb(first) else "is "
        return f"{subject} {verb}{text} {other}"
    if len(parts) == 1 and is_verb(first):
        return f"{subject} {text} {other}"
    return f"{subject} is {article(text)} of {other}"


def is_verb(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(LIKE_PLURALS)


def property_phrase(name: str) -> str:
    """A predicate of one thing: `is even`, `is a teacher`, `has wings`."""
    text = words(name)
    first, *_ = parts = text.split(" ")
    if first in VERBS and len(parts) > 1:
        return text
    noun = len(text) > 4 and parts[-1].endswith(NOUN_ENDINGS) and not is_adjective(text)
    return f"is {article(text) if noun else text}"
