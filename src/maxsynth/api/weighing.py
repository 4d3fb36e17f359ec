"""Labels that are weighed one after the other, within a time for all of them together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from maxsynth.search.again.weigh import NOT_WEIGHED, Weight, weigh
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

MOST = 3  # evidence that is looked for: one more than makes a label doubted

Label = tuple[tuple[int, ...], bool]  # an example, and whether it is a positive one
MakeSearch = Callable[[ReadTask, Settings], Search]


@dataclass(frozen=True)
class Weighing:
    """A program by which labels are weighed: its task, what it costs there, and what any program costs at least."""

    task: ReadTask
    cost: int
    least: int
    settings: Settings  # with the time for all labels together
    most: int = MOST

    def weights(
        self, labels: Sequence[Label], make_search: MakeSearch, started: float, stopped: Callable[[], bool]
    ) -> Iterator[Weight]:
        """How much speaks against each of these, in their order.

        Each has an equal share of the time that is left, so that a hard one leaves some to the others.
        """
        timeout = self.settings.timeout
        for number, (row, label) in enumerate(labels):
            used = time.monotonic() - started
            if stopped() or (timeout is not None and used >= timeout):
                yield NOT_WEIGHED
                continue
            within = self.settings.shared(used, len(labels) - number)

            def search(heavier: ReadTask, within: Settings = within) -> Search:
                return make_search(heavier, within)

            yield weigh(self.task, row, label, self.cost, within.weights, self.most, search, self.least)
