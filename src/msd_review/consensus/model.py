"""What several reviewers say together, and what became of it since the last cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msd_review.review.model import Severity, Strength

ClusterStatus = Literal["new", "open", "reopened", "resolved", "dismissed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerFacts:
    """What independence is judged by: the base tool, the model that answered, the marks."""

    identity: str
    slug: str
    model: str | None
    counted: bool  # delivered a review that counts in agreement
    why_not: str = ""


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
