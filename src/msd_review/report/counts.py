"""What every report counts, counted in one place.

Only a delivered review counts (outcome `review`): what a failed or partial reviewer said is shown, never counted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msd_review.consensus.model import Cluster
from msd_review.outcomes import Outcome, Reason
from msd_review.report.model import ReviewerReport, ReviewReport, Skipped
from msd_review.report.text import inline
from msd_review.review.model import Citation, CitationVerdict, Finding, FindingStatus, Severity

OPEN_STATES = ("new", "open", "reopened")
_UNSENT = (
    Reason.BUDGET_TOO_SMALL,
    Reason.PROMPT_TOO_LARGE,
    Reason.PROMPT_CHANNEL_UNSUPPORTED,
    Reason.COPY_FAILED,
)
RAN_WITHOUT_REVIEW = (Outcome.FAILED, Outcome.PARTIAL, Outcome.CANCELLED)


@dataclass(frozen=True, slots=True)
class Evidence:
    """How many places in the code were cited, and what the source says about them."""

    cited: int
    by_verdict: Mapping[CitationVerdict, int]

    def of(self, verdict: CitationVerdict) -> int:
        """Citations with this verdict."""
        return self.by_verdict.get(verdict, 0)

    def as_data(self) -> dict[str, int]:
        """`cited`, `verified` and `missing` always; the other verdicts only where they occur."""
        always = (CitationVerdict.VERIFIED, CitationVerdict.MISSING)
        shown = {v.value: self.of(v) for v in CitationVerdict if v in always or self.of(v)}
        return {"cited": self.cited, **shown}


def delivered(report: ReviewReport) -> list[ReviewerReport]:
    """The reviewers that delivered a review, in roster order."""
    return [reviewer for reviewer in report.reviewers if reviewer.result.outcome == Outcome.REVIEW]


def findings_of(reviewer: ReviewerReport) -> tuple[Finding, ...]:
    """What one reviewer found, whatever its outcome."""
    return reviewer.review.findings if reviewer.review else ()


def all_findings(report: ReviewReport) -> dict[str, Finding]:
    """Finding id → finding, over all reviewers."""
    return {finding.id: finding for reviewer in report.reviewers for finding in findings_of(reviewer)}


def open_findings(report: ReviewReport) -> list[Finding]:
    """The open findings of the delivered reviews."""
    found = (finding for reviewer in delivered(report) for finding in findings_of(reviewer))
    return [finding for finding in found if finding.status == FindingStatus.OPEN]


def severity_counts(severities: Iterable[Severity]) -> dict[str, int]:
    """`high`, `medium` and `low` always; `unrated` only where it occurs."""
    counted = Counter(severities)
    return {s.value: counted[s] for s in Severity if s != Severity.UNRATED or counted[s]}


def evidence_of(findings: Iterable[Finding]) -> Evidence:
    """The citations of some findings, counted by verdict."""
    verdicts = Counter(citation.verdict for finding in findings for citation in finding.citations)
    return Evidence(cited=verdicts.total(), by_verdict=verdicts)


def open_clusters(report: ReviewReport) -> list[Cluster]:
    """The concerns that stand, worst first; among equals those of more reviewers first."""
    return by_weight(cluster for cluster in report.consensus.clusters if cluster.status in OPEN_STATES)


def by_weight(clusters: Iterable[Cluster]) -> list[Cluster]:
    """Clusters worst first; among equals those of more reviewers first, then in their given order."""
    return sorted(clusters, key=lambda c: (-c.severity.rank, -c.independent_reviewers, -len(c.reviewers)))


def citations_of(cluster: Cluster, findings: Mapping[str, Finding]) -> list[Citation]:
    """The distinct places that a cluster's findings cite, in order."""
    members = (findings[name] for name in cluster.finding_ids if name in findings)
    places = {(c.resolved or c.path, c.line, c.symbol): c for finding in members for c in finding.citations}
    return list(places.values())


def failed(report: ReviewReport) -> dict[str, str]:
    """Identity → reason of each reviewer that was run and delivered no counted review."""
    return {
        r.result.identity: r.result.reason or r.result.outcome
        for r in report.reviewers
        if ran_without_review(r)
    }


def not_run(report: ReviewReport) -> dict[str, str]:
    """Identity → reason of each reviewer that was wanted and not run."""
    rows = {
        r.result.identity: str(r.result.reason or r.result.outcome)
        for r in report.reviewers
        if not ran_without_review(r) and r.result.outcome != Outcome.REVIEW
    }
    return {**rows, **{skipped.identity: skipped.reason for skipped in report.skipped}}


def wanted_not_run(report: ReviewReport) -> dict[str, str]:
    """`not_run` without the reviewers that nobody asked for and this machine lacks."""
    unasked = {skipped.identity for skipped in report.skipped if not skipped.wanted}
    return {identity: reason for identity, reason in not_run(report).items() if identity not in unasked}


def section_heading(reviewer: ReviewerReport) -> str:
    """The heading of a reviewer's section, as Markdown without the leading marks."""
    if reviewer.imported:
        return f"{inline(reviewer.result.identity, 100)} Review (imported)"
    heading = f"{_without_review(reviewer.result.section) or inline(reviewer.result.slug)} Review"
    return f"{heading} ({inline(reviewer.instance, 100)})" if reviewer.instance else heading


def unsent(report: ReviewReport) -> dict[str, Skipped]:
    """Heading → reviewer, for each that was chosen and could not be sent its prompt."""
    chosen = [skipped for skipped in report.skipped if skipped.reason in _UNSENT]
    return {f"{_without_review(s.section) or inline(s.identity, 100)} Review": s for s in chosen}


def place(citation: Citation) -> str:
    """A citation as `path:line` or `path:first-last`, by its resolved path where it has one."""
    path = citation.resolved or citation.path or citation.symbol or citation.raw
    if citation.line is None:
        return path
    last = f"-{citation.end_line}" if citation.end_line and citation.end_line != citation.line else ""
    return f"{path}:{citation.line}{last}"


def model_label(reviewer: ReviewerReport) -> str | None:
    """`gpt-x (effort high)`, or None where the model is not known."""
    result = reviewer.result
    if not result.model:
        return f"effort {result.effort}" if result.effort else None
    return f"{result.model} (effort {result.effort})" if result.effort else result.model


def _without_review(section: str) -> str:
    words = section.split()
    if len(words) > 1 and words[-1].lower() == "review":
        words.pop()
    return inline(" ".join(words), 100)


def ran_without_review(reviewer: ReviewerReport) -> bool:
    """Whether a reviewer was started and delivered no counted review."""
    result = reviewer.result
    started = result.outcome == Outcome.BLOCKED and result.started_at is not None
    return result.outcome in RAN_WITHOUT_REVIEW or started
