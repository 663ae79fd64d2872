"""One lane of one item, seen through: placed, sent, asked for again where it was lost, its end settled.

Invariants
- Every lane ends in an answer, whatever becomes of workers, scheduler and providers: none waits for ever.
- A lane that was lost with its worker is tried three times in all, in every start of the run together.
- A provider that asks to wait is left alone by the whole run, and the lane is tried again after that.
- What is not granted is not sent.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from msd_review.fleet import grants, wire
from msd_review.fleet.consenting import NotGranted
from msd_review.fleet.events import FleetEvent, FleetWatcher
from msd_review.fleet.grants import LaneGrant, item_digest
from msd_review.fleet.limits import Limits
from msd_review.fleet.model import FleetItem, ItemReason
from msd_review.fleet.offers import DESK
from msd_review.fleet.placement import Absent, Placement, lane_needs
from msd_review.fleet.session import SchedulerLost, Session, WorkerLost
from msd_review.fleet.wire import Job, JobKind
from msd_review.outcomes import Outcome, Reason
from msd_review.report.model import Skipped

MAX_LOST = 2
MAX_ELSEWHERE = 2
MAX_RATE_LIMITED = 4
_ASSESS_FIRST = 10
_OF_THE_WORKER = frozenset({ItemReason.REPOSITORY_MISSING.value, ItemReason.FETCH_FAILED.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What holds for a whole run: who it is, what its user granted, and which provider each lane has."""

    fleet: str
    key: Ed25519PrivateKey
    granted: Mapping[str, LaneGrant | NotGranted]
    providers: Mapping[str, str | None]
    fail_on: str | None = None
    allow_secrets: tuple[str, ...] = ()

    def grant(self, item: FleetItem) -> dict[str, str]:
        """The signed consent to one item as it is sent."""
        lanes = [one for one in self.granted.values() if isinstance(one, LaneGrant)]
        return grants.sign(self.key, fleet=self.fleet, item=item, lanes=lanes)

    def job(self, kind: JobKind, item: FleetItem, *, slug: str = "", attempt: int = 0, **more: Any) -> Job:
        """A job of this run. Equal work has an equal key, in every start of the run; `attempt` makes it anew."""
        told = f"{kind}\0{item_digest(item)}\0{slug}\0{attempt}"
        return Job(
            kind=kind,
            key=f"{self.fleet}-{hashlib.sha256(told.encode()).hexdigest()[:32]}",
            fleet=self.fleet,
            item=item,
            grant=self.grant(item),
            slug=slug,
            fail_on=self.fail_on,
            allow_secrets=self.allow_secrets,
            **more,
        )


