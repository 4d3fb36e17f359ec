"""The generated domains of the paper: sizes, rules, noise."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from maxsynth.bench.domains import buttons, coins, minimal_decay, rock_paper_scissors
from maxsynth.bench.domains.catalogue import DOMAINS, PAPER_TASKS, Named, make
from maxsynth.demos.generated import GeneratedTask
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import parse_program
from maxsynth.proofs.evaluation import evaluate_program
from maxsynth.task.task import ReadTask
from maxsynth.verification.space import violations

GAMES = [name for name in DOMAINS if name.startswith("iggp")]


def test_the_paper_has_46_tasks() -> None:
    assert len(PAPER_TASKS) == len(set(PAPER_TASKS)) == 46
    assert Named.of("zendo2-20") == Named("zendo2", 20)
    assert Named.of("iggp-md-0") == Named("iggp-md", 0)
    assert Named.of("alzheimer-toxic") == Named("alzheimer-toxic", None)


@pytest.mark.parametrize(
    ("name", "count"), [("iggp-md", 54), ("iggp-buttons", 530), ("iggp-coins", 2544), ("iggp-rps", 464)]
)
def test_games_have_the_sizes_of_the_paper(name: str, count: int) -> None:
    made = make(f"{name}-0", trial=0, seed=1)
    assert len(made.examples) == len({example.atom for example in made.examples}) == count


@pytest.mark.parametrize("name", [name for name in DOMAINS if name not in GAMES])
def test_the_others_have_100_examples_a_side(name: str) -> None:
    made = make(f"{name}-0", trial=0, seed=1, test=50)
    assert [example.true for example in made.examples].count(True) == 100
    assert len(made.examples) == 200
    assert [example.true for example in made.test_examples].count(True) == 25


@pytest.mark.parametrize("name", DOMAINS)
def test_the_rule_in_python_is_the_program_and_in_the_space(tmp_path: Path, name: str) -> None:
    made = DOMAINS[name].make(2, 0, train=None if name in GAMES else 60, test=None if name in GAMES else 60)
    made.write(tmp_path / "task")
    program = parse_program(made.program)
    for test, examples in ((False, made.examples), (True, made.test_examples)):
        task = ReadTask.from_folder(tmp_path / "task", test=test)
        counts = evaluate_program(program, task).confusion
        positive = sum(example.true for example in examples)
        assert (counts.tp, counts.fn, counts.tn, counts.fp) == (positive, 0, len(examples) - positive, 0)
        assert violations(program, task.bias) == []


@pytest.mark.parametrize("name", DOMAINS)
def test_noise_is_exact_and_leaves_the_test_alone(name: str) -> None:
    clean, noisy = (make(f"{name}-{noise}", trial=0, seed=1, test=40) for noise in (0, 20))
    assert clean.flipped == 0
    assert noisy.flipped == round(0.2 * len(noisy.examples))
    assert facts_of(clean) == facts_of(noisy)
    assert [example.atom for example in clean.examples] == [example.atom for example in noisy.examples]
    assert noisy.test_examples == clean.test_examples


def facts_of(made: GeneratedTask) -> tuple[str, str, str]:
    return made.bias, made.bk, made.test_bk


def test_a_seed_repeats_and_trials_differ() -> None:
    for name in ("iggp-rps-10", "zendo3-10", "dropk-10"):
        first, again, other, later = (
            make(name, trial, seed, test=20).files() for trial, seed in ((0, 1), (0, 1), (1, 1), (0, 2))
        )
        assert first == again
        assert first["exs.pl"] != other["exs.pl"] != later["exs.pl"]


def test_what_is_tested_was_not_seen_in_training() -> None:
    made = make("iggp-buttons-0", trial=0, seed=3)  # the other games have too few situations
    assert seen(made.bk, "s").isdisjoint(seen(made.test_bk, "t"))


def seen(bk: str, prefix: str) -> set[frozenset[str]]:
    """The facts about each state, without its name."""
    about: dict[str, set[str]] = {}
    for fact in bk.split("\n"):
        predicate, _, rest = fact.partition("(")
        name, _, values = rest.partition(",")
        if name.startswith(prefix) and name[1:].isdecimal():
            about.setdefault(name, set()).add(f"{predicate} {values}")
    return {frozenset(facts) for facts in about.values()}


# -- the rules of the games ---------------------------------------------------------------------------------


def test_a_value_decays() -> None:
    assert [minimal_decay.after(value, "wait") for value in (5, 1, 0, None)] == [4, 0, None, None]
    assert minimal_decay.after(None, "press") == 5


def test_buttons_switch_and_swap() -> None:
    lights = buttons.Lights(p=True)
    assert buttons.after(lights, "a") == buttons.Lights(step=2)
    assert buttons.after(lights, "b") == buttons.Lights(q=True, step=2)
    assert buttons.after(lights, "c") == buttons.Lights(p=True, step=2)
    assert not buttons.moves(buttons.Lights(True, True, True, 4))
    assert not buttons.moves(buttons.Lights(step=7))


def test_coins_jump_over_two() -> None:
    start = coins.GAME.start
    assert (1, 4) in coins.moves(start)
    assert (4, 1) in coins.moves(start)
    assert (1, 3) not in coins.moves(start)
    row = coins.after(start, (1, 4))
    assert row == (0, 1, 1, 2, 1, 1, 1, 1)
    assert set(coins.moves(row)) & {(3, 5), (5, 3)}  # over the pair
    assert not any(4 in jump for jump in coins.moves(row))


def test_rock_paper_scissors() -> None:
    shown = [(one, other) for one in rock_paper_scissors.GESTURES for other in rock_paper_scissors.GESTURES]
    wins = [pair for pair in shown if rock_paper_scissors.beats(*pair)]
    assert sorted(wins) == [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")]
    score = rock_paper_scissors.after(rock_paper_scissors.Score(), ("rock", "paper"))
    assert score == rock_paper_scissors.Score((0, 1), 1)


def test_a_game_that_is_too_small_says_so() -> None:
    with pytest.raises(MaxSynthError, match="no 1000 different situations"):
        rock_paper_scissors.GAME.observe(random.Random(1), 1000)
