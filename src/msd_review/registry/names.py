"""The names of lanes that cannot run: read from whatever their manifest still says."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msd_review.manifest.build import section_title
from msd_review.manifest.vocabulary import FLAG_PATTERN, RESERVED_FLAGS, SLUG_PATTERN
from msd_review.outcomes import Reason
from msd_review.registry.model import Capability, InactiveLane

_MAX_NAME = 64
# Words of trust: nobody agreed to it at all, or not to the bytes that lie there now.
_BLOCKED = frozenset({"not_consented", "content_changed"})


def inactive_lanes_of(capability: Capability) -> Iterator[InactiveLane]:
    """The lane that an inactive capability would have shipped, and the one that a runtime's old alias names.

    Nothing of a manifest that nobody checked is used but names that are well-formed.
    """
    lane = capability.raw.get("reviewer")
    if not capability.active and isinstance(lane, Mapping):
        yield from _declared(capability, lane)
    elif capability.active and lane is None and _has_alias(capability.raw):
        yield _alias(capability)


def _declared(capability: Capability, lane: Mapping[str, Any]) -> Iterator[InactiveLane]:
    slug = lane.get("slug")
    if not isinstance(slug, str) or len(slug) > _MAX_NAME or not re.fullmatch(SLUG_PATTERN, slug):
        return
    flags, section = lane.get("flags"), lane.get("reviewsSection")
    is_line = isinstance(section, str) and section.isprintable() and len(section) <= _MAX_NAME
    yield InactiveLane(
        slug=slug,
        flags=tuple(filter(_is_flag, flags)) if isinstance(flags, list) else (),
        section=section_title(section) if is_line and isinstance(section, str) else slug,
        capability=capability,
        reason=Reason.NOT_CONSENTED if capability.inactive_reason in _BLOCKED else Reason.CAPABILITY_INACTIVE,
        detail=f"the capability {capability.label} is not active: {capability.detail}",
        hint=capability.hint,
    )


def _is_flag(flag: object) -> bool:
    return (
        isinstance(flag, str)
        and len(flag) <= _MAX_NAME
        and re.fullmatch(FLAG_PATTERN, flag) is not None
        and flag not in RESERVED_FLAGS
    )


def _has_alias(raw: Mapping[str, Any]) -> bool:
    runtime = raw.get("runtime")
    behaviors = runtime.get("hostBehaviors") if isinstance(runtime, Mapping) else None
    return isinstance(behaviors, Mapping) and behaviors.get("reviewerCli") is True


def _alias(capability: Capability) -> InactiveLane:
    identity = capability.id
    return InactiveLane(
        slug=identity,
        flags=(f"--{identity}",) if f"--{identity}" not in RESERVED_FLAGS else (),
        section=capability.manifest.title if capability.decoded else identity,
        capability=capability,
        reason=Reason.MALFORMED_LANE,
        detail="`hostBehaviors.reviewerCli` names a lane and does not say how to call it",
        hint="declare a `reviewer` body; the alias goes with the next release",
    )
