"""GitLab's code quality report: an array of issues, each with a fingerprint that stays the same between runs."""

import hashlib
import json
from typing import Any

from msd_review.report.change_issues import Issue, issues
from msd_review.report.model import ReviewReport
from msd_review.review.model import Severity

_SEVERITIES = {
    Severity.HIGH: "critical",
    Severity.MEDIUM: "major",
    Severity.LOW: "minor",
    Severity.UNRATED: "info",
}


def codequality(report: ReviewReport) -> list[dict[str, Any]]:
    """The issues as plain values."""
    return [_issue(issue) for issue in issues(report)]


def render_codequality(report: ReviewReport) -> str:
    """The array as text, ending in a line end."""
    return json.dumps(codequality(report), ensure_ascii=False, indent=2) + "\n"


def _issue(issue: Issue) -> dict[str, Any]:
    return {
        "description": issue.message,
        "check_name": "msd.code-review",
        "fingerprint": hashlib.sha256(f"{issue.id}\0{issue.path}".encode()).hexdigest(),
        "severity": _SEVERITIES[issue.severity],
        "location": {"path": issue.path, "lines": {"begin": issue.line, "end": issue.end_line}},
    }
