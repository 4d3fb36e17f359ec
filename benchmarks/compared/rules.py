"""What others learn from a table, as rules with tests of columns, so that it is counted as our programs are.

A rule is, for each column that it tests, a lower and an upper limit. Its size is counted as in a task of three files:
one for the head, one for each column, one for each limit. The cost of rules is their size and the errors that are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from compared.joined import Numbers
from compared.learners import Labels, fit_ripper, frame

Limits = dict[int, tuple[float, float]]  # column: above, at most
QUANTILES = 20  # at which an optimal tree may cut a column
SEED = 1


@dataclass(frozen=True)
class Rules:
    """Rules for a class, and how to ask whether a row is in it."""

    rules: list[Limits]
    asked: Any  # from rows to labels

    @property
    def size(self) -> int:
        return sum(1 + sum(1 + int(np.isfinite(limits).sum()) for limits in rule.values()) for rule in self.rules)


def narrowed(rule: Limits, column: int, above: float = -np.inf, at_most: float = np.inf) -> Limits:
    low, high = rule.get(column, (-np.inf, np.inf))
    return {**rule, column: (max(low, above), min(high, at_most))}


# -- trees --------------------------------------------------------------------------------------------------


def tree_rules(rows: Numbers, labels: Labels, depth: int) -> Rules:
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(max_depth=depth, random_state=SEED).fit(rows, labels)
    nodes = fitted.tree_

    def leaves(node: int, rule: Limits) -> Iterator[Limits]:
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left == right:
            if fitted.classes_[nodes.value[node].argmax()]:
                yield rule
            return
        column, cut = int(nodes.feature[node]), float(nodes.threshold[node])
        yield from leaves(left, narrowed(rule, column, at_most=cut))
        yield from leaves(right, narrowed(rule, column, above=cut))

    return Rules(list(leaves(0, {})), lambda asked: np.asarray(fitted.predict(asked), bool))


def optimal_tree_rules(rows: Numbers, labels: Labels, depth: int) -> Rules:
    """A tree with the fewest errors that trees of this depth have, where columns are cut at some of their values."""
    from pystreed import STreeDClassifier

    cuts = [
        (column, float(cut))
        for column in range(rows.shape[1])
        for cut in np.unique(np.quantile(rows[:, column], np.arange(1, QUANTILES) / QUANTILES))
    ]

    def binary(asked: Numbers) -> Any:
        return np.stack([asked[:, column] <= cut for column, cut in cuts], axis=1).astype(np.int32)

    fitted = STreeDClassifier(max_depth=depth, random_seed=SEED).fit(binary(rows), labels.astype(np.int32))

    def leaves(node: Any, rule: Limits) -> Iterator[Limits]:
        if node.is_leaf_node():
            if node.label:
                yield rule
            return
        column, cut = cuts[node.feature]
        yield from leaves(node.left_child, narrowed(rule, column, above=cut))  # where the test is not met
        yield from leaves(node.right_child, narrowed(rule, column, at_most=cut))

    return Rules(list(leaves(fitted.get_tree(), {})), lambda asked: np.asarray(fitted.predict(binary(asked)), bool))


# -- RIPPER -------------------------------------------------------------------------------------------------


def ripper_rules(rows: Numbers, labels: Labels) -> Rules:
    fitted = fit_ripper(rows, labels)
    rules = []
    for found in fitted.ruleset_.rules:
        rule: Limits = {}
        for test in found.conds:
            column = int(str(test.feature)[1:])
            rule = narrowed(rule, column, *limits_of(str(test.val)))
        rules.append(rule)
    return Rules(rules, lambda asked: np.asarray(fitted.predict(frame(asked)), bool))


def limits_of(text: str) -> tuple[float, float]:
    """Of a part of a column as the package writes it: `<12.5`, `>20.1`, `12.5-20.1`, or a value."""
    if text.startswith("<"):
        return -np.inf, float(text[1:])
    if text.startswith(">"):
        return float(text[1:]), np.inf
    low, dash, high = text.partition("-")
    return (float(low), float(high)) if dash and low else (float(text), float(text))
