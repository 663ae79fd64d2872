"""Who delivered no review and why, for people: those who are out for one common reason share a line."""

from collections.abc import Iterator
from dataclasses import dataclass

from msd_review.outcomes import Outcome
from msd_review.report.counts import ran_without_review
from msd_review.report.model import ReviewReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """One or several reviewers without a review. `ran` tells a failure from one that was never started."""

    names: tuple[str, ...]
    outcome: str
    reason: str
    detail: str = ""
    hint: str | None = None
    ran: bool = False
    named: bool = False


def absences(report: ReviewReport) -> list[Absence]:
    """Failures first, each with its own line; then who was not run, those that nobody named grouped by reason."""
    rows = list(_rows(report))
    alone = [row for row in rows if row.ran or row.named]
    groups: dict[tuple[str, str], list[Absence]] = {}
    for row in rows:
        if not row.ran and not row.named:
            groups.setdefault((row.outcome, row.reason), []).append(row)
    return [
        *(row for row in alone if row.ran),
        *(row for row in alone if not row.ran),
        *map(_together, groups.values()),
    ]


def _rows(report: ReviewReport) -> Iterator[Absence]:
    for reviewer in report.reviewers:
        result = reviewer.result
        if result.outcome != Outcome.REVIEW:
            yield Absence(
                names=(result.identity,),
                outcome=str(result.outcome),
                reason=str(result.reason or ""),
                detail=result.detail,
                hint=result.hint,
                ran=ran_without_review(reviewer),
                named=result.named,
            )
    for skipped in report.skipped:
        yield Absence(
            names=(skipped.identity,),
            outcome=str(skipped.outcome),
            reason=str(skipped.reason),
            detail=skipped.detail,
            hint=skipped.hint,
            named=skipped.named,
        )


def _together(rows: list[Absence]) -> Absence:
    if len(rows) == 1:
        return rows[0]
    names = tuple(name for row in rows for name in row.names)
    return Absence(names=names, outcome=rows[0].outcome, reason=rows[0].reason, hint=_shared_hint(rows))


def _shared_hint(rows: list[Absence]) -> str:
    """One way out for all: "name it to agree for one run: --claude, --codex" where they differ in the last part alone."""
    parts = [(row.hint or "").partition(": ") for row in rows]
    heads = {head for head, _, _ in parts}
    if len(heads) > 1 or "" in heads:
        return "`msd lane list` says what each needs"
    tails = dict.fromkeys(tail for _, _, tail in parts if tail)
    return ": ".join([*heads, *([", ".join(tails)] if tails else [])])
