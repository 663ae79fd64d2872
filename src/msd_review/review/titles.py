"""Titles as a person reads them: without the severity and the place that a reviewer puts in front.

What is taken off is not lost: the severity is the finding's own, and the place is one of its citations.
"""

from msd_review.lazy import regex
from msd_review.review.drafts import plain_text
from msd_review.review.labels import leading_label
from msd_review.review.places import place_of

_LEADING = regex(
    r"[\s*_(\[]{0,3}(?:`(?P<code>[^`\n]{3,200})`|(?P<bare>[^\s`()\[\]]{3,200}?(?::\d[\d,:–-]{0,24})?))[\s*_)\]]{0,3}"
    r"(?P<behind>\s*[:：—–|→]{1,2}\s+|\s-{1,2}\s|\s{2,}|\]\s?|\)\s?|\s(?=[\"'`A-Z]))(?=\S)"
)
_BETWEEN = regex(r"[,;&+\s]+(?:and\s+)?")
_SHORTEST = 8  # characters that have to be left


def bare_title(title: str) -> str:
    """A title without a leading severity label and without a leading place; itself when nothing would be left.

    >>> bare_title("HIGH src/app.py:12 The lock is never released")
    'The lock is never released'
    >>> bare_title("`src/app.py:12` retries without a key")
    '`src/app.py:12` retries without a key'
    """
    label = leading_label(title)
    told = label.rest if label is not None and label.strong and len(label.rest) >= _SHORTEST else title
    rest = without_place(told)
    return plain_text(rest if len(rest) >= _SHORTEST else told) or title


def is_place(title: str) -> bool:
    """Whether a title is nothing but one or several places."""
    words = [word.strip(" `*_()[]") for word in _BETWEEN.split(title) if word.strip(" `*_()[]")]
    return bool(words) and all(place_of(word) is not None for word in words[:8])


def without_place(title: str) -> str:
    """A text without the place that it begins with, where that is set apart from it.

    >>> without_place("src/app.py:12   the lock is never released")
    'the lock is never released'
    """
    found = _LEADING.match(title)
    written = (found["code"] or found["bare"]) if found else None
    place = place_of(written) if written else None
    if found is None or place is None:
        return title
    named_alone = not found["behind"].strip() and len(found["behind"]) < 2
    if named_alone and (place.line is None or found["code"]):
        return title
    return title[found.end() :].strip(" *:—–-")
