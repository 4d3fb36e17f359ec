"""Values as they are stored: in lists, in arrays, as a range, or chosen from texts that many columns share.

There may be millions of them. Nearly all that is asked of them is the number of each as a term, and the kernel takes
that from arrays without a Python object for each value. Values that several predicates have, such as the key of a
table, are numbered once (`Numbering`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from maxsynth.kernel.terms import TermStore
from maxsynth.prolog.terms import Term

Ids = NDArray[np.int32]
AT_ONCE = 1000


class Texts:
    """Distinct texts, in an array of Arrow of the type large_string; columns choose theirs from it (`Chosen`)."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getstate__(self) -> object:
        return {"array": self.array}

    @cached_property
    def objects(self) -> NDArray[Any]:
        """The same in Python, once somebody asks for all of those of a column."""
        found: NDArray[Any] = self.array.to_numpy(zero_copy_only=False)
        return found

    def bytes_and_ends(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """All texts as UTF-8, and where each begins and the last one ends."""
        _, ends, text = self.array.buffers()
        offset = self.array.offset
        where = np.zeros(1, np.int64) if ends is None else np.frombuffer(ends, np.int64)
        return np.frombuffer(text or b"", np.uint8), where[offset : offset + len(self.array) + 1]


class Chosen(Sequence[str]):
    """Some of the texts that many columns share, by their places."""

    def __init__(self, texts: Texts, places: NDArray[np.int32]) -> None:
        self.texts = texts
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return Chosen(self.texts, self.places[place])
        found: str = self.texts.array[int(self.places[place])].as_py()
        return found

    def __iter__(self) -> Iterator[str]:
        """A few at once: who looks for one of them mostly finds it soon."""
        for start in range(0, len(self), AT_ONCE):
            yield from Chosen(self.texts, self.places[start : start + AT_ONCE]).tolist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chosen | list) and self.tolist() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def tolist(self) -> list[str]:
        if "objects" not in self.texts.__dict__ and 2 * len(self) < len(self.texts):  # a few need no others
            found: list[str] = self.texts.array.take(self.places).to_numpy(zero_copy_only=False).tolist()
            return found
        chosen: list[str] = self.texts.objects[self.places].tolist()
        return chosen


Stored = Sequence[Any] | NDArray[Any]  # of terms, in which a `str` stands for an atom; an array has numbers


def listed(values: Stored) -> list[Any]:
    """The values as Python has them."""
    if isinstance(values, list):
        return values
    found: list[Any] = values.tolist() if isinstance(values, np.ndarray | Chosen) else list(values)
    return found


def values_at(values: Stored, places: NDArray[Any]) -> list[Any]:
    """Some of the values, as Python has them."""
    if isinstance(values, np.ndarray):
        found: list[Any] = values[places].tolist()
        return found
    if isinstance(values, Chosen):
        return Chosen(values.texts, values.places[places]).tolist()
    return [values[place] for place in places.tolist()]


class Joined(Sequence[Any]):
    """The values of several columns, one after the other, each as it is stored."""

    def __init__(self, parts: Sequence[Stored]) -> None:
        self.parts = tuple(parts)
        self.size = sum(map(len, self.parts))

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Term | str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Term | str]: ...
    def __getitem__(self, place: int | slice) -> Term | str | Sequence[Term | str]:
        if isinstance(place, slice):
            return list(self)[place]
        if place < 0:
            place += self.size
        for part in self.parts:
            if 0 <= place < len(part):
                found: Any = part[place]
                term: Term | str = found.item() if isinstance(part, np.ndarray) else found
                return term
            place -= len(part)
        raise IndexError("there is no such value")

    def __iter__(self) -> Iterator[Term | str]:
        return chain.from_iterable(map(listed, self.parts))


class Numbering:
    """The numbers of values as terms of a store. Those of a column are asked for once, however many predicates have it.

    It is to be forgotten when a task is read: it keeps all that was asked for.
    """

    def __init__(self, store: TermStore) -> None:
        self.store = store
        self.known: dict[object, tuple[Stored, Ids]] = {}  # by identity, so that the values have to stay there as well
        self.of_texts: dict[int, tuple[Texts, Ids]] = {}

    def ids(self, values: Stored) -> Ids:
        if isinstance(values, Joined):
            return np.concatenate([np.zeros(0, np.int32), *map(self.ids, values.parts)])
        if isinstance(values, Chosen):
            return self.chosen(values)
        key = values if isinstance(values, range) else id(values)
        if key not in self.known:
            self.known[key] = values, self.new(values)
        return self.known[key][1]

    def new(self, values: Stored) -> Ids:
        if isinstance(values, range):
            values = np.arange(values.start, values.stop, values.step, dtype=np.int64)
        if isinstance(values, np.ndarray) and values.dtype == np.int64:
            return self.store.intern_integers(np.ascontiguousarray(values))
        return self.store.intern_all(listed(values))

    def chosen(self, values: Chosen) -> Ids:
        texts = values.texts
        if id(texts) not in self.of_texts:
            self.of_texts[id(texts)] = texts, np.full(len(texts), -1, np.int32)
        return self.store.intern_texts(*texts.bytes_and_ends(), values.places, self.of_texts[id(texts)][1])
