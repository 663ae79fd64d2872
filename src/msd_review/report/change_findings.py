"""Which of a change's findings stand where: verified ones in concerns, the others apart."""

from collections.abc import Mapping

from msd_review.consensus.model import Cluster
from msd_review.report.change_model import PRIMARY, ChangeFacts
from msd_review.report.counts import citations_of, delivered, findings_of, open_clusters
from msd_review.report.model import ReviewReport
from msd_review.review.model import Citation, CitationVerdict, Finding, FindingStatus

HOLDS = frozenset({CitationVerdict.VERIFIED, CitationVerdict.MOVED})
_PLACED = ("changed", "near", "elsewhere")
PLACEMENT_WORDS = {
    "changed": "in changed lines",
    "near": "near changed lines",
    "elsewhere": "outside the change",
}


def facts_of(report: ReviewReport) -> ChangeFacts:
    """The change that a report is about. Raises RuntimeError for the report of a plan."""
    if report.change is None:
        raise RuntimeError("this report is about no change")
    return report.change


def is_verified(finding: Finding) -> bool:
    """Whether at least one place that the finding cites is there, inside the tree."""
    return not finding.demoted and any(citation.verdict in HOLDS for citation in finding.citations)


def verified_open(report: ReviewReport) -> list[Finding]:
    """The open findings of delivered reviews that hold."""
    unverified = facts_of(report).unverified
    found = (finding for reviewer in delivered(report) for finding in findings_of(reviewer))
    return [one for one in found if one.status is FindingStatus.OPEN and one.id not in unverified]


def unverified_open(report: ReviewReport) -> list[Finding]:
    """The open findings of delivered reviews of which no citation holds."""
    unverified = facts_of(report).unverified
    found = (finding for reviewer in delivered(report) for finding in findings_of(reviewer))
    return [one for one in found if one.status is FindingStatus.OPEN and one.id in unverified]


def new_concerns(report: ReviewReport) -> list[Cluster]:
    """The open concerns that the baseline does not hold, worst first."""
    known = facts_of(report).known
    return [cluster for cluster in open_clusters(report) if cluster.id not in known]


def known_concerns(report: ReviewReport) -> list[Cluster]:
    """The open concerns that the baseline holds."""
    known = facts_of(report).known
    return [cluster for cluster in open_clusters(report) if cluster.id in known]


def cluster_placement(cluster: Cluster, findings: Mapping[str, Finding]) -> str:
    """The nearest placement of the places that a concern cites; "" where none was placed."""
    placements = {citation.placement for citation in citations_of(cluster, findings)}
    return next((placed for placed in _PLACED if placed in placements), "")


def best_place(cluster: Cluster, findings: Mapping[str, Finding]) -> Citation | None:
    """The place to show a concern at: one that holds, in changed lines if there is one."""
    held = [
        citation
        for citation in citations_of(cluster, findings)
        if citation.verdict in HOLDS and citation.resolved
    ]
    order = {placed: at for at, placed in enumerate(_PLACED)}
    return min(held, key=lambda c: (order.get(c.placement, 9), c.line is None), default=None)


def corroboration(cluster: Cluster) -> str:
    """What the lanes make of a concern of the host agent's own review; "" for a concern of the lanes alone."""
    if PRIMARY not in cluster.reviewers:
        return "raised by lanes alone"
    lanes = [name for name in cluster.reviewers if name != PRIMARY]
    told = f"corroborated by {', '.join(lanes)}" if lanes else "raised by the internal review alone"
    return f"{told}, contradicted: {cluster.divergence}" if cluster.divergent else told
