"""What is known of every lane without starting or contacting anything; loads nothing that a listing does not need."""

from dataclasses import dataclass
from typing import Any

from msd_review.app.approving import known_standing
from msd_review.app.world import World
from msd_review.invocation import NotPlanned
from msd_review.manifest.model import Lane, SpawnInvoke
from msd_review.outcomes import Outcome
from msd_review.registry import InactiveLane, RosterLane
from msd_review.run.standing import ProbeResult
from msd_review.trust import policy


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRow:
    """One lane as `lane list` and `lane detect` show it; `state` is ready, unavailable, blocked or inactive."""

    slug: str
    flags: tuple[str, ...]
    section: str
    transport: str
    capability: str
    source: str
    posture: str | None
    provider: str | None
    state: str
    reason: str | None = None
    detail: str = ""
    hint: str | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row's JSON object."""
        return {
            "slug": self.slug,
            "flags": list(self.flags),
            "section": self.section,
            "transport": self.transport,
            "capability": self.capability,
            "source": self.source,
            "posture": self.posture,
            "provider": self.provider,
            "state": self.state,
            "reason": self.reason,
            "detail": self.detail,
            "hint": self.hint,
            "note": self.note,
        }


def _posture(lane: Lane) -> str | None:
    return lane.invoke.posture if isinstance(lane.invoke, SpawnInvoke) else None


def _source(capability_id: str, source: str) -> str:
    return source if source == "first-party" else capability_id


def row_of(
    entry: RosterLane, state: str, standing: ProbeResult | NotPlanned | None = None, note: str = ""
) -> LaneRow:
    lane, capability = entry.lane, entry.capability
    reason = standing.reason if standing is not None else None
    return LaneRow(
        slug=lane.slug,
        flags=lane.flags,
        section=lane.reviews_section,
        transport=lane.transport,
        capability=capability.id,
        source=_source(capability.id, capability.source),
        posture=_posture(lane),
        provider=lane.provider,
        state=state,
        reason=reason.value if reason is not None else None,
        detail=standing.detail if standing is not None else "",
        hint=standing.hint if standing is not None else None,
        note=note,
    )


def inactive_row(inactive: InactiveLane) -> LaneRow:
    capability = inactive.capability
    lane = capability.decoded.reviewer if capability.decoded is not None else None
    return LaneRow(
        slug=inactive.slug,
        flags=inactive.flags,
        section=inactive.section,
        transport=lane.transport if lane is not None else "",
        capability=capability.id,
        source=_source(capability.id, capability.source),
        posture=_posture(lane) if lane is not None else None,
        provider=lane.provider if lane is not None else None,
        state="inactive",
        reason=inactive.reason.value,
        detail=inactive.detail,
        hint=inactive.hint,
    )


def asks_first(world: World, entry: RosterLane) -> str:
    first_party = entry.capability.source == "first-party"
    if not policy.needs_answer(entry.lane, first_party=first_party):
        return ""
    said = world.consents.answer(entry.slug)
    return "asks first" if said is None else "" if said else "refused by you"


def _known_row(world: World, entry: RosterLane) -> LaneRow:
    judged = known_standing(world, entry)
    if isinstance(judged, NotPlanned):
        return row_of(entry, "blocked" if judged.outcome is Outcome.BLOCKED else "unavailable", judged)
    if judged is not None:
        return row_of(entry, "unavailable", judged)
    return row_of(entry, "ready", note=asks_first(world, entry))


def list_lanes(world: World) -> tuple[LaneRow, ...]:
    """Every lane in roster order, inactive ones last. Starts nothing, connects to nothing."""
    rows = [_known_row(world, entry) for entry in world.registry.lanes]
    return (*rows, *(inactive_row(one) for one in world.registry.inactive_lanes))
