"""Outcomes and documents of a fleet's items, built by hand or by number, for the tests of its summary."""

from collections.abc import Iterator, Sequence
from typing import Any

from msd_review.fleet.model import ItemOutcome, LaneOutcome
from msd_review.fleet.summary import Summary, add, empty
from msd_review.report.json_document import document
from tests.report_samples import cluster, consensus, finding, report, reviewer

Pair = tuple[ItemOutcome, dict[str, Any] | None]
SEVERITIES = ("high", "medium", "low", "unrated")


def lane(slug: str = "codex", **changes: Any) -> LaneOutcome:
    return LaneOutcome(**{"slug": slug, "outcome": "review", "seconds": 2.0, "worker": "w1", **changes})


def failed_lane(slug: str = "gemini", reason: str = "quota", **changes: Any) -> LaneOutcome:
    return lane(slug, outcome="failed", reason=reason, **changes)


def outcome(name: str = "one", *lanes: LaneOutcome, **changes: Any) -> ItemOutcome:
    values: dict[str, Any] = {
        "item_id": name,
        "repository": "/srv/app",
        "kind": "phase",
        "state": "done",
        "message": "",
        "exit_code": 0,
        "lanes": lanes or (lane(),),
        "document": f"items/{name}/REVIEWS.json",
    }
    return ItemOutcome(**{**values, **changes})


def not_done(name: str, reason: str = "fetch_failed", **changes: Any) -> ItemOutcome:
    values: dict[str, Any] = {
        "state": "failed",
        "reason": reason,
        "message": "no such host",
        "document": None,
    }
    return outcome(name, **{**values, **changes})


def reviewed(*names: str, clusters: Sequence[Any] = (), **changes: Any) -> dict[str, Any]:
    """The document that a real report of these reviewers gives; each has one finding, `NAME-1`."""
    people = [reviewer(name, findings=(finding(name, **changes),)) for name in names]
    found = consensus(*(clusters or (cluster(*names),)), identities=names)
    return document(report(*people, consensus=found))


def made(number: int, *, repositories: int = 50) -> Pair:
    """An item's outcome and document that follow from its number alone; one of ten failed."""
    repository, name = f"/srv/repository-{number % repositories}", f"item-{number:06d}"
    if number % 10 == 9:
        return not_done(
            name, ("fetch_failed", "no_reviewer", "blocked")[number % 3], repository=repository
        ), None
    lanes = (
        lane(
            "codex",
            seconds=1 + number % 90,
            input_tokens=1000 + number,
            output_tokens=number % 700,
            cost_usd=0.01,
        ),
        lane("gemini", seconds=2 + number % 45, input_tokens=900, worker=f"w{number % 3}"),
        lane("grounding", seconds=0.2) if number % 7 else failed_lane("grounding", "timeout", seconds=60),
    )
    return outcome(name, *lanes, repository=repository), _document(number)


def _document(number: int) -> dict[str, Any]:
    severity = SEVERITIES[number % 4]
    findings = [
        {"id": f"{name}-{at}", "identity": name, "severity": severity, "demoted": False}
        for name in ("codex", "gemini")
        for at in (1, 2)
    ]
    shared = {"findings": ["codex-1", "gemini-1"], "reviewers": ["codex", "gemini"], "agreed": True}
    lone = {"findings": ["codex-2"], "reviewers": ["codex"], "agreed": False}
    ratings = {"severities": {"codex": severity, "gemini": severity}, "severity": severity, "status": "new"}
    return {
        "schema": "msd.reviews/1",
        "reviewers": [
            {"identity": name, "slug": name, "model": f"{name}-model", "counted": True}
            for name in ("codex", "gemini")
        ],
        "findings": findings,
        "clusters": [{**shared, **ratings}, {**lone, **ratings}],
        "summary": {"findings": {severity: 4}, "clusters": {severity: 2}, "agreed": 1},
    }


def many(count: int, *, repositories: int = 50) -> Iterator[Pair]:
    return (made(number, repositories=repositories) for number in range(count))


def folded(*pairs: Pair) -> Summary:
    summary = empty()
    for one, its in pairs:
        summary = add(summary, one, its)
    return summary
