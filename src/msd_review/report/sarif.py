"""SARIF 2.1.0: every standing or dismissed concern as one result, for code hosts that show annotations.

A result points only at places that were verified, or found where they moved to, inside the tree; a concern without
one points at the plan. Paths are relative and percent-encoded. The fingerprint is the concern's own id, which is
the same in every run and cycle; it is given a second time under the name that GitHub tracks results by.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from msd_review import __version__
from msd_review.consensus.model import Cluster
from msd_review.outcomes import Outcome
from msd_review.report.counts import (
    OPEN_STATES,
    all_findings,
    by_weight,
    citations_of,
    delivered,
)
from msd_review.report.model import ReviewReport
from msd_review.report.text import encodable, joined, phase_label
from msd_review.review.clean import clean_text
from msd_review.review.model import Citation, CitationVerdict, Finding, Severity

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
BASE = "%SRCROOT%"
_LEVELS = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note", Severity.UNRATED: "note"}
_MAX_RESULTS = 25_000  # GitHub refuses a run with more
_MAX_RELATED = 10
_MAX_MESSAGE = 4_000
_MAX_LINE = 10_000_000
_PRECISION = {"MSD1001": "high", "MSD1002": "medium"}
_RULES: tuple[tuple[str, str, str, str], ...] = (
    (
        "MSD1001",
        "AgreedConcern",
        "Several independent reviewers raise this concern.",
        "Two or more reviewers that share neither tool nor model raise the same concern about the plan.",
    ),
    (
        "MSD1002",
        "ReviewerConcern",
        "One reviewer raises this concern.",
        "One reviewer, or several that are not independent of each other, raise this concern about the plan.",
    ),
)


def sarif_log(report: ReviewReport) -> dict[str, Any]:
    """The log as plain values: one run with its rules, invocation and results."""
    findings = all_findings(report)
    shown = [
        c for c in by_weight(report.consensus.clusters) if c.status in OPEN_STATES or c.status == "dismissed"
    ]
    run = {
        "tool": {"driver": _driver()},
        "automationDetails": {"id": _automation(report)},
        "originalUriBaseIds": {BASE: {"description": {"text": "The root of the project under review."}}},
        "invocations": [_invocation(report)],
        "results": [_result(cluster, report, findings) for cluster in shown[:_MAX_RESULTS]],
    }
    return {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}


def render_sarif(report: ReviewReport) -> str:
    """The log as text, ending in a line end."""
    return json.dumps(encodable(sarif_log(report)), ensure_ascii=False, indent=2) + "\n"


def relative_uri(path: str | None) -> str | None:
    """A path inside the tree as a relative URI, or None for one that could lead anywhere else.

    >>> relative_uri("docs/a b#1.md")
    'docs/a%20b%231.md'
    """
    if not path or "\\" in path or "\0" in path:
        return None
    parts = PurePosixPath(path).parts
    if not parts or parts[0] == "/" or ".." in parts or path.startswith("~"):
        return None
    return quote("/".join(parts), safe="/", errors="surrogatepass")


_ADVICE = "Read the reviewers' own words in the REVIEWS file, then change the plan or dismiss the concern."


def _driver() -> dict[str, Any]:
    return {
        "name": "msd",
        "fullName": "msd, one review from many reviewers",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(*rule) for rule in _RULES],
    }


def _rule(identifier: str, name: str, short: str, full: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "name": name,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": f"{full} {_ADVICE}", "markdown": f"{full}\n\n{_ADVICE}"},
        "defaultConfiguration": {"level": "warning"},
        "properties": {
            "tags": ["review", "plan"],
            "precision": _PRECISION[identifier],
            "problem.severity": "warning",
        },
    }


def _automation(report: ReviewReport) -> str:
    subject = f"phase-{phase_label(report.phase)}" if report.phase is not None else "plan"
    return f"msd/{quote(subject, safe='')}/"


def _invocation(report: ReviewReport) -> dict[str, Any]:
    notifications = [
        {
            "level": "warning" if reviewer.result.outcome == Outcome.PARTIAL else "error",
            "message": _message(
                f"{reviewer.result.identity} delivered no review: {reviewer.result.reason or reviewer.result.outcome}. {reviewer.result.detail}"
            ),
        }
        for reviewer in report.reviewers
        if reviewer.result.outcome != Outcome.REVIEW
    ]
    return {
        "executionSuccessful": bool(delivered(report)) and not report.interrupted,
        "exitCode": report.exit_code,
        "endTimeUtc": report.reviewed_at,
        "toolExecutionNotifications": notifications,
    }


def _result(cluster: Cluster, report: ReviewReport, findings: Mapping[str, Finding]) -> dict[str, Any]:
    rule = 0 if cluster.agreed else 1
    places = [place for c in citations_of(cluster, findings) if (place := _place(c))]
    result: dict[str, Any] = {
        "ruleId": _RULES[rule][0],
        "ruleIndex": rule,
        "level": "note" if cluster.demoted else _LEVELS[cluster.severity],
        "message": _message(_words(cluster, findings)),
        "locations": [{"physicalLocation": places[0] if places else _plan_place(cluster, report, findings)}],
        "partialFingerprints": {"msdConcern/v1": cluster.id, "primaryLocationLineHash": _tracked(cluster.id)},
        "properties": {
            "severity": cluster.severity.value,
            "status": cluster.status,
            "reviewers": list(cluster.reviewers),
            "independentReviewers": cluster.independent_reviewers,
            "firstSeenCycle": cluster.first_seen_cycle,
        },
    }
    if related := [_related(at, place) for at, place in enumerate(places[1 : _MAX_RELATED + 1], start=1)]:
        result["relatedLocations"] = related
    if cluster.status == "dismissed":
        because = cluster.dismissed_because or "dismissed"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": _safe(because)}]
    return result


def _tracked(identifier: str) -> str:
    """A concern's id in the form of GitHub's own fingerprint: a hash, and which of its equals it is."""
    return f"{hashlib.sha256(identifier.encode()).hexdigest()[:16]}:1"


def _words(cluster: Cluster, findings: Mapping[str, Finding]) -> str:
    said = joined(list(cluster.reviewers)) or "an earlier cycle"
    bodies = [findings[name].body for name in cluster.finding_ids if name in findings and findings[name].body]
    body = f"\n\n{bodies[0]}" if bodies and bodies[0].strip() != cluster.title.strip() else ""
    return f"{cluster.title.rstrip('.')}. Raised by {said}.{body}"


def _message(text: str) -> dict[str, str]:
    return {"text": _safe(text)}


def _safe(text: str) -> str:
    """Cleaned and cut; `](` is taken apart because SARIF would read an embedded link."""
    cleaned = clean_text(text[: 2 * _MAX_MESSAGE]).replace("](", "] (").strip()
    return cleaned if len(cleaned) <= _MAX_MESSAGE else cleaned[: _MAX_MESSAGE - 1] + "…"


def _place(citation: Citation) -> dict[str, Any] | None:
    uri = relative_uri(citation.resolved)
    if uri is None or citation.verdict not in {CitationVerdict.VERIFIED, CitationVerdict.MOVED}:
        return None
    place: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": BASE}}
    if citation.line is not None and 1 <= citation.line <= _MAX_LINE:
        last = (
            citation.end_line
            if citation.end_line and citation.line < citation.end_line <= _MAX_LINE
            else None
        )
        place["region"] = {"startLine": citation.line, **({"endLine": last} if last else {})}
    return place


def _plan_place(cluster: Cluster, report: ReviewReport, findings: Mapping[str, Finding]) -> dict[str, Any]:
    """The plan that a finding of the cluster names, else the first plan."""
    named = [findings[name].plan for name in cluster.finding_ids if name in findings]
    matching = [
        plan for plan in report.plans for name in named if name and plan.rsplit("/", 1)[-1].startswith(name)
    ]
    uri = relative_uri(next(iter([*matching, *report.plans]), None)) or "PLAN.md"
    return {"artifactLocation": {"uri": uri, "uriBaseId": BASE}, "region": {"startLine": 1}}


def _related(number: int, place: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "physicalLocation": place, "message": {"text": "Also cited."}}
