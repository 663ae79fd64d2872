"""GitHub Actions: workflow commands that annotate lines, and the job's summary.

A reviewer's words can start no command of their own: line breaks and the characters that end a value are escaped as
the runner decodes them, and one annotation is one line.
"""

from collections import Counter

from msd_review.report.change_issues import Issue, issues
from msd_review.report.change_markdown import change_overview
from msd_review.report.model import ReviewReport
from msd_review.report.text import count
from msd_review.review.model import Severity

SUMMARY_BYTES = 900 * 1024  # a job summary may hold 1 MiB
_LEVELS = {
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "notice",
    Severity.UNRATED: "notice",
}
_SHOWN_PER_LEVEL = 10  # of each level in one step; the runner drops the rest


def annotations(report: ReviewReport, *, per_level: int | None = None) -> list[str]:
    """One workflow command for each open concern that holds; beyond `per_level` of a level they are only counted."""
    lines: list[str] = []
    used: Counter[str] = Counter()
    left_out = 0
    for issue in issues(report):
        level = _LEVELS[issue.severity]
        used[level] += 1
        if per_level is not None and used[level] > per_level:
            left_out += 1
        else:
            lines.append(_command(issue, level))
    if left_out:
        lines.append(f"::notice title=msd::{count(left_out, 'further concern')} in the job summary")
    return lines


def step_annotations(report: ReviewReport) -> list[str]:
    """The annotations that one step of a job can show."""
    return annotations(report, per_level=_SHOWN_PER_LEVEL)


def render_annotations(report: ReviewReport) -> str:
    """All annotations, one a line."""
    return "".join(f"{line}\n" for line in annotations(report))


def job_summary(report: ReviewReport) -> str:
    """Markdown for the job's summary page: the overview without the reviewers' own sections, cut at its bound."""
    text = "\n\n".join(change_overview(report)) + "\n"
    raw = text.encode("utf-8", "replace")
    if len(raw) <= SUMMARY_BYTES:
        return text
    return raw[:SUMMARY_BYTES].decode("utf-8", "ignore").rpartition("\n")[0] + "\n\n(cut here)\n"


def _command(issue: Issue, level: str) -> str:
    values = {
        "file": issue.path,
        "line": str(issue.line),
        "endLine": str(issue.end_line),
        "title": f"msd: {issue.severity.upper()}",
    }
    properties = ",".join(f"{name}={_property(value)}" for name, value in values.items())
    text = issue.message if issue.body in {"", issue.title} else f"{issue.message}\n{issue.body}"
    return f"::{level} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
