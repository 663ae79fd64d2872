"""Where reviewers contradict each other about the same thing, and who says what."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from msd_review.consensus.model import Cluster, ReviewerFacts
from msd_review.consensus.similarity import Features, Weights, features_of, similarity, weights_of
from msd_review.review.model import Finding, FindingStatus, Severity, Strength

_FAR_APART = 2  # ranks: one says high, another low
_ABOUT_THE_SAME = 0.36
_COVERED = re.compile(r"\b(?:but|however|although|except|though|only|partially|aside from)\b", re.IGNORECASE)


def divergence_of(
    cluster: Cluster,
    *,
    raised: Sequence[Finding],
    strengths: Sequence[Strength],
    facts: Mapping[str, ReviewerFacts],
) -> Cluster:
    """The cluster with `divergent` and `divergence` set where somebody says otherwise."""
    told = _severities_apart(cluster)
    if told is None and cluster.severity is Severity.HIGH:
        own = [finding for finding in raised if finding.id in cluster.finding_ids]
        told = _called_fine(cluster, own, strengths) or _called_resolved(cluster, own, raised)
    return replace(cluster, divergent=told is not None, divergence=told or "")


def _severities_apart(cluster: Cluster) -> str | None:
    rated = {identity: severity for identity, severity in cluster.severities.items() if severity.rank > 0}
    ranks = [severity.rank for severity in rated.values()]
    if not ranks or max(ranks) - min(ranks) < _FAR_APART:
        return None
    ordered = sorted(rated.items(), key=lambda item: (-item[1].rank, item[0]))
    return ", ".join(f"{identity} says {severity.value.upper()}" for identity, severity in ordered)


def _called_fine(cluster: Cluster, own: Sequence[Finding], strengths: Sequence[Strength]) -> str | None:
    others = [
        told
        for told in strengths
        if told.identity not in cluster.reviewers and not _COVERED.search(told.text)
    ]
    best = _nearest(own, [(told.text[:160], told.text[160:]) for told in others])
    if best is None:
        return None
    told = others[best]
    return f'{_who(cluster)} HIGH, {told.identity} praises it: "{told.text[:120]}"'


def _called_resolved(cluster: Cluster, own: Sequence[Finding], raised: Sequence[Finding]) -> str | None:
    others = [
        told
        for told in raised
        if told.status is FindingStatus.RESOLVED and told.identity not in cluster.reviewers
    ]
    best = _nearest(own, [(told.title, told.body) for told in others])
    return f"{_who(cluster)} HIGH, {others[best].identity} calls it resolved" if best is not None else None


def _who(cluster: Cluster) -> str:
    high = sorted(identity for identity, severity in cluster.severities.items() if severity is Severity.HIGH)
    return f"{', '.join(high)} say" if len(high) > 1 else f"{', '.join(high) or cluster.reviewers[0]} says"


def _nearest(own: Sequence[Finding], texts: Sequence[tuple[str, str]]) -> int | None:
    """Which of the texts is about the same thing as the findings, whatever it thinks of it."""
    if not texts:
        return None
    mine = [_about(finding.title, finding.body, finding) for finding in own]
    theirs = [_about(title, body, None) for title, body in texts]
    weights = weights_of([*mine, *theirs])
    scored = [(_best(features, mine, weights), -at) for at, features in enumerate(theirs)]
    score, negative = max(scored)
    return -negative if score >= _ABOUT_THE_SAME else None


def _about(title: str, body: str, finding: Finding | None) -> Features:
    """Features of what a text is about: praise and blame of one thing name different faults."""
    features = features_of(
        title, body, citations=finding.citations if finding else (), plan=finding.plan if finding else None
    )
    return replace(features, faults=frozenset())


def _best(features: Features, mine: Sequence[Features], weights: Weights) -> float:
    return max((similarity(features, other, weights) for other in mine), default=0.0)
