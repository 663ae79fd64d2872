"""The pipe to the client: stdin's lines, bounded, and stdout for the protocol alone.

Invariants
- While the server runs, descriptor 0 is the null device and descriptor 1 is stderr: whatever else prints, and whatever
  a process of ours inherits, never reaches the protocol.
- Reading can be given up at any time: it happens in a thread that nothing waits for.
- A line is at most LINE_LIMIT bytes; a longer one ends the conversation, since nothing after it can be trusted to be
  a message's beginning.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator

import anyio

from msd_review.lazy import regex

LINE_LIMIT = 8 * 1024 * 1024
_CHUNK = 64 * 1024
# Every escape, so that none is taken apart; a whole pair before the half (group 1) of one.
_ESCAPE = regex(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_PIECE = 4096  # what a pipe that is writable takes whole


class Lines:
    """The lines that the client sends, until it closes its end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line, decoded; bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        thread = threading.Thread(target=_read, args=(self._descriptor, loop, queue), daemon=True)
        thread.start()
        while (line := await queue.get()) is not None:
            yield whole_characters(line.decode("utf-8", "replace"))


def whole_characters(line: str) -> str:
    """A line of JSON without escaped halves of surrogate pairs, for which the SDK would drop it unanswered."""
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], line)


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[bytes | None]") -> None:
    """Hands over one line at a time and waits for it to be taken, so that a flood stays in the pipe."""
    with contextlib.suppress(RuntimeError):  # the loop has ended: nobody listens any more
        for line in _lines(descriptor):
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
        asyncio.run_coroutine_threadsafe(queue.put(None), loop).result()


def _lines(descriptor: int) -> Iterator[bytes]:
    held = bytearray()
    while chunk := _chunk(descriptor):
        held += chunk
        *whole, rest = bytes(held).split(b"\n")
        yield from (line for line in whole if line.strip())
        held = bytearray(rest)
        if len(held) > LINE_LIMIT:
            sys.stderr.write(f"msd: error: a message of more than {LINE_LIMIT:,} bytes; the server ends\n")
            return
    if held.strip():
        yield bytes(held)


def _chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


class Pen:
    """Where messages for the client go."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        """Writes all of it, and waits for the client to take it; one that went away is no error of ours."""
        rest = memoryview(text.encode("utf-8", "replace"))
        with contextlib.suppress(OSError):
            while rest:
                await _writable(self._descriptor)
                rest = rest[os.write(self._descriptor, rest[:_PIECE]) :]

    async def flush(self) -> None:
        """Nothing is held back."""


async def _writable(descriptor: int) -> None:
    """Returns when a piece can be written without waiting; at once for what has no such state, as a file."""
    if sys.platform != "win32":
        with contextlib.suppress(PermissionError):
            await anyio.wait_writable(descriptor)


@contextlib.contextmanager
def own_streams() -> Iterator[tuple[Lines, Pen]]:
    """The client's two streams, taken out of everybody else's reach."""
    sys.stdout.flush()
    stdin, stdout = _above_standard(0), _above_standard(1)
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(null, 0)
        os.dup2(2, 1)
        yield Lines(stdin), Pen(stdout)
    finally:
        os.dup2(stdout, 1)
        os.close(null)


def _above_standard(descriptor: int) -> int:
    """A private duplicate that no child inherits."""
    copy = os.dup(descriptor)
    os.set_inheritable(copy, False)
    return copy
