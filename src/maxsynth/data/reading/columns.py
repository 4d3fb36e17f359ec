"""Arrow's arrays as columns: each distinct value once, and for each row the place of its value.

What is done to values (numbers from decimals, seconds from timestamps) is done to the distinct ones, after they are
found. Arrow finds them in the order of first sight, so that the result does not depend on how the rows came in parts.

Missing are: null, NaN, and the empty text. An infinite number is no value either; that is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.data.reading.extras import arrow, compute
from maxsynth.data.tables import NULL, Column, Kind

Codes = NDArray[np.int32]
LARGEST = (1 << 63) - 1
TEXTS = ("is_string", "is_large_string", "is_string_view")


@dataclass(frozen=True)
class TextColumn:
    """A column of text from a source without types: what its values are is for `texts` to find."""

    name: str
    texts: Any  # distinct, an array of Arrow
    codes: Codes
    words: bool = False  # whether it is from a file of text, where `yes`, `NA` and spaces around numbers are understood

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class LeftOut:
    """A column that cannot be part of a task, and why."""

    name: str
    why: str


def encoded(array: Any) -> tuple[Any, Codes]:
    """The distinct values of an array, and the place of each row's value."""
    pa = arrow()
    if isinstance(array, pa.ChunkedArray):  # as one: each part would get all values that were found up to then
        array = (array.unify_dictionaries() if pa.types.is_dictionary(array.type) else array).combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    places = array.indices.cast(pa.int32())
    codes = (places.fill_null(NULL) if places.null_count else places).to_numpy(zero_copy_only=False)
    return array.dictionary, codes


def recoded(values: Any, codes: Codes) -> tuple[Any, Codes]:
    """The same for values that changed: some may have become equal, or null."""
    distinct, places = encoded(values)
    if len(distinct) == len(values):
        return distinct, codes
    return distinct, np.append(places, np.int32(NULL))[codes]  # NULL is the last place


def text_values(texts: Any) -> list[str]:
    """Arrow's text as a list, without an object of Arrow for each."""
    found: list[str] = texts.to_numpy(zero_copy_only=False).tolist()
    return found


def without_empty(texts: Any, codes: Codes) -> tuple[Any, Codes]:
    """Empty text says nothing: it is a missing value."""
    place = texts.index("").as_py()
    if place < 0:
        return texts, codes
    pa = arrow()
    kept = pa.chunked_array([texts.slice(0, place), texts.slice(place + 1)], texts.type).combine_chunks()
    return kept, np.where(codes == place, np.int32(NULL), np.where(codes > place, codes - 1, codes)).astype(np.int32)


def plain_text(array: Any) -> Any:
    """An array of text of any of Arrow's types as one whose offsets never run out."""
    pa = arrow()
    if pa.types.is_dictionary(array.type):
        if array.type.value_type == pa.large_string():
            return array
        if isinstance(array, pa.ChunkedArray):
            return pa.chunked_array(
                [plain_text(chunk) for chunk in array.chunks], pa.dictionary(pa.int32(), pa.large_string())
            )
        return pa.DictionaryArray.from_arrays(array.indices.cast(pa.int32()), array.dictionary.cast(pa.large_string()))
    return array.cast(pa.large_string())


def text_column(name: str, array: Any, *, words: bool = False) -> TextColumn:
    """A column from a source that has nothing but text."""
    return TextColumn(name, *without_empty(*encoded(plain_text(array))), words=words)


# -- sources with types ---------------------------------------------------------------------------------------


def typed_column(name: str, array: Any, notes: list[str], where: str) -> Column | LeftOut:
    """A column as its type in Arrow says. `where` is what notes call it."""
    pa = arrow()
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType) and is_text(kind.storage_type):
        return typed_text(name, pa.chunked_array([chunk.storage for chunk in array.chunks], kind.storage_type))
    if pa.types.is_dictionary(kind):
        return typed_column(name, decoded(array), notes, where)
    if pa.types.is_null(kind):
        return Column(name, Kind.TEXT, [], np.full(len(array), NULL, np.int32))
    for test, make in MAKERS:
        if any(getattr(pa.types, one)(kind) for one in test if hasattr(pa.types, one)):
            return make(name, array, notes, where)
    return LeftOut(name, "binary values" if binary(kind) else f"values of the type {kind}")


def decoded(array: Any) -> Any:
    """An array of a dictionary type, as data frames have for categories, as one of its values."""
    pa = arrow()
    kind = array.type.value_type
    if is_text(kind):  # not all of Arrow's types of text can be taken from
        kind = pa.large_string()
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in array.chunks], kind)


