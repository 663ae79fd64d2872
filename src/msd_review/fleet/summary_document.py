"""What a summary needs of an item's `msd.reviews/1` document: how much was found, and who agreed with whom.

A document was written by another process and may be torn or edited: whatever it holds, reading it never raises, and
what is not as published counts as nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msd_review.consensus.independence import are_independent
from msd_review.consensus.model import ReviewerFacts
from msd_review.review.model import Severity

SCHEMA = "msd.reviews/1"
SEVERITIES = tuple(severity.value for severity in Severity)
# Concerns that a reviewer raised this time: those of an earlier cycle that were closed are nobody's word now.
_RAISED = ("new", "open", "reopened", "dismissed")
_MAX_REVIEWERS = 64
_MAX_CONCERNS = 20_000
_MAX_COUNT = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One counted reviewer of one report, and the counted reviewers there that are independent of it."""

    identity: str
    peers: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One concern: who raised it, who of them as `high`, and who of them shares it with an independent other."""

    by: frozenset[str]
    high: frozenset[str]
    shared: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One report. `findings` and `concerns` are counts by severity, in the order of SEVERITIES, of what is open."""

    findings: tuple[int, ...]
    concerns: tuple[int, ...]
    agreed: int
    voices: tuple[Voice, ...]
    raised: tuple[Raised, ...]


def read_document(document: object) -> Reviewed | None:
    """What the document says; None for what is no `msd.reviews/1` document."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return None
    summary = document.get("summary")
    if not isinstance(summary, dict):
        return None
    voices = _voices(document.get("reviewers"))
    return Reviewed(
        findings=_by_severity(summary.get("findings")),
        concerns=_by_severity(summary.get("clusters")),
        agreed=_count(summary.get("agreed")),
        voices=voices,
        raised=tuple(_raised(document, {voice.identity: voice for voice in voices})),
    )


def _voices(rows: object) -> tuple[Voice, ...]:
    facts = {one.identity: one for one in map(_facts, _objects(rows, _MAX_REVIEWERS)) if one is not None}
    return tuple(
        Voice(
            identity=one.identity,
            peers=frozenset(other.identity for other in facts.values() if are_independent(one, other)),
        )
        for one in facts.values()
    )


def _facts(row: Mapping[str, Any]) -> ReviewerFacts | None:
    """The reviewer's facts, where it counts in agreement."""
    identity, slug, model = row.get("identity"), row.get("slug"), row.get("model")
    if row.get("counted") is not True or not isinstance(identity, str) or not isinstance(slug, str):
        return None
    return ReviewerFacts(
        identity=identity, slug=slug, model=model if isinstance(model, str) else None, counted=True
    )


def _raised(document: Mapping[str, Any], voices: Mapping[str, Voice]) -> list[Raised]:
    with_evidence = _with_evidence(document.get("findings"))
    clusters = _objects(document.get("clusters"), _MAX_CONCERNS)
    return [
        _concern(cluster, voices, with_evidence) for cluster in clusters if cluster.get("status") in _RAISED
    ]


def _concern(
    cluster: Mapping[str, Any], voices: Mapping[str, Voice], with_evidence: Mapping[str, str]
) -> Raised:
    by = frozenset(name for name in _texts(cluster.get("reviewers")) if name in voices)
    rated = cluster.get("severities")
    rated = rated if isinstance(rated, dict) else {}
    # A concern may be "agreed" by others while this reviewer's own evidence for it is missing, and two that share
    # a text are not agreed although each is there: both rules are the report's own.
    said = frozenset(with_evidence.get(name, "") for name in _texts(cluster.get("findings"))) & by
    agreed = said if cluster.get("agreed") is True else frozenset()
    return Raised(
        by=by,
        high=frozenset(name for name in by if rated.get(name) == Severity.HIGH.value),
        shared=frozenset(name for name in agreed if voices[name].peers & agreed),
    )


def _with_evidence(rows: object) -> dict[str, str]:
    """Finding id → reviewer, of every finding whose evidence is not all missing."""
    found = {}
    for row in _objects(rows, _MAX_CONCERNS):
        name, identity = row.get("id"), row.get("identity")
        if isinstance(name, str) and isinstance(identity, str) and row.get("demoted") is not True:
            found[name] = identity
    return found


def _by_severity(counts: object) -> tuple[int, ...]:
    counts = counts if isinstance(counts, dict) else {}
    return tuple(_count(counts.get(name)) for name in SEVERITIES)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value <= _MAX_COUNT else 0


def _objects(value: object, limit: int) -> list[dict[str, Any]]:
    rows = value[:limit] if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, dict)]


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
