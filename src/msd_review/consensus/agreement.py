"""The consensus over all reviewers: clusters of concerns, who agrees, who diverges, what is praised.

The rule, in one place: open findings are grouped by meaning (`cluster.py`); a cluster is agreed when two
independent counted reviewers (`independence.py`) raised it with evidence that is not all missing; its
severity is the highest that such a reviewer gave. Nothing depends on the order of the reviewers.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from msd_review.consensus.cluster import Entry, group
from msd_review.consensus.cycles import follow_up
from msd_review.consensus.divergence import with_divergence
from msd_review.consensus.independence import most_independent, reviewer_facts
from msd_review.consensus.model import (
    Cluster,
    Consensus,
    Dismissal,
    PlanChange,
    PreviousCycle,
    ReviewerFacts,
    StrengthGroup,
)
from msd_review.consensus.similarity import Features, features_of
from msd_review.consensus.words import concepts
from msd_review.review.model import Finding, FindingStatus, Review, Severity, Strength
from msd_review.review.repeats import share, words_of

_COPY = 0.9


@dataclass(frozen=True, slots=True)
class _Raised:
    finding: Finding
    features: Features


def build_consensus(
    reviews: Sequence[Review],
    facts: Sequence[ReviewerFacts],
    *,
    previous: PreviousCycle | None = None,
    dismissals: Sequence[Dismissal] = (),
    plan_changes: Sequence[PlanChange] = (),
) -> Consensus:
    """Everything that the reviewers say together. `reviews` without facts do not count in agreement."""
    by_identity = {fact.identity: fact for fact in facts}
    raised = [_Raised(finding, _features(finding)) for review in reviews for finding in review.findings]
    open_ones = [entry for entry in raised if entry.finding.status is FindingStatus.OPEN]
    groups = group([_entry(entry) for entry in open_ones])
    strengths = [strength for review in reviews for strength in review.strengths]
    clusters = _with_ids(
        [_cluster([open_ones[at].finding for at in members], by_identity) for members in groups]
    )
    clusters = with_divergence(clusters, [entry.finding for entry in raised], strengths)
    clusters = follow_up(
        clusters,
        [entry.finding for entry in raised],
        facts=by_identity,
        previous=previous,
        dismissals=dismissals,
        plan_changes=plan_changes,
    )
    return Consensus(
        clusters=tuple(sorted(clusters, key=_shown_order)),
        strengths=_strength_groups(strengths, by_identity),
        reviewers=tuple(facts),
        notes=_notes(facts),
    )


def _features(finding: Finding) -> Features:
    body = f"{finding.body}\n{finding.suggestion or ''}"
    return features_of(finding.title, body, citations=finding.citations, plan=finding.plan)


def _entry(entry: _Raised) -> Entry:
    finding = entry.finding
    return Entry(
        reviewer=finding.identity,
        key=(finding.identity, finding.line, finding.title),
        features=entry.features,
    )


def _cluster(findings: Sequence[Finding], facts: Mapping[str, ReviewerFacts]) -> Cluster:
    counted = [finding for finding in findings if _counts(finding, facts)]
    voices = [facts[identity] for identity in sorted({finding.identity for finding in counted})]
    independent = most_independent(voices, _copies(counted, facts))
    leading = max(findings, key=lambda finding: _leading_order(finding, facts))
    return Cluster(
        id="",
        severity=_highest(counted or [finding for finding in findings if not finding.demoted] or findings),
        title=leading.title,
        finding_ids=tuple(sorted((finding.id for finding in findings), key=_id_order)),
        reviewers=tuple(sorted({finding.identity for finding in findings})),
        independent_reviewers=independent,
        agreed=independent >= 2,
        severities=_severities(findings),
        demoted=all(finding.demoted for finding in findings),
    )


def _counts(finding: Finding, facts: Mapping[str, ReviewerFacts]) -> bool:
    fact = facts.get(finding.identity)
    return fact is not None and fact.counted and not finding.demoted


def _highest(findings: Sequence[Finding]) -> Severity:
    return max((finding.severity for finding in findings), key=lambda severity: severity.rank)


def _severities(findings: Sequence[Finding]) -> dict[str, Severity]:
    spread: dict[str, Severity] = {}
    for finding in sorted(findings, key=lambda finding: (finding.identity, finding.severity.rank)):
        spread[finding.identity] = finding.severity
    return spread


def _leading_order(finding: Finding, facts: Mapping[str, ReviewerFacts]) -> tuple[bool, int, int, str, str]:
    """The finding that names the cluster: counted, severe, telling, then by name."""
    return (
        _counts(finding, facts),
        finding.severity.rank,
        min(len(finding.title), 90),
        finding.identity,
        finding.title,
    )


def _id_order(finding_id: str) -> tuple[str, int]:
    name, _, number = finding_id.rpartition("-")
    return name, int(number) if number.isdigit() else 0


def _copies(findings: Sequence[Finding], facts: Mapping[str, ReviewerFacts]) -> frozenset[frozenset[str]]:
    """Pairs in which an imported text repeats another reviewer's words: one voice, not two."""
    if not any(facts[finding.identity].imported for finding in findings):
        return frozenset()
    pairs = combinations([(finding, words_of(f"{finding.title} {finding.body}")) for finding in findings], 2)
    return frozenset(
        frozenset((one.identity, other.identity))
        for (one, one_words), (other, other_words) in pairs
        if (facts[one.identity].imported or facts[other.identity].imported)
        and share(one_words, other_words) >= _COPY
    )


