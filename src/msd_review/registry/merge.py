"""First-party ∪ global ∪ project overlays → one registry; pure, and independent of the order of its input.

Who is active is decided in steps: a manifest that cannot be used, an overlay that trust does not let in,
a requirement that nobody meets, a name that another holds. Of those who claim one name the first-party one
wins, then the global one, then the smaller id; the others are left out whole, and said so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msd_review.manifest.merged import Clash, Member, find_clashes, find_unmet, find_waiting
from msd_review.manifest.problems import Problem
from msd_review.registry.collector import collector_paused
from msd_review.registry.model import RANK, Capability, Notice, Registry, RosterLane
from msd_review.registry.names import inactive_lanes_of
from msd_review.registry.overlays import Overlay

Decide = Callable[[Overlay], str | None]

_TRUST_DETAILS = {
    "not_consented": "nobody on this machine has agreed to it",
    "content_changed": "its files are no longer those that were agreed to",
}


def load_registry(
    first_party: Sequence[Capability], overlays: Iterable[Overlay] = (), *, is_active: Decide | None = None
) -> Registry:
    """The registry of an installation.

    `is_active` is trust's word on an overlay: None lets it in, a string is the reason why not (such as
    `not_consented`). Without it nothing that was installed is active.
    """
    with collector_paused():
        return _merged(first_party, overlays, is_active)


def _merged(
    first_party: Sequence[Capability], overlays: Iterable[Overlay], is_active: Decide | None
) -> Registry:
    installed = sorted((_capability(overlay, is_active) for overlay in overlays), key=_order)
    active = [*first_party, *(one for one in installed if one.active)]
    kept, clashes = _resolve([_member(one) for one in active]) if len(active) > len(first_party) else ([], [])
    staying = {member.order: member for member in kept}
    settled = [_settled(one, staying, clashes) for one in installed]
    lost = {_order(one): one for one in settled if not one.active}
    capabilities = (*first_party, *settled)
    return Registry(
        capabilities=capabilities,
        lanes=tuple(_lanes(capabilities)),
        inactive_lanes=tuple(entry for one in capabilities for entry in inactive_lanes_of(one)),
        notices=(*_clash_notices(clashes, lost), *_own_notices(settled)),
    )


def _order(capability: Capability) -> tuple[int, str, str]:
    return (RANK[capability.source], capability.id, "")


def _capability(overlay: Overlay, is_active: Decide | None) -> Capability:
    reason, detail, hint = _standing(overlay, is_active)
    return Capability(
        id=overlay.id,
        source=overlay.scope,
        folder=overlay.folder,
        raw=overlay.raw,
        decoded=overlay.manifest,
        active=reason is None,
        inactive_reason=reason,
        detail=detail,
        hint=hint,
        problems=overlay.problems,
    )


def _standing(overlay: Overlay, is_active: Decide | None) -> tuple[str | None, str, str | None]:
    if overlay.problem is not None:
        return overlay.problem.code, overlay.problem.message, overlay.problem.hint
    reason = "not_consented" if is_active is None else is_active(overlay)
    if reason is None:
        return None, "", None
    detail = _TRUST_DETAILS.get(reason, f"it may not run: {reason}")
    return reason, detail, f"see what it does, and decide: msd capability trust allow {overlay.id}"


def _member(capability: Capability) -> Member:
    return Member(order=_order(capability), value=capability.raw, label=capability.label)


def _resolve(members: Sequence[Member]) -> tuple[list[Member], list[Clash]]:
    """Who stays, and the clashes that others were left out for."""
    staying, unmet = _without_unmet(sorted(members, key=lambda member: member.order))
    staying, shared = _without_clashes(staying)
    staying, orphaned = _without_unmet(staying)
    staying, waiting = _without_waiting(staying)
    return staying, [*unmet, *shared, *orphaned, *waiting]


def _without_unmet(members: list[Member]) -> tuple[list[Member], list[Clash]]:
    """Leaving one out can leave another's requirement unmet, so this goes on until nothing changes."""
    found: list[Clash] = []
    while True:
        unmet = find_unmet([member for member in members if member.rank], available=members)
        if not unmet:
            return members, found
        found += unmet
        lost = {member.order for clash in unmet for member in clash.members}
        members = [member for member in members if member.order not in lost]


def _without_clashes(members: list[Member]) -> tuple[list[Member], list[Clash]]:
    clashes = find_clashes(members)
    of_member: dict[tuple[int, str, str], list[Clash]] = {}
    for clash in clashes:
        for member in clash.members:
            of_member.setdefault(member.order, []).append(clash)
    staying: dict[tuple[int, str, str], Member] = {}
    for member in members:
        shared = of_member.get(member.order, ())
        if not any(rival.order in staying for clash in shared for rival in clash.members):
            staying[member.order] = member
    lost = [clash for clash in clashes if any(member.order not in staying for member in clash.members)]
    return list(staying.values()), lost


def _without_waiting(members: list[Member]) -> tuple[list[Member], list[Clash]]:
    found: list[Clash] = []
    while True:
        waiting = find_waiting(members)
        if not waiting or not waiting[0].members[-1].rank:
            return members, found
        loser = waiting[0].members[-1]
        found.append(waiting[0])
        members = [member for member in members if member is not loser]


def _settled(
    capability: Capability, staying: Mapping[tuple[int, str, str], Member], clashes: Sequence[Clash]
) -> Capability:
    order = _order(capability)
    if not capability.active or order in staying:
        return capability
    problem = next(
        clash.problem for clash in clashes if any(member.order == order for member in clash.members)
    )
    return capability._replace(
        active=False, inactive_reason=problem.code, detail=problem.message, hint=problem.hint
    )


def _lanes(capabilities: Iterable[Capability]) -> Iterator[RosterLane]:
    for capability in sorted(capabilities, key=_roster_order):
        if capability.active and capability.manifest.reviewer is not None:
            yield RosterLane(lane=capability.manifest.reviewer, capability=capability)


def _roster_order(capability: Capability) -> tuple[bool, str]:
    is_overlay = capability.source != "first-party"
    return (is_overlay, capability.id if is_overlay else "")


def _clash_notices(
    clashes: Iterable[Clash], lost: Mapping[tuple[int, str, str], Capability]
) -> Iterator[Notice]:
    for clash in clashes:
        out = [lost[member.order] for member in clash.members if member.order in lost]
        if out:
            yield _notice(clash.problem, out, left_out=True)


def _notice(problem: Problem, capabilities: Sequence[Capability], *, left_out: bool) -> Notice:
    slugs = tuple(entry.slug for one in capabilities for entry in inactive_lanes_of(one))
    return Notice(
        code=problem.code,
        capabilities=tuple(one.id for one in capabilities),
        message=problem.message,
        hint=problem.hint,
        slugs=slugs,
        left_out=left_out,
    )


def _own_notices(capabilities: Iterable[Capability]) -> Iterator[Notice]:
    for capability in capabilities:
        for problem in capability.problems:
            yield _notice(problem, [capability], left_out=not problem.is_warning)
