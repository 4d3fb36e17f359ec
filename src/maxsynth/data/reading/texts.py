"""What the values of a text column are, where the source has no types: CSV, and text in SQLite.

A column is of numbers, dates or times only if each of its values is one in its plain form; otherwise it is text:

- numbers: `12`, `-3.5`, `.5`, `1e-7`. With a leading zero (`007`) or a plus (`+49`) it is an identifier, which stays
  text;
- dates `2020-01-31`, and times `2020-01-31 12:30`, `2020-01-31T12:30:05.25Z`, `...+02:00`; those with a zone become
  UTC;
- in files of text, besides: `true`/`false`, `yes`/`no`, `t`/`f`, `y`/`n` in any case; spaces around numbers and dates;
  and words for a missing value (`NA`, `null`, `?` ...) among numbers, dates and yes/no. Among text such a word is
  text: `NA` may be Namibia.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from maxsynth.data.reading.columns import TextColumn, recoded, text_values
from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.tables import NULL, Column, Kind
from maxsynth.errors import shortened

INTEGER = r"\A(?:0|-?[1-9][0-9]*)\z"
NUMBER = r"\A-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\z"
MADE_REAL = r"\A(?:0|-?[1-9][0-9]*)\.0\z"
DATE = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
ZONE = r"(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)"
MOMENT = rf"\A[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:{CLOCK} ?{ZONE}?)?\z"
GROUPED = r"(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:[., '][0-9]{3})+)"
AS_PEOPLE_WRITE = (
    rf"\A(?:-?[$€£¥]? ?{GROUPED}(?:[.,][0-9]+)? ?[%$€£¥]?|[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-](?:[0-9]{{2}}){{1,2}})\z"
)
ANSWERS = ({"true": True, "false": False}, {"yes": True, "no": False}, {"t": True, "f": False}, {"y": True, "n": False})
MISSING = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "na",
    "NaN",
    "nan",
    "NULL",
    "Null",
    "null",
    "None",
    "none",
    "nil",
    "?",
    "-",
    "--",
    ".",
)
SAMPLE = 64  # values that are looked at first: most columns of text show there what they are
MOSTLY = 0.9  # a column of text with so large a part of numbers was perhaps meant as one of numbers


def kind_of(column: TextColumn) -> Kind:
    """What all values of a column are, those that stand for missing ones aside.

    Integers of which some are missing are floats to pandas, which writes them as `1.0`: these are integers again.
    """
    texts = present(column)
    kind = kind_of_texts(texts, words=column.words)
    if kind is Kind.REAL and column.words and (column.codes == NULL).any() and all_match(texts, MADE_REAL):
        return Kind.INTEGER
    return kind


def present(column: TextColumn) -> Any:
    """The values, trimmed and without the words for missing ones where these are understood."""
    if not column.words:
        return column.texts
    pc = compute()
    texts = pc.ascii_trim_whitespace(column.texts)
    return texts.filter(pc.invert(is_missing(texts)))


def is_missing(texts: Any) -> Any:
    pa, pc = arrow(), compute()
    return pc.is_in(texts, value_set=pa.array(["", *MISSING], texts.type))


def kind_of_texts(texts: Any, *, words: bool) -> Kind:
    if not len(texts):
        return Kind.TEXT
    if all_match(texts, NUMBER):
        if all_match(texts, INTEGER):
            return Kind.INTEGER
        return Kind.REAL if finite(texts) else Kind.TEXT
    if all_match(texts, MOMENT) and moments(texts) is not None:
        return Kind.DATE if all_match(texts, DATE) else Kind.TIME
    if words and len(texts) <= SAMPLE and answers(text_values(texts)):
        return Kind.YES_NO
    return Kind.TEXT


def all_match(texts: Any, pattern: str) -> bool:
    pc = compute()
    if len(texts) > SAMPLE and not all_match(texts.slice(0, SAMPLE), pattern):
        return False
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def finite(texts: Any) -> bool:
    pa, pc = arrow(), compute()
    return bool(pc.all(pc.is_finite(texts.cast(pa.float64()))).as_py())


def answers(texts: list[str]) -> dict[str, bool]:
    """The words for yes and no that these are all among. A single letter alone may stand for anything."""
    lower = {text.lower() for text in texts}
    for pair in ANSWERS:
        if lower <= pair.keys() and (len(lower) == 2 or "true" in pair or "yes" in pair):
            return pair
    return {}


def moments(texts: Any) -> Any:
    """Dates and times as microseconds since 1970, in UTC where they have a zone; nothing where one does not exist."""
    pa, pc = arrow(), compute()
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    texts = pc.replace_substring_regex(texts, rf" ({ZONE})\z", r"\1")
    zoned = pc.match_substring_regex(texts, rf"{CLOCK}{ZONE}\z")
    try:
        with_zone = pc.if_else(zoned, texts, None).cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        without = pc.if_else(zoned, None, texts).cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    return pc.coalesce(with_zone, without)


# -- columns --------------------------------------------------------------------------------------------------


def settled(column: TextColumn, kind: Kind, notes: list[str], where: str) -> Column:
    """The column with its values as this kind, which they are."""
    if kind is Kind.TEXT:
        note_mostly_numbers(column, notes, where)
        note_other_forms(column, notes, where)
        return Column(column.name, kind, text_values(column.texts), column.codes)
    if column.words:
        column = without_missing_words(column, notes, where)
    values, codes = CONVERT[kind](column)
    return Column(column.name, kind, values, codes, stored_as_text=True)


def without_missing_words(column: TextColumn, notes: list[str], where: str) -> TextColumn:
    pc = compute()
    texts = pc.ascii_trim_whitespace(column.texts)
    missing = is_missing(texts)
    said = [word for word in text_values(texts.filter(missing)) if word]
    if said:
        rows = np.append(missing.to_numpy(zero_copy_only=False), False)[column.codes].sum()
        words = ", ".join(repr(word) for word in dict.fromkeys(said))
        notes.append(f"{where}: {rows} values are read as missing, since they are {words} among others of one kind")
    values, codes = recoded(pc.if_else(missing, None, texts), column.codes)
    return replace(column, texts=values, codes=codes)


def whole_numbers(column: TextColumn) -> tuple[Any, Any]:
    pa = arrow()
    texts, codes = column.texts, column.codes
    if len(texts) and texts[0].as_py().endswith(".0"):  # then all do
        texts = compute().replace_substring_regex(texts, r"\.0\z", "")
    try:
        values, codes = recoded(texts.cast(pa.int64()), codes)
    except pa.ArrowInvalid:  # larger than 64 bits
        return [int(text) for text in text_values(texts)], codes
    return values.to_numpy(zero_copy_only=False), codes


def real_numbers(column: TextColumn) -> tuple[Any, Any]:
    pa, pc = arrow(), compute()
    values, codes = recoded(pc.add(column.texts.cast(pa.float64()), 0.0), column.codes)
    return values.to_numpy(zero_copy_only=False), codes


def days(column: TextColumn) -> tuple[Any, Any]:
    pa = arrow()
    values = column.texts.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    return values.to_numpy(zero_copy_only=False), column.codes


def seconds(column: TextColumn) -> tuple[Any, Any]:
    values, codes = recoded(moments(column.texts), column.codes)
    return values.to_numpy(zero_copy_only=False) / 1e6, codes


def yes_and_no(column: TextColumn) -> tuple[Any, Any]:
    texts = text_values(column.texts)
    said = answers(texts)
    values, codes = recoded(arrow().array([said[text.lower()] for text in texts], arrow().bool_()), column.codes)
    return values.to_numpy(zero_copy_only=False).astype(bool), codes


CONVERT = {
    Kind.INTEGER: whole_numbers,
    Kind.REAL: real_numbers,
    Kind.DATE: days,
    Kind.TIME: seconds,
    Kind.YES_NO: yes_and_no,
}


def note_other_forms(column: TextColumn, notes: list[str], where: str) -> None:
    """Amounts and dates as people write them could mean several things, and are text."""
    texts = present(column)
    if len(texts) > 1 and all_match(texts, AS_PEOPLE_WRITE):
        first = shortened(texts[0].as_py(), 30)
        notes.append(f"{where}: read as text, such as {first!r}; plain numbers are 1234.5, and dates 2020-01-31")


def note_mostly_numbers(column: TextColumn, notes: list[str], where: str) -> None:
    """A number column with a slip of the pen is text, and nobody would see why."""
    pc = compute()
    sample = column.texts.slice(0, SAMPLE)
    if len(sample) < 2 or 2 * (pc.sum(pc.match_substring_regex(sample, NUMBER)).as_py() or 0) < len(sample):
        return
    number = pc.match_substring_regex(column.texts, NUMBER).to_numpy(zero_copy_only=False)
    rows = np.append(number, True)[column.codes]
    others = np.flatnonzero(~rows)
    if not len(others) or len(others) > (1 - MOSTLY) * (column.codes != NULL).sum():
        return
    first = "; ".join(
        f"row {row + 1} has {shortened(column.texts[int(column.codes[row])].as_py(), 30)!r}"
        for row in others[:3].tolist()
    )
    notes.append(f"{where}: read as text, since {len(others)} of its values are no plain numbers ({first})")
