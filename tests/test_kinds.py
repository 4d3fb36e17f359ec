"""Values that look the same and are of different kinds: what joins them in a rule never holds, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsynth import MaxSynthWarning, Task, Text, learn
from maxsynth.cli import main

BORN = [("ann", 1950), ("bob", 1975), ("cleo", 2001)]
LABELS = {("f", "ann"): True, ("f", "bob"): True, ("f", "cleo"): True, ("f", "dan"): False}


@pytest.mark.parametrize(
    ("years", "kind"),
    [
        (["1950", "1975"], "argument 2 of born/2 has the integer 1950 and argument 1 of leap/1 the atom '1950'"),
        (["2020.0", "1950.0"], "argument 2 of born/2 has the integer 1950 and argument 1 of leap/1 the atom '1950.0'"),
        ([1950.0], "argument 1 of leap/1 has the float 1950.0 and argument 2 of born/2 the integer 1950"),
        ([Text("1975")], "argument 2 of born/2 has the integer 1975 and argument 1 of leap/1 the string \"1975\""),
        ([Text("ann")], "argument 1 of leap/1 has the string \"ann\" and argument 1 of "),
    ],
)  # fmt: skip
def test_arguments_that_never_meet(years: list[object], kind: str) -> None:
    task = Task(LABELS, {"born": BORN, "leap": years})
    assert kind in task.warnings[0]
    assert "never equal (write both in the same way; a str in Python is an atom)" in task.warnings[0]
    assert "\n" not in task.warnings[0]
    assert task.warnings[0] in task.check().warnings
    with pytest.warns(MaxSynthWarning, match=r"which are never equal"):
        learn(task)


def test_one_argument_with_both() -> None:
    (warning,) = Task(LABELS, {"born": [*BORN, ("dan", "1950")]}).warnings
    assert warning.startswith("argument 2 of born/2 has the integer 1950 and argument 2 of born/2 the atom '1950', ")


def test_types_keep_apart_what_is_not_meant_to_meet() -> None:
    types = {"f": ("person",), "born": ("person", "year"), "code": ("code",)}
    facts = {"born": BORN, "code": ["1950"]}
    assert Task(LABELS, facts, {"type": types}).warnings == ()
    assert Task(LABELS, facts, {"type": types | {"code": ("year",)}}).warnings != ()
    some = {name: known for name, known in types.items() if name != "code"}  # a predicate without a type takes all
    assert any("never equal" in warning for warning in Task(LABELS, facts, {"type": some}).warnings)


@pytest.mark.parametrize(
    "values", [[1950, 1975], ["year", "1950a"], [1950.5, 1e300], [Text("some")], [[1950]], [2**70], ["01950"]]
)
def test_no_false_alarm(values: list[object]) -> None:
    assert Task(LABELS, {"born": BORN, "year": values}).warnings == ()


def test_the_command_says_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Task(LABELS, {"born": BORN, "leap": ["1950"]}).to_folder(tmp_path / "task")
    assert main(["check", str(tmp_path / "task")]) == 0
    assert "warning: argument 2 of born/2 has the integer 1950 and" in capsys.readouterr().out


def test_many_are_counted() -> None:
    facts: dict[str, object] = {f"p{n}": [n, n + 1, n + 2] for n in range(8)}
    warnings = Task({("f", str(n)): n > 3 for n in range(10)}, facts).warnings
    assert len(warnings) == 6
    assert warnings[-1] == "and 3 more arguments with such values"
