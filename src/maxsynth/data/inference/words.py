"""Names of tables and columns as words: whether one tells of another, and what they are as names in Prolog."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain, count

from maxsynth.prolog.protected import protected

KEY_WORDS = frozenset(("id", "key", "pk", "uid", "uuid", "guid", "code", "index", "nr", "no", "number", "rowid", "oid"))
ID_WORDS = frozenset(("id", "ids", "key", "fk", "code", "uid", "uuid", "guid", "ref", "nr"))
MOST_LETTERS = 40  # of a name in a program


def words(name: str) -> list[str]:
    """`HomeTeam_ID2` -> home, team, id."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [part for part in re.split(r"[\W_\d]+", apart.lower()) if part]


def singulars(word: str) -> set[str]:
    """A word, and what it may be the plural of."""
    found = {word}
    if word.endswith("ies"):
        found |= {f"{word[:-3]}y", word[:-1]}
    elif word.endswith(("ses", "xes", "ches", "shes", "zes")):
        found |= {word[:-2], word[:-1]}
    elif word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
    return found


def table_names(table: str) -> set[str]:
    """All that a thing of this table may be called, as one word."""
    parts = words(table)
    if not parts:
        return set()
    last = singulars(parts[-1])
    return {"".join([*parts[:-1], one]) for one in last} | (last if len(parts) > 1 else set())


def is_key_name(column: str, table: str) -> bool:
    """`id`, `code`, `drug_id`, `drugid` or `drug` in the table drugs."""
    parts = words(column)
    if not parts:
        return False
    if len(parts) == 1 and parts[0] in KEY_WORDS:
        return True
    joined, names = "".join(parts), table_names(table)
    return any(joined == name or (joined.startswith(name) and joined[len(name) :] in KEY_WORDS) for name in names)


def is_identifier(column: str) -> bool:
    """Whether the name says that its values only tell rows apart."""
    parts = words(column)
    return bool(parts) and (parts[-1] in ("id", "uuid", "guid", "oid", "pk") or parts == ["index"])


def names_table(column: str, table: str, key: str) -> str:
    """How the name of a column tells that it leads to the key of a table; empty when it does not.

    The better the evidence, the earlier it is in `RANKS`.
    """
    parts = words(column)
    if not parts:
        return ""
    joined, names = "".join(parts), table_names(table)
    bare = "".join(parts[:-1]) if parts[-1] in ID_WORDS and len(parts) > 1 else joined
    if bare in names or any(joined == f"{name}{end}" for name in names for end in ID_WORDS):
        return "the table"
    if words(key) == parts and (len(parts) > 1 or parts[0] not in KEY_WORDS):
        return "the key"
    tail = parts[-2] if parts[-1] in ID_WORDS and len(parts) > 1 else parts[-1]
    if tail in names or (singulars(tail) & names):
        return "the table, in a part of the name"
    if joined == f"{table[:1].lower()}id":
        return "the table's first letter"
    return ""


RANKS = (
    "the table",
    "the key",
    "the table, in a part of the name",
    "the table's first letter",
    "",
)


def plain_name(text: str, otherwise: str = "x") -> str:
    """A name for Prolog that reads like the text: lower case, with `_` for what is neither letter nor digit."""
    folded = unicodedata.normalize("NFKC", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)).lower()
    name = re.sub(r"[\W_]+", "_", folded).strip("_")[:MOST_LETTERS].strip("_")
    if not name:
        return otherwise
    return name if name[0].isalpha() else f"{otherwise}_{name}"


def type_name(text: str, otherwise: str) -> str:
    """A name for a type: in a bias these are plain ASCII."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return plain_name(letters, otherwise)


def without_id(name: str) -> str:
    """The name of a link without its `_id`."""
    short = re.sub(r"(_id|_fk|_key|Id|ID)$", "", name)
    return short or name


class Names:
    """Gives names that are not taken; each says with how many arguments it is used, for some are Prolog's own."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {"not", *taken}  # which a bias has another meaning for

    def free(self, arity: int, *wishes: str) -> str:
        """The first of these names that is free, or the last with a number."""
        numbered = (f"{wishes[-1]}_{number}" for number in count(2))
        name = next(name for name in chain(wishes, numbered) if name not in self.taken and not protected(name, arity))
        self.taken.add(name)
        return name