@dataclass(slots=True, kw_only=True)
class Dispatcher:
    """Sends jobs to workers under the limits."""

    submission: Submission
    session: Session
    placement: Placement
    limits: Limits
    watch: FleetWatcher
    is_stopping: Callable[[], bool]
    on_lost: Callable[[str, str, str], None]  # item, slug, why

    async def small_job(self, job: Job, *, prefer: frozenset[str] = frozenset()) -> dict[str, Any]:
        """The answer to a resolve or an assess job. Raises ClusterGone."""
        lost = 0
        avoid: frozenset[str] = frozenset()
        while True:
            await self.session.connected()
            try:
                place = await self.placement.acquire(DESK, avoid=avoid, prefer=prefer)
            except Absent as problem:
                if self.is_stopping():
                    return {"state": "cancelled"}
                if self.placement.is_gone:
                    continue
                return wire.refusal(ItemReason.NO_WORKER, str(problem))
            try:
                answer = await self.session.run(job, place, priority=_ASSESS_FIRST)
            except SchedulerLost:
                continue
            except WorkerLost:
                answer = {"state": "lost"}
            finally:
                await self.placement.release(place)
            if answer["state"] == "lost":
                lost += 1
                if lost > MAX_LOST:
                    return wire.refusal(ItemReason.WORKER_LOST, "every worker that took it was lost")
            elif answer.get("reason") in _OF_THE_WORKER and len(avoid) < MAX_ELSEWHERE:
                avoid |= {place.worker}
                if not self._has_other(DESK, avoid):
                    return answer
            else:
                return answer

    def _has_other(self, need: str, avoid: frozenset[str]) -> bool:
        return any(
            have.get(need, 0) >= 1 for worker, have in self.placement.workers.items() if worker not in avoid
        )

    async def lane(self, item: FleetItem, slug: str, *, lost: int = 0, rounds: int = 0) -> dict[str, Any]:
        """The answer of one lane; `lost` is how often it was lost before, `rounds` how often the item was tried
        anew. Raises ClusterGone."""
        granted = self.submission.granted.get(slug)
        if not isinstance(granted, LaneGrant):
            return wire.lane_row(_not_granted(slug, granted, named=slug in item.lanes))
        trying = _Trying(
            item=item, slug=slug, provider=self.submission.providers.get(slug), lost=lost, rounds=rounds
        )
        while True:
            await self.session.connected()
            answer = await self._attempt(trying)
            settled = self._settled(trying, answer)
            if settled is not None:
                return settled

    async def _attempt(self, trying: "_Trying") -> dict[str, Any]:
        job = self.submission.job(
            "lane", trying.item, slug=trying.slug, attempt=100 * trying.rounds + trying.limited
        )
        home = self.session.homes.pop(job.key, None)
        prefer = frozenset({home} if home is not None else ())
        async with self.limits.place(trying.provider):
            if self.is_stopping():
                return {"state": "cancelled"}
            try:
                place = await self.placement.acquire(
                    *lane_needs(trying.slug), avoid=trying.avoid, prefer=prefer
                )
            except Absent as problem:
                if self.is_stopping():
                    return {"state": "cancelled"}
                if self.placement.is_gone:
                    return {"state": "again"}
                return trying.absent(self.placement.why_not(trying.slug), str(problem))
            trying.worker = place.worker
            self._tell_start(trying)
            try:
                return await self.session.run(job, place)
            except WorkerLost as problem:
                return {"state": "lost", "message": str(problem) or "its worker was lost"}
            except SchedulerLost:
                return {"state": "again"}
            finally:
                await self.placement.release(place)

    def _tell_start(self, trying: "_Trying") -> None:
        self.watch(
            FleetEvent(kind="lane_started", item=trying.item.id, slug=trying.slug, provider=trying.provider)
        )

    def _settled(self, trying: "_Trying", answer: dict[str, Any]) -> dict[str, Any] | None:
        """The lane's answer when it is one, None to try again."""
        state = "cancelled" if _was_cut_short(answer) else answer["state"]
        if state == "cancelled" and self.is_stopping():
            return {"state": "cancelled"}
        if state == "again":
            return None
        if state in {"lost", "cancelled"}:
            return self._lost(trying, str(answer.get("message") or "it was cut short"))
        if state == "refused" and answer.get("reason") in _OF_THE_WORKER:
            return self._elsewhere(trying, answer)
        row = answer.get("skipped")
        if isinstance(row, dict) and row.get("outcome") == Outcome.UNAVAILABLE.value:
            return self._elsewhere(trying, answer)
        return self._limited(trying, answer)

    def _lost(self, trying: "_Trying", why: str) -> dict[str, Any] | None:
        self.on_lost(trying.item.id, trying.slug, why)
        trying.lost += 1
        if trying.lost <= MAX_LOST:
            return None
        return wire.lane_row(
            Skipped(
                identity=trying.slug,
                outcome=Outcome.FAILED.value,
                reason=Reason.EXIT_STATUS.value,
                detail=f"every worker that ran it was lost, {trying.lost} in all; last: {why}",
                named=trying.slug in trying.item.lanes,
            )
        )

    def _elsewhere(self, trying: "_Trying", answer: dict[str, Any]) -> dict[str, Any] | None:
        """What one worker cannot do another may be able to."""
        trying.last = answer
        avoid = trying.avoid | {trying.worker}
        need = lane_needs(trying.slug)[0]
        if len(trying.avoid) >= MAX_ELSEWHERE or not self._has_other(need, avoid):
            return answer
        trying.avoid = avoid
        return None

    def _limited(self, trying: "_Trying", answer: dict[str, Any]) -> dict[str, Any] | None:
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("reason") != Reason.RATE_LIMITED.value:
            self.limits.delivered(trying.provider)
            return answer
        trying.limited += 1
        if trying.limited > MAX_RATE_LIMITED or self.is_stopping():
            return answer
        pause = self.limits.pause(trying.provider, _told_s(result))
        self.watch(
            FleetEvent(
                kind="note",
                text=f"{trying.provider or trying.slug} asks to come back later; nobody begins there for {pause:.0f} s",
            )
        )
        return None


@dataclass(slots=True, kw_only=True)
class _Trying:
    """How far a lane has come."""

    item: FleetItem
    slug: str
    provider: str | None
    lost: int = 0
    rounds: int = 0
    limited: int = 0
    worker: str = ""
    avoid: frozenset[str] = frozenset()
    last: dict[str, Any] | None = None

    def absent(self, said: tuple[str, str] | None, why: str) -> dict[str, Any]:
        """The answer when no worker has it: what the last that tried said, else what all say, else why."""
        if self.last is not None:
            return self.last
        reason, detail = said or (Reason.MISSING_BINARY.value, why)
        return wire.lane_row(
            Skipped(
                identity=self.slug,
                outcome=Outcome.UNAVAILABLE.value,
                reason=reason,
                detail=detail,
                named=self.slug in self.item.lanes,
            )
        )


def _was_cut_short(answer: Mapping[str, Any]) -> bool:
    """Whether a lane was stopped before it ended: somebody stopped it, or the worker that it ran on."""
    result = answer.get("result")
    return isinstance(result, dict) and result.get("outcome") == Outcome.CANCELLED.value


def _told_s(result: Mapping[str, Any]) -> float | None:
    extra = result.get("extra")
    told = extra.get("retry_after_s") if isinstance(extra, dict) else None
    try:
        seconds = float(told) if isinstance(told, str) else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < 24 * 3600 else None


def _not_granted(slug: str, why: NotGranted | None, *, named: bool) -> Skipped:
    if why is None:
        detail = "no reviewer of this name is known where this was submitted"
        why = NotGranted(
            slug=slug, outcome=Outcome.UNAVAILABLE, reason=Reason.CAPABILITY_INACTIVE, detail=detail
        )
    return Skipped(
        identity=slug,
        outcome=why.outcome.value,
        reason=why.reason.value,
        detail=why.detail,
        hint=why.hint,
        named=named,
    )
