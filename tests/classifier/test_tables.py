"""Further tables: rows of X are known by a key, and rules go from them to what refers to them."""

from typing import Any

import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from maxsynth.api.warnings import MaxSynthWarning
from maxsynth.sklearn import RuleClassifier

Drugs = tuple[pd.DataFrame, pd.Series, dict[str, pd.DataFrame]]


@pytest.fixture
def drugs() -> Drugs:
    """A drug is active if it has an atom of nitrogen with a charge above 0.5."""
    X = pd.DataFrame({"drug_id": range(100, 160), "weight": [float(i % 7) for i in range(60)]})
    atoms = pd.DataFrame(
        [
            (drug, ["c", "n", "o"][(drug * step) % 3], ((drug * 7 + step * 3) % 10) / 10)
            for drug in X["drug_id"]
            for step in (1, 2, 4)
        ],
        columns=["drug_id", "element", "charge"],
    )
    chosen = atoms[(atoms["element"] == "n") & (atoms["charge"] > 0.5)]["drug_id"]
    return X, X["drug_id"].isin(chosen).rename("active"), {"atoms": atoms}


def test_rules_go_to_other_tables(drugs: Drugs) -> None:
    X, y, tables = drugs
    classifier = RuleClassifier(rules_for=True).fit(X, y, tables=tables)
    assert classifier.score(X, y) == 1
    assert "atom" in classifier.rules_["condition"].iloc[0]
    assert "atoms" in classifier.export("sql")
    assert "atoms" in classifier.explain(X[y])[0]


def test_the_index_names_rows(drugs: Drugs) -> None:
    X, y, tables = drugs
    indexed = X.set_index("drug_id")
    classifier = RuleClassifier(rules_for=True).fit(indexed, y.to_numpy(), tables=tables)
    assert classifier.n_features_in_ == 1
    assert (classifier.predict(indexed) == y.to_numpy()).all()


def test_new_tables(drugs: Drugs) -> None:
    X, y, tables = drugs
    classifier = RuleClassifier(rules_for=True).fit(X, y, tables=tables)
    new = pd.DataFrame({"drug_id": [1, 2], "weight": [0.0, 0.0]})
    atoms = pd.DataFrame({"drug_id": [1, 2], "element": ["n", "c"], "charge": [0.9, 0.9]})
    assert classifier.predict(new, tables={"atoms": atoms}).tolist() == [True, False]
    assert classifier.predict(new).tolist() == [False, False]  # they have no atoms in the tables that were learned from


def test_keys_are_set(drugs: Drugs) -> None:
    X, y, tables = drugs
    renamed = {"atoms": tables["atoms"].rename(columns={"drug_id": "of"})}
    keys = {"rows": "drug_id", "atoms.of": "rows.drug_id"}
    assert RuleClassifier(rules_for=True).fit(X, y, tables=renamed, keys=keys).score(X, y) == 1
    with pytest.warns(MaxSynthWarning, match="nothing leads from X to the table atoms"):
        RuleClassifier(steps=30).fit(X, y, tables=renamed)


def test_cross_validation(drugs: Drugs) -> None:
    X, y, tables = drugs
    assert cross_val_score(RuleClassifier(rules_for=True), X, y, cv=3, params={"tables": tables}).mean() > 0.8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda X: X.assign(drug_id=[None, *X["drug_id"][1:]]), "drug_id is empty in row 1"),
        (lambda X: X.assign(drug_id=7), "names rows of X"),
    ],
)
def test_rows_without_a_name(drugs: Drugs, change: Any, said: str) -> None:
    X, y, tables = drugs
    classifier = RuleClassifier().fit(X.assign(weight=[float(one) for one in y]), y, tables=tables)
    with pytest.raises(ValueError, match=said):
        classifier.predict(change(X))


def test_no_tables(drugs: Drugs) -> None:
    X, y, tables = drugs
    with pytest.raises(ValueError, match="tables"):
        RuleClassifier().fit(X, y, tables=[tables["atoms"]])
    with pytest.raises(ValueError, match="one of them is called rows"):
        RuleClassifier().fit(X, y, tables={"rows": tables["atoms"]})
