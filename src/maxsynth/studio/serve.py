"""Serves a session on this machine until it is told to end."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import webbrowser

import uvicorn

from maxsynth.errors import MaxSynthError
from maxsynth.studio.guard import Guard
from maxsynth.studio.server import make_app
from maxsynth.studio.session import Session

HOST = "127.0.0.1"  # never another: nobody else's machine may ask
AT_A_TIME = 100  # connections; the page needs a few. Whoever comes then is told to try again
WAITING = 512  # connections that may wait to be taken


class Service:
    """A session at an address of its own."""

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        self.listener = listen(port)
        port = self.listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://{HOST}:{port}/{token}/"
        config = uvicorn.Config(
            Guard(make_app(session), token, port),
            log_level="critical",
            access_log=False,
            limit_concurrency=AT_A_TIME,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=5,
            server_header=False,
            ws="none",
            lifespan="off",
        )
        self.server = uvicorn.Server(config)

    def run(self) -> None:
        """Until a signal comes, which is the caller's to handle as well, or until it is stopped."""
        try:
            self.server.run(sockets=[self.listener])
        finally:
            self.session.close()
            self.listener.close()

    def stop(self) -> None:
        self.server.should_exit = True


def serve(session: Session, *, port: int = 0, browse: bool = True) -> None:
    service = Service(session, port)
    print(f"{service.address}\n(Ctrl-C ends the studio)", flush=True)
    if browse and has_screen():
        threading.Thread(target=webbrowser.open, args=(service.address,), daemon=True).start()
    session.learn()
    service.run()


def listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise MaxSynthError(
            f"port {port} cannot be had: {error.strerror}", remedy="give another, or none: a free one is taken"
        ) from None
    listener.listen(WAITING)
    return listener


def has_screen() -> bool:
    """Whether a browser could show something: without a screen, some would take the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
