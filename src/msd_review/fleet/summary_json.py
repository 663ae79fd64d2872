"""summary.json: the `msd.fleet-summary/1` document, as its schema in `docs/schemas/` describes it."""

from collections.abc import Iterable, Mapping
from typing import Any

from msd_review.fleet.model import SUMMARY_SCHEMA
from msd_review.fleet.summary import (
    AMOUNTS,
    CONCERN_COLUMNS,
    NANO,
    OUTCOMES,
    SEPARATOR,
    SEVERITY_COLUMNS,
    STATES,
    UNKNOWN_OUTCOME,
    ItemRow,
    LaneRow,
    Summary,
)
from msd_review.fleet.summary_tables import Leading, Tally
from msd_review.report.text import encodable

REPOSITORIES_LISTED = 5_000


def to_json(summary: Summary, *, submitted: int | None = None) -> dict[str, Any]:
    """The summary as plain values that `json.dumps` takes and UTF-8 can hold.

    `submitted` is how many items were asked for, None where that is not known. A number that nobody reported is null.
    """
    repositories = _repositories(summary.repositories)
    content = {
        "schema": SUMMARY_SCHEMA,
        "items": _items(summary, submitted),
        **_totals(summary.repositories),
        "repositories": repositories[:REPOSITORIES_LISTED],
        "repositories_left_out": _left_out(summary.repositories, repositories[REPOSITORIES_LISTED:]),
        "agreement": {"reviewers": _agreement(summary.agreement), "pairs": _pairs(summary.pairs)},
        "reviewers": [_reviewer(name, row) for name, row in summary.lanes.rows()],
        "reviewers_left_out": summary.lanes.other is not None or summary.agreement.other is not None,
        "usage": _usage(summary.lanes.totals()),
        "failures": _failures(summary.failures),
        "items_by_reason": _reasons(summary.reasons),
        "workers": [_worker(name, row) for name, row in summary.workers.rows()],
        "slowest": {
            "items": [_item(row) for row in summary.slowest_items.rows()],
            "lanes": [_lane(row) for row in summary.slowest_lanes.rows()],
        },
        "not_done": _listed(summary.not_done),
        "reports": _listed(summary.reported),
    }
    return {key: encodable(value) for key, value in content.items()}


def _items(summary: Summary, submitted: int | None) -> dict[str, Any]:
    states = dict(summary.states.rows())
    totals = summary.states.totals()
    return {
        "submitted": submitted,
        "finished": totals["items"],
        "waiting": None if submitted is None else max(0, submitted - totals["items"]),
        **{state: states.get(state, {}).get("items", 0) for state in STATES},
        "with_report": totals["reports"],
        "unreadable_reports": totals["unreadable"],
        "by_kind": {kind: row["items"] for kind, row in summary.kinds.rows()},
    }


def _totals(repositories: Tally) -> dict[str, Any]:
    found = _found(repositories.totals())
    return {"findings": found["findings"], "concerns": found["concerns"], "agreed": found["agreed"]}


def _found(row: Mapping[str, int]) -> dict[str, Any]:
    return {
        "findings": {name: row[name] for name in SEVERITY_COLUMNS},
        "concerns": {
            name: row[column] for name, column in zip(SEVERITY_COLUMNS, CONCERN_COLUMNS, strict=True)
        },
        "agreed": row["agreed"],
    }


def _repository(row: Mapping[str, int]) -> dict[str, Any]:
    counted = {name: row[name] for name in ("items", *STATES, "reports")}
    return {**counted, **_found(row), "lanes": row["lanes"], "lanes_without_review": row["failures"]}


def _repositories(tally: Tally) -> list[dict[str, Any]]:
    """Every repository, those with the worst concerns first."""
    rows = sorted(
        tally.rows(),
        key=lambda entry: (*(-entry[1][name] for name in CONCERN_COLUMNS), -entry[1]["agreed"], entry[0]),
    )
    return [{"repository": name, **_repository(row)} for name, row in rows]


