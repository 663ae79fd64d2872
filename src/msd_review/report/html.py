"""One HTML file that needs no network: whatever a reviewer wrote is shown as text and can run nothing.

The page's own style and script are the only ones that its content security policy lets run, by their hashes.
"""

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup

from msd_review.consensus.cycles import cycle_summary
from msd_review.report.counts import (
    evidence_of,
    findings_of,
    not_run,
    open_clusters,
    severity_counts,
)
from msd_review.report.html_view import columns, concerns, files_of
from msd_review.report.model import ReviewReport
from msd_review.report.text import one_line, phase_label, visible
from msd_review.review.model import Severity

if TYPE_CHECKING:
    from jinja2 import Environment


def render_html(report: ReviewReport) -> str:
    """The whole page as text. Same report, same bytes."""
    style, script = _asset("review.css"), _asset("review.js")
    shown = concerns(report)
    high, actionable = cycle_summary(report.consensus)
    page = _environment().get_template("review.html.j2")
    return page.render(
        title=_title(report),
        report=report,
        policy=_policy(style, script),
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
    return f"Cross-AI Plan Review — {one_line(subject, 200)}"


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:;"
        f" style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return resources.files("msd_review.report").joinpath("templates", name).read_text(encoding="utf-8")


def _visible(value: object) -> object:
    """Whatever the template writes, without control and direction-changing characters."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> "Environment":
    # Loading jinja2 takes longer than most runs of this package; only a page that is written pays for it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("msd_review.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
