"""Which files of a tree hold a word: built once, kept on disk for large trees, brought up to date by what changed.

Invariants
- The index says where to look, never what is there: every answer about a file is read from the file.
- What is kept lies in a private folder of the user's, is bounded, and holds words and paths alone. A kept index that
  is not ours, broken, or of another form is built again, never believed.
- A file counts as unchanged when size, both times and the inode are what they were.
"""

import hashlib
import json
import mmap
import os
import stat
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msd_review.edges import clock, environ
from msd_review.edges.files import make_private, write_atomic
from msd_review.grounding.index import Tree
from msd_review.grounding.reading import Refused

_FORM = "msd-words/1"
KEPT_FROM_BYTES = 8 * 1024 * 1024  # smaller trees are read faster than a kept index
_MAX_BYTES = 1024 * 1024 * 1024
_MAX_SECONDS = 45.0
_MAX_INDEX_BYTES = 256 * 1024 * 1024
_MAX_INDEXES = 8  # trees whose index is kept
_MAX_WORD = 100
_TABLE = bytes(c if chr(c).isascii() and (chr(c).isalnum() or c == 0x5F) else 0x20 for c in range(256))

Stamp = tuple[int, int, int, int]


class WordIndex:
    """Word → files, for the ASCII words (letters, digits, underscore) of a tree's text files."""

    def __init__(self, tree: Tree, *, folder: Path | None = None, kept_from: int = KEPT_FROM_BYTES) -> None:
        self._tree = tree
        self._folder = folder
        self._kept_from = kept_from
        self._fresh: dict[bytes, list[str]] = {}
        self._kept: _Kept | None = None
        self._current: frozenset[str] = frozenset()
        self.complete = True
        self._prepare()

    def files_with(self, word: str) -> tuple[str, ...]:
        """The files that hold `word`, sorted; a word longer than 100 characters is in none."""
        key = word.encode("ascii", "replace")
        found = set(self._fresh.get(key, ()))
        if self._kept is not None:
            found.update(path for path in self._kept.files_with(key) if path in self._current)
        return tuple(sorted(found))

    def _prepare(self) -> None:
        stamps = dict(_stamps(self._tree))
        total = sum(stamp[0] for stamp in stamps.values())
        if total < self._kept_from:
            self._scan(stamps)
            return
        folder = self._folder or _cache_folder()
        place = folder / f"{hashlib.sha256(os.fsencode(self._tree.root)).hexdigest()[:32]}.words"
        self._kept = _load(place)
        known = self._kept.stamps if self._kept is not None else {}
        self._current = frozenset(path for path, stamp in stamps.items() if known.get(path) == stamp)
        changed = {path: stamp for path, stamp in stamps.items() if path not in self._current}
        self._scan(changed)
        if self.complete and (self._kept is None or len(changed) > len(stamps) // 10):
            self._keep(place, stamps, rest=self._kept is not None)

    def _scan(self, stamps: Mapping[str, Stamp]) -> None:
        budget, end = _MAX_BYTES, clock.monotonic() + _MAX_SECONDS
        for path in stamps:
            if budget <= 0 or clock.monotonic() > end:
                self.complete = False
                return
            content = self._tree.read_bytes(path)
            if isinstance(content, Refused) or b"\0" in content[:8192]:
                continue
            budget -= len(content)
            for word in set(content.translate(_TABLE).split()):
                if len(word) <= _MAX_WORD:
                    self._fresh.setdefault(word, []).append(path)

    def _keep(self, place: Path, stamps: Mapping[str, Stamp], *, rest: bool) -> None:
        if rest:  # too much changed to be worth merging: read the unchanged files once more
            self._kept, current = None, self._current
            self._current = frozenset()
            self._scan({path: stamp for path, stamp in stamps.items() if path in current})
        if self.complete:
            _save(place, self._fresh, stamps)


class _Kept:
    """A kept index: a header line (JSON), then one line a word, sorted: the word, a space, file numbers."""

    def __init__(self, content: mmap.mmap, start: int, header: Mapping[str, Any]) -> None:
        self._content = content
        self._start = start
        self._paths = [str(row[0]) for row in header["files"]]
        self.stamps: dict[str, Stamp] = {
            str(row[0]): (int(row[1]), int(row[2]), int(row[3]), int(row[4])) for row in header["files"]
        }

    def __len__(self) -> int:
        return len(self._content) - self._start

    def __getitem__(self, at: int) -> bytes:
        """The word of the line that holds byte `at`: what `bisect` compares."""
        begin = self._content.rfind(b"\n", 0, self._start + at) + 1
        end = self._content.find(b" ", begin)
        return self._content[begin : end if end >= 0 else len(self._content)]

    def files_with(self, word: bytes) -> Iterator[str]:
        at = bisect_left(self, word)
        begin = self._content.rfind(b"\n", 0, min(self._start + at, len(self._content))) + 1
        end = self._content.find(b"\n", begin)
        name, _, numbers = self._content[begin : end if end >= 0 else len(self._content)].partition(b" ")
        if name != word:
            return
        for number in numbers.split(b","):
            if number.isdigit() and int(number) < len(self._paths):
                yield self._paths[int(number)]


def _stamps(tree: Tree) -> Iterator[tuple[str, Stamp]]:
    for path in tree.files:
        try:
            status = os.lstat(tree.root / path)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            yield path, (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _cache_folder() -> Path:
    state = environ.get("MSD_STATE_DIR")
    if state:
        return Path(state) / "words"
    from platformdirs import user_cache_dir  # only where the variable does not say

    return Path(user_cache_dir("msd")) / "words"


def _load(place: Path) -> _Kept | None:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as handle:
        status = os.fstat(handle.fileno())
        if (
            not stat.S_ISREG(status.st_mode)
            or status.st_uid != os.geteuid()
            or not 0 < status.st_size <= _MAX_INDEX_BYTES
        ):
            return None
        content = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    start = content.find(b"\n") + 1
    try:
        header = json.loads(content[:start])
        return _Kept(content, start, header) if header["form"] == _FORM else None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def _save(place: Path, words: Mapping[bytes, list[str]], stamps: Mapping[str, Stamp]) -> None:
    numbers = {path: str(number).encode() for number, path in enumerate(stamps)}
    header = json.dumps({"form": _FORM, "files": [[path, *stamp] for path, stamp in stamps.items()]}).encode()
    lines = (word + b" " + b",".join(numbers[path] for path in words[word]) for word in sorted(words))
    content = header + b"\n" + b"\n".join(lines) + b"\n"
    if len(content) > _MAX_INDEX_BYTES:
        return
    try:
        make_private(place.parent)
        write_atomic(place, content, mode=0o600)
        _thin_out(place.parent)
    except OSError:
        return  # a cache that cannot be written is only slow


def _thin_out(folder: Path) -> None:
    kept = sorted(folder.glob("*.words"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in kept[_MAX_INDEXES:]:
        path.unlink(missing_ok=True)
