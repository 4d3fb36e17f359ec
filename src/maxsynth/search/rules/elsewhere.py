"""One search on many machines: the children of nodes are tried out by workers of a cluster, and judged here, in order.

How that gives the same answer is told in `kernel/features/units.pxi`. What a worker has to know, it is sent once, as
numbers: the tables of BK as they are here, the examples and the bias. So it reads no file, asks no Prolog, and numbers
terms as they are numbered here. Then there are the searches of a run, one after the other (a look around is one), of
which a worker knows the features that it was told of. Each unit brings what became known since the last one that came
back from the same worker.

Whatever goes wrong elsewhere, the search goes on here: a unit that nobody can do is done here, and when the cluster is
lost, all of them are.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Relation
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.features import FeatureSearch, Ties, begin_elsewhere, beginning_of, hear, news_of, try_unit
from maxsynth.kernel.forms.language import KernelBias
from maxsynth.kernel.terms import Index
from maxsynth.logic.predicates import Predicate
from maxsynth.search.settings import Settings
from maxsynth.search.threads import Threads
from maxsynth.search.weighing import WeighedExamples
from maxsynth.spread.cluster import Cluster
from maxsynth.spread.executor import Addressed, Failed, Stop, Work
from maxsynth.spread.on_worker import Missing, threads_here
from maxsynth.spread.stream import Stream
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

KEPT = 2  # runs that a worker remembers, ...
SEARCHES = 2  # ... and searches of each: that of a look around, and the one that it is for

Arrays = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What the searches of a run have in common."""

    bias: KernelBias
    relations: tuple[tuple[Predicate, NDArray[np.int32]], ...]
    examples: WeighedExamples
    size_weight: int
    without: tuple[str, ...]
    row_limit: int
    ties: tuple[int, int] | None  # how long paths are, and how much is kept of them; None: there are none
    settings: Settings


# -- a worker -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SentSetting:
    """The same as it is sent."""

    name: str
    setting: Setting

    def open(self) -> Workplace:
        """One for all threads of a worker: what it is told of, it should be told once."""
        with opening:
            if self.name not in workplaces:
                workplaces[self.name] = Workplace(self.setting)
                for old in list(workplaces)[:-KEPT]:
                    del workplaces[old]
            return workplaces[self.name]


