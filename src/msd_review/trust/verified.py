"""Installed capabilities whose bytes were verified before, known again by what the file system says of every file.

Invariants
- Good for showing and choosing alone. Before a lane is probed, and again before it runs, its files are read and
  hashed in full, whatever is remembered here.
- A folder is known again only when every entry below it has the inode, size and times that it had before its bytes
  were hashed, and when none of it had changed just then: two changes within one tick of the clock look alike.
- Kept under the hash that was consented to: another consent knows nothing of it.
- Read only when it is a regular file of this user's that nobody else can write; whatever is wrong with it, nothing
  is known then.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.edges import clock, files

_KEY = 1  # raise it with any change of what a fingerprint is made of
_MAX_BYTES = 64 * 1024 * 1024
_MAX_ENTRIES = 2_000  # a capability of more files is hashed every time
_MAX_DEPTH = 32
_TICK_NS = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What the file system says of a folder's entries, as one digest; `settled` when none changed just now."""

    digest: str
    settled: bool


@dataclass(slots=True, kw_only=True)
class Memory:
    """folder → (consented hash, digest of its fingerprint)."""

    path: Path | None = None
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    kept: dict[str, tuple[str, str]] = field(default_factory=dict)

    def holds(self, folder: Path, content_hash: str, now: Fingerprint | None) -> bool:
        """Whether the folder's bytes were found to have this hash, and nothing in it changed since."""
        if now is None or self.known.get(str(folder)) != (content_hash, now.digest):
            return False
        self.kept[str(folder)] = (content_hash, now.digest)
        return True

    def keep(self, folder: Path, content_hash: str, before: Fingerprint | None) -> None:
        """Remembers that the bytes had this hash; `before` was taken before they were read."""
        if before is not None and before.settled and fingerprint(folder) == before:
            self.kept[str(folder)] = (content_hash, before.digest)

    def save(self) -> None:
        """Writes what holds now, privately; a memory that cannot be written is no failure."""
        if self.path is None or self.kept == self.known:
            return
        content = json.dumps({"key": _KEY, "bundles": self.kept}).encode()
        with contextlib.suppress(OSError):
            files.make_private(self.path.parent)
            files.write_atomic(self.path, content, mode=0o600)


def fingerprint(folder: Path) -> Fingerprint | None:
    """The fingerprint of a folder; None where it holds a link or a special file, too much, or cannot be read."""
    stamps: list[str] = []
    newest = 0
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            return None
        for path, one in _entries(os.fspath(folder), 0):
            stamps.append(f"{path}\0{one.st_ino} {one.st_size} {one.st_mtime_ns} {one.st_ctime_ns}")
            newest = max(newest, one.st_ctime_ns)
            if len(stamps) > _MAX_ENTRIES:
                return None
    except (OSError, _Unfit):
        return None
    stamps.append(f"{status.st_dev} {status.st_ino} {status.st_mtime_ns} {status.st_ctime_ns}")
    newest = max(newest, status.st_ctime_ns)
    digest = hashlib.sha256("\0".join(stamps).encode("utf-8", "surrogateescape")).hexdigest()
    return Fingerprint(digest=digest, settled=newest < clock.now().timestamp() * 1e9 - _TICK_NS)


class _Unfit(Exception):
    pass


def _entries(folder: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    if depth > _MAX_DEPTH:
        raise _Unfit
    with os.scandir(folder) as found:
        for entry in sorted(found, key=lambda one: one.name):
            status = entry.stat(follow_symlinks=False)
            yield entry.path, status
            if stat.S_ISDIR(status.st_mode):
                yield from _entries(entry.path, depth + 1)
            elif not stat.S_ISREG(status.st_mode):
                raise _Unfit


def open_memory(path: Path) -> Memory:
    """What is remembered at `path`; nothing where there is no file, or none that can be used."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            return Memory()
        if os.name != "nt" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            return Memory()
        content = json.loads(files.read_bounded(path, _MAX_BYTES))
        if content["key"] != _KEY:
            return Memory(path=path)
        known = {str(folder): (str(one), str(two)) for folder, (one, two) in content["bundles"].items()}
        return Memory(path=path, known=known)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Memory(path=path)
