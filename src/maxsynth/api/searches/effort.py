"""What the searches of one call may take together: seconds and steps count for all of them."""

from __future__ import annotations

from collections.abc import Callable

from maxsynth.api.searches.climbing import as_asked, capped, climb, rungs
from maxsynth.bias.bias import Overrides
from maxsynth.bias.parsing import overridden
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

Run = Callable[[ReadTask, Settings, int], SearchResult]  # one search, after so many steps of others


class Effort:
    """Searches, one after the other."""

    def __init__(self, settings: Settings, run: Run, *, climbs: bool, small: bool) -> None:
        self.settings = settings
        self.run = run
        self.climbs = climbs  # whether limits of rules are to fit the effort, and if so, ...
        self.small = small  # ... whether the space is to be small
        self.taken = 0  # steps

    def search(self, task: ReadTask) -> SearchResult:
        """What is found in the space of the task, or in the largest that fits the effort."""
        if not self.climbs:
            return self.search_within(task, None)

        def search_in(limits: Overrides, most: int | None) -> SearchResult:
            return self.search_within(task.with_bias(overridden(task.bias, limits)), most)

        return climb(rungs(task.bias, small=self.small), search_in)

    def search_within(self, task: ReadTask, most: int | None) -> SearchResult:
        """One search, of so many steps at most."""
        result = self.run(task, capped(self.settings, most, self.taken), self.taken)
        self.taken, before = result.counts["steps"], self.taken
        result.counts["steps"] -= before
        return as_asked(result, self.settings)
