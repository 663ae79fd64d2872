"""What a fleet run has done, one JSON record a line: appended as it happens, on the disk before anybody relies on it.

Read as a stream, so that a run of a hundred thousand items can be continued in bounded memory. A last line that was
cut short is no record; a line that cannot be read in the middle is passed over, and told.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import clock, files
from msd_review.errors import StoreError
from msd_review.fleet.model import JOURNAL_SCHEMA

STARTED, PLANNED, LANE_FINISHED, LANE_LOST, ITEM_FINISHED, STOPPED = (
    "fleet_started",
    "item_planned",
    "lane_finished",
    "lane_lost",
    "item_finished",
    "fleet_stopped",
)
MAX_LINE = 1024 * 1024
_CHUNK = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One event as it was recorded; `fields` is not checked yet."""

    event: str
    fields: Mapping[str, Any]


class FleetJournal:
    """The journal of a fleet run that is going on; one process has it at a time."""

    def __init__(self, path: Path) -> None:
        """Opens it for appending. Raises StoreError."""
        self.path = path
        try:
            files.make_private(path.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(path, flags, 0o600)
            size = os.fstat(self._descriptor).st_size
            self._is_torn = size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"
        except OSError as problem:
            raise self._refused(problem) from None

    def append(self, event: str, fields: Mapping[str, Any]) -> None:
        """Writes one record; it is on the disk when this returns. Raises StoreError."""
        record = {"schema": JOURNAL_SCHEMA, "at": clock.iso(clock.now()), "event": event, **fields}
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        rest = memoryview(b"\n" + line if self._is_torn else line)
        try:
            self._is_torn = True
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            self._is_torn = False
            os.fsync(self._descriptor)
        except OSError as problem:
            raise self._refused(problem) from None

    def _refused(self, problem: OSError) -> StoreError:
        return StoreError(
            f"{self.path} cannot be written: {problem.strerror or problem}",
            hint="make room for it, then run the same command again: what is in it is kept",
        )

    def close(self) -> None:
        """Closes it; nothing is lost without."""
        os.close(self._descriptor)


def read_journal(path: Path) -> Iterator[Record]:
    """Every record, in order; none where there is no journal. Raises StoreError where it cannot be read."""
    try:
        with path.open("rb") as handle:
            yield from filter(None, map(_record, _lines(handle)))
    except FileNotFoundError:
        return
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror or problem}") from None


def _lines(handle: Any) -> Iterator[bytes]:
    """Lines within the bound; what is longer is left out."""
    held, is_skipping = b"", False
    while chunk := handle.read(_CHUNK):
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            if not is_skipping and len(line) <= MAX_LINE:
                yield line
            is_skipping = False
        if len(held) > MAX_LINE:
            held, is_skipping = b"", True
    if held and not is_skipping:
        yield held  # its newline alone was lost, or it is torn and no JSON


def _record(line: bytes) -> Record | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("schema") != JOURNAL_SCHEMA:
        return None
    event = value.get("event")
    return Record(event=event, fields=value) if isinstance(event, str) else None
