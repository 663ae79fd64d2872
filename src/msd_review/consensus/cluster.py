"""Concerns that are the same concern, put together.

Candidates come from an inverted index over rare words, names and cited places, so that work and memory
grow with the number of concerns, not with its square. Pairs are joined best first, and only while the
groups as wholes stay alike: one bridge between two groups never joins them. The result does not depend
on the order of the reviewers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msd_review.consensus.similarity import Features, Weights, similarity, weights_of
from msd_review.consensus.words import GENERIC

SAME_CONCERN = 0.7
BEYOND_DOUBT = 0.97
SAME_REVIEWER = 0.98  # one reviewer who says two things mostly means two things
_RAREST = 14
_LONGEST_POSTING = 160
_MOST_CANDIDATES = 24
_WHOLE = 0.45  # what the average over all pairs of two groups must reach
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
        self.weights = weights_of(entry.features for entry in entries)
        self.scores: dict[tuple[int, int], float] = {}

    def score(self, one: int, other: int) -> float:
        pair = (min(one, other), max(one, other))
        known = self.scores.get(pair)
        if known is None:
            known = similarity(self.entries[one].features, self.entries[other].features, self.weights)
            self.scores[pair] = known
        return known

    def same_reviewer(self, one: int, other: int) -> bool:
        return self.entries[one].reviewer == self.entries[other].reviewer

    def score_candidates(self, order: Sequence[int]) -> None:
        postings: dict[str, list[int]] = defaultdict(list)
        keys = {at: _keys(self.entries[at].features, self.weights) for at in order}
        for at in order:
            for key in keys[at]:
                postings[key].append(at)
        for at in order:
            for other in self._candidates(at, keys[at], postings):
                self.score(at, other)

    def _candidates(self, at: int, keys: Sequence[str], postings: Mapping[str, Sequence[int]]) -> list[int]:
        """The entries that share most with one entry; what everybody has is not looked at."""
        shared: dict[int, float] = defaultdict(float)
        for key in keys:
            posting = postings[key]
            if len(posting) > _LONGEST_POSTING:
                continue
            for other in posting:
                shared[other] += 1.0 / len(posting) ** 0.5
        shared.pop(at, None)
        return sorted(shared, key=lambda other: (-shared[other], self.entries[other].key))[:_MOST_CANDIDATES]


def _keys(features: Features, weights: Weights) -> list[str]:
    """The features worth looking up: rare words first, then names, ids and places."""
    words = [word for word in features.words if word not in GENERIC]
    rare = sorted(words, key=lambda word: (-weights.words.get(word, 1.0) * features.words[word], word))[
        :_RAREST
    ]
    keys = [f"w {word}" for word in rare]
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
    nearest = _nearest(pairs)
    for (one, other), score in _best_first(pairs):
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


def _nearest(pairs: _Pairs) -> dict[tuple[int, str], int]:
    """Entry and other reviewer → the entry of that reviewer which is most like it."""
    nearest: dict[tuple[int, str], int] = {}
    for (one, other), _ in _best_first(pairs):
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
