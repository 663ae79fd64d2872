"""Runs the real `msd` on a terminal of its own, and types what a person would."""

import contextlib
import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.installed import MSD, Desk

BOUND_S = 60


@dataclass(frozen=True)
class Shown:
    """What stood on the terminal, and how the command ended."""

    code: int
    text: str


def on_a_terminal(desk: Desk, *arguments: str, replies: Sequence[tuple[str, str]] = ()) -> Shown:
    """Runs `msd`; each reply is typed when what comes before it, since the last reply, is on the screen."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [*MSD, *arguments],
            cwd=desk.project,
            env={**desk.env(), "TERM": "xterm", "COLUMNS": "200"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
    finally:
        os.close(theirs)
    try:
        text = _converse(ours, list(replies))
        code = process.wait(BOUND_S)
    finally:
        os.close(ours)
        if process.poll() is None:
            process.kill()
            process.wait()
    assert "Traceback" not in text, text
    return Shown(code=code, text=text.replace("\r\n", "\n"))


def _converse(screen: int, replies: list[tuple[str, str]]) -> str:
    text, seen = "", 0
    deadline = time.monotonic() + BOUND_S
    while time.monotonic() < deadline:
        ready, _, _ = select.select([screen], [], [], 0.2)
        if not ready:
            continue
        came = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            came = os.read(screen, 65536)
        if not came:
            break
        text += came.decode("utf-8", "replace")
        if replies and replies[0][0] in text[seen:]:
            os.write(screen, replies.pop(0)[1].encode())
            seen = len(text)
    assert not replies, f"never asked: {replies}\n{text[:2000]}"
    return text
