"""The bias of a task: which predicates a rule may use, how, and how large a program may become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from maxsynth.bias.evaluated import NO_LIMIT, Most
from maxsynth.bias.learned import AT_LEAST, AT_MOST, NOTHING_LEARNED, Learned
from maxsynth.bias.limits import NO_LIMITS, RuleLimits
from maxsynth.errors import Position
from maxsynth.logic.predicates import Predicate

COMPARED = (AT_LEAST, AT_MOST)


class Overrides(NamedTuple):
    """Limits of the space that take the place of what the bias says of them; None where it is asked."""

    max_vars: int | None = None
    max_body: int | None = None
    max_clauses: int | None = None

    def __bool__(self) -> bool:
        return any(limit is not None for limit in self)


NO_OVERRIDES = Overrides()


@dataclass(frozen=True)
class Bias:
    """The space of programs, as the user describes it.

    `types` and `directions` hold declared predicates only. `directions` has all of them or none; in `types`
    some may be missing, and their arguments fit every type. `constraints` is ASP text over program atoms
    (`body_literal/4`, ...), complete with the facts it needs; when it is empty, the other fields say all. Its two parts
    are what can be judged rule by rule, and what cannot (see `maxsynth.bias.constraints`).
    """

    head: Predicate
    body: tuple[Predicate, ...]
    types: Mapping[Predicate, tuple[str, ...]] = field(default_factory=dict)
    directions: Mapping[Predicate, tuple[str, ...]] = field(default_factory=dict)
    max_vars: int = 6
    max_body: int = 6
    max_clauses: int = 2
    recursion: bool = False
    invention: bool = False
    singletons: bool = True
    non_datalog: bool = False
    learned: Learned = NOTHING_LEARNED  # constants and numbers in literals
    # A predicate with constants at some of its places, by another name -> that, and the places of its arguments there.
    spelled: Mapping[Predicate, tuple[Predicate, tuple[int, ...]]] = field(default_factory=dict)
    between: tuple[Predicate, ...] = ()  # predicates of the body that are comparisons or sums, and nobody defines
    one_of_type: tuple[str, ...] = ()  # types with exactly one variable in every rule
    limits: RuleLimits = NO_LIMITS  # of every rule, besides the above
    limits_text: str = ""  # the same as ASP text over program atoms, complete with the facts it needs
    left: tuple[tuple[Position, str, str], ...] = ()  # constraints for clingo: where, which, and what to say instead
    most: Most = NO_LIMIT  # rules and literals in a program, whether it calls itself or not
    constraints: str = ""
    rule_constraints: str = ""
    program_constraints: str = ""
    hold_of_less: bool = True  # a part of a program that meets the program constraints meets them too
    warnings: tuple[str, ...] = ()
    text: str = ""
    file: str = ""
    overrides: Overrides = NO_OVERRIDES
    by_default: tuple[str, ...] = ()  # the limits that nobody gave
    constraint_position: Position | None = None
    program_constraint_position: Position | None = None

    @property
    def number_tests(self) -> list[Predicate]:
        """The predicates of the body that compare their argument with a number, by another name."""
        found = [one for one, (base, places) in self.spelled.items() if len(places) == 1 and base.name in COMPARED]
        return [one for one in found if self.spelled[one][0] not in self.body]

    def numbers_alone(self, name: str) -> bool:
        """Whether a variable of a type may be compared with a number when it is not the value of a tested column.

        Where all values of the type come from such columns, a test of the column says the same, in no more literals.
        """
        learned = self.learned
        if name in learned.sums or any(predicate not in self.types for predicate in (self.head, *self.body)):
            return True
        return any(
            type_ == name and (predicate not in learned.tested or place == 0)
            for predicate in (self.head, *self.body)
            for place, type_ in enumerate(self.types[predicate])
        )

    @property
    def most_clauses(self) -> int:
        """The most rules of a program that calls itself."""
        return self.max_clauses if self.most.rules is None else min(self.max_clauses, self.most.rules)

    @property
    def most_body(self) -> int:
        """The most literals in a body: with its head, a rule is not larger than a program may be."""
        return self.max_body if self.most.size is None else min(self.max_body, max(self.most.size - 1, 0))

    def clingo_notes(self) -> list[str]:
        """Which constraints are left to clingo, where the search could do without, and what to say instead."""
        if self.invention:
            return []  # then it makes the programs in any case
        notes = []
        for place, text, instead in self.left:
            hint = f"; if each rule is meant, say `{instead}`, which is fast" if instead else ""
            notes.append(f"{place}: clingo judges `{text}`, which is much slower than the search by itself{hint}")
        return notes

    @property
    def invented_arity(self) -> int:
        """The most arguments that an invented predicate has: as many as a declared one."""
        return max(predicate.arity for predicate in (self.head, *self.body))

    @property
    def invented_names(self) -> list[str]:
        """The names of the predicates that a program may invent: one less than it has rules."""
        taken = {predicate.name for predicate in (self.head, *self.body)}
        names = (name for number in range(1, 10**9) if (name := f"inv{number}") not in taken)
        return [next(names) for _ in range(self.max_clauses - 1)]

    def is_loop(self, predicate: Predicate, args: Iterable[object]) -> bool:
        """Whether a call, in a rule for its own predicate with the head variables 0, 1, ..., has the head's inputs.

        Such a call asks what is being asked. Where no argument is declared to be an input, all are taken to be.
        """
        modes = self.directions.get(predicate, ())
        inputs = [i for i, mode in enumerate(modes) if mode == "in"] or range(predicate.arity)
        given = list(args)
        return predicate not in self.body and all(given[i] == i for i in inputs)
