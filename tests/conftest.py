"""Shared by all tests: task folders from texts, and how much effort the slow checks take."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# Where the tests run in the background of a shell, or under `nohup`, signals are ignored, and all that they start would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


# No test depends on how busy the machine is.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow checks with their large counts")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("swipl") is None:
        for item in items:
            if "swipl" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="SWI-Prolog is not installed (no `swipl` on the path)"))


@pytest.fixture
def effort(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """`effort(300, 20_000)`: the first count in every run, the second with --slow."""
    slow = request.config.getoption("--slow")
    return lambda usual, large: large if slow else usual


@pytest.fixture
def make_task(tmp_path: Path) -> Callable[..., Path]:
    """Writes a task folder; `test` holds the texts of its test/ folder."""

    def make(bias: str, bk: str, exs: str, test: tuple[str, str] | None = None) -> Path:
        folder = tmp_path / "task"
        folder.mkdir(exist_ok=True)
        texts = {"bias.pl": bias, "bk.pl": bk, "exs.pl": exs}
        if test:
            (folder / "test").mkdir(exist_ok=True)
            texts |= {"test/bk.pl": test[0], "test/exs.pl": test[1]}
        for name, text in texts.items():
            (folder / name).write_text(text)
        return folder

    return make
