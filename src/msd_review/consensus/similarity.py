"""How alike two concerns are, from 0 to 1.

A concern is read as meaning-bearing words, each with the families that it belongs to (kinds of fault, subjects,
topics). Two concerns are compared by a few signs, each with one weight: how far the words, the families and the
kinds of fault agree, how much of each concern the other accounts for, names of code and cited lines, and what
speaks against: other kinds of fault, other names, another plan. A common file is no sign, and one
meaning-bearing word in common is never enough.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from msd_review.consensus.stems import stem
from msd_review.consensus.thesaurus import EVERYDAY, FAULT
from msd_review.consensus.words import GENERIC, Word, identifiers, meanings, record_ids
from msd_review.lazy import regex
from msd_review.review.model import Citation

_TITLE_WEIGHT = 2.0
_BODY_LIMIT = 900
_FILE_AND_LINE = regex(r"\.\w{1,5}:\d")
_GENERIC_WEIGHT = 0.25
_EVERYDAY_WEIGHT = 0.6
_FEW_WORDS = 4.0  # added to the length of a text: two short ones are alike by chance
_COMMON = 0.5  # rarity below which a family is one that most concerns of a run belong to
_LEAST_SHARED = 2
_SHORT = 0.5  # added to the weight of a text before shares of it are taken
_LONG = 4.0  # weight beyond which a text is long
_BY_FAULT, _BY_FAMILY = 0.8, 0.65  # what a word counts for when the other text has another of its family
_SAME_PLACE = 2  # lines
_LEAST_FRAME, _LONGEST_OBJECT = 3, 4  # words that are equal around an object, words of an object
_BEFORE_OBJECT = frozenset(
    {"for", "of", "on", "in", "at", "to", "from", "with", "by", "after", "before", "when", "during", "between", "into", "the", "a", "an"}
)  # fmt: skip
_OPENING = 16
NOTHING = -10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a concern is compared by."""

    words: Mapping[str, float]  # stem → how often, titles counted double
    families: Mapping[str, float]  # family of words → the same
    senses: Mapping[str, frozenset[str]]  # stem → its families in this text
    names: frozenset[str]
    files: Mapping[str, tuple[tuple[int, int], ...]]  # base name → cited line ranges
    ids: frozenset[str]
    plan: str | None
    task: str | None
    opening: tuple[str, ...]  # the first words of the title, as they stand


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
    head, rest = meanings(_without_places(title)), meanings(_without_places(body))
    return Features(
        words=_counted((word.stem for word in head if word.stem), (word.stem for word in rest if word.stem)),
        families=_counted(_families(head), _families(rest)),
        senses=_senses([*head, *rest]),
        names=identifiers(text),
        files=_files(citations),
        ids=record_ids(text),
        plan=_plan_key(plan) or _plan_key_in(text),
        task=_task_in(text),
        opening=tuple(_OPENING_WORD.findall(_without_places(title).lower())[:_OPENING]),
    )


def _families(words: Iterable[Word]) -> Iterable[str]:
    return (family for word in words for family in word.families)


def _senses(words: Iterable[Word]) -> dict[str, frozenset[str]]:
    senses: dict[str, frozenset[str]] = {}
    for word in words:
        senses[word.stem] = senses.get(word.stem, frozenset()) | word.families
    return senses


def _without_places(text: str) -> str:
    """Where something stands is compared as a place, never as words: a common file is no common concern."""
    return " ".join(word for word in text.split() if not _is_place(word))


def _is_place(word: str) -> bool:
    if "." not in word:
        return False
    return "/" in word or (":" in word and _FILE_AND_LINE.search(word) is not None)


def _counted(title: Iterable[str], body: Iterable[str]) -> dict[str, float]:
    counted = {word: _TITLE_WEIGHT * _often(count) for word, count in Counter(title).items()}
    for word, count in Counter(body).items():
        counted[word] = counted.get(word, 0.0) + _often(count)
    return counted


