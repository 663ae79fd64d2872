"""The last cycle, read out of the `msd.reviews/1` document that it left.

The file lies beside the plan, where anybody can edit it: every field is checked, a damaged entry is left
out alone, and nothing here ever raises.
"""

from collections.abc import Mapping
from typing import Any

from msd_review.consensus.model import PreviousCluster, PreviousCycle
from msd_review.review.model import Citation, Severity


def previous_cycle(document: Mapping[str, Any]) -> PreviousCycle | None:
    """Read the last cycle out of a `msd.reviews/1` document; None when it is not one. Never raises."""
    if document.get("schema") != "msd.reviews/1" or not isinstance(document.get("clusters"), list):
        return None
    listed = document.get("findings")
    findings = {entry["id"]: entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)} if isinstance(listed, list) else {}  # fmt: skip
    clusters = [_previous_cluster(entry, findings) for entry in document["clusters"]]
    reviewers = document.get("reviewers")
    names = (
        [entry.get("identity") for entry in reviewers if isinstance(entry, dict)]
        if isinstance(reviewers, list)
        else []
    )
    return PreviousCycle(
        cycle=_whole(document.get("cycle"), 1),
        clusters=tuple(cluster for cluster in clusters if cluster is not None),
        reviewers=tuple(name for name in names if isinstance(name, str)),
    )


def _previous_cluster(entry: object, findings: Mapping[str, Mapping[str, Any]]) -> PreviousCluster | None:
    if (
        not isinstance(entry, dict)
        or not isinstance(entry.get("id"), str)
        or not isinstance(entry.get("title"), str)
    ):
        return None
    ids = entry.get("finding_ids", entry.get("findings", []))
    members = (
        [findings[name] for name in ids if isinstance(name, str) and name in findings]
        if isinstance(ids, list)
        else []
    )
    reviewers = entry.get("reviewers")
    status = entry.get("status")
    return PreviousCluster(
        id=entry["id"],
        severity=Severity(entry["severity"]) if entry.get("severity") in set(Severity) else Severity.UNRATED,
        title=entry["title"],
        status=status if status in {"new", "open", "reopened", "resolved", "dismissed"} else "open",
        reviewers=tuple(name for name in reviewers if isinstance(name, str))
        if isinstance(reviewers, list)
        else (),
        first_seen_cycle=_whole(entry.get("first_seen_cycle"), 1),
        closed_in_cycle=_whole(entry.get("closed_in_cycle"), None),
        dismissed_because=_string(entry.get("dismissed_because")),
        body="\n".join(
            f"{_string(member.get('title')) or ''}\n{(_string(member.get('body')) or '')[:600]}"
            for member in members
        ),
        plan=next((plan for member in members if (plan := _string(member.get("plan")))), None),
        citations=tuple(citation for member in members for citation in _citations(member.get("citations"))),
        demoted=entry.get("demoted") is True,
    )


def _whole(value: object, default: Any) -> Any:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _citations(listed: object) -> list[Citation]:
    if not isinstance(listed, list):
        return []
    return [
        Citation(
            raw=path,
            path=path,
            line=_whole(entry.get("line"), None),
            end_line=_whole(entry.get("end_line"), None),
        )
        for entry in listed
        if isinstance(entry, dict) and (path := _string(entry.get("path")))
    ]
