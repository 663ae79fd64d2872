"""What an earlier start of the same fleet run has done: read from its folder, so that none of it is paid for twice.

A fleet run is bound to its batch: the same file, or one that only grew. Anything else is another run, and wants
another folder.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from msd_review.edges import files
from msd_review.errors import InputError, StoreError
from msd_review.fleet import journal
from msd_review.fleet.model import FLEET_SCHEMA, BadValue, FleetFolder, ItemOutcome, item_outcome_from_json

_MAX_SUBMITTED = 1024 * 1024
_MAX_LANE_FILE = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


@dataclass(slots=True)
class Begun:
    """What is known of one item that is not finished. `lanes` maps slug → (file, sha256) of its answer."""

    planned: tuple[str, ...] | None = None
    commit: str | None = None
    lanes: dict[str, tuple[str, str]] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    rounds: int = 0  # how often it ended without being done, and is tried again


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What an earlier start left: the ids that are finished, and what is known of those that were begun."""

    finished: frozenset[str] = frozenset()
    begun: Mapping[str, Begun] = field(default_factory=dict)


def read_earlier(folder: FleetFolder, *, retry_failed: bool) -> Earlier:
    """What the journal tells. With `retry_failed` an item that is not done counts as not finished.

    Raises StoreError.
    """
    finished: set[str] = set()
    begun: dict[str, Begun] = {}
    for record in journal.read_journal(folder.journal):
        item = _item(record)
        if record.event == journal.ITEM_FINISHED:
            outcome = _outcome(record)
            if outcome is None:
                continue
            if outcome.state == "done" or not retry_failed:
                finished.add(outcome.item_id)
                begun.pop(outcome.item_id, None)
            else:
                finished.discard(outcome.item_id)
                begun.setdefault(outcome.item_id, Begun()).lost.clear()
                _keep_reviews(begun[outcome.item_id], outcome)
        elif item is not None:
            _note(begun.setdefault(item, Begun()), record)
    for done in finished:
        begun.pop(done, None)
    return Earlier(finished=frozenset(finished), begun=begun)


def _item(record: journal.Record) -> str | None:
    value = record.fields.get("item")
    return value if isinstance(value, str) else None


def _outcome(record: journal.Record) -> ItemOutcome | None:
    try:
        return item_outcome_from_json(record.fields.get("outcome"))
    except BadValue:
        return None


def _keep_reviews(known: Begun, outcome: ItemOutcome) -> None:
    known.rounds += 1
    delivered = {lane.slug for lane in outcome.lanes if lane.outcome == "review"}
    known.lanes = {slug: kept for slug, kept in known.lanes.items() if slug in delivered}
    known.planned = known.planned if delivered else None
    known.commit = known.commit if delivered else None


def _note(known: Begun, record: journal.Record) -> None:
    fields = record.fields
    if record.event == journal.PLANNED:
        lanes = fields.get("lanes")
        known.planned = tuple(map(str, lanes)) if isinstance(lanes, list) else None
        known.commit = fields.get("commit") if isinstance(fields.get("commit"), str) else None
        return
    slug, path, digest = (fields.get(name) for name in ("slug", "file", "sha256"))
    if not isinstance(slug, str):
        return
    if record.event == journal.LANE_LOST:
        known.lost[slug] = known.lost.get(slug, 0) + 1
    elif record.event == journal.LANE_FINISHED and isinstance(path, str) and isinstance(digest, str):
        known.lanes[slug] = (path, digest)


def kept_answer(folder: FleetFolder, kept: tuple[str, str]) -> dict[str, Any] | None:
    """A lane's answer as it was kept; None where it is not there, whole and unchanged."""
    name, digest = kept
    path = folder.path / name
    if not path.resolve().is_relative_to(folder.path.resolve()):
        return None
    try:
        content = files.read_bounded(path, _MAX_LANE_FILE)
        value = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return None
    is_same = hashlib.sha256(content).hexdigest() == digest
    return value if is_same and isinstance(value, dict) else None


def finished_outcomes(folder: FleetFolder, finished: frozenset[str]) -> Iterator[ItemOutcome]:
    """The last outcome of every finished item. Two passes over the journal, and nothing held but numbers."""
    last: dict[str, int] = {}
    for number, outcome in _outcomes(folder):
        if outcome.item_id in finished:
            last[outcome.item_id] = number
    for number, outcome in _outcomes(folder):
        if last.get(outcome.item_id) == number:
            yield outcome


def _outcomes(folder: FleetFolder) -> Iterator[tuple[int, ItemOutcome]]:
    for number, record in enumerate(journal.read_journal(folder.journal)):
        outcome = _outcome(record) if record.event == journal.ITEM_FINISHED else None
        if outcome is not None:
            yield number, outcome


def batch_digest(batch: Path, length: int | None = None) -> tuple[str, int]:
    """The sha256 of the batch's first `length` bytes (all without it), and how many there were. Raises InputError."""
    digest, count = hashlib.sha256(), 0
    try:
        with batch.open("rb") as handle:
            for chunk in _chunks(handle, length):
                digest.update(chunk)
                count += len(chunk)
    except OSError as problem:
        raise InputError(f"{batch} cannot be read: {problem.strerror or problem}") from None
    return digest.hexdigest(), count


def _chunks(handle: BinaryIO, length: int | None) -> Iterator[bytes]:
    left = length
    while chunk := handle.read(_CHUNK if left is None else min(_CHUNK, left)):
        left = None if left is None else left - len(chunk)
        yield chunk


def read_submitted(folder: FleetFolder) -> dict[str, Any] | None:
    """What `fleet.json` says, None where there is none. Raises StoreError for one that is not ours."""
    try:
        value = json.loads(files.read_bounded(folder.submitted, _MAX_SUBMITTED))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or value.get("schema") != FLEET_SCHEMA or not _is_whole(value):
        raise StoreError(
            f"{folder.submitted} is no record of a fleet run", hint="name another folder with --out"
        )
    return value


def _is_whole(value: Mapping[str, Any]) -> bool:
    batch = value.get("batch")
    return (
        isinstance(value.get("fleet"), str)
        and isinstance(batch, dict)
        and isinstance(batch.get("sha256"), str)
        and isinstance(batch.get("bytes"), int)
    )


def check_same_batch(folder: FleetFolder, submitted: Mapping[str, Any], batch: Path) -> None:
    """Raises InputError unless the batch is the one that was submitted, or has only grown."""
    recorded = submitted["batch"]
    digest, count = batch_digest(batch, recorded["bytes"])
    if count != recorded["bytes"] or digest != recorded["sha256"]:
        raise InputError(
            f"{batch} is not the batch that {folder.path} was begun with",
            hint="lines may be added at its end and nowhere else; name another folder with --out for another batch",
        )
