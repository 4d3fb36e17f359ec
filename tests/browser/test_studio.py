"""The studio in a real browser: from a search that runs to labels that are flipped, and learned from again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.chromium import FOUND, Chromium
from maxsynth.cli import main
from maxsynth.commands.tables.options import DataOptions
from maxsynth.commands.viewing.opening import open_data
from studio.serving import Site, served, session_of, session_with, write_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(FOUND is None, reason="there is no browser (no `chromium` on the path)"),
]
PHONE, DESK = 390, 1280
MANY = 100_000
NOISE = 1000  # one label in so many is wrong
AXE = sorted((Path(__file__).parents[2] / ".venv" / "axe").glob("axe-*.min.js"))
VIEWS = ("watch", "read", "ask", "labels", "choose", "data")
EVIL = "<img src=x onerror=window.hacked=1>"
OUTSIDE = """\
[...document.querySelectorAll('main *, header *')]
  .filter(e => e.checkVisibility() && !e.closest('.wide, #views, .hidden, .skip, svg'))
  .filter(e => getComputedStyle(e).position !== 'absolute')
  .filter(e => { const box = e.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1 })
  .map(e => e.outerHTML.slice(0, 80))"""

VIOLATIONS = """\
axe.run().then(found => JSON.stringify(
  found.violations.map(one => [one.impact, one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 120))])))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("profile")) as chromium:
        yield chromium


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred thousand examples, a hundred of which are labelled wrongly."""
    bias = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nbody_pred(next,2).\nmax_vars(2).\nmax_body(2).\n"
    bk = "".join(f"p(a{n}).\n" for n in range(0, MANY, 2)) + "".join(f"q(a{n}).\n" for n in range(0, MANY, 3))
    bk += "".join(f"next(a{n},a{n + 1}).\n" for n in range(0, MANY, 5))
    true = [(n % 2 == 0 and n % 3 == 0) != (n % NOISE == 7) for n in range(MANY)]
    exs = "".join(f"{'pos' if label else 'neg'}(f(a{n})).\n" for n, label in enumerate(true))
    return write_task(tmp_path_factory.mktemp("large") / "large", bias, bk, exs)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("data") / "bank"
    folder.mkdir()
    for file in (Path(__file__).parents[2] / "examples" / "bank").glob("*.csv"):
        (folder / file.name).write_bytes(file.read_bytes())
    session = session_with(open_data(str(folder), DataOptions(target="loans.defaulted", leave_out=("written_off",))))
    with served(session) as site:
        yield site


def quiet(browser: Chromium) -> None:
    """Nothing went wrong, and nobody else was asked."""
    assert browser.happened("Runtime.exceptionThrown") == []
    assert browser.happened("Runtime.consoleAPICalled") == []
    assert browser.happened("Log.entryAdded") == []
    asked = [event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")]
    assert [
        url for url in asked if not url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
    ] == []


def go(browser: Chromium, view: str) -> None:
    browser.click(f'#views a[data-view="{view}"]')
    browser.until(f"document.querySelector('main > section.{view}')")


def test_from_a_search_to_flipped_labels(browser: Chromium, large: Path) -> None:
    labels = large.with_name("large.labels")
    with served(session_of(large)) as site:
        browser.open(site.address, DESK, 900, mobile=False)
        # Watch: the search comes to its end.
        browser.until("document.querySelector('.pill.optimal')", 120)
        assert browser.value("document.querySelectorAll('svg.chart path.line').length") == 2
        assert browser.value("document.querySelector('#best').textContent") == "f(A) :- p(A), q(A)."
        cost = site.get("program")["cost"]
        assert cost == 3 + MANY // NOISE
        # Read: a rule with its bars, in three forms, and its examples when it is looked at.
        go(browser, "read")
        said = browser.until("[...document.querySelectorAll('.rule .said')].map(e => e.textContent)")
        assert len(said) == 2
        assert " of 16,7" in said[0]
        browser.until("document.querySelectorAll('aside li').length >= 8")
        browser.click('input[value="english"]')
        assert "is f" in browser.until("document.querySelector('.opening')?.textContent")
        browser.click('input[value="sql"]')
        assert "SELECT" in browser.until("document.querySelector('pre.program')?.textContent")
        # Ask: filters and pages over all examples, and a proof.
        go(browser, "ask")
        browser.until("document.querySelector('#count').textContent.endsWith('100,000 examples')")
        browser.click('input[value="wrong"]')
        browser.until("document.querySelector('#count').textContent.endsWith('of 100 examples')")
        browser.click('input[value="all"]')
        browser.click("#search")
        for letter in "a9999":
            browser.press(letter)
        browser.until("document.querySelector('#count').textContent.endsWith('of 11 examples')")
        browser.value("document.querySelector('#search').value = ''")
        browser.value("document.querySelector('#search').dispatchEvent(new Event('input'))")
        browser.until("document.querySelector('#count').textContent.endsWith('100,000 examples')")
        browser.click(".pages button:last-child")
        browser.until("document.querySelector('#count').textContent.startsWith('99,951 to 100,000')")
        browser.click(".pages button:first-child")
        browser.until("document.querySelector('#count').textContent.startsWith('1 to 50')")
        browser.click("table.examples tbody tr:first-child button")
        proof = browser.until("document.querySelector('.proof')?.textContent")
        assert "by rule 1" in proof
        assert "p(a0)" in proof
        # Labels: five are flipped by keys, and learned from again; the last one is taken back.
        go(browser, "labels")
        browser.until("document.querySelectorAll('.suspect').length === 100")
        browser.click(".suspect")
        for number in range(1, 6):
            browser.press("f")
            browser.until(f"document.querySelectorAll('.suspect.decided').length === {number}")
        assert labels.read_text().count("\nflip ") == 5
        browser.click("#learn")
        browser.until(f"document.querySelector('#standing').textContent.includes('cost {cost - 5}')", 120)
        browser.until("document.querySelector('#suspects').textContent.includes('95 labels')")
        assert site.get("state")["runs"][1]["way"] == "known"  # the program contradicted these labels
        browser.click("#undo")
        browser.until("!document.querySelector('#undo').disabled && document.querySelector('#learn.main')")
        assert labels.read_text().count("\nflip ") == 4
        browser.click("#learn")
        browser.until(f"document.querySelector('#standing').textContent.includes('cost {cost - 4}')", 120)
        browser.until("document.querySelector('.labels').textContent.includes('Learning again is prepared:')", 120)
        # Choose: every point is proven or has its bound, and another program takes the place of the best.
        go(browser, "choose")
        browser.click("#find")
        browser.until(
            "document.querySelector('#find') && document.querySelectorAll('#points tbody tr').length > 1", 120
        )
        told = browser.value("[...document.querySelectorAll('#points tbody td:nth-child(3)')].map(e => e.textContent)")
        assert all(said == "proven" or said.startswith("at least ") for said in told)
        assert told[0] == told[-1] == "proven"
        browser.click('#points button[data-size="2"]')
        browser.until("document.querySelector('#points tr.chosen td')?.textContent === '2'")
        go(browser, "read")
        browser.until("document.querySelector('.read')?.textContent.includes('size 2')")
        # Export.
        go(browser, "read")
        browser.until("document.querySelector('#export')")
        browser.value("document.querySelector('#export').value = 'sql duckdb'")
        browser.value("document.querySelector('#export').dispatchEvent(new Event('change'))")
        assert "SELECT" in browser.until("document.querySelector('#exported')?.textContent")
        quiet(browser)


def test_by_mouse_and_without_one(browser: Chromium, tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    with served(session_of(folder)) as site:
        browser.open(f"{site.address}#labels", DESK, 900, mobile=False)
        browser.until("document.querySelectorAll('.suspect').length === 3")
        browser.click('#suspect button[data-decision="leave out"]')
        browser.until("document.querySelectorAll('.suspect.decided').length === 1")
        browser.click(".suspect")
        browser.press("ArrowDown")
        browser.press("k")
        browser.until("document.querySelectorAll('.suspect.decided').length === 2")
        decided = folder.with_name("task.labels").read_text()
        assert decided.count("\nkeep ") == decided.count("\nleave out ") == 1
        browser.press("u")
        browser.until("document.querySelectorAll('.suspect.decided').length === 1")
        # From the top of the page all is reached by Tab.
        browser.open(f"{site.address}#read", DESK, 900, mobile=False)
        browser.until("document.querySelector('.rule')")
        reached = set()
        for _ in range(40):
            browser.press("Tab")
            reached.add(browser.value("document.activeElement.textContent.trim().slice(0, 20)"))
        assert {"Skip to the content", "Labels", "Its examples (rule 1"} <= reached
        quiet(browser)


def test_stop_and_go_on(browser: Chromium, tmp_path: Path) -> None:
    from studio.test_session import Slow, learning_by

    session = learning_by(session_of(write_task(tmp_path / "task")), Slow)
    with served(session) as site:
        browser.open(site.address, DESK, 900, mobile=False)
        browser.click("#stop")
        browser.until("document.querySelector('.pill.held')")
        browser.click("#go-on")
        browser.until("document.querySelector('.pill.running')")
        browser.open("about:blank", DESK, 900, mobile=False)
        tested = session.run.status.tested
        browser.open(site.address, DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.running, .pill.optimal')")
        assert session.run.status.tested > tested


def test_a_leak_is_left_out(browser: Chromium, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples" / "bank"
    copy = tmp_path / "bank"
    copy.mkdir()
    for file in folder.glob("*.csv"):
        (copy / file.name).write_bytes(file.read_bytes())
    with served(session_with(open_data(str(copy), DataOptions(target="loans.defaulted")))) as site:
        browser.open(f"{site.address}#data", DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.optimal')", 120)
        assert "written_off" in site.get("state")["program"][0]
        select = "document.querySelector('[data-column=\"loans.written_off\"]')"
        browser.until(select)
        browser.value(f"{select}.value = 'left out'; {select}.dispatchEvent(new Event('change'))")
        browser.until("document.querySelector('main button.main')")
        browser.click("main button.main")
        browser.until("!document.querySelector('main button.main') && document.querySelector('.pill.optimal')", 120)
        assert "written_off" not in site.get("state")["program"][0]
        quiet(browser)


def test_a_program_is_chosen(browser: Chromium, tmp_path: Path) -> None:
    with served(session_of(write_task(tmp_path / "task"))) as site:
        browser.open(f"{site.address}#choose", DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.optimal')")
        browser.click("#find")
        browser.until("document.querySelector('#find') && document.querySelectorAll('circle[role=button]').length > 2")
        browser.click('circle[aria-label="size 2, 8 errors, proven"]')
        browser.until("document.querySelector('circle.chosen')?.ariaLabel === 'size 2, 8 errors, proven'")
        go(browser, "read")
        browser.until("document.querySelector('.read')?.textContent.includes('size 2')")
        assert browser.value("document.querySelectorAll('.rule').length") == 1
        quiet(browser)


def test_a_larger_front_is_asked_for(browser: Chromium, tmp_path: Path) -> None:
    with served(session_of(write_task(tmp_path / "task"))) as site:
        browser.open(f"{site.address}#choose", DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.optimal')")
        browser.click("#size")
        browser.press("7")
        browser.click("#find")
        browser.until("document.querySelector('#find') && document.querySelectorAll('circle[role=button]').length > 2")
        assert site.get("front")["size"] == 7
        quiet(browser)


def test_which_label_would_tell_most(browser: Chromium, tmp_path: Path) -> None:
    from test_again import DIVIDED

    folder = write_task(tmp_path / "task", *DIVIDED)
    with served(session_of(folder)) as site:
        browser.open(f"{site.address}#labels", DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.optimal')")
        # A button that moves while the page is filled is missed.
        browser.until("document.querySelector('.labels').textContent.includes('Learning again is prepared:')")
        browser.until("document.querySelector('#suspects').textContent && document.querySelector('#suspect *')")
        browser.click("#ask-labels")
        said = browser.until("document.querySelector('.doubt')?.textContent")
        assert "1 of 2 programs of nearly the same cost say that it is positive, 1 that it is not" in said
        assert "f(A) :- p(A)." in said
        assert "f(A) :- q(A)." in said
        browser.click('.doubt button[data-decision="flip"]')
        browser.until("document.querySelector('.doubt button[data-decision=flip]').ariaPressed === 'true'")
        assert "\nflip       f(b)\n" in folder.with_name("task.labels").read_text()
        browser.press("k")  # where the focus is
        browser.until("document.querySelector('.doubt button[data-decision=keep]').ariaPressed === 'true'")
        assert folder.with_name("task.labels").read_text().endswith("\nkeep       f(b)\n")
        browser.click("#ask-labels")
        browser.until("document.querySelector('.labels').textContent.includes('agree about all examples')")
        quiet(browser)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_mistakes_are_told_from_exceptions(browser: Chromium, tmp_path: Path, width: int) -> None:
    from studio.test_session import MISTAKE

    folder = write_task(tmp_path / "task", *MISTAKE)
    verdicts = "[...document.querySelectorAll('.suspect .verdict')].map(e => e.textContent.split(':')[0]).join()"
    with served(session_of(folder)) as site:
        browser.open(f"{site.address}#labels", width, 900, mobile=width == PHONE)
        browser.until("document.querySelectorAll('.suspect').length === 3")
        assert browser.value(verdicts) == ",,"
        browser.until("document.querySelector('#weigh').ariaDisabled === 'false'")
        browser.value("document.querySelector('#weigh').focus()")
        browser.press("Enter")
        browser.until("document.querySelector('#weighed').textContent === '1 doubted, 2 probably exceptions.'")
        browser.until(f"{verdicts} === 'doubted,exception,exception'")
        assert browser.value("document.activeElement.id") == "weigh"  # whoever pressed it is still there
        browser.until("document.querySelector('#verdict').textContent !== ''")
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value(OUTSIDE) == []
        if AXE:
            browser.value(AXE[0].read_text(encoding="utf-8") + ";0")
            found = json.loads(browser.value(VIOLATIONS))
            assert [one for one in found if one[0] in ("serious", "critical")] == []
        browser.click('input[value="doubted"]')
        browser.until("document.querySelector('#suspects').textContent.startsWith('1 label is doubted')")
        assert browser.until(f"document.querySelectorAll('.suspect').length === 1 && {verdicts}") == "doubted"
        # What agrees with the program leaves it doubted; another decision drops it all, and Undo brings it back.
        browser.click('#suspect button[data-decision="flip"]')
        browser.until("document.querySelector('#weighed').textContent.includes('what is doubted stays so')")
        site.post("decide", numbers=[3], decision="flip")
        browser.until("document.querySelector('#weighed').textContent.startsWith('You changed labels')")
        browser.until(f"document.querySelectorAll('.suspect').length === 3 && {verdicts} === ',,'")
        browser.until("document.querySelector('#verdicts').hidden")
        browser.click("#undo")
        browser.until(f"{verdicts} === 'doubted,exception,exception'")
        browser.click("#learn")
        browser.until("document.querySelector('#suspects').textContent === 'The program contradicts 2 labels.'")
        browser.until("document.querySelector('#weighed').textContent === ''")
        quiet(browser)


def test_what_is_prepared_is_said_and_stopped(browser: Chromium, tmp_path: Path) -> None:
    from studio.test_session import SlowToPrepare, learning_by

    with served(learning_by(session_of(write_task(tmp_path / "task")), SlowToPrepare)) as site:
        browser.open(site.address, DESK, 900, mobile=False)
        browser.until("document.querySelector('.watch')?.textContent.includes('is being prepared')")
        browser.click("#stop-beside")
        browser.until("document.querySelector('.watch').textContent.includes('is not prepared')")
        browser.click("#anew")
        browser.until("document.querySelector('.watch').textContent.includes('from nothing (as you asked)')")
        quiet(browser)


# -- names that would be HTML ---------------------------------------------------------------------------------


def evil_task(tmp_path: Path) -> Path:
    bias = "head_pred(f,1).\nbody_pred(p,1).\nmax_vars(2).\nmax_body(2).\n"
    bk = "".join(f"p('{EVIL}{n}').\n" for n in range(9)) + "p('</script><script>window.hacked=1</script>').\n"
    exs = "".join(f"pos(f('{EVIL}{n}')).\n" for n in range(8))
    exs += f"neg(f('{EVIL}8')).\npos(f('</script><script>window.hacked=1</script>')).\n"
    return write_task(tmp_path / EVIL, bias, bk, exs)


def look_around(browser: Chromium) -> None:
    seen = browser.value("document.body.textContent")
    for view in ("watch", "read", "ask", "labels"):
        go(browser, view)
        browser.until("document.querySelector('main section').textContent.length > 20")
        if view == "ask":
            browser.click("table.examples tbody tr:first-child button")
            browser.until("document.querySelector('.proof')")
        seen += browser.value("document.body.textContent")
    assert seen.count(EVIL) > 1
    assert browser.value("window.hacked") is None
    assert browser.value("document.querySelectorAll('img').length") == 0
    quiet(browser)


def test_scripts_in_atoms_and_names_of_files_are_text(browser: Chromium, tmp_path: Path) -> None:
    with served(session_of(evil_task(tmp_path))) as site:
        browser.open(site.address, DESK, 900, mobile=False)
        browser.until("document.querySelector('.pill.optimal')")
        look_around(browser)


def test_scripts_in_a_report_are_text(browser: Chromium, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    assert main(["learn", str(evil_task(tmp_path)), "--quiet", "--json", str(result)]) == 0
    assert main(["report", str(result)]) == 0
    browser.open(result.with_suffix(".html"), DESK, 900, mobile=False)
    browser.until("document.querySelector('.pill.optimal')")
    look_around(browser)


def test_scripts_in_columns_and_values_are_text(browser: Chromium, tmp_path: Path) -> None:
    values = [EVIL, "</script><script>window.hacked=1</script>", "x"]
    rows = "".join(f"{n},{'yes' if n % 3 == 0 or n == 7 else 'no'},{values[n % 3]},{n % 5}\n" for n in range(60))
    (tmp_path / "evil.csv").write_text(f'id,good,"{EVIL}",size\n{rows}')
    opened = open_data(str(tmp_path / "evil.csv"), DataOptions(target="evil.good"))
    with served(session_with(opened)) as site:
        browser.open(f"{site.address}#data", DESK, 900, mobile=False)
        browser.until("document.querySelectorAll('.columns tbody tr').length === 4")
        look_around(browser)


# -- for everybody --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not AXE, reason="there is no axe-core (`make axe` gets it from npm)")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_axe_finds_nothing_serious(browser: Chromium, bank: Site, width: int, dark: bool) -> None:
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.ask("Emulation.setEmulatedMedia", features=[scheme])
    browser.open(bank.address, width, 900, mobile=width == PHONE)
    browser.until("document.querySelector('.pill.optimal')", 120)
    browser.value(AXE[0].read_text(encoding="utf-8") + ";0")
    try:
        for view in VIEWS:
            if not browser.value(f"!!document.querySelector('#views a[data-view=\"{view}\"]')"):
                continue
            go(browser, view)
            browser.until("document.querySelector('main section').textContent.length > 60")
            if view == "ask":
                browser.click("table.examples tbody tr:first-child button")
                browser.until("document.querySelector('aside.card h2')")
            found = browser.value(VIOLATIONS)
            assert [one for one in json.loads(found) if one[0] in ("serious", "critical")] == [], view
    finally:
        browser.ask("Emulation.setEmulatedMedia", features=[])


def click_at_rest(browser: Chromium, what: str) -> None:
    """Clicks once the page is filled: a button that moves meanwhile is missed."""
    where = f"JSON.stringify(document.querySelector('{what}')?.getBoundingClientRect())"
    before = browser.until(where)
    time.sleep(0.5)
    while (now := browser.value(where)) != before:
        before = now
        time.sleep(0.5)
    browser.click(what)


@pytest.mark.skipif(not AXE, reason="there is no axe-core (`make axe` gets it from npm)")
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_what_is_found_beside_is_for_everybody_too(browser: Chromium, tmp_path: Path, width: int) -> None:
    from test_again import DIVIDED

    with served(session_of(write_task(tmp_path / "task", *DIVIDED))) as site:
        browser.open(site.address, width, 900, mobile=width == PHONE)
        browser.until("document.querySelector('.pill.optimal')")
        browser.value(AXE[0].read_text(encoding="utf-8") + ";0")
        for view, pressed, there in (
            ("choose", "#find", "document.querySelector('#find') && document.querySelector('#points')"),
            ("labels", "#ask-labels", "document.querySelector('.doubt')"),
        ):
            go(browser, view)
            click_at_rest(browser, pressed)
            browser.until(there)
            assert browser.value("document.documentElement.scrollWidth") <= width
            assert browser.value(OUTSIDE) == [], view
            found = browser.value(VIOLATIONS)
            assert [one for one in json.loads(found) if one[0] in ("serious", "critical")] == [], view
        quiet(browser)


@pytest.mark.skipif(not AXE, reason="there is no axe-core (`make axe` gets it from npm)")
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_report_is_for_everybody_too(browser: Chromium, tmp_path: Path, width: int) -> None:
    result = tmp_path / "result.json"
    assert main(["learn", str(write_task(tmp_path / "task")), "--quiet", "--json", str(result)]) == 0
    assert main(["report", str(result)]) == 0
    browser.open(result.with_suffix(".html"), width, 900, mobile=width == PHONE)
    browser.until("document.querySelector('.pill.optimal')")
    assert browser.value("[...document.querySelectorAll('#views a')].map(e => e.textContent)") == [
        "Watch", "Read", "Ask", "Labels",
    ]  # fmt: skip
    browser.value(AXE[0].read_text(encoding="utf-8") + ";0")
    for view in ("watch", "read", "ask", "labels"):
        go(browser, view)
        browser.until("document.querySelector('main section').textContent.length > 60")
        assert browser.value("document.documentElement.scrollWidth") <= width
        found = browser.value(VIOLATIONS)
        assert [one for one in json.loads(found) if one[0] in ("serious", "critical")] == [], view
    go(browser, "ask")
    browser.click('input[value="wrong"]')
    browser.until("document.querySelector('#count').textContent.endsWith('of 3 examples')")
    quiet(browser)


@pytest.mark.parametrize("width", [320, PHONE, 800, DESK])
def test_it_fits_the_screen(browser: Chromium, bank: Site, width: int) -> None:
    browser.open(bank.address, width, 800, mobile=width < 700)
    browser.until("document.querySelector('.pill.optimal')", 120)
    for view in VIEWS:
        if browser.value(f"!!document.querySelector('#views a[data-view=\"{view}\"]')"):
            go(browser, view)
            browser.until("document.querySelector('main section').textContent.length > 60")
            assert browser.value("document.documentElement.scrollWidth") <= width, view
            assert browser.value(OUTSIDE) == [], view
