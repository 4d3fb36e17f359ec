"""What the test of a program says about others: the paper's constraints, for rules and for whole programs.

A program h2 *specialises* h1 when every rule of h2 is subsumed by a rule of h1; then h1 *generalises* h2. Each rule of
h2 follows from one of h1, so the least model of h2 is a part of that of h1, recursive or not: h1 covers what h2 covers.
That is all that the proofs below use.

Single rules are combined with others, whose coverage adds up; see `prune_rules`. A program that calls itself is not,
since the coverage of a union of recursive programs is more than the union of the coverages. It competes by itself, and
that makes its constraints simple; see `prune_programs`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxsynth.logic.programs import Program, Rule


@dataclass(frozen=True)
class Outcome:
    """A test. By weight: size, positives and negatives covered, and what all positives weigh.

    A proof that ran out of steps counts as none, so `pos` may be less than what the least model covers; it covers at
    most `most_pos`, and no example but those in `may_cover`.
    """

    covered: NDArray[np.bool_]
    may_cover: NDArray[np.bool_]
    size: int
    pos: int
    neg: int
    most_pos: int
    missed: int

    @property
    def cost(self) -> int:
        return self.size + self.neg + self.missed - self.pos

    @property
    def is_cut(self) -> bool:
        """Whether there are examples of which the test did not find out whether they are covered."""
        return bool((self.may_cover & ~self.covered).any())


@dataclass(frozen=True)
class Pruning:
    """Leaves out programs, from a size on: those that specialise these rules, or those that have more rules than these.

    A program specialises the rules when it has as many, each with all literals of one of these, and maybe more. With
    `more_rules`, it has these rules as they are, and others.
    """

    rules: tuple[Rule, ...]
    from_size: int
    more_rules: bool = False


def prune_rules(rule: Rule, outcome: Outcome, size_weight: int) -> list[Pruning]:
    """The specialisations of a rule that no best set of rules needs.

    By the swap lemma (docs/how-it-works.md), for a specialisation r of the rule, with S(r) its size by weight:
    - dead: r covers positives of weight at most `most_pos`. From S(r) >= most_pos on, leaving it out costs no more.
      This is the paper's specialisation constraint (a).
    - closed: from S(r) >= S(rule) + N(rule) on, the rule itself in the place of r costs no more, since it covers the
      positives of r and no negatives but its own. The paper's specialisation constraint (b). It needs the rule to
      be in the space, which it is: it was generated under the bias's own constraints.
    The paper's constraints on generalisations speak of programs with more rules, or of smaller rules.
    """
    at = min(outcome.most_pos, outcome.size + outcome.neg)
    return [Pruning((rule,), max(rule.size + 1, -(-at // size_weight)))]


def prune_programs(program: Program, outcome: Outcome, bound: int, size_weight: int) -> list[Pruning]:
    """The specialisations and generalisations of a program that do not cost less than the bound.

    The bound is what the best program so far costs, so it is at most the cost of the empty program, which is the weight
    of all positives, and at most that of this program h1. Let S be the size of h2 by weight.
    - h2 specialises h1: it misses what h1 misses, so cost(h2) >= S + fn(h1). Left out when that reaches the bound. This
      contains both of the paper's specialisation constraints: S > tp(h1) gives S + fn(h1) > |E+| >= bound, and
      S > size(h1) + fp(h1) gives S + fn(h1) > cost(h1) >= bound.
    - h2 generalises h1: it covers the negatives that h1 covers, so cost(h2) >= S + fp(h1). Left out when that reaches
      the bound. This contains the paper's three generalisation constraints: S > fn(h1) + size(h1) gives
      S + fp(h1) > cost(h1) >= bound; S > |E+| - fp(h1) gives S + fp(h1) > |E+| >= bound; and
      S > bound - cost(h1) + |E+| + size(h1) = bound + tp(h1) - fp(h1) gives S + fp(h1) > bound.
    In exact mode an error weighs more than any bound: then the first leaves out all specialisations of an incomplete
    program, and the second all generalisations of an inconsistent one.

    None of this needs h1 to be in the space, and the bound only falls: what is left out now would be left out later.
    """
    found = []
    misses = outcome.missed - outcome.most_pos
    found.append(Pruning(program.rules, max(program.size + 1, -(-(bound - misses) // size_weight))))
    found.append(
        Pruning(program.rules, max(program.size + 2, -(-(bound - outcome.neg) // size_weight)), more_rules=True)
    )
    return found
