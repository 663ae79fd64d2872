"""One HTML file that needs no network: whatever a reviewer wrote is shown as text and can run nothing.

The page's own style and script are the only ones that its content security policy lets run, by their hashes.
"""

from markupsafe import Markup

from msd_review.consensus.cycles import cycle_summary
from msd_review.report.counts import (
    evidence_of,
    findings_of,
    not_run,
    open_clusters,
    severity_counts,
)
from msd_review.report.html_page import asset, environment, policy
from msd_review.report.html_view import columns, concerns, files_of
from msd_review.report.model import ReviewReport
from msd_review.report.text import one_line, phase_label
from msd_review.review.model import Severity

_PACKAGE = "msd_review.report"


def render_html(report: ReviewReport) -> str:
    """The whole page as text. Same report, same bytes."""
    style, script = asset(_PACKAGE, "review.css"), asset(_PACKAGE, "review.js")
    shown = concerns(report)
    high, actionable = cycle_summary(report.consensus)
    page = environment(_PACKAGE).get_template("review.html.j2")
    return page.render(
        title=_title(report),
        report=report,
        policy=policy(style, script),
        # Texts of ours from the package, not a reviewer's: they go in as they are, as their hashes demand.
        style=Markup(style),
        script=Markup(script),
        concerns=shown,
        columns=columns(report),
        files=files_of(shown),
        statuses=sorted({concern.status for concern in shown}),
        severities=[severity.value for severity in Severity],
        counts=severity_counts(cluster.severity for cluster in open_clusters(report)),
        agreed=sum(cluster.agreed for cluster in open_clusters(report)),
        evidence=evidence_of(f for r in report.reviewers for f in findings_of(r)).as_data(),
        not_run=not_run(report),
        high=high,
        actionable=actionable,
    )


def _title(report: ReviewReport) -> str:
    subject = f"Phase {phase_label(report.phase)}" if report.phase is not None else report.title
    kind = "Code Review" if report.change is not None else "Cross-AI Plan Review"
    return f"{kind} — {one_line(subject, 200)}"
