"""Small random tasks, made so that much can go wrong in a learner that prunes too much.

With few examples of weight 1 the empty program nearly always wins, and any learner finds it. So most tasks here are
labelled by a plan: hidden rules get positives whose weights just about pay for them, negatives sit where a shorter
rule would cover them, or rules share their false positives so that none pays alone but all pay together.

Run `python -m oracle.random_tasks 500` in the folder of the tests for statistics of what comes out.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .brute_force import Program, Rule, SpaceTooLargeError, all_rules, covers, optimum, optimum_exact
from .small_task import Atom, Example, SmallTask

MOST_EXAMPLES = 12  # a side
MOST_FACTS = 14  # a predicate
Coverage = list[tuple[Rule, set[Atom]]]


def random_task(rng: random.Random, nasty: float = 0.5, most_bodies: int = 800) -> SmallTask:
    """A task of the generator `rng`, and of nothing else.

    `nasty` is the share of tasks whose labels are traps (shared false positives, near misses); of the others, most
    get their labels from a hidden program and some at random. `most_bodies` bounds the space.
    """
    while True:
        task = _world(rng)
        try:
            rules = all_rules(task, most_bodies)
        except SpaceTooLargeError:
            continue
        if len(rules) >= 10 or _chance(rng, 0.02 if not rules else 0.3):  # small spaces are common enough
            return _labelled(rng, task, rules, nasty)


def _chance(rng: random.Random, share: float) -> bool:
    return rng.random() < share


# Bias and facts


def _world(rng: random.Random) -> SmallTask:
    """A task without examples."""
    head = ("f", rng.choices((1, 2, 3), (5, 6, 1))[0])
    count = rng.choices((1, 2, 3, 4), (2, 5, 7, 2))[0]
    body = [(f"p{number}", rng.choices((1, 2, 3), (5, 5, 1))[0]) for number in range(count)]
    type_names = [f"t{number}" for number in range(rng.randint(1, 3))]
    full_types = {name: tuple(rng.choice(type_names) for _ in range(arity)) for name, arity in (head, *body)}
    types = _some_types(rng, full_types)
    used_types = sorted({type_ for row in (types or {}).values() for type_ in row})
    task = SmallTask(
        head=head,
        body=body,
        max_vars=max(rng.choices((1, 2, 3, 4), (1, 4, 6, 3))[0], *(arity for _, arity in (head, *body))),
        max_body=rng.choices((1, 2, 3, 4), (1, 5, 5, 2))[0],
        facts=[],
        positives=[],
        types=types,
        directions=_directions(rng, head, body) if _chance(rng, 0.4) else None,
        singletons=_chance(rng, 0.6),
        non_datalog=_chance(rng, 0.2),
        one_of_type=tuple(rng.sample(used_types, 1)) if used_types and _chance(rng, 0.45) else (),
        weights=(1, 1, 1) if _chance(rng, 0.7) else (rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)),
        exact=_chance(rng, 0.2),
    )
    constants = [f"c{number}" for number in range(rng.choices((2, 3, 4, 5, 6), (1, 2, 3, 4, 5))[0])]
    if _chance(rng, 0.5):  # each type has constants of its own, as in real tasks; else types only restrict the space
        pools = {
            type_: rng.sample(constants, rng.randint((1 + len(constants)) // 2, len(constants))) for type_ in type_names
        }
    else:
        pools = dict.fromkeys(type_names, constants)
    task.facts = _facts(rng, body, {name: [pools[type_] for type_ in row] for name, row in full_types.items()})
    task.positives = [(atom, 1) for atom in _atoms(rng, [pools[type_] for type_ in full_types[head[0]]])]
    return task


def _some_types(rng: random.Random, full: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]] | None:
    if _chance(rng, 0.4):
        return None
    if _chance(rng, 0.75):
        return full
    return {name: types for name, types in full.items() if _chance(rng, 0.6)} or None


def _directions(
    rng: random.Random, head: tuple[str, int], body: Sequence[tuple[str, int]]
) -> dict[str, tuple[str, ...]]:
    def ways(arity: int, inputs: float) -> tuple[str, ...]:
        return tuple("in" if _chance(rng, inputs) else "out" for _ in range(arity))

    return {head[0]: ways(head[1], 0.7)} | {name: ways(arity, 0.5) for name, arity in body}


def _facts(
    rng: random.Random, body: Sequence[tuple[str, int]], pools: dict[str, list[list[str]]]
) -> list[tuple[str, tuple[str, ...]]]:
    facts: list[tuple[str, tuple[str, ...]]] = []
    for name, arity in body:
        rows = list(itertools.product(*pools[name]))
        share = rng.choice((0.3, 0.5, 0.7)) if arity == 1 else rng.choice((0.1, 0.25, 0.5))
        count = min(MOST_FACTS, max(1, round(share * len(rows))))
        if facts and _chance(rng, 0.03):
            count = 0  # declared but never true
        facts += [(name, row) for row in rng.sample(rows, count)]
    if _chance(rng, 0.1):
        facts.append(rng.choice(facts))
    if _chance(rng, 0.3):
        rng.shuffle(facts)
    return facts


def _atoms(rng: random.Random, pools: list[list[str]]) -> list[Atom]:
    """What examples may be about; at times with a constant that no fact has."""
    if _chance(rng, 0.15):
        pools = [[*pool, "c9"] for pool in pools]
    atoms = list(itertools.product(*pools))
    return rng.sample(atoms, min(len(atoms), 20))


# Examples


def _labelled(rng: random.Random, task: SmallTask, rules: list[Rule], nasty: float) -> SmallTask:
    """The task with examples about the atoms that `_world` left in its positives."""
    atoms = [atom for atom, _ in task.positives]
    tempting = _forbidden_rules(task, rules) if _chance(rng, 0.3) else []
    sample = rng.sample(tempting or rules, min(len(tempting or rules), 30))
    known = _useful(task, atoms, sample)
    plan: tuple[list[Example], list[Example]] | None = None
    if known and _chance(rng, nasty):
        shared = _shared_false_positives(rng, task, atoms, known) if _chance(rng, 0.6) else None
        plan = shared or _near_misses(rng, task, atoms, known)
    elif known and _chance(rng, 0.85):
        plan = _hidden_program(rng, task, atoms, known)
    positives, negatives = plan or _random_labels(rng, atoms)
    if not task.exact or _chance(rng, 0.2):
        positives, negatives = _with_noise(rng, positives, negatives)
    positives, negatives = _listed(rng, positives), _listed(rng, negatives)
    return replace(task, positives=positives or [(rng.choice(atoms), 1)], negatives=negatives)


def _forbidden_rules(task: SmallTask, rules: list[Rule]) -> list[Rule]:
    """Rules that types, directions and the like keep out: labels from them tempt whoever forgets a restriction."""
    wider = replace(task, types=None, directions=None, one_of_type=(), singletons=True)
    try:
        return sorted(set(all_rules(wider, 500)) - set(rules))
    except SpaceTooLargeError:
        return []


def _useful(task: SmallTask, atoms: list[Atom], rules: Iterable[Rule]) -> Coverage:
    """Rules that tell atoms apart, or else those that cover any, with what they cover."""
    known = [(rule, {atom for atom in atoms if covers(task, rule, atom)}) for rule in rules]
    known = [(rule, covered) for rule, covered in known if covered]
    return [(rule, covered) for rule, covered in known if len(covered) < len(atoms)] or known


def _random_labels(rng: random.Random, atoms: list[Atom]) -> tuple[list[Example], list[Example]]:
    heavy = rng.choice((1, 3, 10))
    sides: tuple[list[Example], list[Example]] = ([], [])
    for atom in atoms:
        sides[_chance(rng, 0.4)].append((atom, rng.randint(1, heavy)))
    return sides


def _hidden_program(
    rng: random.Random, task: SmallTask, atoms: list[Atom], known: Coverage
) -> tuple[list[Example], list[Example]]:
    """Positives are what one to three rules cover, with weights that pay for the rules or just do not."""
    chosen = _apart(rng, known, rng.choices((1, 2, 3), (1, 4, 4))[0])
    covered = set().union(*(part for _, part in chosen))
    positives = []
    for number, (rule, part) in enumerate(chosen):
        own = part.difference(*(other for _, other in chosen[:number]))
        positives += _shared_out(rng, own, _worth(task, task.weights[0] * rule.size + rng.randint(-1, 9)))
    return positives, [(atom, rng.randint(1, 6)) for atom in atoms if atom not in covered]


def _near_misses(
    rng: random.Random, task: SmallTask, atoms: list[Atom], known: Coverage
) -> tuple[list[Example], list[Example]]:
    """Negatives are what a rule with some literals fewer would cover: only long rules will do."""
    long = [item for item in known if item[0].size > 2] or known
    chosen = _apart(rng, long, rng.randint(1, 3))
    covered = set().union(*(part for _, part in chosen))
    misses: set[Atom] = set()
    for rule, _ in chosen:
        for literal in rule.body:
            shorter = rule._replace(body=tuple(other for other in rule.body if other != literal))
            misses.update(atom for atom in atoms if atom not in covered and covers(task, shorter, atom))
    positives = []
    for number, (rule, part) in enumerate(chosen):
        own = part.difference(*(other for _, other in chosen[:number]))
        positives += _shared_out(rng, own, _worth(task, task.weights[0] * rule.size + rng.randint(0, 6)))
    return positives, [(atom, rng.randint(1, 4)) for atom in sorted(misses)]


def _shared_false_positives(
    rng: random.Random, task: SmallTask, atoms: list[Atom], known: Coverage
) -> tuple[list[Example], list[Example]] | None:
    """Rules that cover the same negatives: each alone may cost more than it brings, and all together less."""
    for _ in range(20):
        chosen = rng.sample(known, min(len(known), rng.randint(2, 3)))
        shared = set.intersection(*(part for _, part in chosen))
        owns = [
            part.difference(*(other for number, (_, other) in enumerate(chosen) if number != index))
            for index, (_, part) in enumerate(chosen)
        ]
        if len(chosen) < 2 or not shared or not all(owns):
            continue
        negatives = [(atom, rng.randint(1, 4)) for atom in sorted(shared)]
        size_weight, fp_weight, _ = task.weights
        debt = fp_weight * sum(weight for _, weight in negatives)
        first_pays = _chance(rng, 0.5)  # and the others come cheap; or else nobody pays alone
        positives = []
        for index, ((rule, _), own) in enumerate(zip(chosen, owns, strict=True)):
            share = (debt if index == 0 else 0) if first_pays else -(-debt // len(chosen))
            worth = size_weight * rule.size + share + rng.randint(0, 2)
            positives += _shared_out(rng, own, _worth(task, worth))
        # What none of them covers keeps wider rules away.
        covered = set().union(*(part for _, part in chosen))
        outside = [(atom, rng.randint(1, 6)) for atom in atoms if atom not in covered]
        return positives, negatives + outside[: max(0, MOST_EXAMPLES - len(negatives))]
    return None


def _apart(rng: random.Random, known: Coverage, count: int) -> Coverage:
    """Some rules, each covering an atom that those before it do not, as far as such are found; narrow ones first."""
    chosen: Coverage = []
    covered: set[Atom] = set()
    widest = max(len(part) for _, part in known)
    for rule, part in sorted(rng.sample(known, len(known)), key=lambda item: len(item[1]) > widest // 2):
        if not part <= covered:
            chosen.append((rule, part))
            covered |= part
        if len(chosen) == count:
            break
    return chosen


def _worth(task: SmallTask, cost: int) -> int:
    """The weight of positives that a program of this cost has to cover to pay."""
    return max(1, -(-cost // task.weights[2]))


def _shared_out(rng: random.Random, atoms: Iterable[Atom], total: int) -> list[Example]:
    """A weight, shared out among atoms, at least 1 for each."""
    atoms = sorted(atoms)
    if not atoms:
        return []
    rng.shuffle(atoms)
    chosen = atoms[: rng.randint(1, min(len(atoms), MOST_EXAMPLES // 2))]
    weights = [1] * len(chosen)
    for _ in range(total - len(chosen)):
        weights[rng.randrange(len(chosen))] += 1
    return list(zip(chosen, weights, strict=True))


def _with_noise(
    rng: random.Random, positives: list[Example], negatives: list[Example]
) -> tuple[list[Example], list[Example]]:
    """Some examples change sides, some stand on both, some change their weight."""
    positives, negatives = list(positives), list(negatives)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        source, target = (positives, negatives) if _chance(rng, 0.5) else (negatives, positives)
        if not source:
            continue
        index = rng.randrange(len(source))
        atom, weight = source[index]
        kind = rng.randrange(3)
        if kind == 0:
            target.append(source.pop(index))
        elif kind == 1:
            target.append((atom, rng.randint(1, weight)))
        else:
            source[index] = (atom, rng.randint(1, 6))
    return positives, negatives


def _listed(rng: random.Random, examples: list[Example]) -> list[Example]:
    """At most `MOST_EXAMPLES` lines; where there is room, some weights become examples listed more than once."""
    examples = rng.sample(examples, min(len(examples), MOST_EXAMPLES))
    room = MOST_EXAMPLES - len(examples)
    style = rng.random()  # weights as they are, or split in two, or as many lines of weight 1 as fit
    listed: list[Example] = []
    for atom, weight in examples:
        lines = 1 if style < 0.4 else 2 if style < 0.6 else weight
        lines = min(lines, weight, 1 + room)
        room -= lines - 1
        listed += [(atom, 1)] * (lines - 1) + [(atom, weight - lines + 1)]
    if _chance(rng, 0.3):
        rng.shuffle(listed)
    return listed


# What comes out


def answer(task: SmallTask) -> tuple[int, Program] | None:
    return optimum_exact(task) if task.exact else optimum(task)


def statistics(tasks: Iterable[SmallTask]) -> Counter[str]:
    """How many tasks have an empty answer, one rule, more; and in how many a part of the bias decides the cost."""
    counts: Counter[str] = Counter()
    for task in tasks:
        mode = "exact" if task.exact else "cost"
        found = answer(task)
        rules = "no solution" if found is None else f"{min(len(found[1]), 3)} rules"
        counts.update(["tasks", mode, f"{mode}: {rules}"])
        if found is not None and any(rule.size > 2 for rule in found[1]):
            counts["a rule of two or more body literals in the answer"] += 1
        weaker = {
            "types": (task.types, replace(task, types=None, one_of_type=())),
            "directions": (task.directions, replace(task, directions=None)),
            "singletons forbidden": (not task.singletons, replace(task, singletons=True)),
            "one of a type": (task.one_of_type, replace(task, one_of_type=())),
            "non_datalog": (task.non_datalog, replace(task, non_datalog=False)),
        }
        for name, (used, other) in weaker.items():
            if used:
                counts[f"{name}: used"] += 1
                counts[f"{name}: changes the least cost"] += _least(found) != _least(answer(other))
    return counts


def _least(found: tuple[int, Program] | None) -> int | None:
    return None if found is None else found[0]


if __name__ == "__main__":
    generator = random.Random(0)
    for line, number in sorted(statistics(random_task(generator) for _ in range(int(sys.argv[1]))).items()):
        print(f"{number:6} {line}")
