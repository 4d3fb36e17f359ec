"""A headless Chromium, spoken to by its debugging protocol over a pair of pipes: no driver, no library."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

FOUND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# It reads from descriptor 3 and writes to 4.
LAUNCH = (
    "import os, sys\nos.dup2(int(sys.argv[1]), 3)\nos.dup2(int(sys.argv[2]), 4)\nos.execv(sys.argv[3], sys.argv[3:])"
)
FLAGS = ("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-background-networking", "--disable-component-update")  # fmt: skip


class Chromium:
    """One browser with one tab. `events` are what it told without being asked."""

    def __init__(self, profile: Path) -> None:
        assert FOUND is not None
        (theirs_in, self.ours_out), (self.ours_in, theirs_out) = os.pipe(), os.pipe()
        given = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (theirs_in, theirs_out)]
        browser = [FOUND, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *map(str, given), *browser],
            pass_fds=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for end in (theirs_in, theirs_out, *given):
            os.close(end)
        self.events: list[dict[str, Any]] = []
        self.waiting = b""
        self.number = 0
        self.session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.ours_out)
        os.close(self.ours_in)
        self.process.kill()
        self.process.wait()

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """The answer to a command."""
        self.number += 1
        message: dict[str, object] = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.ours_out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def read(self) -> dict[str, Any]:
        while b"\0" not in self.waiting:
            part = os.read(self.ours_in, 1 << 16)
            assert part, "the browser ended"
            self.waiting += part
        text, _, self.waiting = self.waiting.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def open(self, page: Path, width: int, height: int, mobile: bool) -> None:
        """Loads a page into a window of a size, and waits until all of it is there."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=mobile)
        self.events = []
        self.ask("Page.navigate", url=page.resolve().as_uri())
        while not self.happened("Page.loadEventFired"):
            self.events.append(self.read())

    def happened(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")
