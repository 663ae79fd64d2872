"""Severity words: what they mean, alone, in a range, with a score, and as the whole of a short text.

Patterns that other modules build on are constants of sources, not compiled; all repeats in them are bounded.
"""

import re
from collections.abc import Iterable

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.vocabulary import EMOJI_SEVERITY, SEVERITY_FIELDS, SEVERITY_TAILS, SEVERITY_WORDS


def either(words: Iterable[str]) -> str:
    """The words as alternatives of a pattern, longest first."""
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=lambda word: (-len(word), word))
    )


SEVERITY_WORD = rf"(?:{either(SEVERITY_WORDS)})"
FIELD = rf"(?:{either(SEVERITY_FIELDS)})"
_TAIL = rf"(?:[\s-]?(?:{either(SEVERITY_TAILS)})(?!\w)){{0,2}}"
_BETWEEN = r"\s{0,2}(?:[-–—‑/~〜～→&+]|to|or|and|bis|à|y|e|até|đến|hoặc|から|至|到)\s{0,2}"
RANGE = rf"(?P<low>{SEVERITY_WORD})(?:{_BETWEEN}(?P<high>{SEVERITY_WORD}))?\+?{_TAIL}(?!\w)"
_QUALIFIERS = (
    r"(?:trivial|pass|nits?|blocking|non-blocking|blockers?|cosmetic|optional|polish|must[ -](?:fix|address|resolve)|should[ -](?:fix|address|resolve)|nice[ -]to[ -]have"
    r"|fix (?:first|now|before .{1,30})|before .{1,30}|consider|follow-?up|advisory|informational|confirmed|verified|new|\d{1,3}(?: items?| findings?)?)"
)  # fmt: skip
_WHOLE = regex(
    rf"[\s*_`\[(（【~:]{{0,6}}(?:{FIELD}\s?[:：=]?\s?)?[*_`]{{0,2}}{RANGE}[*_`]{{0,2}}(?P<more>\s?(?:[(（\[][^\n]{{0,60}}[)）\]]|[/,;—–-]\s?(?:{_QUALIFIERS}))){{0,2}}[\s*_`\])）】.:：~]{{0,6}}",
    re.IGNORECASE,
)
OTHERS = regex(rf"\W{{0,3}}[|/=]\W{{0,3}}{SEVERITY_WORD}\W{{0,3}}[|/,]", re.IGNORECASE)  # a scale, no rating
SCORE = r"(?P<score>10(?:\.0)?|\d(?:\.\d)?)"
_SCORE_CELL = regex(
    rf"[\s*_`]{{0,4}}(?P<cvss>CVSS[\s:v=]{{0,3}}(?:[234](?:\.\d)?[\s:=]{{1,2}})?)?{SCORE}(?:\s?/\s?10)?(?:[\s—–(\[/|-]{{1,4}}(?P<word>{SEVERITY_WORD})[)\]]?)?[\s*_`]{{0,4}}",
    re.IGNORECASE,
)


def range_severity(low: str, high: str | None) -> Severity:
    """The higher of one or two severity words."""
    found = [SEVERITY_WORDS[re.sub(r"\s", " ", word.lower())] for word in (low, high) if word]
    return max(found, key=lambda severity: severity.rank)


def severity_of_cell(text: str, emoji: dict[str, Severity] = EMOJI_SEVERITY) -> Severity | None:
    """The severity that a whole short text is ("HIGH", "🔴 High", "Low–Medium risk", "P1"); else None."""
    mark = next((emoji[char] for char in text[:6] if char in emoji), None)
    bare = _without_emoji(text, emoji)
    scored = _SCORE_CELL.fullmatch(bare[:60]) if len(bare) <= 60 else None
    if scored and (scored["word"] or scored["cvss"]):
        return range_severity(scored["word"], None) if scored["word"] else score_severity(scored["score"])
    found = _WHOLE.fullmatch(bare[:120]) if bare.strip() else None
    if found and len(bare) <= 120:
        return range_severity(found["low"], found["high"])
    return mark if not re.search(r"\w", bare) else None


def score_severity(score: str) -> Severity:
    """The severity of a score from 0 to 10, by the bands of CVSS: from 7 high, from 4 medium."""
    value = float(score)
    return Severity.HIGH if value >= 7 else Severity.MEDIUM if value >= 4 else Severity.LOW


def _without_emoji(text: str, emoji: dict[str, Severity]) -> str:
    return "".join(char for char in text if char not in emoji and char != "\ufe0f")
