"""NN-REVIEWS.json: the `msd.reviews/1` document, as its schema in `docs/schemas/` describes it."""

import json
from pathlib import PurePath
from typing import Any

from msd_review.consensus.cycles import cycle_summary
from msd_review.consensus.model import Cluster, StrengthGroup
from msd_review.report.caveats import marks_of
from msd_review.report.counts import (
    OPEN_STATES,
    delivered,
    evidence_of,
    failed,
    findings_of,
    not_run,
    open_clusters,
    open_findings,
    severity_counts,
)
from msd_review.report.model import ReviewerReport, ReviewReport, Skipped
from msd_review.report.text import encodable, phase_label
from msd_review.review.model import Citation, Finding

SCHEMA = "msd.reviews/1"


def document(report: ReviewReport) -> dict[str, Any]:
    """The document as plain values that `json.dumps` takes and UTF-8 can hold, whatever a reviewer wrote."""
    content = {
        "schema": SCHEMA,
        "run": report.run,
        "phase": None if report.phase is None else phase_label(report.phase),
        "title": report.title,
        "cycle": report.cycle,
        "reviewed_at": report.reviewed_at,
        "commit": report.commit,
        "interrupted": report.interrupted,
        "plans": list(report.plans),
        "reviewers": [_reviewer(reviewer, report) for reviewer in report.reviewers],
        "skipped": [_skipped(skipped) for skipped in report.skipped],
        "findings": [_finding(finding) for reviewer in report.reviewers for finding in findings_of(reviewer)],
        "clusters": [_cluster(cluster) for cluster in report.consensus.clusters],
        "strengths": [_strength(strength) for strength in report.consensus.strengths],
        "summary": summary(report),
        "warnings": list(report.warnings),
        "infos": list(report.infos),
        "shared_adapters": [list(names) for names in report.shared_adapters],
        "files": {name: _in_tree(path, report.root) for name, path in report.files.items()},
    }
    return {key: encodable(value) for key, value in content.items()}


def render_json(report: ReviewReport) -> str:
    """The document as text, indented, ending in a line end."""
    return json.dumps(document(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def summary(report: ReviewReport) -> dict[str, Any]:
    """The numbers that a script reads first. `findings` counts what reviewers said, `clusters` distinct concerns."""
    standing = open_clusters(report)
    high, actionable = cycle_summary(report.consensus)
    return {
        "delivered": [reviewer.result.identity for reviewer in delivered(report)],
        "failed": failed(report),
        "not_run": not_run(report),
        "findings": severity_counts(finding.severity for finding in open_findings(report)),
        "clusters": severity_counts(cluster.severity for cluster in standing),
        "agreed": sum(cluster.agreed for cluster in standing),
        "resolved": sum(cluster.status == "resolved" for cluster in report.consensus.clusters),
        "dismissed": sum(cluster.status == "dismissed" for cluster in report.consensus.clusters),
        "evidence": evidence_of(f for r in delivered(report) for f in findings_of(r)).as_data(),
        "current_high": high,
        "current_actionable": actionable,
        "notes": list(report.consensus.notes),
        "exit_code": report.exit_code,
    }


def _in_tree(path: str, root: str) -> str:
    """A path as it is written in a file that may be shared: relative to the tree where it lies inside."""
    place = PurePath(path)
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else path


def _reviewer(reviewer: ReviewerReport, report: ReviewReport) -> dict[str, Any]:
    result, review = reviewer.result, reviewer.review
    facts = {row.identity: row for row in report.consensus.reviewers}.get(result.identity)
    return {
        "identity": result.identity,
        "slug": result.slug,
        "section": result.section,
        "instance": reviewer.instance,
        "imported": reviewer.imported,
        "outcome": str(result.outcome),
        "reason": None if result.reason is None else str(result.reason),
        "detail": result.detail,
        "hint": result.hint,
        "model": result.model,
        "effort": result.effort,
        "duration_ms": result.duration_ms,
        "usage": _usage(reviewer),
        "exit_status": result.exit_status,
        "evidence": evidence_of(findings_of(reviewer)).as_data(),
        "marks": [mark.value for mark in marks_of(reviewer)],
        "overall_risk": review.overall_risk.value if review and review.overall_risk else None,
        "summary": review.summary if review else "",
        "counted": facts.counted if facts else False,
        "why_not_counted": facts.why_not or None if facts else None,
        "trim": reviewer.trim,
        "named": result.named,
        "reused": result.reused,
    }


def _usage(reviewer: ReviewerReport) -> dict[str, Any] | None:
    usage = reviewer.result.usage
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _skipped(skipped: Skipped) -> dict[str, Any]:
    return {
        "identity": skipped.identity,
        "outcome": str(skipped.outcome),
        "reason": str(skipped.reason),
        "detail": skipped.detail,
        "hint": skipped.hint,
        "named": skipped.named,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "identity": finding.identity,
        "severity": finding.severity.value,
        "title": finding.title,
        "body": finding.body,
        "citations": [_citation(citation) for citation in finding.citations],
        "suggestion": finding.suggestion,
        "status": finding.status.value,
        "plan": finding.plan,
        "demoted": finding.demoted,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "path": citation.path,
        "line": citation.line,
        "end_line": citation.end_line,
        "symbol": citation.symbol,
        "verdict": citation.verdict.value,
        "resolved": citation.resolved,
        "note": citation.note,
        "raw": citation.raw,
        **({"placement": citation.placement} if citation.placement else {}),
    }


def _cluster(cluster: Cluster) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "severity": cluster.severity.value,
        "severities": {identity: severity.value for identity, severity in cluster.severities.items()},
        "title": cluster.title,
        "findings": list(cluster.finding_ids),
        "reviewers": list(cluster.reviewers),
        "independent_reviewers": cluster.independent_reviewers,
        "agreed": cluster.agreed,
        "status": cluster.status,
        "open": cluster.status in OPEN_STATES,
        "first_seen_cycle": cluster.first_seen_cycle,
        "closed_in_cycle": cluster.closed_in_cycle,
        "divergent": cluster.divergent,
        "divergence": cluster.divergence,
        "dismissed_because": cluster.dismissed_because,
        "demoted": cluster.demoted,
        "note": cluster.note,
    }


def _strength(strength: StrengthGroup) -> dict[str, Any]:
    return {"text": strength.text, "reviewers": list(strength.reviewers), "agreed": strength.agreed}
