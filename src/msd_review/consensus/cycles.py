"""From one review cycle to the next: what is new, still open, resolved, reopened or dismissed.

A concern that nobody raises any more is resolved only when one of those who raised it reviewed again:
a reviewer that did not deliver has not changed its mind.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from msd_review.consensus.model import (
    Cluster,
    ClusterStatus,
    Consensus,
    Dismissal,
    PlanChange,
    PreviousCluster,
    PreviousCycle,
    ReviewerFacts,
)
from msd_review.consensus.similarity import Features, Prepared, features_of, prepare, similarity, weights_of
from msd_review.consensus.words import GENERIC, concepts
from msd_review.review.model import Finding, FindingStatus, Severity

SAME_AS_BEFORE = 0.6
_MOST_ALIKE = 40
_LIVE: frozenset[ClusterStatus] = frozenset({"new", "open", "reopened"})
_MOST_CARRIED = 500
_MOST_LINES = 6_000
_ANSWERS = 0.3


def follow_up(
    clusters: Sequence[Cluster],
    raised: Sequence[Finding],
    *,
    facts: Mapping[str, ReviewerFacts],
    previous: PreviousCycle | None,
    dismissals: Sequence[Dismissal],
    plan_changes: Sequence[PlanChange],
) -> list[Cluster]:
    """The clusters with status, stable id and history; those of the last cycle that are gone follow."""
    by_id = {finding.id: finding for finding in raised}
    matched = _matches(clusters, by_id, previous) if previous else {}
    kept = {old.id for old in matched.values()}
    current = [_continued(cluster, matched.get(at), previous) for at, cluster in enumerate(clusters)]
    current = _ids_apart(current, kept)
    gone = [old for old in previous.clusters if old.id not in kept] if previous else []
    carried = [
        _gone(old, raised, facts=facts, previous=previous, plan_changes=plan_changes)
        for old in gone[:_MOST_CARRIED]
        if previous
    ]
    return [_dismissed(cluster, dismissals) for cluster in [*current, *carried]]


def _matches(
    clusters: Sequence[Cluster], findings: Mapping[str, Finding], previous: PreviousCycle
) -> dict[int, PreviousCluster]:
    """Index of a cluster → the cluster of the last cycle that it continues; each at most once."""
    now = [_features_now(cluster, findings) for cluster in clusters]
    before = [_features_before(old) for old in previous.clusters]
    weights = weights_of([*now, *before])
    prepared = [prepare(features, weights) for features in before]
    places = _places_by_key(before)
    scored = [
        (
            _score(
                prepare(one, weights),
                prepared[place],
                same_title=clusters[at].title == previous.clusters[place].title,
            ),
            at,
            place,
        )
        for at, one in enumerate(now)
        for place in sorted(
            {place for key in _lookup_keys(one) for place in places.get(key, ())[:_MOST_ALIKE]}
        )
    ]
    found: dict[int, PreviousCluster] = {}
    used: set[int] = set()
    for score, at, place in sorted(
        scored, key=lambda item: (-round(item[0], 9), clusters[item[1]].title, previous.clusters[item[2]].id)
    ):
        if score >= SAME_AS_BEFORE and at not in found and place not in used:
            found[at] = previous.clusters[place]
            used.add(place)
    return found


def _score(one: Prepared, other: Prepared, *, same_title: bool) -> float:
    return 1.0 if same_title else similarity(one, other)


def _lookup_keys(features: Features) -> list[str]:
    words = [f"w {word}" for word in features.words if word not in GENERIC]
    return [*words, *(f"g {name}" for name in features.families), *(f"n {name}" for name in features.names)]


def _places_by_key(before: Sequence[Features]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, features in enumerate(before):
        for key in _lookup_keys(features):
            places.setdefault(key, []).append(place)
    return places


def _features_now(cluster: Cluster, findings: Mapping[str, Finding]) -> Features:
    members = [findings[finding_id] for finding_id in cluster.finding_ids if finding_id in findings]
    body = "\n".join(f"{member.title}\n{member.body[:600]}" for member in members)
    citations = tuple(citation for member in members for citation in member.citations)
    plan = next((member.plan for member in members if member.plan), None)
    return features_of(cluster.title, body, citations=citations, plan=plan)


def _features_before(old: PreviousCluster) -> Features:
    return features_of(old.title, old.body, citations=old.citations, plan=old.plan)


def _continued(cluster: Cluster, old: PreviousCluster | None, previous: PreviousCycle | None) -> Cluster:
    if old is None:
        return replace(cluster, status="new", first_seen_cycle=previous.cycle + 1 if previous else 1)
    status: ClusterStatus = "reopened" if old.status == "resolved" else "open"
    note = (
        f"closed in cycle {old.closed_in_cycle}, raised again"
        if status == "reopened" and old.closed_in_cycle
        else ""
    )
    return replace(cluster, id=old.id, status=status, first_seen_cycle=old.first_seen_cycle, note=note)


def _ids_apart(clusters: Sequence[Cluster], kept: set[str]) -> list[Cluster]:
    """A new cluster never takes the id of one that continues."""
    taken = set(kept)
    apart: list[Cluster] = []
    for cluster in clusters:
        name = cluster.id
        if cluster.status == "new":
            extra = 0
            while name in taken:
                extra += 1
                name = f"{cluster.id}{extra:x}"
            taken.add(name)
        apart.append(replace(cluster, id=name))
    return apart


def _gone(
    old: PreviousCluster,
    raised: Sequence[Finding],
    *,
    facts: Mapping[str, ReviewerFacts],
    previous: PreviousCycle,
    plan_changes: Sequence[PlanChange],
) -> Cluster:
    cluster = Cluster(
        id=old.id,
        severity=old.severity,
        title=old.title,
        finding_ids=(),
        reviewers=old.reviewers,
        independent_reviewers=0,
        agreed=False,
        status=old.status,
        first_seen_cycle=old.first_seen_cycle,
        closed_in_cycle=old.closed_in_cycle,
        dismissed_because=old.dismissed_because,
        demoted=old.demoted,
    )
    if old.status not in _LIVE:
        return cluster
    witness = _who_closed_it(old, raised, facts)
    if witness is None:
        absent = ", ".join(old.reviewers) or "the reviewer"
        return replace(
            cluster, status="open", note=f"{absent} raised this and delivered no review in this cycle"
        )
    answer = _answer(old, plan_changes)
    return replace(
        cluster,
        status="resolved",
        closed_in_cycle=previous.cycle + 1,
        note="; ".join(filter(None, (answer, witness))),
    )


def _who_closed_it(
    old: PreviousCluster, raised: Sequence[Finding], facts: Mapping[str, ReviewerFacts]
) -> str | None:
    """Who may say that a concern is gone: one who raised it and reviewed again, or one who calls it resolved."""
    features = _features_before(old)
    for finding in raised:
        if finding.status is not FindingStatus.RESOLVED or not (
            finding.identity in facts and facts[finding.identity].counted
        ):
            continue
        told = features_of(finding.title, finding.body, citations=finding.citations, plan=finding.plan)
        if _alike_alone(features, told) >= SAME_AS_BEFORE:
            return f"{finding.identity} calls it resolved"
    again = [identity for identity in old.reviewers if identity in facts and facts[identity].counted]
    return f"{', '.join(again)} no longer raise{'s' if len(again) == 1 else ''} it" if again else None


def _alike_alone(one: Features, other: Features) -> float:
    weights = weights_of([one, other])
    return similarity(prepare(one, weights), prepare(other, weights))


def _answer(old: PreviousCluster, plan_changes: Sequence[PlanChange]) -> str:
    """The changed line of a plan that speaks of the concern most, when one does."""
    wanted = {word for word in concepts(f"{old.title}\n{old.body[:900]}") if word not in GENERIC}
    best: tuple[float, str, int, str] | None = None
    for change in plan_changes:
        for number, line in _added_lines(change):
            words = {word for word in concepts(line) if word not in GENERIC}
            score = len(words & wanted) / max(3, len(words)) if len(words & wanted) >= 2 else 0.0
            if best is None or score > best[0]:
                best = (score, change.plan, number, line)
    if best is None or best[0] < _ANSWERS:
        return ""
    return f'answered by {best[1]}:{best[2]} "{best[3].strip()[:100]}"'


def _added_lines(change: PlanChange) -> list[tuple[int, str]]:
    before, after = change.before.splitlines()[:_MOST_LINES], change.after.splitlines()[:_MOST_LINES]
    known = set(before)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    if len(before) * len(after) > 4_000_000:
        return [(number, line) for number, line in enumerate(after, start=1) if line not in known]
    return [
        (number + 1, after[number])
        for kind, _, _, start, end in matcher.get_opcodes()
        if kind in {"insert", "replace"}
        for number in range(start, end)
    ]


def _dismissed(cluster: Cluster, dismissals: Sequence[Dismissal]) -> Cluster:
    found = next((told for told in dismissals if told.id == cluster.id), None) or next(
        (told for told in dismissals if told.title and told.title == cluster.title), None
    )
    if found is None:
        return (
            replace(cluster, status="open", dismissed_because=None)
            if cluster.status == "dismissed"
            else cluster
        )
    changed = sorted(
        path for path, mark in found.fingerprints.items() if found.current.get(path, mark) != mark
    )
    if cluster.status == "resolved":
        return cluster
    if changed:
        note = f"dismissed before ({found.because}); {', '.join(changed)} changed since"
        return replace(cluster, status="reopened", dismissed_because=None, note=note)
    return replace(cluster, status="dismissed", dismissed_because=found.because)


def cycle_summary(consensus: Consensus) -> tuple[int, int]:
    """`(current_high, current_actionable)`: open clusters that are HIGH; that are not LOW and not demoted."""
    live = [cluster for cluster in consensus.clusters if cluster.status in _LIVE and not cluster.demoted]
    high = sum(1 for cluster in live if cluster.severity is Severity.HIGH)
    return high, sum(1 for cluster in live if cluster.severity is not Severity.LOW)


def previous_summary(previous: PreviousCycle) -> tuple[int, int]:
    """The same two numbers of the last cycle."""
    live = [cluster for cluster in previous.clusters if cluster.status in _LIVE and not cluster.demoted]
    high = sum(1 for cluster in live if cluster.severity is Severity.HIGH)
    return high, sum(1 for cluster in live if cluster.severity is not Severity.LOW)


def is_stalled(consensus: Consensus, previous: PreviousCycle | None) -> bool:
    """Whether a cycle brought nothing: neither number fell, and there is something left to do."""
    if previous is None:
        return False
    high, actionable = cycle_summary(consensus)
    high_before, actionable_before = previous_summary(previous)
    return actionable > 0 and high >= high_before and actionable >= actionable_before
