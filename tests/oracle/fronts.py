"""The front of a small task, by listing all of its programs: for every size the fewest errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .brute_force import _Atoms, _coverages, all_rules
from .calling import calling_programs, least_model, size_of
from .small_task import SmallTask


def front_of(task: SmallTask, most: int) -> list[int]:
    """For each size up to `most` the fewest errors of sets of rules, by weight."""
    atoms = _Atoms(task)
    rules = [(covered, rule.size) for covered, rule in _coverages(task, atoms, all_rules(task)).items()]
    return fewest(task, atoms, smallest_unions(rules, most), most)


def calling_front_of(task: SmallTask, most: int) -> list[int]:
    """The same with programs that call themselves besides."""
    atoms = _Atoms(task)
    errors = front_of(task, most)
    constants = sorted({value for _, args in task.facts for value in args} | {v for args in atoms.args for v in args})
    found = []
    for program in calling_programs(task):
        if size_of(program) <= most:
            model = least_model(task, program, constants)
            covered = sum(1 << bit for bit, args in enumerate(atoms.args) if args in model)
            found.append((covered, size_of(program)))
    return [min(pair) for pair in zip(errors, fewest(task, atoms, found, most), strict=True)]


def smallest_unions(rules: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """All that sets of rules cover, with the least size for it."""
    reached = {0: 0}
    for covered, size in rules:
        for before, paid in list(reached.items()):
            if paid + size <= most and paid + size < reached.get(before | covered, most + 1):
                reached[before | covered] = paid + size
    return list(reached.items())


def fewest(task: SmallTask, atoms: _Atoms, programs: Iterable[tuple[int, int]], most: int) -> list[int]:
    _, fp_weight, fn_weight = task.weights
    errors = [fn_weight * atoms.false_negatives(0)] * (most + 1)
    for covered, size in programs:
        now = fp_weight * atoms.false_positives(covered) + fn_weight * atoms.false_negatives(covered)
        for larger in range(size, most + 1):
            errors[larger] = min(errors[larger], now)
    return errors