def _with_ids(clusters: Sequence[Cluster]) -> list[Cluster]:
    """Ids made of the words of the title; the same words twice are told apart by their order."""
    taken: dict[str, int] = {}
    named: list[Cluster] = []
    for cluster in sorted(clusters, key=lambda cluster: (cluster.title, cluster.finding_ids)):
        words = " ".join(sorted(set(concepts(cluster.title)))) or cluster.title
        repeat = taken.get(words, 0)
        taken[words] = repeat + 1
        digest = hashlib.sha256(f"{words}\x00{repeat}".encode()).hexdigest()[:8]
        named.append(replace(cluster, id=f"C-{digest}"))
    return named


def _shown_order(cluster: Cluster) -> tuple[object, ...]:
    closed = cluster.status in {"resolved", "dismissed"}
    return closed, not cluster.agreed, cluster.demoted, -cluster.severity.rank, -cluster.independent_reviewers, cluster.title, cluster.id  # fmt: skip


def _strength_groups(
    strengths: Sequence[Strength], facts: Mapping[str, ReviewerFacts]
) -> tuple[StrengthGroup, ...]:
    entries = [Entry(reviewer=told.identity, key=(told.identity, told.line, told.text), features=features_of(told.text[:160], told.text[160:])) for told in strengths]  # fmt: skip
    groups = [_strength_group([strengths[at] for at in members], facts) for members in group(entries)]
    return tuple(sorted(groups, key=lambda found: (not found.agreed, -len(found.reviewers), found.text)))


def _strength_group(members: Sequence[Strength], facts: Mapping[str, ReviewerFacts]) -> StrengthGroup:
    reviewers = tuple(sorted({member.identity for member in members}))
    voices = [facts[identity] for identity in reviewers if identity in facts and facts[identity].counted]
    ordered = sorted(members, key=lambda member: (member.identity, member.line))
    text = max(ordered, key=lambda member: (min(len(member.text), 200), member.identity)).text
    return StrengthGroup(
        text=text, reviewers=reviewers, members=tuple(ordered), agreed=most_independent(voices) >= 2
    )


def _notes(facts: Sequence[ReviewerFacts]) -> tuple[str, ...]:
    """Why something that looks like agreement may not be called so."""
    notes = [
        f"{fact.identity} is shown and does not count in agreement: it {fact.why_not}."
        for fact in facts
        if fact.why_not
    ]
    counted = [fact for fact in facts if fact.counted]
    if len(counted) >= 2 and most_independent(counted) < 2:
        notes.append("All counted reviewers share one tool or one model: nothing can be agreed.")
    return tuple(notes)


__all__ = ["build_consensus", "reviewer_facts"]
