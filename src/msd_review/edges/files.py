"""Files, read under bounds and written whole or not at all."""

import contextlib
import os
import stat
from pathlib import Path

from msd_review.edges.faults import fault_point

_NAME_CHARS = 40
_TEMPORARY = ".tmp"
_COPY_BYTES = 1024 * 1024


class FileRefused(OSError):
    """The path is not a regular file, or is larger than the bound; `str()` says which."""


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes.

    Opened without blocking and judged by the open descriptor, so that a FIFO, a device or a
    file that grows while it is read cannot hang or flood us. A link is followed.

    Raises FileRefused (an OSError) or the OSError of the platform.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "rb") as handle:
        status = os.fstat(handle.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileRefused(f"{path} is not a regular file")
        content = handle.read(limit + 1)
    if len(content) > limit:
        raise FileRefused(f"{path} is larger than {limit} bytes")
    return content


def read_head(path: Path, limit: int) -> bytes:
    """The first `limit` bytes of a regular file, opened as `read_bounded` does. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "rb") as handle:
        if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
            raise FileRefused(f"{path} is not a regular file")
        return handle.read(limit)


def write_atomic(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Writes `content` to `path` whole or not at all: temporary file beside it, fsync, rename, fsync of the folder."""
    import tempfile  # with its random numbers it costs more to load than all else here

    prefix = f".{path.name[:_NAME_CHARS]}.{os.getpid()}."
    descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=_TEMPORARY, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
            handle.flush()
            fault_point("files.temporary_written")
            os.fchmod(handle.fileno(), mode)
            os.fsync(handle.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def temporary_owner(name: str) -> tuple[str, int] | None:
    """Of a name that `write_atomic` gave a temporary file: the file's own name (cut), and the writer's process id."""
    if not (name.startswith(".") and name.endswith(_TEMPORARY)):
        return None
    target, _, rest = name[1 : -len(_TEMPORARY)].rpartition(".")
    target, _, pid = target.rpartition(".")
    return (target, int(pid)) if target and rest and pid.isascii() and pid.isdigit() else None


def cut_name(path: Path) -> str:
    """The name under which `temporary_owner` knows `path`."""
    return path.name[:_NAME_CHARS]


def put_back(path: Path, descriptor: int) -> None:
    """Makes `path` hold what the open file `descriptor` (readable) holds, if it is not that very file. Raises OSError."""
    if _is_at(path, descriptor):
        return
    make_private(path.parent)
    path.unlink(missing_ok=True)
    again = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(again, "wb") as target:
        while chunk := os.read(descriptor, _COPY_BYTES):
            target.write(chunk)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False


def sync_folder(folder: Path) -> None:
    """Makes a rename inside `folder` survive a power cut, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(folder: Path) -> Path:
    """Creates `folder` (and its parents) for this user alone, and returns it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder
