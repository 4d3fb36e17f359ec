"""Warnings in Python: what the command prints about a task before it learns from it."""

from __future__ import annotations

import warnings as python_warnings
from collections.abc import Sequence


class MaxSynthWarning(UserWarning):
    """Something about a task that is probably not meant."""


def warn(messages: Sequence[str], stacklevel: int = 3) -> None:
    """As Python warns, of the line that called whoever calls this, or of one further up."""
    for message in messages:
        python_warnings.warn(message, MaxSynthWarning, stacklevel=stacklevel)
