"""Answers the page: its files, which are known by their names, and what it asks of a session, as JSON.

No request names a file on the disk. What is asked runs in threads, so that a long question does not keep the others
waiting; an error of the user is an answer with its text, and an error of ours one without it.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from maxsynth.errors import MaxSynthError, one_line
from maxsynth.studio.asking import Question, whole
from maxsynth.studio.server_files import KINDS, page_files
from maxsynth.studio.session import Session

Answer = Callable[[Any], object]

MOST_SIZE = 1000  # of programs that somebody may look for


def make_app(session: Session) -> Starlette:
    known = page_files()

    def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in known:
            return Response("there is no such page\n", 404, media_type="text/plain")
        return Response(known[name], media_type=KINDS[f".{name.rpartition('.')[2]}"])

    asked = [Route(f"/api/{name}", getting(answer), methods=["GET"]) for name, answer in questions(session).items()]
    done = [Route(f"/api/{name}", posting(answer), methods=["POST"]) for name, answer in actions(session).items()]
    return Starlette(routes=[*asked, *done, Route("/", page), Route("/{name}", page)])


def questions(session: Session) -> dict[str, Answer]:
    """What may be asked; nothing changes by it."""
    return {
        "state": lambda given: session.state(whole(given.get("run", "0")), whole(given.get("since", "0"))),
        "program": lambda given: session.program(),
        "examples": lambda given: session.examples(Question.of(given)),
        "example": lambda given: session.example(whole(given.get("number", ""))),
        "front": lambda given: session.front(),
        "doubts": lambda given: session.doubts(),
        "data": lambda given: session.data(),
        "export": lambda given: session.export(given.get("to", ""), given.get("dialect")),
    }


def actions(session: Session) -> dict[str, Answer]:
    """What may be done."""
    return {
        "learn": lambda given: session.learn(anew=given.get("anew") is True),
        "hold": lambda given: session.hold(),
        "go-on": lambda given: session.go_on(),
        "decide": lambda given: session.decide(numbers_in(given), text_in(given, "decision")),
        "undo": lambda given: session.undo(),
        "find-front": lambda given: session.find_front(size_in(given)),
        "ask": lambda given: session.ask(),
        "weigh": lambda given: session.weigh(),
        "stop": lambda given: session.stop(),
        "take": lambda given: session.take(whole_in(given, "size"), whole_in(given, "errors")),
        "wish": lambda given: session.wish(needed(given, "table"), needed(given, "column"), text_in(given, "role")),
    }


def getting(answer: Answer) -> Callable[[Request], Any]:
    async def ask(request: Request) -> Response:
        return await answered(answer, dict(request.query_params))

    return ask


def posting(answer: Answer) -> Callable[[Request], Any]:
    async def do(request: Request) -> Response:
        try:
            given = json.loads(await request.body() or b"{}")
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            return JSONResponse({"problem": "this is no JSON of an object"}, 400)
        return await answered(answer, given)

    return do


async def answered(answer: Answer, given: dict[str, Any]) -> Response:
    try:
        told = await run_in_threadpool(answer, given)
        return Response(json.dumps(told if told is not None else {}), media_type="application/json")
    except MaxSynthError as error:
        return JSONResponse({"problem": one_line(str(error))}, 400)
    except Exception:  # what went wrong is for who started the studio, not for who asks
        traceback.print_exc(file=sys.stderr)
        return JSONResponse({"problem": "this went wrong; the terminal of the studio says how"}, 500)


def size_in(given: dict[str, Any]) -> int | None:
    """How many literals programs may have; None for as many as are worth it."""
    if given.get("size") is None:
        return None
    size = whole_in(given, "size")
    if not 0 < size <= MOST_SIZE:
        raise MaxSynthError("programs of that size are not looked for", remedy=f"give a size from 1 to {MOST_SIZE}")
    return size


def numbers_in(given: dict[str, Any]) -> list[int]:
    found = given.get("numbers")
    if not isinstance(found, list) or not all(type(number) is int for number in found):
        raise MaxSynthError("a decision is about numbers of examples")
    return found


def text_in(given: dict[str, Any], name: str) -> str | None:
    text = given.get(name)
    if text is not None and not isinstance(text, str):
        raise MaxSynthError(f"{name} is no text")
    return text


def needed(given: dict[str, Any], name: str) -> str:
    text = text_in(given, name)
    if text is None:
        raise MaxSynthError(f"{name} is missing")
    return text


def whole_in(given: dict[str, Any], name: str) -> int:
    number = given.get(name)
    if type(number) is not int:
        raise MaxSynthError(f"{name} is no whole number")
    return number
