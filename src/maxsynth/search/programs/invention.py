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
that the columns of a relation have one type each by its rules alone. And it needs tables, of predicates that are
complete and not too wide. Everything else is left to clingo (`asp`).
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import Background, Relation
from maxsynth.bias.bias import Bias
from maxsynth.bias.evaluated import Most
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Literal, Program, Rule, readable, rules_of
from maxsynth.search.choose.combine import Combiner
from maxsynth.search.choose.prices import make_prices
from maxsynth.search.choose.problem import Combination
from maxsynth.search.coverage import Pool, unpack
from maxsynth.search.programs.constraints import Outcome
from maxsynth.search.programs.definitions import (
    WIDEST,
    Definition,
    RuleList,
    Space,
    Symbol,
    TooWideError,
    Types,
    definitions,
)
from maxsynth.search.programs.relations import orders
from maxsynth.search.rules.features import RuleGenerator
from maxsynth.search.weighing import WeighedExamples
from maxsynth.task.memory import Memory
from maxsynth.task.task import ReadTask

if TYPE_CHECKING:
    from maxsynth.search.programs.asp import AspPrograms

Stop = Callable[[], bool]
Take = Callable[[Program, Outcome], int]
Key = tuple[Types, int, int]  # types, inputs and relation of a symbol, its columns in an order that all share

LEAST_REST = 3  # literals of the rules for the target
WORLD = 3000  # bytes, about, for a world but for its relations
REST = 60_000  # bytes, about, for the rules of the target in a world
LOOKED_AT = 64  # definitions between two looks whether to stop
A_WORLD = 100  # rules take about as long to test as it takes to set up a world


class StoppedError(Exception):
    """The search is to end."""


@dataclass
class World:
    """BK with invented predicates: how many rules and literals they have, and the search for the target's rules."""

    symbols: list[Symbol]
    rules: RuleList
    made: tuple[Definition, ...] = ()
    keys: tuple[Key, ...] = ()
    rest: Rest | None = None
    known: dict[tuple[Types, int], list[int]] = field(default_factory=dict)  # types and relation -> inputs of symbols

    @property
    def count(self) -> int:
        return sum(len(definition.bodies) for definition in self.made)

    @property
    def size(self) -> int:
        return sum(definition.size for definition in self.made)

    def has(self, definition: Definition) -> bool:
        """Whether there is a symbol for this already."""
        same = self.known.get((definition.types, definition.views[0]), ())
        return any(not inputs & ~definition.inputs for inputs in same)


