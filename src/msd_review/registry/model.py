"""What the registry hands out: capabilities, the lanes that they ship, and what there is to say about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msd_review.manifest.model import ConfigKey, Lane, Manifest
from msd_review.manifest.problems import Problem
from msd_review.outcomes import Reason

Source = Literal["first-party", "global", "project"]
RANK: Mapping[str, int] = {"first-party": 0, "global": 1, "project": 2}


class Capability(NamedTuple):
    """One capability of this installation.

    `raw` is its JSON as read, {} where it is no object; `decoded` is None where it cannot be used. An inactive one
    contributes nothing and runs nothing: `inactive_reason` is a code of validation or a word of trust
    (`not_consented`), `detail` and `hint` say it for people.
    """

    id: str
    source: Source
    folder: Path
    raw: Mapping[str, Any]
    decoded: Manifest | None
    active: bool
    inactive_reason: str | None = None
    detail: str = ""
    hint: str | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def manifest(self) -> Manifest:
        """The decoded manifest, which every active capability has. Raises RuntimeError where there is none."""
        if self.decoded is None:
            raise RuntimeError(f"the manifest of {self.id} cannot be used")
        return self.decoded

    @property
    def label(self) -> str:
        """How messages name it."""
        return self.id if self.source == "first-party" else f"{self.id} ({self.source})"


class RosterLane(NamedTuple):
    """A lane that may be chosen, and the capability that ships it."""

    lane: Lane
    capability: Capability

    @property
    def slug(self) -> str:
        return self.lane.slug

    @property
    def flags(self) -> tuple[str, ...]:
        return self.lane.flags

    @property
    def section(self) -> str:
        return self.lane.reviews_section


class InactiveLane(NamedTuple):
    """A lane that is known by name and cannot run: naming it is an error of its own, not of usage."""

    slug: str
    flags: tuple[str, ...]
    section: str
    capability: Capability
    reason: Reason
    detail: str
    hint: str | None = None


class Notice(NamedTuple):
    """Something to say about installed capabilities: on a review, in `capability list`, in `doctor`.

    `capabilities` are their ids; `slugs` the lanes concerned; `left_out` tells that they contribute nothing.
    """

    code: str
    capabilities: tuple[str, ...]
    message: str
    hint: str | None = None
    slugs: tuple[str, ...] = ()
    left_out: bool = True


@dataclass(frozen=True, kw_only=True)
class Registry:
    """First-party capabilities and those overlays that are active, merged.

    `lanes` stand in roster order: first-party as declared, `grounding` last of them, then overlays by id.
    """

    capabilities: tuple[Capability, ...]
    lanes: tuple[RosterLane, ...]
    inactive_lanes: tuple[InactiveLane, ...] = ()
    notices: tuple[Notice, ...] = ()

    @cached_property
    def _by_slug(self) -> Mapping[str, RosterLane]:
        return {entry.slug: entry for entry in self.lanes}

    @cached_property
    def _by_flag(self) -> Mapping[str, RosterLane]:
        return {flag: entry for entry in self.lanes for flag in entry.flags}

    @cached_property
    def _inactive_by_slug(self) -> Mapping[str, InactiveLane]:
        return {entry.slug: entry for entry in reversed(self.inactive_lanes)}

    @cached_property
    def _inactive_by_flag(self) -> Mapping[str, InactiveLane]:
        return {flag: entry for entry in reversed(self.inactive_lanes) for flag in entry.flags}

    def lane(self, slug: str) -> RosterLane | None:
        """The lane with this slug, compared without case."""
        return self._by_slug.get(slug.lower())

    def lane_of_flag(self, flag: str) -> RosterLane | None:
        """The lane that this flag chooses, compared without case."""
        return self._by_flag.get(flag.lower())

    def inactive_lane(self, slug: str) -> InactiveLane | None:
        """The lane with this slug that cannot run, where no other lane bears the slug."""
        return None if self.lane(slug) else self._inactive_by_slug.get(slug.lower())

    def inactive_lane_of_flag(self, flag: str) -> InactiveLane | None:
        """The lane of this flag that cannot run, where no other lane has the flag."""
        return None if self.lane_of_flag(flag) else self._inactive_by_flag.get(flag.lower())

    @cached_property
    def flags(self) -> tuple[str, ...]:
        """Every flag that is known, those of lanes that cannot run included; each once, in roster order."""
        return tuple(dict.fromkeys((*self._by_flag, *(f for e in self.inactive_lanes for f in e.flags))))

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of `lanes`, in roster order."""
        return tuple(self._by_slug)

    @property
    def active(self) -> tuple[Capability, ...]:
        """The capabilities that contribute, first-party first."""
        return tuple(capability for capability in self.capabilities if capability.active)

    def capability(self, identity: str) -> Capability | None:
        """The capability with this id: the active one where there is one, else the first that is known."""
        found = [capability for capability in self.capabilities if capability.id == identity]
        return next((one for one in found if one.active), found[0] if found else None)

    @cached_property
    def config_keys(self) -> tuple[tuple[str, ConfigKey], ...]:
        """Every key that an active capability owns, as (owner's id, key)."""
        return tuple(
            (capability.id, key)
            for capability in self.active
            if "config" in capability.raw
            for key in capability.manifest.config
        )

    @property
    def owned_lanes(self) -> tuple[tuple[str, Lane], ...]:
        """Every lane as (owner's id, lane)."""
        return tuple((entry.capability.id, entry.lane) for entry in self.lanes)
