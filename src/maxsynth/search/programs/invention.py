"""Programs with invented predicates and without recursion, size after size: by worlds, not one by one.

The rules of such a program for its invented predicates make a *world* (`definitions`): BK, and some relations more. Its
rules for the target are then rules without calls over these, so that what they cover adds up; they are generated and
combined as all such rules are (`rules.features`, `choose.combine`), with what the definitions cost on top. Many
programs have the same world: this is what makes it fast.

**No optimum is lost.** Let h be a program of the space, and D1, D2, ... its invented predicates, each after those that
its rules call. A world *stands for* the first i of them if it has, for each of these, a symbol with the same relation
up to the order of columns, with the same types, that must be given no more; and if it has no more rules and literals
than these together. BK stands for none of them. Let a world W stand for the first i.
- A rule of D(i+1) becomes one over W: its calls become calls of the symbols of W. It has the same relation, variables,
  links and types, runs if it did, and is not larger (calls may become equal). So some rule in the list of W has this
  relation and these types, needs no more, and is not larger.
- Hence a set of such rules has the relation of D(i+1), with no more rules and literals; and so does one of which no
  rule adds nothing to the others. This is one of `definitions`. If W has a symbol like that already, W stands for
  D1..D(i+1). Otherwise W with it does; or the world with the same symbols that was met before, if it has no more rules
  (it has no more literals, since worlds are made by size).
So there is a world for all of h. There, its rules for the target become rules without calls in the same way, as many as
`max_clauses` leaves. What a combination of these costs, with the world, is what the program of the space costs that has
the rules of the world and these; and if one of its invented predicates is not needed, there is a better one without it.

A program whose only rule for the target has one literal, a call, is left out: with the rules of what it calls in the
place of that rule, it covers the same and is smaller (`asp/unfolding.lp` has more on that). So the target takes three
literals at least.

This needs a space where a rule is judged alone, but for types and directions: no constraints or limits of the bias's
own, no `non_datalog`; singletons allowed, for calls may become equal; types for all predicates of BK or for none, so
that the columns of a relation have one type each by its rules alone. And it needs tables of few values, since there is
a bit for each tuple of these. Everything else is left to clingo (`asp`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxsynth.bias.evaluated import Most
from maxsynth.logic.programs import Literal, Program, Rule, readable, rules_of
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.prices import make_prices
from maxsynth.search.choose.problem import Combination
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.programs.definitions import (
    GENERATOR,
    Definition,
    RuleList,
    Space,
    StoppedError,
    Symbol,
    Types,
    arities,
    count_kinds,
    definitions,
    values_of,
)
from maxsynth.search.programs.relations import orders
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

Stop = Callable[[], bool]
Take = Callable[[Program, Outcome], int]
Key = tuple[Types, int, int]  # types, inputs and relation of a symbol, its columns in an order that all share

LEAST_REST = 3  # literals of the rules for the target
MOST_TUPLES = 40_000  # of values, of which a relation has some
MOST_KINDS = 150  # of types and inputs
MOST_CLAUSES = 16  # as with clingo
WORLD = 3000  # bytes, about, for a world but for its relations
LOOKED_AT = 64  # definitions between two looks whether to stop
A_WORLD = 100  # rules take about as long to test as it takes to set up a world


@dataclass
class World:
    """BK with invented predicates: their definitions, and the search for the target's rules."""

    invented: tuple[Symbol, ...]
    rules: RuleList  # for one more
    made: tuple[Definition, ...] = ()
    keys: tuple[Key, ...] = ()
    known: dict[tuple[Types, int], list[int]] = field(default_factory=dict)  # types and relation -> inputs of symbols
    rest: Rest | None = None

    def __post_init__(self) -> None:
        self.count = sum(len(definition.rules) for definition in self.made)
        self.size = sum(definition.size for definition in self.made)

    def has(self, definition: Definition) -> bool:
        """Whether there is a symbol for this already."""
        same = self.known.get((definition.types, definition.views[0]), ())
        return any(not inputs & ~definition.inputs for inputs in same)

    def note(self, symbol: Symbol) -> None:
        """Makes a symbol known, with its columns in any order."""
        for order, view in zip(orders(len(symbol.types)), symbol.views, strict=True):
            types, inputs = turned(symbol.types, symbol.inputs, order)
            self.known.setdefault((types, view), []).append(inputs)


