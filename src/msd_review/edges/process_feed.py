"""Feeds a file into a process's standard input while its output is read elsewhere."""

import asyncio
import contextlib
import io
import os
from pathlib import Path
from typing import BinaryIO

_CHUNK = 64 * 1024
_WINDOWS = os.name == "nt"


class Feed:
    """The way of one file, or of some bytes, into one process; without either it reads an empty input.

    A pipe of ours, not a socket as asyncio would make: tools that open /dev/stdin again cannot open a
    socket. A process that stops reading, or ends, ends the feeding; that is no failure.
    Raises OSError when the file cannot be opened.
    """

    def __init__(self, source: Path | bytes | None) -> None:
        self._source: BinaryIO | None = io.BytesIO(source) if isinstance(source, bytes) else None
        self._ends: list[int] = []
        self.stdin = asyncio.subprocess.DEVNULL
        self._task: asyncio.Task[None] | None = None
        if source is None:
            return
        if _WINDOWS:
            self.stdin = asyncio.subprocess.PIPE
        else:
            self._ends = list(os.pipe())
            self.stdin = self._ends[0]
        if isinstance(source, Path):
            self._source = self._opened(source)

    def _opened(self, path: Path) -> BinaryIO:
        try:
            return path.open("rb")
        except OSError:
            self._close_ends()
            raise

    def begin(self, transport: asyncio.SubprocessTransport | None) -> None:
        """Starts feeding; the process has its end by now, so ours of that end is closed."""
        if self._source is None:
            return
        if _WINDOWS:
            self._task = asyncio.create_task(self._feed_transport(transport))
            return
        os.close(self._ends.pop(0))
        os.set_blocking(self._ends[0], False)
        self._task = asyncio.create_task(self._feed_pipe(self._ends[0]))

    async def _feed_pipe(self, pipe: int) -> None:
        with contextlib.suppress(OSError):
            while self._source is not None and (chunk := self._source.read(_CHUNK)):
                await _write(pipe, memoryview(chunk))
        self._close_ends()

    async def _feed_transport(self, transport: asyncio.SubprocessTransport | None) -> None:
        pipe = transport.get_pipe_transport(0) if transport is not None else None
        if not isinstance(pipe, asyncio.WriteTransport) or self._source is None:
            return
        while not pipe.is_closing() and (chunk := self._source.read(_CHUNK)):
            pipe.write(chunk)
            while pipe.get_write_buffer_size() > 4 * _CHUNK and not pipe.is_closing():  # noqa: ASYNC110 - no other news
                await asyncio.sleep(0.01)
        pipe.close()

    def _close_ends(self) -> None:
        while self._ends:
            os.close(self._ends.pop())

    async def close(self) -> None:
        """Ends the feeding and gives every descriptor back."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._close_ends()
        if self._source is not None:
            self._source.close()


async def _write(pipe: int, rest: memoryview) -> None:
    while rest:
        try:
            rest = rest[os.write(pipe, rest) :]
        except BlockingIOError:
            await _writable(pipe)


async def _writable(pipe: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_writer(pipe, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_writer(pipe)
