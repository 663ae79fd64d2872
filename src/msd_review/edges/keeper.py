"""Stands between msd and the processes of one lane on Linux, so that none of them outlives the lane.

Started as a script of its own (`python -I -S keeper.py CONTROL_FD BINARY ARG...`), one for each lane: it
imports as little as it can, since its start-up time is every lane's.

Invariants
- It is a child subreaper: whatever the lane starts, however often it forks, leaves its group or its session,
  or clears its environment, stays below this process and is found by walking /proc.
- It holds no pipe of the lane's: the reader sees the end of output when the lane's own processes are gone.
- When msd dies (the control socket ends), it ends the lane at once.

Spoken on the control socket: from here `weak` (it could not become a subreaper), `started PID`, `failed ERRNO`,
`exited STATUS` (negative: the signal), `gone` or `left COUNT`, one a line; to here `T` (ask every process to end) and `K` (kill them all, then leave).
"""

import ctypes
import errno
import os
import select
import signal
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36
_ORPHANED_GRACE_S = 1.0  # between TERM and KILL when msd itself is gone
_KILL_BOUND_S = 5.0
_OWN_CHILDREN = f"/proc/self/task/{os.getpid()}/children"
_BUSY_TRIES = 20
# A binary that is just being written, and a machine that is short of processes, may be ready in a moment.
_PASSING = {errno.ETXTBSY, errno.EAGAIN}
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)
_RESET = tuple(s for s in (*_IGNORED, signal.SIGQUIT, signal.SIGCHLD, signal.SIGXFSZ))


def _initial_environment() -> dict[bytes, bytes]:
    """The environment as it was handed over; the interpreter may have added to its own copy."""
    with open("/proc/self/environ", "rb") as handle:  # noqa: PTH123 - pathlib would double the start-up time
        pairs = handle.read().split(b"\0")
    return dict(pair.split(b"=", 1) for pair in pairs if b"=" in pair)


def _start(argv: list[str]) -> int:
    for attempt in range(_BUSY_TRIES):
        try:
            return os.posix_spawn(
                argv[0], argv, _initial_environment(), setsid=True, setsigmask=(), setsigdef=_RESET
            )
        except OSError as problem:
            if problem.errno not in _PASSING or attempt == _BUSY_TRIES - 1:
                raise
            time.sleep(0.05)
    raise AssertionError("unreachable")


def _let_go_of_pipes() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _children(pid: int) -> list[int]:
    """Straight from the kernel, thread by thread: quick enough for processes that live for a millisecond."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with open(f"/proc/{pid}/task/{task}/children", "rb") as handle:  # noqa: PTH123
                found += map(int, handle.read().split())
    except OSError:  # it ended meanwhile
        pass
    return found


def _scan() -> dict[int, list[int]]:
    """The same for every process, where the kernel keeps no lists of children."""
    table: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would double the start-up time
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as handle:  # noqa: PTH123
                parent = int(handle.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        table.setdefault(parent, []).append(int(name))
    return table


def _descendants() -> list[int]:
    table = {} if os.path.exists(_OWN_CHILDREN) else _scan()  # noqa: PTH110
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        children = table.get(pid, []) if table else _children(pid)
        found += children
        waiting += children
    return found


def _signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:  # gone, or not ours to signal
            continue


class _Keeper:
    def __init__(self, control: int, leader: int) -> None:
        self.control = control
        self.leader = leader

    def say(self, line: str) -> None:
        try:
            os.write(self.control, line.encode() + b"\n")
        except OSError:  # msd is gone, which is noticed when reading
            return

    def reap(self) -> bool:
        """Buries the dead; False when nothing is left alive or dead below this process."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.leader:
                self.say(f"exited {os.waitstatus_to_exitcode(status)}")

    def ask_to_end(self) -> None:
        _signal_all(_descendants(), signal.SIGTERM)

    def kill_all(self) -> None:
        """Freezes before killing, so that a process that forks faster than we kill cannot win."""
        deadline = time.monotonic() + _KILL_BOUND_S
        frozen: set[int] = set()
        while fresh := [pid for pid in _descendants() if pid not in frozen]:
            _signal_all(fresh, signal.SIGSTOP)
            frozen.update(fresh)
            if time.monotonic() > deadline:
                break
        while (is_left := self.reap()) and time.monotonic() < deadline:
            _signal_all([-self.leader, *_descendants()], signal.SIGKILL)
            time.sleep(0.001)
        self.say(f"left {max(1, len(_descendants()))}" if is_left else "gone")

    def wait_for_deaths(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.reap() and time.monotonic() < deadline:
            time.sleep(0.02)

    def serve(self, wake: int) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if wake in ready:
                os.read(wake, 4096)
                self.reap()
            if self.control in ready and not self.obey():
                return

    def obey(self) -> bool:
        try:
            order = os.read(self.control, 64)
        except OSError:
            order = b""
        if not order:
            self.ask_to_end()
            self.wait_for_deaths(_ORPHANED_GRACE_S)
        elif b"K" not in order:
            self.ask_to_end()
            return True
        self.kill_all()
        return False


def _catch_deaths() -> int:
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    return read


def main(arguments: list[str]) -> None:
    """`arguments`: the control descriptor's number, then the command line to run."""
    control = int(arguments[0])
    os.set_inheritable(control, False)
    wake = _catch_deaths()
    keeper = _Keeper(control, 0)
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        keeper.say("weak")
    try:
        keeper.leader = _start(arguments[1:])
    except OSError as problem:
        keeper.say(f"failed {problem.errno}")
        return
    keeper.say(f"started {keeper.leader}")
    _let_go_of_pipes()
    keeper.serve(wake)


if __name__ == "__main__":
    main(sys.argv[1:])
