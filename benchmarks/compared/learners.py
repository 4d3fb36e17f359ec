"""Learners of one table: fitted to some rows, asked about others. Each is there if its package is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from compared.joined import Numbers

if TYPE_CHECKING:
    import pandas as pd

Labels = NDArray[np.bool_]
Learner = Callable[[Numbers, Labels, Numbers], Labels]  # rows and labels to learn from, rows to be asked about

PACKAGES = {
    "sklearn": "scikit-learn",
    "wittgenstein": "wittgenstein",
    "pystreed": "pystreed",
    "cleanlab": "cleanlab",
    "pandas": "pandas",
}
SEED = 1


def tree(depth: int | None) -> Learner:
    def learn(rows: Numbers, labels: Labels, asked: Numbers) -> Labels:
        from sklearn.tree import DecisionTreeClassifier

        fitted = DecisionTreeClassifier(max_depth=depth, random_state=SEED).fit(rows, labels)
        return np.asarray(fitted.predict(asked), bool)

    return learn


def ripper(rows: Numbers, labels: Labels, asked: Numbers) -> Labels:
    """Rules for the rarer class, as RIPPER has it; columns with many values are cut into ten, as the package does."""
    rarer = bool(labels.mean() <= 0.5)
    fitted = fit_ripper(rows, labels == rarer)
    return np.asarray(fitted.predict(frame(asked)), bool) == rarer


def fit_ripper(rows: Numbers, labels: Labels) -> Any:
    import wittgenstein

    table = frame(rows).assign(label=labels.astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = wittgenstein.RIPPER(random_state=SEED)
        fitted.fit(table, class_feat="label", pos_class=1)
    return fitted


def frame(rows: Numbers) -> pd.DataFrame:
    """With columns named by their places; RIPPER takes no missing values."""
    import pandas as pd

    return pd.DataFrame(np.nan_to_num(rows, nan=-1e9), columns=[f"c{place}" for place in range(rows.shape[1])])


def missing(*modules: str) -> str:
    """How to get what is not there; empty if all is."""
    absent = [PACKAGES[module] for module in modules if find_spec(module) is None]
    return f"pip install {' '.join(absent)}, or pip install 'maxsynth[compare]'" if absent else ""


def accuracy_of(learner: Learner, rows: Numbers, labels: Labels, held_out: Labels) -> int:
    """How many of the held-out rows it gets right."""
    predicted = learner(rows[~held_out], labels[~held_out], rows[held_out])
    return int((predicted == labels[held_out]).sum())
