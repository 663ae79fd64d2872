"""Where a code review runs inside a CI system that shows results in its own way: GitHub Actions."""

from pathlib import Path

from msd_review.edges import environ
from msd_review.report.annotations import job_summary, step_annotations
from msd_review.report.model import ReviewReport


def tell_github(report: ReviewReport) -> list[str]:
    """Appends the job's summary and returns the workflow commands to print; nothing outside GitHub Actions."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return []
    lines = step_annotations(report)
    path = environ.get("GITHUB_STEP_SUMMARY")
    if path is not None:
        try:
            with Path(path).open("ab") as handle:
                handle.write(job_summary(report).encode("utf-8", "replace"))
        except OSError as problem:
            lines.append(f"::warning title=msd::the job summary cannot be written: {problem.strerror}")
    return lines
