"""The report, from results that are made up."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from maxsynth.bench.report.contents import tables
from maxsynth.bench.report.figures import SECONDS, accuracy_at
from maxsynth.bench.report.grouping import Results, balanced_accuracy
from maxsynth.bench.report.recorded import against_paper, load
from maxsynth.bench.report.tables import Cell, Table
from maxsynth.bench.report.write import write_report
from maxsynth.errors import MaxSynthError

ROOT = Path(__file__).parents[2]
RIGHT = {"maxsynth": (95, 97, 96), "no-constraints": (95, 97, 96), "exact": (50, 52, 50)}
SETTINGS: dict[str, object] = {"seed": 1, "quick": False, "data": None}


def made_up(task: str, system: str, trial: int, **others: object) -> dict[str, Any]:
    right = RIGHT.get(system, (60, 60, 60))[trial]
    return {
        "task": task,
        "system": system,
        "trial": trial,
        "timeout": 10.0,
        "status": "optimal",
        "seconds": {"maxsynth": 1.0, "no-constraints": 8.0}.get(system, 2.0) + 0.1 * trial,
        "cost": 20 + trial,
        "tested": 100 if system == "maxsynth" else 1000,
        "test": {"tp": right, "fn": 100 - right, "tn": 100, "fp": 0},
        "curve": [[0.5, 0.7], [0.9, (right + 100) / 200]],
        **others,
    }


@pytest.fixture
def records() -> list[dict[str, Any]]:
    found = [
        made_up(task, system, trial)
        for task in ("zendo2-0", "zendo2-20", "iggp-rps-0", "iggp-rps-20", "alzheimer-toxic")
        for system in ("maxsynth", "no-constraints", "exact", "popper")
        for trial in range(3)
    ]
    found.append(made_up("zendo2-0", "maxsynth", 0, timeout=2.0, test={"tp": 0, "fn": 1, "tn": 1, "fp": 0}))
    found.append(
        {"task": "dropk-0", "system": "exact", "trial": 0, "timeout": 10.0, "status": "error", "error": "<no>"}
    )
    found[1]["status"] = "timeout"
    return found


def table(results: Results, key: str) -> Table:
    return next(table for table in tables(results) if table.key == key)


def row(table: Table, task: str) -> dict[str, Cell]:
    return next(dict(zip(table.columns, cells, strict=True)) for cells in table.rows if cells[0].text == task)


def test_table_1(records: list[dict[str, Any]]) -> None:
    found = table(Results(records), "accuracies")
    assert found.columns == ["task", "maxsynth", "no-constraints", "exact", "popper"]
    cells = row(found, "zendo2-20")
    assert [cells[name].text for name in found.columns[1:]] == ["98.0 ± 0.3", "98.0 ± 0.3", "75.3 ± 0.3", "80.0 ± 0.0"]
    assert [cells[name].bold for name in found.columns[1:]] == [True, True, False, False]
    assert row(found, "zendo2-0")["maxsynth"].text == "98.0 ± 0.3†"  # a run was cut; the shorter limit does not count
    assert row(found, "dropk-0")["exact"].text == "–"
    said = " ".join(found.notes)
    assert (
        "maxsynth against exact: significantly better on 5, similar on 0, worse on 0 of 5 tasks (25, 13 and 4" in said
    )
    assert "maxsynth against no-constraints: significantly better on 0, similar on 5, worse on 0 of 5 tasks." in said


def test_table_2_and_3(records: list[dict[str, Any]]) -> None:
    results = Results(records)
    cells = row(table(results, "constraints-time"), "zendo2-20")
    assert [cell.text for cell in cells.values()] == ["zendo2-20", "8.1 ± 0.1", "1.1 ± 0.1", "-86%"]
    assert cells["difference"].bold
    assert [c.text for c in row(table(results, "constraints-programs"), "zendo2-0").values()][1:] == [
        "1,000 ± 0", "100 ± 0†", "-90%"]  # fmt: skip
    noiseless = table(results, "noiseless")
    assert [cells[0].text for cells in noiseless.rows] == ["iggp-rps-0", "zendo2-0", "dropk-0"]
    assert row(noiseless, "iggp-rps-0")["maxsynth"].bold


def test_times_are_compared_up_to_the_shorter_limit(records: list[dict[str, Any]]) -> None:
    for record in records:
        if record["task"] == "zendo2-20" and record["system"] in ("maxsynth", "no-constraints"):
            limit = 100.0 if record["system"] == "maxsynth" else 10.0
            record |= {"timeout": limit, "seconds": limit, "status": "timeout"}
    found = table(Results(records), "constraints-time")
    assert [cell.text for cell in row(found, "zendo2-20").values()][1:] == ["10.0 ± 0.0†", "100 ± 0†", "–"]
    assert not row(found, "zendo2-20")["difference"].bold
    assert found.notes[-1] == "Over all tasks 42 s without and 14 s with; faster with on 4 of 5."


def test_all_measures(records: list[dict[str, Any]]) -> None:
    cells = row(table(Results(records), "measures-exact"), "zendo2-0")
    assert list(cells) == ["task", "balanced accuracy", "accuracy", "precision", "recall", "F1"]
    assert [cell.text.split()[0] for cell in cells.values()][1:] == ["75.3", "75.3", "100.0", "50.7", "67.3"]


def test_worse_is_said_too(records: list[dict[str, Any]]) -> None:
    counts = Results(records).compare("exact", "maxsynth", balanced_accuracy, 0.01)
    assert (counts.better, counts.similar, counts.worse) == (0, 0, 5)


def test_side_by_side(records: list[dict[str, Any]], tmp_path: Path) -> None:
    mean = {"accuracy": {"mean": 98.5, "standard_error": 0.1, "trials": 10},
            "seconds": {"mean": 60.0, "standard_error": 1.0, "trials": 10}}  # fmt: skip
    single = {str(trial): {"accuracy": 99.0, "mdl": 20} for trial in range(3)}
    recorded = {
        "zendo2-0": {"means": {"maxsynth": mean, "popper-2": mean}},
        "zendo2-20": {"means": {"maxsynth": mean}, "maxsynth": single},
    }
    (tmp_path / "recorded.json").write_text(json.dumps(recorded))
    results = Results(records)
    found = against_paper(results, load(tmp_path / "recorded.json"))
    assert [cell.text for cell in row(found, "zendo2-0").values()][1:] == [
        "98.5 ± 0.1", "–", "98.0 ± 0.3", "–", "21.0 ± 0.6", "short by 0.2"]  # fmt: skip
    assert row(found, "zendo2-20")["recorded, these trials"].text == "99.0 ± 0.0"
    assert row(found, "zendo2-20")["at least theirs"].bold
    assert found.notes[-1] == "Falls short on 2 of 2 tasks: zendo2-0, zendo2-20."
    write_report(records, tmp_path / "report", SETTINGS, tmp_path / "recorded.json")
    with (tmp_path / "report" / "recorded-accuracy.csv").open() as file:
        first = next(iter(csv.DictReader(file)))
    assert (first["task"], first["exact, recorded"], first["maxsynth, ours"]) == ("zendo2-0", "98.5", "98")
    for text in ("[]", "nonsense"):
        (tmp_path / "recorded.json").write_text(text)
        with pytest.raises(MaxSynthError, match=r"recorded.json: th(is is no JSON|ese are no recorded results)"):
            load(tmp_path / "recorded.json")
    with pytest.raises(MaxSynthError, match="cannot be read"):
        load(tmp_path / "missing.json")


def test_the_files(records: list[dict[str, Any]], tmp_path: Path) -> None:
    said = write_report(records, tmp_path, SETTINGS, None)
    assert said.endswith(f"is in {tmp_path / 'report.html'}")
    names = {path.name for path in tmp_path.iterdir()}
    figures = {"time-alzheimer-toxic.svg", "time-zendo2-20.svg", "noise-iggp-rps.svg", "noise-zendo2.svg"}
    assert figures | {"report.md", "report.html", "accuracies.tex", "accuracies.csv", "errors.tex"} <= names
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_report(records, tmp_path, SETTINGS, None)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name in figures:
        drawing = ElementTree.parse(tmp_path / name)
        texts = {element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")}
        assert {"maxsynth", "exact", "balanced accuracy (percent)"} <= texts
    latex = (tmp_path / "accuracies.tex").read_text()
    assert (
        r"zendo2-20 & \textbf{98.0 $\pm$ 0.3} & \textbf{98.0 $\pm$ 0.3} & 75.3 $\pm$ 0.3 & 80.0 $\pm$ 0.0 \\" in latex
    )
    assert not re.search(r"[^\x00-\x7f]", latex)
    assert "| zendo2-20 | **98.0 ± 0.3** |" in (tmp_path / "report.md").read_text()
    page = (tmp_path / "report.html").read_text()
    assert page.count("<img ") == len(figures)
    assert "&lt;no&gt;" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)  # it needs nothing else


def test_a_shorter_limit_has_what_was_found_by_then(records: list[dict[str, Any]]) -> None:
    run = records[2]
    assert [round(accuracy_at(run, time, SECONDS), 1) for time in (0.4, 0.5, 0.8, 0.9, 5)] == [50, 70, 70, 98, 98]


def test_limits_of_steps(records: list[dict[str, Any]], tmp_path: Path) -> None:
    """They are shown as what they are, and what they cut is not compared."""
    for record in records:
        record |= {"timeout": 600.0, "most_steps": 2000 if record["system"] != "popper" else None}
        if "curve" in record:
            record["curve"] = [[*point, steps] for point, steps in zip(record["curve"], (30, 900), strict=True)]
        cut = record["system"] != "exact" if record["task"] == "zendo2-20" else record["system"] == "maxsynth"
        record["status"] = "out-of-steps" if cut else record["status"]
    others = [record for record in records if record["system"] != "popper"]
    write_report(others, tmp_path / "counted", SETTINGS, None)
    text = (tmp_path / "counted" / "report.md").read_text()
    assert "Limits of a run: maxsynth 2,000 steps, no-constraints 2,000 steps, exact 2,000 steps." in text
    assert "| zendo2-20 | **98.0 ± 0.3‡** | **98.0 ± 0.3‡** | 75.3 ± 0.3 |" in text
    assert "| zendo2-20 | 8.1 ± 0.1‡ | 1.1 ± 0.1‡ | – |" in text
    assert "| iggp-rps-0 | 8.1 ± 0.1 | 1.1 ± 0.1‡ | **-86%** |" in text
    assert "‡ a run was ended by its limit of steps" in text
    assert "† a run" not in text
    drawing = (tmp_path / "counted" / "time-zendo2-20.svg").read_text()
    assert "limit of steps" in drawing
    assert "seconds" not in drawing
    assert r"98.0 $\pm$ 0.3$^\ddagger$" in (tmp_path / "counted" / "accuracies.tex").read_text()
    write_report(records, tmp_path / "mixed", SETTINGS, None)  # Popper's steps are not counted
    assert "time limit (seconds)" in (tmp_path / "mixed" / "time-zendo2-20.svg").read_text()
    assert "exact 2,000 steps, popper 600 s." in (tmp_path / "mixed" / "report.md").read_text()


def test_limits_of_memory(records: list[dict[str, Any]], tmp_path: Path) -> None:
    for record in records:
        record["status"] = "memory" if record["task"] == "zendo2-20" else record["status"]
    write_report(records, tmp_path / "out", SETTINGS, None)
    text = (tmp_path / "out" / "report.md").read_text()
    assert "| zendo2-20 | **98.0 ± 0.3§** |" in text
    assert "§ a run was ended by its limit of memory" in text
    assert r"98.0 $\pm$ 0.3$^\S$" in (tmp_path / "out" / "accuracies.tex").read_text()


def test_a_report_becomes_part_of_the_documents(records: list[dict[str, Any]], tmp_path: Path) -> None:
    write_report(records, tmp_path / "out" / "report", SETTINGS, None)
    shutil.copytree(tmp_path / "out", tmp_path / "quick")
    docs = tmp_path / "docs"
    docs.mkdir()
    original = (ROOT / "docs" / "experiments.md").read_text()
    (docs / "experiments.md").write_text(original)
    tool = [sys.executable, ROOT / "tools" / "experiments-document", tmp_path / "out", tmp_path / "quick", docs]
    texts = []
    for _ in range(2):  # again, it replaces what it put there
        subprocess.run(tool, check=True, timeout=60)
        texts.append((docs / "experiments.md").read_text())
    assert texts[0] == texts[1]
    assert texts[0].startswith(original.partition("<!-- results")[0])
    assert "| zendo2-20 | **98.0 ± 0.3** |" in texts[0]
    links = re.findall(r"\]\((experiments/[^)]+)\)", texts[0])
    assert len(links) == 6
    assert all((docs / link).is_file() for link in links)


def test_no_results() -> None:
    with pytest.raises(MaxSynthError, match="there are no results yet"):
        write_report([], Path("report"), SETTINGS, None)


def test_where_the_report_cannot_be_written_its_first_table_is_printed(
    records: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report").write_text("mine")
    with pytest.raises(FileExistsError):
        write_report(records, tmp_path / "report", SETTINGS, None)
    assert "| zendo2-20 |" in capsys.readouterr().out
    (tmp_path / "report").unlink()
    (tmp_path / "report" / "report.html").mkdir(parents=True)
    with pytest.raises(MaxSynthError, match="cannot be written"):
        write_report(records, tmp_path / "report", SETTINGS, None)
    assert "| zendo2-20 |" in capsys.readouterr().out
