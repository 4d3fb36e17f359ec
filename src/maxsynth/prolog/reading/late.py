"""Regular expressions that are compiled when they are first used: that takes longer than most of them are of use."""

from __future__ import annotations

import re
from typing import Any, cast


class Late:
    """Becomes what it stands for with the first question: its methods are then those of the compiled expression."""

    def __init__(self, text: str, flags: int) -> None:
        self.text = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.text, self.flags)
        for method in ("match", "fullmatch", "search", "finditer", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(text: str, flags: int = 0) -> re.Pattern[str]:
    return cast("re.Pattern[str]", Late(text, flags))
