"""How long the command takes to start, and what it imports for that.

    .venv/bin/python benchmarks/startup.py

Times are the least of several runs, since all that disturbs a run makes it longer. The modules are those that are
loaded beyond what Python itself loads to start.
"""

from __future__ import annotations

import argparse
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


def seconds(arguments: list[str], runs: int) -> float:
    """The least time that a command takes, as a process of its own."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "maxsynth", *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description="How long the command takes to start, and what it imports for that.")
    parser.add_argument("--runs", type=int, default=7, help="of each command (default: 7)")
    runs = parser.parse_args().runs
    slow = 0
    for command, limit in COMMANDS.items():
        arguments = command.split()[1:]
        modules, taken = imported(arguments), seconds(arguments, runs)
        own = sum(name.startswith("maxsynth") for name in modules)
        verdict = "ok" if taken < limit else "SLOW"
        print(f"{command:22} {taken:6.3f} s (limit {limit} s)  {len(modules)} modules, {own} of MaxSynth  {verdict}")
        slow += taken >= limit
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
