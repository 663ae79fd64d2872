"""What the summary page shows, as plain values made of the JSON document: the template decides nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msd_review.fleet.summary import SEVERITY_COLUMNS
from msd_review.fleet.summary_cells import (
    Cell,
    Row,
    Table,
    amounts,
    link,
    number,
    rate,
    severities,
    text,
    text_beside,
    time,
)
from msd_review.report.text import count

REPOSITORIES_SHOWN = 500
REVIEWERS_IN_MATRIX = 24
FAILURES_SHOWN = 200
WORKERS_SHOWN = 200


def tables(document: Mapping[str, Any]) -> tuple[Table, ...]:
    """Every table of the page, in its order; those that have nothing to say have no rows."""
    return (
        _repositories(document),
        _agreement(document["agreement"]["reviewers"]),
        _matrix(document["agreement"]),
        _failures(document["failures"]),
        _item_reasons(document["items_by_reason"]),
        _usage(document),
        _slowest_items(document["slowest"]["items"]),
        _slowest_lanes(document["slowest"]["lanes"]),
        _workers(document["workers"]),
        _items("not-done", "Not done", document["not_done"]),
        _items("reports", "Reports", document["reports"]),
    )


def _repositories(document: Mapping[str, Any]) -> Table:
    rows = document["repositories"]
    rest = document["repositories_left_out"]
    shown = [Row(name=row["repository"], cells=_repository_cells(row)) for row in rows[:REPOSITORIES_SHOWN]]
    note = ""
    if len(rows) > REPOSITORIES_SHOWN or rest:
        note = f"The {REPOSITORIES_SHOWN:,} repositories with the worst concerns are shown; summary.json lists {len(rows):,}"
        note += (
            f", and {rest['items']:,} items are of repositories that are not listed by name." if rest else "."
        )
    return Table(
        name="repositories",
        title="Findings by repository",
        says="Open concerns by severity; findings that say the same count once. Findings counts them each by itself.",
        columns=("Repository", *SEVERITY_COLUMNS, "agreed", "findings", "items", "done", "failed", "refused"),
        rows=tuple(shown),
        note=note,
    )


def _repository_cells(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    counts = [row["agreed"], sum(row["findings"].values()), row["items"], row["done"]]
    bad = [number(row["failed"], "high"), number(row["refused"], "medium")]
    return (*severities(row["concerns"] if row["reports"] else None), *map(number, counts), *bad)


def _agreement(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name="agreement",
        title="Agreement",
        says="How often what a reviewer raised was shared by an independent other reviewer, of what such a reviewer"
        " was there to share.",
        columns=("Reviewer", "shared", "of high", "concerns", "could be shared", "were shared", "reports"),
        rows=tuple(
            Row(
                name=row["reviewer"],
                cells=(
                    rate(row["rate"]),
                    rate(row["high"]["rate"]),
                    *(number(row[name]) for name in ("concerns", "comparable", "shared", "reports")),
                ),
            )
            for row in rows
        ),
    )


def _matrix(agreement: Mapping[str, Any]) -> Table:
    by_reports = sorted(agreement["reviewers"], key=lambda row: (-row["reports"], row["reviewer"]))
    names = sorted(row["reviewer"] for row in by_reports[:REVIEWERS_IN_MATRIX])
    pairs = {(row["reviewer"], row["other"]): row for row in agreement["pairs"]}
    rows = [
        Row(name=name, cells=tuple(_pair(pairs.get((name, other)), name == other) for other in names))
        for name in names
    ]
    left_out = len(by_reports) - len(names)
    return Table(
        name="pairs",
        title="Who shares whose concerns",
        says="Each row: of what this reviewer raised beside the other, how much the other shares.",
        columns=("Reviewer", *names),
        rows=tuple(rows) if pairs else (),
        note=f"{count(left_out, 'reviewer')} with fewer reports left out; summary.json has more."
        if left_out
        else "",
    )


def _pair(row: Mapping[str, Any] | None, is_same: bool) -> Cell:
    if row is None or row["rate"] is None:
        return Cell(text="" if is_same else "–", value=-1, kind="none")
    return Cell(text=f"{row['rate']:.0%} of {row['concerns']:,}", value=row["rate"])


def _failures(rows: Sequence[Mapping[str, Any]]) -> Table:
    shown = rows[:FAILURES_SHOWN]
    return Table(
        name="failures",
        title="Lanes without a review, by reason",
        columns=("Reason", "outcome", "lanes", "reviewers"),
        rows=tuple(
            Row(
                name=row["reason"] or "no reason given",
                cells=(text(row["outcome"]), number(row["lanes"]), text(_who(row["reviewers"]))),
            )
            for row in shown
        ),
        note=""
        if len(shown) == len(rows)
        else f"The {len(shown):,} most frequent of {len(rows):,} are shown.",
    )


def _who(reviewers: Mapping[str, int]) -> str:
    ordered = sorted(reviewers.items(), key=lambda entry: (-entry[1], entry[0]))
    more = f", and {len(ordered) - 8:,} more" if len(ordered) > 8 else ""
    return ", ".join(f"{name} {number:,}" for name, number in ordered[:8]) + more


def _item_reasons(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name="item-reasons",
        title="Items that are not done, by reason",
        columns=("Reason", "items"),
        rows=tuple(
            Row(name=row["reason"] or "no reason given", cells=(number(row["items"]),))
            for row in rows[:FAILURES_SHOWN]
        ),
    )


def _usage(document: Mapping[str, Any]) -> Table:
    rows = [
        Row(
            name=row["reviewer"],
            cells=(number(row["lanes"]), *amounts(row["usage"]), time(row["seconds"])),
        )
        for row in document["reviewers"]
    ]
    lanes = sum(row["lanes"] for row in document["reviewers"])
    seconds = sum(row["seconds"] for row in document["reviewers"])
    total = Row(name="all", state="total", cells=(number(lanes), *amounts(document["usage"]), time(seconds)))
    return Table(
        name="usage",
        title="Tokens and cost",
        says="As tools and servers state them. What none of them stated is unknown; a sum over some lanes says over how many.",
        columns=("Reviewer", "lanes", "ran", "tokens in", "tokens out", "cost", "time of all lanes"),
        rows=(*rows, total) if rows else (),
        note="More reviewers took part than are listed." if document["reviewers_left_out"] else "",
    )


def _slowest_items(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name="slowest-items",
        title="Slowest items",
        columns=("Item", "state", "all lanes", "longest lane", "lanes", "repository"),
        rows=tuple(
            Row(
                name=row["id"],
                link=link(row["document"]),
                text_link=text_beside(row["document"]),
                state=row["state"],
                cells=(
                    text(row["state"], row["state"]),
                    time(row["seconds"]),
                    time(row["longest_lane_seconds"]),
                    number(row["lanes"]),
                    text(row["repository"]),
                ),
            )
            for row in rows
        ),
    )


def _slowest_lanes(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        name="slowest-lanes",
        title="Slowest lanes",
        columns=("Item", "reviewer", "time", "outcome", "reason", "worker"),
        rows=tuple(
            Row(
                name=row["id"],
                cells=(
                    text(row["reviewer"]),
                    time(row["seconds"]),
                    text(row["outcome"], row["outcome"]),
                    text(row["reason"]),
                    text(row["worker"]),
                ),
            )
            for row in rows
        ),
    )


def _workers(rows: Sequence[Mapping[str, Any]]) -> Table:
    busiest = sorted(rows, key=lambda row: (-row["lanes"], row["worker"]))[:WORKERS_SHOWN]
    return Table(
        name="workers",
        title="Workers",
        columns=("Worker", "lanes", "reviews", "failures", "time of all lanes"),
        rows=tuple(
            Row(
                name=row["worker"],
                cells=(
                    number(row["lanes"]),
                    number(row["reviews"]),
                    number(row["failures"], "high"),
                    time(row["seconds"]),
                ),
            )
            for row in busiest
        ),
        note="" if len(busiest) == len(rows) else f"The {len(busiest):,} busiest of {len(rows):,} are shown.",
    )


def _items(name: str, title: str, listed: Mapping[str, Any]) -> Table:
    note = ""
    if listed["listed"] < listed["total"]:
        order = "first by id" if name == "not-done" else "with the worst concerns"
        note = f"{listed['listed']:,} of {listed['total']:,} are listed, those {order}; journal.jsonl names all of them."
    is_open = name == "not-done"
    columns = ("Item", "state", "reason", *(() if is_open else SEVERITY_COLUMNS), "reviews", "repository")
    return Table(
        name=name,
        title=title,
        columns=(*columns, "what happened") if is_open else columns,
        rows=tuple(_item(row, is_open=is_open) for row in listed["items"]),
        note=note,
    )


def _item(row: Mapping[str, Any], *, is_open: bool) -> Row:
    cells: Iterable[Cell] = (
        text(row["state"], row["state"]),
        text(row["reason"]),
        *(() if is_open else severities(row["concerns"])),
        Cell(text=f"{row['reviews']} of {row['lanes']}", value=row["reviews"]),
        text(row["repository"]),
        *((text(row["message"]),) if is_open else ()),
    )
    return Row(
        name=row["id"],
        link=link(row["document"]),
        text_link=text_beside(row["document"]),
        state=row["state"],
        cells=tuple(cells),
    )
