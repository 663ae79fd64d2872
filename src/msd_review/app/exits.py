"""Which exit code a finished review has."""

from collections.abc import Iterable

from msd_review.consensus.model import Cluster, Consensus
from msd_review.outcomes import Outcome
from msd_review.report.model import ReviewReport, Skipped
from msd_review.review.model import Severity
from msd_review.run.result import LaneResult

DONE, FINDINGS, USAGE, NAMED_FAILED, NONE_RAN, BLOCKED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
_OPEN = frozenset({"new", "open", "reopened"})
_LEFT_BY_CHOICE = frozenset({Outcome.SKIPPED.value})


def gate_trips(consensus: Consensus, fail_on: str) -> bool:
    """Whether an open concern is at or above `fail_on` ("never" never trips).

    One whose only evidence is missing is shown and trips nothing: an invented place must not stop anyone.
    """
    if fail_on == "never":
        return False
    threshold = Severity(fail_on).rank
    return any(
        is_open(cluster) and not cluster.demoted and cluster.severity.rank >= threshold
        for cluster in consensus.clusters
    )


def is_open(cluster: Cluster) -> bool:
    """Whether a concern stands: new, still open or reopened, and raised by someone who counts."""
    return cluster.status in _OPEN


def _named_code(results: Iterable[LaneResult], skipped: Iterable[Skipped]) -> int:
    outcomes = [(one.outcome.value, one.named) for one in results] + [
        (one.outcome, one.named) for one in skipped
    ]
    named = [outcome for outcome, was_named in outcomes if was_named]
    if Outcome.BLOCKED.value in named:
        return BLOCKED
    return NAMED_FAILED if any(outcome != Outcome.REVIEW.value for outcome in named) else DONE


def _overall_code(results: list[LaneResult], skipped: Iterable[Skipped], *, imports: int) -> int:
    if imports or any(one.outcome is Outcome.REVIEW for one in results):
        return DONE
    outcomes = [one.outcome.value for one in results] + [one.outcome for one in skipped]
    could_have_run = [
        outcome
        for outcome in outcomes
        if outcome not in _LEFT_BY_CHOICE and outcome != Outcome.UNAVAILABLE.value
    ]
    if could_have_run and all(outcome == Outcome.BLOCKED.value for outcome in could_have_run):
        return BLOCKED
    return NONE_RAN


def exit_code(report: ReviewReport, *, fail_on: str) -> int:
    """The code of a review: the largest of 3, 4 and 5 wins over 1; an interrupted one is 130."""
    if report.interrupted:
        return INTERRUPTED
    results = [one.result for one in report.reviewers if not one.imported]
    imports = sum(1 for one in report.reviewers if one.imported)
    trouble = max(
        _named_code(results, report.skipped),
        _overall_code(results, report.skipped, imports=imports),
    )
    if trouble:
        return trouble
    return FINDINGS if gate_trips(report.consensus, fail_on) else DONE
