"""How alike two concerns are, from 0 to 1.

Three readings of the words (stems and code names weighted by rarity, families of words that mean one
thing, character 4-grams) are put together as independent evidence; the same kind of fault adds to it,
another kind of fault and another plan take from it. A common file adds nothing by itself, everyday
words weigh next to nothing, and one meaning-bearing word in common is never enough.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msd_review.consensus.thesaurus import EVERYDAY
from msd_review.consensus.words import GENERIC, concepts, families, faults, identifiers, record_ids
from msd_review.lazy import regex
from msd_review.review.model import Citation

_TITLE_WEIGHT = 2.0
_BODY_LIMIT = 900
_GRAM_WORDS = 32
_FILE_AND_LINE = regex(r"\.\w{1,5}:\d")
_GENERIC_WEIGHT = 0.25
_EVERYDAY_WEIGHT = 0.6

# Fitted (logistic regression over the labelled pairs of bench/truth/clusters) and rounded.
_READING = 1.5  # what one reading of the words amounts to: a cosine of 2/3 is full evidence
_EVIDENCE, _SAME_FAULT, _OTHER_PLAN, _OTHER_FAULT, _ENOUGH = 10.6, 0.9, 4.8, 1.15, 6.3
_FEW_WORDS, _FEW_GRAMS = 4.0, 20  # added to the length of a text: two short ones are alike by chance
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
    body = body[:_BODY_LIMIT]
    text = f"{title}\n{body}"
    head, rest = _without_places(title), _without_places(body)
    title_words, body_words = list(concepts(head)), list(concepts(rest))
    return Features(
        words=_counted(title_words, body_words),
        families=_counted(families(head), families(rest)),
        grams=_grams([*title_words, *body_words]),
        names=identifiers(text),
        files=_files(citations),
        ids=record_ids(text),
        plan=_plan_key(plan) or _plan_key_in(text),
        faults=faults(text),
    )


def _without_places(text: str) -> str:
    """Where something stands is compared as a place, never as words: a common file is no common concern."""
    return " ".join(word for word in text.split() if not _is_place(word))


def _is_place(word: str) -> bool:
    if "." not in word:
        return False
    return "/" in word or (":" in word and _FILE_AND_LINE.search(word) is not None)


def _counted(title: Iterable[str], body: Iterable[str]) -> dict[str, float]:
    counted = {word: _TITLE_WEIGHT * (1 + math.log(count)) for word, count in Counter(title).items()}
    for word, count in Counter(body).items():
        counted[word] = counted.get(word, 0.0) + 1 + math.log(count)
    return counted


def _grams(words: Sequence[str]) -> frozenset[str]:
    plain = " ".join(words[:_GRAM_WORDS])
    return frozenset(map("".join, zip(plain, plain[1:], plain[2:], plain[3:], strict=False)))


def _files(citations: Sequence[Citation]) -> dict[str, tuple[tuple[int, int], ...]]:
    files: dict[str, tuple[tuple[int, int], ...]] = {}
    for citation in citations[:40]:
        if citation.path is None:
            continue
        name = (citation.resolved or citation.path).rstrip("/").rsplit("/", 1)[-1].lower()
        lines = ((citation.line, citation.end_line or citation.line),) if citation.line else ()
        files[name] = (*files.get(name, ()), *lines)
    return files


_PLAN_IN_TEXT = regex(
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
        families={
            name: _rarity(total, count) * (_EVERYDAY_WEIGHT if name in EVERYDAY else 1.0)
            for name, count in groups.items()
        },
        names={name: _rarity(total, count) for name, count in names.items()},
    )


def _rarity(total: int, count: int) -> float:
    """Between 0.35 and 1: small sets say little about rarity, so the scale is flat."""
    if total <= 1:
        return 1.0
    return 0.35 + 0.65 * math.log(1 + total / count) / math.log(1 + total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Features with rarity worked in once, so that comparing is cheap."""

    features: Features
    words: Mapping[str, float]
    families: Mapping[str, float]
    words_length: float
    families_length: float
    telling: frozenset[str]  # words and families that carry meaning of their own


def prepare(features: Features, weights: Weights) -> Prepared:
    """The features of one concern, weighted by rarity among those that it is compared with."""
    words = {word: value * weights.words.get(word, 1.0) for word, value in features.words.items()}
    families = {name: value * weights.families.get(name, 1.0) for name, value in features.families.items()}
    telling = [word for word in words if word not in GENERIC]
    telling += [f"({name})" for name in families if weights.families.get(name, 1.0) > _COMMON]
    return Prepared(
        features=features,
        words=words,
        families=families,
        words_length=math.sqrt(sum(value * value for value in words.values()) + _FEW_WORDS),
        families_length=math.sqrt(sum(value * value for value in families.values()) + _FEW_WORDS),
        telling=frozenset(telling),
    )


def similarity(one: Prepared, other: Prepared) -> float:
    """From 0 (nothing in common) to 1 (surely the same)."""
    if len(one.telling & other.telling) < _LEAST_SHARED:
        return 0.0
    words = _dot(one.words, other.words) / (one.words_length * other.words_length)
    families = _dot(one.families, other.families) / (one.families_length * other.families_length)
    doubt = 1.0
    for reading in (words, families, _dice(one.features.grams, other.features.grams)):
        doubt *= 1.0 - min(1.0, _READING * reading)
    same_fault = min(2, len(one.features.faults & other.features.faults))
    evidence = _EVIDENCE * (1.0 - doubt) + _SAME_FAULT * same_fault - _conflict(one.features, other.features)
    return 1.0 / (1.0 + math.exp(_ENOUGH - evidence))


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    total = 0.0
    for word, weight in one.items():
        if word in other:
            total += weight * other[word]
    return total


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other) + _FEW_GRAMS) if one and other else 0.0


def _conflict(one: Features, other: Features) -> float:
    """What speaks against: two plans named, and different ones; two faults, and of different kinds."""
    apart = one.plan is not None and other.plan is not None and one.plan != other.plan
    other_fault = bool(one.faults and other.faults and not one.faults & other.faults)
    return (_OTHER_PLAN if apart else 0.0) + (_OTHER_FAULT if other_fault else 0.0)
