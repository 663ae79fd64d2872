"""On the submitting side: what this user has agreed to, lane by lane, as it would be granted."""

from collections.abc import Iterator
from dataclasses import dataclass

from msd_review.app.world import World
from msd_review.errors import ConfigError
from msd_review.fleet.grants import LaneGrant
from msd_review.manifest.model import HttpInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.registry import RosterLane
from msd_review.trust import destinations, policy
from msd_review.trust.consent import GLOBAL
from msd_review.trust.signature import signature


@dataclass(frozen=True, slots=True, kw_only=True)
class NotGranted:
    """Why a lane cannot be granted: an outcome and a reason of the closed lists."""

    slug: str
    outcome: Outcome
    reason: Reason
    detail: str
    hint: str | None = None


def lane_grant(world: World, slug: str, *, answered: bool) -> LaneGrant | NotGranted:
    """What the user agreed to for one lane. `answered` says that they named it on the command line."""
    entry = world.registry.lane(slug)
    if entry is None:
        return _unknown(world, slug)
    if not _may_receive(world, entry, answered=answered):
        return NotGranted(
            slug=entry.slug,
            outcome=Outcome.BLOCKED,
            reason=Reason.NOT_CONSENTED,
            detail=f"you have not said that {entry.section} may receive plans",
            hint=f"name it to agree: --lane {entry.slug}",
        )
    agreed = tuple(dict.fromkeys(_destinations(world, entry)))
    if isinstance(entry.lane.invoke, HttpInvoke) and not agreed:
        return NotGranted(
            slug=entry.slug,
            outcome=Outcome.BLOCKED,
            reason=Reason.NOT_CONSENTED,
            detail=f"you have not agreed to any destination of {entry.section}",
            hint=policy.allow_host_command(entry.slug, "URL"),
        )
    return LaneGrant(
        slug=entry.slug,
        capability=entry.capability.id,
        source=entry.capability.source,
        signature=signature(entry.capability.raw),
        content_hash=_content_hash(world, entry),
        destinations=agreed,
    )


def _unknown(world: World, slug: str) -> NotGranted:
    inactive = world.registry.inactive_lane(slug)
    if inactive is None:
        return NotGranted(
            slug=slug,
            outcome=Outcome.UNAVAILABLE,
            reason=Reason.CAPABILITY_INACTIVE,
            detail=f"no reviewer is called {slug!r} where this was submitted",
        )
    blocked = inactive.reason is Reason.NOT_CONSENTED
    return NotGranted(
        slug=slug,
        outcome=Outcome.BLOCKED if blocked else Outcome.UNAVAILABLE,
        reason=inactive.reason,
        detail=inactive.detail,
        hint=inactive.hint,
    )


def _may_receive(world: World, entry: RosterLane, *, answered: bool) -> bool:
    if answered or not policy.needs_answer(entry.lane, first_party=entry.capability.source == "first-party"):
        return True
    said = world.consents.answer(entry.slug)
    return said is True or (said is None and entry.slug in _standing(world))


def _standing(world: World) -> frozenset[str]:
    configured = world.config.raw("review.default_reviewers")
    listed = configured.value if configured.origin == "user" else None
    return (
        frozenset(one.lower() for one in listed if isinstance(one, str))
        if isinstance(listed, list)
        else frozenset()
    )


def _destinations(world: World, entry: RosterLane) -> Iterator[str]:
    """Every destination that holds: the lane's own where it ships with msd, and each that was agreed to."""
    invoke = entry.lane.invoke
    if not isinstance(invoke, HttpInvoke):
        return
    capability = entry.capability
    if capability.source == "first-party" and invoke.default_host is not None:
        yield from _normal(invoke.default_host)
    for agreed in world.consents.destinations(entry.slug, capability.id):
        yield from _normal(agreed)
    consent = world.consents.overlay(GLOBAL, capability.id) if capability.source == GLOBAL else None
    if consent is not None and consent.destination is not None:
        yield from _normal(consent.destination)


def _normal(url: str) -> Iterator[str]:
    try:
        yield destinations.normalise(url).url
    except ConfigError:  # what is no base URL is no destination
        return


def _content_hash(world: World, entry: RosterLane) -> str | None:
    if entry.capability.source == "first-party":
        return None
    consent = world.consents.overlay(GLOBAL, entry.capability.id)
    return None if consent is None else consent.content_hash
