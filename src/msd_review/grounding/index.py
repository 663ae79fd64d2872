"""The reviewed tree: which files are part of it, and the text of those that may be read.

Invariants
- A file is read only through `Tree.read`: it is listed (not ignored), not private (`.env*`, `.git`), regular, of
  bounded size, and still all of that after its links are resolved.
- Listing opens nothing but `.gitignore` files.
"""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msd_review.grounding import git
from msd_review.grounding.paths import base_name, is_private, is_suffix
from msd_review.grounding.reading import Refused, read_inside, real_place
from msd_review.grounding.walk import MAX_FILES, walked_files

_MAX_CACHED = 64 * 1024 * 1024  # bytes of text kept


class Tree:
    """An index of one folder. `files` are relative to `root` with forward slashes; `complete` is False past a bound."""

    def __init__(self, root: Path, files: tuple[str, ...], *, complete: bool = True) -> None:
        self.root = root
        self.files = files
        self.complete = complete
        self._texts: dict[str, str | Refused] = {}
        self._cached = 0

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a listed file, relative."""
        found: set[str] = set()
        for path in self.files:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Base name → the listed files that bear it."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            found.setdefault(base_name(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Old path → new path from git's recent history; looked up when first asked for."""
        return git.renames(self.root)

    def has(self, path: str) -> bool:
        """Whether a listed file or a folder of listed files has this relative path."""
        return path in self._known or path.rstrip("/") in self.folders

    def is_file(self, path: str) -> bool:
        """Whether this relative path is a listed file."""
        return path in self._known

    def on_disk(self, path: str) -> bool:
        """Whether anything of this relative path is there, ignored or not; looks without opening."""
        try:
            (self.root / path).lstat()
        except (OSError, ValueError):
            return False
        return True

    def ending_in(self, tail: str) -> tuple[str, ...]:
        """The listed files whose path is `tail` or ends in `/tail`."""
        return tuple(path for path in self.by_name.get(base_name(tail), ()) if is_suffix(tail, path))

    def current_name(self, path: str) -> str | None:
        """Where history says a path that is gone has gone to; None when that is gone as well."""
        seen: set[str] = set()
        while path in self.renamed and path not in seen:
            seen.add(path)
            path = self.renamed[path]
        return path if seen and self.is_file(path) else None

    def read(self, path: str) -> str | Refused:
        """The text of a listed file (bytes that are no UTF-8 replaced), or why it is not opened."""
        if path not in self._texts:
            text = self._read(path)
            if self._cached > _MAX_CACHED:
                self._texts.clear()
                self._cached = 0
            self._texts[path] = text
            self._cached += len(text) if isinstance(text, str) else 0
        return self._texts[path]

    def read_bytes(self, path: str) -> bytes | Refused:
        """The bytes of a listed file, or why it is not opened. Not cached."""
        if is_private(path):
            return Refused("it may hold secrets")
        if path not in self._known:
            return Refused("it is not part of the tree, or ignored")
        real = real_place(self.root, path)
        if isinstance(real, Refused):
            return real
        if real != path and (is_private(real) or real not in self._known):
            return Refused("it is a link to a file that is not part of the tree")
        return read_inside(self.root, real)

    def _read(self, path: str) -> str | Refused:
        content = self.read_bytes(path)
        if isinstance(content, Refused):
            return content
        if b"\0" in content[:8192]:
            return Refused("it is a binary file")
        text = content.decode("utf-8", "replace").removeprefix("\ufeff")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def line_count(self, path: str) -> int | Refused:
        """How many lines a listed file has; a last line end starts no further line."""
        text = self.read(path)
        if isinstance(text, Refused):
            return text
        return text.count("\n") + (not text.endswith("\n") and text != "")


def open_tree(root: Path) -> Tree:
    """Lists the tree below `root`: by git where it is a repository, else by a walk of at most 200,000 files."""
    real = Path(os.path.realpath(root))
    listed = git.listed_files(real)
    if not listed:
        files, complete = walked_files(real)
        return Tree(real, files, complete=complete)
    present = (
        path for path in listed[:MAX_FILES] if os.path.lexists(real / path)
    )  # tracked and deleted: not there
    return Tree(real, tuple(sorted(present)), complete=len(listed) <= MAX_FILES)
