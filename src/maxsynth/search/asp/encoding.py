"""The space of a bias as an answer set program: facts for the `.lp` files next to this one, and which it needs.

`programs.lp` has what holds for every program; the other files hold a condition each. A bias's own constraints are
added as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from pathlib import Path

import clingo

from maxsynth.bias.asp_names import asp_name
from maxsynth.bias.bias import Bias
from maxsynth.bias.constraints import treats_names_alike
from maxsynth.logic.comparisons import BUILT_IN
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal
from maxsynth.search.asp.grounding import check_clauses, check_grounding

FOLDER = Path(__file__).parent


@dataclass
class Encoding:
    """What clingo is given, and the literals it may choose from.

    `calls`: for programs that call themselves, recursive or inventing; otherwise for single rules.
    """

    bias: Bias
    calls: bool
    heads: list[Predicate] = field(init=False)
    literals: list[Literal] = field(init=False)

    def __post_init__(self) -> None:
        self.heads = [self.bias.head]
        called = list(self.bias.body)
        if self.calls:
            check_clauses(self.bias)
            self.heads += invented_predicates(self.bias)
            called += self.heads if self.bias.recursion else self.heads[1:]
        check_grounding(self.bias, self.constraints, self.heads, called, self.max_clauses)
        self.literals = [
            Literal(predicate.name, args)
            for predicate in called
            for args in permutations(range(self.bias.max_vars), predicate.arity)
        ]

    @property
    def max_clauses(self) -> int:
        return self.bias.most_clauses if self.calls else 1

    @property
    def max_size(self) -> int:
        most = self.max_clauses * (1 + self.bias.max_body)
        return most if self.bias.most.size is None else min(most, self.bias.most.size)

    @property
    def constraints(self) -> str:
        """The bias's own: of a single rule, only those that speak of one."""
        others = self.bias.constraints if self.calls else self.bias.rule_constraints
        return self.bias.limits_text + others

    def text(self) -> str:
        return "\n".join([*self.constants(), *self.facts(), *map(read, self.files()), *self.conditions()])

    def files(self) -> Iterator[str]:
        bias = self.bias
        yield "programs"
        if self.calls:
            yield "calls"
            if not bias.recursion:
                yield "acyclic"
        if bias.directions:
            yield "directions"
        elif bias.between:
            yield "reading"
        if not bias.non_datalog:
            yield "datalog"
        elif self.calls:
            yield "non_datalog_calls"
        if not bias.singletons:
            yield "no_singletons"
        if self.calls or "body_size" in self.constraints:
            yield "body_sizes"
        if treats_names_alike(self.constraints):
            yield "symmetry"
        own = bool(self.constraints.strip() or bias.one_of_type)
        if self.calls and bias.invention and bias.singletons and not bias.non_datalog and not own:
            yield "unfolding"

    def conditions(self) -> Iterator[str]:
        for type_ in self.bias.one_of_type:
            yield f":- clause(C), #count {{ V : clause_var(C,V), var_type(C,V,{type_}) }} != 1."
        if self.bias.learned.most_numbers is not None:
            yield (
                ":- clause(C), #count { P,Vars : body_literal(C,P,1,Vars), __compares(P) } > "
                f"{self.bias.learned.most_numbers}."
            )
        yield self.constraints
        yield "#show head_literal/4. #show body_literal/4."

    def constants(self) -> Iterator[str]:
        yield f"#const max_clauses = {self.max_clauses}. #const max_body = {self.bias.max_body}."
        yield f"#const max_size = {self.max_size}. #const __max_vars = {self.bias.max_vars}."

    def facts(self) -> Iterator[str]:
        bias = self.bias
        for predicate in self.heads:
            yield f"__head({atom(predicate, range(predicate.arity))})."
        for literal in self.literals:
            yield f"__body({atom(literal.predicate, literal.args)})."
        tuples = {tuple(range(predicate.arity)) for predicate in self.heads} | {lit.args for lit in self.literals}
        for args in sorted(tuples, key=lambda args: (len(args), args)):
            yield "".join(f"__arg({asp_tuple(args)},{i},{arg})." for i, arg in enumerate(args))
        for predicate, types in bias.types.items():
            yield "".join(f"__type({key(predicate)},{i},{type_})." for i, type_ in enumerate(types))
        for predicate, modes in bias.directions.items():
            yield "".join(f"__input({key(predicate)},{i})." for i, mode in enumerate(modes) if mode == "in")
        yield "__calls." if self.calls else "#defined __calls/0."
        yield "#defined __compares/1."
        yield "".join(f"__compares({asp_name(predicate.name)})." for predicate in bias.number_tests)
        for predicate in bias.between:
            modes = BUILT_IN[bias.spelled[predicate][0]]
            yield "".join(f"__reads({key(predicate)},{i})." for i, mode in enumerate(modes) if mode == "in")
        loops = [lit for lit in self.literals if bias.is_loop(lit.predicate, lit.args)]
        yield from (f"__loop({atom(lit.predicate, lit.args)})." for lit in loops)
        yield "#defined __loop/3."
        yield f"__target({key(bias.head)}). #defined __invented/2. #defined __input/3. #defined __type/4."
        yield from (f"__invented({key(predicate)})." for predicate in self.heads[1:])
        names = list(dict.fromkeys(asp_name(predicate.name) for predicate in self.heads[1:]))
        yield "#defined __name_after/2."
        yield from (f"__name_after({after},{name})." for name, after in pairwise(names))
        if treats_names_alike(self.constraints):
            yield from self.slots()
            yield from self.renamings(names)

    # -- symmetry -------------------------------------------------------------------------------------------

    def slots(self) -> Iterator[str]:
        for number, predicate in enumerate(self.heads):
            yield f"__slot({number},head,{atom(predicate, range(predicate.arity))})."
        for number, literal in enumerate(self.literals, len(self.heads)):
            yield f"__slot({number},body,{atom(literal.predicate, literal.args)})."

    def renamings(self, invented: list[str]) -> Iterator[str]:
        """Pairs of places that a renaming swaps, in order (see symmetry.lp)."""
        first = len(self.heads)
        number = {literal: slot for slot, literal in enumerate(self.literals, first)}
        least = min(predicate.arity for predicate in self.heads)
        for variable in range(least, self.bias.max_vars - 1):
            swap = {variable: variable + 1, variable + 1: variable}
            images = [number[renamed(literal, swap)] for literal in self.literals]
            pairs = [(slot, image) for slot, image in enumerate(images, first) if slot < image]
            for rule in range(self.max_clauses):
                yield from (
                    f"__pair(names({rule},{variable}),{i},{rule},{slot},{rule},{image})."
                    for i, (slot, image) in enumerate(pairs, 1)
                )
        for rule in range(self.max_clauses - 1):
            yield from (
                f"__pair(rules({rule}),{slot + 1},{rule},{slot},{rule + 1},{slot})."
                for slot in range(first + len(self.literals))
            )
        for which, (name, other) in enumerate(pairwise(invented)):
            yield f"__swapped({which},{name},{other})."
            yield from self.swapped_names(which, {name: other, other: name})

    def swapped_names(self, which: int, swap: dict[str, str]) -> Iterator[str]:
        slots = [*(Literal(p.name, tuple(range(p.arity))) for p in self.heads), *self.literals]
        heads = len(self.heads)
        number = {(slot < heads, literal): slot for slot, literal in enumerate(slots)}
        images = [
            number[slot < heads, Literal(swap.get(literal.name, literal.name), literal.args)]
            for slot, literal in enumerate(slots)
        ]
        places = [
            (rule, slot, image) for rule in range(self.max_clauses) for slot, image in enumerate(images) if slot < image
        ]
        for i, (rule, slot, image) in enumerate(places, 1):
            yield f"__pair(invented({which}),{i},{rule},{slot},{rule},{image})."


