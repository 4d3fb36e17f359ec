"""What a person sees while `maxsynth learn` works: a line that moves on a terminal, plain lines elsewhere.

On a terminal, a thread redraws one line a few times a second, each time asking the search where it stands, so the line
moves whatever the search is doing: the kernel asks often whether to stop, and Python's lock changes hands there; the
solver works outside that lock. A better program is printed above the line as soon as it is found. When the run ends, in
whatever way, the line is wiped and the cursor is back.

All of it goes to standard error. An error there (a terminal that was closed) ends the display, never the search.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from maxsynth.commands.signals import handled_by
from maxsynth.search.progress import Progress

if TYPE_CHECKING:
    from rich.text import Text

REDRAWN = 5  # times a second: smooth enough, and far from what would slow the search
FRAMES = "|/-\\"
SHOW_CURSOR = "\x1b[?25h"

Now = Callable[[], Progress | None]


class Display(Protocol):
    """Shows a run, between `__enter__` and `__exit__`. As long as it follows no search, it says "reading"."""

    def __enter__(self) -> Display: ...

    def __exit__(self, *_: object) -> None: ...

    def follow(self, now: Now) -> None:
        """Gives the function that tells where the run stands, at any time and to any thread."""

    def note(self, progress: Progress) -> None:
        """Takes what the search reports of itself: a size is done, or there is a better program."""


def make_display(quiet: bool = False) -> Display:
    """The display that fits: none, one for a terminal, or one for a file."""
    if quiet:
        return NoDisplay()
    return LiveDisplay() if is_terminal() else PlainDisplay()


def is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in {"", "dumb", "unknown"}


def better_text(progress: Progress) -> str:
    """A better program, with its cost and when it was found."""
    rules = progress.program.rules if progress.program else ()
    return f"{progress.seconds:8.2f} s  cost {progress.cost}:\n" + "\n".join(f"    {rule}" for rule in rules)


# -- where nobody looks, or a file does -----------------------------------------------------------------------


class NoDisplay:
    def __enter__(self) -> NoDisplay:
        return self

    def __exit__(self, *_: object) -> None: ...

    def follow(self, now: Now) -> None: ...

    def note(self, progress: Progress) -> None: ...


class PlainDisplay(NoDisplay):
    """A line for each size, and each better program as it is found."""

    def note(self, progress: Progress) -> None:
        if progress.program is not None:
            text = better_text(progress)
        else:
            cost = "-" if progress.cost is None else progress.cost
            text = (
                f"{progress.seconds:8.2f} s  size {progress.size}  tested {progress.tested}  rules {progress.pool}  "
                f"best cost {cost}"
            )
        say(text)


def say(text: str) -> None:
    """Prints to standard error; where nobody listens any more, does nothing."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


# -- a terminal -----------------------------------------------------------------------------------------------


class LiveDisplay:
    """One line that is redrawn in place, by `rich`, which is imported only here: it takes a while."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self.now: Now = lambda: None
        self.start = time.monotonic()
        self.rate = Rate()
        file = Unbreakable(sys.stderr)
        # Nothing in a program is markup, a number to colour, or the name of an emoji.
        self.console = Console(
            file=cast(IO[str], file), force_terminal=True, force_interactive=True, markup=False, highlight=False,
            emoji=False,
        )  # fmt: skip
        self.live = Live(
            console=self.console, get_renderable=self.line, refresh_per_second=REDRAWN, transient=True,
            redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip

    def __enter__(self) -> LiveDisplay:
        try:
            with signals_later():
                self.live.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with signals_later():
                self.live.stop()
        finally:  # whatever happened
            with contextlib.suppress(OSError):
                sys.stderr.write(SHOW_CURSOR)
                sys.stderr.flush()

    def follow(self, now: Now) -> None:
        self.now = now

    def note(self, progress: Progress) -> None:
        if progress.program is not None:
            # Not wrapped, so that what is copied from the terminal is still a program.
            self.console.print(better_text(progress), soft_wrap=True)
            self.live.refresh()

    def line(self) -> Text:
        from rich.text import Text

        progress = self.now()
        frame = FRAMES[int(time.monotonic() * REDRAWN) % len(FRAMES)]
        if progress is None:
            parts = [(f"{frame} {time.monotonic() - self.start:.1f} s", ""), ("  reading", "cyan")]
        else:
            parts = search_parts(progress, self.rate.of(progress), frame)
        width = terminal_width()
        line = Text.assemble(*fitting(parts, width - 1), no_wrap=True, overflow="crop", end="")
        line.truncate(width)
        return line


def terminal_width() -> int:
    """The real one, which a variable COLUMNS from elsewhere may contradict: a line that wraps cannot be wiped."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


Part = tuple[str, str]  # a text, and its style


def search_parts(progress: Progress, rate: float, frame: str) -> list[Part]:
    """What is said about a search, the most important first."""
    cost = "-" if progress.cost is None else f"{progress.cost:,}"
    doing = {"dive": "a first look", "generate": f"size {progress.size + 1}", "combine": "combining"}
    return [
        (f"{frame} {progress.seconds:.1f} s", ""),
        (f"  cost {cost}", "bold green"),
        (f"  at least {progress.lower_bound:,}", "green"),
        (f"  {doing.get(progress.stage, progress.stage)}", "cyan"),
        (f"  {progress.pool:,} rules", ""),
        (f"  {rate:,.0f} tested/s", "dim"),
    ]


def fitting(parts: list[Part], width: int) -> list[Part]:
    """As many of the parts, from the first on, as a line has room for."""
    while len(parts) > 1 and sum(len(text) for text, _ in parts) > width:
        parts = parts[:-1]
    return parts


class Rate:
    """How many are tested a second, over the last second or so in which any were."""

    def __init__(self) -> None:
        self.since = self.last = (0.0, 0)  # seconds, tested
        self.rate = 0.0

    def of(self, progress: Progress) -> float:
        here = (progress.seconds, progress.tested)
        if here[1] == self.last[1]:
            self.since = self.last = here
        elif here[0] > self.since[0]:
            self.rate = (here[1] - self.since[1]) / (here[0] - self.since[0])
            if here[0] - self.since[0] >= 1:
                self.since = here
        self.last = here
        return self.rate


@contextlib.contextmanager
def signals_later() -> Iterator[None]:
    """A signal takes effect at the end of this: `rich` cannot be stopped when it has only half started."""
    came: list[int] = []
    with handled_by(lambda number, _: came.append(number)):
        yield
    for number in came:
        signal.raise_signal(number)


class Unbreakable:
    """A file of which the display does not notice when it can no longer be written to."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self.file.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self.file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)