def _often(count: int) -> float:
    return 1.0 if count == 1 else 1.0 + math.log(count)


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


_TASK_IN_TEXT = regex(
    r"\b(?:task|aufgabe|tarea|tarefa|t\u00e2che)\s#?(\d{1,3})\b|\u30bf\u30b9\u30af\s?(\d{1,3})|\u4efb\u52a1\s?(\d{1,3})",
    re.IGNORECASE,
)
_OPENING_WORD = regex(r"[^\W_](?:[\w'-]*\w)?")


def _task_in(text: str) -> str | None:
    named = {next(filter(None, found.groups())).lstrip("0") for found in _TASK_IN_TEXT.finditer(text[:600])}
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
    faults_length: float
    weighed: Mapping[str, float]  # stem → what it weighs, however often it stands there
    senses: tuple[tuple[str, float, frozenset[str]], ...]  # those of any family: stem, weight, families
    weight: float  # of all stems
    whole: float  # the same, as what shares of it are taken of
    family_names: frozenset[str]
    fault_names: frozenset[str]
    telling: frozenset[str]  # words and families that carry meaning of their own


def prepare(features: Features, weights: Weights) -> Prepared:
    """The features of one concern, weighted by rarity among those that it is compared with."""
    words = {word: value * weights.words.get(word, 1.0) for word, value in features.words.items()}
    families = {name: value * weights.families.get(name, 1.0) for name, value in features.families.items()}
    kinds = {name: value for name, value in families.items() if name.startswith(FAULT)}
    weighed = {word: weights.words.get(word, 1.0) for word in features.words}
    senses = tuple((word, weighed[word], names) for word, names in features.senses.items() if word and names)
    weight = math.fsum(weighed.values())
    telling = [word for word in words if word not in GENERIC]
    telling += [f"({name})" for name in families if weights.families.get(name, 1.0) > _COMMON]
    return Prepared(
        features=features,
        words=words,
        families=families,
        words_length=_length(words, _FEW_WORDS),
        families_length=_length(families, _FEW_WORDS),
        faults_length=_length(kinds, 1.0),
        weighed=weighed,
        senses=senses,
        weight=weight,
        whole=weight + _SHORT,
        family_names=frozenset(families),
        fault_names=frozenset(kinds),
        telling=frozenset(telling),
    )


def _length(values: Mapping[str, float], more: float) -> float:
    return math.sqrt(math.fsum([value * value for value in values.values()]) + more)


class Signs(NamedTuple):
    """What two concerns have in common and what tells them apart, each from 0 to 1."""

    words: float  # cosine over stems
    families: float  # cosine over families
    faults: float  # cosine over kinds of fault
    no_faults: float  # one of them names no known kind of fault, so that these cannot agree
    told: float  # share of a concern's words that the other has too, as words or families: the smaller share
    rephrased: float  # the same of what is told in other words: how much more the larger share is by these
    length: float  # what the longer concern says beyond the other: cosines understate long texts
    names: float  # names of code in common
    other_names: float  # both name code, and none in common
    same_lines: float  # cited lines at most two apart
    other_lines: float  # both cite lines of one file, and others
    other_plan: float  # two plans or two tasks
    other_object: float  # equal texts about two things


WEIGHTS = Signs(
    words=1.2, families=3.6, faults=1.5, no_faults=1.0, told=6.9, rephrased=3.0, length=3.3, names=0.8,
    other_names=-0.4, same_lines=1.0, other_lines=-1.0, other_plan=-6.0, other_object=-4.0,
)  # fmt: skip
_ENOUGH = 7.4


