"""The severity label that a text begins with, in every notation: words, ranges, brackets, emoji, fields, scores, letters.

A severity word counts only where it labels something: wrapped, delimited, in capitals, or alone. The
higher end of a range counts. Every pattern here has bounded repeats, and looks at the first
`LABEL_ZONE` characters of a text, never at prose behind them.
"""

import re
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.severities import (
    FIELD,
    OTHERS,
    RANGE,
    SCORE,
    SEVERITY_WORD,
    either,
    range_severity,
    score_severity,
)
from msd_review.review.vocabulary import EMOJI_SEVERITY, SEVERITY_TAILS

LABEL_ZONE = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A severity label found in a text; `rest` is the text without it.

    `strong` labels are unmistakable (capitals, wrapped, a field, an emoji): they make a finding even
    outside a section of concerns. `inner` is what stood in the label beside the severity.
    """

    severity: Severity
    rest: str
    strong: bool
    inner: str = ""


_OPENERS = regex(
    r"[\s*_`\[\](){}【】〔〕「」『』（）〈〉《》<>~|\"'“”‘’•·‣→➡\u2190-\u21ff\u25a0-\u25ff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f🆕🐛🔒⚡🔥📝🧪📌🚩🧨💥🔺🔻🔸🔹🔶🔷🔎🔍]"
)
_NUMBERING = regex(
    r"(?:(?:A|Answer|Antwort|Respuesta|Réponse):(?=\s)|[A-Z]{1,3}\d{0,2}-?\d{1,3}(?=\s{1,3}[*\[(`_]{0,3}(?:was\s)?(?:critical|blocker|high|major|medium|moderate|low|minor|nit)\b)|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)](?=[\s*\[(【])|#\d{1,3}\b[.:)]?|\d{1,3}\s*[—–:](?=\s)|[①-⑳]"
    r"|(?:[IVXivx]{1,5}|\d{1,2})(?:\.\d{1,2}){1,3}[.)]?(?=\s)"
    r"|(?:Finding|Concern|Issue|Problem|Risk|Defect|Bug|指摘|懸念|問題|问题|문제|지적|우려)\s?#?[A-Z]?\d{1,3}\s?(?=[(（\[])"
    r"|(?:Finding|Concern|Issue|Problem|Risk|指摘|問題|问题|문제)?\s?#?[A-Z]{0,4}-?\d{1,3}(?:[.-]\d{1,3})?\s{0,2}(?:[.:)\]]|[—–-](?=\s))+)\s{0,3}",
    re.IGNORECASE,
)
_LEAD_WORD = regex(
    r"(?:(?:still |now |not |fully |partially |partly )?(?:resolved|fixed|closed|addressed|falsified|withdrawn|unresolved|new|remaining|residual|open|unresolved|updated|additional|was|previously|formerly|one more(?: thing)?|another one|carried(?:[ -](?:over|forward))?|also|existing|reopened|新規|新增|신규))(?:\s{0,2}[-—–/:：,]\s{0,2}|\s)(?=\W{0,4}\w)",
    re.IGNORECASE,
)
_LEAD_PHRASE = regex(
    r"(?:(?:there (?:is|are|remains?)|i (?:see|found|have)|only|and|plus)\s){0,2}(?:(?:one|an?|another|the|two|three|four|single|more|further|final)\s){1,3}"
    rf"(?={SEVERITY_WORD}[\s-](?:{either(SEVERITY_TAILS)})\s?[:：])",
    re.IGNORECASE,
)
_FIELD_AT = regex(
    rf"{FIELD}[*_`]{{0,2}}(?:\s{{0,2}}[:：=][*_`]{{0,2}}|\s(?={SEVERITY_WORD}(?:\*\*|\W{{0,3}}[:：—–])))",
    re.IGNORECASE,
)
_RANGE_AT = regex(RANGE, re.IGNORECASE)
_QUALIFIER = regex(r"\s{0,2}[(（\[][^()（）\[\]\n]{0,90}[)）\]]")
_INNER = regex(r"(?:\s{0,2}[-—–,;:/·|+]|\s)[^\])】）〕*`\n]{0,90}(?=[\])】）〕])")
_INNER_BOLD = regex(r"\s{1,2}[(（][^()（）\n]{0,90}[)）](?=[:：.]?\*\*|[:：])")
_CLOSERS = regex(r"[*_`\])】）〕」』}>~|\"”’\ufe0f]{0,8}")
_DELIMITER = regex(r"\s{0,3}(?:[:：—–|·•]{1,2}|->|→|=>|-(?=[\s*`\[])|--+(?=\s))[\s*_]{0,4}")
_FULL_STOP = regex(r"\s?[.。．,、]\**\s{1,2}")
_SCORED_AT = regex(
    rf"(?:severity|sev|severidade?|gravedad|gravidade|sévérité|gravité|schweregrad|重要度|深刻度)\s{{0,2}}[:：=]?\s{{0,2}}{SCORE}\s?/\s?10(?![\d.])",
    re.IGNORECASE,
)
_LETTER = regex(r"(?P<letter>[HMLC]|S[1-4])(?=[\])】*])")
_LETTERS = {
    **dict.fromkeys(("C", "H", "S1", "S2"), Severity.HIGH),
    **dict.fromkeys(("M", "S3"), Severity.MEDIUM),
    **dict.fromkeys(("L", "S4"), Severity.LOW),
}
_COMMENT = regex(
    rf"[\s*_`]{{0,4}}(?:issue|bug|problem|todo|concern|chore|defect)\s?[(（]\s?(?P<word>{SEVERITY_WORD})(?!\w)[^()（）\n]{{0,40}}[)）][\s*_`]{{0,3}}[:：][\s*_]{{0,4}}",
    re.IGNORECASE,
)
_CATEGORY = regex(r"(?:/[a-z][a-z-]{1,24}){1,2}(?=[\s)\]】*_`]{0,4}[:：—–)\]】-])", re.IGNORECASE)


def leading_label(text: str, emoji: dict[str, Severity] = EMOJI_SEVERITY) -> Label | None:
    """The severity label that a text begins with, behind numbering, emoji and wrapping."""
    zone = text[:LABEL_ZONE]
    comment = _COMMENT.match(zone)
    if comment:
        return Label(severity=range_severity(comment["word"], None), rest=text[comment.end() :].strip(), strong=True)  # fmt: skip
    at, mark, field = _skip_lead(zone, emoji)
    found = _RANGE_AT.match(zone, at)
    short = _short_label(text, at)
    if short or not found:
        return short or _emoji_label(text, at, mark)
    if OTHERS.match(zone, found.end()):
        return None
    lead = zone[:at]
    end, closed, inner = _behind(zone, found.end(), lead)
    delimiter = _DELIMITER.match(zone, end)
    stop = _FULL_STOP.match(zone, end)
    capitals = found["low"].isascii() and found["low"].isupper() and len(found["low"]) > 1
    wrapped = closed and bool(re.search(r"[*_`\[(【（〔「<]", lead))
    alone = not zone[end:].strip(" *_`:：.。")
    sentence = bool(stop) and found["low"][0].isupper()  # "High. The plan …"
    if not (
        field
        or wrapped
        or delimiter
        or alone
        or mark
        or sentence
        or (capitals and zone[end : end + 1] in " \n.,")
    ):
        return None
    after = delimiter.end() if delimiter else stop.end() if stop and (wrapped or sentence) else end
    severity = range_severity(found["low"], found["high"])
    opened = bool(delimiter) and re.search(r"[*_`\[(【]\W{0,4}$", lead) is not None
    strong = field or wrapped or capitals or opened or mark is not None
    return Label(severity=severity, rest=rebalanced(text[after:]), strong=strong, inner=inner)


def _skip_lead(zone: str, emoji: dict[str, Severity]) -> tuple[int, Severity | None, bool]:
    at, mark, field, numbered, told = 0, None, False, False, False
    while at < len(zone):
        char = zone[at]
        if char in emoji:
            mark, at = emoji[char], at + 1
        elif at and zone[at - 1] in "[(【*" and _LETTER.match(zone, at):
            break
        elif _OPENERS.match(char):
            at += 1
        elif (found := _FIELD_AT.match(zone, at)) and not field:
            field, at = True, found.end()
        elif not told and (found := _LEAD_WORD.match(zone, at) or _LEAD_PHRASE.match(zone, at)):
            told, at = True, found.end()
        elif not numbered and not _RANGE_AT.match(zone, at) and (found := _NUMBERING.match(zone, at)):
            numbered, at = True, found.end()
        else:
            break
    return at, mark, field


def _short_label(text: str, at: int) -> Label | None:
    """`[H]` in brackets, or a severity field that holds a score out of ten."""
    zone = text[:LABEL_ZONE]
    letter = _LETTER.match(zone, at) if at and zone[at - 1] in "[(【*" else None
    if letter:
        return Label(severity=_LETTERS[letter["letter"]], rest=rebalanced(text[letter.end() + 1 :].lstrip(" :：—–*-")), strong=True)  # fmt: skip
    scored = _SCORED_AT.match(zone, at)
    if scored:
        rest = text[scored.end() :].lstrip(" *_)]:：—–-")
        return Label(severity=score_severity(scored["score"]), rest=rebalanced(rest), strong=True)
    return None


def _emoji_label(text: str, at: int, mark: Severity | None) -> Label | None:
    if mark is None or re.match(r"[\W\d]{0,8}=", text):
        return None
    rest = re.sub(r"^[^\w\s*`\[(]+\s*", "", text, count=1) if at else text
    return Label(severity=mark, rest=rebalanced(rest), strong=True)


def _behind(zone: str, end: int, lead: str) -> tuple[int, bool, str]:
    """Past qualifiers and closing marks: where the label ends, whether it was closed, what it held."""
    inner = ""
    category = _CATEGORY.match(zone, end)
    if category:
        inner, end = category.group(), category.end()
    elif (
        re.search(r"[\[(【（〔]\W{0,6}\w*\W{0,3}$", lead)
        and (found := _INNER.match(zone, end))
        or (found := _INNER_BOLD.match(zone, end))
    ):
        inner, end = found.group(), found.end()
    closers = _CLOSERS.match(zone, end)
    closed = bool(closers and closers.group().strip("\ufe0f"))
    end = closers.end() if closers else end
    if (
        closed
        and (qualifier := _QUALIFIER.match(zone, end))
        and not zone.startswith("](", qualifier.end() - 1)
    ):
        inner, end = inner + qualifier.group(), qualifier.end()
        closers = _CLOSERS.match(zone, end)
        end = closers.end() if closers else end
    return end, closed, inner


def rebalanced(rest: str) -> str:
    rest = rest.strip()
    first_line = rest.split("\n", 1)[0]
    if first_line.count("**") % 2:
        return rest[2:] if rest.startswith("**") else "**" + rest
    if first_line.count("`") % 2 and rest.startswith("`"):
        return rest[1:].lstrip()
    if first_line.count("`") % 2 and re.match(r"[^\s`]{3,200}`", rest):
        return "`" + rest  # the opening mark stood right behind the label
    return rest
