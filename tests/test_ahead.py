"""Reading a text with several threads: tables, rules, errors and the numbers of all terms are those of one."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxsynth import cli
from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import FactScanner, TermStore
from maxsynth.prolog import ahead, consult
from maxsynth.task.meanwhile import Meanwhile

CLAUSES = (
    "edge(a{0},a{1}).",
    "edge(a{0}, b({1},c)).  % a comment with a stop.",
    "size(a{0},{1}).",
    "likes(a{0},[x{1},y,[z{1}|w]]).",
    "likes(a{0},[x{1},[],f(f(a{0}))]).",
    "weight(a{0},{1}.5).",
    "weight(a{0},-{1}).",
    "weight(a{0},00{1}).",
    "named('A {0}',a{1}).",
    "far(X) :- edge(X,a{0}), size(a{0},{1}).",
    "/* edge(a{0},a{1}).\nedge(c{0},d{1}).\n*/",
    "/* edge(a{0},a{1}).\nedge(q{0},d{1}).\n/* */ edge(e{1},e{0}).",
    ":- dynamic(p{0}/{1}).",
    "named(a,\n   b{0}\n).",
    'named("it ends here.\nedge(a{0},b).\n", a{1}).',
    "p{0}(x).p{1}(y).",
    "% edge(x{0},y).",
)


@pytest.fixture(autouse=True)
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "LEAST", 1)
    monkeypatch.setattr(ahead, "PIECE", 40)
    monkeypatch.setattr(consult, "PART", 50)
    monkeypatch.setattr(cli, "LARGE", 1)


def random_text(rng: random.Random) -> str:
    plain = rng.random()
    chosen = [rng.choice(CLAUSES[:4] if rng.random() < plain else CLAUSES) for _ in range(rng.randrange(60))]
    text = "\n".join(clause.format(rng.randrange(12), rng.randrange(12)) for clause in chosen)
    return text + rng.choice(("", "\n", "edge(a", "% done"))


def seen(text: str, jobs: int, later: ahead.Later | None = None) -> object:
    """All that can be told of what was read."""
    store = TermStore()
    store.intern_all(["first"])
    try:
        found = consult.consult(text, "bk.pl", store, None, jobs, later)
    except MaxSynthError as error:
        return str(error)
    tables = [(key, table.rows().tolist(), table.offsets().tolist()) for key, table in found.tables.items()]
    rules = [(key, [(offset, str(clause)) for offset, clause in known]) for key, known in found.rules.items()]
    return tables, rules, sorted(found.dynamic), [str(store.term(number)) for number in range(len(store))]


def test_every_number_of_threads_reads_the_same(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(5)
    for case in range(effort(120, 10_000)):
        text = random_text(rng)
        alone = seen(text, 1)
        for jobs in (2, 3, 8):
            assert seen(text, jobs) == alone, f"case {case}, {jobs} threads"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


def test_threads_that_come_later_read_the_same(effort: Callable[[int, int], int]) -> None:
    rng = random.Random(6)
    for case in range(effort(120, 10_000)):
        text = random_text(rng)
        later = ahead.Later()
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(seen, text, 1, later)
            time.sleep(rng.choice((0, 0.0001, 0.0005)))
            later.come(rng.choice((2, 3, 8)))
        assert found.result() == seen(text, 1), f"case {case}"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


def test_who_comes_later_takes_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the test above tests something: the others have a part in what is left, and it is read to its end."""
    text = "".join(f"edge(a{i},a{i + 1}).\n" for i in range(400))
    later, begun = ahead.Later(), []
    real = ahead.find_starts

    def noted(text: str, offset: int, parts: int) -> list[int]:
        begun.append((offset, parts))
        return real(text, offset, parts)

    monkeypatch.setattr(ahead, "find_starts", noted)
    monkeypatch.setattr(consult, "ALONE", 2)
    calls = 0

    def look() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            later.come(4)

    found = consult.consult(text, "bk.pl", TermStore(), look, 1, later)
    assert len(found.tables["edge", 2]) == 400
    assert [parts for _, parts in begun if parts > 1] == [4]
    assert begun[-1][0] > 100


