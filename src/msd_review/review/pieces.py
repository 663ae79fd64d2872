"""One text cut into the several rated findings that it holds: repeated labels, enumerations of small ones."""

import re

from msd_review.lazy import regex
from msd_review.review.label_places import repeated_labels
from msd_review.review.labels import leading_label

_ENUMERATION = regex(r"(?:^|[\s;,:])(?:\((?:[a-h]|\d|[ivx]{1,3})\)|[①-⑨]|(?<!\d)\d\))\s+")
_PLURAL_LOW = regex(r"^\W{0,6}(?:low|lows|minor|nits?|nitpicks?|info|trivial|medium|high)s?\b[^\n:：]{0,40}?(?:items?|nits?|issues?|concerns?|points?|notes?|ones|lows|mediums)?\W{0,6}[:：]", re.IGNORECASE)  # fmt: skip


def pieces_of(text: str) -> list[str]:
    """One text cut into the several rated findings that it holds; mostly itself alone."""
    starts = repeated_labels(text)
    if starts and leading_label(text) is not None:
        return _cut(text, starts)
    if _PLURAL_LOW.match(text):
        head = _PLURAL_LOW.match(text)
        assert head is not None
        marks = [found.start() for found in _ENUMERATION.finditer(text, head.end() - 1)]
        if len(marks) >= 2:
            return [
                text[: head.end()]
                + " "
                + re.sub(r"^[\s;,:]*(?:\([\w]{1,3}\)|[①-⑨]|\d\))\s*", "", piece).rstrip(" ;,")
                for piece in _cut(text, marks)[1:]
            ]
        if (
            re.match(
                r"(?i)\W*(?:lows|mediums|highs|nits|nitpicks|\w+\W{1,4}(?:items|nits|issues|concerns|points|notes))",
                text,
            )
            and text.count(";") >= 1
        ):
            return [
                text[: head.end()] + " " + piece.strip()
                for piece in text[head.end() :].split(";")
                if len(piece.strip()) > 8
            ]
    return [text]


def _cut(text: str, starts: list[int]) -> list[str]:
    edges = [0, *starts, len(text)]
    return [
        text[first:behind].strip()
        for first, behind in zip(edges, edges[1:], strict=False)
        if text[first:behind].strip()
    ]
