"""`learn --weights auto`: weights chosen by cross-validation on the training examples alone."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from maxsynth.bench.domains.catalogue import make
from maxsynth.bench.domains.minimal_decay import GAME
from maxsynth.cli import main
from maxsynth.commands import learn as learning
from maxsynth.commands.signals import Asked
from maxsynth.logic.programs import Program, parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.result import SearchResult
from maxsynth.search.settings import Settings
from maxsynth.search.weights import folds
from maxsynth.search.weights.cross_validation import CANDIDATES, Known, choose_weights
from maxsynth.search.weights.folds import FOLDS, fold_of_each
from maxsynth.task.task import ReadTask

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
    task, test = ReadTask.from_folder(decay), ReadTask.from_folder(decay, test=True)

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
    task = ReadTask.from_folder(decay)
    assert len(task.positives) < 12
    choice = choose_weights(task, Settings(), candidates=CANDIDATES[:1])
    counts = choice.scores[0].confusion
    assert choice.deals == 5
    assert counts.tp + counts.fn == 5 * len(task.positives)
    assert counts.fp + counts.tn == 5 * len(task.negatives)
    make("zendo1-0", 0, 1, test=20).write(tmp_path / "zendo")
    assert choose_weights(ReadTask.from_folder(tmp_path / "zendo"), Settings(), candidates=CANDIDATES[:1]).deals == 1


def test_between_equals_the_default_wins(tmp_path: Path) -> None:
    made = make("zendo1-0", 0, 1, test=20)
    made.write(tmp_path / "zendo")
    choice = choose_weights(ReadTask.from_folder(tmp_path / "zendo"), Settings(), candidates=CANDIDATES[:2])
    assert choice.weights == Weights()


def test_the_test_set_is_not_looked_at(decay: Path) -> None:
    before = choose_weights(ReadTask.from_folder(decay), Settings())
    for path in (decay / "test").iterdir():
        path.write_text("broken(")
    assert choose_weights(ReadTask.from_folder(decay), Settings()).scores == before.scores


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


# -- limits ---------------------------------------------------------------------------------------------------


def test_a_time_limit_counts_for_all_of_it(decay: Path, capsys: Capture) -> None:
    assert main(["learn", str(decay), "--weights", "auto", "--timeout", "0"]) == 0
    out, err = capsys.readouterr()
    assert out == "% the empty program\n"
    assert "after 0 of 8 candidates, too few to choose: the default weights are used\n" in err
    assert "timeout: cost" in err


class Clock:
    """Time that goes on only as a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def slow_searches(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Each search takes a second more than its limit, or two without one. Returns what they were given."""
    clock, given = Clock(monkeypatch), []

    class Slow(Search):
        def run(self) -> SearchResult:
            given.append(self.settings)
            result = super().run()
            clock.now += 2.0 if self.settings.timeout is None else self.settings.timeout + 1.0
            return result

    monkeypatch.setattr(folds, "Search", Slow)
    return given


@pytest.mark.parametrize(("timeout", "tried"), [(10.0, 0), (200.0, 2), (2000.0, 7)])
def test_half_of_the_time_is_left_whatever_the_searches_take(
    decay: Path, slow_searches: list[Settings], timeout: float, tried: int
) -> None:
    """They never get less than half a second; and so many are done as fit in."""
    said: list[str] = []
    task = ReadTask.from_folder(decay)
    choice = choose_weights(task, Settings(timeout=timeout), tell=said.append)
    assert choice.seconds <= timeout / 2 + 1.0
    assert [score.weights for score in choice.scores] == list(CANDIDATES[:tried])
    assert all(settings.timeout is not None and settings.timeout >= 0.5 for settings in slow_searches[:-1])
    cut = [text for text in said if "used up" in text]
    few = ", too few to choose: the default weights are used" if tried < 2 else ""
    assert cut == [f"half of the limit is used up after {tried} of 8 candidates{few}"]
    assert tried > 1 or choice.weights == Weights()


def test_reading_counts_too(decay: Path, slow_searches: list[Settings]) -> None:
    """Of ten minutes, eight were gone before it began."""
    choice = choose_weights(ReadTask.from_folder(decay), Settings(timeout=600.0), started=100.0 - 480.0)
    assert 50.0 <= choice.seconds <= 61.0


def test_steps_are_shared_in_the_same_way(decay: Path) -> None:
    task = ReadTask.from_folder(decay)
    choices = [choose_weights(task, Settings(steps=400), candidates=CANDIDATES[:2]) for _ in range(2)]
    assert choices[0].scores == choices[1].scores
    assert 0 < choices[0].steps <= 200


def test_the_steps_of_both_parts_are_counted_together(decay: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    assert main(["learn", str(decay), "--weights", "auto", "--steps", "400", "--quiet", "--json", str(file)]) == 0
    result = json.loads(file.read_text())
    assert result["settings"]["steps"] == 400
    assert result["settings"]["weights_auto"]["steps"] < result["counts"]["steps"] <= 400


# -- Ctrl-C -------------------------------------------------------------------------------------------------


def interrupt_after(searches: int, monkeypatch: pytest.MonkeyPatch, how_often: int = 1) -> None:
    """Sends Ctrl-C as a search of the cross-validation ends."""
    done = []

    class Interrupted(Search):
        def run(self) -> SearchResult:
            result = super().run()
            done.append(result)
            if len(done) == searches:
                for _ in range(how_often):
                    signal.raise_signal(signal.SIGINT)
            return result

    monkeypatch.setattr(folds, "Search", Interrupted)


@pytest.mark.parametrize(("searches", "tried"), [(1, 0), (30, 1), (51, 2)])
def test_ctrl_c_ends_it_with_the_best_that_is_known(
    decay: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, searches: int, tried: int
) -> None:
    """Each candidate takes 25 searches here. The program is one that they found."""
    interrupt_after(searches, monkeypatch)
    file = tmp_path / "result.json"
    assert main(["learn", str(decay), "--weights", "auto", "--json", str(file)]) == 130
    out, err = capsys.readouterr()
    result = json.loads(file.read_text())
    assert result["status"] == "interrupted"
    assert f"interrupted after {tried} of 8 candidates" in err
    assert f"interrupted: cost {result['cost']}, at least 2 = " in err
    assert len(result["settings"]["weights_auto"]["tried"]) == tried
    assert out == ("".join(f"{rule}\n" for rule in result["program"]) or "% the empty program\n")
    assert main(["verify", str(file)]) == 0


def test_what_is_known_is_never_given_up_for_something_worse(tmp_path: Path) -> None:
    """A search that was cut at once, after another one had found the rule."""
    make("zendo1-0", 0, 1, test=20).write(tmp_path / "zendo")
    task, weights, known = ReadTask.from_folder(tmp_path / "zendo"), Weights(1, 2, 3), Known()
    cut = Search(task, Settings(weights, timeout=0.0)).run()
    assert known.or_better(cut, weights) is cut
    best = Search(task, Settings(weights)).run()
    assert best.program is not None
    known.add(evaluate_program(Program(), task))
    known.add(evaluate_program(best.program, task))
    better = known.or_better(cut, weights)
    assert (better.status, better.program, better.cost) == ("timeout", best.program, best.cost)
    assert better.confusion == best.confusion
    assert better.trace[-1][1:] == (best.cost, better.lower_bound)
    assert known.or_better(best, weights) is best


def test_a_second_ctrl_c_ends_at_once_with_what_is_known(
    decay: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_after(30, monkeypatch, how_often=2)
    assert main(["learn", str(decay), "--weights", "auto"]) == 130
    out, err = capsys.readouterr()
    assert "ended at once: cost " in err
    assert err.endswith("maxsynth: interrupted\n")
    assert out


def test_a_final_search_that_is_torn_away_has_what_was_known(
    decay: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Torn(Search):
        def run(self) -> SearchResult:
            raise Asked(signal.SIGINT)

    monkeypatch.setattr(learning, "Search", Torn)
    assert main(["learn", str(decay), "--weights", "auto"]) == 130
    out, err = capsys.readouterr()
    assert parse_program(out).rules
    assert "ended at once: cost " in err


# -- directions -----------------------------------------------------------------------------------------------


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
    assert choose_weights(ReadTask.from_folder(one_way), Settings()).undirected is None
    assert main(["learn", str(one_way), "--weights", "auto"]) == 0
    assert "--ignore-directions" not in capsys.readouterr().err


def test_directions_that_do_no_harm_are_not_blamed(one_way: Path) -> None:
    """With a predicate that goes the other way, the same rule is in both spaces."""
    bk = (one_way / "bk.pl").read_text()
    (one_way / "bk.pl").write_text(bk + "".join(f"child(c{bird},p{bird}).\n" for bird in range(60)))
    with (one_way / "bias.pl").open("a") as file:
        file.write("body_pred(child,2).\ndirection(child,(in,out)).\n")
    choice = choose_weights(ReadTask.from_folder(one_way), Settings())
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
