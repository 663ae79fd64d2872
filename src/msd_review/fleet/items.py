"""One item, seen through: its commit, its lanes, its report, and the record of each of them.

Invariants
- A lane's answer is on the disk before the journal names it, and in the journal before anything is made of it.
- A finished item is recorded once its files are there, whole.
- What an earlier start of the run has recorded is taken over, and not asked for again.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from msd_review.edges import files
from msd_review.errors import StoreError
from msd_review.fleet import journal, wire
from msd_review.fleet.continuing import Begun, kept_answer
from msd_review.fleet.dispatch import Dispatcher
from msd_review.fleet.events import FleetEvent, FleetWatcher
from msd_review.fleet.journal import FleetJournal
from msd_review.fleet.model import FleetFolder, FleetItem, ItemOutcome, ItemReason, LaneOutcome
from msd_review.fleet.repositories import needs_resolving
from msd_review.outcomes import Outcome

_NAMED_CODES = {3: ItemReason.LANE_FAILED, 4: ItemReason.NO_REVIEWER, 5: ItemReason.BLOCKED}
_MESSAGES = {
    ItemReason.LANE_FAILED: "a reviewer that it names did not deliver",
    ItemReason.NO_REVIEWER: "no reviewer delivered",
    ItemReason.BLOCKED: "consent is missing for a reviewer that it names, or for all",
}


class Stopped(Exception):
    """The run is being stopped; the item is as far as it came, and is continued by the next start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desktop:
    """What seeing items through needs."""

    folder: FleetFolder
    journal: FleetJournal
    dispatcher: Dispatcher
    watch: FleetWatcher
    choose_lanes: Callable[[], tuple[str, ...]]
    is_stopping: Callable[[], bool]


@dataclass(slots=True, kw_only=True)
class _Doing:
    item: FleetItem
    known: Begun
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)


async def see_through(desk: Desktop, item: FleetItem, known: Begun | None) -> ItemOutcome:
    """The item's outcome, recorded. Raises Stopped, ClusterGone and StoreError."""
    doing = _Doing(item=item, known=known or Begun())
    outcome = await _outcome(desk, doing)
    desk.journal.append(journal.ITEM_FINISHED, {"item": item.id, "outcome": outcome.to_json()})
    desk.watch(FleetEvent(kind="item_finished", item=item.id, outcome=outcome))
    return outcome


async def _outcome(desk: Desktop, doing: _Doing) -> ItemOutcome:
    refused = await _settle_commit(desk, doing)
    if refused is not None:
        return _refused(doing, refused)
    lanes = _plan(desk, doing)
    if not lanes:
        return _failed(doing, ItemReason.NO_REVIEWER, "no worker offers a reviewer that may have it", code=4)
    await asyncio.gather(*(_lane(desk, doing, slug) for slug in lanes))
    states = [answer["state"] for answer in doing.answers.values()]
    if desk.is_stopping() and "cancelled" in states:
        raise Stopped
    if "nothing" in states:
        return _nothing(doing)
    if all(state == "refused" for state in states):
        return _refused(doing, doing.answers[lanes[0]])
    return await _assessed(desk, doing)


async def _settle_commit(desk: Desktop, doing: _Doing) -> dict[str, Any] | None:
    """Makes the item's revision a commit, once for all its lanes; a refusal where there is none."""
    item = doing.item
    if not needs_resolving(item):
        return None
    if doing.known.commit is None:
        answer = await desk.dispatcher.small_job(desk.dispatcher.submission.job("resolve", item))
        if answer["state"] == "cancelled":
            raise Stopped
        if answer["state"] != "resolved":
            return answer
        doing.known.commit = str(answer["commit"])
    doing.item = replace(item, revision=doing.known.commit)
    return None


def _plan(desk: Desktop, doing: _Doing) -> tuple[str, ...]:
    known = doing.known
    if known.planned is None:
        known.planned = tuple(dict.fromkeys(doing.item.lanes)) or desk.choose_lanes()
        fields = {"item": doing.item.id, "lanes": list(known.planned), "commit": known.commit}
        desk.journal.append(journal.PLANNED, fields)
    return known.planned


async def _lane(desk: Desktop, doing: _Doing, slug: str) -> None:
    kept = doing.known.lanes.get(slug)
    answer = kept_answer(desk.folder, kept) if kept is not None else None
    if answer is None:
        known = doing.known
        answer = await desk.dispatcher.lane(
            doing.item, slug, lost=known.lost.get(slug, 0), rounds=known.rounds
        )
        if answer["state"] == "lane":
            _record(desk, doing, slug, answer)
    doing.answers[slug] = answer
    if answer["state"] == "lane":
        lane = lane_outcome(slug, answer)
        desk.watch(FleetEvent(kind="lane_finished", item=doing.item.id, slug=slug, lane=lane))


def _record(desk: Desktop, doing: _Doing, slug: str, answer: Mapping[str, Any]) -> None:
    content = json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")
    path = _write(desk, doing.item, f"lanes/{slug}.json", content)
    fields = {
        "item": doing.item.id,
        "slug": slug,
        "file": path,
        "sha256": hashlib.sha256(content).hexdigest(),
        "lane": asdict(lane_outcome(slug, answer)),
    }
    desk.journal.append(journal.LANE_FINISHED, fields)


