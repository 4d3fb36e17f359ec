"""What scikit-learn asks of every estimator: all of its checks, and none is expected to fail."""

import subprocess
import sys
import warnings
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxsynth.sklearn import RuleClassifier


@parametrize_with_checks([RuleClassifier()])
def test_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_without_the_extra() -> None:
    program = "import sys; sys.modules['sklearn'] = None; from maxsynth.sklearn import RuleClassifier"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'maxsynth[sklearn]'" in run.stderr.splitlines()[-1]
