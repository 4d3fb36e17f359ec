"""`learn --infer`: what the bias of a folder leaves open, found in its facts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.cli import main
from maxsynth.data.infer_folder import infer_folder
from maxsynth.task.task import ReadTask

BIAS = "head_pred(euro,1). body_pred(region,2). body_pred(borders,2). body_pred(area,2). body_pred(landlocked,1).\n"
PLACES = [f"c{number}" for number in range(12)]
BK = "".join(
    f"region({place},{['north', 'south', 'east'][number % 3]}). area({place},{100 + 37 * number}).\n"
    + (f"borders({place},{PLACES[(number + 1) % 12]}).\n" if number % 4 else f"landlocked({place}).\n")
    for number, place in enumerate(PLACES)
)
EXS = "".join(f"{'pos' if number % 3 == 1 else 'neg'}(euro({place})).\n" for number, place in enumerate(PLACES))


def test_what_is_inferred(make_task: Callable[..., Path]) -> None:
    found = infer_folder(ReadTask.from_folder(make_task(BIAS, BK, EXS)))
    assert {line for line in found.lines if not line.startswith("type")} == {
        "constants(region).", "numbers(area).", "direction(euro,(in,)).", "direction(region,(in,out)).",
        "direction(borders,(out,out)).", "direction(area,(in,out)).", "direction(landlocked,(in,)).",
    }  # fmt: skip
    assert "type(borders,(thing,thing))." in found.lines


def test_it_is_said_and_helps(
    make_task: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_task(BIAS, BK, EXS)
    assert main(["learn", str(folder), "--quiet"]) == 0
    assert capsys.readouterr().out == "% the empty program\n"
    result = tmp_path / "result.json"
    assert main(["learn", str(folder), "--infer", "--json", str(result)]) == 0
    out, err = capsys.readouterr()
    assert out == "euro(A) :- region(A,south).\n"
    assert "inferred constants: region\n" in err
    assert "rules of up to" in err
    assert main(["verify", str(result)]) == 0


def test_what_the_bias_says_stays(make_task: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    types = "type(euro,(c,)). type(region,(c,r)). type(borders,(c,c)). type(area,(c,a)). type(landlocked,(c,)).\n"
    assert main(["learn", str(make_task(BIAS + types, BK, EXS)), "--infer"]) == 0
    assert "nothing is inferred" in capsys.readouterr().err
