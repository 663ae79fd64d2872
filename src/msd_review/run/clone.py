"""Copies one file so that a write to the copy can never reach the original: reflinked where the disk can, else copied.

Never hard-linked, never through a link, never a device or a pipe.
"""

import errno
import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path

if sys.platform == "linux":
    import fcntl

_FICLONE = 0x40049409
_CHUNK = 1024 * 1024
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if sys.platform != "win32" else {errno.ENOSPC, errno.EFBIG}
_CANNOT_CLONE = {errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.EPERM, errno.ENOSYS}


class CannotCopy(Exception):
    """There can be no copy: the tree is too large, or the disk too small; `str()` says which."""


@dataclass(slots=True)
class Tally:
    """What was copied so far, and how much may be."""

    max_files: int
    max_bytes: int
    files: int = 0
    bytes: int = 0
    cloned: int = 0
    skipped: list[str] = field(default_factory=list)
    can_clone: bool = sys.platform == "linux"

    def count(self, size: int) -> None:
        """Counts a file before it is copied. Raises CannotCopy."""
        self.files += 1
        self.bytes += size
        if self.files > self.max_files:
            raise CannotCopy(f"it has more than {self.max_files:,} files")
        if self.bytes > self.max_bytes:
            raise CannotCopy(f"it has more than {self.max_bytes / 1024**3:.0f} GiB")


def copy_file(source: Path, target: Path, tally: Tally) -> bool:
    """Copies a regular file with its execute bit; False when `source` is none, or is gone or unreadable.

    Raises CannotCopy, and OSError for a target that cannot be written.
    """
    try:
        descriptor = os.open(
            source, os.O_RDONLY | _flag("O_NOFOLLOW") | _flag("O_NONBLOCK") | _flag("O_CLOEXEC")
        )
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return False
        tally.count(status.st_size)
        _write(descriptor, target, status, tally)
    except OSError as problem:
        if problem.errno in _FULL:
            raise CannotCopy(f"there is no room for it: {problem.strerror}") from None
        raise
    finally:
        os.close(descriptor)
    return True


def _flag(name: str) -> int:
    return int(getattr(os, name, 0))


def _write(source: int, target: Path, status: os.stat_result, tally: Tally) -> None:
    mode = 0o700 if status.st_mode & stat.S_IXUSR else 0o600
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _flag("O_CLOEXEC"), mode)
    try:
        if status.st_size and tally.can_clone and _cloned(source, descriptor, tally):
            return
        left = status.st_size  # what grows while it is read is not followed for ever
        while left > 0 and (chunk := os.read(source, min(_CHUNK, left))):
            _write_all(descriptor, chunk)
            left -= len(chunk)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(descriptor, view) :]


def _cloned(source: int, target: int, tally: Tally) -> bool:
    if sys.platform != "linux":
        return False
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as problem:
        if problem.errno not in _CANNOT_CLONE:
            raise
        tally.can_clone = False
        return False
    tally.cloned += 1
    return True
