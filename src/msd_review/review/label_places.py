"""Severity labels at every place where a text may carry one: in front, behind, in a field, in a segment, in an identifier."""

import re

from msd_review.lazy import regex
from msd_review.review.labels import LABEL_ZONE, Label, leading_label, rebalanced
from msd_review.review.model import Severity
from msd_review.review.severities import (
    FIELD,
    OTHERS,
    RANGE,
    SEVERITY_WORD,
    either,
    range_severity,
    severity_of_cell,
)
from msd_review.review.vocabulary import EMOJI_SEVERITY

_SUFFIX_BRACKET = regex(
    rf"\s?[(（\[【]\s?[*_`]{{0,2}}(?:(?P<field>{FIELD})\s?[:：]?\s?)?{RANGE}(?P<inner>(?:\s{{0,2}}[,;:—–/·+-]|\s)[^()\[\]（）【】\n]{{0,90}})?[*_`]{{0,2}}\s?[)）\]】][*_`]{{0,2}}",
    re.IGNORECASE,
)
_SUFFIX_END = regex(
    rf"(?:\s?[:：—–|→]|\s-{{1,2}}|(?=\s[*`\[]))\s{{0,2}}(?P<wrap>[*_`\[(]{{0,4}})(?:(?P<field>{FIELD})\s?[:：]?\s?)?{RANGE}[*_`\])]{{0,4}}[.。]?\s{{0,2}}$",
    re.IGNORECASE,
)
_INLINE_FIELD = regex(
    r"(?:^|[\s(\[|,;.*_—–-])[*_`]{0,2}(?:severity|priority|sev|severidade|severidad|schweregrad|gravité|sévérité|gravidade|gravedad"
    rf"|重要度|深刻度|严重程度|严重性|심각도|중요도|mức độ(?: nghiêm trọng)?|серьёзность|серьезность)[*_`]{{0,2}}\s?[:：=][*_`]{{0,2}}\s?[*_`\[(]{{0,3}}(?:{either(EMOJI_SEVERITY)})?\ufe0f?\s?{RANGE}[*_`\])]{{0,3}}",
    re.IGNORECASE,
)
_BOLD_HEAD = regex(r"[*_]{2}(?P<inside>[^\n]{1,240}?)[*_]{2}")
_SCALE = regex(
    rf"(?<!\w){SEVERITY_WORD}\W{{1,3}}[|/]\W{{0,3}}{SEVERITY_WORD}\W{{0,3}}[|/]\W{{0,3}}{SEVERITY_WORD}(?!\w)",
    re.IGNORECASE,
)
_INSIDE = regex(r"\s?[(\[](?P<word>CRITICAL|BLOCKER|HIGH|MEDIUM|LOW)[)\]]")
_IDENTIFIER = regex(r"[\s*`\[(]{0,4}(?P<letter>[HML])-?\d{1,2}(?:\.\d{1,2})?(?=[\s*`\]):.—–-])")


def trailing_label(text: str) -> Label | None:
    """A severity in brackets in the title part of a text, or at the end of its first line or of itself."""
    head = _title_zone(text)
    for found in _SUFFIX_BRACKET.finditer(head):
        if _reads_as_label(found):
            rest = (head[: found.start()] + head[found.end() :] + text[len(head) :]).strip()
            return Label(severity=range_severity(found["low"], found["high"]), rest=rebalanced(rest), strong=True, inner=found["inner"] or "")  # fmt: skip
    return _label_at_end(text)


def _label_at_end(text: str) -> Label | None:
    first_line = text.split("\n", 1)[0]
    for piece in (text, first_line):
        tail = piece[-110:]
        found = _SUFFIX_END.search(tail) or next(
            (hit for hit in _SUFFIX_BRACKET.finditer(tail) if not tail[hit.end() :].strip(" .。*")), None
        )
        if found and _reads_as_label(found):
            rest = piece[: len(piece) - len(tail) + found.start()] + text[len(piece) :]
            return Label(
                severity=range_severity(found["low"], found["high"]), rest=rebalanced(rest), strong=True
            )
    return None


def _reads_as_label(found: re.Match[str]) -> bool:
    word = found["low"]
    if (
        found["field"]
        or not word.isascii()
        or word[0].isupper()
        or "wrap" in found.re.groupindex
        and found["wrap"]
    ):
        return True
    inner = found["inner"] if "inner" in found.re.groupindex else None
    return not inner


def _title_zone(text: str) -> str:
    """The bold head of a text, or what stands before its first colon or dash, or all of a short line."""
    line = text.split("\n", 1)[0][:LABEL_ZONE]
    bold = _BOLD_HEAD.search(line[:120])
    if bold and bold.start() < 12:
        return line[: bold.end() + 40]
    cut = re.search(r"[:：。]\s|\s[—–]\s|\.\s", line)
    return line[: cut.start() + 1] if cut else line


