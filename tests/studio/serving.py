"""A studio in a thread of the tests, and requests to it of every kind."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from maxsynth.commands.viewing.opening import open_folder
from maxsynth.studio.decisions import Decisions, place_beside
from maxsynth.studio.serve import Service
from maxsynth.studio.session import Opened, Session

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,1).\nbody_pred(r,2).\nmax_vars(3).\nmax_body(3).\n"
# p covers a0 to a8, of which a7 and a8 are negative; q covers a20 to a28; a30 to a59 are negative, but a30.
BK = "".join(f"p(a{n}).\n" for n in range(9)) + "".join(f"q(a{n}).\nr(a{n},b{n}).\n" for n in range(20, 29))
EXS = (
    "".join(f"pos(f(a{n})).\n" for n in [*range(7), *range(20, 29), 30])
    + "".join(f"neg(f(a{n})).\n" for n in [7, 8, *range(31, 60)])
)  # fmt: skip


def write_task(folder: Path, bias: str = BIAS, bk: str = BK, exs: str = EXS) -> Path:
    folder.mkdir(parents=True)
    for name, text in {"bias.pl": bias, "bk.pl": bk, "exs.pl": exs}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def session_of(folder: Path, **how: Any) -> Session:
    return session_with(open_folder(folder, "auto"), **how)


def session_with(opened: Opened, **how: Any) -> Session:
    labels = place_beside(opened.place, Path.cwd())
    return Session(opened, Decisions(labels), {"jobs": 1, **how})


def wait_for_end(session: Session) -> None:
    assert session.run.done.wait(60)


class Site:
    """The address of a studio, and how to speak with it."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.address, self.base = address, parts.path
        self.host, self.port = parts.hostname or "", parts.port or 0

    def ask(
        self, path: str, *, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the text of an answer; `path` begins with a slash where it is meant as a whole."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            whole = path if path.startswith("/") else self.base + path
            connection.request(method, whole, body=body, headers=headers or {})
            answer = connection.getresponse()
            self.headers = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        status, text = self.ask(f"api/{path}")
        assert status == 200, text
        return json.loads(text)

    def post(self, path: str, **given: object) -> Any:
        headers = {"Content-Type": "application/json"}
        status, text = self.ask(f"api/{path}", method="POST", body=json.dumps(given).encode(), headers=headers)
        assert status == 200, text
        return json.loads(text)


@contextmanager
def served(session: Session) -> Iterator[Site]:
    service = Service(session)
    thread = threading.Thread(target=service.run, daemon=True)
    session.learn()
    thread.start()
    until = time.monotonic() + 20
    while not service.server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield Site(service.address)
    finally:
        service.stop()
        thread.join(20)
