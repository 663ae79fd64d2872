"""Verdicts on installed manifests that do not change while the file does not.

Content-addressed: what a manifest says is kept under the SHA-256 of its bytes, with what validation warned
of; a second table says which file had which content when its inode, size and times were as noted. The first
line of the cache is a checksum of the rest. Only a file of this user's, which nobody else can write, is used
at all; whatever else is wrong with it makes it an empty cache. It is never trusted with more than speed:
what runs is hashed in full by trust.
"""

import contextlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from msd_review import CONTRACT_VERSION, __version__
from msd_review.edges import files
from msd_review.manifest.build import build
from msd_review.manifest.model import Manifest
from msd_review.manifest.problems import WARNING_CODES, Problem

_MAX_BYTES = 256 * 1024 * 1024
# Raise it with any change of what validation accepts or says.
DECODER_VERSION = 2
# A file that changed this shortly before the cache was written may have changed again within one tick.
_RACY_NS = 50_000_000
KEY = f"{DECODER_VERSION} {CONTRACT_VERSION} {__version__}"

Stamp = tuple[int, int, int, int]


def stamp(status: os.stat_result) -> Stamp:
    """What must be the same for a file to count as unchanged."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class Verdict(NamedTuple):
    """A manifest that no error was found in: its JSON, its warnings, and why it does not fit this msd, if so."""

    value: Mapping[str, Any]
    manifest: Manifest
    warnings: tuple[Problem, ...] = ()
    misfit: Problem | None = None


@dataclass(kw_only=True)
class Cache:
    """What is known of manifests; `changed` when there is something to write."""

    path: Path | None
    files: dict[str, list[Any]] = field(default_factory=dict)
    contents: dict[str, list[Any]] = field(default_factory=dict)
    written_ns: int = 0
    changed: bool = False
    used: set[str] = field(default_factory=set)

    def find(self, path: str, now: Stamp) -> Verdict | None:
        """The verdict on the file at `path`, if it is as it was."""
        entry = self.files.get(path)
        if entry is None or tuple(entry[:4]) != now or now[3] >= self.written_ns - _RACY_NS:
            return None
        verdict = self._verdict(str(entry[4]))
        if verdict is not None:
            self.used.add(path)
        return verdict

    def _verdict(self, digest: str) -> Verdict | None:
        """The verdict on a content; None where the entry is none that this module wrote."""
        try:
            value, warnings, misfit = self.contents[digest]
            return Verdict(
                value=value,
                manifest=build(value),
                warnings=tuple(map(_problem, warnings)),
                misfit=None if misfit is None else _problem(misfit),
            )
        except (ValueError, TypeError, AttributeError, LookupError):
            return None

    def keep(self, path: str, now: Stamp, raw: bytes, verdict: Verdict) -> None:
        """Remembers a verdict for the next time."""
        digest = _digest(raw)
        self.files[path] = [*now, digest]
        misfit = None if verdict.misfit is None else _plain(verdict.misfit)
        self.contents[digest] = [verdict.value, [_plain(problem) for problem in verdict.warnings], misfit]
        self.used.add(path)
        self.changed = True

    def save(self) -> None:
        """Writes what was used, privately; a cache that cannot be written is no failure."""
        if self.path is None or not (self.changed or self.files.keys() - self.used):
            return
        kept = {path: entry for path, entry in self.files.items() if path in self.used}
        contents = {entry[4]: self.contents[entry[4]] for entry in kept.values()}
        body = json.dumps({"key": KEY, "files": kept, "contents": contents}, ensure_ascii=False).encode()
        with contextlib.suppress(OSError):
            files.make_private(self.path.parent)
            files.write_atomic(self.path, _digest(body).encode() + b"\n" + body, mode=0o600)


def _plain(problem: Problem) -> list[str | None]:
    return [problem.code, problem.path, problem.message, problem.hint]


def _problem(entry: list[Any]) -> Problem:
    code, path, message, hint = entry
    return Problem(code=code, path=path, message=message, hint=hint, is_warning=code in WARNING_CODES)


def _digest(raw: bytes) -> str:
    # Costs 3 ms to load, which a start without overlays does not pay.
    import hashlib

    return hashlib.sha256(raw).hexdigest()


def _is_ours(status: os.stat_result) -> bool:
    if os.name == "nt":
        return stat.S_ISREG(status.st_mode)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def open_cache(path: Path | None) -> Cache:
    """The cache at `path`; an empty one where there is none, or none that can be used."""
    if path is None:
        return Cache(path=None)
    try:
        status = os.lstat(path)
        if not _is_ours(status):
            return Cache(path=None)
        checksum, _, body = files.read_bounded(path, _MAX_BYTES).partition(b"\n")
        if _digest(body).encode() != checksum:
            return Cache(path=path)
        content = json.loads(body)
        if content["key"] != KEY:
            return Cache(path=path)
        return Cache(
            path=path,
            files=_shaped(content["files"], 5),
            contents=_shaped(content["contents"], 3),
            written_ns=status.st_mtime_ns,
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Cache(path=path)


def _shaped(table: object, length: int) -> dict[str, list[Any]]:
    if not isinstance(table, dict):
        raise ValueError("not a cache of ours")
    for entry in table.values():
        if not isinstance(entry, list) or len(entry) != length:
            raise ValueError("not a cache of ours")
    return table