def _left_out(tally: Tally, unlisted: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """What the repositories without a row of their own come to; null where each has one."""
    names = {entry["repository"] for entry in unlisted}
    rows = [row for name, row in tally.rows() if name in names]
    rows += [] if tally.other is None else [tally.other]
    return (
        _repository({column: sum(row[column] for row in rows) for column in tally.columns}) if rows else None
    )


def _rate(shared: int, comparable: int) -> float | None:
    return round(shared / comparable, 4) if comparable else None


def _agreement(tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "reviewer": name,
            "reports": row["reports"],
            "concerns": row["concerns"],
            "comparable": row["comparable"],
            "shared": row["shared"],
            "rate": _rate(row["shared"], row["comparable"]),
            "high": {
                "concerns": row["high"],
                "comparable": row["high_comparable"],
                "shared": row["high_shared"],
                "rate": _rate(row["high_shared"], row["high_comparable"]),
            },
        }
        for name, row in tally.rows()
    ]


def _pairs(tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "reviewer": name.partition(SEPARATOR)[0],
            "other": name.partition(SEPARATOR)[2],
            "reports": row["reports"],
            "concerns": row["concerns"],
            "shared": row["shared"],
            "rate": _rate(row["shared"], row["concerns"]),
        }
        for name, row in tally.rows()
    ]


def _reviewer(name: str, row: Mapping[str, int]) -> dict[str, Any]:
    return {
        "reviewer": name,
        "lanes": row["lanes"],
        "outcomes": {outcome: row[outcome] for outcome in (*OUTCOMES, UNKNOWN_OUTCOME) if row[outcome]},
        "seconds": row["milliseconds"] / 1000,
        "usage": _usage(row),
    }


def _usage(row: Mapping[str, int]) -> dict[str, Any]:
    """Each amount is the sum over the lanes that reported it, or null where none did."""
    return {"lanes_that_ran": row["ran"], **{_usage_name(name): _amount(row, name) for name in AMOUNTS}}


def _usage_name(name: str) -> str:
    return "cost_usd" if name == "cost" else name


def _amount(row: Mapping[str, int], name: str) -> dict[str, Any]:
    known = row[f"{name}_known"]
    amount = row[name] / NANO if name == "cost" else row[name]
    return {"amount": amount if known else None, "known_of": known, "unknown_of": row["ran"] - known}


def _failures(tally: Tally) -> list[dict[str, Any]]:
    """Lanes that delivered no review, by reason and outcome, the most frequent first."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for key, row in tally.rows():
        reason, outcome, slug = key.split(SEPARATOR)
        found.setdefault((reason, outcome), {})[slug] = row["lanes"]
    rows = [
        {
            "reason": reason or None,
            "outcome": outcome,
            "lanes": sum(reviewers.values()),
            "reviewers": reviewers,
        }
        for (reason, outcome), reviewers in found.items()
    ]
    rows += (
        []
        if tally.other is None
        else [{"reason": None, "outcome": "other", "lanes": tally.other["lanes"], "reviewers": {}}]
    )
    return sorted(rows, key=lambda row: (-row["lanes"], row["reason"] or "", row["outcome"]))


def _reasons(tally: Tally) -> list[dict[str, Any]]:
    rows = [{"reason": reason or None, "items": row["items"]} for reason, row in tally.rows()]
    rows += [] if tally.other is None else [{"reason": None, "items": tally.other["items"]}]
    return sorted(rows, key=lambda row: (-row["items"], row["reason"] or ""))


def _worker(name: str, row: Mapping[str, int]) -> dict[str, Any]:
    counted = {key: row[key] for key in ("lanes", "reviews", "failures")}
    return {"worker": name, **counted, "seconds": row["milliseconds"] / 1000}


def _listed(leading: Leading[ItemRow]) -> dict[str, Any]:
    rows = [_item(row) for row in leading.rows()]
    return {"total": leading.offered, "listed": len(rows), "items": rows}


def _item(row: ItemRow) -> dict[str, Any]:
    return {
        "id": row.item_id,
        "repository": row.repository,
        "kind": row.kind,
        "state": row.state,
        "reason": row.reason,
        "message": row.message,
        "document": row.document,
        "findings": None if row.findings is None else dict(zip(SEVERITY_COLUMNS, row.findings, strict=True)),
        "concerns": None if row.concerns is None else dict(zip(SEVERITY_COLUMNS, row.concerns, strict=True)),
        "agreed": row.agreed,
        "lanes": row.lanes,
        "reviews": row.reviews,
        "seconds": row.milliseconds / 1000,
        "longest_lane_seconds": row.longest_ms / 1000,
    }


def _lane(row: LaneRow) -> dict[str, Any]:
    return {
        "id": row.item_id,
        "reviewer": row.slug,
        "outcome": row.outcome,
        "reason": row.reason,
        "worker": row.worker,
        "seconds": row.milliseconds / 1000,
    }
