"""Places in the code that a text names, in every notation that reviewers use.

Pure reading: nothing is looked up. URLs, versions, times, ratios, hosts and e-mail addresses are no
citations. A path needs a known file extension (or a known bare name), or a slash and a line number, so
that `Node.js` and `localhost:8080` stay words. Work is linear: every pattern has bounded repeats, and at
most `CITATION_LIMIT` citations are taken from one text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from msd_review.lazy import regex
from msd_review.review.line_words import lines_after, lines_before
from msd_review.review.model import Citation
from msd_review.review.places import (
    Place,
    blob_place,
    continuation_lines,
    is_plan_shorthand,
    place_of,
    places_within,
)

CITATION_LIMIT = 400
TEXT_LIMIT = 256 * 1024

_SCAN = regex(
    r"\[(?P<label>[^\[\]\n]{1,200})\]\(<?(?P<target>(?!https?://|mailto:)[^\s<>()]{1,400}(?:\([^\s()]{0,80}\)[^\s()]{0,200}){0,2})>?\)"
    r"|\[[^\[\]\n]{1,200}\]\((?P<weblink>[^\s()]{1,1000})\)"
    r"|(?P<file>file:/{2,3}[^\s<>()`\"']{1,600})"
    r"|(?P<url>(?:[a-z][a-z0-9+.-]{1,12}://|mailto:|www\.)[^\s<>()`\"']{1,2000})"
    r"|(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})"
    r"|(?P<routed>(?:[\w.@-]{1,80}/){0,8}(?:\[{1,2}[\w.-]{1,60}\]{1,2}|\([\w.-]{1,60}\))/(?:[\w.@-]{1,80}/|\[[\w.-]{1,60}\]/|\([\w.-]{1,60}\)/){0,8}[\w.@-]{1,80}\.\w{1,8}(?::\d{1,7}(?:[-–]\d{1,7})?)?)"
    r"|(?P<ticks>`{1,3})(?P<code>[^`\n]{1,300})(?P=ticks)"
    r"|(?P<token>[^\s`'\"<>|,;()\[\]{}*“”‘’「」『』（）【】、。，；！？«»]{1,400})",
    re.IGNORECASE,
)
_SYMBOL = regex(
    r"(?:(?P<scoped>[A-Za-z_]\w{0,80}(?:::~?[A-Za-z_]\w{0,80}){1,6})(?:\([^`\n]{0,160}\))?"
    r"|(?P<dotted>[A-Z]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){1,4})(?:\([^`\n]{0,160}\))?"
    r"|(?P<method>[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_$][\w$]{0,80}){1,5})\([^`\n]{0,160}\)"
    r"|(?P<call>[A-Za-z_$][\w$]{1,80}[!?]?)\([^`\n]{0,160}\))"
)
_NO_SYMBOLS = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "return",
        "catch",
        "sizeof",
        "typeof",
        "print",
        "len",
        "str",
        "int",
        "list",
        "dict",
        "set",
        "range",
        "eval",
        "exec",
        "var",
        "calc",
        "url",
        "rgba",
        "echo",
    ]
)
_QUOTE = regex(r"[`*)\]]{0,3}\s?(?:[:：—–-]{1,2}|\(|\breads?\b|\bsays?\b|\bcontains?\b|\bshows?\b|\bhas\b|\bis\b)?\s{0,2}(?:`(?P<code>[^`\n]{6,300})`|[\"“](?P<text>[^\"”\n]{12,300})[\"”])")  # fmt: skip
_FENCE_AFTER = regex(
    r"[`*)\]]{0,3}[^\n`]{0,40}[:：]?[ \t]*\n[ \t]*\n?[ \t]*(?:```|~~~)[^\n`]{0,40}\n(?P<code>[^`]{6,1500}?)\n[ \t]*(?:```|~~~)"
)
_MOST_PATHS_ONLY = regex(r"[\w./\\-]{1,300}(?::\d{1,7})?")


@dataclass(frozen=True, slots=True)
class _Hit:
    citation: Citation
    end: int


def extract_citations(text: str) -> tuple[Citation, ...]:
    """The citations of a text in the order in which they stand, each place once, none checked."""
    found: dict[tuple[str | None, int | None, int | None, str | None], Citation] = {}
    for citation in _walk(text[:TEXT_LIMIT]):
        key = (citation.path, citation.line, citation.end_line, citation.symbol)
        known = found.get(key)
        if known is None:
            found[key] = citation
        elif known.quote is None and citation.quote is not None:
            found[key] = replace(known, quote=citation.quote)
        if len(found) >= CITATION_LIMIT:
            break
    return _without_vaguer(tuple(found.values()))


def has_path_citation(text: str) -> bool:
    """Whether a text names at least one file."""
    return any(citation.path for citation in _walk(text[: TEXT_LIMIT * 8]))


def _without_vaguer(citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """A file named without a line says nothing beside the same file with a line or a symbol."""
    exact = {citation.path for citation in citations if citation.path and (citation.line or citation.symbol)}
    return tuple(c for c in citations if c.path not in exact or c.line or c.symbol)


def _walk(text: str) -> Iterator[Citation]:
    last: Place | None = None
    for found in _SCAN.finditer(text):
        hits = list(_read(text, found, last))
        for hit, place in hits:
            yield hit
            last = place if place is not None and place.path else last


def _read(text: str, found: re.Match[str], last: Place | None) -> Iterator[tuple[Citation, Place | None]]:
    raw = found.group()
    if found["target"] is not None:
        place = _link_place(found["label"], found["target"])
        if place is not None:
            yield from _with_lines(text, found.span(), place, raw)
    elif found["file"] is not None:
        place = place_of(found["file"])
        if place is not None:
            yield from _with_lines(text, found.span(), place, raw)
    elif (link := found["weblink"] or found["url"]) is not None:
        linked = blob_place(link)
        if linked is not None:
            yield _citation(linked, link, None), linked
    elif found["routed"] is not None:
        routed = place_of(found["routed"])
        if routed is not None:
            yield from _with_lines(text, found.span(), routed, raw)
    elif found["code"] is not None:
        yield from _read_code(text, found, last)
    elif found["token"] is not None:
        yield from _read_token(text, found, last)


def _read_token(
    text: str, found: re.Match[str], last: Place | None
) -> Iterator[tuple[Citation, Place | None]]:
    token = found["token"]
    if not token.isascii():
        for inner, first, behind in places_within(token):
            span = (found.start() + first, found.start() + behind)
            yield from _with_lines(text, span, inner, token[first:behind])
        return
    place = place_of(token) or _same_file(token, last, text, found.start())
    if place is not None:
        yield from _with_lines(text, found.span(), place, token)


def _read_code(
    text: str, found: re.Match[str], last: Place | None
) -> Iterator[tuple[Citation, Place | None]]:
    code = found["code"].strip()
    place = place_of(code) or _same_file(code, last, text, found.start(), code=True)
    if place is not None:
        yield from _with_lines(text, found.span(), place, code)
        return
    symbol = _SYMBOL.fullmatch(code)
    if symbol:
        name = next(
            value for value in (symbol["scoped"], symbol["dotted"], symbol["method"], symbol["call"]) if value
        )
        if name not in _NO_SYMBOLS:
            yield Citation(raw=code, path=None, symbol=name), None
        return
    for inner in re.finditer(r"[^\s,;()\[\]{}\"'<>|]{3,300}", code):
        place = place_of(inner.group())
        if place is not None and (place.line or "/" in place.path):
            yield _citation(place, inner.group(), None), place


def _link_place(label: str, target: str) -> Place | None:
    place = place_of(target)
    if place is None:
        return None
    named = place_of(label.strip(" `*"))
    if place.line is None and named is not None and named.line is not None:
        return replace(place, line=named.line, end_line=named.end_line)
    return place


def _same_file(token: str, last: Place | None, text: str, at: int, *, code: bool = False) -> Place | None:
    """`:350-355` standing alone, or a bare range in code behind a cited line of the same file."""
    if last is None or last.path is None:
        return None
    lines = continuation_lines(
        token, bare=code and last.line is not None and text[max(0, at - 2) : at] == ", "
    )
    if not lines:
        return None
    return replace(last, line=lines[0][0], end_line=lines[0][1], symbol=None, more=tuple(lines[1:]))


def _with_lines(
    text: str, span: tuple[int, int], place: Place, raw: str
) -> Iterator[tuple[Citation, Place | None]]:
    start, end = span
    if place.line is None and not is_plan_shorthand(place.path):
        after = lines_after(text[end : end + 90])
        before = lines_before(text[max(0, start - 48) : start])
        if after is not None:
            lines, length = after
            raw, end = raw + text[end : end + length], end + length
            place = replace(place, line=lines[0][0], end_line=lines[0][1], more=tuple(lines[1:]))
        elif before is not None:
            place = replace(place, line=before[0], end_line=before[1])
    elif place.line is not None:
        more, length = _listed_lines(text[end : end + 80])
        place = replace(place, more=(*place.more, *more))
        end += length
    yield _citation(place, raw, _quote_after(text, end) if place.line else None), place
    for line, end_line in place.more:
        yield replace(_citation(place, raw, None), line=line, end_line=end_line), place


def _listed_lines(after: str) -> tuple[list[tuple[int, int | None]], int]:
    """`, 40` and `,47-49` behind a cited line: more lines of the same file."""
    lines: list[tuple[int, int | None]] = []
    at = 0
    while found := re.match(
        r"`{0,2},\s?(?:and\s)?:?(\d{1,7})(?:[-–](\d{1,7}))?(?=[,;.)\]`]|\s(?:and|&|\()|\s?$|\n)(?!\.\d)",
        after[at:],
    ):
        lines.append((int(found[1]), int(found[2]) if found[2] else None))
        at += found.end()
    return lines, at


def _quote_after(text: str, end: int) -> str | None:
    after = text[end : end + 400]
    found = _QUOTE.match(after)
    if found:
        quote = (found["code"] or found["text"]).strip()
        if place_of(quote) is None and not _MOST_PATHS_ONLY.fullmatch(quote):
            return quote
        return None
    fence = _FENCE_AFTER.match(text[end : end + 1800])
    return fence["code"].strip("\n") if fence else None


def _citation(place: Place, raw: str, quote: str | None) -> Citation:
    return Citation(
        raw=raw.strip(),
        path=place.path,
        line=place.line,
        end_line=place.end_line,
        symbol=place.symbol,
        quote=quote,
    )
