"""REVIEWS.md: the whole review as one Markdown file, a pure function of the report."""

from msd_review.report.attendance import Absence, absences
from msd_review.report.consensus_section import consensus_section
from msd_review.report.counts import delivered, section_heading, unsent
from msd_review.report.coverage_section import coverage_section
from msd_review.report.front_matter import front_matter
from msd_review.report.lane_sections import lane_section, unsent_section
from msd_review.report.model import ReviewReport
from msd_review.report.text import count, inline, joined, phase_label, slug

OWN_HEADINGS = (
    "Consensus Summary",
    "Agreed Concerns",
    "Agreed Strengths",
    "Divergent Views",
    "Single-Reviewer Concerns",
    "Resolved Concerns",
    "Dismissed Concerns",
    "Verification Coverage",
)


def render_markdown(report: ReviewReport) -> str:
    """The file's text. Same report, same bytes; ends in one line end."""
    left_out = unsent(report)
    sections = [*(section_heading(reviewer) for reviewer in report.reviewers), *left_out]
    reserved = {slug(heading) for heading in (title(report), *OWN_HEADINGS, *sections)}
    blocks = [
        front_matter(report),
        f"# {title(report)}",
        attendance(report),
        consensus_section(report),
        *(lane_section(reviewer, report, reserved) for reviewer in report.reviewers),
        *(unsent_section(heading, skipped) for heading, skipped in left_out.items()),
        coverage_section(report),
    ]
    return "\n\n".join(blocks) + "\n"


def title(report: ReviewReport) -> str:
    """`Cross-AI Plan Review — Phase 3`, or with the plan's name where there is no phase."""
    subject = f"Phase {phase_label(report.phase)}" if report.phase is not None else report.title
    return f"Cross-AI Plan Review — {inline(subject, 200)}"


def attendance(report: ReviewReport) -> str:
    """Who reviewed, who did not and why, and the warnings, a line each."""
    reviews = [inline(reviewer.result.identity, 100) for reviewer in delivered(report)]
    lines = [f"Reviewed by {joined(reviews)}." if reviews else "**No reviewer delivered a review.**"]
    lines += [_absence(absence) for absence in absences(report)]
    lines += [
        f"**This review was interrupted.** {count(len(reviews), 'review')} had been finished."
    ] * report.interrupted
    lines += [
        f"{joined([inline(n, 100) for n in names])} run on the same tool."
        for names in map(list, report.shared_adapters)
    ]
    lines += [f"Warning: {inline(warning)}" for warning in report.warnings]
    return "  \n".join(lines)


def _absence(absence: Absence) -> str:
    names = joined([inline(name, 100) for name in absence.names])
    why = ", ".join(part for part in (absence.reason, absence.detail.rstrip(".")) if part)
    if absence.ran:
        return f"{names} delivered no review: {inline(why)}."
    return f"{names} {'was' if len(absence.names) == 1 else 'were'} not run: {inline(why)}."
