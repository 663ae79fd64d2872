"""What happened in a run, one JSON line an event, written as it happens.

Invariants
- A line is written whole with one call, and is on the disk before a finished lane counts as finished.
- A lane's text is on the disk before the line that names it, and the line holds its hash.
- Reading never fails: a torn last line (a crash) is passed over, any other bad line is reported.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import clock, files
from msd_review.edges.faults import armed, fault_point
from msd_review.errors import StoreError
from msd_review.run import result_json
from msd_review.run.result import LaneResult

NAME = "journal.jsonl"
VERSION = 1
_LIMIT = 128 * 1024 * 1024
_LINE_LIMIT = 8 * 1024 * 1024
_TEXT_LIMIT = 64 * 1024 * 1024
LANE_FINISHED = "lane_finished"


class Journal:
    """An open journal. Everything that writes raises StoreError when it cannot (a full disk); it may be tried again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        flags = (
            os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        )
        try:
            self._descriptor = os.open(folder / NAME, flags, 0o600)
            self._is_torn = self._ends_in_a_line()
            files.sync_folder(folder)
        except OSError as problem:
            raise self._refused(problem) from None

    def _ends_in_a_line(self) -> bool:
        size = os.fstat(self._descriptor).st_size
        return size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"

    def _refused(self, problem: OSError) -> StoreError:
        return StoreError(
            f"the journal of run {self.folder.name} cannot be written: {problem.strerror or problem}",
            hint=f"make room for {self.folder}",
        )

    def append(self, event: str, fields: Mapping[str, object], *, sync: bool = False) -> None:
        """Writes one event; with `sync` it is on the disk when this returns."""
        record = {"v": VERSION, "at": clock.iso(clock.now()), "event": event, **fields}
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        fault_point("journal.before_append")
        if armed("journal.half_line"):
            os.write(self._descriptor, line[: len(line) // 2])
            os.fsync(self._descriptor)
            os.kill(os.getpid(), 9)
        try:
            self._write(line)
            fault_point("journal.appended")
            if sync:
                os.fsync(self._descriptor)
        except OSError as problem:
            raise self._refused(problem) from None
        fault_point("journal.synced")

    def _write(self, line: bytes) -> None:
        """After a line that was cut short the next one starts afresh."""
        rest = memoryview(b"\n" + line if self._is_torn else line)
        self._is_torn = True
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._is_torn = False

    def lane_finished(self, key: str, result: LaneResult) -> None:
        """Records a lane's result under its content key, durably, its text included."""
        digest = _sync_text(result.text_path) if result.text_path is not None else None
        fault_point("lane.text_written")
        record = result_json.encode(result, self.folder)
        self.append(LANE_FINISHED, {"key": key, "result": record, "text_sha256": digest}, sync=True)
        fault_point("lane.recorded")

    def close(self) -> None:
        """Closes the file; nothing is lost without it, unless somebody removed it: then it is put back."""
        with contextlib.suppress(OSError):
            files.put_back(self.folder / NAME, self._descriptor)
        os.close(self._descriptor)


def _sync_text(path: Path) -> str | None:
    """Puts the text on the disk; its hash, or None when it is not there (any more)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as handle:
        os.fsync(handle.fileno())
        return hashlib.file_digest(handle, "sha256").hexdigest()


def text_digest(path: Path) -> str | None:
    """The hash under which a text was recorded, of what the file holds now; None when it cannot be read."""
    try:
        return hashlib.sha256(files.read_bounded(path, _TEXT_LIMIT)).hexdigest()
    except OSError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event as it was recorded; `fields` is not checked yet."""

    event: str
    at: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A lane that finished in the run of `folder`: its content key, its result, and its text's hash."""

    folder: Path
    key: str
    result: LaneResult
    text_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRead:
    """Everything that could be read, and a line for each thing that could not."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


def read_journal(folder: Path) -> JournalRead:
    """Reads a run's journal; never raises."""
    try:
        content = files.read_bounded(folder / NAME, _LIMIT)
    except FileNotFoundError:
        return JournalRead()
    except OSError as problem:
        return JournalRead(problems=(f"{NAME}: {problem.strerror or problem}",))
    entries: list[Entry] = []
    problems: list[str] = []
    *lines, torn = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        found = _entry(line) if line else None
        if isinstance(found, Entry):
            entries.append(found)
        elif found is not None:
            problems.append(f"{NAME}:{number}: {found}")
    if torn and isinstance(last := _entry(torn), Entry):
        entries.append(last)
    return JournalRead(entries=tuple(entries), problems=tuple(problems))


def _entry(line: bytes) -> Entry | str:
    """The event in one line, or what is wrong with it."""
    if len(line) > _LINE_LIMIT:
        return f"longer than {_LINE_LIMIT} bytes"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return "not an event"
    if value.get("v") != VERSION:
        return f"written by another version ({value.get('v')!r:.20})"
    return Entry(event=value["event"], at=str(value.get("at", "")), fields=value)


def finished_lanes(read: JournalRead, folder: Path) -> tuple[tuple[Finished, ...], tuple[str, ...]]:
    """Every lane that finished, in order, and what was wrong with those that could not be decoded."""
    found: list[Finished] = []
    problems: list[str] = []
    for item in _finished(read, folder):
        if isinstance(item, Finished):
            found.append(item)
        else:
            problems.append(item)
    return tuple(found), tuple(problems)


def _finished(read: JournalRead, folder: Path) -> Iterator[Finished | str]:
    for entry in read.entries:
        if entry.event != LANE_FINISHED:
            continue
        key, digest = entry.fields.get("key"), entry.fields.get("text_sha256")
        if not isinstance(key, str) or not (digest is None or isinstance(digest, str)):
            yield f"{NAME}: a finished lane without a key"
            continue
        try:
            result = result_json.decode(entry.fields.get("result"), folder)
        except result_json.BadRecord as problem:
            yield f"{NAME}: a finished lane that cannot be read: {problem}"
        else:
            yield Finished(folder=folder, key=key, result=result, text_sha256=digest)
