"""Reports built by hand for the tests of every format."""

from collections.abc import Sequence
from typing import Any

from msd_review.consensus.model import Cluster, Consensus, ReviewerFacts, StrengthGroup
from msd_review.outcomes import Outcome, Reason
from msd_review.report.model import ReviewerReport, ReviewReport, Skipped
from msd_review.review.model import Citation, CitationVerdict, Finding, Review, Severity, Strength
from msd_review.run.result import LaneResult, Usage

GOOD = Citation(
    raw="src/app.py:12",
    path="src/app.py",
    line=12,
    verdict=CitationVerdict.VERIFIED,
    resolved="src/app.py",
)
GONE = Citation(
    raw="lib/gone.py:7", path="lib/gone.py", line=7, verdict=CitationVerdict.MISSING, note="no such file"
)
MOVED = Citation(
    raw="app.py:3",
    path="app.py",
    line=3,
    verdict=CitationVerdict.MOVED,
    resolved="src/app.py",
    note="now in src/",
)


def finding(identity: str, number: int = 1, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "id": f"{identity}-{number}",
        "identity": identity,
        "severity": Severity.HIGH,
        "title": "The import path does not exist",
        "body": "Task 2 imports `app.load`, which was renamed.",
        "citations": (GOOD,),
    }
    return Finding(**{**values, **changes})


def reviewer(
    identity: str,
    text: str = "## Summary\n\nFine.",
    *,
    findings: Sequence[Finding] | None = None,
    **changes: Any,
) -> ReviewerReport:
    found = (finding(identity),) if findings is None else tuple(findings)
    section = changes.pop("section", identity.capitalize())
    extra = {name: changes.pop(name) for name in ("instance", "imported", "trim") if name in changes}
    result = LaneResult(
        **{
            "identity": identity,
            "slug": identity,
            "section": section,
            "outcome": Outcome.REVIEW,
            "reason": None,
            "detail": "",
            "model": f"{identity}-model",
            "duration_ms": 42_000,
            "started_at": "2026-11-30T12:00:00Z",
            **changes,
        }
    )
    review = Review(
        identity=identity, slug=identity, section=section, text=text, kind="review", findings=found
    )
    return ReviewerReport(result=result, review=review, shown_text=text, **extra)


def failed_reviewer(identity: str = "claude", **changes: Any) -> ReviewerReport:
    result = LaneResult(
        **{
            "identity": identity,
            "slug": identity,
            "section": identity.capitalize(),
            "outcome": Outcome.FAILED,
            "reason": Reason.RATE_LIMITED,
            "detail": "API Error: Rate limit reached",
            "hint": "wait, or use another account",
            "duration_ms": 188_000,
            "started_at": "2026-11-30T12:00:00Z",
            "exit_status": 1,
            "end_kind": "exited",
            "stderr_tail": ("connecting", "## Codex Review", "rate limit reached"),
            **changes,
        }
    )
    return ReviewerReport(result=result, review=None)


def cluster(*names: str, **changes: Any) -> Cluster:
    values: dict[str, Any] = {
        "id": "C-1a2b3c4d",
        "severity": Severity.HIGH,
        "title": "The import path does not exist",
        "finding_ids": tuple(f"{name}-1" for name in names),
        "reviewers": names,
        "independent_reviewers": len(names),
        "agreed": len(names) > 1,
        "severities": dict.fromkeys(names, Severity.HIGH),
    }
    return Cluster(**{**values, **changes})


def consensus(*clusters: Cluster, identities: Sequence[str] = (), **changes: Any) -> Consensus:
    facts = tuple(
        ReviewerFacts(identity=name, slug=name, model=f"{name}-model", counted=True) for name in identities
    )
    values: dict[str, Any] = {"clusters": clusters, "strengths": (), "reviewers": facts}
    return Consensus(**{**values, **changes})


def report(*reviewers: ReviewerReport, **changes: Any) -> ReviewReport:
    identities = [one.result.identity for one in reviewers if one.review]
    values: dict[str, Any] = {
        "run": "20261130T120000Z-7f3a",
        "root": "/tree",
        "phase": "03",
        "title": "Import links",
        "cycle": 1,
        "reviewed_at": "2026-11-30T12:00:00Z",
        "plans": (".planning/phases/03-import/03-01-PLAN.md",),
        "reviewers": reviewers,
        "skipped": (),
        "consensus": consensus(identities=identities),
    }
    return ReviewReport(**{**values, **changes})


def full_report() -> ReviewReport:
    """Two reviews that agree, one that failed, one not run, one resolved concern, one agreed strength."""
    strength = StrengthGroup(
        text="The waves are independent",
        reviewers=("codex", "gemini"),
        members=(Strength(identity="codex", text="The waves are independent"),),
        agreed=True,
    )
    lone = cluster(
        "gemini", id="C-00000002", title="No rollback", severity=Severity.LOW, finding_ids=("gemini-2",)
    )
    closed = cluster(
        "codex", id="C-00000003", title="Old", finding_ids=(), status="resolved", closed_in_cycle=2
    )
    spread = cluster(
        "codex", "gemini", severities={"codex": Severity.HIGH, "gemini": Severity.MEDIUM}, status="open"
    )
    return report(
        reviewer(
            "gemini",
            findings=(
                finding("gemini", severity=Severity.MEDIUM, citations=(GOOD, GONE)),
                finding("gemini", 2, severity=Severity.LOW, title="No rollback", citations=(MOVED,)),
            ),
        ),
        reviewer("codex", effort="high", usage=Usage(input_tokens=12_000, output_tokens=900, cost_usd=0.25)),
        failed_reviewer(),
        skipped=(
            Skipped(
                identity="cursor",
                outcome="unavailable",
                reason="missing_binary",
                detail="cursor-agent is not on PATH",
            ),
        ),
        consensus=consensus(spread, lone, closed, identities=("gemini", "codex"), strengths=(strength,)),
        cycle=2,
        commit="0123abc",
    )
