"""The estimator: what scikit-learn asks of one, and what rules have to say besides."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from maxsynth.api.warnings import warn
from maxsynth.background.python_terms import shown
from maxsynth.data.reading.keys import Keys
from maxsynth.data.tables import Data
from maxsynth.errors import MaxSynthError, listed
from maxsynth.sklearn import features
from maxsynth.sklearn.features import ROWS, InputError
from maxsynth.sklearn.learning import Effort, checked_effort, learn_classes
from maxsynth.sklearn.showing import explanations, exported, rules_frame, rules_html
from maxsynth.sklearn.verdicts import judge

if TYPE_CHECKING:
    import pandas

Tables = Mapping[str, Any]


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns rules for each class, of least cost: the weighted sum of their size and of their errors.

    Parameters
    ----------
    weights : three integers, or "auto", default=(1, 1, 1)
        What a literal of a rule costs, a row that the rules of a class cover wrongly, and a row that they miss. "auto"
        chooses by cross-validation.
    rules_for : class, list of classes, or None, default=None
        The classes to learn rules for; of the others is what no rule covers. None: all, and of two classes the one
        whose rules cost less.
    max_body, max_vars : int or None, default=6
        The most literals and variables in a rule. None for both: from small rules on, as far as they can be proven.
    max_bins : int or None, default=32
        The most numbers of a column that rules are learned from; where there are more, they are put into groups of
        about equal size. None: all numbers.
    steps : int or None, default=None
        The effort for each class, counted in steps of the search, so that the same rules are found on every machine.
        None: 1,000, which take seconds. With very many, it ends when the rules are proven to be the best.
    timeout : float or None, default=None
        The seconds that each class may take.
    memory : int, str or None, default=None
        The memory that the process may have, in bytes or as "2G".

    Attributes
    ----------
    classes_ : the classes.
    rules_ : the rules as a data frame, the most believed first.
    results_ : for each class that has rules, what was learned of it as a `maxsynth.Result`.
    n_features_in_, feature_names_in_ : the columns of X.
    """

    def __init__(
        self,
        *,
        weights: Any = (1, 1, 1),
        rules_for: Any = None,
        max_body: int | None = 6,
        max_vars: int | None = 6,
        max_bins: int | None = 32,
        steps: int | None = None,
        timeout: float | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.weights = weights
        self.rules_for = rules_for
        self.max_body = max_body
        self.max_vars = max_vars
        self.max_bins = max_bins
        self.steps = steps
        self.timeout = timeout
        self.memory = memory

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # -- learning -----------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, tables: Tables | None = None, keys: Keys | None = None
    ) -> RuleClassifier:
        """Learns from rows and their classes.

        - `X`: a data frame of pandas or polars, an Arrow table, or an array;
        - `y`: the class of each row;
        - `sample_weight`: how many times each row counts;
        - `tables`: further tables, by name, that refer to rows of X or that X refers to; they are kept for `predict`;
        - `keys`: what refers to what, as `maxsynth.Database` takes it, where X is `rows`: `{"atoms.drug": "rows.id"}`.
          Without it, a column that has another value in each row of X, and that a table has too, names the rows.
        """
        effort = self._effort()
        name = getattr(y, "name", None)
        X, y = self._checked(X, y)
        weights = checked_weights(sample_weight, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        data = features.linked(features.read(X, tables, keys, index=tables is not None))
        column = features.free_name(name if isinstance(name, str) and name else "class", data)
        classes = features.class_column(column, self.classes_, codes)
        data = features.with_rows(data, (*data.tables[ROWS].columns, classes))
        data, rows = features.in_order(data, np.flatnonzero(weights))
        codes, weights = codes[rows], weights[rows]
        names = {place: str(classes.values[place]) for place in self._wanted(codes)}
        programs, warnings = learn_classes(data, weights, column, names, effort)
        self._verdicts = judge(programs, data, codes, weights, len(self.classes_))
        self._tables = None if tables is None else self._verdicts.tables(data)
        self.results_ = {self.classes_[one.place]: one.result for one in programs}
        warn(warnings)
        return self

    def _effort(self) -> Effort:
        try:
            return checked_effort(
                self.weights, self.steps, self.timeout, self.memory, self.max_vars, self.max_body, self.max_bins
            )
        except MaxSynthError as error:
            raise InputError(error.message, error.position, error.remedy) from None

    def _checked(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """X and y as far as scikit-learn has something to say of them."""
        if features.is_frame(X):
            X, y = validate_data(self, X, y, skip_check_array=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        if not len(y):
            raise InputError("there are no rows", remedy="give at least one")
        return X, y

    def _wanted(self, codes: NDArray[Any]) -> list[int]:
        """The places of the classes to learn rules for, of those that some row has."""
        present: list[int] = np.unique(codes).tolist()
        known = self.classes_.tolist()
        asked = [self.rules_for] if np.ndim(self.rules_for) == 0 else list(self.rules_for)
        if self.rules_for is None:
            asked = known
        unknown = [one for one in asked if one not in known]
        if unknown:
            raise InputError(
                f"rules_for: {shown(unknown[0])} is no class", remedy=f"there are {listed(map(str, known))}"
            )
        return [place for place in present if known[place] in asked] if len(present) > 1 else []

    # -- predicting ---------------------------------------------------------------------------------------------

    def predict(self, X: Any, *, tables: Tables | None = None) -> NDArray[Any]:
        """The most probable class of each row; `tables` take the place of those that were learned from."""
        most = self.predict_proba(X, tables=tables).argmax(axis=1)
        found: NDArray[Any] = self.classes_[most]
        return found

    def predict_proba(self, X: Any, *, tables: Tables | None = None) -> NDArray[np.float64]:
        """For each row the probability of each class: its share of the training rows that the same rule speaks for."""
        speaking = self._asked(X, tables)[1]
        return np.array([one.probabilities for one in self._verdicts.ordered])[speaking]

    def explain(self, X: Any, *, tables: Tables | None = None) -> list[str]:
        """For each row its class, and why: the rule that speaks for it, or where each rule fails."""
        data, speaking = self._asked(X, tables)
        return explanations(self._verdicts, data, speaking, self.classes_)

    def _asked(self, X: Any, tables: Tables | None) -> tuple[Data, NDArray[np.int64]]:
        """New rows, and the number of the verdict that speaks for each."""
        check_is_fitted(self)
        if features.is_frame(X):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")
        data = features.read(X, tables, index=self._tables is not None)
        if tables is None and self._tables is not None:
            data = features.with_tables(data, self._tables)
        try:
            return data, self._verdicts.speaking(data)
        except MaxSynthError as error:
            raise InputError(error.message, error.position, error.remedy) from None

    # -- telling ------------------------------------------------------------------------------------------------

    @property
    def rules_(self) -> pandas.DataFrame:
        """The rules, the most believed first, and last what holds where none covers a row.

        `covered` counts the training rows that a rule covers, and `precision` is the share of its class among them.
        """
        check_is_fitted(self)
        return rules_frame(self._verdicts, self.classes_)

    def export(self, to: str, *, dialect: str | None = None) -> str:
        """The rules in another form, as `maxsynth.export` gives them: "sql", "python", "english" and others."""
        check_is_fitted(self)
        return exported(list(self.results_.values()), to, dialect)

    def _repr_html_(self) -> str:
        """As scikit-learn shows it, and the rules as a table."""
        shown_so: str = estimator_html_repr(self)
        return shown_so + rules_html(self.rules_) if hasattr(self, "_verdicts") else shown_so

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def checked_weights(given: Any, size: int) -> NDArray[np.float64]:
    """How many times each row counts."""
    if given is None or isinstance(given, Real):
        given = np.full(size, 1.0 if given is None else given)
    found: NDArray[np.float64] = check_array(given, dtype=np.float64, ensure_2d=False, input_name="sample_weight")
    if found.shape != (size,):
        raise InputError(f"sample_weight has the shape {found.shape}", remedy=f"give a number for each of {size} rows")
    if (found < 0).any() or not found.any():
        raise InputError("sample_weight is negative, or zero everywhere", remedy="give how many times each row counts")
    return found