class Workplace:
    """The searches of a run, on a worker."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.lock = threading.Lock()  # units are done one after the other, each by all threads
        self.threads = Threads(threads_here(), 0.0)
        self.relations = [Relation(predicate, rows) for predicate, rows in setting.relations]
        rows = setting.examples.rows
        self.ties = None if setting.ties is None else Ties(rows, [one.rows for one in self.relations], *setting.ties)
        self.memory = Memory(setting.settings.search_limit)
        self.searches: dict[str, FeatureSearch] = {}

    def search(self, name: str, beginning: Arrays | None) -> FeatureSearch | None:
        """A search of the run, which is begun where it is said how; None where it is not known."""
        if beginning is not None and name not in self.searches:
            setting, examples = self.setting, self.setting.examples
            made = FeatureSearch(
                setting.bias, setting.without, examples.rows, examples.pos, examples.neg, setting.size_weight,
                self.index, setting.row_limit, self.ties, 0, self.memory.claim, None, self.threads,
            )  # fmt: skip
            begin_elsewhere(made, beginning)
            self.searches[name] = made
            for old in list(self.searches)[:-SEARCHES]:
                del self.searches[old]
        return self.searches.get(name)

    def index(self, predicate: int, bound: tuple[int, ...]) -> Index:
        relation = self.relations[predicate]
        if len(bound) == 1 and relation.is_sparse(bound[0]):
            return relation.sparse_index(bound[0])
        made = relation.index(bound)
        assert made is not None
        return made


opening = threading.Lock()
workplaces: dict[str, Workplace] = {}


@dataclass(frozen=True)
class SentUnit:
    """A unit as it goes to a worker: of which search, how that begins where it is new there, and what became known."""

    search: str
    beginning: Arrays | None
    news: Arrays
    arrays: Arrays


def try_out(workplace: Workplace, unit: SentUnit, stop: Stop) -> Arrays | Missing | Failed | None:
    try:
        with workplace.lock:
            search = workplace.search(unit.search, unit.beginning)
            if search is None or not hear(search, unit.news):
                return Missing()
            return try_unit(search, unit.arrays, stop)
    except MemoryError:
        return Failed("there is too little memory")


# -- here -----------------------------------------------------------------------------------------------------


class Helpers:
    """Those who try out units for the searches of one run, until they are lost, which is told."""

    def __init__(self, cluster: Cluster, settings: Settings, tell: Callable[[str], None]) -> None:
        self.cluster = cluster
        self.settings = dataclasses.replace(settings, solver=None, weights_auto=None)  # what can be sent of them
        self.tell = tell
        self.lost = False
        self.sent = 0  # units, for those who want to know
        self.streams: dict[int, Stream[Workplace, Any]] = {}  # of examples: what goes with these is sent once

    def for_search(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        bias: KernelBias,
        size_weight: int,
        without: tuple[str, ...],
        row_limit: int,
        ties: tuple[int, int] | None,
    ) -> Elsewhere | None:
        """For a search of these examples; None where BK is asked as it is needed, since that is done here."""
        tables = []
        for predicate in task.bias.body:
            rows = task.background.relation(predicate).rows
            if rows is None:
                return None
            tables.append((predicate, rows))
        if id(examples) not in self.streams:
            setting = Setting(bias, tuple(tables), examples, size_weight, without, row_limit, ties, self.settings)
            sent = SentSetting(self.cluster.new_name(), setting)
            self.streams[id(examples)] = Stream(self.cluster, try_out, Work(sent.open, lambda: sent))
        return Elsewhere(self, self.streams[id(examples)], self.cluster.new_name())

    def __enter__(self) -> Helpers:
        return self

    def __exit__(self, *error: object) -> None:
        for stream in self.streams.values():
            stream.close()

    def give_up(self, why: str) -> None:
        """There are none any more."""
        if not self.lost:
            self.lost = True
            self.tell(f"{why}: the search goes on here, alone")


class Unit(Addressed):
    """Nodes whose children are to be tried out."""

    def __init__(self, elsewhere: Elsewhere, arrays: Arrays, search: FeatureSearch) -> None:
        self.elsewhere = elsewhere
        self.arrays = arrays
        self.search = search
        self.worker: str | None = None

    def addressed_to(self, worker: str | None, again: bool) -> SentUnit:
        """With what is not known there yet; with everything, where something turned out to be missing."""
        self.worker = worker
        told = None if again else self.elsewhere.told.get(worker)
        beginning = beginning_of(self.search) if told is None else None
        news = news_of(self.search, told or 0, self.arrays["known"])
        return SentUnit(self.elsewhere.name, beginning, news, self.arrays)

    def note_told(self) -> None:
        """It came back: whatever it brought is known there."""
        told = self.elsewhere.told
        told[self.worker] = max(told.get(self.worker, 0), self.arrays["known"])


class Elsewhere:
    """What the kernel sees of helpers: units of one search go there, and come back."""

    def __init__(self, helpers: Helpers, stream: Stream[Workplace, Any], name: str) -> None:
        self.helpers = helpers
        self.stream = stream
        self.name = name
        self.told: dict[str | None, int] = {}  # worker -> the features that it surely knows
        self.units: dict[int, Unit] = {}
        self.is_helped = not helpers.cluster.is_here  # whether this machine has cores that no worker has

    def attempt(self, what: Callable[[], bool]) -> bool:
        """Whether something holds; False, where there is nobody to ask any more."""
        try:
            return not self.helpers.lost and what()
        except (MaxSynthError, MemoryError) as error:
            self.give_up(str(error))
            return False

    def is_ready(self) -> bool:
        """Whether there is anybody."""
        return self.attempt(self.stream.is_ready)

    def has_room(self) -> bool:
        return self.attempt(self.stream.has_room)

    def send(self, number: int, arrays: Arrays, search: FeatureSearch) -> None:
        self.units[number] = Unit(self, arrays, search)

        def send() -> bool:
            self.stream.send(number, self.units[number])
            self.helpers.sent += 1
            return True

        self.attempt(send)

    def came(self, number: int, wait: bool) -> bool:
        """Whether there is nothing more to wait for; where there is, waits for a moment if that is asked for."""

        def missing() -> bool:
            if number not in self.stream.found:
                self.stream.take_what_came(wait)
            return number not in self.stream.found

        return not self.attempt(missing)

    def take(self, number: int) -> Arrays | None:
        """What was found for a unit; None where it is to be tried out here."""
        unit, found = self.units.pop(number), self.stream.found.pop(number, None)
        if not isinstance(found, dict):
            return None
        unit.note_told()
        return found

    def give_up(self, why: str) -> None:
        self.helpers.give_up(why)

    def drop(self) -> None:
        """What is under way is of no use any more."""
        self.units.clear()
        self.stream.drop()