def signs(one: Prepared, other: Prepared) -> Signs:
    """The signs of a pair; they do not depend on which is named first."""
    a, b = one.features, other.features
    words = one.words.keys() & other.words.keys()
    families = one.family_names & other.family_names
    faults = families & one.fault_names
    same = math.fsum([one.weighed[word] for word in words])
    told = same + _rephrased(one, words, families=families, faults=faults)
    told_back = same + _rephrased(other, words, families=families, faults=faults)
    most = max(told / one.whole, told_back / other.whole)
    names = a.names & b.names
    apart = _lines_apart(a, b)
    return Signs(
        words=_dot(one.words, other.words, words) / (one.words_length * other.words_length),
        families=_dot(one.families, other.families, families) / (one.families_length * other.families_length),
        faults=_dot(one.families, other.families, faults) / (one.faults_length * other.faults_length),
        no_faults=float(not one.fault_names or not other.fault_names),
        told=min(told / one.whole, told_back / other.whole),
        rephrased=most - same / min(one.whole, other.whole),
        length=min(1.0, max(one.weight - told, other.weight - told_back) / _LONG),
        names=min(2, len(names)) / 2,
        other_names=float(bool(a.names and b.names and not names)),
        same_lines=float(apart is not None and apart <= _SAME_PLACE),
        other_lines=float(apart is not None and apart > _SAME_PLACE),
        other_plan=float(_differ(a.plan, b.plan) or _differ(a.task, b.task)),
        other_object=float(_other_object(a, b)),
    )


def _rephrased(one: Prepared, words: Set[str], *, families: frozenset[str], faults: frozenset[str]) -> float:
    """The weight of those of a concern's words that another tells by another word of their family."""
    if not families:
        return 0.0
    return math.fsum(
        [
            weight * (_BY_FAMILY if names.isdisjoint(faults) else _BY_FAULT)
            for word, weight, names in one.senses
            if not names.isdisjoint(families) and word not in words
        ]
    )


def _lines_apart(one: Features, other: Features) -> int | None:
    """How far the nearest cited lines of one file lie apart; None when no file is cited by both with lines."""
    apart = [
        max(0, max(first, start) - min(last, end))
        for name in one.files.keys() & other.files.keys()
        for first, last in one.files[name]
        for start, end in other.files[name]
    ]
    return min(apart, default=None)


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _other_object(one: Features, other: Features) -> bool:
    """Whether two titles are equal but for what they speak of: "no test for X" and "no test for Y"."""
    mine, theirs = one.opening, other.opening
    if mine[:1] != theirs[:1] and mine[-1:] != theirs[-1:]:
        return False
    start = _equal_words(mine, theirs)
    end = _equal_words(mine[start:][::-1], theirs[start:][::-1])
    if start + end < _LEAST_FRAME or (start and mine[start - 1] not in _BEFORE_OBJECT):
        return False
    left, right = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    return (
        0 < len(left) <= _LONGEST_OBJECT
        and 0 < len(right) <= _LONGEST_OBJECT
        and _mean_other_things(left, right, one, other)
    )


def _equal_words(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _mean_other_things(left: Iterable[str], right: Iterable[str], one: Features, other: Features) -> bool:
    mine, theirs = {*map(stem, left)} & one.senses.keys(), {*map(stem, right)} & other.senses.keys()
    if not mine or not theirs or mine & theirs:
        return False
    families = frozenset().union(*(one.senses[word] for word in mine))
    return families.isdisjoint(frozenset().union(*(other.senses[word] for word in theirs)))


def evidence(one: Prepared, other: Prepared) -> float:
    """The weighted sum of the signs as log odds; `NOTHING` when too little is shared to compare."""
    shared = len(one.telling & other.telling)
    if shared < _LEAST_SHARED:
        return NOTHING
    return math.fsum(map(mul, WEIGHTS, signs(one, other))) - _ENOUGH


def similarity(one: Prepared, other: Prepared) -> float:
    """From 0 (nothing in common) to 1 (surely the same)."""
    return 1.0 / (1.0 + math.exp(-evidence(one, other)))


def _dot(one: Mapping[str, float], other: Mapping[str, float], common: Iterable[str]) -> float:
    """Summed exactly, so that the order of the words changes nothing."""
    return math.fsum([one[word] * other[word] for word in common])
