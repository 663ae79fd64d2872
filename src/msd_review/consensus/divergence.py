"""Where reviewers contradict each other about the same thing, and who says what."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from msd_review.consensus.model import Cluster
from msd_review.consensus.similarity import Features, features_of, prepare, similarity, weights_of
from msd_review.lazy import regex
from msd_review.review.model import Finding, FindingStatus, Severity, Strength

_FAR_APART = 2  # ranks: one says high, another low
_ABOUT_THE_SAME = 0.4  # praise of a thing names it, and seldom the fault: less than one concern told twice
_MOST_MEMBERS = 8
_LIMITED = regex(r"\b(?:but|however|although|except|though|only|partially|aside from)\b", re.IGNORECASE)


def with_divergence(
    clusters: Sequence[Cluster], findings: Sequence[Finding], strengths: Sequence[Strength]
) -> list[Cluster]:
    """The clusters with `divergent` and `divergence` set where somebody says otherwise."""
    other_voices = [_Voice(told.identity, told.text, features_of(told.text[:160], told.text[160:]), "praises it") for told in strengths if not _LIMITED.search(told.text)]  # fmt: skip
    other_voices += [
        _Voice(told.identity, told.title, features_of(told.title, told.body), "calls it resolved")
        for told in findings
        if told.status is FindingStatus.RESOLVED
    ]
    by_id = {finding.id: finding for finding in findings}
    return [_judged(cluster, by_id, other_voices) for cluster in clusters]


@dataclass(frozen=True, slots=True)
class _Voice:
    identity: str
    text: str
    features: Features
    says: str


def _judged(cluster: Cluster, findings: Mapping[str, Finding], voices: Sequence[_Voice]) -> Cluster:
    told = _severities_apart(cluster)
    if told is None and cluster.severity is Severity.HIGH:
        own = [findings[name] for name in cluster.finding_ids if name in findings]
        told = _contradicted(
            cluster, own, [voice for voice in voices if voice.identity not in cluster.reviewers]
        )
    return replace(cluster, divergent=told is not None, divergence=told or "")


def _severities_apart(cluster: Cluster) -> str | None:
    rated = {identity: severity for identity, severity in cluster.severities.items() if severity.rank > 0}
    ranks = [severity.rank for severity in rated.values()]
    if not ranks or max(ranks) - min(ranks) < _FAR_APART:
        return None
    ordered = sorted(rated.items(), key=lambda item: (-item[1].rank, item[0]))
    return ", ".join(f"{identity} says {severity.value.upper()}" for identity, severity in ordered)


def _contradicted(cluster: Cluster, own: Sequence[Finding], voices: Sequence[_Voice]) -> str | None:
    """Who speaks well of the same thing, when somebody does."""
    if not voices or not own:
        return None
    mine = [features_of(finding.title, finding.body) for finding in own[:_MOST_MEMBERS]]
    weights = weights_of([*mine, *(voice.features for voice in voices)])
    prepared = [prepare(features, weights) for features in mine]
    scored = [
        (max(similarity(one, prepare(voice.features, weights)) for one in prepared), voice)
        for voice in voices
    ]
    score, voice = max(scored, key=lambda item: (item[0], item[1].identity, item[1].text))
    if score < _ABOUT_THE_SAME:
        return None
    high = sorted(identity for identity, severity in cluster.severities.items() if severity is Severity.HIGH)
    who = ", ".join(high) or cluster.reviewers[0]
    return (
        f'{who} say{"" if len(high) > 1 else "s"} HIGH, {voice.identity} {voice.says}: "{voice.text[:120]}"'
    )
