"""Whose word counts, and whose words count as two.

A reviewer counts when it delivered a whole review that saw the code and cites it. Two reviewers are
independent when their base tools differ and their models are not known to be the same.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from msd_review.consensus.model import ReviewerFacts
from msd_review.outcomes import Mark, Outcome
from msd_review.review.model import Review
from msd_review.run.result import LaneResult

_NOT_COUNTED: Mapping[Mark, str] = {
    Mark.DIFF_ONLY: "saw the diff and not the plan",
    Mark.WITHOUT_REPO_ACCESS: "reviewed without access to the repository",
    Mark.NO_CITATIONS: "cites no file",
}
_EXACT_UP_TO = 14


def reviewer_facts(results: Sequence[LaneResult], reviews: Sequence[Review]) -> tuple[ReviewerFacts, ...]:
    """The facts of every reviewer whose text was read, in the order of the reviews."""
    by_identity = {result.identity: result for result in results}
    return tuple(_facts(review, by_identity.get(review.identity)) for review in reviews)


def _facts(review: Review, result: LaneResult | None) -> ReviewerFacts:
    marks = {*review.marks, *(result.marks if result else ())}
    why_not = _why_not(review, result, marks)
    return ReviewerFacts(
        identity=review.identity,
        slug=review.slug,
        model=result.model if result else None,
        counted=not why_not,
        why_not=why_not,
        imported=Mark.IMPORTED in marks,
    )


def _why_not(review: Review, result: LaneResult | None, marks: set[Mark]) -> str:
    if result is not None and result.outcome is not Outcome.REVIEW:
        return (
            "did not finish its review"
            if result.outcome is Outcome.PARTIAL
            else f"delivered no review ({result.outcome})"
        )
    if review.kind != "review":
        return "what it wrote is no review"
    return next((why for mark, why in _NOT_COUNTED.items() if mark in marks), "")


def are_independent(one: ReviewerFacts, other: ReviewerFacts) -> bool:
    """Whether two counted reviewers are two, not one twice."""
    if one.identity == other.identity or one.slug.lower() == other.slug.lower():
        return False
    first, second = _model_name(one.model), _model_name(other.model)
    return not (first and second and first == second)


def _model_name(model: str | None) -> str:
    """A model's bare name: without provider path, effort, date or tag."""
    if not model:
        return ""
    name = re.sub(r"\s*\(.*", "", model.strip().lower()).rsplit("/", 1)[-1]
    return re.sub(
        r"(?::(?:latest|free|cloud|thinking|\d{1,3}b)|[-@]20\d{2}-?\d{2}-?\d{2}|[-:]latest)$", "", name
    )


def most_independent(
    reviewers: Sequence[ReviewerFacts], copies: frozenset[frozenset[str]] = frozenset()
) -> int:
    """How many of the reviewers are pairwise independent, at most; `copies` are pairs that share a text."""
    people = list(reviewers)
    clashes = {
        frozenset((one.identity, other.identity))
        for one, other in combinations(people, 2)
        if not are_independent(one, other) or frozenset((one.identity, other.identity)) in copies
    }
    if not clashes:
        return len(people)
    names = [person.identity for person in people]
    return _largest(names, clashes) if len(names) <= _EXACT_UP_TO else _greedy(names, clashes)


def _largest(names: list[str], clashes: set[frozenset[str]]) -> int:
    if not names:
        return 0
    first, rest = names[0], names[1:]
    compatible = [name for name in rest if frozenset((first, name)) not in clashes]
    with_first = 1 + _largest(compatible, clashes)
    return with_first if len(compatible) == len(rest) else max(with_first, _largest(rest, clashes))


def _greedy(names: list[str], clashes: set[frozenset[str]]) -> int:
    chosen: list[str] = []
    for name in sorted(names, key=lambda name: (sum(1 for pair in clashes if name in pair), name)):
        if all(frozenset((name, other)) not in clashes for other in chosen):
            chosen.append(name)
    return len(chosen)
