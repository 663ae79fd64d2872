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

from msd_review.consensus.words import GENERIC, concepts, families, faults, identifiers, record_ids
from msd_review.review.model import Citation

_TITLE_WEIGHT = 2.0
_BODY_LIMIT = 900
_GRAM_LIMIT = 420
_GENERIC_WEIGHT = 0.25

# Fitted (logistic regression over the labelled pairs of bench/truth/clusters) and rounded. Words and
# families say the same thing twice, so what they say together is taken off once.
_WORDS, _FAMILIES, _GRAMS, _BOTH, _NAMES, _FAULTS = 9.0, 8.5, 5.0, 12.0, 0.3, 0.6
_OTHER_PLAN, _OTHER_FAULT, _ENOUGH = 4.0, 0.5, 4.6
_COMMON = 0.5  # rarity below which a family is one that most concerns of a run belong to
_LEAST_SHARED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a concern is compared by."""

    words: Mapping[str, float]  # concept → how often, titles counted double
    families: Mapping[str, float]  # family of words → the same
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
    families: Mapping[str, float]
    names: Mapping[str, float]


def features_of(
    title: str, body: str, *, citations: Sequence[Citation] = (), plan: str | None = None
) -> Features:
    """The features of one concern; long bodies are read at their beginning."""
    text = f"{title}\n{body[:_BODY_LIMIT]}"
    return Features(
        words=_counted(concepts(title), concepts(body[:_BODY_LIMIT])),
        families=_counted(families(title), families(body[:_BODY_LIMIT])),
        grams=_grams(text),
        names=identifiers(text),
        files=_files(citations),
        ids=record_ids(text),
        plan=_plan_key(plan) or _plan_key_in(text),
        faults=faults(text),
    )


def _counted(title: Iterable[str], body: Iterable[str]) -> dict[str, float]:
    counted = {word: _TITLE_WEIGHT * (1 + math.log(count)) for word, count in Counter(title).items()}
    for word, count in Counter(body).items():
        counted[word] = counted.get(word, 0.0) + 1 + math.log(count)
    return counted


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
    groups: Counter[str] = Counter()
    names: Counter[str] = Counter()
    total = 0
    for feature in features:
        total += 1
        words.update(feature.words.keys())
        groups.update(feature.families.keys())
        names.update(feature.names)
    return Weights(
        words={
            word: _rarity(total, count) * (_GENERIC_WEIGHT if word in GENERIC else 1.0)
            for word, count in words.items()
        },
        families={name: _rarity(total, count) for name, count in groups.items()},
        names={name: _rarity(total, count) for name, count in names.items()},
    )


def _rarity(total: int, count: int) -> float:
    """Between 0.35 and 1: small sets say little about rarity, so the scale is flat."""
    if total <= 1:
        return 1.0
    return 0.35 + 0.65 * math.log(1 + total / count) / math.log(1 + total)


def similarity(one: Features, other: Features, weights: Weights) -> float:
    """From 0 (nothing in common) to 1 (surely the same)."""
    words = _cosine(one.words, other.words, weights.words)
    groups = _cosine(one.families, other.families, weights.families)
    if not _share_meaning(one, other, weights):
        return 0.0
    evidence = (
        _WORDS * words
        + _FAMILIES * groups
        + _GRAMS * _dice(one.grams, other.grams)
        - _BOTH * words * groups
        + _NAMES * min(2.0, sum(weights.names.get(name, 1.0) for name in one.names & other.names))
        + _FAULTS * min(2, len(one.faults & other.faults))
        - _conflict(one, other)
    )
    return 1.0 / (1.0 + math.exp(-(evidence - _ENOUGH)))


def _share_meaning(one: Features, other: Features, weights: Weights) -> bool:
    """At least two meaning-bearing words or families in common: one alone never suffices."""
    words = sum(1 for word in one.words.keys() & other.words.keys() if word not in GENERIC)
    groups = sum(
        1 for name in one.families.keys() & other.families.keys() if weights.families.get(name, 1.0) > _COMMON
    )
    return words + groups >= _LEAST_SHARED


def _conflict(one: Features, other: Features) -> float:
    """What speaks against: two plans named, and different ones; different faults found in one place."""
    apart = one.plan is not None and other.plan is not None and one.plan != other.plan
    other_fault = bool(one.faults and other.faults and not one.faults & other.faults)
    return (_OTHER_PLAN if apart else 0.0) + (_OTHER_FAULT if other_fault else 0.0)


def _cosine(one: Mapping[str, float], other: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    dot = sum(one[word] * other[word] * rarity.get(word, 1.0) ** 2 for word in one.keys() & other.keys())
    return dot / (_norm(one, rarity) * _norm(other, rarity)) if dot else 0.0


def _norm(counted: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    return math.sqrt(sum((value * rarity.get(word, 1.0)) ** 2 for word, value in counted.items())) or 1.0


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
