"""The open concerns of a change, each with one place and one message: what code hosts and review bots take."""

from collections.abc import Iterator
from dataclasses import dataclass

from msd_review.report.change_findings import best_place, facts_of, new_concerns
from msd_review.report.counts import all_findings
from msd_review.report.model import ReviewReport
from msd_review.report.text import encodable, one_line
from msd_review.review.model import Severity

_MAX_TITLE = 300
_MAX_BODY = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One concern at one place: `path` relative to the tree, lines 1-based; `said_by` are provenances."""

    id: str
    severity: Severity
    title: str
    body: str
    said_by: tuple[str, ...]
    path: str
    line: int
    end_line: int

    @property
    def message(self) -> str:
        """Title, then who said it."""
        return f"{self.title.rstrip('.')} ({'; '.join(self.said_by)})" if self.said_by else self.title


def issues(report: ReviewReport) -> Iterator[Issue]:
    """Every open concern that holds and that no baseline knew, worst first."""
    facts = facts_of(report)
    findings = all_findings(report)
    for cluster in new_concerns(report):
        place = best_place(cluster, findings)
        if place is None or place.resolved is None:
            continue
        first = max(1, place.line or 1)
        bodies = (findings[name].body for name in cluster.finding_ids if name in findings)
        yield Issue(
            id=cluster.id,
            severity=cluster.severity,
            title=one_line(cluster.title, _MAX_TITLE),
            body=one_line(next(bodies, ""), _MAX_BODY),
            said_by=tuple(facts.provenance.get(name, name) for name in cluster.reviewers),
            path=str(encodable(place.resolved)),
            line=first,
            end_line=max(first, place.end_line or first),
        )
