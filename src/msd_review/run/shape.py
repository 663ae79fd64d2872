"""The outward shape of a text: does it look like a review, is it closed, or is it only what tools print.

Cheap signs, not understanding: they decide only whether words such as "401" may make a failure of a text.
"""

import re
from functools import lru_cache

from msd_review.lazy import regex

_FRAME = regex(
    r"^\s*(?:at\s+\S.*[:(]\S*\d+\)?,?\s*\{?$|at\s+\S+\s+\(|File \"[^\"\n]+\", line \d+|\d+:\s+0x[0-9a-f]+|goroutine \d+|\S+\.go:\d+ \+0x)"
)
_TRACE = regex(
    r"^(?:Traceback \(most recent call last\)|(?:Unhandled|Uncaught)\b.{0,40}(?:exception|error|rejection)|panic: |thread '.{1,60}' panicked"
    r"|Exception in thread|Caused by: |(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: )",
    re.MULTILINE,
)
_HEADING = regex(
    r"^(?:#{1,6}\s+|\*\*|__)\W{0,8}[^\n]{0,60}?\b(?:summar(?:y|ies)|strengths?|concerns?|suggestions?|risks?|findings?|issues?|verdict|review"
    r"|recommendations?|assessment|critical|high|medium|low|blockers?|problems?|verification)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SEVERITY = regex(
    r"^[\s>*_#|`\[(\-\d.)]{0,16}(?:CRITICAL|BLOCKER|HIGH|MEDIUM|LOW|MAJOR|MINOR|NIT|WARNING|INFO)[\])*_`|]{0,5}\s{0,3}(?:[:\u2014\u2013|-]|\n|$)"
    r"|\[(?:CRITICAL|BLOCKER|HIGH|MEDIUM|LOW|MAJOR|MINOR)\]",
    re.MULTILINE,
)
_PLACE = regex(r"(?<![\w/])[\w./-]{1,200}\.[A-Za-z]\w{0,9}:\d{1,7}\b")
_VERDICT = regex(
    r"\bLGTM\b|^\W{0,8}(?:final |overall )?verdict\b|\boverall risk\b|^\W{0,8}risk(?: level| assessment)?\W{0,4}:"
    r"|\bno (?:\w+ ){0,2}(?:concerns|issues|findings|problems|objections)\b|\bready (?:to|for) (?:execut|implement|merge|build)",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = regex(r"^\s{0,8}(?:[-*+\u2022]|\d{1,3}[.)])\s+\S", re.MULTILINE)
_CLOSING = regex(
    r"^\W{0,8}(?:final |overall )?(?:verdict|risk(?: level| assessment)?|conclusion|recommendation)\b[^\n]*(?:\n+[^\n#]+){0,4}\s*\Z"
    r"|\b(?:LGTM|review complete(?:d)?)\b[^\n]{0,80}\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = regex(r"[.!?)\]`*|\u3002\uff01\uff1f\"'\u201d]\s*\Z")
_LOOKED_AT = 60_000
_LONG = 1500
_ITEMS = 3


def frames(text: str) -> int:
    """How many lines are frames of a stack trace."""
    return sum(1 for line in text[:_LOOKED_AT].split("\n") if _FRAME.match(line))


def is_stack_trace(text: str) -> bool:
    """Whether a text is a program's crash and little else."""
    lines = [line for line in text[:_LOOKED_AT].split("\n") if line.strip()]
    found = frames(text)
    if found >= 2 and found * 5 >= len(lines) * 2:
        return True
    return found >= 1 and _TRACE.match(text.lstrip()) is not None and len(lines) <= found * 3 + 6


def signs(text: str) -> int:
    """How many signs of a review a text bears: headings, severities, places in code, a verdict, a list."""
    return _signs(text[:_LOOKED_AT])


@lru_cache(maxsize=4)
def _signs(text: str) -> int:
    told = "\n".join(line for line in text.split("\n") if not _FRAME.match(line))
    found = [pattern.search(told) is not None for pattern in (_HEADING, _SEVERITY, _PLACE, _VERDICT)]
    listed = sum(1 for _ in zip(_ITEM.finditer(told), range(_ITEMS), strict=False)) == _ITEMS
    return sum((*found, listed))


def looks_like_review(text: str) -> bool:
    """Whether words alone may no longer make a failure of this text."""
    found = signs(text)
    return found >= 2 or (found == 1 and len(text) > _LONG)


def is_closed(text: str) -> bool:
    """Whether the text ends with what reviews end with: a verdict, a risk, a conclusion."""
    return _CLOSING.search(text[-1200:]) is not None


def ends_a_sentence(text: str) -> bool:
    """Whether the text at least does not stop in the middle of a sentence."""
    return _SENTENCE_END.search(text[-40:]) is not None
