"""Reading a text with several threads: tables, rules, errors and the numbers of all terms are those of one."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.kernel.terms import FactScanner, TermStore
from maxsynth.prolog import ahead, consult

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


def random_text(rng: random.Random) -> str:
    plain = rng.random()
    chosen = [rng.choice(CLAUSES[:4] if rng.random() < plain else CLAUSES) for _ in range(rng.randrange(60))]
    text = "\n".join(clause.format(rng.randrange(12), rng.randrange(12)) for clause in chosen)
    return text + rng.choice(("", "\n", "edge(a", "% done"))


def seen(text: str, jobs: int) -> object:
    """All that can be told of what was read."""
    store = TermStore()
    store.intern_all(["first"])
    try:
        found = consult.consult(text, "bk.pl", store, None, jobs)
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
