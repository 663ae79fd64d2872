"""The processes of this machine: who is whose child, who carries a mark, who is who across a restart.

Reads /proc on Linux, and asks psutil elsewhere. Nothing here raises: a process that is gone, or belongs to
another user, is simply not seen.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MARK = "MSD_PROCESS_MARK"  # the variable by which our descendants are known
_LINUX = sys.platform == "linux"
_KILL_PAUSE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One process, told apart from a later one that was given the same number."""

    pid: int
    started: str  # opaque: comparable within one boot alone
    boot: str


@cache
def boot_id() -> str:
    """What tells this boot of the machine from every other, and this container's process numbers from others'."""
    if _LINUX:
        with contextlib.suppress(OSError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116
    import psutil  # here and below: Linux never needs it, and it costs every start

    return f"{int(psutil.boot_time())}/"


def identify(pid: int) -> Identity | None:
    """Who `pid` is now, or None when it is gone (a zombie is gone)."""
    started = _started(pid)
    return None if started is None else Identity(pid=pid, started=started, boot=boot_id())


def is_alive(identity: Identity) -> bool:
    """True while that very process runs, not another one with its number."""
    return identify(identity.pid) == identity


def is_elsewhere(identity: Identity) -> bool:
    """True for a process of another container on this machine: whether it lives cannot be seen from here."""
    here = boot_id()
    return identity.boot != here and identity.boot.partition("/")[0] == here.partition("/")[0]


def _started(pid: int) -> str | None:
    if _LINUX:
        fields = _stat(pid)
        return None if fields is None or fields[0] in {b"Z", b"X"} else fields[19].decode("ascii")
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else repr(process.create_time())
    except psutil.Error:
        return None


def _stat(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat after the name, which may hold spaces and brackets."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None


def _pids() -> list[int]:
    if _LINUX:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names alone
    import psutil

    return psutil.pids()


def _parent(pid: int) -> int | None:
    if _LINUX:
        fields = _stat(pid)
        return None if fields is None else int(fields[1])
    import psutil

    try:
        return psutil.Process(pid).ppid()
    except psutil.Error:
        return None


def mark_of(pid: int) -> str | None:
    """The mark that `pid` was started with, or None; only processes of this user can be asked."""
    if _LINUX:
        try:
            content = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return None
        prefix = f"{MARK}=".encode()
        found = next((pair for pair in content.split(b"\0") if pair.startswith(prefix)), None)
        return None if found is None else found[len(prefix) :].decode("utf-8", "replace")
    import psutil

    try:
        return psutil.Process(pid).environ().get(MARK)
    except (psutil.Error, OSError):
        return None


def is_inside_a_run() -> bool:
    """True when this process or one that it descends from carries a mark: a tool may hide its own variables
    from what it starts, but not those that it was started with."""
    pid: int | None = os.getpid()
    seen: set[int] = set()
    while pid is not None and pid > 1 and pid not in seen:
        if mark_of(pid) is not None:
            return True
        seen.add(pid)
        pid = _parent(pid)
    return False


def marked(is_ours: Callable[[str], bool]) -> list[int]:
    """Every live process whose mark satisfies `is_ours`; never this one."""
    found = []
    for pid in _pids():
        mark = mark_of(pid) if pid != os.getpid() else None
        if mark is not None and is_ours(mark) and _started(pid) is not None:
            found.append(pid)
    return found


def descendants(root: int) -> list[int]:
    """Every process below `root` right now, `root` itself left out."""
    below: dict[int, list[int]] = {}
    for pid in _pids():
        parent = _parent(pid)
        if parent is not None:
            below.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [root] if root > 1 else []
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def send(pids: Iterable[int], number: int) -> None:
    """Signals each of them; never raises."""
    for pid in pids:
        if pid > 1:  # 0 and below mean groups, ours among them
            with contextlib.suppress(OSError):
                os.kill(pid, number)


def send_group(group: int, number: int) -> None:
    """Signals a whole process group; never raises. macOS answers EPERM for a group of zombies."""
    if group > 1:
        with contextlib.suppress(OSError):
            os.killpg(group, number)


def kill_all(find: Callable[[], list[int]], *, bound_s: float) -> int:
    """Kills what `find` finds until it finds nothing, for at most `bound_s`; how many are left.

    On POSIX they are stopped first, all of them, so that none can start another while its siblings die.
    """
    deadline = time.monotonic() + bound_s
    if os.name != "nt":
        frozen: set[int] = set()
        while (fresh := set(find()) - frozen) and time.monotonic() < deadline:
            send(fresh, signal.SIGSTOP)
            frozen |= fresh
    while (left := find()) and time.monotonic() < deadline:
        send(left, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        time.sleep(_KILL_PAUSE_S)
    return len(left)
