"""A task that is learned from again and again, as a person decides about its labels."""

from __future__ import annotations

import dataclasses
import itertools
import os
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from maxsynth.api import options
from maxsynth.api.front import OnPoints
from maxsynth.api.learn import OnProgress, Watch
from maxsynth.api.result import Result
from maxsynth.api.searches.climbing import limits_of
from maxsynth.api.searches.counting import learn_counting
from maxsynth.api.searches.effort import Effort
from maxsynth.api.task import Task, checked_task
from maxsynth.api.warnings import warn
from maxsynth.api.weighing import MOST, Label, Weighing
from maxsynth.bias.parsing import overridden
from maxsynth.checks.advice import advice
from maxsynth.errors import MaxSynthError, Position
from maxsynth.explanation.explain import Explainer
from maxsynth.explanation.suspects import Suspect, all_examples, find_suspects
from maxsynth.prolog.reading.reader import parse_term
from maxsynth.prolog.terms import Struct
from maxsynth.search.again.again import Knowledge, Way, learn_again
from maxsynth.search.again.ask import Question, collect, near, questions
from maxsynth.search.again.weigh import Weight
from maxsynth.search.front.front import FrontSearch
from maxsynth.search.front.result import Front
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.task.labels import Labels
from maxsynth.task.memory import check_limit
from maxsynth.task.task import ReadTask
from maxsynth.task.undirected import without_directions


