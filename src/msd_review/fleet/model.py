"""What travels through a fleet: an item of work, what became of its lanes, what became of it, and where it is kept.

Plain frozen values, each with a JSON form that is read back value by value: a journal may be torn, and what
comes over the wire was written by another process.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from msd_review.lazy import regex

FLEET_SCHEMA = "msd.fleet/1"
JOURNAL_SCHEMA = "msd.fleet-journal/1"
SUMMARY_SCHEMA = "msd.fleet-summary/1"

ItemKind = Literal["phase", "plans", "change"]
ItemState = Literal["done", "failed", "refused"]

ITEM_ID = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
"""The whole of an item's id; it names a folder, and never holds a path."""


class ItemReason(StrEnum):
    """Why an item is not done; the string under each member says it for people."""

    REPOSITORY_REFUSED = "repository_refused"
    """Its repository is named in a way that is never fetched: plain http, ext::, an option in disguise."""
    REPOSITORY_MISSING = "repository_missing"
    """Its repository is no folder where it was looked for, or has no such revision."""
    FETCH_FAILED = "fetch_failed"
    """Its repository could not be fetched within the bounds."""
    INPUT = "input"
    """There is nothing to review in it, or its plans, phase or change cannot be read."""
    SECRET_FOUND = "secret_found"
    """What would be sent holds a secret; nothing was sent."""
    BLOCKED = "blocked"
    """Consent does not cover what would be contacted, for a lane that it names or for all of them."""
    NO_REVIEWER = "no_reviewer"
    """No lane could run, or every lane that ran failed."""
    LANE_FAILED = "lane_failed"
    """A lane that it names could not run, or delivered nothing; the report holds the rest."""
    WORKER_LOST = "worker_lost"
    """Every worker that took it was lost, as often as it may be tried."""
    NO_WORKER = "no_worker"
    """No worker was there to take it."""
    INTERNAL = "internal"
    """Something failed that should not have; the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetItem:
    """One thing to review, as a line of the batch asks for it.

    `id` matches `ITEM_ID`, is unique in its batch and stable: the line's own, else made from its content.
    `line` counts from 1. `repository` is a local path (absolute, or relative to the batch file; resolved when read)
    or a git URL. `plans` (kind "plans") and `paths` (kind "change") are relative to the repository.
    `base` is the revision that a change is held against. `lanes` are slugs; () means all that can run.
    `models` are (slug, model) pairs; `timeout_seconds` holds for each lane.
    """

    id: str
    line: int
    repository: str
    kind: ItemKind
    revision: str | None = None
    phase: str | None = None
    plans: tuple[str, ...] = ()
    base: str | None = None
    paths: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    timeout_seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The item as JSON, every field present."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneOutcome:
    """What became of one lane of one item.

    `outcome` and `reason` are of the closed lists of `msd_review.outcomes`. `base_tool` is the lane's slug where
    `slug` is an instance of it. `worker` is the name of the worker that ran it, None when none did.
    """

    slug: str
    outcome: str
    seconds: float
    base_tool: str | None = None
    reason: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    worker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """What became of one item: "done" when its report was written, "refused" when it was not tried.

    An item whose report is there but lacks a lane that it names is "failed" with `lane_failed`, and still has its
    `document`: the path, relative to the fleet's folder and with forward slashes, of its `msd.reviews/1` JSON.
    `exit_code` is that of `msd review` for the item, None when none was reached.
    """

    item_id: str
    repository: str
    kind: ItemKind
    state: ItemState
    message: str
    reason: str | None = None
    exit_code: int | None = None
    lanes: tuple[LaneOutcome, ...] = ()
    document: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The outcome as JSON, every field present."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FleetFolder:
    """Where everything of a fleet run is kept: the folder that `--out` names.

    `fleet.json` says what was submitted, `journal.jsonl` what finished (append-only, fsynced), `items/<id>/` holds
    an item's reports and lane results, `summary.json` and `summary.html` what it all comes to.
    """

    path: Path

    @property
    def submitted(self) -> Path:
        """What was submitted, `msd.fleet/1`."""
        return self.path / "fleet.json"

    @property
    def journal(self) -> Path:
        """One JSON record a line, `msd.fleet-journal/1`."""
        return self.path / "journal.jsonl"

    @property
    def summary_json(self) -> Path:
        """The summary over all items, as JSON."""
        return self.path / "summary.json"

    @property
    def summary_html(self) -> Path:
        """The summary over all items, as a page."""
        return self.path / "summary.html"

    def item(self, item_id: str) -> Path:
        """The folder of one item. Raises ValueError for what is no id."""
        if not ITEM_ID.fullmatch(item_id) or item_id.endswith("."):
            raise ValueError(f"{item_id!r} is no id of an item")
        return self.path / "items" / item_id


class BadValue(ValueError):
    """A value that was read back is not what it should be; `str()` names the field."""


def item_from_json(value: object) -> FleetItem:
    """The item that `to_json` wrote. Raises BadValue."""
    fields = _object(value, "item")
    item_id = _text(fields, "id")
    if not ITEM_ID.fullmatch(item_id):
        raise BadValue(f"id is {item_id!r:.120}")
    return FleetItem(
        id=item_id,
        line=_number(fields, "line"),
        repository=_text(fields, "repository"),
        kind=_one_of(fields, "kind", ("phase", "plans", "change")),
        revision=_optional_text(fields, "revision"),
        phase=_optional_text(fields, "phase"),
        plans=_texts(fields, "plans"),
        base=_optional_text(fields, "base"),
        paths=_texts(fields, "paths"),
        lanes=_texts(fields, "lanes"),
        models=_pairs(fields, "models"),
        timeout_seconds=_optional_amount(fields, "timeout_seconds"),
    )


def lane_outcome_from_json(value: object) -> LaneOutcome:
    """The lane's outcome that `asdict` wrote. Raises BadValue."""
    fields = _object(value, "lane")
    return LaneOutcome(
        slug=_text(fields, "slug"),
        outcome=_text(fields, "outcome"),
        seconds=_optional_amount(fields, "seconds") or 0.0,
        base_tool=_optional_text(fields, "base_tool"),
        reason=_optional_text(fields, "reason"),
        model=_optional_text(fields, "model"),
        input_tokens=_optional_number(fields, "input_tokens"),
        output_tokens=_optional_number(fields, "output_tokens"),
        cost_usd=_optional_amount(fields, "cost_usd"),
        worker=_optional_text(fields, "worker"),
    )


