"""The search for a program of least cost: Algorithm 1 of the paper, a size at a time.

The paper's loop generates one program, tests it, combines what is promising, and constrains the rest. Here one turn
does that for all rules of a size at once. What generates them also tests and constrains, since these are the same
joins and bit operations (`rules.features`; the constraints are the prunings by the swap lemma inside them). A quick
look for a better combination comes after each size, so that good programs are known early; after the last size, what
is left is combined exactly (`choose.combine`). Programs that call themselves take turns with the rules
(`programs.recursion`, `programs.asp`): they are tested and constrained in the same way, and never combined.

What the paper calls `best_solution` and `max_mdl` is `best`; `cons` is in what generates, and `promising` is what the
combiner holds. The size goes up with every turn.
"""

from __future__ import annotations

from collections.abc import Callable

from maxsynth.background.background import StoppedAskingError
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.search.checkpoints.lasting import LastingRun
from maxsynth.search.checkpoints.phases import Phase
from maxsynth.search.checkpoints.rest import WRONG
from maxsynth.search.choose.combine import FEW_STARTS, STARTS, Combiner
from maxsynth.search.coverage import Pool
from maxsynth.search.parts import FIRST_LOOK, Rules
from maxsynth.search.result import SearchResult
from maxsynth.search.rules.features import Look, RuleGenerator

LOOKS = 4  # times the work of a look around is what the next rules must take to be worth one
PROGRAMS_SHARE = 50  # of the work, against one for rules


