"""A run that can be saved, and gone on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxsynth.background.answers import Lazy, lazy_indexes
from maxsynth.background.background import Background
from maxsynth.kernel.choose import CoverLog
from maxsynth.search.checkpoints.keeper import Keeper
from maxsynth.search.checkpoints.phases import Phase
from maxsynth.search.checkpoints.rest import (
    WRONG,
    BestSoFar,
    Checkpoint,
    Known,
    Rest,
    Side,
    read_look,
    restore_best,
    restore_known,
    restore_side,
)
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.parts import Rules
from maxsynth.search.rules.features import Look, RuleGenerator
from maxsynth.search.run import Run

if TYPE_CHECKING:
    from maxsynth.search.programs.saved import ProgramsRest


class LastingRun(Run):
    """What `loop.Search` is made of, and how it is saved (`rest`).

    `main` is what generates rules and combines them, `dive` the same for a look around.
    """

    def __init__(
        self, *given: Any, keeper: Keeper | None = None, checkpoint: Checkpoint | None = None, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self.keeper = keeper
        self.checkpoint = checkpoint
        self.phase = Phase.BEGIN
        self.look: Look | None = None  # how far to look around next, None for not again
        self.diving: Look | None = None  # how far a dive looks
        self.main: tuple[Rules, Combiner] | None = None
        self.dive: tuple[RuleGenerator, Combiner] | None = None
        self.first_terms = 0
        self.relations: list[int] = []
        self.lazy: list[Lazy] = []
        self.rested: Rest | None = None
        self.saved: Rest | None = None
        self.log: CoverLog | None = None
        self.saved_asked = 0  # the looks of the log that was saved last
        self.known_counts: dict[str, int] | None = None  # of a run that came to its end before
        if keeper is not None:
            self.limits.due, self.limits.on_due, self.limits.on_stop = keeper.due, self.save_in_between, self.save_last

    @property
    def goes_on(self) -> bool:
        """Whether it can go on in the middle; otherwise it begins again."""
        return self.parts.by_features and (self.parts.by_recursion or not self.parts.calls_allowed)

    # -- to a file ------------------------------------------------------------------------------------------

    def enter(self, phase: Phase) -> None:
        """A new phase is a rest."""
        self.phase = phase
        self.rest()

    def rest(self) -> None:
        """Takes note of all that there is, and writes it when that is due."""
        proven = self.phase in (Phase.WIDEN, Phase.PROVEN)
        between = self.phase is not Phase.BEGIN and not proven
        if self.keeper is None or self.limits.stopped or (between and not self.goes_on):
            return
        self.rested = Rest(
            self.phase,
            self.limits.steps,
            self.limits.seconds(),
            dict(self.stages.seconds),
            BestSoFar.of(self.best),
            self.look,
            self.diving,
            self.side(self.main) if between else None,
            self.side(self.dive) if between else None,
            self.programs_rest() if between else None,
            Known.of(self.backgrounds, self.first_terms, self.lazy_indexes()) if between else None,
            self.counts() if proven else None,
        )
        if self.limits.is_due:
            self.save()

    def side(self, side: tuple[Rules, Combiner] | None) -> Side | None:
        if side is None:
            return None
        rules, promising = side
        assert isinstance(rules, RuleGenerator)
        return Side.of(rules, promising)

    def programs_rest(self) -> ProgramsRest | None:
        if self.programs is None:
            return None
        from maxsynth.search.programs.saved import ProgramsRest  # what a task does not need is not loaded

        return ProgramsRest.of(self.programs)  # type: ignore[arg-type]

    def lazy_indexes(self) -> list[Lazy]:
        """What is asked of BK: found again when there are more relations, of which there may be very many."""
        counted = [len(background.relations) for background in self.backgrounds]
        if counted != self.relations:
            self.relations = counted
            self.lazy = [lazy_indexes(background) for background in self.backgrounds]
        return self.lazy

    @property
    def backgrounds(self) -> tuple[Background, ...]:
        """Those that are asked, each once."""
        every = (self.task.background, self.parts.task.background, self.parts.program_task.background)
        return tuple({id(one): one for one in every}.values())

    def save_in_between(self) -> None:
        """Writes the last rest when it is time, wherever the search is by now."""
        self.limits.due += 1  # where there is nothing new: another look in a second
        self.save()

    def save_last(self) -> None:
        """Writes the last rest when the search is to end: what comes now would not have come otherwise."""
        self.save()
        self.rested = None

    @property
    def is_new(self) -> bool:
        """Whether there is something to be written: another rest, or more of the exact choice."""
        return self.rested is not self.saved or (self.log is not None and self.log.asked != self.saved_asked)

    def save(self) -> None:
        """Writes what there was at the last rest."""
        if self.keeper is None or self.rested is None or not self.is_new:
            return
        rested = self.rested
        try:
            self.keeper.write({**rested.state(self.best), "choice": self.chosen_so_far()})
        except ValueError:
            return  # memory ended within a step: what was written before stays
        finally:
            rested.go_on()
        self.saved, self.limits.due = rested, self.keeper.due
        self.saved_asked = self.log.asked if self.log is not None else 0

    def choice_log(self) -> CoverLog | None:
        """What the exact choice finished, to be saved; with what was finished before."""
        known = self.known_choice()
        if known is None and self.keeper is None:
            return None
        self.log = CoverLog(known, self.limits.skip)
        return self.log

    def known_choice(self) -> list[Any] | None:
        if self.checkpoint is None or self.checkpoint.phase is not Phase.COMBINE:
            return None
        known: list[Any] | None = self.checkpoint.state["choice"]
        return known

    def chosen_so_far(self) -> list[Any] | None:
        """What of the exact choice is finished."""
        assert self.rested is not None
        if self.rested.phase is not Phase.COMBINE:
            return None
        return self.known_choice() if self.log is None or self.log.is_behind else self.log.frames

    def counts(self) -> dict[str, int]:
        if self.known_counts is None:
            return super().counts()
        return {**self.known_counts, "steps": self.limits.steps}

    # -- from a file ----------------------------------------------------------------------------------------

    def watched(self, rules: RuleGenerator) -> RuleGenerator:
        """Lets what generates rules say when it rests."""
        if self.keeper is not None:
            rules.on_rest = self.rest
        return rules

    def restore_best(self) -> None:
        """The best program so far, whatever comes then."""
        assert self.checkpoint is not None
        try:
            restore_best(self.best, self.checkpoint.state["best"], self.task)
        except WRONG:
            raise self.checkpoint.damaged() from None

    def restore(self) -> Phase:
        """Goes on from a checkpoint; the phase that it is in. BK is as it was when the search began."""
        assert self.checkpoint is not None
        state = self.checkpoint.state
        try:
            self.stages.seconds = {str(work): float(spent) for work, spent in state["spent"].items()}
            if self.checkpoint.phase in (Phase.WIDEN, Phase.PROVEN):
                self.known_counts = {str(name): int(count) for name, count in state["counts"].items()}
                return self.checkpoint.phase
            self.look, self.diving = read_look(state["look"]), read_look(state["diving"])
            sides = self.made_anew(state)
            restore_known(self.backgrounds, state["known"])
            for (rules, promising), saved in sides:
                restore_side(rules, promising, saved)
            if state["programs"] is not None:
                self.restore_programs(state["programs"])
            return self.checkpoint.phase
        except WRONG:
            raise self.checkpoint.damaged() from None

    def make_programs(self) -> None:
        """What generates programs that call themselves, where there are such."""
        self.programs = programs = self.parts.programs()
        if self.keeper is not None and self.goes_on and programs is not None:
            programs.on_rest = programs.bodies.on_rest = self.rest  # type: ignore[attr-defined]

    def restore_programs(self, state: dict[str, Any]) -> None:
        from maxsynth.search.programs.saved import Reader

        assert self.programs is not None
        with self.task.background.watched_by(self.limits.reached):
            Reader(self.programs, state).restore()  # type: ignore[arg-type]

    def made_anew(self, state: dict[str, Any]) -> list[tuple[tuple[RuleGenerator, Combiner], dict[str, Any]]]:
        """What generates and combines rules, as at the beginning, with what it has to become."""
        found = []
        if state["main"] is not None:
            rules = self.watched(self.parts.features())
            self.main = side = rules, self.parts.combiner(rules)
            self.rules, self.promising = self.main
            found.append((side, state["main"]))
        if state["programs"] is not None:
            self.make_programs()
        if state["dive"] is not None:
            rules = self.watched(self.parts.features(self.diving, self.rules))
            self.dive = rules, self.parts.combiner(rules)
            self.rules, self.promising = self.dive
            found.append((self.dive, state["dive"]))
        return found
