"""Who may speak with the studio: the page that it served itself, and nobody else.

Any page that a person has open may send requests to this machine, and with a name of its own that it lets point here
("DNS rebinding") it may read the answers too. So a request is refused unless it

- names this address as its host, which a rebound name does not;
- comes from no other origin, as far as the browser says where it comes from;
- has the token in its path, which is drawn anew at each start and known to who started it alone;
- and is small. Nothing that the page sends is large.

The token is in the path and not in a cookie: cookies go to every server on this machine, whatever its port.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

MOST_BODY = 1 << 20  # bytes
MOST_ADDRESS = 8 << 10
PATIENCE = 1.0  # seconds for the body of a request that is refused
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Guard:
    """Stands before an application, which sees only what is allowed, with the token taken off the path."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app = app
        self.token = token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no other protocol is spoken here
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = guarded_send(send)
        problem = self.problem(scope)
        if problem is not None:
            await let_come(receive)
            await refuse(guarded, *problem)
            return
        body = await whole_body(receive)
        if body is None:
            await refuse(guarded, 413, "the request is too large")
            return
        path = scope["path"].removeprefix(f"/{self.token}")
        await self.app({**scope, "path": path, "raw_path": path.encode()}, once(body, receive), guarded)

    def problem(self, scope: Message) -> tuple[int, str] | None:
        """Why a request is refused: a status, and what is said; None for one that is welcome."""
        named = headers_of(scope)
        if named.get("host") not in self.hosts:
            return 421, "this address is not served here"
        if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_ADDRESS:
            return 414, "the address is too long"
        if named.get("origin", next(iter(self.origins))) not in self.origins:
            return 403, "requests of other pages are refused"
        if named.get("sec-fetch-site", "none") not in ("same-origin", "none") and not self.opens(scope, named):
            return 403, "requests of other pages are refused"
        _, _, path = scope["path"].partition("/")
        given, slash, _ = path.partition("/")
        if not slash or not secrets.compare_digest(given.encode(), self.token.encode()):
            return 403, "the address lacks its token: open the one that was printed"
        return self.body_problem(scope["method"], named)

    def opens(self, scope: Message, named: dict[str, str]) -> bool:
        """Whether somebody follows a link to the page, as in a terminal that is a page itself: who set the link gets
        nothing of what is shown."""
        to = named.get("sec-fetch-mode"), named.get("sec-fetch-dest"), scope["method"]
        return to == ("navigate", "document", "GET") and scope["path"] == f"/{self.token}/"

    @staticmethod
    def body_problem(method: str, named: dict[str, str]) -> tuple[int, str] | None:
        if method not in ("GET", "HEAD", "POST"):
            return 405, "there is no such method"
        if method != "POST":
            return None
        if named.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            return 415, "only JSON is taken"  # a form of another page cannot send that
        length = named.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            return 413, "the request is too large"
        return None


def headers_of(scope: Message) -> dict[str, str]:
    """By name. One that is given twice is none of ours: the two are put together, and then fit nothing."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


async def whole_body(receive: Receive) -> bytes | None:
    """The body of a request; None where more comes than allowed, whatever its headers say."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":  # the other side is gone
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BODY:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


async def let_come(receive: Receive) -> None:
    """Takes what is sent, if it is soon and not too much: who closes before that, resets, and nobody hears why."""
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(whole_body(receive), PATIENCE)


def once(body: bytes, receive: Receive) -> Receive:
    """The body again, for who is asked next; after it, what else comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def take() -> Message:
        return left.pop() if left else await receive()

    return take


def guarded_send(send: Send) -> Send:
    """Every answer says what a browser may do with it."""

    async def give(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await send(message)

    return give


async def refuse(send: Send, status: int, why: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"maxsynth studio: {why}\n".encode()})
