"""Paragraphs, list items, headings and table rows of a plan, each with what it names and the file that it stands under.

Pure. A heading, a bold line or a list item that names nothing but a file says what the lines below it are about; so
does a "File: …" beside other labels of one list. Where such a line says that the file is new, so is what stands below.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from msd_review.grounding.bare_names import bare_names
from msd_review.grounding.mentions import Mention, mentions
from msd_review.grounding.prose import MASK, Sentence, sentences
from msd_review.lazy import regex
from msd_review.review.places import Place

_CODE_LIKE = regex(r"\w_|_\w|[a-z][A-Z]|\w(?:\.|::|#)\w")
_MAX_FIELDS = 6  # fields of one labelled list, before or behind
_MAX_ABOUT = 3  # sentences of a paragraph that leads to what stands below it
_HEADING = regex(r"\s*#{1,6}\s")
_ITEM = regex(r"\s*(?:(?:[-*+]|\d{1,3}(?:\.\d{1,3}){0,4}[.)]?)\s|>)")
_LABEL_WORDS = frozenset(
    [
        "file",
        "files",
        "module",
        "path",
        "in",
        "where",
        "location",
        "target",
        "edit",
        "modify",
        "change",
        "update",
        "the",
        "task",
        "step",
        "changes",
        "to",
        "for",
        "existing",
        "modified",
        "source",
        "touched",
        "touch",
        "code",
        "under",
        "component",
        "and",
        "from",
        "current",
        "refactor",
    ]
)
_FILE_LABEL = regex(
    r"\s*(?:[-*+]\s+)?(?:\*\*|__)?(?:file|path|where|location|module|source|in)(?:\*\*|__)?\s*:", re.I
)
_LABELLED = regex(r"\s*(?:[-*+]\s+)?(?:\*\*|__)?[A-Z][\w /-]{1,24}(?:\*\*|__)?\s*:", re.I)
_NEW = regex(r"\b(?:new|create[ds]?|add(?:ed)?|to be (?:created|added|written)|generated|planned)\b", re.I)
_PHRASE = regex(
    r"(?P<between>\bbetween\s)?(?<![\w-])(?:lines?|ll?\.|L)\s?~?(?P<first>\d{1,7})(?![\d.]*\s?(?:chars|characters|columns|wide|bytes|%))"
    r"(?:\s?(?P<join>-|–|—|to|through|until|till|and|\.\.|-L|–L)\s?(?:(?:ending\s|and\s)?(?:at\s)?line\s|L)?(?P<last>\d{1,7}))?",
    re.IGNORECASE,
)
_BESIDE = regex(r"[`*\]]{0,3}\s?(?:\[(?P<a>\d{1,7})[:–-](?P<b>\d{1,7})\]|\((?P<c>\d{1,7})(?:[–-](?P<d>\d{1,7}))?\)|:(?P<e>\d{1,7})(?:[–-](?P<f>\d{1,7}))?|@\s?(?P<g>\d{1,7})|#L(?P<i>\d{1,7})(?:-L?(?P<j>\d{1,7}))?|[^|\n]{0,80}\|\s*L?(?P<k>\d{1,7})[–-](?P<l>\d{1,7})\s*\|)")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence, and what it names in the order of the text."""

    sentence: Sentence
    named: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Sentences that belong together; `scope` is the file that they stand under, `new` where that is to be made.

    `firm`: the line above says nothing but that file.
    """

    parts: tuple[Part, ...]
    scope: Mention | None = None
    new: bool = False
    firm: bool = False

    @property
    def named(self) -> tuple[Mention, ...]:
        """What the whole block names."""
        return tuple(mention for part in self.parts for mention in part.named)


@dataclass(frozen=True, slots=True)
class _Scope:
    mention: Mention
    kind: str  # heading, item, plain
    indent: int
    new: bool
    labelled: bool
    firm: bool = True


def blocks_of(text: str) -> Iterator[Block]:
    """The blocks of a segment of a plan."""
    grouped = groupby(sentences(text), key=lambda sentence: sentence.block)
    read = [tuple(_part(sentence) for sentence in group) for _, group in grouped]
    kinds = [_kind(text, parts[0].sentence) for parts in read]
    scope: _Scope | None = None
    for at, parts in enumerate(read):
        kind, indent = kinds[at]
        scope = _still(scope, kind, indent, parts)
        header = _header(parts, kind, indent)
        used = (_sibling(read, kinds, at) or scope) if header is None else None
        yield Block(parts, used.mention if used else None, bool(used and used.new), bool(used and used.firm))
        scope = header or scope


def _part(sentence: Sentence) -> Part:
    found = mentions(sentence)
    if (
        any(mention.place is not None for mention in found)
        or "(" in sentence.masked
        or ":" in sentence.masked
    ):
        found = tuple(
            sorted((*found, *bare_names(_blotted(sentence, found), found)), key=lambda mention: mention.start)
        )
    return Part(_blotted(sentence, found), _lined(sentence, found))


def _blotted(sentence: Sentence, named: Sequence[Mention]) -> Sentence:
    """The sentence with what stands outside code spans blotted out too: a folder's name is no word of it."""
    masked = sentence.masked
    for mention in named:
        if not mention.code and (
            mention.place is not None or mention.called or _CODE_LIKE.search(mention.text)
        ):
            masked = masked[: mention.start] + MASK * (mention.end - mention.start) + masked[mention.end :]
    return replace(sentence, masked=masked)