def _write(desk: Desktop, item: FleetItem, name: str, content: bytes) -> str:
    """Writes a file of an item; its path below the fleet's folder."""
    path = desk.folder.item(item.id) / name
    try:
        files.make_private(path.parent)
        files.write_atomic(path, content, mode=0o600)
    except OSError as problem:
        raise StoreError(
            f"{path} cannot be written: {problem.strerror or problem}",
            hint="make room for it, then run the same command again: what finished is kept",
        ) from None
    return path.relative_to(desk.folder.path).as_posix()


async def _assessed(desk: Desktop, doing: _Doing) -> ItemOutcome:
    dispatcher = desk.dispatcher
    lanes = {slug: one for slug, one in doing.answers.items() if one["state"] == "lane"}
    rows = tuple(
        wire.skipped_from_json(_row_of_refusal(doing, slug, one))
        for slug, one in doing.answers.items()
        if one["state"] == "refused"
    )
    job = dispatcher.submission.job("assess", doing.item, answers=lanes, skipped=rows)
    answer = await dispatcher.small_job(job)
    if answer["state"] == "cancelled":
        raise Stopped
    if answer["state"] != "report":
        reason = str(answer.get("reason") or ItemReason.INTERNAL.value)
        return replace(_failed(doing, ItemReason.INTERNAL, str(answer.get("message"))), reason=reason)
    return _reported(desk, doing, answer)


def _row_of_refusal(doing: _Doing, slug: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """A lane whose worker has no tree to review, where others had one."""
    return {
        "identity": slug,
        "outcome": Outcome.UNAVAILABLE.value,
        "reason": "copy_failed",
        "detail": str(answer.get("message")),
        "named": slug in doing.item.lanes,
    }


def _reported(desk: Desktop, doing: _Doing, answer: Mapping[str, Any]) -> ItemOutcome:
    written = {
        name: _write(desk, doing.item, name, text.encode("utf-8", "replace"))
        for name, text in answer["files"].items()
        if name in {"REVIEWS.md", "REVIEWS.json"}
    }
    code = int(answer["exit_code"])
    reason = _NAMED_CODES.get(code)
    judged = answer.get("lanes") or {}
    lanes = tuple(_as_judged(lane, judged.get(lane.slug)) for lane in _lanes(doing))
    delivered = sum(1 for lane in lanes if lane.outcome == Outcome.REVIEW.value)
    message = f"{delivered} of {len(lanes)} reviewers delivered" if reason is None else _MESSAGES[reason]
    return ItemOutcome(
        item_id=doing.item.id,
        repository=doing.item.repository,
        kind=doing.item.kind,
        state="done" if reason is None else "failed",
        message=message,
        reason=None if reason is None else reason.value,
        exit_code=code,
        lanes=lanes,
        document=written.get("REVIEWS.json"),
    )


def _as_judged(lane: LaneOutcome, judged: Mapping[str, Any] | None) -> LaneOutcome:
    """The report's word on a lane: a text that is no review made it a failed one."""
    if not judged:
        return lane
    return replace(lane, outcome=str(judged["outcome"]), reason=judged.get("reason"))


def _lanes(doing: _Doing) -> tuple[LaneOutcome, ...]:
    found = []
    for slug, answer in sorted(doing.answers.items()):
        if answer["state"] == "lane":
            found.append(lane_outcome(slug, answer))
        elif answer["state"] == "refused":
            row = _row_of_refusal(doing, slug, answer)
            found.append(LaneOutcome(slug=slug, outcome=row["outcome"], seconds=0.0, reason=row["reason"]))
    return tuple(found)


def lane_outcome(slug: str, answer: Mapping[str, Any]) -> LaneOutcome:
    """What an answer says became of a lane."""
    result, row = answer.get("result"), answer.get("skipped")
    worker = answer.get("worker") if isinstance(answer.get("worker"), str) else None
    if not isinstance(result, dict):
        told = row if isinstance(row, dict) else {}
        outcome = str(told.get("outcome") or Outcome.FAILED.value)
        return LaneOutcome(slug=slug, outcome=outcome, seconds=0.0, reason=told.get("reason"), worker=worker)
    usage = result.get("usage") or {}
    return LaneOutcome(
        slug=slug,
        outcome=str(result.get("outcome")),
        seconds=(result.get("duration_ms") or 0) / 1000,
        reason=result.get("reason"),
        model=result.get("model"),
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        cost_usd=usage.get("cost_usd"),
        worker=worker,
    )


def _refused(doing: _Doing, answer: Mapping[str, Any]) -> ItemOutcome:
    hint = answer.get("hint")
    message = f"{answer.get('message')}" + (f" ({hint})" if hint else "")
    reason = str(answer.get("reason") or ItemReason.INTERNAL.value)
    code = 5 if reason == ItemReason.BLOCKED.value else 2
    return ItemOutcome(
        item_id=doing.item.id,
        repository=doing.item.repository,
        kind=doing.item.kind,
        state="refused",
        message=message,
        reason=reason,
        exit_code=code,
    )


def _failed(doing: _Doing, reason: ItemReason, message: str, *, code: int | None = None) -> ItemOutcome:
    return ItemOutcome(
        item_id=doing.item.id,
        repository=doing.item.repository,
        kind=doing.item.kind,
        state="failed",
        message=message,
        reason=reason.value,
        exit_code=code,
        lanes=_lanes(doing),
    )


def _nothing(doing: _Doing) -> ItemOutcome:
    told = next(one for one in doing.answers.values() if one["state"] == "nothing")
    return ItemOutcome(
        item_id=doing.item.id,
        repository=doing.item.repository,
        kind=doing.item.kind,
        state="done",
        message=str(told.get("message")),
        exit_code=0,
    )
