"""reviewdog's diagnostics as one JSON object (`-f=rdjson`)."""

import json
from typing import Any

from msd_review.report.change_issues import Issue, issues
from msd_review.report.model import ReviewReport
from msd_review.review.model import Severity

_SEVERITIES = {
    Severity.HIGH: "ERROR",
    Severity.MEDIUM: "WARNING",
    Severity.LOW: "INFO",
    Severity.UNRATED: "INFO",
}


def rdjson(report: ReviewReport) -> dict[str, Any]:
    """The diagnostic result as plain values."""
    return {
        "source": {"name": "msd"},
        "severity": "WARNING",
        "diagnostics": [_diagnostic(issue) for issue in issues(report)],
    }


def render_rdjson(report: ReviewReport) -> str:
    """The object as text, ending in a line end."""
    return json.dumps(rdjson(report), ensure_ascii=False, indent=2) + "\n"


def _diagnostic(issue: Issue) -> dict[str, Any]:
    text = issue.message if issue.body in {"", issue.title} else f"{issue.message}\n\n{issue.body}"
    return {
        "message": text,
        "location": {
            "path": issue.path,
            "range": {"start": {"line": issue.line}, "end": {"line": issue.end_line}},
        },
        "severity": _SEVERITIES[issue.severity],
        "code": {"value": issue.id},
    }
