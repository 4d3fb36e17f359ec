"""A headless Chromium, spoken to by its debugging protocol over a pair of pipes: no driver, no library."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
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

    def open(self, page: Path | str, width: int, height: int, mobile: bool, scale: int = 2) -> None:
        """Loads a page, a file or an address, into a window of a size, and waits until all of it is there."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale}
        self.ask("Emulation.setDeviceMetricsOverride", **size, mobile=mobile)
        wanted = page if isinstance(page, str) else page.resolve().as_uri()
        for url in ("about:blank", wanted):  # a place in the page that is there would not load it anew
            self.events = []
            self.ask("Page.navigate", url=url)
            while not self.happened("Page.loadEventFired"):
                self.events.append(self.read())

    def happened(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is; of a promise, what it promises."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str, seconds: float = 30.0) -> Any:
        """Waits until an expression is something."""
        end = time.monotonic() + seconds
        while not (found := self.value(f"(found => found instanceof Node ? true : found)({expression})")):
            assert time.monotonic() < end, f"not within {seconds} s: {expression}"
            time.sleep(0.05)
        return found

    def click(self, selector: str) -> None:
        """Clicks in the middle of an element, as a person does."""
        self.until(f"document.querySelector({json.dumps(selector)})")
        x, y = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'});"
            "const box = e.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] })()"
        )
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Presses a key, a letter or one with a name."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = {"Tab": 9, "Enter": 13, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35}.get(
            key, ord(key[0].upper())
        )
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, file: Path) -> None:
        """Writes what is seen now, as PNG."""
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
