"""The optimum of a small task whose programs may call themselves: every program is written down and tested.

A program that calls itself is a set of at most `max_clauses` rules, in the words of the definition:
- each rule is one of the space (see `brute_force`), but its head may be an invented predicate, and its body may have
  the target and invented predicates too. A recursive program has a predicate that reaches itself by calls, which
  needs `recursion`; an inventing one defines other predicates than the target, which needs `invention`;
- no rule calls its head's predicate with the head's inputs (all arguments, where none is declared to be `in`);
- the target is defined, every other defined predicate is called by rules that the target needs, and what is called is
  defined by BK or by the program;
- every defined predicate is founded: it has a rule that calls founded predicates only;
- an invented predicate has at most as many arguments as some declared one, and one type at each of these: the types
  that its rules and its calls give it agree;
- with directions, there are directions of the invented predicates under which all rules are safe;
- with `non_datalog`, a head variable may be missing from the body only where it is an `in` argument.

What it covers is in its least model, which is computed as naively as possible.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from .brute_force import Facts, Literal, _Atoms, all_rules, optimum, optimum_exact
from .small_task import SmallTask

Head = tuple[str, int]
CallingRule = tuple[Head, tuple[Literal, ...]]
CallingProgram = tuple[CallingRule, ...]


class TooManyProgramsError(Exception):
    """More programs than the caller wants to see."""


def invented(task: SmallTask) -> list[list[Head]]:
    """For each invented name, its possible arities."""
    if not task.invention:
        return []
    most = max(arity for _, arity in (task.head, *task.body))
    return [[(f"inv{number}", arity) for arity in range(1, most + 1)] for number in range(1, task.max_clauses)]


def calling_programs(task: SmallTask, limit: int | None = None) -> Iterator[CallingProgram]:
    """All programs that call themselves, up to the names of variables; `limit` bounds those looked at.

    They are counted first: whether they are programs takes far longer to say, and random tasks are often too large.
    """
    if not (task.recursion or task.invention):
        return
    heads = [task.head, *itertools.chain(*invented(task))]
    called = [*task.body, *(heads if task.recursion else heads[1:])]
    rules = {head: rules_of(task, head, called) for head in heads}
    groups: list[list[tuple[list[CallingRule], int]]] = []  # rules for a head, and how many of them
    for defined in sets_of_heads(task):
        others = set(heads) - set(defined)
        usable = {
            head: [rule for rule in rules[head] if not {(name, len(args)) for name, args in rule[1]} & others]
            for head in defined
        }
        for numbers in itertools.product(range(1, task.max_clauses + 1), repeat=len(defined)):
            if 2 <= sum(numbers) <= task.max_clauses:
                groups.append([(usable[head], n) for head, n in zip(defined, numbers, strict=True)])
    if limit is not None and sum(math.prod(math.comb(len(some), n) for some, n in group) for group in groups) > limit:
        raise TooManyProgramsError
    for group in groups:
        for parts in itertools.product(*(itertools.combinations(some, n) for some, n in group)):
            program = tuple(itertools.chain(*parts))
            if is_calling_program(task, program):
                yield program


def sets_of_heads(task: SmallTask) -> Iterator[tuple[Head, ...]]:
    """What a program may define: the target, and the first few invented names with an arity each."""
    names = invented(task)
    for count in range(len(names) + 1):
        for chosen in itertools.product(*names[:count]):
            yield task.head, *chosen


def rules_of(task: SmallTask, head: Head, called: Sequence[Head]) -> list[CallingRule]:
    """The rules for one head that are well formed by themselves, one for all names of the other variables."""
    if head[1] > task.max_vars:
        return []
    literals = [(name, args) for name, arity in called for args in itertools.permutations(range(task.max_vars), arity)]
    found: set[tuple[Literal, ...]] = set()
    for size in range(1, task.max_body + 1):
        for body in itertools.combinations(literals, size):
            if is_well_formed(task, head, body):
                found.add(canonical_body(head[1], body))
    return [(head, body) for body in sorted(found, key=lambda body: (len(body), body))]


def canonical_body(arity: int, body: Sequence[Literal]) -> tuple[Literal, ...]:
    others = sorted({v for _, args in body for v in args if v >= arity})
    bodies = []
    for names in itertools.permutations(range(arity, arity + len(others))):
        new = {**{v: v for v in range(arity)}, **dict(zip(others, names, strict=True))}
        bodies.append(tuple(sorted((name, tuple(new[v] for v in args)) for name, args in body)))
    return min(bodies)


def is_well_formed(task: SmallTask, head: Head, body: Sequence[Literal]) -> bool:
    variables = set(range(head[1]))
    used = {v for _, args in body for v in args}
    reached = set(variables)
    for _ in body:
        for _, args in body:
            if reached & set(args):
                reached |= set(args)
    places = [*variables, *(v for _, args in body for v in args)]
    if not used <= reached or not (variables <= used or task.non_datalog):
        return False
    return (
        len(variables | used) <= task.max_vars
        and (task.singletons or all(places.count(v) > 1 for v in places))
        and not any(is_loop(task, head, args) for name, args in body if (name, len(args)) == head)
    )


def is_loop(task: SmallTask, head: Head, args: Sequence[int]) -> bool:
    ways = (task.directions or {}).get(head[0], ())
    inputs = [i for i, way in enumerate(ways) if way == "in"] or list(range(head[1]))
    return all(args[i] == i for i in inputs)


# -- programs -----------------------------------------------------------------------------------------------


def is_calling_program(task: SmallTask, program: CallingProgram) -> bool:
    defined = {head for head, _ in program}
    own = {task.head, *itertools.chain(*invented(task))}
    calls = {rule: {(n, len(args)) for n, args in rule[1]} & own for rule in program}
    reach = {head: {called for rule in program if rule[0] == head for called in calls[rule]} for head in defined}
    for _ in defined:
        for head in defined:
            reach[head] = reach[head].union(*(reach.get(other, set()) for other in reach[head]))
    founded: set[Head] = set()
    for _ in defined:
        founded |= {head for head, body in program if calls[head, body] <= founded}
    return (
        task.head in defined
        and any(calls.values())
        and all(called <= defined for called in calls.values())
        and defined <= {task.head, *reach[task.head]}
        and defined <= founded
        and (task.recursion or not any(head in reach[head] for head in defined))
        and len({name for name, _ in defined}) == len(defined)
        and types_agree(task, program)
        and (task.directions is not None or not task.non_datalog or all(binds_all(rule) for rule in program))
        and (task.directions is None or directions_fit(task, program, defined))
    )


def binds_all(rule: CallingRule) -> bool:
    (_, arity), body = rule
    return set(range(arity)) <= {v for _, args in body for v in args}


def types_agree(task: SmallTask, program: CallingProgram) -> bool:
    """Types flow between variables and the places of invented predicates until nothing changes."""
    declared = task.types or {}
    known = {task.head[0], *(name for name, _ in task.body)}
    places: dict[tuple[str, int], set[str]] = {}
    variables: dict[tuple[int, int], set[str]] = {}
    for _ in range(100):
        before = sum(map(len, (*places.values(), *variables.values())))  # they only grow
        for number, ((head, arity), body) in enumerate(program):
            for name, args in ((head, tuple(range(arity))), *body):
                for i, v in enumerate(args):
                    types = variables.setdefault((number, v), set())
                    if name in declared:
                        types.add(declared[name][i])
                    if name not in known:
                        place = places.setdefault((name, i), set())
                        place |= types
                        types |= place
        if before == sum(map(len, (*places.values(), *variables.values()))):
            break
    if any(len(types) > 1 for types in variables.values()):
        return False
    return all(
        sum(types == {type_} for (which, _), types in variables.items() if which == number) == 1
        for type_ in task.one_of_type
        for number in range(len(program))
    )


def directions_fit(task: SmallTask, program: CallingProgram, defined: set[Head]) -> bool:
    assert task.directions is not None
    others = sorted(defined - {task.head})
    for ways in itertools.product(*(itertools.product(("in", "out"), repeat=arity) for _, arity in others)):
        directions = {**task.directions, **{name: way for (name, _), way in zip(others, ways, strict=True)}}
        if all(rule_runs(task, rule, directions) for rule in program):
            return True
    return False


def rule_runs(task: SmallTask, rule: CallingRule, directions: Mapping[str, Sequence[str]]) -> bool:
    (head, arity), body = rule
    given = {v for v, way in enumerate(directions[head]) if way == "in"}
    used = {v for _, args in body for v in args}
    if not set(range(arity)) - used <= given:
        return False
    for order in itertools.permutations(body):
        safe = set(given)
        for name, args in order:
            if not {v for v, way in zip(args, directions[name], strict=True) if way == "in"} <= safe:
                break
            safe |= set(args)
        else:
            return True
    return False


# -- coverage -----------------------------------------------------------------------------------------------


def least_model(task: SmallTask, program: CallingProgram, constants: Sequence[str]) -> set[tuple[str, ...]]:
    """The target's tuples in the least model: apply all rules to all that is known until nothing new comes."""
    facts: Facts = {}
    for name, row in dict.fromkeys(task.facts):
        facts.setdefault(name, []).append(row)
    known = {head: set[tuple[str, ...]]() for (head, _), _ in program}
    while True:
        new = False
        for (head, arity), body in program:
            derived = set()
            for binding in bindings(facts, known, body, {}):
                missing = [v for v in range(arity) if v not in binding]
                for values in itertools.product(constants, repeat=len(missing)):
                    whole = {**binding, **dict(zip(missing, values, strict=True))}
                    derived.add(tuple(whole[v] for v in range(arity)))
            new = new or not derived <= known[head]
            known[head] |= derived
        if not new:
            return known[task.head[0]]


