"""What a report of a change shows beside its reviewers and concerns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msd_review.change.model import Change, Depth

PRIMARY = "internal"  # the identity of the host agent's own review


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """Something that the phase's plans promise; `shown` is None where no mechanical look can tell."""

    kind: Literal["requirement", "artifact", "link", "truth", "prohibition"]
    text: str
    plan: str  # the plan's file name, "" for a requirement of the phase
    shown: bool | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFacts:
    """A change as it was reviewed.

    `unverified` are ids of findings without one citation that holds: shown apart, never in a concern, never a reason
    to fail. `known` are concerns that the baseline holds: shown, and no reason to fail. `policy` says what the
    reviewed range changes in the gate that judges it.
    """

    change: Change
    depth: Depth
    unverified: frozenset[str] = frozenset()
    has_primary: bool = False
    baseline: str | None = None
    known: frozenset[str] = frozenset()
    policy: tuple[str, ...] = ()
    promises: tuple[Promise, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)  # identity → "external: <slug>" or "internal"


def standing(promise: Promise) -> str:
    """`shown`, `not shown` or `not told`."""
    return {True: "shown", False: "not shown", None: "not told"}[promise.shown]
