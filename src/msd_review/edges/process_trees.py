"""How a process is started so that everything which comes of it can be ended: one way for each platform.

A tree starts its leader, asks all of it to end, kills all of it, and says what is left. Signalling never
raises and every wait is bounded.
"""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msd_review.edges import keeper, process_table
from msd_review.edges.process_child import Child
from msd_review.edges.process_windows import Job

_START_BOUND_S = 60.0  # a loaded machine may take long to start an interpreter; a deadline begins after it
_T = TypeVar("_T")
# The interpreter below a virtual environment: it starts a little faster, and the keeper needs no packages.
_INTERPRETER: str = getattr(sys, "_base_executable", None) or sys.executable


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start: a complete environment, an absolute program, where, and what it reads."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    stdin: int  # a descriptor, or asyncio.subprocess.PIPE / DEVNULL

    def options(self) -> dict[str, Any]:
        pipe = asyncio.subprocess.PIPE
        return {"stdin": self.stdin, "stdout": pipe, "stderr": pipe, "env": dict(self.env), "cwd": self.cwd}


class Tree(Protocol):
    """The processes of one run. `exited` is the leader's status; None when nobody could learn it."""

    exited: asyncio.Future[int | None]

    async def start(self, command: Command, child: Child) -> None:
        """Raises OSError when the program cannot be started."""

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    async def gone(self, bound_s: float) -> int:
        """Waits until nothing is left, killing on; how many processes are."""

    def close(self) -> None: ...


class KeptTree:
    """Linux: below a keeper of its own (see `keeper`), which no descendant can leave."""

    def __init__(self, mark: str) -> None:
        self.exited: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._leader: asyncio.Future[int] = self._loop.create_future()  # its pid, or a negative errno
        self._gone: asyncio.Future[bool] = self._loop.create_future()
        self._mark = mark
        self._control: socket.socket | None = None
        self._child: Child | None = None
        self._heard = b""
        self._is_weak = False
        self._left = 0

    async def start(self, command: Command, child: Child) -> None:
        self._child = child
        try:
            await self._launch(command, child)
        except (OSError, ValueError) as problem:
            _set(self._gone, True)
            if isinstance(problem, OSError) and problem.filename == _INTERPRETER:
                problem.filename = command.argv[0]
            raise
        await asyncio.wait({self._leader}, timeout=_START_BOUND_S)
        if not self._leader.done():
            raise OSError(errno.ETIMEDOUT, f"not started within {_START_BOUND_S:g} s", command.argv[0])
        if self._leader.result() <= 0:
            _set(self._gone, True)
            code = -self._leader.result()
            raise OSError(code, os.strerror(code), command.argv[0])

    async def _launch(self, command: Command, child: Child) -> None:
        ours, theirs = socket.socketpair()
        self._control = ours
        ours.setblocking(False)
        self._loop.add_reader(ours, self._hear)
        with theirs:
            number = theirs.fileno()
            program = (_INTERPRETER, "-I", "-S", keeper.__file__, str(number), *command.argv)
            await self._loop.subprocess_exec(
                lambda: child, *program, pass_fds=(number,), start_new_session=True, **command.options()
            )

    def _hear(self) -> None:
        try:
            heard = self._control.recv(4096) if self._control else b""
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        if not heard:
            self._lost()
        *lines, self._heard = (self._heard + heard).split(b"\n")
        for line in lines:
            word, _, value = line.decode("ascii", "replace").partition(" ")
            self._take(word, int(value) if value.lstrip("-").isdigit() else 0)

    def _take(self, word: str, value: int) -> None:
        match word:
            case "started":
                _set(self._leader, value)
            case "failed":
                _set(self._leader, -value)
            case "exited":
                self._leader_ended(value)
            case "gone":
                _set(self._gone, not self._is_weak)
            case "weak":
                self._is_weak = True
            case _:
                self._left = value
                _set(self._gone, False)

    def _leader_ended(self, status: int | None) -> None:
        _set(self.exited, status)
        if self._child is not None:
            self._child.settle("exited")

    def _lost(self) -> None:
        """The keeper is gone: it did its work, or something killed it."""
        if self._control is not None:
            self._loop.remove_reader(self._control)
        _set(self._leader, -errno.ESRCH)
        _set(self._gone, False)
        self._leader_ended(None)

    def _keeper(self) -> int:
        transport = self._child.transport if self._child is not None else None
        return transport.get_pid() if transport is not None and not self._is_over() else 0

    def _is_over(self) -> bool:
        return self._child is None or self._child.process_ended.done()

    def _order(self, letter: bytes) -> None:
        """Wakes the keeper first, should one of its own have stopped it."""
        process_table.send([self._keeper()], signal.SIGCONT)
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.send(letter)

    def terminate(self) -> None:
        self._order(b"T")

    def kill(self) -> None:
        self._order(b"K")

    async def gone(self, bound_s: float) -> int:
        await asyncio.wait({self._gone}, timeout=bound_s)
        if self._gone.done() and self._gone.result():
            return 0
        left = await asyncio.to_thread(process_table.kill_all, self._below, bound_s=bound_s)
        process_table.send([self._keeper()], signal.SIGKILL)
        return max(left, self._left)

    def _below(self) -> list[int]:
        """What is left when the keeper cannot be relied on: below it, in the leader's group, or with the mark."""
        if self._leader.done():
            process_table.send_group(self._leader.result(), signal.SIGKILL)
        keeper_pid = self._keeper()
        marked = process_table.marked(lambda mark: mark == self._mark)
        return [pid for pid in {*marked, *process_table.descendants(keeper_pid)} if pid != keeper_pid]

    def close(self) -> None:
        if self._control is not None:
            self._loop.remove_reader(self._control)
            self._control.close()
        for future in (self._leader, self._gone, self.exited):
            future.cancel()


