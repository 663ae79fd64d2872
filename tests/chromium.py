"""A real headless Chromium, driven over its debugging pipe with the standard library alone."""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)
_SECONDS = 60.0


def find_chromium() -> str:
    """The browser's path; skips the test, and says why, where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine: the HTML page was not tried in a real browser")
    return found


class Chromium:
    """One browser with one page. `problems` are console errors and exceptions, `requests` every URL asked for."""

    def __init__(self, binary: str, profile: Path) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._events: list[str] = []
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self._process = self._start(binary, profile)

    def _start(self, binary: str, profile: Path) -> int:
        their_in, self._out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in os.pipe())
        self._in, their_out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in os.pipe())
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, their_in, 3),
            (os.POSIX_SPAWN_DUP2, their_out, 4),
        ]
        arguments = [binary, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        started = os.posix_spawn(binary, arguments, dict(os.environ), file_actions=actions, setpgroup=0)
        os.close(their_in)
        os.close(their_out)
        return started

    def __enter__(self) -> Self:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._in)
        os.close(self._out)

    def open(self, page: Path) -> None:
        """Loads a file and waits until it is there."""
        self.send("Page.navigate", url=page.as_uri())
        while "Page.loadEventFired" not in self._events:
            self._take(self._receive())

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Presses and releases one key."""
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **extra
            )

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._take(answer)

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + _SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            chunk = os.read(self._in, 65_536)
            assert chunk, "the browser went away"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _take(self, event: dict[str, Any]) -> None:
        name, parameters = event.get("method", ""), event.get("params", {})
        self._events.append(name)
        if name == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if name == "Runtime.exceptionThrown":
            self.problems.append(str(parameters["exceptionDetails"]))
        if name == "Log.entryAdded" and parameters["entry"]["level"] in {"error", "warning"}:
            self.problems.append(parameters["entry"]["text"])
        if name == "Runtime.consoleAPICalled" and parameters["type"] in {"error", "warning", "assert"}:
            self.problems.append(str(parameters["args"]))


@contextlib.contextmanager
def opened(page: Path, folder: Path) -> Iterator[Chromium]:
    """A browser that shows `page`, with its profile below `folder`."""
    with Chromium(find_chromium(), folder / "profile") as browser:
        browser.open(page)
        yield browser
