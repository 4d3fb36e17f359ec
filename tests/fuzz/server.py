"""Runs commands of MaxSynth, each in a fork of this process, and says how they ended.

A fork has all modules loaded already, so that a run takes some hundredths of a second, and a crash, a hang or an
exhausted memory is that of one input. This is a process of its own, since the one of the tests has threads.

A request is a line of JSON on standard input, and so is its answer on standard output.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

SHOWN = 1 << 20  # bytes of output that are looked at
NOBODY = 65534


def main() -> None:
    load()
    for line in sys.stdin:
        answer = run(json.loads(line))
        print(json.dumps(answer), flush=True)


def load() -> None:
    """All that a command may import later, when it may not read the folder where it is."""
    import maxsynth

    for module in pkgutil.walk_packages(maxsynth.__path__, "maxsynth."):
        if not module.name.startswith(("maxsynth.bench", "maxsynth.__main__")):
            importlib.import_module(module.name)
    # Who may read nothing may not be able to read Python's own library either, nor what NumPy imports late.
    late = (
        "hashlib",
        "html",
        "importlib.resources",
        "numpy.ma",
        "rich.console",
        "rich.live",
        "rich.text",
        "subprocess",
    )
    for name in late:
        importlib.import_module(name)
    b"x".decode("utf-8-sig")  # Python loads each encoding when it first meets it
    importlib.import_module("maxsynth.prolog.interpreter.builtins").library()


def run(request: dict[str, Any]) -> dict[str, Any]:
    """One command in a fork, which is killed when it does not end."""
    clock = time.monotonic()
    out, err = Path(request["scratch"]) / "stdout", Path(request["scratch"]) / "stderr"
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = run_here(request, out, err)
        finally:
            os._exit(status)
    hung = False
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - clock > request["seconds"]:
            hung = True
            os.kill(child, signal.SIGKILL)
            _, status, used = os.wait4(child, 0)
            break
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError):  # what it started goes with it
        os.killpg(child, signal.SIGKILL)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "hung": hung,
        "seconds": time.monotonic() - clock,
        "processor": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * 1024,
        "out": shown(out),
        "err": shown(err),
    }


def shown(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return file.read(SHOWN).decode(errors="backslashreplace")


def run_here(request: dict[str, Any], out: Path, err: Path) -> int:
    os.setsid()
    stdin = Path(request["scratch"]) / "stdin"
    for number, file in enumerate((stdin.open("rb"), out.open("wb"), err.open("wb"))):
        os.dup2(file.fileno(), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(request["folder"])
    if request["as_nobody"] and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    limit = int(request["processor"])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request["bk_steps"]:
        from maxsynth.prolog.interpreter import interpreter

        patient = functools.partial(interpreter.Interpreter, steps=request["bk_steps"])
        interpreter.Interpreter = patient  # type: ignore[assignment, misc]
    from maxsynth.cli import main as command

    try:
        status = command(request["arguments"])
    except SystemExit as ended:  # as argparse does
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status


if __name__ == "__main__":
    main()
