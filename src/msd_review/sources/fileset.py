"""The files of a fetched capability, collected under bounds before one of them is written.

Invariants
- A path is relative, in UTF-8, made of plain names: no `..`, no absolute name, no backslash, drive, control
  character or name that Windows reserves.
- No two paths are one file anywhere: not twice the same, not alike but for case or composition, and none is
  both a file and a folder.
- Entries, bytes and depth are counted while they come, not afterwards.
"""

import unicodedata
from collections.abc import Iterable
from typing import NoReturn

from msd_review.errors import SourceError
from msd_review.lazy import regex
from msd_review.manifest.vocabulary import WINDOWS_NAMES
from msd_review.trust.bundle import MANIFEST, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, Bundle
from msd_review.trust.visible import plain

MAX_PATH = 1024
_BAD_CHARACTER = regex(r'[\x00-\x1f\x7f\\:<>"|?*]')


class FileSet:
    """Collects files; every method raises SourceError for what may not be in a capability."""

    def __init__(self) -> None:
        self._files: dict[bytes, bytes] = {}
        self._folders: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._size = 0
        self._entries = 0

    @property
    def room(self) -> int:
        """How many bytes may still come."""
        return MAX_BYTES - self._size

    def entry(self) -> None:
        """Counts one entry of the source, whatever it is."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise SourceError(f"the capability holds more than {MAX_ENTRIES:,} entries")

    def take_size(self, size: int) -> None:
        """Counts bytes before they are read."""
        self._size += size
        if self._size > MAX_BYTES:
            raise SourceError(f"the capability is larger than {MAX_BYTES:,} bytes")

    def add(self, path: bytes, content: bytes) -> None:
        """Adds a file whose size was counted."""
        parts = checked_parts(path)
        for depth in range(1, len(parts)):
            self._claim_folder("/".join(parts[:depth]))
        name = "/".join(parts)
        if _folded(name) in self._names:
            refuse(
                name,
                f"stands twice in it, or beside {plain(self._names[_folded(name)])} with no difference but case",
            )
        if _folded(name) in self._folders:
            refuse(name, "is a file and a folder at once")
        self._names[_folded(name)] = name
        self._files[path] = content

    def _claim_folder(self, name: str) -> None:
        known = self._folders.setdefault(_folded(name), name)
        if known != name:
            refuse(name, f"differs from {plain(known)} by case alone")
        if _folded(name) in self._names:
            refuse(name, "is a file and a folder at once")

    def bundle(self) -> Bundle:
        """Everything that was added; a single folder around it all is taken off unless the manifest lies beside it."""
        if MANIFEST in self._files:
            return Bundle(files=self._files)
        tops = {path.partition(b"/")[0] for path in self._files}
        if len(tops) != 1:
            return Bundle(files=self._files)
        length = len(next(iter(tops))) + 1
        return Bundle(
            files={path[length:]: content for path, content in self._files.items() if path[length:]}
        )


def checked_parts(path: bytes) -> list[str]:
    """The names a path is made of. Raises SourceError for a path that may not be written."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        refuse(path.decode("utf-8", "backslashreplace"), "is not UTF-8")
    parts = text.split("/")
    if len(path) > MAX_PATH or len(parts) > MAX_DEPTH:
        refuse(text[:80], "is too long or too deep")
    _check_names(text, parts)
    return parts


def _check_names(text: str, parts: Iterable[str]) -> None:
    for part in parts:
        if part in {"", ".", ".."}:
            refuse(text, "is not a plain relative path")
        if _BAD_CHARACTER.search(part) or part != part.rstrip(". "):
            refuse(text, "holds a character that is not allowed in a name")
        if part.partition(".")[0].lower() in WINDOWS_NAMES:
            refuse(text, "bears a name that Windows reserves")
        if part.lower() == ".git":
            refuse(text, "would be git's own folder")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def refuse(path: str, why: str) -> NoReturn:
    """Raises the SourceError of an entry that may not be in a capability."""
    raise SourceError(f'the entry "{plain(path)}" {why}; nothing was unpacked')
