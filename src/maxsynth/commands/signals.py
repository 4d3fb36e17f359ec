"""Signals that ask a command to end: Ctrl-C, and what a terminal, a batch system or another program sends.

All four mean the same: end, with the best so far where there is one. The exit status says which one it was, as a
shell would have it: 128 and the number of the signal. A signal that is ignored when the command starts stays ignored
(`nohup`, jobs in the background of a script).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ASKING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]

Handler = Callable[[int, FrameType | None], object]


class Asked(KeyboardInterrupt):
    """Ends a command at once, wherever it is."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_of(stop: KeyboardInterrupt) -> int:
    return 128 + (stop.number if isinstance(stop, Asked) else signal.SIGINT)


def raise_asked(number: int, _frame: FrameType | None) -> None:
    raise Asked(number)


@contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """The signals go to this handler, but for those that are ignored."""
    before = {}
    try:
        for number in ASKING if threading.current_thread() is threading.main_thread() else ():  # others get no signals
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)


class Interrupt:
    """Turns a signal into a flag, so that a run ends with the best so far. A second one ends at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.more = 1  # signals that are only noted

    def __enter__(self) -> Interrupt:
        self.handling = handled_by(self.note)
        self.handling.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.handling.__exit__(None, None, None)

    def note(self, number: int, _frame: FrameType | None) -> None:
        if not self.more:
            raise Asked(number)
        self.more -= 1
        self.signal = self.signal or number

    def all_is_written(self) -> None:
        """All that was found is there: the rest may end at once."""
        self.more = 0

    def wait_for_writing(self) -> None:
        """What was found is about to be written, which takes no time: one more signal is only noted."""
        self.more = 1

    def came(self) -> bool:
        return self.signal is not None

    def status(self, otherwise: int) -> int:
        """The exit status of a command that would have ended with another one."""
        return otherwise if self.signal is None else 128 + self.signal
