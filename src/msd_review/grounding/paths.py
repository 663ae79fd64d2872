"""Paths as people and reviewers write them, brought into the one form that the index uses.

Pure: nothing here looks at a disk. A path that would leave the tree is told apart before anything could open it.
"""

import re
from dataclasses import dataclass
from typing import Literal

from msd_review.lazy import regex

_DRIVE = regex(r"[A-Za-z]:/")
_SECRET = regex(r"\.env(?:\..*|rc)?", re.IGNORECASE)
_MAX_PATH = 1_024  # characters


@dataclass(frozen=True, slots=True)
class Written:
    """A written path: `inside` is relative to the root with forward slashes, `absolute` as written, `outside` left the tree."""

    kind: Literal["inside", "absolute", "outside", "unusable"]
    path: str


def read_path(written: str) -> Written:
    """Slashes normalised, `.` and `..` folded, `~` and drives recognised.

    >>> read_path("./src/../src/a.py"), read_path("../secret").kind
    (Written(kind='inside', path='src/a.py'), 'outside')
    """
    path = written.strip().replace("\\", "/")
    if not path or len(path) > _MAX_PATH or any(ord(char) < 32 for char in path):
        return Written("unusable", path[:_MAX_PATH])
    if path.startswith("~"):
        return Written("outside", path)
    if path.startswith("/") or _DRIVE.match(path):
        return Written("absolute", path)
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return Written("outside", path)
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return Written("inside", "/".join(parts)) if parts else Written("unusable", path)


def is_private(path: str) -> bool:
    """Whether a path inside the tree may never be opened: `.env*` files, and everything below `.git`.

    >>> is_private("deploy/.env.local"), is_private(".github/ci.yml")
    (True, False)
    """
    parts = path.split("/")
    return ".git" in parts or any(_SECRET.fullmatch(part) for part in parts)


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def folder_of(path: str) -> str:
    """The path without its last part; "" at the top."""
    return path.rpartition("/")[0]


def is_suffix(tail: str, path: str) -> bool:
    """Whether `path` is `tail`, or ends in `/tail`."""
    return path == tail or path.endswith("/" + tail)


def remainders(path: str) -> list[str]:
    """A path without its first part, without its first two, and so on: what is left when a prefix is foreign.

    >>> remainders("/home/x/app/a.py")
    ['home/x/app/a.py', 'x/app/a.py', 'app/a.py', 'a.py']
    """
    parts = [part for part in _DRIVE.sub("/", path).split("/") if part]
    start = 0 if path.startswith("/") or _DRIVE.match(path) else 1
    return ["/".join(parts[at:]) for at in range(start, len(parts))]