def item_outcome_from_json(value: object) -> ItemOutcome:
    """The outcome that `to_json` wrote. Raises BadValue."""
    fields = _object(value, "outcome")
    lanes = fields.get("lanes", ())
    if not isinstance(lanes, list | tuple):
        raise BadValue("lanes is no list")
    return ItemOutcome(
        item_id=_text(fields, "item_id"),
        repository=_text(fields, "repository"),
        kind=_one_of(fields, "kind", ("phase", "plans", "change")),
        state=_one_of(fields, "state", ("done", "failed", "refused")),
        message=_text(fields, "message"),
        reason=_optional_text(fields, "reason"),
        exit_code=_optional_number(fields, "exit_code"),
        lanes=tuple(lane_outcome_from_json(lane) for lane in lanes),
        document=_optional_text(fields, "document"),
    )


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadValue(f"{name} is no object")
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise BadValue(f"{name} is a {type(value).__name__}")
    return value


def _optional_text(fields: Mapping[str, Any], name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name)


def _number(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadValue(f"{name} is a {type(value).__name__}")
    return value


def _optional_number(fields: Mapping[str, Any], name: str) -> int | None:
    return None if fields.get(name) is None else _number(fields, name)


def _optional_amount(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadValue(f"{name} is a {type(value).__name__}")
    return float(value)


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name, ())
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise BadValue(f"{name} is no list of strings")
    return tuple(value)


def _pairs(fields: Mapping[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    value = fields.get(name, ())
    if not isinstance(value, list | tuple) or not all(_is_pair(one) for one in value):
        raise BadValue(f"{name} is no list of pairs")
    return tuple((one[0], one[1]) for one in value)


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(one, str) for one in value)


def _one_of(fields: Mapping[str, Any], name: str, allowed: tuple[Any, ...]) -> Any:
    value = fields.get(name)
    if value not in allowed:
        raise BadValue(f"{name} is {value!r:.60}")
    return value