def can_invent(task: ReadTask) -> bool:
    """Whether this is a task for what is here."""
    bias = task.bias
    if not bias.invention or bias.recursion or bias.constraints.strip() or bias.program_constraints.strip():
        return False
    if bias.limits or bias.one_of_type or bias.non_datalog or not bias.singletons:
        return False
    if any(predicate.arity == 0 for predicate in bias.body) or not bias.body:
        return False
    if bias.types and not all(predicate in bias.types for predicate in bias.body):
        return False
    if bias.directions and not all(task.background.is_table(predicate) for predicate in bias.body):
        return False
    relations = [task.background.relation(predicate) for predicate in bias.body]
    return all(relation.rows is not None and len(relation.rows) <= WIDEST for relation in relations)


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
        self.task = task
        self.constraints = constraints
        self.instead: AspPrograms | None = None  # from when on this is no task for what is here
        self.bias = bias = task.bias
        self.examples = examples
        self.size_weight = size_weight
        self.memory = memory or Memory()
        self.size = 1  # all programs up to this size are done with
        self.tests = 0
        self.worlds_met = 0
        self.should_stop: Stop = lambda: False
        self.names = invented_names(bias)
        most = min(bias.invented_arity, bias.max_vars)
        self.space = Space(
            bias.max_vars, bias.max_body, range(1, most + 1), bool(bias.directions), self.memory, self.look
        )
        symbols = [self.symbol_of(predicate) for predicate in bias.body]
        empty = World(symbols, RuleList(self.space, symbols))
        for symbol in symbols:
            self.note(empty, symbol)
        self.worlds: dict[int, list[World]] = {0: [empty]}  # by size
        self.seen: dict[tuple[Key, ...], int] = {}  # symbols of a world -> the least number of rules it has

    def symbol_of(self, predicate: Predicate) -> Symbol:
        rows = self.task.background.relation(predicate).rows
        assert rows is not None
        listed = [tuple(row) for row in rows.tolist()]
        types = self.bias.types.get(predicate, ("",) * predicate.arity)
        modes = self.bias.directions.get(predicate, ())
        inputs = sum(1 << place for place, mode in enumerate(modes) if mode == "in")
        return Symbol(predicate.name, types, inputs, self.space.of_length(predicate.arity).views(listed), listed)

    # -- what a search asks ---------------------------------------------------------------------------------

    @property
    def most_size(self) -> int:
        most = self.bias.most_clauses * (1 + self.bias.max_body)
        return most if self.bias.most.size is None else min(most, self.bias.most.size)

    @property
    def tested(self) -> int:
        return self.tests + (self.instead.tested if self.instead else 0)

    @property
    def work(self) -> int:
        return self.tests + (self.instead.work if self.instead else 0)

    def lower_bound(self) -> int:
        """What a program that is left costs at least."""
        if self.instead is not None:
            return self.instead.lower_bound()
        return self.size_weight * (self.size + 1) if self.size < self.most_size else 1 << 60

    def exhausted(self, bound: int) -> bool:
        """Whether no program that is left can cost less than the bound."""
        return self.lower_bound() >= bound

    def next_size(self, bound: int, take: Take, should_stop: Stop) -> bool:
        """Looks through the programs of the next size; `take` gets each better one, and says the bound from then on."""
        if self.instead is not None:
            return self.instead.next_size(bound, take, should_stop)
        self.should_stop = should_stop
        size = self.size + 1
        try:
            for own in range(size - LEAST_REST, 1, -1):
                for world in self.of_size(own):
                    if self.size_weight * size >= bound:
                        break
                    bound = self.look_into(world, size - own, bound, take)
        except StoppedError:
            return False
        except TooWideError:
            self.give_up()
            return True
        self.size = size
        return True

    def give_up(self) -> None:
        """Leaves it to clingo, from the start."""
        from maxsynth.search.programs.asp import AspPrograms  # clingo takes its time to load

        self.worlds.clear()
        self.seen.clear()
        self.instead = AspPrograms(
            self.task, self.examples, self.size_weight, constraints=self.constraints, memory=self.memory
        )

    def look(self) -> None:
        if self.should_stop():
            raise StoppedError

    def counts(self) -> dict[str, int]:
        return {"programs_tested": self.tested, "worlds": self.worlds_met}

    # -- worlds ---------------------------------------------------------------------------------------------

    def of_size(self, size: int) -> list[World]:
        """The worlds with so many literals in their definitions."""
        if size not in self.worlds:
            self.worlds[size] = []
            for own in range(size - 1):
                for world in self.of_size(own) if own != 1 else ():
                    self.worlds[size] += self.extended(world, size - own)
        return self.worlds[size]

    def extended(self, world: World, size: int) -> Iterator[World]:
        """A world with one more definition, of a size."""
        left = self.bias.most_clauses - 1 - world.count
        if left < 1:
            return
        for number, definition in enumerate(definitions(world.rules, size, left)):
            if number % LOOKED_AT == 0:
                self.look()
            if world.has(definition):
                continue
            keys = tuple(sorted((*world.keys, key_of(definition))))
            count = world.count + len(definition.bodies)
            if self.seen.get(keys, count + 1) > count:
                self.seen[keys] = count
                yield self.world_with(world, definition, keys)

    def world_with(self, world: World, definition: Definition, keys: tuple[Key, ...]) -> World:
        self.memory.take(WORLD + sum(view.bit_length() // 4 for view in definition.views))
        self.worlds_met += 1
        rows = self.space.of_length(len(definition.types)).rows(definition.views[0])
        name = self.names[len(world.made)]
        symbol = Symbol(name, definition.types, definition.inputs, definition.views, rows)
        symbols = [*world.symbols, symbol]
        known = {key: list(inputs) for key, inputs in world.known.items()}
        made = World(symbols, RuleList(self.space, symbols, world.rules), (*world.made, definition), keys, known=known)
        self.note(made, symbol)
        return made

    def note(self, world: World, symbol: Symbol) -> None:
        """Makes a symbol known, with its columns in any order."""
        for order, view in zip(orders(symbol.arity), symbol.views, strict=True):
            types, inputs = turned(symbol.types, symbol.inputs, order)
            world.known.setdefault((types, view), []).append(inputs)

    # -- rules for the target -------------------------------------------------------------------------------

    def look_into(self, world: World, size: int, bound: int, take: Take) -> int:
        """Combines rules of up to a size for the target in a world; returns the bound from then on."""
        if size - 1 > self.bias.max_body:
            return bound  # all of them were there before
        self.look()
        if world.rest is None:
            world.rest = Rest(self, world)
        rest = world.rest
        before = rest.tested
        while True:
            found = rest.best(size - 1, bound - self.size_weight * world.size)
            if found is None:
                break
            program, outcome = self.program(world, rest, found)
            bound = take(program, outcome)
        self.tests += rest.tested - before
        if size - 1 >= self.bias.max_body:
            world.rest = None  # it is not needed again
        return bound

    def program(self, world: World, rest: Rest, found: Combination) -> tuple[Program, Outcome]:
        """The program of a world and a combination, without what it does not need, and what it covers."""
        rules = rules_of(rest.rules.rule(number) for number in found.rules).rules
        numbers = {symbol.name: number for number, symbol in enumerate(world.symbols)}
        first = len(self.bias.body)
        needed: list[int] = []  # invented ones, as they are met
        defined: list[Rule] = []
        waiting = list(rules)
        for rule in waiting:
            for literal in rule.body:
                number = numbers[literal.name]
                if number >= first and number not in needed:
                    needed.append(number)
                    head = Literal(literal.name, tuple(range(len(literal.args))))
                    for body in world.made[number - first].bodies:
                        calls = tuple(Literal(world.symbols[called].name, args) for called, args in body)
                        defined.append(readable(Rule(head, calls)))
                        waiting.append(defined[-1])
        names = {world.symbols[number].name: name for number, name in zip(needed, self.names, strict=False)}
        program = Program(tuple(renamed(rule, names) for rule in (*rules, *defined)))
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
        self.programs = programs
        self.examples = programs.examples
        self.size_weight = programs.size_weight
        bias = programs.bias
        self.most = bias.most_clauses - world.count
        most_size = None if bias.most.size is None else bias.most.size - world.size
        programs.memory.take(REST)
        self.rules = RuleGenerator(
            self.task_of(world),
            self.examples,
            self.size_weight,
            without=("ties",),  # which would have to be made anew for each world
            memory=programs.memory,
        )
        limits = Most(self.most, most_size)
        self.combiner = Combiner(self.examples, self.size_weight, most=limits, memory=programs.memory)
        self.pool: list[Pool] = []

    def task_of(self, world: World) -> ReadTask:
        """The task with the predicates of a world in BK."""
        task, bias = self.programs.task, self.programs.bias
        background: Background = copy.copy(task.background)
        background.relations = dict(task.background.relations)
        types, directions = dict(bias.types), dict(bias.directions)
        invented = []
        for symbol in world.symbols[len(bias.body) :]:
            predicate = Predicate(symbol.name, symbol.arity)
            invented.append(predicate)
            rows = np.array(symbol.rows, np.int32).reshape(-1, symbol.arity)
            background.relations[predicate] = Relation(predicate, rows)
            if bias.types:
                types[predicate] = symbol.types
            if bias.directions:
                modes = ("in" if symbol.inputs >> place & 1 else "out" for place in range(symbol.arity))
                directions[predicate] = tuple(modes)
        extended = dataclasses.replace(bias, body=(*bias.body, *invented), types=types, directions=directions)
        return dataclasses.replace(task, bias=extended, background=background)

    @property
    def tested(self) -> int:
        return A_WORLD + self.rules.tested

    def best(self, size: int, bound: int) -> Combination | None:
        """The best combination below a bound of rules with up to so many body literals."""
        while self.rules.size < min(size, self.rules.most_body):
            if self.most == 1:
                nothing = Pool.of([], len(self.examples.pos))
                prices = make_prices(nothing, self.examples, bound, self.programs.memory)
                assert prices is not None
                self.rules.use_prices(prices, bound)
            batch = self.rules.next_size(self.programs.should_stop)
            if batch is None:
                raise StoppedError
            self.combiner.add(batch)
        if not len(self.combiner):
            return None
        choice = self.combiner.best(bound, self.programs.should_stop)
        if not choice.proven:
            raise StoppedError
        return choice.best

    def covered(self, found: Combination) -> NDArray[np.bool_]:
        pool = Pool.of(self.combiner.batches, len(self.examples.pos))
        chosen = pool.select(np.flatnonzero(np.isin(pool.numbers, found.rules)))
        covered: NDArray[np.bool_] = np.logical_or.reduce(unpack(chosen.bits, len(self.examples.pos)), axis=0)
        return covered


def invented_names(bias: Bias) -> list[str]:
    """The names of the predicates that a program may invent: one less than it has rules."""
    taken = {predicate.name for predicate in (bias.head, *bias.body)}
    names = (name for number in range(1, 10**9) if (name := f"inv{number}") not in taken)
    return [next(names) for _ in range(bias.max_clauses - 1)]


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
