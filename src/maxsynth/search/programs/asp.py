"""Generating programs that call themselves with clingo, size after size. Each competes by itself."""

from __future__ import annotations

from collections.abc import Callable

from maxsynth.logic.programs import Program
from maxsynth.search.asp.space import PROGRAM, ProgramSpace, Stop
from maxsynth.search.programs.constraints import Outcome, prune_programs
from maxsynth.search.programs.failures import Failures
from maxsynth.search.programs.tester import Tester
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask


class AspPrograms:
    """Programs that call themselves, by size: those with a cost below a bound that falls as better ones are found."""

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        self.memory = memory or Memory()
        self.space = ProgramSpace(task.bias, calls=True, memory=self.memory, background=task.background)
        self.tester = Tester(task, examples, size_weight)
        self.failures = Failures(task, examples, self.memory)
        self.constraints = constraints
        self.size_weight = size_weight
        self.size = 1  # all programs up to this size are done with

    @property
    def tested(self) -> int:
        return self.tester.tested

    @property
    def work(self) -> int:
        return 20 * self.tester.tested

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        return self.size_weight * (self.size + 1) if self.size < self.space.encoding.max_size else 1 << 60

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def next_size(self, bound: int, take: Callable[[Program, Outcome], int], should_stop: Stop) -> bool:
        """Tests the programs of the next size; `take` gets each better one, and says the bound from then on."""
        found: list[tuple[Program, Outcome]] = []
        now = bound

        def test(program: Program) -> None:
            nonlocal now
            outcome = self.tester.outcome(program, now)
            self.memory.take(PROGRAM + outcome.covered.nbytes)
            found.append((program, outcome))
            if outcome.cost < now:
                now = take(program, outcome)

        def is_enough() -> bool:
            """No program of this size can be better than the best."""
            return self.size_weight * (self.size + 1) >= now

        if not self.space.programs(self.size + 1, test, should_stop, is_enough):
            return False
        self.size += 1
        if self.constraints:
            self.space.forbid(
                [p for program, outcome in found for p in prune_programs(program, outcome, now, self.size_weight)]
            )
            self.explain(found)
        return True

    def explain(self, tested: list[tuple[Program, Outcome]]) -> None:
        """Leaves out all programs with rules that are of no use for the reasons for which rules of these are not.

        Under constraints of the bias's own, a program may need a rule that does nothing, to be in the space at all.
        """
        bias = self.space.bias
        if bias.constraints.strip() or (bias.limits and bias.invention):
            return
        if not (bias.one_of_type and bias.invention):  # see `Failures.impossible_parts`
            rules = dict.fromkeys(rule for program, _ in tested for rule in program.rules)
            self.space.forbid_parts([part for rule in rules for part in self.failures.impossible_parts(rule)])
            if not bias.recursion:
                ends = [rule for rule in rules if rule.head.predicate == bias.head]
                self.space.forbid_idle([idle for rule in ends for idle in self.failures.idle_rule(rule)], alone=True)
        self.space.forbid_idle(
            [i for program, outcome in tested for i in self.failures.idle_program(program, outcome.covered)]
        )

    def counts(self) -> dict[str, int]:
        return {"programs_tested": self.tester.tested, "programs_cut": self.tester.cut}
