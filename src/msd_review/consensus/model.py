"""What several reviewers say together, and what became of it since the last cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msd_review.review.model import Citation, Severity, Strength

ClusterStatus = Literal["new", "open", "reopened", "resolved", "dismissed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerFacts:
    """What independence is judged by: the base tool, the model that answered, the marks."""

    identity: str
    slug: str
    model: str | None
    counted: bool  # delivered a review that counts in agreement
    why_not: str = ""
    imported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One concern, by however many reviewers.

    `severity` is the highest that a counted reviewer gave; `severities` maps identity → severity.
    `independent_reviewers` counts pairwise independent ones. `id` is stable across cycles ("C-1a2b3c4d").
    """

    id: str
    severity: Severity
    title: str
    finding_ids: tuple[str, ...]
    reviewers: tuple[str, ...]
    independent_reviewers: int
    agreed: bool
    severities: Mapping[str, Severity] = field(default_factory=dict)
    status: ClusterStatus = "new"
    first_seen_cycle: int = 1
    closed_in_cycle: int | None = None
    divergent: bool = False
    divergence: str = ""  # who says what, in one line
    dismissed_because: str | None = None
    note: str = ""  # e.g. which plan change answers it
    demoted: bool = False  # every finding in it has only evidence that is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthGroup:
    """One strength, by however many reviewers."""

    text: str
    reviewers: tuple[str, ...]
    members: tuple[Strength, ...]
    agreed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """All that was computed over the reviewers, in the order in which it is shown."""

    clusters: tuple[Cluster, ...]
    strengths: tuple[StrengthGroup, ...]
    reviewers: tuple[ReviewerFacts, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """A concern that a person set aside, and the cited code as it was then and is now.

    `fingerprints` and `current` map a cited path to a fingerprint of the code; a path that is in the
    first and differs in the second has changed, and the dismissal no longer holds. `title` finds the
    concern again when its id is not known any more.
    """

    id: str
    because: str
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    current: Mapping[str, str] = field(default_factory=dict)
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChange:
    """One plan as it was when the last cycle reviewed it, and as it is now ("" where there was none)."""

    plan: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousCluster:
    """A cluster of the last cycle, with all that its findings said, to know it again by."""

    id: str
    severity: Severity
    title: str
    status: ClusterStatus
    reviewers: tuple[str, ...]
    first_seen_cycle: int
    closed_in_cycle: int | None = None
    dismissed_because: str | None = None
    body: str = ""
    plan: str | None = None
    citations: tuple[Citation, ...] = ()
    demoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousCycle:
    """What the last cycle left behind."""

    cycle: int
    clusters: tuple[PreviousCluster, ...]
    reviewers: tuple[str, ...] = ()
