"""Rules as a classifier: classes, missing values, weights, tables, and what is told of it."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from maxsynth.api.warnings import MaxSynthWarning
from maxsynth.errors import MaxSynthError
from maxsynth.sklearn import RuleClassifier


@pytest.fixture
def flowers() -> tuple[pd.DataFrame, pd.Series]:
    data = load_iris(as_frame=True)
    return data.data, data.target.map(dict(enumerate(data.target_names))).rename("species")


@pytest.fixture
def shop() -> pd.DataFrame:
    """Customers who leave: those from Bonn since 2021, with some that are empty."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "city": pd.Categorical(random.choice(["Bonn", "L'Aquila", "東京"], 120)),
            "since": pd.to_datetime("2019-01-01") + pd.to_timedelta(random.integers(0, 1500, 120), "D"),
            "member": random.random(120) < 0.5,
            "age": random.integers(18, 80, 120),
        }
    )
    frame["left"] = (frame["city"] == "Bonn") & (frame["since"] >= "2021-01-01")
    frame.loc[::17, "age"] = None
    return frame


def test_several_classes(flowers: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = flowers
    classifier = RuleClassifier().fit(X, y)
    assert classifier.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert classifier.score(X, y) > 0.95
    rules = classifier.rules_
    assert list(rules.columns) == ["class", "rule", "condition", "size", "covered", "precision"]
    assert rules["condition"].iloc[-1] == "otherwise"
    first = rules[rules["class"] == "setosa"].iloc[0]
    assert (first["covered"], first["precision"], first["size"]) == (50, 1.0, 2)
    assert first["condition"].startswith("its petal ")
    assert set(classifier.results_) == set(classifier.classes_)


def test_probabilities_are_shares_of_training_rows(flowers: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = flowers
    classifier = RuleClassifier().fit(X, y)
    shares = classifier.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (classifier.classes_[shares.argmax(axis=1)] == classifier.predict(X)).all()
    assert shares[0].tolist() == pytest.approx([51 / 53, 1 / 53, 1 / 53])  # 50 rows, and one more of each class


def test_values_of_all_kinds(shop: pd.DataFrame) -> None:
    X, y = shop.drop(columns="left"), shop["left"]
    classifier = RuleClassifier().fit(X, y)
    assert (classifier.predict(X) == y).all()
    rules = classifier.rules_
    assert len(classifier.results_) == 1  # of two classes, one says all
    assert "Bonn" in "".join(rules["condition"])
    assert "2021" in "".join(rules["condition"]) or "2020" in "".join(rules["condition"])
    new = pd.DataFrame({"city": ["Bonn", None], "since": pd.to_datetime(["2022-05-01", "2022-05-01"]), "member": True})
    new["age"] = None
    assert classifier.predict(new).tolist() == [True, False]


def test_frames_are_alike(shop: pd.DataFrame) -> None:
    X, y = shop.drop(columns="left"), shop["left"]
    text = X.assign(city=X["city"].astype(str))
    other = pl.DataFrame({name: text[name].tolist() for name in ("city", "since", "member")})
    classifier = RuleClassifier().fit(other, pl.Series("left", y.tolist()))
    assert list(classifier.feature_names_in_) == ["city", "since", "member"]
    assert (classifier.predict(other) == y.to_numpy()).all()
    assert classifier.rules_["rule"].tolist() == RuleClassifier().fit(X, y).rules_["rule"].tolist()
    objects = text[["city", "member"]].to_numpy()
    assert RuleClassifier().fit(objects, text["city"] == "Bonn").score(objects, text["city"] == "Bonn") == 1


def test_which_class_has_rules(shop: pd.DataFrame) -> None:
    X, y = shop[["city", "since"]], shop["left"]
    assert list(RuleClassifier(rules_for=True).fit(X, y).results_) == [True]
    assert list(RuleClassifier(rules_for=[False]).fit(X, y).results_) == [False]
    with pytest.raises(ValueError, match="rules_for: 'maybe' is no class"):
        RuleClassifier(rules_for="maybe").fit(X, y)


def test_the_order_of_rows_does_not_matter(shop: pd.DataFrame) -> None:
    X, y = shop.drop(columns="left"), shop["left"]
    order = np.random.default_rng(1).permutation(len(X))
    assert RuleClassifier().fit(X, y).rules_.equals(RuleClassifier().fit(X.iloc[order], y.iloc[order]).rules_)


@pytest.mark.parametrize("scale", [1, 0.5])
def test_weights_of_rows(scale: float) -> None:
    """Of rows that contradict each other, those count that weigh more; weights need not be whole numbers."""
    X = np.array([[0.0], [1.0]] * 20)
    y = np.array(["no", "yes"] * 10 + ["yes", "no"] * 10)
    first = np.where(np.arange(40) < 20, 3, 1) * scale
    classifier = RuleClassifier().fit(X, y, sample_weight=first)
    assert classifier.predict([[0.0], [1.0]]).tolist() == ["no", "yes"]
    assert classifier.fit(X, y, sample_weight=first[::-1]).predict([[0.0], [1.0]]).tolist() == ["yes", "no"]
    assert classifier.rules_["covered"].tolist() == [40 * scale, 40 * scale]
    assert classifier.rules_["precision"].tolist() == [0.75, 0.75]
    with pytest.raises(ValueError, match="sample_weight is negative"):
        classifier.fit(X, y, sample_weight=-first)


def test_nothing_to_learn_from() -> None:
    same = np.zeros((9, 2))
    classifier = RuleClassifier().fit(same, [0, 1, 1] * 3)
    assert classifier.predict(same).tolist() == [1] * 9
    assert classifier.predict_proba(same)[0].tolist() == pytest.approx([4 / 11, 7 / 11])
    assert classifier.explain(same[:1])[0].startswith("1, with probability 0.64:")
    with pytest.raises(MaxSynthError, match="no rules to export"):
        classifier.export("sql")


def test_a_column_that_is_the_class() -> None:
    X = pd.DataFrame({"copy": ["a", "b"] * 10, "class": range(20), "class=a": 1})
    with pytest.warns(MaxSynthWarning, match="leak\\? copy"):
        assert RuleClassifier().fit(X, X["copy"].tolist()).score(X, X["copy"]) == 1


def test_in_the_company_of_others(flowers: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = flowers
    pipeline = make_pipeline(SimpleImputer(), RuleClassifier(steps=100))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85
    search = GridSearchCV(RuleClassifier(steps=100), {"weights": [(1, 1, 1), (3, 1, 1)]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.85
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert (again.predict(X) == search.predict(X)).all()
    assert again.rules_.equals(search.best_estimator_.rules_)
    assert clone(again).get_params() == again.get_params()


def test_in_a_notebook(flowers: tuple[pd.DataFrame, pd.Series]) -> None:
    classifier = RuleClassifier()
    assert "its petal" not in classifier._repr_html_()
    classifier.fit(*flowers)
    assert "its petal" in classifier._repr_mimebundle_()["text/html"]


def test_telling(flowers: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = flowers
    classifier = RuleClassifier().fit(X, y)
    told = classifier.explain(X.iloc[[0, 149]])
    assert told[0].startswith("setosa, with probability 0.96:")
    assert "is covered" in told[0]
    assert "The species of a row is setosa\n  if its petal" in classifier.export("english")
    assert "SELECT" in classifier.export("sql", dialect="duckdb")


def test_before_it_is_fitted() -> None:
    with pytest.raises(NotFittedError):
        _ = RuleClassifier().rules_
    with pytest.raises(NotFittedError):
        RuleClassifier().export("sql")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"weights": (1, 1)}, "weights"),
        ({"steps": 0}, "steps"),
        ({"max_bins": "many"}, "max_bins"),
        ({"max_body": 0}, "max_body"),
        ({"timeout": -1}, "timeout"),
        ({"memory": "much"}, "memory"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RuleClassifier(**parameters).fit([[0], [1]], [0, 1])


def test_weights_chosen_by_cross_validation(shop: pd.DataFrame) -> None:
    X, y = shop[["city", "since"]], shop["left"]
    classifier = RuleClassifier(weights="auto", steps=2000, max_body=2, max_vars=3).fit(X, y)
    assert classifier.score(X, y) > 0.95
    with pytest.raises(ValueError, match="whole numbers as sample_weight"):
        classifier.fit(X, y, sample_weight=np.full(len(X), 0.7))


def test_errors_that_cost_more_on_one_side() -> None:
    """Where a row that is missed costs more than one wrongly covered, rules cover more, and so do predictions."""
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.array([False] * 40 + [True] * 15 + [False] * 25)
    even, wary = (RuleClassifier(weights=weights, rules_for=True).fit(X, y) for weights in ((1, 1, 1), (1, 1, 4)))
    assert even.predict([[1.0]]).tolist() == [False]
    assert wary.predict([[1.0]]).tolist() == [True]
    assert wary.rules_["precision"].iloc[0] == 15 / 40
