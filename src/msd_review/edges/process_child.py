"""What one started process tells us, as it happens: its output, kept under a cap, and that it has ended."""

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from msd_review.edges import files
from msd_review.edges.faults import fault_point

CauseKind = Literal[
    "exited",
    "timeout",
    "idle_timeout",
    "output_limit",
    "write_failed",
    "login_prompt",
    "replied",
    "cancelled",
]
STREAMS = {1: "stdout", 2: "stderr"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a process's run is over; `problem` is one line for a person."""

    kind: CauseKind
    problem: str | None = None


class OutputFull(Exception):
    """The cap is reached; what fitted is kept."""


class Sink(Protocol):
    """Where one stream goes. `write` raises OutputFull at the cap, and OSError when it cannot be kept."""

    count: int

    def write(self, chunk: bytes) -> None: ...

    def close(self) -> None: ...


class FileSink:
    """Writes through to a new private file: nothing is held in memory, so nothing is lost when we are killed.

    A file that somebody removed or replaced meanwhile is there again, with what was written, once this is closed.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.count = 0
        self._path = path
        self._limit = limit
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._descriptor = os.open(path, flags, 0o600)

    def write(self, chunk: bytes) -> None:
        fits = memoryview(chunk)[: self._limit - self.count]
        is_cut = len(fits) < len(chunk)
        while fits:
            written = os.write(self._descriptor, fits)
            self.count += written
            fits = fits[written:]
        if is_cut:
            raise OutputFull

    def close(self) -> None:
        try:
            files.put_back(self._path, self._descriptor)
        finally:
            os.close(self._descriptor)


class BytesSink:
    """Keeps a short output in memory; what is past the limit is read and dropped."""

    def __init__(self, limit: int) -> None:
        self.count = 0
        self.content = bytearray()
        self._limit = limit

    def write(self, chunk: bytes) -> None:
        self.content += chunk[: self._limit - len(self.content)]
        self.count += len(chunk)

    @property
    def is_cut(self) -> bool:
        return self.count > len(self.content)

    def close(self) -> None:
        pass


class Child(asyncio.SubprocessProtocol):
    """The receiving end of one process. `cause` is set once, by whatever ends the run first."""

    def __init__(self, sinks: dict[int, Sink]) -> None:
        self.loop = asyncio.get_running_loop()
        self.sinks = sinks
        self.cause: asyncio.Future[Cause] = self.loop.create_future()
        self.drained: asyncio.Future[None] = self.loop.create_future()
        self.process_ended: asyncio.Future[int | None] = self.loop.create_future()
        self.closed: asyncio.Future[None] = self.loop.create_future()
        self.broken: Cause | None = None  # the first stream that could not be kept whole
        self.last_output = self.loop.time()
        self.transport: asyncio.SubprocessTransport | None = None
        self._open = set(sinks)

    def settle(self, kind: CauseKind, problem: str | None = None) -> None:
        """Says why the run is over; the first to say so wins."""
        if not self.cause.done():
            self.cause.set_result(Cause(kind=kind, problem=problem))

    def sizes(self) -> tuple[int, int]:
        """Bytes kept of stdout and of stderr."""
        return self.sinks[1].count, self.sinks[2].count

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.SubprocessTransport):
            self.transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if sum(self.sizes()) == 0:
            fault_point("process.first_output")
        self.last_output = self.loop.time()
        try:
            self.sinks[fd].write(data)
        except OutputFull:
            self._break(
                fd,
                Cause(
                    kind="output_limit",
                    problem=f"{STREAMS[fd]} passed its limit of {self.sinks[fd].count:,} bytes",
                ),
            )
        except OSError as problem:
            text = f"{STREAMS[fd]} could not be written down: {problem.strerror or problem}"
            self._break(fd, Cause(kind="write_failed", problem=text))

    def _break(self, fd: int, cause: Cause) -> None:
        self.broken = self.broken or cause
        self.settle(cause.kind, cause.problem)
        pipe = self.transport.get_pipe_transport(fd) if self.transport else None
        if pipe is not None:
            pipe.close()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        if not self.process_ended.done():
            self.process_ended.set_result(self.transport.get_returncode() if self.transport else None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

    async def close(self, *, bound_s: float) -> None:
        """Gives every descriptor back; never raises and never waits longer than the bound."""
        if self.transport is not None:
            # Closing polls the process, and would take its status away from the one who waits for it.
            await asyncio.wait({self.process_ended}, timeout=bound_s)
            self.transport.close()
            await asyncio.wait({self.closed}, timeout=bound_s)
        for future in (self.cause, self.drained, self.process_ended, self.closed):
            future.cancel()
        for sink in self.sinks.values():
            with contextlib.suppress(OSError):
                sink.close()