def bindings(
    facts: Facts, known: Mapping[str, set[tuple[str, ...]]], body: Sequence[Literal], binding: dict[int, str]
) -> Iterator[dict[int, str]]:
    if not body:
        yield binding
        return
    name, args = body[0]
    for row in known[name] if name in known else facts.get(name, ()):
        for v, value in zip(args, row, strict=True):
            if binding.get(v, value) != value:
                break
        else:
            yield from bindings(facts, known, body[1:], {**binding, **dict(zip(args, row, strict=True))})


def size_of(program: CallingProgram) -> int:
    return sum(1 + len(body) for _, body in program)


def best_program(
    task: SmallTask, limit: int | None = None, allows: Callable[[CallingRule], bool] = lambda rule: True
) -> tuple[int | None, CallingProgram | None]:
    """The least cost of any program (None: no exact one), and a program that calls itself if that is cheaper.

    `allows` says which rules of the space a program may have.
    """
    atoms = _Atoms(task)
    size_weight, fp_weight, fn_weight = task.weights
    rules = [rule for rule in all_rules(task) if allows(((rule.head, rule.arity), rule.body))]
    plain = optimum_exact(task, rules) if task.exact else optimum(task, rules)
    best = None if plain is None else plain[0]
    chosen: CallingProgram | None = None
    constants = sorted({value for _, row in task.facts for value in row} | {v for args in atoms.args for v in args})
    for program in calling_programs(task, limit):
        size = size_weight * size_of(program)
        if (best is not None and size >= best) or not all(map(allows, program)):
            continue
        model = least_model(task, program, constants)
        covered = sum(1 << bit for bit, args in enumerate(atoms.args) if args in model)
        fp, fn = atoms.false_positives(covered), atoms.false_negatives(covered)
        cost = size + fp_weight * fp + fn_weight * fn
        if task.exact and (fp or fn):
            continue
        if best is None or cost < best:
            best, chosen = cost, program
    return best, chosen


def text(program: CallingProgram | None) -> str:
    def literal(name: str, args: Sequence[int]) -> str:
        return f"{name}({','.join('ABCDEFGH'[v] for v in args)})"

    return "  ".join(
        f"{literal(head, range(arity))}:-{','.join(literal(*part) for part in body)}."
        for (head, arity), body in program or ()
    )
