"""Confident learning, as cleanlab does it: labels that a model of one table finds improbable.

The probabilities of a row are those of a model that was fitted to other folds, so no row speaks for itself.
`find_label_issues` takes them with its defaults, as `CleanLearning` does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from compared.joined import Numbers
from compared.learners import Labels

FOLDS = 5  # as CleanLearning has it
SEED = 1


def forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=SEED)


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))


MODELS: dict[str, Callable[[], Any]] = {"forest": forest, "logistic": logistic}


def label_issues(model: Callable[[], Any], rows: Numbers, labels: Labels) -> Labels:
    """Which rows it takes to have a wrong label."""
    from cleanlab.filter import find_label_issues
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    count = min(FOLDS, int(labels.sum()), int((~labels).sum()))
    folds = StratifiedKFold(count, shuffle=True, random_state=SEED)
    whole = make_pipeline(SimpleImputer(keep_empty_features=True), model())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shares = cross_val_predict(whole, rows, labels.astype(int), cv=folds, method="predict_proba")
        return np.asarray(find_label_issues(labels.astype(int), shares, n_jobs=1), bool)
