"""Names of predicates and types in answer set programs."""

from __future__ import annotations

import re


def asp_name(name: str) -> str:
    """As a constant where the name is one; a bias quotes all others."""
    if re.fullmatch(r"[a-z]\w*", name, re.ASCII):
        return name
    return asp_string(name)


def asp_string(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{quoted}"'
