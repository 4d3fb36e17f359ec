"""Choosing rules under constraints that speak of whole programs.

At most so many rules or literals is what the choice of rules knows by itself (`combine`). Any other constraint over
several rules, such as `:- body_literal(C,p,1,_), body_literal(D,q,1,_).`, is left to clingo: it chooses rules from the
pool, the atoms of the chosen ones are what the constraints are about, and the cost is minimised as in `core_guided`.

The pool must then have every rule that an allowed program may need. A rule that is of no use by itself may be needed
to meet a constraint (`:- not clause(1).`), and a rule can only take the place of another where the constraints cannot
tell. So nothing is left out of the pool, unless a part of an allowed program is always allowed (`Bias.hold_of_less`):
then programs without useless rules are, and programs with a rule in the place of a larger one that contains it, which
is all that `constraints.prune_rules` needs.

Where constraints treat numbers of rules and names of variables alike, the place of a rule in the pool is its number,
and its variables keep their names. Otherwise a program has places 0, 1, ... for rules, and each rule in a place has
some naming. How many places there are follows from the size that a program may have: first small programs are looked
at, then those of twice the size, until a larger one cannot cost less than the best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import clingo
from clingo.ast import ASTType

from maxsynth.bias.asp_names import asp_name
from maxsynth.bias.bias import Bias
from maxsynth.bias.bounds import Bounds
from maxsynth.bias.constraints import atoms_in, parsed, treats_names_alike
from maxsynth.bias.statements import StatementReader
from maxsynth.bias.vocabulary import PROGRAM_ATOMS
from maxsynth.errors import MaxSynthError
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Rule
from maxsynth.search.choose.combine import STARTS, Combiner, Note
from maxsynth.search.choose.core_guided import OPTIONS, CoreGuided
from maxsynth.search.choose.problem import Choice, Combination, Stop

FIRST_SIZE = 8  # literals of the programs that are looked at first, where rules have places
MOST_INSTANCES = 10_000_000  # of a constraint
QUICK = 200  # looks whether to stop, where a first try is enough


@dataclass
class WholePrograms(Combiner):
    """The pool of rules met so far, and the constraints on what is chosen from it."""

    bias: Bias = field(kw_only=True)
    rule: Callable[[int], Rule] = field(kw_only=True)  # by its number

    def improve(self, bound: int, should_stop: Stop | None = None, starts: int = STARTS) -> Combination | None:
        """An allowed combination below the bound, if a short search finds one."""
        looks = iter(range(QUICK))
        stop = should_stop or (lambda: False)
        return self.choose(bound, lambda: next(looks, None) is None or stop(), quick=True)[0]

    def best(self, bound: int, should_stop: Stop | None = None, on_better: Note | None = None) -> Choice:
        """The best allowed combination below the bound."""
        found, proven = self.choose(bound, should_stop or (lambda: False))
        if found and on_better:
            on_better(found)
        return Choice(found, proven, (found.cost if found else bound) if proven else 0)

    def choose(self, bound: int, should_stop: Stop, *, quick: bool = False) -> tuple[Combination | None, bool]:
        best: Combination | None = None
        size = bound if self.alike else FIRST_SIZE
        while True:
            problem = self.problem(self.pool(bound))
            rules = [self.rule(number) for number in problem.pool.numbers.tolist()]
            if not rules:
                return best, True
            # No program below the bound is larger than that, and none is larger than all rules together.
            largest = min((bound - 1) // self.size_weight, sum(rule.size for rule in rules))
            size = min(size, largest)
            try:
                covers = [row.tobytes() for row in problem.covers]
                pool = RulePool(self.bias, rules, covers, self.constraints, self.alike, size).control()
            except TooManyInstancesError:
                if not quick:
                    raise
                return best, False
            self.calls += 1
            found, finished = CoreGuided(problem, pool).solve(bound, should_stop)
            if found is not None:
                best, bound = found, found.cost
            if not finished or size >= min(largest, (bound - 1) // self.size_weight):
                return best, finished
            size *= 2

    @cached_property
    def constraints(self) -> str:
        return (
            self.bias.program_constraints
            if treats_names_alike(self.bias.program_constraints)
            else self.bias.constraints
        )

    @cached_property
    def alike(self) -> bool:
        return treats_names_alike(self.constraints)


class TooManyInstancesError(MaxSynthError):
    """A constraint has more instances than clingo can be asked to list."""


@dataclass
class RulePool:
    """The rules to choose from, as an answer set program over the atoms that constraints speak of."""

    bias: Bias
    rules: list[Rule]
    covers: list[bytes]  # what each covers
    constraints: str
    alike: bool  # whether the constraints treat numbers and names alike
    size: int  # the most literals of a program

    def control(self) -> tuple[clingo.Control, list[int]]:
        """A running clingo, and its atoms for `this rule is chosen`."""
        self.check_instances()
        control = clingo.Control(OPTIONS)
        lines = [*self.direct(), *self.sizes()] if self.alike else [*self.placed(), *self.sizes()]
        control.add("base", [], "\n".join([*lines, self.constraints]))
        control.ground([("base", [])])
        atoms = {
            known.symbol.arguments[0].number: known.literal
            for known in control.symbolic_atoms.by_signature("__chosen", 1)
        }
        return control, [atoms[number] for number in range(len(self.rules))]

    def uses(self, name: str) -> bool:
        return re.search(rf"\b{name}\b", self.constraints) is not None

    # -- numbers and names do not matter --------------------------------------------------------------------

    def direct(self) -> Iterator[str]:
        yield f"{{ __chosen(0..{len(self.rules) - 1}) }}."
        last: dict[object, int] = {}
        for number, rule in enumerate(self.rules):
            atoms = [atom.replace("#", str(number), 1) for atom in self.seen_of(rule)]
            yield from (f"{atom} :- __chosen({number})." for atom in atoms)
            # Rules that neither the constraints nor the examples can tell apart are taken in order: with one in the
            # place of the other a program is allowed just as well, and costs the same.
            twin = last.get(kind := (rule.size, self.covers[number], tuple(self.seen_of(rule))))
            if twin is not None:
                yield f":- __chosen({number}), not __chosen({twin})."
            last[kind] = number

    def seen_of(self, rule: Rule) -> Iterator[str]:
        """The atoms of a rule that constraints may look at, with # for its number."""
        if self.uses("clause"):
            yield "clause(#)"
        for kind, name, args in literals_of(rule):
            if self.uses(kind) and (self.named is None or asp_name(name) in self.named):
                yield f"{kind}(#,{asp_name(name)},{len(args)},{asp_tuple(args)})"
        if self.uses("clause_var"):
            yield from (f"clause_var(#,{variable})" for variable in variables_of(rule))
        if self.uses("var_type"):
            yield from (f"var_type(#,{variable},{type_})" for variable, type_ in self.types(rule).items())
        if self.uses("body_size"):
            yield f"body_size(#,{len(rule.body)})"

    @cached_property
    def named(self) -> set[str] | None:
        """The predicates that constraints ask for by name; None where they may ask for all."""
        names = set()
        for rule in parsed(self.constraints):
            for atom in atoms_in(rule):
                if isinstance(atom, Predicate):
                    return None
                predicate, arguments = atom
                if predicate.name in ("head_literal", "body_literal"):
                    if arguments[1].ast_type != ASTType.SymbolicTerm:
                        return None
                    names.add(str(arguments[1]))
        return names

    # -- numbers or names matter ----------------------------------------------------------------------------

    @property
    def places(self) -> int:
        """A rule has two literals at least."""
        return min(self.size // 2, len(self.rules))

    def placed(self) -> Iterator[str]:
        arity = self.bias.head.arity
        yield f"{{ clause(0..{self.places - 1}) }}. :- clause(C), C > 0, not clause(C-1)."
        yield f"1 {{ __is(C,0..{len(self.rules) - 1}) }} 1 :- clause(C)."
        yield "__chosen(R) :- __is(_,R). :- __is(C,R), __is(D,R), C < D."
        yield f"__name(C,V,V) :- clause(C), V = 0..{arity - 1}."
        yield f"1 {{ __name(C,V,{arity}..L) }} 1 :- __is(C,R), __last(R,L), V = {arity}..L."
        yield f":- __name(C,V,N), __name(C,W,N), V < W, V >= {arity}."
        yield "clause_var(C,N) :- __name(C,_,N)."
        yield "body_size(C,N) :- __is(C,R), __body_size(R,N)."
        yield "var_type(C,N,T) :- __is(C,R), __type(R,V,T), __name(C,V,N)."
        yield "#defined __type/3."
        for length in sorted({len(args) for rule in self.rules for _, _, args in literals_of(rule)}):
            names = [f"N{place}" for place in range(length)]
            values = [f"V{place}" for place in range(length)]
            named = "".join(f", __name(C,{v},{n})" for v, n in zip(values, names, strict=True))
            for kind in ("head_literal", "body_literal"):
                yield f"{kind}(C,P,{length},{asp_tuple(names)}) :- __is(C,R), __{kind}(R,P,{asp_tuple(values)}){named}."
        yield "#defined __head_literal/3. #defined __body_literal/3."
        for number, rule in enumerate(self.rules):
            yield f"__last({number},{max(variables_of(rule))}). __body_size({number},{len(rule.body)})."
            for kind, name, args in literals_of(rule):
                yield f"__{kind}({number},{asp_name(name)},{asp_tuple(args)})."
            yield from (f"__type({number},{variable},{type_})." for variable, type_ in self.types(rule).items())

    # -- both -----------------------------------------------------------------------------------------------

    def sizes(self) -> Iterator[str]:
        """No program is larger than what is looked at; and its size, where it is asked for."""
        yield from (f"__size({number},{rule.size})." for number, rule in enumerate(self.rules))
        yield f":- #sum {{ S,R : __chosen(R), __size(R,S) }} > {self.size}."
        if self.uses("size"):
            yield f"size(N) :- N = 0..{self.size}, N = #sum {{ S,R : __chosen(R), __size(R,S) }}."

    def types(self, rule: Rule) -> Mapping[int, str]:
        found: dict[int, str] = {}
        for literal in rule.literals():
            for arg, type_ in zip(literal.args, self.bias.types.get(literal.predicate, ()), strict=False):
                if isinstance(arg, int):
                    found[arg] = type_
        return found

    def check_instances(self) -> None:
        """An error when a constraint has too many instances: grounding cannot be interrupted."""
        numbers = len(self.rules) if self.alike else self.places
        literals = (
            sum(len(rule.body) for rule in self.rules)
            if self.alike
            else self.places
            * len({(kind, name, args) for rule in self.rules for kind, name, args in literals_of(rule)})
        )
        counts = {"size": self.size, "clause": numbers, "head_literal": numbers, "body_size": numbers}
        extension = {atom: counts.get(atom.name, literals) for atom in PROGRAM_ATOMS}
        place = self.bias.program_constraint_position
        statements = [StatementReader("", {}).read(rule) for rule in parsed(self.constraints)]
        for predicate in (head for statement in statements for head in statement.heads):
            extension.setdefault(predicate, literals)
        bounds = Bounds("", MOST_INSTANCES, extension)
        try:
            bounds.check([], [statement for statement in statements if statement.fact is None])
        except MaxSynthError:
            raise TooManyInstancesError(
                f"a constraint over whole programs has too many instances with {len(self.rules)} rules to choose from",
                place,
                "say it of one rule at a time, or lower max_body, max_vars or the number of body_pred",
            ) from None


def literals_of(rule: Rule) -> Iterator[tuple[str, str, tuple[object, ...]]]:
    yield "head_literal", rule.head.name, rule.head.args
    for literal in rule.body:
        yield "body_literal", literal.name, literal.args


def variables_of(rule: Rule) -> list[int]:
    return sorted({variable for literal in rule.literals() for variable in literal.variables})


def asp_tuple(parts: tuple[object, ...] | list[str]) -> str:
    return f"({','.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
