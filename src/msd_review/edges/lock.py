"""One writer at a time, on this machine.

The lock is the kernel's (`flock`), so it ends with the process that holds it, however that ends: no age of
a file is ever taken for death. Who holds it is written into the file, as process id and start time, for
the message alone.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
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
        os.pwrite(descriptor, f"{os.getpid()} {_started(os.getpid())}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, *, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
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
    words = os.pread(descriptor, 64, 0).decode("ascii", "replace").split()
    if len(words) == 2 and words[0].isdigit() and str(_started(int(words[0]))) == words[1]:
        return f"process {words[0]}"
    return "another process"
