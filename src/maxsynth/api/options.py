"""The arguments of the functions in Python, checked where they come in: what was given, and what is wanted."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from maxsynth.api.option_values import MOST_SECONDS, memory_size
from maxsynth.background.engines import CHOICES
from maxsynth.background.python_terms import shown
from maxsynth.bias.bias import Overrides
from maxsynth.errors import MaxSynthError
from maxsynth.proofs.metrics import Weights
from maxsynth.spread.address import parse_address
from maxsynth.task.labels import NO_LABELS, Labels


def wrong(name: str, value: object, wanted: str) -> MaxSynthError:
    return MaxSynthError(f"{name}={shown(value)}", remedy=f"give {wanted}")


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, value, "True or False")
    return bool(value)


def integer(value: object) -> int | None:
    """An integer of Python or of another library; None for all else, and for True and False."""
    try:
        return None if isinstance(value, bool | np.bool_) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def seconds(name: str, value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < MOST_SECONDS:  # nor NaN
        raise wrong(name, value, "a number of seconds from 0 on, or None for no limit")
    return float(value)


def count(name: str, value: object) -> int | None:
    number = integer(value)
    if value is not None and (number is None or number < 1):
        raise wrong(name, value, "a positive integer, or None for no limit")
    return number


def overrides(*values: object) -> Overrides:
    """Of `max_vars`, `max_body` and `max_clauses`, in this order."""
    limits = []
    for name, value in zip(Overrides._fields, values, strict=True):
        number = integer(value)
        if value is not None and (number is None or number < 1):
            raise wrong(name, value, "a positive integer, or None for what the bias says")
        limits.append(number)
    return Overrides(*limits)


def weights(value: object) -> Weights | None:
    """None stands for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) == 3:
        numbers = [integer(part) for part in value]
        if all(number is not None and number > 0 for number in numbers):
            return Weights(*(number or 0 for number in numbers))
    raise wrong("weights", value, 'three positive integers: size, fp, fn; or "auto"')


def memory(value: object) -> int | None:
    if value is None:
        return None
    size = memory_size(value) if isinstance(value, str) else integer(value)
    if size is None or size < 1:
        raise wrong("memory", value, 'a number of bytes, or a size such as "500M" or "2G"')
    return size


def callback(value: Any, name: str = "on_progress") -> Callable[[Any], object] | None:
    if value is not None and not callable(value):
        raise wrong(name, value, f"a function that takes a {'Progress' if name == 'on_progress' else 'Front'}")
    function: Callable[[Any], object] | None = value
    return function


def cluster(value: Any) -> object:
    """An address, or a client of Dask."""
    if isinstance(value, str):
        parse_address(value)
    elif value is not None and not (hasattr(value, "scheduler_info") and hasattr(value, "submit")):
        raise wrong("cluster", value, 'an address such as "local:4" or "host:8786", or a distributed.Client')
    known: object = value
    return known


def text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise wrong(name, value, "a string")
    return value


def path(name: str, value: object) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise wrong(name, value, "a path")
    return Path(value)


def file(name: str, value: object) -> Path | None:
    return None if value is None else path(name, value)


def engine(value: object) -> str:
    if not isinstance(value, str) or value not in CHOICES:
        raise MaxSynthError(f"prolog={shown(value)}", remedy='choose "auto", "builtin" or "swipl"')
    return value


def labels(value: object) -> Labels:
    """What is decided about labels: nothing, a file, or an example and a decision each."""
    if value is None:
        return NO_LABELS
    if isinstance(value, str | os.PathLike):
        return Labels.from_file(Path(value))
    if isinstance(value, Mapping) and all(isinstance(part, str) for pair in value.items() for part in pair):
        return Labels.of(value)
    raise wrong("labels", value, 'a file, or {example: "keep", "flip" or "leave out"}')
