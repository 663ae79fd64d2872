"""What a reader must know before believing a reviewer, as sentences rendered from marks and results."""

from msd_review.outcomes import Mark, Outcome
from msd_review.report.model import ReviewerReport
from msd_review.report.text import count, inline, joined

_SENTENCES = {
    Mark.IMPORTED: "This review was obtained elsewhere and imported; how it was made is not known here.",
    Mark.NONZERO_EXIT: "The tool delivered its review and then exited with an error status.",
    Mark.KILLED_AFTER_REPLY: "The tool delivered its whole review and then would not exit; it was ended.",
    Mark.TRUNCATED_INPUT: "The server seems to have read only a part of the prompt; what it does not mention it may not have seen.",
    Mark.TRUNCATED_OUTPUT: "The review was cut off at the tool's or server's limit; its end is missing.",
    Mark.MODEL_MISMATCH: "Another model answered than was asked for.",
    Mark.WITHOUT_REPO_ACCESS: "The reviewer says that it could not read the repository; it judged the plan by its text alone.",
    Mark.NO_CITATIONS: "The review cites no place in the code; nothing in it could be checked.",
    Mark.WORKSPACE_CHANGED: "Files changed in the working tree while this reviewer ran.",
    Mark.SELF_REVIEW: "The reviewer is the tool that msd was started from; it may be judging its own work.",
    Mark.DIFF_ONLY: "The reviewer saw the diff of the working tree and not the plan.",
}
_UNCOUNTED = "Its findings do not count towards agreement"


def caveats(reviewer: ReviewerReport, *, why_not_counted: str = "") -> list[str]:
    """One Markdown sentence for each thing that lessens a delivered text; [] where nothing does."""
    found = [_sentence(mark, reviewer) for mark in marks_of(reviewer)]
    if reviewer.result.outcome == Outcome.PARTIAL:
        found.insert(
            0, f"The reviewer did not finish. What it wrote is shown and never counted.{_detail(reviewer)}"
        )
    if reviewer.trim:
        found.append(f"Its prompt was trimmed to fit its budget: {inline(reviewer.trim, 1000)}.")
    if reviewer.review is not None and reviewer.review.kind == "no_review":
        found.append("What came is not a review.")
    if why_not_counted and reviewer.result.outcome == Outcome.REVIEW:
        found.append(f"{_UNCOUNTED}: {inline(why_not_counted)}.")
    return found


def marks_of(reviewer: ReviewerReport) -> list[Mark]:
    """The marks of the result and of the reading, once each, in the order of the closed list."""
    given = {*reviewer.result.marks, *(reviewer.review.marks if reviewer.review else ())}
    if reviewer.imported:
        given.add(Mark.IMPORTED)
    return [mark for mark in Mark if mark in given]


def _sentence(mark: Mark, reviewer: ReviewerReport) -> str:
    result = reviewer.result
    if mark == Mark.WORKSPACE_CHANGED and result.workspace_changes:
        shown = [inline(path, 200) for path in result.workspace_changes[:10]]
        more = len(result.workspace_changes) - len(shown)
        names = joined([*shown, f"{more} more"] if more else shown)
        return f"{count(len(result.workspace_changes), 'file')} changed in the working tree while it ran: {names}."
    if mark == Mark.MODEL_MISMATCH and result.model:
        return f"{_SENTENCES[mark]} The model that answered is {inline(result.model)}.{_detail(reviewer)}"
    return _SENTENCES[mark]


def _detail(reviewer: ReviewerReport) -> str:
    detail = inline(reviewer.result.detail)
    return f" {detail[:1].upper()}{detail[1:].rstrip('.')}." if detail else ""
