"""A finished run as one file: all that it says is in it, and nothing of it can run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from maxsynth.cli import main
from maxsynth.studio.report import IMPORT, bundle, hash_of
from maxsynth.studio.server_files import page_files
from studio.serving import write_task

EVIL = "</script><script>alert(1)</script><!--"


def told_in(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def report_of(folder: Path, *arguments: str) -> str:
    result = folder.with_name("result.json")
    assert main(["learn", str(folder), "--quiet", "--json", str(result)]) == 0
    assert main(["report", str(result), *arguments]) == 0
    return result.with_suffix(".html").read_text(encoding="utf-8")


def test_all_is_in_it(tmp_path: Path) -> None:
    told = told_in(report_of(write_task(tmp_path / "task")))
    assert told["program"]["cost"] == told["state"]["run"]["cost"] == 7
    assert len(told["listing"]["texts"]) == 48
    assert len(told["explanations"]) == 48
    assert told["explanations"]["0"]["proof"]["rule"] == 0
    assert "SELECT" in told["exports"]["sql postgresql"]["text"]
    assert str(tmp_path) not in json.dumps(told["state"])  # where it was is nobody else's matter


def test_its_policy_allows_its_own_scripts_and_nothing_else(tmp_path: Path) -> None:
    page = report_of(write_task(tmp_path / "task"))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy is not None
    assert script is not None
    assert style is not None
    assert f"script-src '{hash_of(script[1])}'" in policy[1]
    assert f"style-src '{hash_of(style[1])}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r'(src|href)="(https?:|//)', page)


def test_no_tag_comes_from_data(tmp_path: Path) -> None:
    exs = f"pos(f('{EVIL}')).\npos(f(b)).\npos(f(c)).\npos(f(d)).\nneg(f(e)).\n"
    bk = f"p('{EVIL}').\np(b).\np(c).\np(d).\n"
    page = report_of(write_task(tmp_path / "task", "head_pred(f,1).\nbody_pred(p,1).\n", bk, exs))
    assert EVIL not in page
    assert page.count("<script") == 2
    assert EVIL in told_in(page)["listing"]["texts"][0]


def test_modules_become_one_script() -> None:
    files = {name: text.decode() for name, text in page_files().items()}
    script = bundle(files, "main.js")
    assert not IMPORT.search(script)
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    for name in files:
        if name.endswith(".js"):
            assert script.count(f'modules["{name}"] = ') == 1


def test_nothing_that_comes_from_data_is_read_as_html() -> None:
    for name, text in page_files().items():
        if name.endswith(".js"):
            assert not re.search(
                rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
            ), name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda folder: (folder / "exs.pl").write_text("pos(f(a1)).\n"),
            "is not the file that this result was learned from",
        ),
        (lambda folder: folder.rename(folder.with_name("moved")), "is not there"),
    ],
)
def test_a_task_that_changed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, said: str
) -> None:
    folder = write_task(tmp_path / "task")
    result = tmp_path / "result.json"
    assert main(["learn", str(folder), "--quiet", "--json", str(result)]) == 0
    change(folder)
    capsys.readouterr()
    assert main(["report", str(result)]) == 2
    assert said in capsys.readouterr().err
    assert not result.with_suffix(".html").exists()


def test_no_input_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task")
    result = tmp_path / "result.json"
    assert main(["learn", str(folder), "--quiet", "--json", str(result)]) == 0
    for file in (result, folder / "bk.pl"):
        assert main(["report", str(result), "-o", str(file)]) == 2
        assert "would be overwritten" in capsys.readouterr().err


def test_of_tables(tmp_path: Path) -> None:
    bank = Path(__file__).parents[2] / "examples" / "bank"
    result = tmp_path / "result.json"
    given = ["--target", "loans.defaulted", "--leave-out", "written_off", "--quiet", "--json", str(result)]
    limits = ["--max-vars", "3", "--max-body", "2"]  # a short search will do
    assert main(["learn", str(bank), *given, *limits]) == 0
    assert main(["report", str(result), "-o", str(tmp_path / "bank.html")]) == 0
    told = told_in((tmp_path / "bank.html").read_text())
    assert told["listing"]["texts"][0].startswith("loans ")
    assert [table["name"] for table in told["data"]["tables"]] == ["customers", "loans", "reminders"]
