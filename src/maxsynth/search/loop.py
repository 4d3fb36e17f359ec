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

from maxsynth.background.background import StoppedAskingError
from maxsynth.proofs.evaluator import Evaluator
from maxsynth.search.choose.combine import FEW_STARTS, STARTS, Combiner
from maxsynth.search.coverage import Pool
from maxsynth.search.parts import FIRST_LOOK, Programs, Rules
from maxsynth.search.result import SearchResult
from maxsynth.search.rules.features import Look, RuleGenerator
from maxsynth.search.run import Run

LOOKS = 4  # times the work of a look around is what the next rules must take to be worth one
PROGRAMS_SHARE = 50  # of the work, against one for rules


class Search(Run):
    """A run that searches."""

    look: Look | None = None  # how far to look around next, None for not again

    def run(self) -> SearchResult:
        """Searches to the end, or until somebody stops it, even within a call to BK, or there is no more memory."""
        with self.threads, self.task.background.watched_by(self.limits.reached):
            try:
                proven = self.search()
            except StoppedAskingError:
                proven = False
            except MemoryError:
                proven = False
                self.memory.fill()
            if proven and self.task.bias.learned:
                self.widen()
        # Here what the search held on to is given back.
        return self.result(proven)

    # -- Algorithm 1 ----------------------------------------------------------------------------------------

    def search(self) -> bool:
        """Whether the best program is proven to be one. The numbers are the lines of Algorithm 1."""
        with self.stages.spent_on("background"):
            self.spell_out()
        self.look_around()
        rules = self.rules = self.parts.rules(self.rules)  # 2, 3: nothing is forbidden yet, nothing is promising, ...
        promising = self.promising = self.parts.combiner(rules)  # ... and the best program is the empty one
        programs = self.programs = self.parts.programs()
        while not self.exhausted(rules):  # 4: while there may be a better one
            if programs is not None and self.programs_are_next(rules, programs):
                if not self.next_programs(programs):  # 5 to 13, 21: generate, test, keep what is better, constrain
                    return False
            else:
                self.look_further(rules)
                self.price(rules, promising)
                if self.take_last(rules, promising):
                    continue
                batch = self.next_rules(rules)  # 5 to 10, 21: generate, test, constrain
                if batch is None:
                    return False
                with self.stages.spent_on("combine", "combine"):
                    promising.add(batch)  # 15
                    self.take(promising.improve(self.best.bound, self.should_stop), rules)  # 16 to 20
            self.raise_lower_bound(rules, promising)
            self.tell(rules, len(promising))
            if self.best.lower_bound >= self.best.bound:
                return True
        return self.combine(rules, promising)  # 16 to 20, to the end: 22

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

    def look_around(self) -> None:
        """A first look: rules of all sizes from the most promising parts only, and a quick choice among them."""
        if not self.parts.by_features or self.parts.calls_allowed:
            return  # recursive programs ask for less of BK than all, where closing may never end
        with self.stages.spent_on("background"):
            self.task.background.close(self.parts.task.bias.body, should_stop=self.should_stop)
        self.dive(FIRST_LOOK)

    def look_further(self, rules: Rules) -> None:
        """Looks around once more, and further, while the next rules are more work than that.

        Not when there is room for one of them only in a better program, for then few are left by their prices.
        """
        while self.look is not None and not self.priced(rules) and rules.next_work() > LOOKS * self.look.work:
            promising = self.promising
            self.dive(self.look)
            self.rules, self.promising = rules, promising
            rules.keep_below(self.best.bound)

    def dive(self, look: Look) -> None:
        with self.stages.spent_on("dive", "dive"):
            rules = self.rules = self.parts.features(look, self.rules)
            promising = self.promising = self.parts.combiner(rules)
            rules.keep_below(self.best.bound)
            while not rules.exhausted and (batch := rules.next_size(self.should_stop)) is not None:
                promising.add(batch)
                starts = STARTS if rules.exhausted else FEW_STARTS
                self.take(promising.improve(self.best.bound, self.should_stop, starts), rules)
                rules.keep_below(self.best.bound)
        self.look = look.further() if rules.narrowed else None

    def exhausted(self, rules: Rules) -> bool:
        """Whether there is nothing left that may be in a better program."""
        rules.keep_below(self.best.bound)
        return rules.exhausted and (self.programs is None or self.programs.exhausted(self.best.bound))

    def programs_are_next(self, rules: Rules, programs: Programs) -> bool:
        """Whether it is the turn of programs that call themselves, rather than of the next rules.

        Each side bounds the other: the best set of rules bounds what a program may cost, and a good program leaves few
        of the larger rules. So they take turns, by the work that each had so far.
        """
        if programs.exhausted(self.best.bound):
            return False
        return rules.exhausted or programs.work <= PROGRAMS_SHARE * rules.tested

    def price(self, rules: Rules, promising: Combiner) -> None:
        """Once a better program has room for one more rule only: what the known ones beside it cost at least."""
        if self.priced(rules):
            bound, size = self.best.bound, self.weights.size * (rules.size + 2)
            with self.stages.spent_on("combine"):
                prices = promising.prices(bound - size, self.should_stop)
                if prices is not None:
                    rules.use_prices(prices, bound)

    def priced(self, rules: Rules) -> bool:
        """Whether a better program has room for no more than one of the rules to come."""
        if not self.parts.by_features or "prices" in self.settings.left_out:
            return False  # clingo makes nothing of prices
        return 2 * self.weights.size * (rules.size + 2) >= self.best.bound

    def take_last(self, rules: Rules, promising: Combiner) -> bool:
        """Takes the last rules by what they can save, where there are very many (`choose.last_size`); if it did."""
        if not isinstance(rules, RuleGenerator) or self.settings.solver is not None or type(promising) is not Combiner:
            return False
        if self.programs is not None or not rules.is_wide(self.should_stop):
            return False

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
        if pool is None:
            return False
        promising.batches = [pool]
        return True

    def next_rules(self, rules: Rules) -> Pool | None:
        """The rules of the next size that are worth something, tested; None when stopped."""
        with self.stages.spent_on("generate", "generate"):
            return rules.next_size(self.should_stop)

    def next_programs(self, programs: Programs) -> bool:
        """Goes on with programs that call themselves; False when stopped."""
        bias = self.task.bias
        kinds = (("recursion", bias.recursion), ("invention", bias.invention))
        with (
            self.stages.spent_on("programs", " and ".join(name for name, on in kinds if on)),
            self.task.background.counted_by(self.should_stop),  # one test may ask BK many thousand times
        ):
            try:
                return programs.next_size(self.best.bound, self.take_program, self.should_stop)
            except StoppedAskingError:
                return False

    def combine(self, rules: Rules, promising: Combiner) -> bool:
        """Makes the best combination of all rules the best, if it is; whether that is proven."""
        with self.stages.spent_on("combine", "combine"):
            should_stop = self.should_stop if self.settings.solver is None else self.limits.reached
            choice = promising.best(self.best.bound, should_stop, lambda better: self.take(better, rules))
            self.best.raise_lower_bound(choice.lower_bound)
            self.take(choice.best, rules)
        return choice.proven

    def raise_lower_bound(self, rules: Rules, promising: Combiner) -> None:
        """What any program costs at least, now that all rules up to a size are known.

        A better program has a larger rule, which costs its size, or is made of the rules in the pool, or calls itself
        and was not tested. (In exact mode, where an error costs more than any program, so many literals has a program
        without errors at least.)
        """
        if self.settings.solver is not None or self.exhausted(rules):
            return  # the proof comes next, and with it the bound
        with self.stages.spent_on("combine"):
            unknown = self.best.bound if rules.exhausted else self.weights.size * (rules.size + 2)
            if self.programs is not None:
                unknown = min(unknown, self.programs.lower_bound())
            unknown = min(unknown, self.best.bound)  # what the pool costs beyond that is of no interest
            if unknown > self.best.lower_bound:
                self.best.raise_lower_bound(promising.at_least(unknown, self.limits.reached))