class Session:
    """Learns from one task with changing labels, each time with what is known from before.

        with maxsynth.Session(task) as session:
            first = session.learn()
            session.prepare()  # while a person reads it
            second = session.learn({"zendo(17)": "flip", "zendo(23)": "leave out"})

    Each result is what `learn` gives with the same labels: a program of least cost, proven. Decisions that agree with
    the program cost no search; others cost a choice among rules that are known, once they are (`prepare`). Labels are
    always those of the task with the decisions that are given, not with those given before.

    The options are those of `learn`, and `atoms`, as text: what has no label yet, for `ask`. Of tables, where limits of
    rules fit the effort, the first run chooses the space for all that follow.
    """

    def __init__(
        self,
        task: Task,
        *,
        weights: Sequence[int] = (1, 1, 1),
        forbid_singletons: bool = False,
        ignore_directions: bool = False,
        max_vars: int | None = None,
        max_body: int | None = None,
        max_clauses: int | None = None,
        memory: int | str | None = None,
        jobs: int | None = None,
        atoms: Sequence[str] = (),
    ) -> None:
        self.task = checked_task(task)
        chosen = options.weights(weights)
        if chosen is None:
            raise MaxSynthError('a session has no use for weights="auto"', remedy="give three numbers")
        self._settings = Settings(
            chosen,
            memory=options.memory(memory),
            directions=not options.flag("ignore_directions", ignore_directions),
            prolog=task.prolog,
            jobs=options.count("jobs", jobs),
        )
        overrides = options.overrides(max_vars, max_body, max_clauses)
        warn(task.warnings)
        check_limit(self._settings.memory)
        read = task.read(self._settings.memory_limit, overrides)
        if options.flag("forbid_singletons", forbid_singletons):
            read = read.with_bias(dataclasses.replace(read.bias, singletons=False))
        self._read: ReadTask = without_directions(read) if ignore_directions else read
        self._climbs = task.climbs and not overrides
        self._chosen = not self._climbs and not task.counts  # whether the space is that of the bias, or chosen
        self._atoms = ground_atoms(atoms, self._read)
        self._knowledge = Knowledge(self._read, chosen, self._atoms)
        self._steps = 0  # of the longest search

    @property
    def prepared(self) -> bool:
        """Whether `learn` can do without a search, whatever is decided."""
        return self._knowledge.pool is not None

    @property
    def can_prepare(self) -> bool:
        """Whether `prepare` may be of use, as far as that is known."""
        return self._chosen and self._knowledge.pool is None and not self._knowledge.no_pool

    @property
    def way(self) -> Way:
        """How the last result was come by."""
        return self._knowledge.way

    def learn(
        self,
        labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
        *,
        timeout: float | None = None,
        steps: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """A program of least cost with these decisions about labels, as `learn` takes them."""
        decisions, watch = options.labels(labels), Watch(options.callback(on_progress))
        settings = dataclasses.replace(
            self._settings,
            timeout=options.seconds("timeout", timeout),
            steps=options.count("steps", steps),
            labels=decisions.recorded(),
        )
        started = time.monotonic()
        if not self._chosen:
            run = self._choose_space(decisions, settings, watch, started)
        else:
            task = decisions.apply(self._read)
            run = learn_again(task, self._knowledge, lambda: self._search(task, settings, watch, started, "combine"))
        self._steps = max(self._steps, run.counts["steps"])
        return Result(run, self.task, warnings=self.task.warnings, advice=advice(self._read, run))

    def prepare(self, *, timeout: float | None = None, on_progress: OnProgress | None = None) -> bool:
        """Makes what lets `learn` do without a search, whatever is decided; False where there is no such thing.

        It takes about as long as a first run. Programs that call themselves, and very many rules, have none.
        """
        if not self._chosen:
            return False
        watch = Watch(options.callback(on_progress))
        settings = dataclasses.replace(self._settings, timeout=options.seconds("timeout", timeout))
        return self._knowledge.prepare(self._search(self._read, settings, watch, time.monotonic(), "prepare"))

    def front(
        self,
        labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
        *,
        size: int | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        on_points: OnPoints | None = None,
    ) -> Front:
        """For every size the program with the fewest errors, with these decisions, as `maxsynth.front` has it; what
        `learn` finds is known from before, or learned now."""
        size, watch = options.count("size", size), Watch(options.callback(on_progress))
        tell = options.callback(on_points, "on_points")
        started = time.monotonic()
        first = self.learn(labels, timeout=timeout, on_progress=on_progress)._run
        decisions = options.labels(labels)
        settings = dataclasses.replace(
            self._settings, timeout=options.seconds("timeout", timeout), labels=decisions.recorded()
        )
        searching = FrontSearch(
            decisions.apply(self._read), settings, watch.note, watch.should_stop, started, self._steps,
            follow=lambda now: watch.follow(now, "front"), on_points=tell,
        )  # fmt: skip
        return searching.run(size, first)

    def ask(
        self,
        labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
        *,
        slack: int = 2,
        most: int = 10,
        tries: int = 40,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Question]:
        """Which examples, if somebody looked at their labels, would tell most between programs that are as good, or
        cost up to `slack` more.

        These are the `atoms` of the session, or without any, the examples of the task about which nothing is decided.
        Programs are sought by giving up to `tries` of them another label; where `prepare` gives nothing, those that
        were learned are all. What is cut, by its `timeout` or by `on_progress`, asks by the programs known by then.
        """
        settings = dataclasses.replace(self._settings, timeout=options.seconds("timeout", timeout))
        started, watch = time.monotonic(), Watch(options.callback(on_progress))
        self.learn(labels, timeout=timeout, on_progress=on_progress)
        knowledge, decisions = self._knowledge, options.labels(labels)
        labelling = knowledge.labelling(decisions.apply(self._read))
        search = self._search(self._read, settings, watch, started, "prepare")
        knowledge.prepare(search)
        decided = {knowledge.place[row] for row in decisions.decided(self._read)}
        watch.follow(lambda: None, "ask")
        collect(knowledge, labelling, tries, search.should_stop, decided)
        programs = near(knowledge, labelling, slack)
        wanted = {tuple(row) for row in self._atoms.tolist()} or set(knowledge.place)
        places = [place for row, place in knowledge.place.items() if row in wanted and place not in decided]
        asked = questions(programs, places, labelling, lambda place: self._read.example_text(knowledge.rows[place]))
        return list(itertools.islice(asked, most))

    def suspects(
        self,
        labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
        *,
        most: int = MOST,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Suspect]:
        """The examples that the best program contradicts, those first that most speaks against.

        For each, the best program that agrees with its label is sought, by a search of its own: `evidence` is how much
        more it costs, up to `most`, and `doubted` says whether that is clearly more. What a `timeout`, for all of them
        together, or `on_progress` leaves no time for has the evidence that is known then.
        """
        started = time.monotonic()
        result = self.learn(labels, timeout=timeout, on_progress=on_progress)
        if result.program is None:
            return []
        task = options.labels(labels).apply(self._read)
        found = find_suspects(list(all_examples(Explainer(result.program, task), task)))
        wanted = [(one.example.row, one.example.label) for one in found]
        weights = self._weights(wanted, result, task, most, timeout, on_progress, started)
        weighed = [
            dataclasses.replace(one, evidence=weight.evidence, exactly=weight.exactly)
            for one, weight in zip(found, weights, strict=True)
        ]
        return sorted(weighed, key=lambda one: -(one.evidence or 0))

    def weigh(
        self,
        examples: Sequence[tuple[str, bool]],
        labels: str | os.PathLike[str] | Mapping[str, str] | None = None,
        *,
        most: int = MOST,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Iterator[Weight]:
        """How much speaks against the labels of some examples, each given with the label that it has: the `evidence`
        of `suspects`, one after the other as they are known."""
        started = time.monotonic()
        result = self.learn(labels, timeout=timeout, on_progress=on_progress)
        task = options.labels(labels).apply(self._read)
        wanted = labels_named(examples, task)
        yield from self._weights(wanted, result, task, most, timeout, on_progress, started)

    def _weights(
        self,
        wanted: Sequence[Label],
        result: Result,
        task: ReadTask,
        most: int,
        timeout: float | None,
        on_progress: OnProgress | None,
        started: float,
    ) -> Iterator[Weight]:
        assert result.cost is not None
        watch = Watch(options.callback(on_progress))
        settings = dataclasses.replace(self._settings, timeout=options.seconds("timeout", timeout))

        def search(heavier: ReadTask, within: Settings) -> Search:
            return self._search(heavier, within, watch, started, "weigh")

        weighing = Weighing(task, result.cost, result.lower_bound, settings, options.count("most", most) or 1)
        return weighing.weights(wanted, search, started, watch.should_stop)

    def close(self) -> None:
        """Ends what the background of the task runs on."""
        self._read.background.close_engine()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _search(
        self, task: ReadTask, settings: Settings, watch: Watch, started: float, doing: str, steps: int = 0
    ) -> Search:
        """A search; `doing` is what is done in its name, as long as it does not search itself."""
        searching = Search(task, settings, watch.note, watch.should_stop, started, steps)
        watch.follow(searching.now, doing)
        return searching

    def _choose_space(self, decisions: Labels, settings: Settings, watch: Watch, started: float) -> SearchResult:
        """The first run on tables: limits that fit the effort, and counts where they pay."""

        def search(space: ReadTask, within: Settings, taken: int) -> SearchResult:
            return self._search(space, within, watch, started, "generate", taken).run()

        effort = Effort(settings, search, climbs=self._climbs, small=False)
        run, space = learn_counting(decisions.apply(self._read), self.task.counts, effort.search)
        if self._climbs:
            space = space.with_bias(overridden(space.bias, limits_of(run)))
        # The same space for the labels that the task has.
        self._read = dataclasses.replace(space, positives=self._read.positives, negatives=self._read.negatives)
        self._knowledge, self._chosen = Knowledge(self._read, settings.weights, self._atoms), True
        self._knowledge.learn_from(run, self._knowledge.labelling(decisions.apply(self._read)))
        return run


def labels_named(examples: Sequence[tuple[str, bool]], task: ReadTask) -> list[Label]:
    """Examples with their labels, by their texts; an error for what is none."""
    sides = ((True, task.positives), (False, task.negatives))
    known = {(task.example_text(row), label): tuple(row.tolist()) for label, side in sides for row in side.rows}
    for text, label in examples:
        if (text, label) not in known:
            which = f"a {'positive' if label else 'negative'} example"
            raise MaxSynthError(f"`{text}` is not {which}", Position("examples"), "name it as the task has it")
    return [(known[text, label], label) for text, label in examples]


def ground_atoms(texts: Sequence[str], task: ReadTask) -> NDArray[np.int32]:
    """Atoms of the target, as rows of term ids."""
    target, rows = task.bias.head, []
    for text in texts:
        try:
            term = parse_term(str(text).rstrip().removesuffix(".")).term
            if not isinstance(term, Struct) or (term.name, len(term.args)) != target:
                raise MaxSynthError(f"`{text}` is not of {target}", Position("atoms"), f"give atoms of {target}")
            rows.append([task.background.store.intern(arg) for arg in term.args])
        except ValueError:
            raise MaxSynthError(f"`{text}` has a variable", Position("atoms"), "give ground atoms") from None
    found = np.array(rows, np.int32).reshape(len(rows), target.arity)
    task.background.learn_values(target, found)
    return found
