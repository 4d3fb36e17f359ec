"""`learn --weights auto`: weights chosen by cross-validation on the training examples alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from maxsynth.bench.domains.catalogue import make
from maxsynth.bench.domains.minimal_decay import GAME
from maxsynth.cli import main
from maxsynth.cross_validation import CANDIDATES, FOLDS, choose_weights, fold_of_each
from maxsynth.report import evaluate_program
from maxsynth.search.loop import Search, Settings
from maxsynth.search.weighing import Weights
from maxsynth.task import Task

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def decay(tmp_path: Path) -> Path:
    """A task with so few examples that the rules of the game do not pay."""
    GAME.make(seed=1000).write(tmp_path / "decay")
    return tmp_path / "decay"


def test_folds_are_even_and_always_the_same() -> None:
    for count in (5, 12, 101):
        folds = fold_of_each(count, FOLDS, 1)
        assert np.array_equal(folds, fold_of_each(count, FOLDS, 1))
        assert not np.array_equal(folds, fold_of_each(count, FOLDS, 2))
        sizes = np.bincount(folds, minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 1


def test_it_recovers_what_the_default_weights_lose(decay: Path) -> None:
    task, test = Task.from_folder(decay), Task.from_folder(decay, test=True)

    def accuracy(weights: Weights) -> float:
        program = Search(task, Settings(weights)).run().program
        assert program is not None
        return evaluate_program(program, test).confusion.balanced_accuracy or 0.0

    choice = choose_weights(task, Settings())
    assert [score.weights for score in choice.scores] == list(CANDIDATES)
    assert choice.weights != Weights()
    assert accuracy(choice.weights) > accuracy(Weights())
    again = choose_weights(task, Settings())
    assert again.scores == choice.scores


def test_few_examples_are_dealt_several_times(decay: Path, tmp_path: Path) -> None:
    """Each time, every example is predicted once."""
    task = Task.from_folder(decay)
    assert len(task.positives) < 12
    choice = choose_weights(task, Settings(), candidates=CANDIDATES[:1])
    counts = choice.scores[0].confusion
    assert choice.deals == 5
    assert counts.tp + counts.fn == 5 * len(task.positives)
    assert counts.fp + counts.tn == 5 * len(task.negatives)
    make("zendo1-0", 0, 1, test=20).write(tmp_path / "zendo")
    assert choose_weights(Task.from_folder(tmp_path / "zendo"), Settings(), candidates=CANDIDATES[:1]).deals == 1


def test_between_equals_the_default_wins(tmp_path: Path) -> None:
    made = make("zendo1-0", 0, 1, test=20)
    made.write(tmp_path / "zendo")
    choice = choose_weights(Task.from_folder(tmp_path / "zendo"), Settings(), candidates=CANDIDATES[:2])
    assert choice.weights == Weights()


def test_the_test_set_is_not_looked_at(decay: Path) -> None:
    before = choose_weights(Task.from_folder(decay), Settings())
    for path in (decay / "test").iterdir():
        path.write_text("broken(")
    assert choose_weights(Task.from_folder(decay), Settings()).scores == before.scores


def test_the_command_says_what_it_chose(decay: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["learn", str(decay), "--weights", "auto", "--json", str(tmp_path / "result.json")]) == 0
    out, err = capsys.readouterr()
    result = json.loads((tmp_path / "result.json").read_text())
    chosen = result["settings"]["weights"]
    assert f"s: {','.join(map(str, chosen))}\n" in err
    assert err.count("in cross-validation\n") == len(CANDIDATES)
    tried = result["settings"]["weights_auto"]["tried"]
    best = max(tried, key=lambda entry: entry["balanced_accuracy"])
    assert (best["weights"], len(tried)) == (chosen, len(CANDIDATES))
    assert result["seconds"]["weights"] > 0
    assert out == "".join(f"{rule}\n" for rule in result["program"])
    assert main(["verify", str(tmp_path / "result.json")]) == 0


def test_a_time_limit_counts_for_all_of_it(decay: Path, capsys: Capture) -> None:
    assert main(["learn", str(decay), "--weights", "auto", "--timeout", "0"]) == 0
    out, err = capsys.readouterr()
    assert out == "% the empty program\n"
    assert "searches cut)" in err
    assert "timeout: cost" in err


@pytest.fixture
def one_way(tmp_path: Path) -> Path:
    """A child of an owl is one. The bias goes from a parent to its children only, so no rule in it tells."""
    birds = range(60)
    owls = [bird for bird in birds if bird % 3]
    folder = tmp_path / "one_way"
    folder.mkdir()
    (folder / "bias.pl").write_text(
        "head_pred(f,1).\nbody_pred(parent,2).\nbody_pred(owl,1).\nbody_pred(old,1).\n"
        "direction(f,(in,)).\ndirection(parent,(in,out)).\ndirection(owl,(in,)).\ndirection(old,(in,)).\n"
        "max_vars(2).\nmax_body(2).\n"
    )
    facts = [f"parent(p{bird},c{bird}). old(c{bird * 7 % 60 // 2})." for bird in birds]
    (folder / "bk.pl").write_text("\n".join([*facts, *(f"owl(p{bird})." for bird in owls)]) + "\n")
    (folder / "exs.pl").write_text("".join(f"{'pos' if bird in owls else 'neg'}(f(c{bird})).\n" for bird in birds))
    return folder


def test_it_says_when_directions_are_what_keeps_out_better_rules(
    one_way: Path, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "result.json"
    assert main(["learn", str(one_way), "--weights", "auto", "--json", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "balanced accuracy 100.0% in cross-validation without directions" in err
    assert "--ignore-directions allows them" in err
    assert json.loads(file.read_text())["settings"]["weights_auto"]["without_directions"] == 1.0
    assert "parent" not in out  # the bias is still what was asked for
    assert main(["learn", str(one_way), "--weights", "auto", "--ignore-directions"]) == 0
    out, err = capsys.readouterr()
    assert out == "f(A) :- parent(B,A), owl(B).\n"
    assert "without directions" not in err


def test_it_says_nothing_where_rules_need_directions(one_way: Path, capsys: Capture) -> None:
    with (one_way / "bk.pl").open("a") as file:
        file.write("old(X) :- owl(X), parent(X,X).\n")
    assert choose_weights(Task.from_folder(one_way), Settings()).undirected is None
    assert main(["learn", str(one_way), "--weights", "auto"]) == 0
    assert "--ignore-directions" not in capsys.readouterr().err


def test_directions_that_do_no_harm_are_not_blamed(one_way: Path) -> None:
    """With a predicate that goes the other way, the same rule is in both spaces."""
    bk = (one_way / "bk.pl").read_text()
    (one_way / "bk.pl").write_text(bk + "".join(f"child(c{bird},p{bird}).\n" for bird in range(60)))
    with (one_way / "bias.pl").open("a") as file:
        file.write("body_pred(child,2).\ndirection(child,(in,out)).\n")
    choice = choose_weights(Task.from_folder(one_way), Settings())
    assert choice.undirected is not None
    assert choice.undirected.value == choice.scores[0].value == 1.0
    assert not choice.better_undirected


@pytest.mark.parametrize("given", [["--exact"], []])
def test_where_there_is_nothing_to_choose(given: list[str], tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bias.pl").write_text("head_pred(f,1).\nbody_pred(p,1).\n")
    (tmp_path / "bk.pl").write_text("p(a).\n")
    (tmp_path / "exs.pl").write_text("pos(f(a)).\n")
    assert main(["learn", str(tmp_path), "--weights", "auto", *given]) == 2
    complaint = "has no use for --weights auto" if given else "too few examples to choose weights from"
    assert complaint in capsys.readouterr().err
