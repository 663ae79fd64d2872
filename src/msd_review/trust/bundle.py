"""A capability's files, read once, under bounds, and named by one hash.

Invariants
- Nothing outside the folder is ever read: every step down is taken from an open folder's descriptor and
  refuses links, so that a name swapped for a link between two looks leads nowhere.
- Links and special files are refused, not skipped: what cannot be hashed cannot be consented to.
- The bytes that are handed out are the bytes that were hashed; who wants a file reads it from here and
  never again from the disk.
- Bounded in entries, bytes and depth, counted while reading.
"""

import hashlib
import os
import stat
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from msd_review.errors import InputError
from msd_review.trust.visible import plain

MAX_BYTES = 16 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_DEPTH = 32
MANIFEST = b"capability.json"

# Where a platform cannot open a folder, no bundle can be read and none is active: that fails closed.
_NO_LINKS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAGS = _NO_LINKS | getattr(os, "O_DIRECTORY", 0)
_FILE_FLAGS = _NO_LINKS | getattr(os, "O_NONBLOCK", 0)


class BundleRefused(InputError):
    """The folder holds what a capability may not, or more than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The regular files below a folder: relative path, as bytes with `/`, → content."""

    files: Mapping[bytes, bytes]

    @property
    def content_hash(self) -> str:
        """`sha512-…` over the number of files, then each path and content, length-prefixed, by path bytes."""
        return content_hash(self.files)

    @property
    def manifest(self) -> bytes | None:
        """The bytes of capability.json, None where there is none."""
        return self.files.get(MANIFEST)


@dataclass(slots=True)
class _Budget:
    entries: int = 0
    size: int = 0

    def entry(self) -> None:
        self.entries += 1
        if self.entries > MAX_ENTRIES:
            raise BundleRefused(f"the capability holds more than {MAX_ENTRIES:,} entries")

    def room(self) -> int:
        return MAX_BYTES - self.size

    def take(self, content: bytes) -> bytes:
        self.size += len(content)
        if self.size > MAX_BYTES:
            raise BundleRefused(f"the capability is larger than {MAX_BYTES:,} bytes")
        return content


def content_hash(files: Mapping[bytes, bytes]) -> str:
    """The hash of a set of files; see Bundle.content_hash."""
    digest = hashlib.sha512(len(files).to_bytes(8, "big"))
    for path in sorted(files):
        for part in (path, files[path]):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return "sha512-" + b64encode(digest.digest()).decode()


def read_bundle(folder: Path, *, leave_out: frozenset[bytes] = frozenset()) -> Bundle:
    """Every file below `folder`; `leave_out` names entries at its top that are passed over unread.

    Raises BundleRefused for a link, a special file, or a folder above the bounds, and for a folder that
    cannot be read.
    """
    try:
        descriptor = os.open(folder, _FOLDER_FLAGS)
    except OSError as problem:
        raise BundleRefused(_unreadable(os.fsencode(folder), problem)) from None
    try:
        return Bundle(files=dict(_walk(descriptor, b"", _Budget(), leave_out=leave_out)))
    finally:
        os.close(descriptor)


def _walk(
    folder: int, prefix: bytes, budget: _Budget, *, leave_out: frozenset[bytes] = frozenset()
) -> Iterator[tuple[bytes, bytes]]:
    if prefix.count(b"/") > MAX_DEPTH:
        raise BundleRefused(f"the capability's folders are nested more than {MAX_DEPTH} levels deep")
    for name, is_folder in _listed(folder, prefix, budget):
        if name in leave_out:
            continue
        path = prefix + name
        if is_folder:
            yield from _walk_inside(folder, name, path, budget=budget)
        else:
            yield path, budget.take(_read(folder, name, path, budget=budget))


def _listed(folder: int, prefix: bytes, budget: _Budget) -> list[tuple[bytes, bool]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            budget.entry()
            name = os.fsencode(entry.name)
            if entry.is_symlink():
                raise BundleRefused(f"{_shown(prefix + name)} is a link; a capability holds none")
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.is_file(follow_symlinks=False):
                raise BundleRefused(_special(prefix + name))
            found.append((name, is_folder))
    return sorted(found)


def _walk_inside(folder: int, name: bytes, path: bytes, *, budget: _Budget) -> Iterator[tuple[bytes, bytes]]:
    try:
        inner = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    except OSError as problem:
        raise BundleRefused(_unreadable(path, problem)) from None
    try:
        yield from _walk(inner, path + b"/", budget)
    finally:
        os.close(inner)


def _read(folder: int, name: bytes, path: bytes, *, budget: _Budget) -> bytes:
    try:
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
    except OSError as problem:
        raise BundleRefused(_unreadable(path, problem)) from None
    with os.fdopen(descriptor, "rb") as handle:
        status = os.fstat(handle.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise BundleRefused(_special(path))
        content = handle.read(min(status.st_size, budget.room()) + 1)
        # A file that grows while it is read is read on, within the bound.
        return content if len(content) <= status.st_size else content + handle.read(budget.room() + 1)


def _shown(path: bytes) -> str:
    return plain(os.fsdecode(path))


def _special(path: bytes) -> str:
    return f"{_shown(path)} is not a regular file; a capability holds nothing else"


def _unreadable(path: bytes, problem: OSError) -> str:
    return f"{_shown(path)} cannot be read: {problem.strerror or problem}"
