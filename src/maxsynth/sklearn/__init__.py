"""Rules as a classifier of scikit-learn.

    from maxsynth.sklearn import RuleClassifier

    RuleClassifier().fit(X, y).rules_

What scikit-learn asks of an estimator is in `classifier`; the rest of the package knows nothing of it. It needs
packages that the core does without (`pip install 'maxsynth[sklearn]'`), so it is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxsynth.errors import MaxSynthError
from maxsynth.sklearn.extras import PIP

__all__ = ["RuleClassifier"]

if TYPE_CHECKING:
    from maxsynth.sklearn.classifier import RuleClassifier


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `maxsynth.sklearn` has no `{name}`")
    try:
        from maxsynth.sklearn import classifier
    except ImportError as error:
        raise MaxSynthError(f"RuleClassifier needs scikit-learn: {error}", remedy=PIP) from None
    globals()[name] = classifier.RuleClassifier  # found at once the next time
    return classifier.RuleClassifier


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
