"""Whether a text has the shape of a review, and whether that review is whole: structure, not words."""

import re

_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*\n]{2,60}\*\*:?\s*$)", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S", re.MULTILINE)
_SEVERITY = re.compile(
    r"(?:^|[\s*\[`(|])(?:CRITICAL|BLOCKER|HIGH|MEDIUM|LOW|MAJOR|MINOR)(?:[\s*\]`:)|—–-]|$)"
    r"|\b(?:high|medium|low)[ -](?:severity|risk)\b",
    re.MULTILINE,
)
_PLACE = re.compile(r"[\w./-]+\.[A-Za-z]{1,8}:\d+")
_LAST_PARTS = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*|\*\*)?\W{0,3}(?:overall\s+)?(?:risk|verdict|suggestions?|recommendations?|conclusion)\b"
    r"|\"schema\"\s*:\s*\"msd\.findings/1\"",
    re.MULTILINE | re.IGNORECASE,
)
SHORT = 2_000  # characters; a refusal is a sentence or a stack trace, not an essay


def review_signs(text: str) -> int:
    """How many of the signs of a review stand in a text: headings, items, severities, cited places, length."""
    signs = (
        len(_HEADING.findall(text[:200_000])) >= 2,
        len(_ITEM.findall(text[:200_000])) >= 2,
        _SEVERITY.search(text) is not None,
        _PLACE.search(text) is not None,
        len(text) > SHORT,
    )
    return sum(signs)


def has_review_shape(text: str) -> bool:
    """Whether a text is built like a review; then no word in it makes it a refusal."""
    return review_signs(text) >= 2


def is_whole(text: str) -> bool:
    """Whether a review in plain text reached its last part, and does not break off inside a fence."""
    ends = [found.end() for found in _LAST_PARTS.finditer(text)]
    if not ends or not has_review_shape(text):
        return False
    fences = re.findall(r"^\s{0,3}(?:```|~~~)", text, re.MULTILINE)
    return len(text[ends[-1] :].strip()) >= 3 and len(fences) % 2 == 0
