"""What `check` says of a bias with constants and numbers, and of one that would be better with them."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsynth.checks import effort as effort_of_rules
from maxsynth.checks import learnable
from maxsynth.checks.learnable import Directive, is_value, missing_directives
from maxsynth.checks.reach import find_unreached
from maxsynth.cli import main
from maxsynth.proofs.metrics import Weights
from maxsynth.search.loop import Search
from maxsynth.search.settings import Settings
from maxsynth.task.task import ReadTask

MakeTask = Callable[..., Path]
Capture = pytest.CaptureFixture[str]

BIAS = """head_pred(heavy,1).
body_pred(part,2).
body_pred(weight,2).
body_pred(color,2).
type(heavy,(parcel,)).
type(part,(parcel,part)).
type(weight,(part,kg)).
type(color,(part,color)).
"""


def parcels(make_task: MakeTask, by: str, more: str = "", names: str = "p{}") -> Path:
    """Parcels of one part; what is positive is decided by its weight, its color, or at random."""
    rng = random.Random(3)
    facts, labels = [], []
    for number in range(40):
        weight, color = rng.randrange(1, 100), rng.choice(["red", "green", "blue", "black"])
        positive = {"weight": weight >= 40, "color": color == "red", "chance": rng.random() < 0.5, "order": number < 20}
        name = names.format(number)
        facts.append(f"part({name},q{number}). weight(q{number},{weight}). color(q{number},{color}).\n")
        labels.append(f"{'pos' if positive[by] else 'neg'}(heavy({name})).\n")
    return make_task(BIAS + more, "".join(facts), "".join(labels))


def hints(folder: Path, capsys: Capture) -> list[str]:
    assert main(["check", str(folder)]) == 0
    return [line for line in capsys.readouterr().out.splitlines() if "would allow" in line]


def test_numbers_that_would_help(make_task: MakeTask, capsys: Capture) -> None:
    (hint,) = hints(parcels(make_task, "weight"), capsys)
    assert hint.startswith("hint: numbers(kg). would allow `heavy(A) :- part(A,B), weight(B,C), C >= ")
    assert hint.endswith("`: a short search finds cost 4, and 17 now")


def test_constants_that_would_help(make_task: MakeTask, capsys: Capture) -> None:
    (hint,) = hints(parcels(make_task, "color"), capsys)
    assert hint.startswith(
        "hint: constants(color). would allow `heavy(A) :- part(A,B), color(B,red).`: a short search "
    )


@pytest.mark.parametrize(
    ("by", "more", "names"),
    [
        ("weight", "numbers(kg).", "p{}"),  # it has them
        ("color", "constants(color).", "p{}"),
        ("color", "constants(color,2).", "p{}"),
        ("chance", "", "p{}"),  # it makes no difference
        ("order", "", "{}"),  # the number of a parcel is a name
        ("weight", "enable_recursion.", "p{}"),  # nothing is known of that
        ("weight", "max_body(2).", "p{}"),  # there is no room for it
    ],
)
def test_nothing_is_said(by: str, more: str, names: str, make_task: MakeTask, capsys: Capture) -> None:
    assert hints(parcels(make_task, by, more, names), capsys) == []


def test_learn_says_it_too_where_it_found_little(make_task: MakeTask, capsys: Capture) -> None:
    assert main(["learn", str(parcels(make_task, "color"))]) == 0
    out, err = capsys.readouterr()
    assert out == "% the empty program\n"
    assert "That is little. What `maxsynth check` would say:\n  constants(color). would allow `heavy(A) :- " in err


def test_a_part_of_many_examples_will_do(make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learnable, "MOST_EXAMPLES", 20)
    (hint,) = hints(parcels(make_task, "weight"), capsys)
    assert "`: a short search on 21 of the examples finds cost 4, and " in hint


def test_the_effort_is_not_guessed_before_numbers_come_in(
    make_task: MakeTask, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = parcels(make_task, "weight", "numbers(kg).")
    assert main(["check", str(folder)]) == 0
    assert "effort      fewer than " in capsys.readouterr().out
    monkeypatch.setattr(effort_of_rules, "BUDGET", 1)
    assert main(["check", str(folder)]) == 0
    assert "effort      not known: there are many numbers to compare with" in capsys.readouterr().out


def test_values_and_names(make_task: MakeTask) -> None:
    task = ReadTask.from_folder(parcels(make_task, "weight", names="{}"))
    assert [name for name in ("parcel", "part", "kg", "color") if is_value(task.bias, name)] == ["kg", "color"]
    assert list(missing_directives(task)) == [
        Directive("numbers", "kg"),
        Directive("constants", "color"),
    ]


# -- positives that nothing covers ----------------------------------------------------------------------------------


def test_a_directive_that_would_let_a_positive_in(make_task: MakeTask, capsys: Capture) -> None:
    facts = "".join(f"part(p{n},q{n}). weight(q{n},{n}).\n" for n in range(12))
    examples = "".join(f"{'pos' if n > 5 else 'neg'}(heavy(p{n})).\n" for n in range(12))
    folder = make_task(f"{BIAS}no_singletons. max_body(3).", f"{facts}color(x,red).", examples)
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "no rule of the space covers 6 of the 6 positive examples" in out
    assert ": with numbers(kg), `heavy(A) :- part(A,B), weight(B,C), C >= " in out


def test_a_number_of_which_nothing_is_true(make_task: MakeTask, capsys: Capture) -> None:
    examples = "".join(f"{'pos' if n > 5 else 'neg'}(f({n})).\n" for n in range(12))
    folder = make_task("head_pred(f,1). body_pred(even,1). type(f,(int,)). type(even,(int,)).", "even(2).", examples)
    assert main(["check", str(folder)]) == 0
    out = capsys.readouterr().out
    assert (
        "`f(6)`: nothing is true of `6` (argument 1, of type int): a literal of even/1 that is true of it would be "
        "needed, or numbers(int)., which allows `A >= number`\n"
    ) in out
    (folder / "bias.pl").write_text((folder / "bias.pl").read_text() + "numbers(int).")
    assert main(["check", str(folder)]) == 0
    assert "nothing wrong was found" in capsys.readouterr().out


def test_unreached_positives_with_constants_and_numbers(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    """They are those that a best program misses where errors cost much and nothing is negative, found by clingo."""
    seen = set()
    for seed in range(effort(25, 1000)):
        rng = random.Random(seed)
        task = random_task(rng, tmp_path)
        none = dataclasses.replace(
            task.negatives, rows=task.negatives.rows[:0], weights=task.negatives.weights[:0], lines=[]
        )
        alone = dataclasses.replace(task, negatives=none)
        found = find_unreached(task)
        assert not found.undecided
        best = Search(alone, Settings(weights=Weights(1, 1, 100), method="asp")).run()
        assert best.confusion is not None
        assert best.confusion.fn == len(found.unreached), (tmp_path / "bias.pl").read_text()
        seen.add(bool(found.unreached))
    assert seen == {True, False}


def random_task(rng: random.Random, folder: Path) -> ReadTask:
    """A small task with constants or numbers; some parts have no weight, no color, or a weight that is none."""
    parts = [f"part(p{n if rng.random() < 0.9 else 0},q{n})." for n in range(6)]
    weights = [f"weight(q{n},{rng.choice([1, 2.5, 7, 'much'])})." for n in range(6) if rng.random() < 0.8]
    colors = [f"color(q{n},{rng.choice(['red', 'blue'])})." for n in range(6) if rng.random() < 0.8]
    (folder / "bk.pl").write_text("\n".join([*parts, *weights, *colors, ":- dynamic part/2, weight/2, color/2."]))
    (folder / "exs.pl").write_text("".join(f"pos(heavy(p{n})).\n" for n in range(6)) + "neg(heavy(p0)).\n")
    asked = rng.sample(["numbers(kg).", "constants(color).", "constants(part,2).", "compared(kg)."], rng.randint(1, 2))
    limits = [f"max_vars({rng.choice([2, 3, 4])}).", f"max_body({rng.choice([1, 2, 3])})."]
    limits += ["no_singletons."] if rng.random() < 0.7 else []
    (folder / "bias.pl").write_text(BIAS + "\n".join([*asked, *limits]))
    return ReadTask.from_folder(folder, prolog="builtin")