def can_invent(task: ReadTask) -> bool:
    """Whether this is a task for what is here."""
    bias = task.bias
    if not bias.invention or bias.recursion or bias.constraints.strip() or bias.program_constraints.strip():
        return False
    if bias.limits or bias.one_of_type or bias.non_datalog or not bias.singletons:
        return False
    if not bias.body or bias.head in bias.body:
        return False
    if any(not 0 < predicate.arity <= bias.max_vars for predicate in bias.body):
        return False
    if bias.types and not all(predicate in bias.types for predicate in bias.body):
        return False
    if bias.most_clauses > MOST_CLAUSES or count_kinds(bias) > MOST_KINDS:
        return False
    if bias.directions and not all(task.background.is_table(predicate) for predicate in bias.body):
        return False
    tables = [task.background.relation(predicate).rows for predicate in bias.body]
    if any(table is None or len(table) > MOST_TUPLES for table in tables):
        return False
    tuples: int = len(values_of(task)) ** arities(bias)[-1]
    return 0 < tuples <= MOST_TUPLES


class InventingPrograms:
    """Programs with invented predicates, by size: those with a cost below a bound that falls."""

    def __init__(
        self,
        task: ReadTask,
        examples: WeighedExamples,
        size_weight: int,
        *,
        constraints: bool = True,
        memory: Memory | None = None,
    ) -> None:
        assert constraints
        self.bias = bias = task.bias
        self.examples = examples
        self.size_weight = size_weight
        self.memory = memory or Memory()
        self.size = 1  # all programs up to this size are done with
        self.tested = 0
        self.worlds_met = 0
        self.names = bias.invented_names
        self.space = Space(task, self.memory)
        nothing = World((), RuleList(self.space, (), self.names[0]))
        for predicate in bias.body:
            nothing.note(self.space.known_symbol(predicate))
        self.worlds: dict[int, list[World]] = {0: [nothing], 1: []}  # by size
        self.seen: dict[tuple[Key, ...], int] = {}  # symbols of a world -> the least number of rules it has

    # -- what a search asks ---------------------------------------------------------------------------------

    @property
    def most_size(self) -> int:
        most = self.bias.most_clauses * (1 + self.bias.max_body)
        return most if self.bias.most.size is None else min(most, self.bias.most.size)

    @property
    def work(self) -> int:
        return self.tested

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        return self.size_weight * (self.size + 1) if self.size < self.most_size else 1 << 60

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def next_size(self, bound: int, take: Take, should_stop: Stop) -> bool:
        """Looks through the programs of the next size; `take` gets each better one, and says the bound from then on."""
        self.space.should_stop = should_stop
        size = self.size + 1
        try:
            for own in range(size - LEAST_REST, 1, -1):
                for world in self.of_size(own):
                    if self.size_weight * size >= bound:
                        break
                    bound = self.look_into(world, size - own, bound, take)
        except StoppedError:
            return False
        self.size = size
        return True

    def counts(self) -> dict[str, int]:
        return {"programs_tested": self.tested, "worlds": self.worlds_met}

    # -- worlds ---------------------------------------------------------------------------------------------

    def of_size(self, size: int) -> list[World]:
        """The worlds with so many literals in their definitions."""
        if size not in self.worlds:
            made = [
                new for own in range(size - 1) for world in self.of_size(own) for new in self.more(world, size - own)
            ]
            self.worlds[size] = made
        return self.worlds[size]

    def more(self, world: World, size: int) -> Iterator[World]:
        """The worlds with one more definition, of a size."""
        left = self.bias.most_clauses - 1 - world.count
        if left < 1:
            return
        for number, definition in enumerate(definitions(world.rules, size, left)):
            if number % LOOKED_AT == 0:
                self.space.look()
            if world.has(definition):
                continue
            keys = tuple(sorted((*world.keys, key_of(definition))))
            count = world.count + len(definition.rules)
            if self.seen.get(keys, count + 1) > count:
                self.seen[keys] = count
                yield self.world_with(world, definition, keys)

    def world_with(self, world: World, definition: Definition, keys: tuple[Key, ...]) -> World:
        self.memory.take(WORLD + sum(view.bit_length() // 4 for view in definition.views))
        self.worlds_met += 1
        symbol = self.space.invented_symbol(self.names[len(world.made)], definition)
        invented = (*world.invented, symbol)
        name = self.names[min(len(invented), len(self.names) - 1)]  # the last one is not asked for
        rules = RuleList(self.space, invented, name)
        known = {key: list(inputs) for key, inputs in world.known.items()}
        made = World(invented, rules, (*world.made, definition), keys, known)
        made.note(symbol)
        return made

    # -- rules for the target -------------------------------------------------------------------------------

    def look_into(self, world: World, size: int, bound: int, take: Take) -> int:
        """Combines rules of up to a size for the target in a world; returns the bound from then on."""
        if size - 1 > self.bias.most_body:
            return bound  # all of them were there before
        self.space.look()
        if world.rest is None:
            world.rest = Rest(self, world)
            self.tested += A_WORLD
        rest = world.rest
        before = rest.rules.tested
        while (found := rest.best(size - 1, bound - self.size_weight * world.size)) is not None:
            bound = take(*self.program(world, rest, found))
        self.tested += rest.rules.tested - before
        if size - 1 == self.bias.most_body:
            world.rest = None  # it is not needed again
        return bound

    def program(self, world: World, rest: Rest, found: Combination) -> tuple[Program, Outcome]:
        """The program of a world and a combination, without what it does not need, and what it covers."""
        rules = list(rules_of(rest.rules.rule(number) for number in found.rules).rules)
        defined = {symbol.predicate.name: made.rules for symbol, made in zip(world.invented, world.made, strict=True)}
        names: dict[str, str] = {}  # of what is needed, in the order in which it is met
        for rule in rules:
            for literal in rule.body:
                if literal.name in defined and literal.name not in names:
                    names[literal.name] = self.names[len(names)]
                    rules += map(readable, defined[literal.name])
        program = Program(tuple(renamed(rule, names) for rule in rules))
        covered = rest.covered(found)
        pos, neg = self.examples.pos, self.examples.neg
        gained = int(pos[covered].sum())
        return program, Outcome(
            covered=covered,
            may_cover=covered,
            size=self.size_weight * program.size,
            pos=gained,
            neg=int(neg[covered].sum()),
            most_pos=gained,
            missed=int(pos.sum()),
        )


class Rest:
    """The search for the target's rules in one world."""

    def __init__(self, programs: InventingPrograms, world: World) -> None:
        self.examples = programs.examples
        self.space = programs.space
        self.memory = programs.memory
        bias, size_weight = programs.bias, programs.size_weight
        self.most = bias.most_clauses - world.count
        self.memory.take(GENERATOR)
        task = self.space.task_with(world.invented)
        # Ties would have to be found for each world anew.
        self.rules = RuleGenerator(task, self.examples, size_weight, without=("ties",), memory=self.memory)
        limits = Most(self.most, None if bias.most.size is None else bias.most.size - world.size)
        self.combiner = Combiner(self.examples, size_weight, most=limits, memory=self.memory)

    def best(self, size: int, bound: int) -> Combination | None:
        """The best combination below a bound of rules with up to so many body literals."""
        while self.rules.size < size:
            if self.most == 1:  # then there is nothing beside a rule, and what it misses costs
                prices = make_prices(Pool.of([], len(self.examples.pos)), self.examples, bound, self.memory)
                assert prices is not None
                self.rules.use_prices(prices, bound)
            batch = self.rules.next_size(self.space.should_stop)
            if batch is None:
                raise StoppedError
            self.combiner.add(batch)
        if not len(self.combiner):
            return None
        choice = self.combiner.best(bound, self.space.should_stop)
        if choice.best is None and not choice.proven:
            raise StoppedError
        return choice.best

    def covered(self, found: Combination) -> NDArray[np.bool_]:
        pool = Pool.of(self.combiner.batches, len(self.examples.pos))
        chosen = pool.select(np.flatnonzero(np.isin(pool.numbers, found.rules)))
        covered: NDArray[np.bool_] = np.logical_or.reduce(unpack(chosen.bits, len(self.examples.pos)), axis=0)
        return covered


def key_of(definition: Definition) -> Key:
    """What a definition is known by, whatever the order of its columns."""
    found = []
    for order, view in zip(orders(len(definition.types)), definition.views, strict=True):
        types, inputs = turned(definition.types, definition.inputs, order)
        found.append((types, inputs, view))
    return min(found)


def turned(types: Types, inputs: int, order: tuple[int, ...]) -> tuple[Types, int]:
    """The types and inputs of columns in another order."""
    return (
        tuple([types[column] for column in order]),
        sum(1 << place for place, column in enumerate(order) if inputs >> column & 1),
    )


def renamed(rule: Rule, names: dict[str, str]) -> Rule:
    head, *body = (Literal(names.get(literal.name, literal.name), literal.args) for literal in rule.literals())
    return Rule(head, tuple(body))
