"""Learning again as a person does it on the page: always the cost that a fresh run proves."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import maxsynth
from maxsynth.commands.viewing.opening import open_folder
from maxsynth.errors import MaxSynthError
from maxsynth.studio.engine import quietly
from maxsynth.studio.session import Session
from oracle.calling_tasks import random_calling_task
from oracle.learned_tasks import random_learned_task
from oracle.random_tasks import random_task
from oracle.small_task import SmallTask
from studio.serving import session_with, wait_for_end
from studio.test_session import wait_until

ROUNDS = 5


def any_task(seed: int) -> SmallTask:
    """Rules; rules with constants and numbers; and now and then programs that call themselves."""
    rng = random.Random(seed)
    kind = rng.random()
    if kind < 0.1:
        return random_calling_task(rng, invention=rng.random() < 0.3, most_programs=300)
    return random_task(rng) if kind < 0.75 else random_learned_task(rng)  # type: ignore[return-value]


def change(session: Session, rng: random.Random) -> None:
    """Some decisions, about suspects or about any example, and some taken back."""
    many = len(session.listing)
    suspects = session.desk().suspects.tolist()
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.25:
            session.undo()
            continue
        chosen = suspects if suspects and rng.random() < 0.5 else range(many)
        numbers = [rng.choice(chosen) for _ in range(rng.randint(1, 3))]
        session.decide(numbers, rng.choice(["flip", "flip", "leave out", "keep", None]))


def fresh(folder: Path, session: Session) -> tuple[str, int | None]:
    task = maxsynth.Task.from_folder(folder, prolog="builtin")
    labels = session.decisions.file if session.decisions.file.exists() else None
    try:
        with quietly():
            result = maxsynth.learn(task, labels=labels, weights=session.how["weights"], jobs=1)
    except MaxSynthError:  # no positive example is left
        return "failed", None
    return result.status, result.cost


def wait_for_beside(session: Session) -> None:
    wait_until(lambda: not session.state()["beside"]["doing"])


def check(folder: Path, seed: int, ways: Counter[str]) -> None:
    rng = random.Random(-seed)
    task = replace(any_task(seed), exact=False)
    task.write(folder)

    def opened() -> Session:
        return session_with(open_folder(folder, "builtin"), weights=task.weights)

    session = opened()
    for number in range(ROUNDS):
        session.learn()
        if rng.random() < 0.2:  # whoever is in a hurry
            session.learn()
        wait_for_end(session)
        told = f"seed {seed}, run {number}\n{task.describe()}\n{session.decisions.made}"
        status = session.run.status
        expected = fresh(folder, session)
        assert (status.state, None if status.state == "failed" else status.cost) == expected, told
        if status.state == "failed":
            session.undo()
            continue
        assert session.desk().cost == status.cost == status.lower_bound, told
        ways[session.state()["runs"][-1]["way"]] += 1
        if rng.random() < 0.6:  # otherwise what is being prepared ends before its time
            wait_for_beside(session)
        if rng.random() < 0.2:
            session.ask()
        if random.Random(f"{seed} {number}").random() < 0.2:
            session.weigh()
        change(session, rng)
        if rng.random() < 0.1:  # the decisions are there at the next start
            made = dict(session.decisions.made)
            session.close()
            session = opened()
            assert session.decisions.made == made
    session.close()


def test_always_what_a_fresh_run_proves(tmp_path: Path, effort: Callable[[int, int], int]) -> None:
    ways: Counter[str] = Counter()
    for seed in range(120_000, 120_000 + effort(20, 500)):
        check(tmp_path / "task", seed, ways)
        shutil.rmtree(tmp_path / "task")
        (tmp_path / "task.labels").unlink(missing_ok=True)
    print(ways)
    assert set(ways) == {"from nothing", "known", "chosen", "below"}
