"""The systems that are compared: variants of MaxSynth, and any other by the command that runs it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from maxsynth.bench.limit import Limit
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
QUICK_STEPS = 25_000
QUICK_TIMEOUT = 10.0  # of systems whose steps cannot be counted
DEFAULT = ("maxsynth", "no-constraints", "exact")

SPECIFICATION = re.compile(r"(?P<name>[\w.-]+)(:(?P<limit>[\w.]+))?(=(?P<command>.+))?", re.DOTALL)


@dataclass(frozen=True)
class System:
    """A system to run: built in without a command; for Aleph, the command is the file of its Prolog source."""

    name: str
    limit: Limit  # of one run
    command: str | None = None


def parse_system(text: str, *, quick: bool = False) -> System:
    """`NAME[:LIMIT][=COMMAND]`, such as `exact:60` or `popper:60=popper {task} --timeout {timeout}`."""
    match = SPECIFICATION.fullmatch(text)
    if match is None:
        raise MaxSynthError(f"`{text}` is no system", remedy="write NAME, NAME:LIMIT or NAME:LIMIT=COMMAND")
    name, command = match["name"], match["command"]
    if command is None and name not in BUILT_IN:
        remedy = f"write {name}=COMMAND, or one of {', '.join(BUILT_IN)}"
        if name == ALEPH:
            remedy = "write aleph=FILE, with the file of its source"
        raise MaxSynthError(f"the system `{name}` is not built in", remedy=remedy)
    if command is not None and name in BUILT_IN:
        raise MaxSynthError(f"the system `{name}` is built in", remedy="give the command another name")
    limit = Limit.parse(match["limit"]) if match["limit"] else default_limit(name, command is None, quick)
    if command is not None and limit.steps is not None:
        raise MaxSynthError(f"the steps of the system `{name}` cannot be counted", remedy="give it seconds")
    return System(name, limit, command)


def default_limit(name: str, built_in: bool, quick: bool) -> Limit:
    """A quick run counts the steps of built-in systems, so that it can be repeated."""
    if quick:
        return Limit.of_steps(QUICK_STEPS) if built_in else Limit(QUICK_TIMEOUT)
    return Limit(TIMEOUTS.get(name, OTHER_TIMEOUT))
