"""Reads the JSON of an earlier review into what the next cycle is compared with.

The file lies beside the plan, so anyone may have written it: it is read tolerantly, under bounds, and whatever is
not as the schema says is left out and counted, never an error.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from msd_review.consensus.model import ClusterStatus, PreviousCluster, PreviousCycle
from msd_review.report.json_document import SCHEMA
from msd_review.report.text import count
from msd_review.review.model import Citation, CitationVerdict, Finding, FindingStatus, Severity

MAX_HISTORY_BYTES = 32 * 1024 * 1024
_MAX_ROWS = 10_000
_MAX_TEXT = 20_000
_MAX_BODY = 600
_MAX_NAMES = 200
_MAX_NUMBER = 1_000_000
_STATUSES = ("new", "open", "reopened", "resolved", "dismissed")

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """An earlier review: `previous` is None where there is none that can be used; `warnings` say why."""

    previous: PreviousCycle | None = None
    run: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def next_cycle(self) -> int:
        """The number of the cycle that follows."""
        return self.previous.cycle + 1 if self.previous else 1


def _delivered_nothing(document: Mapping[str, Any]) -> bool:
    """Whether the document tells of a run in which no reviewer delivered a review: that was no cycle."""
    rows = document.get("reviewers")
    outcomes = [row.get("outcome") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return bool(outcomes) and all(outcome != "review" for outcome in outcomes)


class _Unusable(Exception):
    """One row is not as the schema says."""


def read_history(content: bytes) -> History:
    """What the next cycle is compared with, out of a `msd.reviews/1` document. Never raises on any content."""
    document = _document(content)
    if isinstance(document, str):
        return History(
            warnings=(f"the last review cannot be used: {document}; this counts as the first cycle",)
        )
    findings, lost_findings = _rows(document.get("findings"), _finding)
    members = {finding.id: finding for finding in findings}
    clusters, lost_clusters = _rows(document.get("clusters"), lambda row: _cluster(row, members))
    reviewers, _ = _rows(document.get("reviewers"), lambda row: _required(row, "identity"))
    lost = lost_clusters + lost_findings
    cycle = max(0, (_number(document.get("cycle")) or 1) - _delivered_nothing(document))
    previous = PreviousCycle(cycle=cycle, clusters=clusters, reviewers=reviewers)
    return History(
        previous=previous if cycle or clusters else None,
        run=_text(document.get("run")),
        warnings=(f"the last review holds {count(lost, 'entry', 'entries')} that cannot be read",)
        if lost
        else (),
    )


def _document(content: bytes) -> dict[str, Any] | str:
    if len(content) > MAX_HISTORY_BYTES:
        return f"it is larger than {MAX_HISTORY_BYTES // 2**20} MiB"
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return "it is not JSON"
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return f"its schema is not {SCHEMA}"
    return document


def _rows(value: object, read: Callable[[Mapping[str, Any]], Row]) -> tuple[tuple[Row, ...], int]:
    if not isinstance(value, list):
        return (), 0
    rows: list[Row] = []
    for item in value[:_MAX_ROWS]:
        try:
            rows.append(read(_mapping(item)))
        except _Unusable:
            continue
    return tuple(rows), len(value) - len(rows)


def _cluster(row: Mapping[str, Any], findings: Mapping[str, Finding]) -> PreviousCluster:
    members = [findings[name] for name in _names(row.get("findings")) if name in findings]
    return PreviousCluster(
        id=_required(row, "id"),
        severity=_severity(row.get("severity")),
        title=_required(row, "title"),
        status=_status(row.get("status")),
        reviewers=_names(row.get("reviewers")),
        first_seen_cycle=_number(row.get("first_seen_cycle")) or 1,
        closed_in_cycle=_number(row.get("closed_in_cycle")),
        dismissed_because=_text(row.get("dismissed_because")) or None,
        body=_bodies(members),
        plan=next((finding.plan for finding in members if finding.plan), None),
        citations=tuple(citation for finding in members for citation in finding.citations)[:_MAX_NAMES],
        demoted=row.get("demoted") is True,
    )


def _bodies(members: Sequence[Finding]) -> str:
    return "\n".join(f"{finding.title}\n{finding.body[:_MAX_BODY]}" for finding in members)[:_MAX_TEXT]


def _finding(row: Mapping[str, Any]) -> Finding:
    citations, _ = _rows(row.get("citations"), _citation)
    try:
        status = FindingStatus(_text(row.get("status")))
    except ValueError:
        raise _Unusable from None
    return Finding(
        id=_required(row, "id"),
        identity=_required(row, "identity"),
        severity=_severity(row.get("severity")),
        title=_required(row, "title"),
        body=_text(row.get("body")),
        citations=citations[:_MAX_NAMES],
        suggestion=_text(row.get("suggestion")) or None,
        status=status,
        plan=_text(row.get("plan")) or None,
        demoted=row.get("demoted") is True,
    )


def _citation(row: Mapping[str, Any]) -> Citation:
    verdict = _text(row.get("verdict"))
    known = verdict in {item.value for item in CitationVerdict}
    return Citation(
        raw=_text(row.get("raw")),
        path=_text(row.get("path")) or None,
        line=_number(row.get("line")),
        end_line=_number(row.get("end_line")),
        symbol=_text(row.get("symbol")) or None,
        verdict=CitationVerdict(verdict) if known else CitationVerdict.UNCHECKED,
        resolved=_text(row.get("resolved")) or None,
        note=_text(row.get("note")),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Unusable
    return value


def _required(row: Mapping[str, Any], key: str) -> str:
    text = _text(row.get(key))
    if not text:
        raise _Unusable
    return text


def _text(value: object) -> str:
    return value[:_MAX_TEXT] if isinstance(value, str) else ""


def _names(value: object) -> tuple[str, ...]:
    listed: Iterator[str] = (_text(item) for item in value) if isinstance(value, list) else iter(())
    return tuple(name for name, _ in zip(listed, range(_MAX_NAMES), strict=False) if name)


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_NUMBER:
        return None
    return value


def _severity(value: object) -> Severity:
    try:
        return Severity(_text(value))
    except ValueError:
        raise _Unusable from None


def _status(value: object) -> ClusterStatus:
    if value not in _STATUSES:
        raise _Unusable
    return cast(ClusterStatus, value)
