"""The systems that are compared: variants of MaxSynth, and any other by the command that runs it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from maxsynth.errors import MaxSynthError

# What `maxsynth.bench.variants` makes of each.
BUILT_IN = {
    "maxsynth": "MaxSynth",
    "no-constraints": "MaxSynth without noisy constraints",
    "exact": "exact (Popper) mode: no errors, or no program",
    "consistent": "as many positives as possible, and no negative",
    "fewer-errors": "MaxSynth; of programs that cost the same, one with the fewest errors",
    "singletons": "MaxSynth with singleton variables allowed",
    "ignore-directions": "MaxSynth with facts used in every direction",
    "auto-weights": "MaxSynth with weights chosen by cross-validation",
}
ALEPH = "aleph"
TIMEOUTS = {"maxsynth": 300.0}
OTHER_TIMEOUT = 60.0
QUICK_TIMEOUTS = {"maxsynth": 10.0}
QUICK_OTHER_TIMEOUT = 8.0
DEFAULT = ("maxsynth", "no-constraints", "exact")

SPECIFICATION = re.compile(r"(?P<name>[\w.-]+)(:(?P<timeout>[\d.]+))?(=(?P<command>.+))?", re.DOTALL)


@dataclass(frozen=True)
class System:
    """A system to run: built in without a command; for Aleph, the command is the file of its Prolog source."""

    name: str
    timeout: float  # seconds of one run
    command: str | None = None


def parse_system(text: str, *, quick: bool = False) -> System:
    """`NAME[:SECONDS][=COMMAND]`, such as `exact:60` or `popper:60=popper {task} --timeout {timeout}`."""
    match = SPECIFICATION.fullmatch(text)
    if match is None:
        raise MaxSynthError(f"`{text}` is no system", remedy="write NAME, NAME:SECONDS or NAME:SECONDS=COMMAND")
    name, command = match["name"], match["command"]
    if command is None and name not in BUILT_IN:
        remedy = f"write {name}=COMMAND, or one of {', '.join(BUILT_IN)}"
        if name == ALEPH:
            remedy = "write aleph=FILE, with the file of its source"
        raise MaxSynthError(f"the system `{name}` is not built in", remedy=remedy)
    if command is not None and name in BUILT_IN:
        raise MaxSynthError(f"the system `{name}` is built in", remedy="give the command another name")
    return System(name, read_timeout(match["timeout"], name, quick), command)


def read_timeout(text: str | None, name: str, quick: bool) -> float:
    if text is None:
        return QUICK_TIMEOUTS.get(name, QUICK_OTHER_TIMEOUT) if quick else TIMEOUTS.get(name, OTHER_TIMEOUT)
    try:
        return float(text)
    except ValueError:
        raise MaxSynthError(f"`{text}` is not a number of seconds", remedy="write NAME:SECONDS") from None
