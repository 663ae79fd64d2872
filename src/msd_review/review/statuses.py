"""Whether a text speaks of a new concern or of an earlier one, by the status words where a label stands."""

import re

from msd_review.lazy import regex
from msd_review.review.model import FindingStatus
from msd_review.review.vocabulary import NOT_RESOLVED, PARTIAL, RESOLVED, STILL_OPEN

_STRUCK = regex(r"^\W{0,6}(?:\w{1,4}[.)]\s)?[^~\w]{0,6}(?:[A-Z]{0,3}-?\d{0,3}\W{0,4})?~~[^~\n]{3,600}~~")
_STATUS_FIELD = regex(r"(?:^|[\s(\[|;,.*_])(?:status|state|disposition|状態|状态|상태|trạng thái|estado|statut|статус)[*_`]{0,2}\s?[:：=]\s?[*_`\[(]{0,3}(?P<value>[^\n|;*]{2,60})", re.IGNORECASE)  # fmt: skip
_BRACKET = regex(r"[(（\[【](?P<value>[^()（）\[\]【】\n]{3,80})[)）\]】]")
_CAPITALS = regex(r"(?<![\w-])(?:(?:FULLY|PARTIALLY|PARTLY|NOT|STILL|NOW|ALREADY)[ -])?(?:RESOLVED|FIXED|CLOSED|ADDRESSED|WITHDRAWN|RETRACTED|FALSIFIED|REFUTED|OPEN|UNRESOLVED|SUPERSEDED|REOPENED|INVALID)(?![\w-])")  # fmt: skip
_ARROWED = regex(r"(?:→|->|=>|⇒)\s{0,2}[*_`]{0,3}(?P<value>[^\n.,;:*`→]{2,40})")
_TICK = regex(
    r"[—–:→*-]\s{0,2}(?P<tick>[✅☑✔❌✖✗✘])\ufe0f?\s{0,2}[*_]{0,2}(?:fully |partially |now |already |still |not )?(?=\w)"
)
_DONE = regex(r"^\W*(?:done|ok|gone|yes)\W*$", re.IGNORECASE)
_AT_END = regex(
    r"(?:[:：—–→]|->|=>|✅|☑|✔)\s{0,2}[*_`]{0,3}(?P<value>[^\n:：—–→*`]{3,40}?)[*_`]{0,3}[.!]?\s*$"
)
_LEADING = regex(r"^\W{0,8}(?P<value>(?:fully |partially |partly |not |still |now )?(?:resolved|fixed|closed|addressed|withdrawn|retracted|falsified|unresolved)|解決済み?|対応済み?|已解决|已修复|해결됨|(?:partially |still )?open)\W{0,4}(?:[:：—–-]|\*\*)", re.IGNORECASE)  # fmt: skip
_QUOTING = regex(r"^\W{0,6}(?:(?:previous(?:ly)?|prior|earlier|formerly|originally|quoted?|from|in) (?:\w+ ){0,3}(?:cycle|round|review|finding|concern|reported|raised)\b|(?:cycle|round)[ -]?\d+ (?:high|medium|low|finding|concern|said|raised|reported)|前回(?:の指摘)?[:：]|上一?[轮次].{0,6}[:：])", re.IGNORECASE)  # fmt: skip

RESOLVED_MARK, PARTIAL_MARK, OPEN_MARK = "resolved", "partial", "open"


def status_word(text: str, label_inner: str = "") -> str | None:
    """`resolved`, `partial` or `open`, when a label in the first lines of a text says so; else None."""
    zone = text[:400]
    if _STRUCK.match(zone):
        return RESOLVED_MARK
    tick = _TICK.search(zone.split("\n", 1)[0])
    if tick:
        return RESOLVED_MARK if tick["tick"] in "✅☑✔" else OPEN_MARK
    for value in _label_values(zone, label_inner):
        word = _word_in(value)
        if word is not None:
            return word
    return None


def _label_values(zone: str, label_inner: str) -> list[str]:
    first_line = zone.split("\n", 1)[0]
    values = [label_inner]
    values += [found["value"] for found in _STATUS_FIELD.finditer(zone)]
    values += [found["value"] for found in [_LEADING.match(zone)] if found]
    values += [
        found["value"] for found in _BRACKET.finditer(first_line[:200]) if len(found["value"].split()) <= 8
    ]
    values += [found.group() for found in [_CAPITALS.search(first_line[:260])] if found]
    values += [
        found["value"] for found in [_AT_END.search(first_line)] if found and len(found["value"].split()) <= 4
    ]
    values += [found["value"] for found in _ARROWED.finditer(first_line) if len(found["value"].split()) <= 6]
    return [value for value in values if value.strip()]


def _word_in(value: str) -> str | None:
    if _DONE.match(value):
        return RESOLVED_MARK
    resolved = RESOLVED.search(value)
    if PARTIAL.search(value) and (resolved or len(value.split()) <= 3):
        return PARTIAL_MARK
    if re.search(
        r"\b(?:not|un|never)[ -]?(?:yet |fully )?(?:resolved|fixed|closed|addressed)", value, re.IGNORECASE
    ):
        return OPEN_MARK
    if resolved and not NOT_RESOLVED.search(value[: resolved.start()]):
        return RESOLVED_MARK
    return OPEN_MARK if STILL_OPEN.search(value) else None


def status_in_prior_section(text: str) -> str | None:
    """The status that a line of a section about earlier concerns gives, anywhere in its first lines."""
    word = status_word(text)
    if word is not None:
        return word
    zone = text[:300]
    if PARTIAL.search(zone):
        return PARTIAL_MARK
    if re.search(r"\b(?:not|un|never|isn't|remains?)[ -]?(?:yet |fully )?(?:resolved|fixed|closed|addressed|open)", zone, re.IGNORECASE):  # fmt: skip
        return OPEN_MARK
    if RESOLVED.search(zone) or "✅" in zone[:80]:
        return RESOLVED_MARK
    return OPEN_MARK if STILL_OPEN.search(zone[:120]) else None


def status_of(word: str | None, text: str, *, quoted: bool) -> FindingStatus:
    """The status of a finding outside sections about earlier ones."""
    if word == RESOLVED_MARK:
        return FindingStatus.RESOLVED
    if word == PARTIAL_MARK or quoted or _QUOTING.match(text[:120]):
        return FindingStatus.QUOTED
    return FindingStatus.OPEN