def invented_predicates(bias: Bias) -> list[Predicate]:
    """The predicates that a program may invent: each name with any arity up to the bound."""
    if not bias.invention:
        return []
    return [Predicate(name, arity) for name in bias.invented_names for arity in range(1, bias.invented_arity + 1)]


def read(name: str) -> str:
    return (FOLDER / f"{name}.lp").read_text(encoding="utf-8")


def key(predicate: Predicate) -> str:
    return f"{asp_name(predicate.name)},{predicate.arity}"


def atom(predicate: Predicate, args: Iterable[object]) -> str:
    return f"{key(predicate)},{asp_tuple(tuple(args))}"


def renamed(literal: Literal, names: Mapping[int, int]) -> Literal:
    return Literal(literal.name, tuple(names.get(arg, arg) if isinstance(arg, int) else arg for arg in literal.args))


def asp_tuple(args: tuple[object, ...]) -> str:
    return f"({','.join(map(str, args))}{',' if len(args) == 1 else ''})"


def literal_of(symbol: clingo.Symbol) -> tuple[int, Literal]:
    """The rule's number and the literal that a head_literal/4 or body_literal/4 stands for."""
    number, name, _, args = symbol.arguments
    text = name.string if name.type == clingo.SymbolType.String else name.name
    return number.number, Literal(text, tuple(arg.number for arg in args.arguments))
