"""What scikit-learn asks of every estimator: all of its checks, and none is expected to fail."""

import warnings
from typing import Any

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from maxsynth.sklearn import RuleClassifier


@parametrize_with_checks([RuleClassifier(steps=60)])
def test_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.slow
def test_checks_with_the_defaults() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(RuleClassifier(), on_skip=None)
    assert [one["check_name"] for one in found if one["status"] not in ("passed", "skipped")] == []
