"""One writer at a time, on this machine.

The lock is the kernel's (`flock`, or its like), so it ends with the process that holds it, however that ends: no age of
a file is ever taken for death. Who holds it is written into the file, as process id and start time, for
the message alone.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_PAUSE_S = 0.02


class LockBusy(OSError):
    """Another live process holds the lock; `str()` says which."""


@contextlib.contextmanager
def exclusive(path: Path, *, wait_s: float = 10.0) -> Iterator[None]:
    """Holds the lock file `path` while the block runs; the file stays.

    Raises LockBusy (an OSError) when another process holds it for longer than `wait_s` seconds, and the
    OSError of the platform when the file cannot be made.
    """
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        _take(descriptor, path, wait_s=wait_s)
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid()} {_started(os.getpid())}\n".encode())
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, *, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            _try(descriptor)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                raise LockBusy(f"{path} is held by {_holder(descriptor)}") from None
            time.sleep(_PAUSE_S)
        else:
            return


def _started(process: int) -> float | None:
    # Loaded here: every command reads a store, few of them write one.
    import psutil

    try:
        return psutil.Process(process).create_time()
    except psutil.Error:
        return None


def _holder(descriptor: int) -> str:
    words: list[str] = []
    with contextlib.suppress(OSError):  # where a lock forbids reading too, its holder stays unknown
        os.lseek(descriptor, 0, os.SEEK_SET)
        words = os.read(descriptor, 64).decode("ascii", "replace").split()
    if len(words) == 2 and words[0].isdigit() and str(_started(int(words[0]))) == words[1]:
        return f"process {words[0]}"
    return "another process"
