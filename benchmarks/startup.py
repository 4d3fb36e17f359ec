"""How long the command takes to start, and what it imports for that.

    .venv/bin/python benchmarks/startup.py

Times are the least of several runs, since all that disturbs a run makes it longer. The modules are those that are
loaded beyond what Python itself loads to start.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

COMMANDS = {"maxsynth --help": 0.2, "maxsynth demo kinship": 1.0}  # with what each may take, in seconds

COUNT = """
import contextlib, io, sys
before = set(sys.modules)
from maxsynth.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    try:
        main({arguments!r})
    except SystemExit:
        pass
print(*sorted(set(sys.modules) - before))
"""


def imported(arguments: list[str]) -> list[str]:
    """The modules that a command loads."""
    script = COUNT.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return done.stdout.split()


def seconds(arguments: list[str], runs: int) -> tuple[float, float]:
    """The least time that a command takes, as a process of its own, and the least processor time."""
    times, busy = [], []
    for _ in range(runs):
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-m", "maxsynth", *arguments], check=True, capture_output=True)
        after = os.times()
        times.append(time.perf_counter() - start)
        busy.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times), min(busy)


def main() -> int:
    parser = argparse.ArgumentParser(description="How long the command takes to start, and what it imports for that.")
    parser.add_argument("--runs", type=int, default=7, help="of each command (default: 7)")
    runs = parser.parse_args().runs
    slow = 0
    for command, limit in COMMANDS.items():
        arguments = command.split()[1:]
        modules, (taken, busy) = imported(arguments), seconds(arguments, runs)
        own = sum(name.startswith("maxsynth") for name in modules)
        verdict = "ok" if taken < limit else "SLOW"
        counts = f"{len(modules)} modules, {own} of MaxSynth"
        print(f"{command:22} {taken:6.3f} s (limit {limit} s), {busy:.3f} s of work  {counts}  {verdict}")
        slow += taken >= limit
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
