"""How long learning may take: the search itself, for a moment, and then a guess from how fast its levels grow."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import pairwise

from maxsynth.checks.space_size import most_rules
from maxsynth.proofs.metrics import Weights
from maxsynth.search.learned.spelling import Numbered, spell_out
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.task import ReadTask

BUDGET = 30_000  # tests of features and conjunctions ...
MOST_ROWS = 5_000_000  # ... but no more than this, times the examples: a test looks at all of them
SLOWING = 0.7  # each size grows less than the one before, because of all that is pruned
A_SECOND = 300_000  # of them take about a second, unless they were seen to take longer

SPANS = ((1.0, "less than a second"), (60.0, "seconds"), (3600.0, "minutes"), (86400.0, "hours"), (1e9, "days"))


@dataclass(frozen=True)
class Effort:
    """Tests that generating all rules takes; `exact` when they were all made, a guess otherwise, or infinite."""

    tests: float
    exact: bool
    rate: float = A_SECOND

    def __str__(self) -> str:
        if math.isinf(self.tests):
            return "not known: there are many numbers to compare with, and many examples"
        span = next((name for limit, name in SPANS if self.tests / self.rate < limit), "years")
        if self.exact:
            return f"fewer than {10 ** len(str(round(self.tests))):,} tests to generate the rules: {span}"
        digits, exponent = f"{self.tests:.0e}".split("e")
        return f"about {digits}e{int(exponent)} tests to generate the rules: {span} (a guess)"


def estimate(task: ReadTask) -> Effort:
    """The effort for a task without recursion and invention.

    Each size has so many tests; what is not reached is taken to grow by the last factor seen, ever more slowly.
    Choosing the best set of rules comes on top, and a good program is often known long before the end.
    """
    start = time.monotonic()
    task.background.close(task.bias.body)
    rules = math.inf if task.bias.learned else most_rules(task.bias)
    task = spell_out(task, Numbered.LEFT).task
    budget = min(BUDGET, MOST_ROWS // (len(task.positives) + len(task.negatives)))
    generator = RuleGenerator(task, WeighedExamples.of(task, Weights()), 1)
    tests = [0]
    while not generator.exhausted:
        if generator.next_size(lambda: generator.tested > budget) is None:
            break
        tests.append(generator.tested)
    else:
        return Effort(generator.tested, exact=True)
    seconds = time.monotonic() - start
    rate = min(A_SECOND, generator.tested / seconds) if seconds > 0.5 else A_SECOND
    levels = [after - before for before, after in pairwise(tests)]
    if len(levels) < 2 and task.bias.learned.numeric:
        return Effort(math.inf, False)  # numbers come with the second literal, and nothing is known of these
    factor = levels[-1] / levels[-2] if len(levels) > 1 and levels[-2] else 10.0
    total, level = float(generator.tested), float(levels[-1] if levels else generator.tested)
    for number in range(task.bias.max_body - len(levels)):
        factor = max(1.0, factor * SLOWING)
        # Of the level that was cut, a part is counted already.
        level = max(level * factor, generator.tested - tests[-1] if number == 0 else 0.0)
        total += level if number else level - (generator.tested - tests[-1])
    # Each test is of another body.
    return Effort(min(total, rules), False, rate)