class GroupTree:
    """Any POSIX: a session of its own, and whatever below it, or with its mark, can be found.

    Without a mark only the session and what was seen below it are ended: enough for a program that is
    trusted not to hide.
    """

    def __init__(self, mark: str | None) -> None:
        self.exited: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._mark = mark
        self._pid = 0
        self._seen: set[process_table.Identity] = set()
        self._is_gone = False

    async def start(self, command: Command, child: Child) -> None:
        loop = asyncio.get_running_loop()
        await loop.subprocess_exec(lambda: child, *command.argv, start_new_session=True, **command.options())
        self._pid = child.transport.get_pid() if child.transport else 0
        _pass_on(child, self.exited)

    def _look(self) -> list[int]:
        found: set[int] = set()
        if not self.exited.done():
            found.update(process_table.descendants(self._pid))
        if self._mark is not None and self._pid:
            found.update(process_table.marked(lambda mark: mark == self._mark))
        self._seen |= {who for who in map(process_table.identify, found) if who is not None}
        return [who.pid for who in self._seen if process_table.is_alive(who)]

    def _signal(self, number: int) -> None:
        found = self._look()
        process_table.send_group(self._pid, number)
        process_table.send(found, number)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        if not self._is_gone:
            self._signal(signal.SIGKILL)

    async def gone(self, bound_s: float) -> int:
        if not self._pid or self._is_gone:
            return 0
        await asyncio.wait({self.exited}, timeout=bound_s)
        left = 0
        if self._look():
            left = await asyncio.to_thread(process_table.kill_all, self._look, bound_s=bound_s)
        self._is_gone = left == 0
        return left

    def close(self) -> None:
        self.exited.cancel()


class JobTree:
    """Windows: a Job Object, which its processes cannot leave and which ends with us. Not tested there yet."""

    def __init__(self) -> None:
        self.exited: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._job = Job()
        self._pid = 0

    async def start(self, command: Command, child: Child) -> None:
        loop = asyncio.get_running_loop()
        flags = Job.CREATION_FLAGS
        await loop.subprocess_exec(lambda: child, *command.argv, creationflags=flags, **command.options())
        self._pid = child.transport.get_pid() if child.transport else 0
        self._job.take_and_resume(self._pid)
        _pass_on(child, self.exited)

    def terminate(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            os.kill(self._pid, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))

    def kill(self) -> None:
        self._job.terminate()

    async def gone(self, bound_s: float) -> int:
        await asyncio.wait({self.exited}, timeout=bound_s)
        return 0

    def close(self) -> None:
        self._job.close()
        self.exited.cancel()


def _set(future: "asyncio.Future[_T]", value: _T) -> None:
    if not future.done():
        future.set_result(value)


def _pass_on(child: Child, exited: "asyncio.Future[int | None]") -> None:
    """The process that was started is the leader itself: its end is the leader's."""

    def ended(status: "asyncio.Future[int | None]") -> None:
        if not status.cancelled():
            _set(exited, status.result())
            child.settle("exited")

    child.process_ended.add_done_callback(ended)


def new_tree(mark: str | None, *, kept: bool) -> Tree:
    """The tree for this platform; `kept` asks for the one that nothing can leave, where there is one."""
    if os.name == "nt":
        return JobTree()
    if kept and mark is not None and sys.platform == "linux" and _INTERPRETER:
        return KeptTree(mark)
    return GroupTree(mark)
