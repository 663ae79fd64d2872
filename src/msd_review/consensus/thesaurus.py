"""Families of words that reviewers use for one thing, read from the lists beside this module when first asked for.

Three lists, one family a line (`name: words`, as people write them; `_` joins the words of a phrase; `*`
ends a beginning, "parallel*"):

- `fault_kinds.txt`: what is wrong ("never expires", "no way back"), whatever it is wrong with;
- `subjects.txt`: what it is wrong with (a session, a queue, an invoice); never a fault by itself;
- `topics.txt`: looser families that mix both, which weigh least.

A word may belong to several families. Add a word only when it means the family wherever it stands in a review.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from msd_review.consensus.stems import stem

FAULT, SUBJECT, TOPIC = "fault ", "subject ", "topic "
_LISTS = ((FAULT, "fault_kinds.txt"), (SUBJECT, "subjects.txt"), (TOPIC, "topics.txt"))
_WIDE_LIST = "wide.txt"

# Families that more than one concern in twenty belongs to, whatever it is about (counted over the labelled
# texts of bench/truth): they count less.
_EVERYDAY = """
naming order test error validate file config ci verification location event docs lose delete logging consumer typing
key null
"""
EVERYDAY = frozenset(kind + name for kind in (FAULT, TOPIC) for name in _EVERYDAY.split())

Phrase = tuple[tuple[str, ...], str]  # the stems of a phrase, the family


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """The lists, turned round: from words to families."""

    words: Mapping[str, frozenset[str]]  # stem → families
    beginnings: Mapping[str, tuple[tuple[str, str], ...]]  # first three letters → (beginning, family)
    phrases: Mapping[str, Mapping[str, tuple[Phrase, ...]]]  # first stem → second stem → phrases
    wide: tuple[tuple[str, re.Pattern[str]], ...]  # family, what it matches in scripts without spaces


@cache
def thesaurus() -> Thesaurus:
    """All lists. Read once, and only by what compares concerns."""
    words: dict[str, set[str]] = {}
    beginnings: dict[str, set[tuple[str, str]]] = {}
    phrases: dict[str, dict[str, set[Phrase]]] = {}
    for family, word in _entries():
        if "_" in word:
            stems = tuple(stem(part) for part in word.rstrip("*").split("_"))
            phrases.setdefault(stems[0], {}).setdefault(stems[1], set()).add((stems, family))
        elif word.endswith("*"):
            beginnings.setdefault(word[:3], set()).add((word[:-1], family))
        else:
            words.setdefault(stem(word), set()).add(family)
    return Thesaurus(
        words={word: frozenset(names) for word, names in words.items()},
        beginnings={start: tuple(sorted(found)) for start, found in beginnings.items()},
        phrases={
            start: {second: tuple(sorted(found)) for second, found in following.items()}
            for start, following in phrases.items()
        },
        wide=tuple(_wide_entries()),
    )


def _entries() -> Iterator[tuple[str, str]]:
    for prefix, name in _LISTS:
        for family, words in _lines(name):
            yield from ((prefix + family, word) for word in words.split())


def _wide_entries() -> Iterator[tuple[str, re.Pattern[str]]]:
    for family, words in _lines(_WIDE_LIST):
        yield family, re.compile("|".join(words.split()))


def _lines(name: str) -> Iterator[tuple[str, str]]:
    text = resources.files("msd_review.consensus").joinpath("vocabulary", name).read_text(encoding="utf-8")
    for line in text.splitlines():
        family, separator, words = line.partition(":")
        if separator and not line.startswith("#"):
            yield family.strip(), words