def test_what_nobody_wants_is_not_read() -> None:
    later = ahead.Later()
    later.drop()
    with pytest.raises(ahead.UnwantedError):
        consult.consult("edge(a,b).\n", "bk.pl", TermStore(), None, 1, later)


def learned(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = cli.main(["learn", str(folder), "--quiet", *options])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


BIAS = "head_pred(f,1). body_pred(edge,2). body_pred(far,1). max_vars(2). max_body(2)."
BK = "".join(f"edge(a{i},a{i * 7 % 50}).\n" for i in range(300)) + "far(X) :- edge(X,Y), edge(Y,a3).\n"
EXS = "".join(f"{'pos' if i % 3 else 'neg'}(f(a{i})).\n" for i in range(30))
TASKS = {
    "fine": (BIAS, BK, EXS),
    "BK is no Prolog": (BIAS, BK + "edge(a,.\n", EXS),
    "an example is none": (BIAS, BK, EXS + "pos(g(a)).\n"),
    "examples are no text": (BIAS, BK, "pos(f(a\0)).\n"),
    "the bias is wrong, and so is BK": (BIAS + "max_vars(x).", BK + "edge(a,.\n", EXS),
    "BK redefines what Prolog has": (BIAS, BK + "atom_length(a,b).\n", EXS),
    "no examples": (BIAS, BK, None),
}


@pytest.mark.parametrize("what", TASKS)
def test_while_the_program_is_loaded_the_same_is_read(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs and errors are the same, whoever reads."""
    for name, text in zip(("bias.pl", "bk.pl", "exs.pl"), TASKS[what], strict=True):
        if text is not None:
            (tmp_path / name).write_text(text)
    taken: list[bool] = []
    take = Meanwhile.take

    def noted(self: Meanwhile, jobs: int) -> tuple[consult.Consulted, consult.Consulted] | None:
        found = take(self, jobs)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(Meanwhile, "take", noted)
    alone = learned(tmp_path, capsys, "--jobs", "1")
    assert not taken
    assert learned(tmp_path, capsys, "--jobs", "2") == alone
    assert taken == ([] if "bias" in what else [what in ("fine", "an example is none")])
    assert alone[0] == (0 if what == "fine" else 2)
    for thread in threading.enumerate():
        if thread.name.startswith("maxsynth"):
            thread.join(60)  # it is told to end, and nobody waits for that
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


def test_what_does_not_fit_is_not_read_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in zip(("bias.pl", "bk.pl", "exs.pl"), TASKS["fine"], strict=True):
        (tmp_path / name).write_text(text or "")
    status, _, said = learned(tmp_path, capsys, "--jobs", "2", "--memory", "5M")
    assert status == 2
    assert "5 MB of memory are too little" in said


def test_parts_are_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the test above tests something; and that a part that begins within a comment is not taken."""
    taken = []
    real = ahead.Ahead.take

    def noted(self: ahead.Ahead, scanner: FactScanner, offset: int, look: Callable[[], None] | None) -> int:
        end = real(self, scanner, offset, look)
        if end > offset:
            taken.append(offset)
        return end

    monkeypatch.setattr(ahead.Ahead, "take", noted)
    text = "".join(f"edge(a{i},a{i + 1}).\n" for i in range(40))
    seen(text, 4)
    assert len(taken) == 3
    taken.clear()
    seen("/*\n" + text + "*/\n", 4)
    assert not taken


def test_who_looks_may_end_it() -> None:
    text = "".join(f"edge(a{i},a{i + 1}).\n" for i in range(400))

    def look() -> None:
        raise MaxSynthError("no more room")

    with pytest.raises(MaxSynthError, match="no more room"):
        consult.consult(text, "bk.pl", TermStore(), look, 3)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("maxsynth")]


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"edge(a{i},a{i + 1}).\n" for i in range(40))
    alone = seen(text, 1)

    def none_left(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    assert seen(text, 4) == alone
