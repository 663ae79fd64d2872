"""The summary that a person reads in ten seconds, as plain lines."""

import shlex
from collections.abc import Iterator

from msd_review.consensus.cycles import cycle_summary
from msd_review.consensus.model import Cluster
from msd_review.outcomes import Outcome
from msd_review.report.attendance import Absence, absences
from msd_review.report.change_findings import unverified_open
from msd_review.report.counts import (
    all_findings,
    citations_of,
    delivered,
    evidence_of,
    findings_of,
    open_clusters,
    place,
    severity_counts,
)
from msd_review.report.model import ReviewerReport, ReviewReport
from msd_review.report.text import count, duration, joined, one_line, phase_label
from msd_review.review.model import CitationVerdict, Severity

_LABEL_WIDTH = 11
_MAX_LISTED = 8
_MAX_ROW = 2_000  # characters


def summary_lines(report: ReviewReport) -> tuple[str, ...]:
    """Who reviewed, who did not and why, what several agree on, counts, files, what to do next.

    The last line is the machine-readable cycle line. No line holds a control character.
    """
    return (
        _headline(report),
        *_attendance(report),
        *_concerns(report),
        *_row("evidence", _evidence(report)),
        *_row("warning", *report.warnings),
        *_row("written", *report.files.values()),
        *_row("next", *(_next_steps(report) if report.change is None else _next_of_change(report))),
        cycle_line(report),
    )


def cycle_line(report: ReviewReport) -> str:
    """`CYCLE_SUMMARY: current_high=N current_actionable=M`, counted over distinct open concerns."""
    high, actionable = cycle_summary(report.consensus)
    return f"CYCLE_SUMMARY: current_high={high} current_actionable={actionable}"


def _headline(report: ReviewReport) -> str:
    subject = (
        f"Phase {phase_label(report.phase)}" if report.phase is not None else one_line(report.title, 100)
    )
    cycle = f", cycle {report.cycle}" if report.cycle > 1 else ""
    return f"Review of {subject}{cycle}" + (" (interrupted)" if report.interrupted else "")


def _attendance(report: ReviewReport) -> Iterator[str]:
    reviews = [_reviewer(reviewer) for reviewer in delivered(report)]
    yield from _row("reviewed", ", ".join(reviews) or "nobody")
    for absence in absences(report):
        yield from _row(absence.outcome, _why(absence))


def _reviewer(reviewer: ReviewerReport) -> str:
    result = reviewer.result
    facts = [result.model or "", duration(result.duration_ms) if result.duration_ms else ""]
    facts.append("imported" if reviewer.imported else "reused" if result.reused else "")
    shown = ", ".join(fact for fact in facts if fact)
    return f"{result.identity} ({shown})" if shown else result.identity


def _why(absence: Absence) -> str:
    way_out = f" → {absence.hint}" if absence.hint else ""
    said = (", ".join(absence.names), absence.reason, absence.detail)
    return ": ".join(part for part in said if part) + way_out


def _concerns(report: ReviewReport) -> Iterator[str]:
    standing = open_clusters(report)
    if not delivered(report):
        return
    if not standing:
        yield from _row("concerns", "none open" + _unverified(report))
        return
    counts = severity_counts(cluster.severity for cluster in standing)
    shown = ", ".join(f"{number} {severity}" for severity, number in counts.items())
    groundless = sum(cluster.demoted for cluster in standing)
    doubt = f"; {groundless} of them without evidence that was found" if groundless else ""
    yield from _row("concerns", shown + doubt + _unverified(report))
    agreed = [cluster for cluster in standing if cluster.agreed]
    alone = [cluster for cluster in standing if not cluster.agreed and cluster.severity == Severity.HIGH]
    yield from _listed("agreed", agreed, report)
    yield from _listed("high", alone, report)


def _unverified(report: ReviewReport) -> str:
    claims = unverified_open(report) if report.change is not None else []
    return f"; {count(len(claims), 'claim')} without evidence that was found" if claims else ""


def _listed(label: str, clusters: list[Cluster], report: ReviewReport) -> Iterator[str]:
    findings = all_findings(report)
    lines = []
    for cluster in clusters[:_MAX_LISTED]:
        where = [place(citation) for citation in citations_of(cluster, findings)[:1]]
        who = joined(list(cluster.reviewers))
        lines.append(" ".join([cluster.severity.upper(), one_line(cluster.title, 90), f"({who})", *where]))
    if len(clusters) > _MAX_LISTED:
        lines.append(f"and {len(clusters) - _MAX_LISTED} more")
    yield from _row(label, *lines)


def _evidence(report: ReviewReport) -> str:
    evidence = evidence_of(f for reviewer in delivered(report) for f in findings_of(reviewer))
    if not evidence.cited:
        return ""
    shown = [f"{evidence.of(verdict)} {verdict.value}" for verdict in CitationVerdict if evidence.of(verdict)]
    return f"{count(evidence.cited, 'place')} cited: {', '.join(shown)}"


def _next_steps(report: ReviewReport) -> Iterator[str]:
    again = (
        f"msd review --phase {phase_label(report.phase)}"
        if report.phase is not None
        else f"msd review {_plans(report)}"
    )
    high, actionable = cycle_summary(report.consensus)
    if not delivered(report):
        yield "no reviewer delivered a review; `msd doctor` says what stands in the way"
    elif high:
        yield f"address {count(high, 'HIGH concern')} in the plan, then `{again}`"
    elif actionable:
        yield f"address {count(actionable, 'concern')} in the plan, then `{again}`"
    else:
        groundless = any(cluster.demoted for cluster in open_clusters(report))
        but = " with evidence that was found" if groundless else ""
        yield f"nothing HIGH or MEDIUM{but} stands against the plan"
    if any(
        reviewer.result.outcome in {Outcome.FAILED, Outcome.PARTIAL, Outcome.CANCELLED}
        for reviewer in report.reviewers
    ):
        yield f"`{again} --resume --retry-failed` runs again only what failed"
    if delivered(report) and sum(row.counted for row in report.consensus.reviewers) < 2:
        yield "agreement needs two independent reviewers; `msd lane list` shows who could join"


def _next_of_change(report: ReviewReport) -> Iterator[str]:
    high, actionable = cycle_summary(report.consensus)
    if not delivered(report):
        yield "no reviewer delivered a review; `msd doctor` says what stands in the way"
    elif high or actionable:
        yield f"address {count(high or actionable, 'HIGH concern' if high else 'concern')}, then review again"
    else:
        yield "nothing HIGH or MEDIUM that holds stands against the change"


def _plans(report: ReviewReport) -> str:
    return " ".join(shlex.quote(one_line(name, 200)) for name in report.plans)


def _row(label: str, *values: str) -> Iterator[str]:
    for at, value in enumerate(value for value in values if value):
        yield f"  {label if at == 0 else '':<{_LABEL_WIDTH}} {one_line(value, _MAX_ROW)}"
