"""Fingerprints of files: by content within bounds, beyond them by size and change time; links are never followed."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

_MAX_HASHED = 512 * 1024 * 1024  # bytes in all
_MAX_HASHED_FILES = 60_000
_MAX_ONE = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


@dataclass(slots=True)
class Fingerprints:
    """Hashes contents within the bounds; remembers beside each the object id that git would give it."""

    object_format: str
    hashed: int = 0
    blobs: dict[str, str] = field(default_factory=dict)

    def fingerprint(self, folder: Path, name: str) -> str:
        """What `folder/name` is and holds, as one text; equal texts mean equal files. Never raises."""
        path = folder / name
        try:
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                return f"link {path.readlink()}"
            if not stat.S_ISREG(status.st_mode):
                return f"special {stat.S_IFMT(status.st_mode):o}"
            return self._content(path, name, status)
        except OSError as problem:
            return f"unreadable {problem.errno}"

    def _content(self, path: Path, name: str, status: os.stat_result) -> str:
        runs = "x" if status.st_mode & stat.S_IXUSR else "-"
        size = status.st_size
        if size > _MAX_ONE or self.hashed + size > _MAX_HASHED or len(self.blobs) >= _MAX_HASHED_FILES:
            return f"large {runs} {size} {status.st_ctime_ns}"
        self.hashed += size
        # git names objects by this hash; ours beside it is what changes are judged by.
        named = hashlib.new(self.object_format, f"blob {size}\0".encode(), usedforsecurity=False)
        digest = hashlib.sha256()
        with os.fdopen(_opened(path), "rb") as handle:
            while chunk := handle.read(_CHUNK):
                digest.update(chunk)
                named.update(chunk)
        self.blobs[name] = named.hexdigest()
        return f"{runs} {digest.hexdigest()}"


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
