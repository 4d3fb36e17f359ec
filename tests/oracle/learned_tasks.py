"""Small random tasks with constants and numbers, made so that each boundary between values matters.

Few values are shared by many things, so that examples of both kinds meet at the same number; labels come from hidden
rules with weights that just about pay for them, and examples at the next number are often on the other side.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from .brute_force import SpaceTooLargeError
from .learned_rules import Coverage, LearnedRule
from .learned_task import LearnedTask, value
from .small_task import Atom, Example

MOST_ATOMS = 14
MOST_BODIES = 1000

# The values of a type of numbers: such as are compared exactly, or not at all.
VALUES = (
    ("0", "1", "2", "3", "4"),
    ("0", "1", "2", "3", "4", "5", "6", "7"),
    ("-2", "-1", "0", "1", "2"),
    ("0.5", "1.0", "1.5", "2.0"),
    ("-1.5", "-1", "0.0", "0.25", "3"),
    ("1", "1.0", "2", "2.0", "3"),
    ("2", "2.0", "1.9", "2.1", "-2"),
    ("9007199254740992", "9007199254740993", "9007199254740994", "9007199254740992.0", "9007199254740994.0"),
    ("-9007199254740993", "-9007199254740992", "9007199254740993", "0", "9007199254740994.0"),
    ("100000000000000000000", "100000000000000000001", "3", "-100000000000000000001"),
    ("0.1", "0.2", "0.3", "0.30000000000000004"),
)
STRANGE = ("none", "a", "red")  # no numbers, but of a type that has some
COLORS = ("red", "blue", "green")


def random_learned_task(
    rng: random.Random, *, most_bodies: int = MOST_BODIES, some_untyped: float = 0.1
) -> LearnedTask:
    """A task of the generator `rng`, and of nothing else. `most_bodies` bounds its space."""
    while True:
        kind = rng.random()
        if kind < 0.15:
            task, atoms = _with_sums(rng)
        elif kind < 0.25:
            task, atoms = _with_many_tests(rng)
        else:
            task, atoms = _world(rng, some_untyped)
        if not (task.body or task.numbers or task.only or task.compared):
            continue
        try:
            smallest = Coverage(task, atoms, most_bodies).list_all()
        except SpaceTooLargeError:
            continue
        if len(smallest) >= 4 or rng.random() < 0.05:
            return _labelled(rng, task, atoms, smallest)


def _chance(rng: random.Random, share: float) -> bool:
    return rng.random() < share


# -- bias and facts -----------------------------------------------------------------------------------------


def _world(rng: random.Random, some_untyped: float) -> tuple[LearnedTask, list[Atom]]:
    """A task without examples, and the atoms that examples may be about."""
    pools = {
        "e": [f"e{i}" for i in range(rng.randint(2, 7))],
        "n": _numbers(rng),
        "c": list(COLORS[: rng.randint(2, 3)]),
    }
    if _chance(rng, 0.25):
        pools["m"] = _numbers(rng) if _chance(rng, 0.5) else list(pools["n"])
    head = ("f", rng.choices((1, 2), (3, 2))[0])
    count = rng.choices((0, 1, 2, 3), (1, 6, 6, 3))[0]
    body = [(f"p{i}", rng.choices((1, 2, 3), (1, 5, 1))[0]) for i in range(count)]
    types = {}
    for name, arity in (head, *body):
        first = "e" if _chance(rng, 0.8) else rng.choice(list(pools))
        types[name] = (first, *rng.choices(["n", *pools], k=arity - 1))
    if not body or (all("n" not in row for row in types.values()) and _chance(rng, 0.8)):
        place = rng.randrange(head[1])
        types["f"] = tuple("n" if i == place else type_ for i, type_ in enumerate(types["f"]))
    directions = _directions(rng, head, body) if _chance(rng, 0.4) else None
    used = sorted({type_ for row in types.values() for type_ in row})
    atoms = list(itertools.product(*(pools[type_] for type_ in types["f"])))
    atoms = rng.sample(atoms, min(len(atoms), MOST_ATOMS))
    task = LearnedTask(
        head=head,
        body=body,
        max_vars=max(rng.choices((1, 2, 3, 4), (1, 5, 6, 2))[0], *(arity for _, arity in (head, *body))),
        max_body=rng.choices((1, 2, 3), (1, 4, 4))[0],
        facts=_facts(rng, body, types, pools),
        positives=[(atom, 1) for atom in atoms],
        types=_some_of(rng, types) if _chance(rng, some_untyped) else types,
        directions=directions,
        singletons=_chance(rng, 0.75),
        non_datalog=_chance(rng, 0.15),
        weights=(1, 1, 1) if _chance(rng, 0.7) else (rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)),
        exact=_chance(rng, 0.15),
        other_names=_chance(rng, 0.3),
    )  # fmt: skip
    declared = sorted({type_ for row in (task.types or {}).values() for type_ in row})
    _learned(rng, task, [type_ for type_ in used if type_ in declared], pools)
    # A variable of no type that is compared: whether it counts as of the type of the numbers is not said anywhere.
    if declared and task.types == types and _chance(rng, 0.1):
        task.one_of_type = (rng.choice(declared),)
    return task, atoms


def _with_sums(rng: random.Random) -> tuple[LearnedTask, list[Atom]]:
    """Things with two numbers, or pairs of numbers, that are added: a space that is rare among the others."""
    values = rng.choice([values for values in VALUES if len(values[0]) < 4])
    numbers = rng.sample(values, rng.randint(3, min(5, len(values))))
    things = [f"e{i}" for i in range(rng.randint(5, 8))]
    body, types = rng.choice(
        (
            ([("p0", 3)], {"f": ("e",), "p0": ("e", "n", "n")}),
            ([("p0", 2), ("p1", 2)], {"f": ("e",), "p0": ("e", "n"), "p1": ("e", "n")}),
            ([("p0", 1)], {"f": ("n", "n"), "p0": ("n",)}),
            ([("p0", 2)], {"f": ("e", "n"), "p0": ("e", "n")}),
        )
    )
    head = ("f", len(types["f"]))
    pools = {"e": things, "n": numbers}
    atoms = list(itertools.product(*(pools[type_] for type_ in types["f"])))
    atoms = rng.sample(atoms, min(len(atoms), MOST_ATOMS))
    task = LearnedTask(
        head=head,
        body=body,
        max_vars=4 if types["f"] == ("e",) else 3,
        max_body=rng.choice((2, 3)) if len(body) == 1 else 3,
        facts=_facts(rng, body, types, pools),
        positives=[(atom, 1) for atom in atoms],
        types=types,
        directions={name: ("in",) * len(row) if name == "f" else ("in", "out", "out")[: len(row)]
                    for name, row in types.items()} if _chance(rng, 0.4) else None,
        singletons=_chance(rng, 0.7),
        exact=_chance(rng, 0.1),
        only={"+": "n"},
        numbers=("n",) if _chance(rng, 0.8) else (),
        compared=("n",) if _chance(rng, 0.3) else (),
    )  # fmt: skip
    return task, atoms


def _with_many_tests(rng: random.Random) -> tuple[LearnedTask, list[Atom]]:
    """Things with several rows of two numbers, of which up to three comparisons in a rule leave few."""
    numbers = _numbers(rng)
    things = [f"e{i}" for i in range(rng.randint(6, 10))]
    pairs = list(itertools.product(numbers, repeat=2))
    facts = [("p0", (one, *pair)) for one in things for pair in rng.sample(pairs, min(len(pairs), rng.randint(1, 3)))]
    alone = _chance(rng, 0.25)  # the numbers are those of the example itself
    task = LearnedTask(
        head=("f", 2 if alone else 1),
        body=[] if alone else [("p0", 3)],
        max_vars=3,
        max_body=rng.choice((3, 4)) if not alone else rng.choice((2, 3, 4)),
        facts=[] if alone else facts,
        positives=[],
        types={"f": ("n", "n")} if alone else {"f": ("e",), "p0": ("e", "n", "n")},
        directions=({"f": ("in", "in")} if alone else {"f": ("in",), "p0": ("in", "out", "out")})
        if _chance(rng, 0.4)
        else None,
        singletons=_chance(rng, 0.8),
        weights=(1, 1, 1) if _chance(rng, 0.8) else (1, rng.randint(1, 3), rng.randint(1, 3)),
        exact=_chance(rng, 0.15),
        most_numbers=rng.choice((1, 2, 3)) if _chance(rng, 0.2) else None,
    )
    if _chance(rng, 0.7):
        task.numbers = ("n",)
    else:
        task.only = {">=": "n", "=<": "n"}
        task.bounds = {comparison: _bounds(rng, {"n": numbers}) for comparison in task.only if _chance(rng, 0.5)}
    atoms: list[Atom] = pairs if alone else [(one,) for one in things]
    return task, rng.sample(atoms, min(len(atoms), MOST_ATOMS))


def _some_of(rng: random.Random, types: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: row for name, row in types.items() if not _chance(rng, 0.4)}


def _numbers(rng: random.Random) -> list[str]:
    values = rng.choice(VALUES)
    found = rng.sample(values, min(len(values), rng.randint(2, 6)))
    return [*found, *rng.sample(STRANGE, 1)] if _chance(rng, 0.15) else found


def _directions(
    rng: random.Random, head: tuple[str, int], body: Sequence[tuple[str, int]]
) -> dict[str, tuple[str, ...]]:
    def ways(arity: int, inputs: float) -> tuple[str, ...]:
        return tuple("in" if _chance(rng, inputs) else "out" for _ in range(arity))

    return {head[0]: ways(head[1], 0.8)} | {
        name: ("in", *ways(arity - 1, 0.2)) if _chance(rng, 0.7) else ways(arity, 0.4) for name, arity in body
    }


def _facts(
    rng: random.Random,
    body: Sequence[tuple[str, int]],
    types: Mapping[str, Sequence[str]],
    pools: Mapping[str, Sequence[str]],
) -> list[tuple[str, tuple[str, ...]]]:
    """Most predicates give nearly all things a value or two at each place."""
    facts: list[tuple[str, tuple[str, ...]]] = []
    for name, _ in body:
        before = len(facts)
        rows = list(itertools.product(*(pools[type_] for type_ in types[name])))
        if _chance(rng, 0.6):
            firsts = pools[types[name][0]]
            for first in firsts:
                own = [row for row in rows if row[0] == first]
                facts += [(name, row) for row in rng.sample(own, min(len(own), rng.choice((0, 1, 1, 1, 2, 3))))]
        else:
            facts += [(name, row) for row in rng.sample(rows, min(len(rows), rng.randint(1, 12)))]
        if len(facts) == before:
            facts.append((name, rng.choice(rows)))
    if facts and _chance(rng, 0.1):
        facts.append(rng.choice(facts))
    return facts


def _learned(rng: random.Random, task: LearnedTask, used: list[str], pools: Mapping[str, Sequence[str]]) -> None:
    """Directives: where constants and numbers may stand."""
    numeric = [type_ for type_ in used if type_ in ("n", "m")]
    kind = rng.choice(("constants", "numbers", "numbers", "both"))
    if kind != "constants" and numeric:
        if _chance(rng, 0.6):
            task.numbers = tuple(rng.sample(numeric, rng.randint(1, len(numeric))))
        for comparison in (">=", "=<"):
            if _chance(rng, 0.3) or (not task.numbers and _chance(rng, 0.7)):
                task.only[comparison] = rng.choice(numeric)
                if _chance(rng, 0.4):
                    task.bounds[comparison] = _bounds(rng, pools)
        if _chance(rng, 0.3):
            task.compared = tuple(rng.sample(numeric, rng.randint(1, len(numeric))))
        if _chance(rng, 0.25):
            task.only["+"] = rng.choice(numeric)
        if _chance(rng, 0.2):
            task.most_numbers = rng.choice((1, 1, 2))
    if kind != "numbers" or not (task.numbers or task.only or task.compared):
        if used and _chance(rng, 0.7):
            task.constant_types = tuple(rng.sample(used, rng.randint(1, min(2, len(used)))))
        places = [(name, i + 1) for name, arity in task.body for i in range(arity)]
        if places and (not task.constant_types or _chance(rng, 0.3)):
            task.constant_places = tuple(rng.sample(places, rng.randint(1, min(2, len(places)))))


def _bounds(rng: random.Random, pools: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    numbers = [text for text in (*pools["n"], *pools.get("m", ())) if text not in STRANGE]
    numbers += ["0", "1", "2", "3", "1.5", "-1"]
    low, high = sorted(rng.choices(numbers, k=2), key=_value)
    return low, high


def _value(text: str) -> Fraction:
    found = value(text)
    assert found is not None
    return found


# -- examples -----------------------------------------------------------------------------------------------


def _labelled(
    rng: random.Random, task: LearnedTask, atoms: list[Atom], smallest: Mapping[int, LearnedRule]
) -> LearnedTask:
    useful = [(bits, rule) for bits, rule in smallest.items() if 0 < bits < (1 << len(atoms)) - 1]
    if not useful or _chance(rng, 0.15):
        positives, negatives = _at_random(rng, atoms)
    else:
        positives, negatives = _by_rules(rng, task, atoms, useful)
    if not task.exact or _chance(rng, 0.3):
        _add_noise(rng, positives, negatives)
    if _chance(rng, 0.04):
        negatives = []
    if _chance(rng, 0.03):
        positives, negatives = positives[:1], []
    if not positives:
        positives = [(rng.choice(atoms), 1)]
    return replace(task, positives=_listed(rng, positives), negatives=_listed(rng, negatives))


def _at_random(rng: random.Random, atoms: Iterable[Atom]) -> tuple[list[Example], list[Example]]:
    heavy = rng.choice((1, 3, 8))
    sides: tuple[list[Example], list[Example]] = ([], [])
    for atom in atoms:
        sides[_chance(rng, 0.4)].append((atom, rng.randint(1, heavy)))
    return sides


def _by_rules(
    rng: random.Random, task: LearnedTask, atoms: list[Atom], useful: list[tuple[int, LearnedRule]]
) -> tuple[list[Example], list[Example]]:
    """Positives are what one to three rules cover, as heavy as these, or nearly; large rules are more likely."""
    chosen: list[tuple[int, LearnedRule]] = []
    covered = 0
    sizes = [rule.size**2 * (5 if any(name in ("+", "<") for name, _ in rule.body) else 1) for _, rule in useful]
    for _ in range(rng.choices((1, 2, 3), (4, 4, 2))[0]):
        bits, rule = rng.choices(useful, sizes)[0]
        if bits & ~covered:
            chosen.append((bits & ~covered, rule))
            covered |= bits
    positives: list[Example] = []
    for bits, rule in chosen:
        own = [atom for number, atom in enumerate(atoms) if bits >> number & 1]
        worth = max(1, (task.weights[0] * rule.size + rng.randint(-1, 6)) // task.weights[2])
        weights = [1] * len(own)
        for _ in range(worth - len(own)):
            weights[rng.randrange(len(own))] += 1
        positives += zip(own, weights, strict=True)
    heavy = rng.choice((1, 2, 4))
    negatives = [(atom, rng.randint(1, heavy)) for number, atom in enumerate(atoms) if not covered >> number & 1]
    return positives, negatives


def _add_noise(rng: random.Random, positives: list[Example], negatives: list[Example]) -> None:
    """Some examples change sides, some stand on both, some are left out."""
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        source, target = (positives, negatives) if _chance(rng, 0.5) else (negatives, positives)
        if not source:
            continue
        at = rng.randrange(len(source))
        kind = rng.randrange(3)
        if kind == 0:
            target.append(source.pop(at))
        elif kind == 1:
            target.append((source[at][0], rng.randint(1, 3)))
        elif len(source) > 1:
            source.pop(at)


def _listed(rng: random.Random, examples: list[Example]) -> list[Example]:
    """Weights as they are, or as lines that say the same more than once."""
    if _chance(rng, 0.6):
        return examples
    lines = [(atom, 1) for atom, weight in examples for _ in range(weight)]
    rng.shuffle(lines)
    return lines