class Search(LastingRun):
    """A run that searches."""

    batch: Pool | None = None  # the rules that were just made

    def run(self) -> SearchResult:
        """Searches; from a checkpoint that somebody else made, all that goes wrong is its fault."""
        try:
            return self.search_and_tell()
        except WRONG as error:
            if self.checkpoint is None:
                raise
            raise self.checkpoint.damaged() from error

    def search_and_tell(self) -> SearchResult:
        """Searches to the end, or until somebody stops it, even within a call to BK, or there is no more memory."""
        with self.threads, self.task.background.watched_by(self.limits.reached):
            try:
                proven = self.search()
            except StoppedAskingError:
                proven = False
            except MemoryError:
                proven = False
                self.save_last()
                self.memory.fill()
            if proven and self.phase is not Phase.PROVEN:
                self.finish()
        self.save()
        # Here what the search held on to is given back.
        self.rested = self.saved = self.dive = None
        result = self.result(proven)
        if isinstance(self.rules, RuleGenerator) and self.rules.features is not None:
            self.rules.release()  # parts of a search know each other, and so would wait to be collected
        self.main = None
        return result

    # -- Algorithm 1 ----------------------------------------------------------------------------------------

    def search(self) -> bool:
        """Whether the best program is proven to be one. The numbers below are the lines of Algorithm 1.

        Each phase says what comes after it, or how it all ended.
        """
        does: dict[Phase, Callable[[], Phase | bool]] = {
            Phase.LOOK_AROUND: self.look_around,
            Phase.DIVE: self.go_deeper,
            Phase.DIVED: self.take_dived,
            Phase.SET_UP: self.set_up,  # 2, 3
            Phase.TURN: self.take_turns,  # 4
            Phase.PROGRAMS: self.next_programs,  # 5 to 13, 21: generate, test, keep what is better, constrain
            Phase.LOOK_FURTHER: self.look_further,
            Phase.PRICE: self.price,
            Phase.LAST_RULES: self.take_last,
            Phase.RULES: self.next_rules,  # 5 to 10, 21: generate, test, constrain
            Phase.PROMISING: self.improve,  # 15, and 16 to 20
            Phase.BOUND: self.raise_lower_bound,
            Phase.FEWER: self.take_fewer,
            Phase.COMBINE: self.combine,  # 16 to 20, to the end: 22
            Phase.WIDEN: lambda: True,
            Phase.PROVEN: lambda: True,
        }
        following: Phase | bool = self.begin()
        while isinstance(following, Phase):
            self.enter(following)
            following = does[following]()
        return following

    def begin(self) -> Phase | bool:
        """Makes BK ready, and goes on from a checkpoint where there is one."""
        if self.checkpoint is None or self.checkpoint.phase is Phase.BEGIN:
            self.enter(Phase.BEGIN)
            self.make_ready()
            return Phase.LOOK_AROUND
        self.restore_best()
        if self.checkpoint.phase is Phase.PROVEN:
            return self.restore()
        # The steps of this were counted already.
        self.should_stop = self.limits.reached
        self.make_ready()
        self.should_stop = self.limits
        return False if self.limits.stopped else self.restore()

    def make_ready(self) -> None:
        with self.stages.spent_on("background"):
            self.spell_out()
            if self.parts.by_features and not self.parts.calls_allowed:
                # Recursive programs ask for less of BK than all, where closing may never end.
                self.task.background.close(self.parts.task.bias.body, should_stop=self.should_stop)
        self.first_terms = len(self.task.background.store)

    def set_up(self) -> Phase:
        """Nothing is forbidden yet, nothing is promising, and the best program is the empty one."""
        self.rules = rules = self.parts.rules(self.rules)
        if isinstance(rules, RuleGenerator):
            self.watched(rules)
        self.promising = self.parts.combiner(rules)
        self.main = rules, self.promising
        self.make_programs()
        return Phase.TURN

    def take_turns(self) -> Phase:
        """Who is next, while there may be a better program."""
        if self.exhausted():
            return Phase.FEWER
        return Phase.PROGRAMS if self.programs_are_next() else Phase.LOOK_FURTHER

    def finish(self) -> None:
        """What comes once the best program is proven to be one."""
        self.enter(Phase.WIDEN)
        if self.task.bias.learned:
            self.widen()
        self.enter(Phase.PROVEN)

    def widen(self) -> None:
        """Of programs that cost the least, takes one whose rules cover more positives (`learned.wider`)."""
        best = self.best
        if not best.found or best.outcome is not None or not self.parts.by_features or not best.program.rules:
            return
        from maxsynth.search.learned.wider import Widener  # what a task does not need is not loaded

        if isinstance(self.rules, RuleGenerator):
            self.rules.release()
        widener = Widener(
            self.parts, self.spelled, Evaluator(self.task.background, self.task.bias.head), self.should_stop
        )
        with self.stages.spent_on("wider"):
            try:
                program = widener.widened(best.program)
            except (StoppedAskingError, MemoryError):
                return
        best.program = program.executable(self.task.bias.directions)

    # -- looking around -------------------------------------------------------------------------------------

    def look_around(self) -> Phase:
        """A first look: rules of all sizes from the most promising parts only, and a quick choice among them."""
        if not self.parts.by_features or self.parts.calls_allowed or self.informed:
            return Phase.SET_UP
        return self.start_dive(FIRST_LOOK)

    def look_further(self) -> Phase:
        """Looks around once more, and further, while the next rules are more work than that.

        Not when there is room for one of them only in a better program, for then few are left by their prices.
        """
        rules = self.own_rules
        if self.look is not None and not self.priced() and rules.next_work() > LOOKS * self.look.work:
            return self.start_dive(self.look)
        return Phase.PRICE

    def start_dive(self, look: Look) -> Phase:
        with self.stages.spent_on("dive", "dive"):
            rules = self.watched(self.parts.features(look, self.rules))
            self.diving, self.dive = look, (rules, self.parts.combiner(rules))
            self.rules, self.promising = self.dive
            rules.keep_below(self.best.bound)
        return Phase.DIVE

    def go_deeper(self) -> Phase:
        """The next size of a dive, or back from it."""
        assert self.dive is not None
        assert self.diving is not None
        rules, _ = self.dive
        with self.stages.spent_on("dive", "dive"):
            self.batch = None if rules.exhausted else rules.next_size(self.should_stop)
        if self.batch is not None:
            return Phase.DIVED
        self.look = self.diving.further() if rules.narrowed else None
        self.dive = None
        if self.main is None:
            return Phase.SET_UP
        self.rules, self.promising = self.main
        self.own_rules.keep_below(self.best.bound)
        return Phase.LOOK_FURTHER

    def take_dived(self) -> Phase:
        assert self.dive is not None
        rules, promising = self.dive
        with self.stages.spent_on("dive", "dive"):
            promising.add(self.taken_batch())
            starts = STARTS if rules.exhausted else FEW_STARTS
            self.take(promising.improve(self.best.bound, self.should_stop, starts), rules)
            rules.keep_below(self.best.bound)
        return Phase.DIVE

    # -- the parts of a turn --------------------------------------------------------------------------------

    @property
    def own_rules(self) -> Rules:
        assert self.main is not None
        return self.main[0]

    @property
    def own_promising(self) -> Combiner:
        assert self.main is not None
        return self.main[1]

    def taken_batch(self) -> Pool:
        """The rules that were just made, once; who goes on from a checkpoint has them from there."""
        batch, self.batch = self.batch, None
        if batch is None:
            assert isinstance(self.rules, RuleGenerator)
            batch = self.rules.batch()
        return batch

    def exhausted(self) -> bool:
        """Whether there is nothing left that may be in a better program."""
        rules = self.own_rules
        rules.keep_below(self.best.bound)
        return rules.exhausted and (self.programs is None or self.programs.exhausted(self.best.bound))

    def programs_are_next(self) -> bool:
        """Whether it is the turn of programs that call themselves, rather than of the next rules.

        Each side bounds the other: the best set of rules bounds what a program may cost, and a good program leaves few
        of the larger rules. So they take turns, by the work that each had so far.
        """
        rules, programs = self.own_rules, self.programs
        if programs is None or programs.exhausted(self.best.bound):
            return False
        return rules.exhausted or programs.work <= PROGRAMS_SHARE * rules.tested

    def price(self) -> Phase:
        """Once a better program has room for one more rule only: what the known ones beside it cost at least."""
        if self.priced():
            rules = self.own_rules
            bound, size = self.best.bound, self.weights.size * (rules.size + 2)
            with self.stages.spent_on("combine"):
                prices = self.own_promising.prices(bound - size, self.should_stop)
                if prices is not None:
                    rules.use_prices(prices, bound)
        return Phase.LAST_RULES

    def priced(self) -> bool:
        """Whether a better program has room for no more than one of the rules to come."""
        if not self.parts.by_features or "prices" in self.settings.left_out:
            return False  # clingo makes nothing of prices
        return 2 * self.weights.size * (self.own_rules.size + 2) >= self.best.bound

    def take_last(self) -> Phase:
        """Takes the last rules by what they can save, where there are very many (`choose.last_size`)."""
        rules = self.priced_rules()
        if rules is not None and rules.is_wide(self.should_stop) and self.take_by_price(rules):
            return Phase.TURN
        return Phase.RULES

    def take_fewer(self) -> Phase | bool:
        """The same for all rules, where they turn out to be too many to choose among."""
        rules = self.priced_rules()
        if rules is not None and self.own_promising.is_too_much(self.best.bound, self.should_stop):
            self.take_by_price(rules)
        return False if self.limits.stopped else Phase.COMBINE

    def priced_rules(self) -> RuleGenerator | None:
        """The rules, where they can be taken by what they can save."""
        rules = self.own_rules
        usual = self.settings.solver is None and type(self.own_promising) is Combiner and self.programs is None
        return rules if usual and isinstance(rules, RuleGenerator) and rules.can_be_priced else None

    def take_by_price(self, rules: RuleGenerator) -> bool:
        """Has the rules that a better program may have in the place of all; whether these were found."""
        promising = self.own_promising

        def improve(some: Pool, bound: int, *, exactly: bool = True) -> int:
            few = self.parts.combiner()
            few.add(some)
            found = few.best(bound, self.should_stop).best if exactly else few.improve(bound, self.should_stop)
            self.take(found, rules)
            return self.best.bound

        with self.stages.spent_on("generate", "generate"):
            self.memory.claim(sum(batch.bits.nbytes for batch in promising.batches))
            known = Pool.of(promising.batches, len(self.examples.pos))
            pool = rules.last_sizes(known, self.best.bound, improve, self.best.raise_lower_bound, self.should_stop)
        if pool is not None:
            promising.replace(pool)
        return pool is not None

    def next_rules(self) -> Phase | bool:
        """The rules of the next size that are worth something, tested."""
        with self.stages.spent_on("generate", "generate"):
            self.batch = self.own_rules.next_size(self.should_stop)
        return False if self.batch is None else Phase.PROMISING

    def improve(self) -> Phase:
        """A quick look for a better combination with the new rules."""
        rules, promising = self.own_rules, self.own_promising
        with self.stages.spent_on("combine", "combine"):
            promising.add(self.taken_batch())
            self.take(promising.improve(self.best.bound, self.should_stop), rules)
        return Phase.BOUND

    def next_programs(self) -> Phase | bool:
        """Goes on with programs that call themselves."""
        assert self.programs is not None
        bias = self.task.bias
        kinds = (("recursion", bias.recursion), ("invention", bias.invention))
        with (
            self.stages.spent_on("programs", " and ".join(name for name, on in kinds if on)),
            self.task.background.counted_by(self.should_stop),  # one test may ask BK many thousand times
        ):
            try:
                finished = self.programs.next_size(self.best.bound, self.take_program, self.should_stop)
            except StoppedAskingError:
                return False
        return Phase.BOUND if finished else False

    def raise_lower_bound(self) -> Phase | bool:
        """What any program costs at least, now that all rules up to a size are known.

        A better program has a larger rule, which costs its size, or is made of the rules in the pool, or calls itself
        and was not tested. (In exact mode, where an error costs more than any program, so many literals has a program
        without errors at least.)
        """
        rules, promising, best = self.own_rules, self.own_promising, self.best
        if (
            self.settings.solver is None and not self.exhausted()
        ):  # otherwise the proof comes next, and with it the bound
            with self.stages.spent_on("combine"):
                unknown = best.bound if rules.exhausted else self.weights.size * (rules.size + 2)
                if self.programs is not None:
                    unknown = min(unknown, self.programs.lower_bound())
                unknown = min(unknown, best.bound)  # what the pool costs beyond that is of no interest
                if unknown > best.lower_bound:
                    best.raise_lower_bound(promising.at_least(unknown, self.limits.reached))
        self.tell(rules, len(promising))
        return True if best.lower_bound >= best.bound else Phase.TURN

    def combine(self) -> bool:
        """Makes the best combination of all rules the best, if it is; whether that is proven."""
        rules, promising = self.own_rules, self.own_promising
        promising.log = self.choice_log()
        with self.stages.spent_on("combine", "combine"):
            should_stop = self.should_stop if self.settings.solver is None else self.limits.reached
            choice = promising.best(self.best.bound, should_stop, lambda better: self.take(better, rules))
            self.best.raise_lower_bound(choice.lower_bound)
            self.take(choice.best, rules)
        return choice.proven
