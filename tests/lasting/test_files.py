"""What is no checkpoint of this run is refused in one line; nothing is overwritten by one; no content does harm."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsynth
from maxsynth.cli import main
from maxsynth.errors import MaxSynthError
from maxsynth.search.checkpoints import file as checkpoint_file
from maxsynth.search.checkpoints.file import MAGIC, read, write
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask
from oracle.calling_tasks import random_calling_task
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task

from .resumed import run
from .test_resumed import read_of

KINSHIP = Path(__file__).parent.parent.parent / "examples" / "kinship"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return Path(shutil.copytree(KINSHIP, tmp_path / "kinship"))


def learn(task: Path, *options: str) -> int:
    return main(["learn", str(task), "--quiet", "--steps", "40", *options])


def refused(task: Path, saved: Path, capsys: Capture, *options: str) -> str:
    """The one line of an error."""
    capsys.readouterr()
    assert learn(task, "--resume", str(saved), *options) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert str(saved) in err
    return err


def test_another_run(task: Path, tmp_path: Path, capsys: Capture) -> None:
    saved = tmp_path / "saved"
    assert learn(task, "--checkpoint", str(saved)) == 0
    assert learn(task, "--resume", str(saved)) == 0
    assert "weights" in refused(task, saved, capsys, "--weights", "1,2,1")
    assert "exact" in refused(task, saved, capsys, "--exact")
    assert "method" in refused(task, saved, capsys, "--method", "asp")
    assert "another bias" in refused(task, saved, capsys, "--max-body", "2")
    assert "another bias" in refused(task, saved, capsys, "--forbid-singletons")
    moved = task.rename(tmp_path / "elsewhere")
    assert learn(moved, "--resume", str(saved)) == 0  # a task is known by what it is, not by where it is
    with (moved / "exs.pl").open("a") as file:
        file.write("neg(grandparent(amy,amy)).\n")
    assert "another task" in refused(moved, saved, capsys)


def test_another_version(task: Path, tmp_path: Path, capsys: Capture) -> None:
    saved = tmp_path / "saved"
    assert learn(task, "--checkpoint", str(saved)) == 0
    contents = read(saved)
    contents["identity"]["version"] = "0.0.9"
    write(saved, contents)
    assert "version 0.0.9" in refused(task, saved, capsys)


def test_broken_files(task: Path, tmp_path: Path, capsys: Capture) -> None:
    saved, broken = tmp_path / "saved", tmp_path / "broken"
    assert learn(task, "--checkpoint", str(saved)) == 0
    data = saved.read_bytes()
    assert "no such checkpoint" in refused(task, broken, capsys)
    assert "folder" in refused(task, tmp_path, capsys)
    for text in (b"", b"nothing", MAGIC[:-1], (task / "bk.pl").read_bytes()):
        broken.write_bytes(text)
        assert "no checkpoint" in refused(task, broken, capsys)
    rng = random.Random(1)
    for end in [len(MAGIC), len(MAGIC) + 4, len(data) - 1, *(rng.randrange(len(MAGIC), len(data)) for _ in range(30))]:
        broken.write_bytes(data[:end])
        assert "damaged" in refused(task, broken, capsys)
    for _ in range(60):
        place = rng.randrange(len(MAGIC), len(data))
        broken.write_bytes(data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :])
        assert "damaged" in refused(task, broken, capsys)
    broken.write_bytes(data + b"\0")
    assert "damaged" in refused(task, broken, capsys)


def test_nothing_else_is_overwritten(task: Path, tmp_path: Path, capsys: Capture) -> None:
    other = Path(shutil.copytree(task, tmp_path / "other"))
    with (other / "exs.pl").open("a") as file:
        file.write("neg(grandparent(amy,amy)).\n")
    saved, text = tmp_path / "saved", tmp_path / "text"
    text.write_text("my thesis")
    assert learn(other, "--checkpoint", str(saved)) == 0
    before = saved.read_bytes()
    wrong = ((text, "no checkpoint"), (saved, "another task"), (task / "exs.pl", "input"), (tmp_path, "folder"))
    for place, said in wrong:
        capsys.readouterr()
        assert learn(task, "--checkpoint", str(place)) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert said in err
    assert (text.read_text(), saved.read_bytes()) == ("my thesis", before)
    saved.chmod(0o640)
    assert learn(other, "--checkpoint", str(saved)) == 0
    assert stat.S_IMODE(saved.stat().st_mode) == 0o640


@pytest.mark.parametrize("options", [["--weights", "auto"], ["--infer"]], ids=["weights", "climbing"])
def test_more_than_one_search(options: list[str], task: Path, tmp_path: Path, capsys: Capture) -> None:
    text = (task / "bias.pl").read_text().splitlines()
    (task / "bias.pl").write_text("\n".join(line for line in text if "max_" not in line) + "\n")
    assert main(["learn", str(task), *options, "--quiet", "--checkpoint", str(tmp_path / "saved")]) == 2
    assert "--checkpoint is for one search" in capsys.readouterr().err


def test_a_disk_that_is_full(task: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run comes to its end all the same, and then says so."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("maxsynth.search.checkpoints.keeper.write", fail)
    assert learn(task, "--checkpoint", str(tmp_path / "saved")) == 2
    out, err = capsys.readouterr()
    assert "grandparent" in out
    assert "No space left" in err
    assert err.count("\n") == 1


def test_from_python(tmp_path: Path) -> None:
    task = maxsynth.Task.from_folder(KINSHIP)
    saved = tmp_path / "saved"
    whole = maxsynth.learn(task)
    maxsynth.learn(task, steps=3, checkpoint=saved)
    resumed = maxsynth.learn(task, resume=str(saved))
    assert (resumed.cost, resumed.program) == (whole.cost, whole.program)
    with pytest.raises(MaxSynthError, match="weights"):
        maxsynth.learn(task, weights=(1, 2, 1), resume=saved)
    with pytest.raises(MaxSynthError, match="checkpoint=5"):
        maxsynth.learn(task, checkpoint=5)  # type: ignore[arg-type]


# -- contents of a stranger ---------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there are numbers, texts and arrays in some contents."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))
    else:
        yield path


def changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, np.ndarray):
        if not value.size:
            return np.zeros((1, *value.shape[1:]), value.dtype) if rng.random() < 0.5 else value
        made = value.copy()
        if rng.random() < 0.2:
            return made[: rng.randrange(len(made))]
        flat = made.reshape(-1).view(np.uint8)
        for _ in range(rng.choice((1, 1, 8))):
            flat[rng.randrange(len(flat))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        return made
    if isinstance(value, bool) or value is None:
        return rng.choice((None, True, False, 3))
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -1, 0, 1 << 31, -(1 << 40), 1 << 70, "x", None))
    if isinstance(value, float):
        return rng.choice((-1.0, 1e300, "x"))
    return rng.choice(("", "x" * 5, "0x-1", "\0", 7, None))


def test_contents_that_nobody_saved(
    tmp_path: Path, effort: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the right checksum, and wrong in one place: an error, or a run that ends in some way. No crash."""
    monkeypatch.setattr(checkpoint_file, "KINDS", (*checkpoint_file.KINDS, "|O"))
    saved = tmp_path / "saved"
    for seed in range(effort(6, 60)):
        rng = random.Random(seed)
        make = (random_task, random_learned_task, random_calling_task)[seed % 3]
        reading = read_of(make(rng), tmp_path / "task")
        steps = run(reading, Settings(steps=10**6)).counts["steps"]
        run(reading, Settings(steps=max(1, steps * rng.randint(3, 9) // 10)), saved)
        for _ in range(effort(25, 200)):
            contents = read(saved)
            *way, last = rng.choice(list(places(contents["state"])))
            part = contents["state"]
            for key in way:
                part = part[key]
            part[last] = changed(part[last], rng)
            write(tmp_path / "changed", contents)
            with contextlib.suppress(MaxSynthError, MemoryError):
                run(reading, Settings(steps=steps + 200), tmp_path / "changed", resume=True)
            (tmp_path / "changed").unlink(missing_ok=True)
        saved.unlink()


def test_arrays_and_values_come_back(tmp_path: Path) -> None:
    contents = {
        "a": np.arange(6, dtype=np.uint8).reshape(2, 3),
        "none": np.zeros((0, 8), np.uint8),
        "deep": [1, [2.5, {"b": np.array([True, False])}], "text", None, -(1 << 80)],
        "numbers": np.array([-(1 << 60), 5]),
    }
    write(tmp_path / "file", contents)
    found = read(tmp_path / "file")
    assert json.dumps(found["deep"][0]) == "1"
    assert found["deep"][1][1]["b"].tolist() == [True, False]
    assert found["deep"][2:] == ["text", None, -(1 << 80)]
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["none"].shape == (0, 8)
    assert found["numbers"].tolist() == [-(1 << 60), 5]


def test_a_task_is_read_once_more(tmp_path: Path) -> None:
    """The identity of a task does not depend on what was asked of it since it was read."""
    from maxsynth.search.checkpoints.identity import identity_of

    task = ReadTask.from_folder(KINSHIP)
    before = identity_of(task, Settings())
    task.background.close(task.bias.body)
    assert identity_of(task, Settings()) == before
