"""A session without a browser: searches, decisions, and what is asked of them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import maxsynth
from maxsynth.errors import MaxSynthError
from maxsynth.logic.programs import parse_program
from maxsynth.search.progress import Progress
from maxsynth.studio.asking import Question
from maxsynth.studio.decisions import Decisions, place_beside
from maxsynth.studio.engine import FAILED, HELD, RUNNING, Learned, Learner, Made, Note, Run
from maxsynth.studio.session import Session
from studio.serving import served, session_of, wait_for_end, write_task
from test_again import DIVIDED


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write_task(tmp_path / "task")


def numbers_of(session: Any, *atoms: str) -> list[int]:
    return [session.listing.atoms.index(atom) for atom in atoms]


def test_a_search_comes_to_its_end(task: Path) -> None:
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    state = session.state()
    assert (state["run"]["state"], state["run"]["cost"]) == ("optimal", 7)
    assert state["points"][-1][1:3] == (7, 7)
    assert session.state(known=1, since=len(state["points"]))["points"] == []
    assert session.program()["cost"] == 7
    assert "SELECT" in session.export("sql", "duckdb")["text"]


def test_labels_are_flipped_and_learned_from_and_taken_back(task: Path) -> None:
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    assert {row["text"] for row in session.examples(Question(show="wrong"))["rows"]} == {"f(a7)", "f(a8)", "f(a30)"}
    session.decide(numbers_of(session, "f(a7)"), "flip")
    session.decide(numbers_of(session, "f(a8)"), "flip")
    assert session.decide(numbers_of(session, "f(a30)"), "leave out")["new"]
    assert session.program()["cost"] == 7  # what was learned is what was learned from
    session.learn()
    wait_for_end(session)
    assert session.program()["cost"] == 4
    assert not session.state()["decisions"]["new"]
    assert session.undo()["numbers"] == numbers_of(session, "f(a30)")
    assert session.state()["decisions"]["new"]
    session.learn()
    wait_for_end(session)
    assert session.program()["cost"] == 5
    assert [run["cost"] for run in session.state()["runs"]] == [7, 4, 5]


def test_decisions_are_there_after_a_new_start(task: Path) -> None:
    before = {path.name: path.read_bytes() for path in task.iterdir()}
    session = session_of(task)
    session.learn()
    session.decide(numbers_of(session, "f(a7)", "f(a8)"), "flip")
    session.decide(numbers_of(session, "f(a30)"), "keep")
    session.decide(numbers_of(session, "f(a8)"), None)
    assert {path.name: path.read_bytes() for path in task.iterdir()} == before
    assert task.with_name("task.labels").read_text() == "# maxsynth labels 1\nflip       f(a7)\nkeep       f(a30)\n"
    again = session_of(task)
    assert again.decisions.made == {"f(a7)": "flip", "f(a30)": "keep"}


def test_a_kill_loses_nothing_that_was_decided(task: Path) -> None:
    code = (
        "import os, sys\nsys.path.insert(0, sys.argv[2])\nfrom pathlib import Path\n"
        "from studio.serving import session_of\nsession = session_of(Path(sys.argv[1]))\nsession.learn()\n"
        "for number in range(20):\n    session.decide([number], 'flip')\nos.kill(os.getpid(), 9)\n"
    )
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", code, str(task), tests], timeout=60, check=False)
    assert done.returncode == -9
    assert len(Decisions(task.with_name("task.labels")).made) == 20
    assert not list(task.parent.glob(".maxsynth*"))


def test_what_cannot_be_saved_is_not_decided(task: Path) -> None:
    session = session_of(task)
    session.learn()
    session.decisions.file = task / "nowhere" / "labels"
    with pytest.raises(MaxSynthError, match="cannot be written"):
        session.decide([0], "flip")
    assert session.decisions.made == {}
    assert session.undo()["numbers"] == []


@pytest.mark.parametrize("text", ["x\n", "# maxsynth labels 1\nmaybe f(a)\n", "# maxsynth labels 1\nflip\n"])
def test_a_strange_file_of_decisions_is_an_error(task: Path, text: str) -> None:
    task.with_name("task.labels").write_text(text)
    with pytest.raises(MaxSynthError, match=r"no decision about a label|no file of decisions"):
        session_of(task)


@pytest.mark.parametrize("there", [False, True])
def test_a_link_to_another_file_is_refused(task: Path, there: bool) -> None:
    other = task.parent / "other"
    if there:
        other.write_text("")
    task.with_name("task.labels").symlink_to(other)
    with pytest.raises(MaxSynthError, match="remove the link"):
        session_of(task)
    assert other.exists() == there


def test_two_studios_lose_nothing_of_each_other(task: Path) -> None:
    one, other = session_of(task), session_of(task)
    for session, number in ((one, 0), (other, 1), (one, 2)):
        if not session.runs:
            session.learn()
        session.decide([number], "flip")
    assert len(Decisions(task.with_name("task.labels")).made) == len(one.decisions.made) == 3


def test_learn_takes_the_file_of_decisions(task: Path) -> None:
    session = session_of(task)
    session.learn()
    session.decide([0], "leave out")
    by_hand = maxsynth.learn(maxsynth.Task.from_folder(task), labels=str(task.with_name("task.labels")))
    session.learn()
    wait_for_end(session)
    assert by_hand.cost == session.run.status.cost


def test_decisions_about_other_examples_stay(task: Path) -> None:
    task.with_name("task.labels").write_text("# maxsynth labels 1\nflip f(other)\n")
    session = session_of(task)
    session.learn()
    session.decide([0], "keep")
    assert "flip       f(other)\n" in task.with_name("task.labels").read_text()
    session.learn()
    wait_for_end(session)
    assert session.state()["run"]["state"] == "optimal"


def test_where_decisions_are(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "a b" / "task")
    assert place_beside(str(folder), tmp_path) == folder.parent / "task.labels"
    place = place_beside("postgresql://me:secret@host/../../base?x=/etc/passwd", tmp_path)
    assert place == tmp_path / "base.labels"
    assert place_beside("sqlite:///../..", tmp_path).parent == tmp_path


# -- searches that last ---------------------------------------------------------------------------------------


def pass_time(note: Note) -> bool:
    """A minute by its own word, which it says all the time; whether nobody ended it."""
    for tick in range(600):
        if note(Progress("generate", tick / 10, 1, tick, 0, 20, tick // 20)) is False:
            return False
        time.sleep(0.01)
    return True


class Slow(Learner):
    def learn(self, made: Made, note: Note, *, anew: bool = False) -> Learned:
        pass_time(note)
        return super().learn(made, lambda progress: True, anew=anew)


class SlowToPrepare(Learner):
    def prepare(self, note: Note, seconds: float) -> None:
        if pass_time(note):
            super().prepare(note, seconds)


def learning_by(session: Session, kind: type[Learner]) -> Session:
    session.learner = kind(session.task, session.how)
    return session


def test_stop_and_go_on(task: Path) -> None:
    session = learning_by(session_of(task), Slow)
    session.learn()
    wait_until(lambda: session.run.status.tested > 3)
    session.hold()
    assert session.run.status.state == HELD
    time.sleep(0.1)
    tested = session.run.status.tested
    time.sleep(0.2)
    assert session.run.status.tested == tested
    session.go_on()
    wait_until(lambda: session.run.status.tested > tested)
    assert session.run.status.state == RUNNING
    session.hold()
    learning_by(session, Learner)
    session.learn()  # ends the one that is held
    wait_for_end(session)
    assert [run.over for run in session.runs] == [True, True]


def test_a_real_search_is_held_where_it_is(tmp_path: Path) -> None:
    """As many threads as there are: nothing goes on while it is held, and the answer is the same."""
    bk = "".join(f"{p}(a{n}).\n" for p in "pqrstuvw" for n in range(200) if (ord(p) * n + n // 7) % 3)
    bk += "".join(f"e(a{n},a{(n * 7 + k) % 200}).\n" for n in range(200) for k in (1, 5, 11))
    bias = "head_pred(f,1).\nbody_pred(e,2).\nmax_vars(5).\nmax_body(6).\n" + "".join(
        f"body_pred({p},1).\n" for p in "pqrstuvw"
    )
    exs = "".join(f"{'pos' if (n * 31) % 7 < 3 else 'neg'}(f(a{n})).\n" for n in range(200))
    session = session_of(write_task(tmp_path / "task", bias, bk, exs), jobs=2, timeout=30.0)
    session.learn()
    wait_until(lambda: session.run.status.tested > 0 or session.run.over)
    session.hold()
    time.sleep(0.6)
    before = session.run.status.tested, time.process_time()
    time.sleep(0.5)
    if not session.run.over:
        assert session.run.status.tested == before[0]
        assert time.process_time() - before[1] < 0.3
        session.go_on()
    session.run.end()
    assert session.run.status.state in ("interrupted", "optimal", "timeout")
    assert session.program()["cost"] == session.run.status.cost


def test_the_best_of_several_searches_is_told(task: Path) -> None:
    """Each in a larger space: a search that begins anew does not make the cost worse."""
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    run = Run(1, session.learner, {})
    programs = [parse_program(f"f(A) :- {name}(A).") for name in "pqr"]
    for tested, cost, bound, program in (
        (5, 20, 1, programs[0]), (9, 20, 20, None), (2, 30, 0, programs[1]), (7, 30, 3, None), (8, 12, 3, programs[2]),
    ):  # fmt: skip
        run.note(Progress("generate", tested / 10, 1, tested, 0, cost, bound, program))
    assert [point[1:] for point in run.points] == [(20, 1, 1), (20, 20, 1), (20, 0, 2), (20, 3, 2), (12, 3, 2)]
    assert (run.program, run.found) == (programs[2], 2)


def test_a_search_that_fails_says_why(task: Path) -> None:
    class Fails(Learner):
        def learn(self, made: Made, note: Note, *, anew: bool = False) -> Learned:
            raise ValueError("<b>\n no")

    session = learning_by(session_of(task), Fails)
    session.learn()
    wait_for_end(session)
    assert session.state()["run"]["state"] == FAILED
    assert session.state()["run"]["problem"] == "ValueError: <b> no"
    learning_by(session, Learner)
    session.learn()
    wait_for_end(session)
    assert session.state()["run"]["state"] == "optimal"


def test_a_closed_browser_ends_nothing(task: Path) -> None:
    session = learning_by(session_of(task), Slow)
    with served(session) as site:
        first = site.get("state")["run"]["tested"]
        wait_until(lambda: site.get("state")["run"]["tested"] > first)
        site.post("hold")
        assert site.get("state")["run"]["state"] == "held"
        site.post("go-on")
    assert session.run.over


def test_many_at_once(task: Path) -> None:
    """Questions, decisions and searches from many threads: each answer is of one moment."""
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                session.examples(Question(search=str(number)))
                session.decide([number], "flip" if turn % 2 else None)
                session.example(number)
                if number == 0:
                    session.learn()
                assert session.program()["tp"] + session.program()["fn"] > 0
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [problem for problem in problems if "no program yet" not in str(problem)] == []


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


# -- learning again -------------------------------------------------------------------------------------------


def test_it_says_how_it_learned_again(task: Path) -> None:
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    wait_until(lambda: session.state()["beside"]["prepared"])
    session.decide(numbers_of(session, "f(a7)", "f(a30)"), "flip")  # the program contradicts both
    session.learn()
    wait_for_end(session)
    session.decide(numbers_of(session, "f(a0)", "f(a1)", "f(a2)", "f(a3)"), "flip")
    session.learn()
    wait_for_end(session)
    session.undo()
    session.learn()
    wait_for_end(session)
    session.learn(anew=True)
    wait_for_end(session)
    runs = session.state()["runs"]
    assert [run["way"] for run in runs] == ["from nothing", "known", "chosen", "known", "from nothing"]
    assert [run["why"] for run in runs] == ["", "", "", "", "as you asked"]
    assert [run["state"] for run in runs] == ["optimal"] * 5
    costs = [run["cost"] for run in runs]
    assert costs[0] == 7
    assert costs[1] == costs[3] == costs[4] == 5
    session.undo()
    session.learn()
    wait_for_end(session)
    assert session.run.status.cost == 7


def test_after_a_search_that_was_cut_it_begins_from_nothing(task: Path) -> None:
    session = session_of(task, timeout=0.0)
    session.learn()
    wait_for_end(session)
    assert session.state()["run"]["state"] == "timeout"
    assert not session.state()["beside"]["knows"]
    session.ask()
    wait_until(lambda: not session.doubts()["running"])
    assert "no program is proven yet" in session.doubts()["problem"]
    session.learner.timeout = None
    session.learn()
    wait_for_end(session)
    assert session.state()["runs"][1]["why"] == "the run before was not proven"
    assert session.state()["run"]["cost"] == 7


def test_programs_that_call_themselves_are_searched_for(tmp_path: Path) -> None:
    from studio.test_desk import LISTS

    exs = "".join(f"{'neg' if n % 2 else 'pos'}(even({n})).\n" for n in range(16))
    session = session_of(write_task(tmp_path / "task", *LISTS[:2], exs))
    session.learn()
    wait_for_end(session)
    wait_until(lambda: not session.state()["beside"]["doing"])
    assert not session.state()["beside"]["prepared"]
    session.decide(numbers_of(session, "even(2)", "even(6)"), "flip")
    session.learn()
    wait_for_end(session)
    assert session.state()["runs"][1]["way"] == "below"
    fresh = maxsynth.learn(session.task, labels=str(session.decisions.file))
    assert (session.run.status.cost, fresh.status) == (fresh.cost, "optimal")


@pytest.mark.parametrize("what", ["learn", "find_front", "ask", "weigh", "stop"])
def test_what_is_prepared_ends_for_what_a_person_starts(task: Path, what: str) -> None:
    session = learning_by(session_of(task), SlowToPrepare)
    session.learn()
    wait_until(lambda: session.state()["beside"]["doing"] == "prepare")
    since = time.monotonic()
    getattr(session, what)()
    assert time.monotonic() - since < 3
    assert what == "stop" or session.state()["beside"]["doing"] != "prepare" or session.run.over
    wait_for_end(session)
    if what == "stop":
        assert not session.state()["beside"]["doing"]
    else:
        wait_until(lambda: session.state()["beside"]["doing"] == "prepare" or session.state()["beside"]["prepared"])
    session.close()
    assert not session.beside.doing


def test_closing_ends_what_is_done_beside(task: Path) -> None:
    session = learning_by(session_of(task), SlowToPrepare)
    session.learn()
    wait_until(lambda: session.state()["beside"]["doing"] == "prepare")
    since = time.monotonic()
    session.close()
    assert time.monotonic() - since < 3
    session.prepare()
    assert not session.beside.doing


# -- which label to ask for -----------------------------------------------------------------------------------


def test_which_label_would_tell_most(tmp_path: Path) -> None:
    session = session_of(write_task(tmp_path / "task", *DIVIDED))
    session.learn()
    wait_for_end(session)
    assert session.doubts() == {"questions": [], "asked": False, "running": False, "old": False, "problem": ""}
    session.ask()
    wait_until(lambda: session.doubts()["asked"])
    told = session.doubts()
    assert [(one["text"], one["label"], one["says"], one["alike"]) for one in told["questions"]] == [
        ("f(b)", False, [1, 1], 0)
    ]
    first = told["questions"][0]
    assert first["rivals"] == [
        {"rules": ["f(A) :- p(A)."], "cost": 3, "covers": True},
        {"rules": ["f(A) :- q(A)."], "cost": 2, "covers": False},
    ]
    assert session.state()["beside"]["prepared"]
    # What somebody looked at is not asked for again.
    session.decide([first["number"]], "keep")
    assert session.doubts()["old"]
    session.ask()
    wait_until(lambda: session.doubts()["asked"])
    assert first["number"] not in [one["number"] for one in session.doubts()["questions"]]


# -- mistakes and exceptions ----------------------------------------------------------------------------------

# `wrong` is labelled as no other that p covers is; a rule for the last two costs what it saves.
MISTAKE = (
    "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nbody_pred(r,1).\nmax_vars(1).\nmax_body(2).\n",
    "".join(f"p(a{n}).\nr(b{n}).\n" for n in range(20)) + "p(wrong).\nq(x0).\nq(x1).\n",
    "pos(f(x0)).\npos(f(x1)).\nneg(f(wrong)).\n" + "".join(f"pos(f(a{n})).\nneg(f(b{n})).\n" for n in range(20)),
)


@pytest.fixture
def mistaken(tmp_path: Path) -> Session:
    return session_of(write_task(tmp_path / "task", *MISTAKE))


def weigh_all(session: Session) -> dict[str, Any]:
    session.weigh()
    wait_until(lambda: not session.state()["weighing"]["running"])
    told: dict[str, Any] = session.state()["weighing"]
    return told


def shown(session: Session, **asked: Any) -> list[tuple[str, str]]:
    rows = session.examples(Question(suspicious_first=True, **asked))["rows"]
    return [(row["text"], row["verdict"]) for row in rows]


def test_suspects_are_weighed(mistaken: Session) -> None:
    mistaken.learn()
    wait_for_end(mistaken)
    assert {verdict for _, verdict in shown(mistaken, show="wrong")} == {""}
    told = weigh_all(mistaken)
    assert told == {
        "running": False, "suspects": 3, "weighed": 3, "doubted": 1, "exception": 2, "old": False, "dropped": False,
        "another": False, "problem": "",
    }  # fmt: skip
    exceptions = [("f(x0)", "exception"), ("f(x1)", "exception")]
    assert shown(mistaken, show="wrong") == [("f(wrong)", "doubted"), *exceptions]
    assert shown(mistaken)[:3] == [("f(wrong)", "doubted"), *exceptions]  # before all that are right
    assert shown(mistaken, show="doubted") == [("f(wrong)", "doubted")]
    assert shown(mistaken, show="exception") == exceptions
    first = mistaken.example(numbers_of(mistaken, "f(wrong)")[0])
    assert first["weighed"] == "a program that agrees costs at least 3 more"


def test_doubted_ones_come_first(tmp_path: Path) -> None:
    """Also where they are less suspicious by what the program makes of them."""
    bias, bk, exs = MISTAKE
    session = session_of(write_task(tmp_path / "task", bias, bk + "p(wrong2).\n", exs + "neg(f(wrong2)).\n" * 4))
    session.learn()
    wait_for_end(session)
    assert [text for text, _ in shown(session, show="wrong")][:2] == ["f(x0)", "f(x1)"]
    weigh_all(session)
    assert [verdict for _, verdict in shown(session, show="wrong")][-2:] == ["exception"] * 2


def test_decisions_that_agree_leave_what_is_doubted(mistaken: Session) -> None:
    mistaken.learn()
    wait_for_end(mistaken)
    weigh_all(mistaken)
    mistaken.decide(numbers_of(mistaken, "f(x0)"), "flip")
    told = mistaken.state()["weighing"]
    assert (told["doubted"], told["old"], told["dropped"]) == (1, True, False)
    mistaken.decide(numbers_of(mistaken, "f(a0)"), "keep")
    assert mistaken.state()["weighing"] == told
    # This is about a label that the program agrees with: other programs may be as good then.
    mistaken.decide(numbers_of(mistaken, "f(a1)"), "flip")
    told = mistaken.state()["weighing"]
    assert (told["weighed"], told["doubted"], told["dropped"]) == (0, 0, True)
    assert {verdict for _, verdict in shown(mistaken, show="wrong")} == {""}
    with pytest.raises(MaxSynthError, match="you changed labels that the program agrees with"):
        mistaken.weigh()
    mistaken.undo()
    assert mistaken.state()["weighing"]["doubted"] == 1
    mistaken.learn()
    wait_for_end(mistaken)
    told = mistaken.state()["weighing"]
    assert (told["weighed"], told["suspects"], told["dropped"]) == (0, 0, False)
    # Now one exception is left: a rule for it would be wrong about the other one.
    assert weigh_all(mistaken)["suspects"] == 2
    assert mistaken.evidence()[numbers_of(mistaken, "f(x1)")[0]] == (2, True)


def test_weighing_is_stopped_with_what_is_known(mistaken: Session) -> None:
    class Watched(Learner):
        def weigh(self, examples: Any, made: Made, note: Note, tell: Any) -> None:
            def first(place: int, weight: Any) -> None:
                tell(place, weight)
                if not place:
                    wait_until(lambda: session.beside.job is not None and session.beside.job.ends)
                    time.sleep(0.3)  # so long it may be until somebody is asked whether to go on

            super().weigh(examples, made, note, first)

    session = learning_by(mistaken, Watched)
    session.learn()
    wait_for_end(session)
    session.weigh()
    wait_until(lambda: session.state()["weighing"]["weighed"] == 1)
    assert session.state()["beside"]["doing"] == "weigh"
    before = [text for text, _ in shown(session, show="wrong")]
    since = time.monotonic()
    session.stop()
    assert time.monotonic() - since < 3
    told = session.state()["weighing"]
    assert (told["running"], told["suspects"], told["weighed"], told["doubted"]) == (False, 3, 1, 1)
    assert [text for text, _ in shown(session, show="wrong")] == before


def test_what_cannot_be_weighed(task: Path) -> None:
    session = learning_by(session_of(task), Slow)
    session.learn()
    wait_until(lambda: session.run.status.tested > 3)
    with pytest.raises(MaxSynthError, match="there is no program yet"):
        session.weigh()
    learning_by(session, Learner)
    session.learn()
    wait_for_end(session)
    session.find_front()
    wait_until(lambda: not session.front()["running"])
    session.take(2, 8)
    assert session.state()["weighing"]["another"]
    with pytest.raises(MaxSynthError, match="by the program that was learned"):
        session.weigh()
    session.take(4, 3)
    assert weigh_all(session)["weighed"] == 3
    cut = session_of(task, timeout=1e-9)
    cut.learn()
    wait_for_end(cut)
    with pytest.raises(MaxSynthError, match="no program is proven yet"):
        cut.weigh()


def test_weighing_by_request(mistaken: Session) -> None:
    with served(mistaken) as site:
        wait_for_end(mistaken)
        assert site.post("weigh") == {}
        wait_until(lambda: site.get("state")["weighing"]["weighed"] == 3)
        wait_until(lambda: not site.get("state")["weighing"]["running"])
        rows = site.get("examples?show=doubted&order=suspicion")["rows"]
        assert [(row["text"], row["verdict"]) for row in rows] == [("f(wrong)", "doubted")]


# -- other programs -------------------------------------------------------------------------------------------


def test_programs_of_other_sizes_are_found_and_taken(task: Path) -> None:
    session = session_of(task)
    session.learn()
    wait_for_end(session)
    session.find_front()
    wait_until(lambda: not session.front()["running"])
    told = session.front()
    points = [(point["size"], point["errors"], point["at_least"], point["proven"]) for point in told["points"]]
    assert points == [(0, 17, 17, True), (2, 8, 8, True), (4, 3, 3, True)]
    assert (told["status"], told["size"], told["larger"], told["taken"]) == ("optimal", 4, [1, 7], 2)
    before = session.state()["shown"]
    assert session.take(2, 8)["taken"] == 1
    assert session.state()["shown"] != before
    view = session.program()
    assert (view["size"], view["fp"] + view["fn"], len(view["rules"])) == (2, 8, 1)
    with pytest.raises(MaxSynthError, match="no longer"):
        session.take(2, 7)
    session.learn()
    wait_for_end(session)
    assert session.program()["size"] == 4
    assert session.front()["points"] == []


def test_a_front_tells_its_points_and_can_be_stopped(task: Path) -> None:
    """Each point has its bound, whenever it ends; the search that is held is not touched."""

    class Watched(Learner):
        def front(self, made: Made, note: Note, on_points: Any, size: int | None, *, apart: bool) -> Any:
            def tell(front: Any) -> None:
                on_points(front)
                told.append(front)
                wait_until(lambda: session.beside.job is not None and session.beside.job.ends)
                time.sleep(0.3)  # so long it may be until somebody is asked whether to go on

            return super().front(made, note, tell, size, apart=apart)

    told: list[Any] = []
    session = learning_by(session_of(task), Watched)
    session.learn()
    wait_for_end(session)
    session.find_front(9)
    wait_until(lambda: bool(told))
    known = session.front()
    assert (known["running"], known["status"]) == (True, "running")
    assert all(point["at_least"] <= point["errors"] for point in known["points"])
    session.stop()
    ended = session.front()
    assert (ended["running"], ended["status"]) == (False, "interrupted")
    assert [point["size"] for point in ended["points"]][:1] == [0]


def test_a_front_while_a_search_is_held(task: Path) -> None:
    session = learning_by(session_of(task), Slow)
    session.learn()
    wait_until(lambda: session.run.status.tested > 3)
    with pytest.raises(MaxSynthError, match="still runs"):
        session.find_front()
    session.hold()
    session.find_front()
    wait_until(lambda: not session.front()["running"])
    assert [point["size"] for point in session.front()["points"]] == [0, 2, 4]
    assert session.run.status.state == HELD
    session.close()
