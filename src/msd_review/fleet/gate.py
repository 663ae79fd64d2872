"""On the worker: whether exactly what would run here, and where it would send, is what was granted.

Asked before a lane is probed, since a probe contacts it, and once more for the very invocation that is about to run.
"""

from collections.abc import Iterable
from dataclasses import replace

from msd_review.app.world import World
from msd_review.edges import clock
from msd_review.fleet.grants import Grant, LaneGrant
from msd_review.invocation import NotPlanned
from msd_review.lane_shape import http_target
from msd_review.manifest.model import HttpInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.registry import RosterLane
from msd_review.trust import destinations
from msd_review.trust.consent import GLOBAL, Answer, HostConsent
from msd_review.trust.policy import Approved, ApprovedHttp
from msd_review.trust.signature import signature
from msd_review.trust.visible import plain


def stands_against(world: World, entry: RosterLane, grant: Grant) -> NotPlanned | None:
    """What in the grant, or missing from it, keeps the lane from running on this worker."""
    granted = grant.lanes.get(entry.slug)
    if granted is None:
        return _blocked(entry, Reason.NOT_CONSENTED, "whoever submitted this has not agreed to this reviewer")
    different = _difference(world, entry, granted)
    if different is not None:
        return _blocked(entry, Reason.NOT_CONSENTED, different)
    invoke = entry.lane.invoke
    if not isinstance(invoke, HttpInvoke):
        return None
    target = http_target(entry.lane, invoke, world.config)
    if isinstance(target, NotPlanned):
        return target
    return None if _is_granted(target.host, granted) else _elsewhere(entry, target.host, granted)


def stands_against_call(entry: RosterLane, approved: Approved, grant: Grant) -> NotPlanned | None:
    """The same for one approved invocation, right before it runs; the grant must still hold."""
    granted = grant.lanes.get(entry.slug)
    if granted is None or clock.now() > grant.expires:
        return _blocked(entry, Reason.NOT_CONSENTED, "the consent that came with it does not hold any more")
    if isinstance(approved, ApprovedHttp) and not _is_granted(approved.destination, granted):
        return _elsewhere(entry, approved.destination, granted)
    return None


def under_grant(world: World, grant: Grant) -> World:
    """The world with the submitting person's consents in the place of this machine's.

    What this worker's operator agreed to about installed capabilities stays: without it none of them is active.
    """
    time = clock.iso(clock.now())
    lanes: Iterable[LaneGrant] = grant.lanes.values()
    hosts = tuple(
        HostConsent(slug=one.slug, capability=one.capability, destination=url, time=time, tool_version="")
        for one in lanes
        for url in one.destinations
    )
    answers = tuple(Answer(slug=slug, allowed=True, time=time, tool_version="") for slug in grant.lanes)
    return replace(world, consents=replace(world.consents, hosts=hosts, answers=answers))


def _difference(world: World, entry: RosterLane, granted: LaneGrant) -> str | None:
    capability = entry.capability
    if (capability.id, capability.source) != (granted.capability, granted.source):
        return f"this worker has {entry.slug} from {capability.label}, not from what was agreed to"
    if signature(capability.raw) != granted.signature:
        return f"what {capability.label} declares on this worker is not what was agreed to"
    if capability.source == "first-party":
        return None
    consent = world.consents.overlay(GLOBAL, capability.id)
    if consent is None or consent.content_hash != granted.content_hash:
        return f"the files of {capability.label} on this worker are not those that were agreed to"
    return None


def _is_granted(url: str, granted: LaneGrant) -> bool:
    return any(destinations.same_destination(one, url) for one in granted.destinations)


def _elsewhere(entry: RosterLane, url: str, granted: LaneGrant) -> NotPlanned:
    agreed = ", ".join(plain(one) for one in granted.destinations) or "no destination"
    detail = f"on this worker plans would go to {plain(url)}, but {agreed} was agreed to; nothing was sent"
    return _blocked(entry, Reason.EGRESS_HOST_CHANGED, detail)


def _blocked(entry: RosterLane, reason: Reason, detail: str) -> NotPlanned:
    return NotPlanned(
        identity=entry.slug,
        lane=entry.lane,
        outcome=Outcome.BLOCKED,
        reason=reason,
        detail=detail,
        named=True,
    )
