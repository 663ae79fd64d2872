"""From what the lanes delivered to one report: texts read, citations checked, agreement computed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.model import Consensus, Dismissal, PlanChange
from msd_review.edges import files
from msd_review.grounding.index import Tree
from msd_review.grounding.resolve import check_citations, planned_files
from msd_review.manifest.model import Lane
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.prompt.model import ReviewSubject
from msd_review.report.history import MAX_HISTORY_BYTES, History, read_history
from msd_review.report.model import ReviewerReport, ReviewReport
from msd_review.report.quotes import quote_lines, wanted_quotes
from msd_review.review.checked import citations_of, with_checked
from msd_review.review.clean import clean_text
from msd_review.review.findings import read_review
from msd_review.review.model import Citation, CitationVerdict, Review
from msd_review.run.result import LaneResult

MAX_TEXT_BYTES = (
    2 * 1024 * 1024
)  # of one reviewer's text, read and shown; the whole stays in the run's folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """One reviewer's result, and how its section is headed."""

    result: LaneResult
    instance: str | None = None
    imported: bool = False
    trim: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessed:
    """All that was computed, ready to be reported."""

    reviewers: tuple[ReviewerReport, ...]
    consensus: Consensus
    warnings: tuple[str, ...] = ()


def read_text(path: Path) -> tuple[str, bool]:
    """A delivered text, cleaned, and whether it was cut at the bound."""
    try:
        with path.open("rb") as handle:
            raw = handle.read(MAX_TEXT_BYTES + 1)
    except OSError:
        return "", False
    return clean_text(raw[:MAX_TEXT_BYTES]), len(raw) > MAX_TEXT_BYTES


def read_delivered(delivered: Delivered) -> ReviewerReport:
    """One reviewer's text, read; a text that is no review makes its lane a failed one."""
    result = delivered.result
    if result.text_path is None:
        return ReviewerReport(
            result=result,
            review=None,
            instance=delivered.instance,
            imported=delivered.imported,
            trim=delivered.trim,
        )
    text, cut = read_text(result.text_path)
    marks = (*result.marks, Mark.TRUNCATED_OUTPUT) if cut else result.marks
    review = read_review(
        text,
        identity=result.identity,
        slug=result.slug,
        section=result.section,
        marks=tuple(dict.fromkeys(marks)),
        evidence_class=result.evidence_class,
    )
    if result.outcome is Outcome.REVIEW and review.kind == "no_review":
        result = replace(
            result,
            outcome=Outcome.FAILED,
            reason=Reason.MALFORMED_RESPONSE,
            detail="what it delivered is no review",
            marks=(),
        )
        return ReviewerReport(
            result=result,
            review=None,
            instance=delivered.instance,
            imported=delivered.imported,
            shown_text=text,
            trim=delivered.trim,
        )
    return ReviewerReport(
        result=replace(result, marks=review.marks),
        review=review,
        instance=delivered.instance,
        imported=delivered.imported,
        shown_text=text,
        trim=delivered.trim,
    )


def _unchecked(citations: Iterable[Citation]) -> dict[Citation, Citation]:
    note = "citations are not checked: plan_review.source_grounding is false"
    return {one: replace(one, verdict=CitationVerdict.UNCHECKED, note=note) for one in citations}


def check_reviews(
    reports: Sequence[ReviewerReport], tree: Tree, subject: ReviewSubject, *, check: bool
) -> tuple[ReviewerReport, ...]:
    """Every citation of every review looked up in the tree, once for all reviewers."""
    found = tuple(
        dict.fromkeys(
            c for report in reports if report.review is not None for c in citations_of(report.review)
        )
    )
    if check:
        checked = dict(
            zip(
                found,
                check_citations(found, tree, plans=subject.plans, planned_files=planned_files(subject.plans)),
                strict=True,
            )
        )
    else:
        checked = _unchecked(found)
    return tuple(
        report if report.review is None else replace(report, review=with_checked(report.review, checked))
        for report in reports
    )


def load_history(path: Path) -> History:
    """The last cycle, out of the JSON beside the plan; an empty one where there is none."""
    try:
        return read_history(files.read_bounded(path, MAX_HISTORY_BYTES))
    except FileNotFoundError:
        return History()
    except OSError as problem:
        return History(
            warnings=(f"the last review cannot be read: {problem}; this counts as the first cycle",)
        )


def counted_reviews(reports: Iterable[ReviewerReport]) -> tuple[Review, ...]:
    """The reviews that take part in what is computed: those that were delivered whole."""
    return tuple(
        report.review
        for report in reports
        if report.review is not None and report.result.outcome is Outcome.REVIEW
    )


def quotes_for(report: ReviewReport, tree: Tree) -> dict[str, str]:
    """The source lines that a report wants to show, read under the tree's own rules."""
    quotes = {}
    for wanted in wanted_quotes(report):
        text = tree.read(wanted.path)
        if isinstance(text, str):
            quotes[wanted.key] = quote_lines(text, wanted)
    return quotes


def assess(
    delivered: Sequence[Delivered],
    subject: ReviewSubject,
    *,
    tree: Tree,
    history: History,
    check: bool,
    dismissals: Sequence[Dismissal] = (),
    plan_changes: Sequence[PlanChange] = (),
) -> Assessed:
    """Reads, checks and compares everything that was delivered."""
    reports = check_reviews([read_delivered(one) for one in delivered], tree, subject, check=check)
    reviews = counted_reviews(reports)
    consensus = build_consensus(
        reviews,
        reviewer_facts([report.result for report in reports], reviews),
        previous=history.previous,
        dismissals=dismissals,
        plan_changes=plan_changes,
    )
    return Assessed(
        reviewers=reports,
        consensus=consensus,
        warnings=history.warnings,
    )


def roster_order(reports: Iterable[Delivered], lanes: Sequence[Lane]) -> tuple[Delivered, ...]:
    """Reviewers as their sections follow: the roster, instances after their lane, imports last."""
    places = {lane.slug: at for at, lane in enumerate(lanes)}

    def order(one: Delivered) -> tuple[bool, int, bool, str]:
        result = one.result
        return (one.imported, places.get(result.slug, len(places)), one.instance is not None, result.identity)

    return tuple(sorted(reports, key=order))
