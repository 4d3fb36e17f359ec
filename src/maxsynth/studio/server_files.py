"""The files that a browser gets, as they are in the package."""

from __future__ import annotations

from importlib.resources import files

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


def page_files() -> dict[str, bytes]:
    """By name; nothing else is ever sent."""
    folder = files("maxsynth.studio") / "page"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.endswith(tuple(KINDS))}
