"""The report page in a real browser: nothing goes wrong, every figure is there, and it can be read on a phone."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.chromium import FOUND, Chromium
from maxsynth.bench.report.write import write_report

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(FOUND is None, reason="there is no browser (no `chromium` on the path)"),
]

PHONE, DESKTOP = 360, 1280
OUTSIDE = """\
[...document.querySelectorAll('body *')]
  .filter(e => e.checkVisibility() && getComputedStyle(e).position !== 'absolute' && !e.closest('thead'))
  .filter(e => { const box = e.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1 })
  .map(e => e.outerHTML.slice(0, 80))"""
SMALLEST = """\
Math.min(...[...document.querySelectorAll('th, td, p, a, figcaption')]
  .filter(e => e.checkVisibility()).map(e => parseFloat(getComputedStyle(e).fontSize)))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with all its parts, from results that are made up."""
    folder = tmp_path_factory.mktemp("report")
    records = [
        {
            "task": task, "system": system, "trial": trial, "timeout": 100.0, "status": "optimal",
            "seconds": 1.0 + number, "cost": 20, "tested": 10**number,
            "test": {"tp": 90 - 9 * number + trial, "fn": 10 + 9 * number - trial, "tn": 95, "fp": 5},
            "curve": [[0.3 + number, 0.7], [2.0 + number, 0.9 - number / 20]],
        }
        for task in ("zendo2-0", "zendo2-20", "iggp-rps-0", "iggp-rps-20", "iggp-rps-40", "alzheimer-toxic")
        for number, system in enumerate(("maxsynth", "no-constraints", "exact", "popper", "aleph"))
        for trial in range(3)
    ]  # fmt: skip
    failed = {"task": "dropk-0", "system": "exact", "trial": 0, "timeout": 100.0, "status": "error"}
    records.append({**failed, "error": "the bias of this task asks for recursion, " * 5 + "x" * 100})
    write_report(records, folder, {"seed": 1, "quick": False, "data": None}, None)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("profile")) as chromium:
        yield chromium


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_nothing_goes_wrong(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width, 800, mobile=width == PHONE)
    assert browser.happened("Runtime.exceptionThrown") == []
    assert browser.happened("Runtime.consoleAPICalled") == []
    assert browser.happened("Log.entryAdded") == []
    asked = [event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_every_figure_is_there(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width, 800, mobile=width == PHONE)
    seen = browser.value(
        "[...document.images].map(i => [i.alt, i.complete && i.naturalWidth > 0, i.getBoundingClientRect().width])"
    )
    assert [alt for alt, _, _ in seen] == [
        "Figure 1: accuracy against the time limit on alzheimer-toxic",
        "Figure 2: accuracy against the time limit on zendo2-20",
        "Figure 3: accuracy against noise on iggp-rps",
        "Figure 4: accuracy against noise on zendo2",
    ]
    assert all(loaded and wide > 0.8 * PHONE for _, loaded, wide in seen)


@pytest.mark.parametrize("width", [320, PHONE, 600, 800, DESKTOP])
def test_it_fits_the_screen(browser: Chromium, page: Path, width: int) -> None:
    browser.open(page, width, 800, mobile=width < 700)
    assert browser.value("innerWidth") == width
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert browser.value(OUTSIDE) == []
    assert browser.value(SMALLEST) >= 12


def test_rows_are_cards_on_a_phone_and_rows_on_a_desk(browser: Chromium, page: Path) -> None:
    label = "getComputedStyle(document.querySelector('#accuracies td'), '::before').content"
    height = "document.querySelector('#accuracies tbody tr').getBoundingClientRect().height"
    browser.open(page, PHONE, 800, mobile=True)
    assert browser.value(label) in ('"maxsynth"', "attr(data-label)")
    assert browser.value(height) > 100
    browser.open(page, DESKTOP, 800, mobile=False)
    assert browser.value(label) == "none"
    assert browser.value(height) < 50


def test_it_prints(browser: Chromium, page: Path) -> None:
    browser.open(page, DESKTOP, 800, mobile=False)
    printed = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.value("getComputedStyle(document.querySelector('#accuracies td')).display") == "table-cell"
    browser.ask("Emulation.setEmulatedMedia", media="")


def test_it_is_skipped_with_a_reason_without_a_browser() -> None:
    script = "import sys, pytest; sys.exit(pytest.main(['-q', '-rs', '-p', 'no:cacheprovider', *sys.argv[1:]]))"
    chosen = [__file__, "-k", "prints"]
    environment = {**os.environ, "PATH": "/nowhere", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", script, *chosen], env=environment, capture_output=True, text=True, timeout=100
    )
    assert "there is no browser" in done.stdout
    assert done.returncode == 0