def _kind(text: str, sentence: Sentence) -> tuple[str, int]:
    raw = text[sentence.start : sentence.start + 200].lstrip("\n")
    indent = len(raw) - len(raw.lstrip(" \t"))
    if _HEADING.match(raw):
        return "heading", len(raw.lstrip()) - len(raw.lstrip().lstrip("#"))
    return ("item", indent) if _ITEM.match(raw) else ("plain", indent)


def _still(scope: _Scope | None, kind: str, indent: int, parts: Sequence[Part]) -> _Scope | None:
    """The scope that still holds at a block."""
    if scope is None or kind == "heading":
        return None if kind == "heading" else scope
    if scope.kind == "heading":
        return scope
    if scope.kind == "plain":
        return scope if kind == "item" or indent > scope.indent else None
    sibling = scope.labelled and kind == "item" and indent == scope.indent
    labelled = bool(_LABELLED.match(parts[0].sentence.text))
    return scope if indent > scope.indent or sibling and labelled else None


def _sibling(read: Sequence[Sequence[Part]], kinds: Sequence[tuple[str, int]], at: int) -> _Scope | None:
    """The "File: …" of the labelled list that a labelled item without a file stands in."""
    if kinds[at][0] != "item" or not _LABELLED.match(read[at][0].sentence.text):
        return None
    first = last = at
    while first > 0 and kinds[first - 1] == kinds[at] and _LABELLED.match(read[first - 1][0].sentence.text):
        first -= 1
    while (
        last + 1 < len(read)
        and kinds[last + 1] == kinds[at]
        and _LABELLED.match(read[last + 1][0].sentence.text)
    ):
        last += 1
    heads = [
        _header(parts, *kinds[at])
        for parts in read[max(first, at - _MAX_FIELDS) : min(last, at + _MAX_FIELDS) + 1]
    ]
    files = [head for head in heads if head is not None and head.labelled]
    return files[0] if len(files) == 1 else None


def _header(parts: Sequence[Part], kind: str, indent: int) -> _Scope | None:
    """A block that names one file and says nothing else."""
    named = [mention for part in parts for mention in part.named]
    if len(named) != 1 or named[0].place is None or named[0].place.line is not None:
        return None
    text = parts[0].sentence.masked
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", text)]
    new = bool(_NEW.search(text))
    rest = [word for word in words if word not in _LABEL_WORDS and not _NEW.fullmatch(word)]
    marked = kind != "plain" or text.rstrip().endswith((":", "*", "_")) or not words
    labelled = bool(_FILE_LABEL.match(parts[0].sentence.text))
    if marked and len(rest) <= (1 if new else 0) and len(parts) == 1:
        return _Scope(named[0], kind, indent, new, labelled)
    leads = (
        text.rstrip().endswith(":")
        or re.search(r"\b(?:only|here|single|one) (?:file|module|place)\b", text, re.I)
        or re.search(r"\b(?:lives|reads|has)\b", text)
    )
    if kind == "plain" and not new and leads and len(parts) <= _MAX_ABOUT:
        return _Scope(named[0], kind, indent, False, labelled, firm=False)
    return None


def _lined(sentence: Sentence, named: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Lines that are said in words of the one file of a sentence, put on it."""
    places = [mention for mention in named if mention.place is not None]
    if len(places) != 1 or places[0].place is None or places[0].place.line is not None:
        return named
    ranges = list(_said_lines(sentence, places[0]))
    if not ranges:
        return named
    (first, last), *more = ranges
    place = Place(
        path=places[0].place.path, line=first, end_line=last, symbol=places[0].place.symbol, more=tuple(more)
    )
    return tuple(replace(mention, place=place) if mention is places[0] else mention for mention in named)


def _said_lines(sentence: Sentence, place: Mention) -> Iterator[tuple[int, int | None]]:
    beside = _BESIDE.match(sentence.text, place.end)
    if beside is not None:
        numbers = [int(number) for number in beside.groups() if number]
        yield numbers[0], numbers[1] if len(numbers) > 1 else None
        return
    yield from ((first, last) for first, last, _ in said_lines(sentence.masked))


def said_lines(text: str) -> Iterator[tuple[int, int | None, int]]:
    """(first, last, offset) of each line or range that a text says in words."""
    for match in _PHRASE.finditer(text):
        first, last = int(match["first"]), int(match["last"]) if match["last"] else None
        if match["join"] == "and" and not match["between"]:
            yield from ((first, None, match.start()), (int(match["last"]), None, match.start()))
        elif first:
            yield first, last, match.start()
