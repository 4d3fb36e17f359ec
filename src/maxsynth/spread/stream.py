"""Units that somebody hands over one by one, and does other things meanwhile: the parts of one search.

An executor asks for units and is asked for outcomes; here it is the other way round. There are more units on their way
than workers, so that a worker finds the next one when it is done with the last. A worker that dies costs the unit that
it was at: another one does it.
"""

from __future__ import annotations

from typing import Any, Generic

from maxsynth.spread.cluster import FETCHING, LOOK, MOST_TRIED, Cluster, Doing
from maxsynth.spread.executor import Do, Failed, Found, Opened, Work
from maxsynth.spread.on_worker import Missing

AHEAD = 2  # units for each worker


class Stream(Generic[Opened, Found]):
    """Units of one kind, by number, and what was found so far."""

    def __init__(self, cluster: Cluster, do: Do[Opened, Any, Found], work: Work[Opened]) -> None:
        self.cluster = cluster
        self.do = do
        self.work = work
        self.doing: dict[Any, Doing] = {}
        self.found: dict[int, Found | Failed] = {}

    def is_ready(self) -> bool:
        """Whether there is a worker."""
        self.cluster.look()
        return bool(self.cluster.threads)

    def has_room(self) -> bool:
        return len(self.doing) < AHEAD * len(self.cluster.threads)

    def send(self, number: int, unit: object) -> None:
        self.cluster.start(Doing(self.do, number, self.work, unit), self.doing)

    def take_what_came(self, wait: bool) -> None:
        """Takes note of what has come; waits for a moment for something to come, where that is asked for."""
        arrived = self.cluster.next_arrival(LOOK if wait else 0.0)
        if not self.cluster.threads:  # who hands over units does not wait for workers
            self.cluster.cancel(list(self.doing))
            self.found |= {one.number: Failed("there is no worker") for one in self.doing.values()}
            self.doing.clear()
        self.found |= dict(self.cluster.done_again(self.doing))
        while arrived is not None:
            if arrived in self.doing:  # else it was dropped
                self.take(arrived)
            arrived = self.cluster.next_arrival(0.0)

    def take(self, arrived: Any) -> None:
        """What was found in a unit; where that got lost, it is done again."""
        done = self.doing.pop(arrived)
        outcome = self.cluster.outcome(arrived, FETCHING * 2 ** min(done.tried, MOST_TRIED))
        if isinstance(outcome, Missing):
            self.cluster.start(done._replace(tried=done.tried + 1), self.doing)
        else:
            self.cluster.note_data(done)
            self.found[done.number] = outcome

    def drop(self) -> None:
        """Nobody wants what is under way, or was found."""
        if self.doing:
            self.cluster.cancel(list(self.doing))
        self.doing.clear()
        self.found.clear()

    def close(self) -> None:
        """There are no more units: what they share can be forgotten."""
        self.drop()
        self.cluster.data.pop(self.work, None)
