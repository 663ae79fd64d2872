"""Severity labels in every notation: prefix, suffix, brackets, backticks, emoji, field, range.

A severity word counts only where it labels something: wrapped, delimited, in capitals, or alone. The
higher end of a range counts. Every pattern here has bounded repeats, and looks at the first
`LABEL_ZONE` characters of a text or the last ones of its first line, never at prose in between.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.vocabulary import EMOJI_SEVERITY, SEVERITY_FIELDS, SEVERITY_TAILS, SEVERITY_WORDS

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


def _either(words: Iterable[str]) -> str:
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=lambda word: (-len(word), word))
    )


SEVERITY_WORD = rf"(?:{_either(SEVERITY_WORDS)})"
_SEV = SEVERITY_WORD
_FIELD = rf"(?:{_either(SEVERITY_FIELDS)})"
_TAIL = rf"(?:[\s-]?(?:{_either(SEVERITY_TAILS)})(?!\w)){{0,2}}"
_BETWEEN = r"\s{0,2}(?:[-–—‑/~〜～→&+]|to|or|and|bis|à|y|e|até|đến|hoặc|から|至|到)\s{0,2}"
_RANGE = rf"(?P<low>{_SEV})(?:{_BETWEEN}(?P<high>{_SEV}))?\+?{_TAIL}(?!\w)"

_QUALIFIERS = (
    r"(?:trivial|pass|nits?|blocking|non-blocking|blockers?|cosmetic|optional|polish|must[ -](?:fix|address|resolve)|should[ -](?:fix|address|resolve)|nice[ -]to[ -]have"
    r"|fix (?:first|now|before .{1,30})|before .{1,30}|consider|follow-?up|advisory|informational|confirmed|verified|new|\d{1,3}(?: items?| findings?)?)"
)  # fmt: skip

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
    rf"(?={_SEV}[\s-](?:{_either(SEVERITY_TAILS)})\s?[:：])",
    re.IGNORECASE,
)
_FIELD_AT = regex(
    rf"{_FIELD}[*_`]{{0,2}}(?:\s{{0,2}}[:：=][*_`]{{0,2}}|\s(?={_SEV}(?:\*\*|\W{{0,3}}[:：—–])))",
    re.IGNORECASE,
)
_RANGE_AT = regex(_RANGE, re.IGNORECASE)
_QUALIFIER = regex(r"\s{0,2}[(（\[][^()（）\[\]\n]{0,90}[)）\]]")
_INNER = regex(r"(?:\s{0,2}[-—–,;:/·|+]|\s)[^\])】）〕*`\n]{0,90}(?=[\])】）〕])")
_INNER_BOLD = regex(r"\s{1,2}[(（][^()（）\n]{0,90}[)）](?=[:：.]?\*\*|[:：])")
_CLOSERS = regex(r"[*_`\])】）〕」』}>~|\"”’\ufe0f]{0,8}")
_DELIMITER = regex(r"\s{0,3}(?:[:：—–|·•]{1,2}|->|→|=>|-(?=[\s*`\[])|--+(?=\s))[\s*_]{0,4}")
_FULL_STOP = regex(r"\s?[.。．,、]\**\s{1,2}")

_SUFFIX_BRACKET = regex(
    rf"\s?[(（\[【]\s?[*_`]{{0,2}}(?:(?P<field>{_FIELD})\s?[:：]?\s?)?{_RANGE}(?P<inner>(?:\s{{0,2}}[,;:—–/·+-]|\s)[^()\[\]（）【】\n]{{0,90}})?[*_`]{{0,2}}\s?[)）\]】][*_`]{{0,2}}",
    re.IGNORECASE,
)
_SUFFIX_END = regex(
    rf"(?:\s?[:：—–|→]|\s-{{1,2}}|(?=\s[*`\[]))\s{{0,2}}(?P<wrap>[*_`\[(]{{0,4}})(?:(?P<field>{_FIELD})\s?[:：]?\s?)?{_RANGE}[*_`\])]{{0,4}}[.。]?\s{{0,2}}$",
    re.IGNORECASE,
)
_INLINE_FIELD = regex(
    r"(?:^|[\s(\[|,;.*_—–-])[*_`]{0,2}(?:severity|priority|sev|severidade|severidad|schweregrad|gravité|sévérité|gravidade|gravedad"
    rf"|重要度|深刻度|严重程度|严重性|심각도|중요도|mức độ(?: nghiêm trọng)?|серьёзность|серьезность)[*_`]{{0,2}}\s?[:：=][*_`]{{0,2}}\s?[*_`\[(]{{0,3}}(?:{_either(EMOJI_SEVERITY)})?\ufe0f?\s?{_RANGE}[*_`\])]{{0,3}}",
    re.IGNORECASE,
)
_WHOLE = regex(
    rf"[\s*_`\[(（【~:]{{0,6}}(?:{_FIELD}\s?[:：=]?\s?)?[*_`]{{0,2}}{_RANGE}[*_`]{{0,2}}(?P<more>\s?(?:[(（\[][^\n]{{0,60}}[)）\]]|[/,;—–-]\s?(?:{_QUALIFIERS}))){{0,2}}[\s*_`\])）】.:：~]{{0,6}}",
    re.IGNORECASE,
)
_BOLD_HEAD = regex(r"[*_]{2}(?P<inside>[^\n]{1,240}?)[*_]{2}")
_OTHERS = regex(rf"\W{{0,3}}[|/=]\W{{0,3}}{_SEV}\W{{0,3}}[|/,]", re.IGNORECASE)  # a scale, no rating
_SCALE = regex(rf"(?<!\w){_SEV}\W{{1,3}}[|/]\W{{0,3}}{_SEV}\W{{0,3}}[|/]\W{{0,3}}{_SEV}(?!\w)", re.IGNORECASE)
_INSIDE = regex(r"\s?[(\[](?P<word>CRITICAL|BLOCKER|HIGH|MEDIUM|LOW)[)\]]")
_SCORE = r"(?P<score>10(?:\.0)?|\d(?:\.\d)?)"
_SCORED_AT = regex(
    rf"(?:severity|sev|severidade?|gravedad|gravidade|sévérité|gravité|schweregrad|重要度|深刻度)\s{{0,2}}[:：=]?\s{{0,2}}{_SCORE}\s?/\s?10(?![\d.])",
    re.IGNORECASE,
)
_SCORE_CELL = regex(
    rf"[\s*_`]{{0,4}}(?P<cvss>CVSS[\s:v=]{{0,3}}(?:[234](?:\.\d)?[\s:=]{{1,2}})?)?{_SCORE}(?:\s?/\s?10)?(?:[\s—–(\[/|-]{{1,4}}(?P<word>{_SEV})[)\]]?)?[\s*_`]{{0,4}}",
    re.IGNORECASE,
)
_LETTER = regex(r"(?P<letter>[HMLC]|S[1-4])(?=[\])】*])")
_LETTERS = {
    **dict.fromkeys(("C", "H", "S1", "S2"), Severity.HIGH),
    **dict.fromkeys(("M", "S3"), Severity.MEDIUM),
    **dict.fromkeys(("L", "S4"), Severity.LOW),
}
_COMMENT = regex(
    rf"[\s*_`]{{0,4}}(?:issue|bug|problem|todo|concern|chore|defect)\s?[(（]\s?(?P<word>{_SEV})(?!\w)[^()（）\n]{{0,40}}[)）][\s*_`]{{0,3}}[:：][\s*_]{{0,4}}",
    re.IGNORECASE,
)
_CATEGORY = regex(r"(?:/[a-z][a-z-]{1,24}){1,2}(?=[\s)\]】*_`]{0,4}[:：—–)\]】-])", re.IGNORECASE)
_IDENTIFIER = regex(r"[\s*`\[(]{0,4}(?P<letter>[HML])-?\d{1,2}(?:\.\d{1,2})?(?=[\s*`\]):.—–-])")


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
    if _OTHERS.match(zone, found.end()):
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
    return Label(severity=severity, rest=_rebalanced(text[after:]), strong=strong, inner=inner)


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
        return Label(severity=_LETTERS[letter["letter"]], rest=_rebalanced(text[letter.end() + 1 :].lstrip(" :：—–*-")), strong=True)  # fmt: skip
    scored = _SCORED_AT.match(zone, at)
    if scored:
        rest = text[scored.end() :].lstrip(" *_)]:：—–-")
        return Label(severity=score_severity(scored["score"]), rest=_rebalanced(rest), strong=True)
    return None


def _emoji_label(text: str, at: int, mark: Severity | None) -> Label | None:
    if mark is None or re.match(r"[\W\d]{0,8}=", text):
        return None
    rest = re.sub(r"^[^\w\s*`\[(]+\s*", "", text, count=1) if at else text
    return Label(severity=mark, rest=_rebalanced(rest), strong=True)


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


def _rebalanced(rest: str) -> str:
    rest = rest.strip()
    first_line = rest.split("\n", 1)[0]
    if first_line.count("**") % 2:
        return rest[2:] if rest.startswith("**") else "**" + rest
    if first_line.count("`") % 2 and rest.startswith("`"):
        return rest[1:].lstrip()
    if first_line.count("`") % 2 and re.match(r"[^\s`]{3,200}`", rest):
        return "`" + rest  # the opening mark stood right behind the label
    return rest


def trailing_label(text: str) -> Label | None:
    """A severity in brackets in the title part of a text, or at the end of its first line or of itself."""
    head = _title_zone(text)
    for found in _SUFFIX_BRACKET.finditer(head):
        if _reads_as_label(found):
            rest = (head[: found.start()] + head[found.end() :] + text[len(head) :]).strip()
            return Label(severity=range_severity(found["low"], found["high"]), rest=_rebalanced(rest), strong=True, inner=found["inner"] or "")  # fmt: skip
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
                severity=range_severity(found["low"], found["high"]), rest=_rebalanced(rest), strong=True
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
    if not found or _OTHERS.match(text, found.end()):
        return None
    rest = text[: found.start()] + " " + text[found.end() :]
    return Label(severity=range_severity(found["low"], found["high"]), rest=_rebalanced(rest), strong=True)


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
        rest=_rebalanced(_AFTER_IDENTIFIER.sub("", text[found.end() :], count=1)),
        strong=True,
    )


def _label_inside(text: str) -> Label | None:
    """A sentence that is rated in capitals and brackets: "It ignores deletes (HIGH): …"."""
    found = _INSIDE.search(text[:LABEL_ZONE])
    if not found:
        return None
    rest = text[: found.start()] + text[found.end() :]
    return Label(severity=range_severity(found["word"], None), rest=_rebalanced(rest), strong=True)


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
    rf"(?:[.;。；!?)`]\**\s{{1,3}}|\n\s{{0,3}})(?P<label>(?:(?:\d{{1,2}}|[A-Za-z])[.)]\s|\(\d{{1,2}}\)\s)?(?:also\s)?(?:\*\*|\[|`|\(|__|🔴|🟠|🟡|🟢|🔵|⚠){{0,2}}\s?{_SEV}(?!\w)[^\n]{{0,3}})",
    re.IGNORECASE,
)
