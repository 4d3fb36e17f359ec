"""One run, in a process of its own: learns, tests what was learned, and prints a record as JSON.

The job is a line of JSON on standard input, which then stays open: when it closes, whoever started this process is
gone, and it ends with all that it started. Whatever goes wrong is part of the record.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from maxsynth.bench import commands, variants
from maxsynth.bench.limit import Limit
from maxsynth.bench.systems import ALEPH
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.logic.programs import Program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Confusion
from maxsynth.task.task import ReadTask

ERROR = "error"
Job = dict[str, object]
Record = dict[str, object]


def main() -> None:
    job: Job = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    answer = os.dup(1)
    os.dup2(2, 1)  # what anything else prints is not the answer
    with contextlib.suppress(ImportError, ValueError, OSError):
        limit_memory(int(str(job["memory"])))
    record = run(job)
    commands.end_all()
    with os.fdopen(answer, "w") as out:
        out.write(json.dumps(record))


def end_with_parent() -> None:
    sys.stdin.read()
    commands.end_all()
    os._exit(1)


def limit_memory(limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run(job: Job) -> Record:
    """The record of a run, with an error where there is one."""
    try:
        return run_safely(job)
    except MaxSynthError as error:
        return {"status": ERROR, "error": one_line(str(error))}
    except MemoryError:
        return {"status": ERROR, "error": "out of memory"}
    except Exception as error:
        return {"status": ERROR, "error": one_line(f"{type(error).__name__}: {error}")}


def run_safely(job: Job) -> Record:
    folder = Path(str(job["folder"]))
    learned = learn(job, folder, Limit.of(job))
    program = learned.program or Program()  # no program predicts that nothing is true
    record: Record = {
        "status": learned.status,
        "seconds": round(learned.seconds, 3),
        "found": learned.program is not None,
        "size": program.size,
        "program": [str(rule) for rule in program.rules],
        **learned.details,
    }
    record["train"] = asdict(confusions([program], folder, test=False)[0])
    programs = [better.program for better in learned.better]
    counts = confusions([program, *programs], folder, test=(folder / "test").is_dir())
    record["test"] = asdict(counts[0])
    record["curve"] = [
        [better.seconds, found.balanced_accuracy, better.steps]
        for better, found in zip(learned.better, counts[1:], strict=True)
    ]
    record["memory_mb"] = peak_memory()
    return record


def learn(job: Job, folder: Path, limit: Limit) -> variants.Learned:
    system, command = str(job["system"]), job["command"]
    if command is None:
        return variants.learn(system, folder, limit, int(str(job["memory"])))
    if system == ALEPH:
        from maxsynth.bench import aleph

        return aleph.learn(Path(str(command)), folder, limit.seconds)
    target = ReadTask.from_folder(folder).bias.head
    return commands.learn(str(command), folder, limit.seconds, target.name)


def confusions(programs: list[Program], folder: Path, *, test: bool) -> list[Confusion]:
    """What programs get right and wrong on the examples, for training or test."""
    task = ReadTask.from_folder(folder, test=test)
    try:
        return [evaluate_program(program, task).confusion for program in programs]
    finally:
        task.background.close_engine()


def peak_memory() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return used >> (20 if sys.platform == "darwin" else 10)


if __name__ == "__main__":
    main()
