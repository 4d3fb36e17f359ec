"""The packages that reading needs, which the core does without: imported when first used, with a word where missing."""

from __future__ import annotations

import importlib
from typing import Any

from maxsynth.errors import MaxSynthError

PIP = "pip install 'maxsynth[data]'"


def arrow() -> Any:
    return needed("pyarrow")


def compute() -> Any:
    return needed("pyarrow.compute")


def needed(module: str) -> Any:
    """A module of the extra."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != package:  # it is there, and does not work
            raise MaxSynthError(f"the package {package} cannot be loaded: {error}", remedy=PIP) from None
        raise MaxSynthError(f"reading this needs the package {package}", remedy=PIP) from None