def inline_field(text: str) -> Label | None:
    """A labelled severity inside a text: "(Severity: HIGH)", "**Severity:** Low | **File:** x"."""
    found = _INLINE_FIELD.search(text[: LABEL_ZONE * 4])
    if not found or OTHERS.match(text, found.end()):
        return None
    rest = text[: found.start()] + " " + text[found.end() :]
    return Label(severity=range_severity(found["low"], found["high"]), rest=rebalanced(rest), strong=True)


def identifier_severity(text: str) -> Severity | None:
    """The severity in an identifier such as "H1", "M-2" or "L3" at the start of a title."""
    found = _IDENTIFIER.match(text[:20])
    if not found:
        return None
    return {"H": Severity.HIGH, "M": Severity.MEDIUM, "L": Severity.LOW}[found["letter"]]


_AFTER_IDENTIFIER = regex(r"^[\s*_`\]):.—–-]+")


def identifier_label(text: str) -> Label | None:
    """`H1  src/a.py:4  what is wrong`: the label that an identifier is where a list is made of them."""
    severity = identifier_severity(text)
    found = _IDENTIFIER.match(text[:20])
    if severity is None or found is None:
        return None
    return Label(
        severity=severity,
        rest=rebalanced(_AFTER_IDENTIFIER.sub("", text[found.end() :], count=1)),
        strong=True,
    )


def _label_inside(text: str) -> Label | None:
    """A sentence that is rated in capitals and brackets: "It ignores deletes (HIGH): …"."""
    found = _INSIDE.search(text[:LABEL_ZONE])
    if not found:
        return None
    rest = text[: found.start()] + text[found.end() :]
    return Label(severity=range_severity(found["word"], None), rest=rebalanced(rest), strong=True)


_PLACED = regex(
    r"[\s*_▶→•>-]{0,6}(?P<place>`[^`\n]{3,200}`|[\w./\\@-]{1,200}\.\w{1,10}(?::\d[\d,:–-]{0,20})?|:\d{1,7}(?:[-–]\d{1,7})?)(?:\s?\([^()\n]{0,40}\))?\*{0,2}\s{0,3}(?:[—–:|-]{1,2}\s{0,2})?(?=\W{0,4}\w)"
)


def placed_label(text: str, emoji: dict[str, Severity] = EMOJI_SEVERITY) -> Label | None:
    """`src/a.go:54 — **P1** what is wrong`: the label that follows a place; the place stays in the rest."""
    found = _PLACED.match(text[:LABEL_ZONE])
    label = leading_label(text[found.end() :], emoji) if found else None
    if found is None or label is None or not label.strong or not label.rest.strip():
        return None
    return Label(
        severity=label.severity, rest=f"{found['place']} — {label.rest}", strong=True, inner=label.inner
    )


def _segment_label(text: str) -> Label | None:
    """`Title · *medium* · place`: a severity that is one of the segments of a first line."""
    line, _, below = text.partition("\n")
    segments = _SEGMENTS.split(line[: 2 * LABEL_ZONE])
    for at, segment in enumerate(segments[1:5], start=1):
        severity = severity_of_cell(segment.strip(" *_`[]()")) if len(segment) < 40 else None
        if severity is not None:
            rest = " · ".join([*segments[:at], *segments[at + 1 :]]) + line[2 * LABEL_ZONE :]
            return Label(severity=severity, rest=f"{rest}\n{below}".strip(), strong=True)
    return None


_SEGMENTS = regex(r"\s[·|•]\s")


def find_label(text: str, emoji: dict[str, Severity] = EMOJI_SEVERITY) -> Label | None:
    """The label of a text, wherever a label may stand in it; a scale such as "HIGH | MEDIUM | LOW" is none."""
    if _SCALE.search(text[:LABEL_ZONE].split("\n", 1)[0]):
        return None
    return (
        leading_label(text, emoji)
        or placed_label(text, emoji)
        or inline_field(text)
        or trailing_label(text)
        or _segment_label(text)
        or _label_inside(text)
    )


def repeated_labels(text: str) -> list[int]:
    """Where strong leading labels recur inside one paragraph: offsets of the second and later ones."""
    starts = [found.start("label") for found in _AGAIN.finditer(text)]
    return [
        at
        for at in starts
        if _WORDS_BEFORE.search(text[:at]) and (label := leading_label(text[at:])) and label.strong
    ]


_WORDS_BEFORE = regex(r"[^\W\d_]{3,}")
_AGAIN = regex(
    rf"(?:[.;。；!?)`]\**\s{{1,3}}|\n\s{{0,3}})(?P<label>(?:(?:\d{{1,2}}|[A-Za-z])[.)]\s|\(\d{{1,2}}\)\s)?(?:also\s)?(?:\*\*|\[|`|\(|__|🔴|🟠|🟡|🟢|🔵|⚠){{0,2}}\s?{SEVERITY_WORD}(?!\w)[^\n]{{0,3}})",
    re.IGNORECASE,
)
