"""Everything a report shows: the run, whole, as plain values. Every format is a pure function of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msd_review.consensus.model import Consensus
from msd_review.report.change_model import ChangeFacts
from msd_review.review.model import Review
from msd_review.run.result import LaneResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerReport:
    """One reviewer's row: what became of it, and what it said if it said something.

    `section` is the heading without the word Review ("Codex", or "OpenCode" with `instance`);
    `shown_text` is the text to print, None when there is none; `trim` says what its prompt lost.
    """

    result: LaneResult
    review: Review | None
    instance: str | None = None
    imported: bool = False
    shown_text: str | None = None
    trim: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A reviewer that was wanted and not run, left out by choice, or not there.

    One that was chosen and could not be sent its prompt has a section of its own; `section` is its heading
    without the word Review (the identity stands in where it is "").
    """

    identity: str
    outcome: str
    reason: str
    detail: str
    hint: str | None = None
    named: bool = False
    section: str = ""
    wanted: bool = True  # asked for, or it would have taken part: not merely a tool that this machine lacks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReport:
    """A finished (or interrupted) review."""

    run: str
    root: str
    phase: str | None
    title: str
    cycle: int
    reviewed_at: str  # ISO 8601, UTC
    plans: tuple[str, ...]
    reviewers: tuple[ReviewerReport, ...]  # roster order
    skipped: tuple[Skipped, ...]
    consensus: Consensus
    warnings: tuple[str, ...] = ()
    infos: tuple[str, ...] = ()
    commit: str | None = None  # what citations were checked against, where git says
    interrupted: bool = False
    shared_adapters: tuple[tuple[str, ...], ...] = ()
    exit_code: int = 0
    files: Mapping[str, str] = field(default_factory=dict)  # format → path written
    sources: Mapping[str, str] = field(default_factory=dict)  # resolved path → quoted lines, for HTML
    change: ChangeFacts | None = None  # what was reviewed, where that is a change and no plan
