"""How alike two concerns are, from 0 to 1.

Three readings of the words (families of stems weighted by rarity, character 4-grams, code names) make
the ground; common citations, plans, requirement ids and kinds of fault add to it; disagreeing ones take
from it. A common file alone adds too little to matter, and common everyday words weigh next to nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msd_review.consensus.words import GENERIC, concepts, faults, identifiers, record_ids
from msd_review.review.model import Citation

_TITLE_WEIGHT = 2.0
_BODY_LIMIT = 900
_GRAM_LIMIT = 420
_GENERIC_WEIGHT = 0.25
_NEAR_LINES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a concern is compared by."""

    words: Mapping[str, float]  # concept → how often, titles counted double
    title_words: frozenset[str]
    grams: frozenset[str]
    names: frozenset[str]
    files: Mapping[str, tuple[tuple[int, int], ...]]  # base name → cited line ranges
    ids: frozenset[str]
    plan: str | None
    faults: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Rarity of words and names over all concerns that are compared."""

    words: Mapping[str, float]
    names: Mapping[str, float]


def features_of(
    title: str, body: str, *, citations: Sequence[Citation] = (), plan: str | None = None
) -> Features:
    """The features of one concern; long bodies are read at their beginning."""
    text = f"{title}\n{body[:_BODY_LIMIT]}"
    counted: Counter[str] = Counter()
    title_words = list(concepts(title))
    for word in title_words:
        counted[word] += 1
    words = {word: _TITLE_WEIGHT * (1 + math.log(count)) for word, count in counted.items()}
    for word, count in Counter(concepts(body[:_BODY_LIMIT])).items():
        words[word] = words.get(word, 0.0) + 1 + math.log(count)
    return Features(
        words=words,
        title_words=frozenset(title_words),
        grams=_grams(text),
        names=identifiers(text),
        files=_files(citations),
        ids=record_ids(text),
        plan=_plan_key(plan) or _plan_key_in(text),
        faults=faults(text),
    )


def _grams(text: str) -> frozenset[str]:
    plain = " ".join(concepts(text[:_GRAM_LIMIT]))
    return frozenset(plain[at : at + 4] for at in range(len(plain) - 3))


def _files(citations: Sequence[Citation]) -> dict[str, tuple[tuple[int, int], ...]]:
    files: dict[str, tuple[tuple[int, int], ...]] = {}
    for citation in citations[:40]:
        if citation.path is None:
            continue
        name = (citation.resolved or citation.path).rstrip("/").rsplit("/", 1)[-1].lower()
        lines = ((citation.line, citation.end_line or citation.line),) if citation.line else ()
        files[name] = (*files.get(name, ()), *lines)
    return files


_PLAN_IN_TEXT = re.compile(
    r"\b(?:plan|plano)\s#?(\d{1,3}[a-z]?(?:[-.]\d{1,3}[a-z]?)?)\b|\b(\d{2,3}[a-z]?(?:\.\d)?-\d{2}[a-z]?)(?:-PLAN)?\b",
    re.IGNORECASE,
)


def _plan_key_in(text: str) -> str | None:
    named = {_plan_key(found[1] or found[2]) for found in _PLAN_IN_TEXT.finditer(text[:600])}
    return named.pop() if len(named) == 1 else None


def _plan_key(plan: str | None) -> str | None:
    """The number of a plan within its phase: "03-02" and "2" are one."""
    if not plan:
        return None
    found = re.findall(r"\d{1,3}[a-z]?", plan)
    return found[-1].lstrip("0") or "0" if found else None


def weights_of(features: Iterable[Features]) -> Weights:
    """Rarity (idf) of every word and name over the concerns given."""
    words: Counter[str] = Counter()
    names: Counter[str] = Counter()
    total = 0
    for feature in features:
        total += 1
        words.update(feature.words.keys())
        names.update(feature.names)
    return Weights(
        words={
            word: _rarity(total, count) * (_GENERIC_WEIGHT if word in GENERIC else 1.0)
            for word, count in words.items()
        },
        names={name: _rarity(total, count) for name, count in names.items()},
    )


def _rarity(total: int, count: int) -> float:
    """Between 0.35 and 1: small sets say little about rarity, so the scale is flat."""
    if total <= 1:
        return 1.0
    return 0.35 + 0.65 * math.log(1 + total / count) / math.log(1 + total)


def similarity(one: Features, other: Features, weights: Weights) -> float:
    """From 0 (nothing in common) to 1 (the same)."""
    text = 0.62 * _cosine(one, other, weights) + 0.38 * _dice(one.grams, other.grams)
    shared_words = _shared_meaning(one, other)
    bonus = _bonus(one, other, weights)
    malus = _malus(one, other)
    if shared_words < 2 and bonus < 0.2:
        return 0.0
    return max(0.0, min(1.0, text + bonus * (0.4 + 0.6 * min(1.0, text / 0.25)) - malus))


def _cosine(one: Features, other: Features, weights: Weights) -> float:
    common = one.words.keys() & other.words.keys()
    dot = sum(one.words[word] * other.words[word] * weights.words.get(word, 1.0) ** 2 for word in common)
    return dot / (_norm(one, weights) * _norm(other, weights)) if dot else 0.0


def _norm(feature: Features, weights: Weights) -> float:
    return (
        math.sqrt(sum((value * weights.words.get(word, 1.0)) ** 2 for word, value in feature.words.items()))
        or 1.0
    )


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _shared_meaning(one: Features, other: Features) -> int:
    return sum(1 for word in one.words.keys() & other.words.keys() if word not in GENERIC)


def _bonus(one: Features, other: Features, weights: Weights) -> float:
    names = sum(weights.names.get(name, 1.0) for name in one.names & other.names)
    bonus = min(0.16, 0.08 * names)
    bonus += 0.08 if one.ids & other.ids else 0.0
    bonus += min(0.12, 0.06 * len(one.faults & other.faults))
    bonus += 0.04 if one.plan is not None and one.plan == other.plan else 0.0
    return bonus + _place_bonus(one, other)


def _place_bonus(one: Features, other: Features) -> float:
    common = one.files.keys() & other.files.keys()
    if not common:
        return 0.0
    near = any(
        first <= last_other + _NEAR_LINES and first_other <= last + _NEAR_LINES
        for name in common
        for first, last in one.files[name]
        for first_other, last_other in other.files[name]
    )
    return 0.14 if near else 0.03


def _malus(one: Features, other: Features) -> float:
    malus = 0.0
    if one.plan is not None and other.plan is not None and one.plan != other.plan:
        malus += 0.1
    if one.faults and other.faults and not one.faults & other.faults:
        malus += 0.07
    if one.names and other.names and not one.names & other.names:
        malus += 0.03
    if one.files and other.files and not one.files.keys() & other.files.keys():
        malus += 0.04
    if one.ids and other.ids and not one.ids & other.ids:
        malus += 0.04
    return malus