def is_text(kind: Any) -> bool:
    types = arrow().types
    return any(getattr(types, test)(kind) for test in TEXTS if hasattr(types, test))


def binary(kind: Any) -> bool:
    types = arrow().types
    return any(
        getattr(types, test)(kind)
        for test in ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
        if hasattr(types, test)
    )


def yes_no(name: str, array: Any, *_: object) -> Column:
    values, codes = encoded(array)
    return Column(name, Kind.YES_NO, values.to_numpy(zero_copy_only=False).astype(bool), codes)


def integers(name: str, array: Any, *_: object) -> Column:
    pa = arrow()
    values, codes = encoded(array)
    if pa.types.is_uint64(values.type) and len(values) and compute().max(values).as_py() > LARGEST:
        return Column(name, Kind.INTEGER, values.to_pylist(), codes)
    return Column(name, Kind.INTEGER, values.cast(pa.int64()).to_numpy(zero_copy_only=False), codes)


def decimal_integers(name: str, array: Any) -> Column:
    """Decimals without a fraction, which databases use for large integers."""
    pa = arrow()
    values, codes = encoded(array)
    try:
        return Column(name, Kind.INTEGER, values.cast(pa.int64()).to_numpy(zero_copy_only=False), codes)
    except pa.ArrowInvalid:
        return Column(name, Kind.INTEGER, [int(value) for value in values.to_pylist()], codes)


def reals(name: str, array: Any, notes: list[str], where: str) -> Column:
    pa, pc = arrow(), compute()
    if pa.types.is_decimal(array.type) and array.type.scale == 0:
        return decimal_integers(name, array)
    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    values, codes = encoded(array)
    if pa.types.is_float32(values.type):  # the number that was meant: 0.1 as four bytes is not 0.1 as eight
        values = values.cast(pa.string())
    values = pc.add(values.cast(pa.float64()), 0.0)  # no -0.0
    finite = pc.is_finite(values)
    if not pc.all(finite, min_count=0).as_py():
        infinite = np.append(pc.is_inf(values).to_numpy(zero_copy_only=False), False)[codes]
        if infinite.any():
            notes.append(f"{where}: {infinite.sum()} infinite numbers are read as missing")
        values = pc.if_else(finite, values, None)
    values, codes = recoded(values, codes)
    return Column(name, Kind.REAL, values.to_numpy(zero_copy_only=False), codes)


def typed_text(name: str, array: Any, *_: object) -> Column:
    texts, codes = without_empty(*encoded(plain_text(array)))
    return Column(name, Kind.TEXT, text_values(texts), codes)


def dates(name: str, array: Any, *_: object) -> Column:
    pa = arrow()
    values, codes = recoded_as(array, pa.date32())
    return Column(name, Kind.DATE, values.cast(pa.int32()).cast(pa.int64()).to_numpy(zero_copy_only=False), codes)


def times(name: str, array: Any, *_: object) -> Column:
    """Arrow keeps times with a zone as UTC."""
    pa = arrow()
    values, codes = encoded(array)
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[values.type.unit]
    seconds = values.cast(pa.int64()).to_numpy(zero_copy_only=False) / per_second
    found, codes = recoded(pa.array(seconds), codes)
    return Column(name, Kind.TIME, found.to_numpy(zero_copy_only=False), codes)


def recoded_as(array: Any, kind: Any) -> tuple[Any, Codes]:
    values, codes = encoded(array)
    return recoded(values.cast(kind), codes)


Maker = Callable[[str, Any, list[str], str], Column]
MAKERS: list[tuple[tuple[str, ...], Maker]] = [
    (("is_boolean",), yes_no),
    (("is_integer",), integers),
    (("is_floating", "is_decimal"), reals),
    (TEXTS, typed_text),
    (("is_date",), dates),
    (("is_timestamp",), times),
]


# -- numbers of two kinds -------------------------------------------------------------------------------------


def is_whole(column: Column) -> bool:
    """Whether all numbers are whole ones, small enough that none of them was rounded."""
    values = np.asarray(column.values, np.float64)
    return bool((values == np.floor(values)).all() and (np.abs(values) < 2.0**53).all())


def as_integers(column: Column) -> Column:
    return replace(column, kind=Kind.INTEGER, values=np.asarray(column.values, np.float64).astype(np.int64))


def as_reals(column: Column) -> Column:
    values, codes = recoded(arrow().array(np.asarray(column.values, np.float64)), column.codes)
    return replace(column, kind=Kind.REAL, values=values.to_numpy(zero_copy_only=False), codes=codes)
