"""Opens a file of the reviewed tree, or says why not.

Invariants
- What is opened is a regular file inside the tree, of bounded size, after all links are resolved.
- Every part of the resolved path is opened without following links, so that nothing swapped in meanwhile is read.
- FIFOs, devices and sockets are never waited for.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from msd_review.edges.files import FileRefused, read_bounded

MAX_FILE_BYTES = 4 * 1024 * 1024
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
)
_WALKS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a path is not opened, in one short clause for a person."""

    why: str


def real_place(root: Path, relative: str) -> str | Refused:
    """Where a path of the tree really leads, relative to the (already real) root."""
    try:
        real = os.path.realpath(root / relative)
    except (OSError, ValueError):
        return Refused("it cannot be resolved")
    if not Path(real).is_relative_to(root):
        return Refused("it leads out of the tree")
    return Path(real).relative_to(root).as_posix()


def read_inside(root: Path, relative: str, limit: int = MAX_FILE_BYTES) -> bytes | Refused:
    """The bytes of `relative`, which must be free of links (see `real_place`)."""
    try:
        return _read(root, relative, limit)
    except FileRefused as problem:
        return Refused("it is too large" if "larger" in str(problem) else "it is not a regular file")
    except FileNotFoundError:
        return Refused("it does not exist")
    except (OSError, ValueError):
        return Refused("it cannot be read")


def _read(root: Path, relative: str, limit: int) -> bytes:
    if not _WALKS:
        return read_bounded(root / relative, limit)
    descriptor = _open_inside(root, relative.split("/"))
    with os.fdopen(descriptor, "rb") as handle:
        status = os.fstat(handle.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileRefused("not a regular file")
        if status.st_size > limit:
            raise FileRefused("larger than the limit")
        return handle.read(limit)


def _open_inside(root: Path, parts: list[str]) -> int:
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)
