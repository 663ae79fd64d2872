"""Concerns that are the same concern, put together.

Candidates come from an inverted index over rare words, names and cited places, so that work and memory
grow with the number of concerns, not with its square. Pairs are joined best first, and only while the
groups as wholes stay alike: one bridge between two groups never joins them. The result does not depend
on the order of the reviewers.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msd_review.consensus.similarity import Features, Prepared, prepare, similarity, weights_of
from msd_review.consensus.words import GENERIC

SAME_CONCERN = 0.55
BEYOND_DOUBT = 0.97
SAME_REVIEWER = 0.98  # one reviewer who says two things mostly means two things
_RAREST = 10
_LONGEST_POSTING = 64
_MOST_LOOKED_AT = 600  # others a concern is weighed against before the best are compared in full
_MOST_CANDIDATES = 8
_WHOLE = 0.5  # what the average over all pairs of two groups must reach
_LARGEST_GROUP = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One concern to be grouped: who raised it, a key that orders it, what it is compared by."""

    reviewer: str
    key: tuple[str, int, str]
    features: Features


def group(entries: Sequence[Entry]) -> list[tuple[int, ...]]:
    """Indices of entries, grouped; each group and the list itself in the order of the entries' keys."""
    pairs = _Pairs(entries)
    order = sorted(range(len(entries)), key=lambda at: entries[at].key)
    pairs.score_candidates(order)
    rank = {at: place for place, at in enumerate(order)}
    listed = [tuple(sorted(members, key=rank.__getitem__)) for members in _joined(pairs)]
    return sorted(listed, key=lambda members: rank[members[0]])


class _Pairs:
    """Scores of pairs of entries, computed when they are asked for and kept."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        weights = weights_of(entry.features for entry in entries)
        self.prepared = [prepare(entry.features, weights) for entry in entries]
        self.scores: dict[tuple[int, int], float] = {}

    def score(self, one: int, other: int) -> float:
        pair = (one, other) if one < other else (other, one)
        known = self.scores.get(pair)
        if known is None:
            known = self.scores[pair] = similarity(self.prepared[one], self.prepared[other])
        return known

    def same_reviewer(self, one: int, other: int) -> bool:
        return self.entries[one].reviewer == self.entries[other].reviewer

    def score_candidates(self, order: Sequence[int]) -> None:
        keys = {at: _keys(self.prepared[at]) for at in order}
        postings: dict[str, list[int]] = defaultdict(list)
        for place, at in enumerate(order):
            for key in keys[at]:
                postings[key].append(place)
        for place, at in enumerate(order):
            for other in _candidates(place, keys[at], postings):
                self.score(at, order[other])


def _candidates(place: int, keys: Sequence[str], postings: Mapping[str, Sequence[int]]) -> list[int]:
    """The places that share most with one place, by what is rarest; what nearly everybody has is not looked at."""
    shared: dict[int, float] = defaultdict(float)
    looked_at = 0
    for posting in sorted((postings[key] for key in keys), key=len):
        looked_at += len(posting)
        if len(posting) > _LONGEST_POSTING or looked_at > _MOST_LOOKED_AT:
            break
        worth = 1.0 / math.sqrt(len(posting))
        for other in posting:
            shared[other] += worth
    shared.pop(place, None)
    ranked = heapq.nsmallest(_MOST_CANDIDATES, [(-worth, other) for other, worth in shared.items()])
    return [other for _, other in ranked]


def _keys(prepared: Prepared) -> list[str]:
    """The features worth looking up: the weightiest words and families, names, ids and places."""
    features = prepared.features
    words = [(-value, f"w {word}") for word, value in prepared.words.items() if word not in GENERIC]
    families = [(-value, f"g {name}") for name, value in prepared.families.items()]
    keys = [key for _, key in sorted(words)[:_RAREST] + sorted(families)[:_RAREST]]
    keys += [f"n {name}" for name in sorted(features.names)[:_RAREST]]
    keys += [f"i {record}" for record in sorted(features.ids)[:_RAREST]]
    keys += [
        f"f {name} {first // 20}"
        for name, lines in sorted(features.files.items())[:_RAREST]
        for first, _ in lines[:4]
    ]
    return keys


def _joined(pairs: _Pairs) -> list[list[int]]:
    entries = pairs.entries
    owner = list(range(len(entries)))
    members = {at: [at] for at in owner}
    ordered = _best_first(pairs)
    nearest = _nearest(pairs, ordered)
    for (one, other), score in ordered:
        first, second = owner[one], owner[other]
        if first == second or score < (SAME_REVIEWER if pairs.same_reviewer(one, other) else SAME_CONCERN):
            continue
        if not _chosen(pairs, nearest, one, other) or not _alike(pairs, members[first], members[second]):
            continue
        members[first] += members.pop(second)
        for at in members[first]:
            owner[at] = first
    return list(members.values())


def _best_first(pairs: _Pairs) -> list[tuple[tuple[int, int], float]]:
    entries = pairs.entries
    return sorted(
        pairs.scores.items(),
        key=lambda item: (-round(item[1], 9), *sorted((entries[item[0][0]].key, entries[item[0][1]].key))),
    )


def _nearest(pairs: _Pairs, ordered: Sequence[tuple[tuple[int, int], float]]) -> dict[tuple[int, str], int]:
    """Entry and other reviewer → the entry of that reviewer which is most like it."""
    nearest: dict[tuple[int, str], int] = {}
    for (one, other), _ in ordered:
        nearest.setdefault((one, pairs.entries[other].reviewer), other)
        nearest.setdefault((other, pairs.entries[one].reviewer), one)
    return nearest


def _chosen(pairs: _Pairs, nearest: Mapping[tuple[int, str], int], one: int, other: int) -> bool:
    """Whether each is the other's nearest: among a reviewer's concerns at most one is the same concern.

    A pair that is alike beyond doubt needs no such proof: reviewers do split one concern in two.
    """
    if pairs.same_reviewer(one, other) or pairs.score(one, other) >= BEYOND_DOUBT:
        return True
    entries = pairs.entries
    return nearest[one, entries[other].reviewer] == other and nearest[other, entries[one].reviewer] == one


def _alike(pairs: _Pairs, one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two groups are alike on average, and no reviewer's two different concerns would meet."""
    if len(one) + len(other) > _LARGEST_GROUP:
        return False
    total = 0.0
    for first in one:
        for second in other:
            score = pairs.score(first, second)
            if score < SAME_REVIEWER and pairs.same_reviewer(first, second):
                return False
            total += score
    return total / (len(one) * len(other)) >= _WHOLE
