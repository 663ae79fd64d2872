"""A process of ours that stays, and is spoken to in lines: one question, one answer.

Invariants
- It has a session of its own: a Ctrl-C of the terminal reaches it through us, or not at all.
- Its stdin is the proof that we live. A process that is started here ends when that ends, so nothing is left
  behind when we are killed.
- A line has a bound; one that is longer ends the process, and is never held whole.
"""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msd_review.edges import clock

MAX_LINE = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


class Gone(OSError):
    """The process ended, or said what it must not; `str()` says which."""


def python_module(name: str, *arguments: str) -> tuple[str, ...]:
    """The command line of a module of ours; the current folder is never looked into for code."""
    return (sys.executable, "-P", "-m", name, *arguments)


class LineProcess:
    """One such process. Not to be used by two threads at once, but for `end` and `say`."""

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, log: Path | None = None
    ) -> None:
        """Starts it; its stderr is appended to `log`, else goes where ours does. Raises OSError."""
        with contextlib.ExitStack() as stack:
            stderr = stack.enter_context(log.open("ab")) if log is not None else None
            self._process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=dict(env),
                cwd=cwd,
                start_new_session=True,
                close_fds=True,
            )
        self._held = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def say(self, line: bytes) -> None:
        """Sends one line (without its end). Raises Gone."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as problem:
            raise Gone(f"it cannot be spoken to: {problem}") from None

    def hear(self, *, timeout_s: float | None = None) -> bytes:
        """The next line (without its end). Raises Gone, and TimeoutError after `timeout_s` seconds."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = None if timeout_s is None else clock.monotonic() + timeout_s
        searched = 0
        while (at := self._held.find(b"\n", searched)) < 0:
            searched = len(self._held)
            if searched > MAX_LINE:
                self.kill()
                raise Gone(f"it said more than {MAX_LINE} bytes at once")
            _wait(descriptor, deadline)
            chunk = os.read(descriptor, _CHUNK)
            if not chunk:
                raise Gone(f"it ended{_how(self._process)}")
            self._held += chunk
        line, self._held = self._held[:at], self._held[at + 1 :]
        return line

    def hang_up(self) -> None:
        """Closes its stdin, which asks it to end; does not wait."""
        with contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def kill(self) -> None:
        """Ends it on the spot."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def end(self, *, grace_s: float) -> int | None:
        """Asks it to end, kills it after `grace_s` seconds, and returns its exit status. Never raises."""
        self.hang_up()
        try:
            return self._process.wait(timeout=grace_s)
        except subprocess.TimeoutExpired:
            self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=5.0)
        return None


def _wait(descriptor: int, deadline: float | None) -> None:
    if deadline is None:
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    left = max(0.0, deadline - clock.monotonic())
    if not poll.poll(left * 1000):
        raise TimeoutError("no line came in time")


def _how(process: "subprocess.Popen[bytes]") -> str:
    with contextlib.suppress(subprocess.TimeoutExpired):
        return f" with status {process.wait(timeout=2.0)}"
    return ""
