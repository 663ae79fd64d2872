"""Puts a reviewer's text below its section, so that it can never open a section of ours.

What changes: headings go down to level four and below (ATX and setext, in lists and quotes too), a heading that
would share its anchor with one of ours becomes a line of text, raw HTML and images become text, link reference
definitions are disarmed, an open code fence is closed, and no line of a code block begins with `#` at the margin.

The result is parsed again and checked; a text that still breaks the rule is shown whole as a code block.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from msd_review.lazy import regex
from msd_review.report.text import slug

LOWEST_OWN_LEVEL = 3
_TOP = LOWEST_OWN_LEVEL + 1
_ROUNDS = 4
# Beyond these a text is shown as a code block without being parsed: reading Markdown costs about 0.1 ms a mark.
_MAX_CHARACTERS = 400_000
_MAX_MARKS = 40_000
_PREFIX = r"(?P<prefix>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*)"
_ATX = regex(_PREFIX + r"(?P<marks>#{1,6})(?=[ \t]|$)")
_DEFINITION = regex(_PREFIX + r"\[(?=[^\n]*\]:|[^\]\n]*$)")
_FENCE_LINE = regex(r"[ ]{0,3}(?P<marks>`{3,}|~{3,})[ \t]*$")
_MARGIN_HEADING = regex(r"^#{1,6}(?=[ \t]|$)", re.M)
_TICKS_OR_HTML = regex(r"\\.|`+|<(?=[A-Za-z/!?])|!\[", re.S)
_AUTOLINK = regex(r"<(?:https?|mailto):[^\s<>]*>", re.IGNORECASE)

_READER = MarkdownIt("commonmark", {"html": False}).enable("table")
# The second only where there can be a table.
_JUDGES = (MarkdownIt("commonmark"), MarkdownIt("commonmark").enable("table"))


def nest(text: str, reserved: Collection[str] = ()) -> str:
    """`text` as Markdown that stays below a level-two heading.

    `reserved` are the anchors of our own headings. Same input, same output; nothing is dropped but the marks
    that made a heading, an image or an HTML element.
    """
    if len(text) > _MAX_CHARACTERS or sum(map(text.count, "[*_`<\n")) > _MAX_MARKS:
        return as_code(text)
    for escape_code_spans in (False, True):
        nested = text.strip("\n")
        for round_number in range(_ROUNDS):
            nested = _changed(nested, reserved, code_spans=escape_code_spans, whole_tree=round_number == 0)
            if stays_below(nested, reserved):
                return nested
    return as_code(text)


def stays_below(text: str, reserved: Collection[str] = ()) -> bool:
    """Whether Markdown readers find no HTML, reference, image or open fence, and no heading of our levels or anchors."""
    judges = _JUDGES if "|" in text else _JUDGES[:1]
    return all(_harmless_to(judge, text, reserved) for judge in judges)


def _harmless_to(judge: MarkdownIt, text: str, reserved: Collection[str]) -> bool:
    environment: dict[str, object] = {}
    tokens = judge.parse(text, environment)
    if environment.get("references") or _open_fence(tokens, text.split("\n")):
        return False
    return not any(_breaks_out(tokens, at, reserved) for at in range(len(tokens)))


def _breaks_out(tokens: Sequence[Token], at: int, reserved: Collection[str]) -> bool:
    token = tokens[at]
    if token.type == "heading_open":
        return int(token.tag[1:]) < _TOP or slug(tokens[at + 1].content) in reserved
    inside = {child.type for child in token.children or ()}
    return token.type == "html_block" or bool(inside & {"html_inline", "image"})


def _changed(text: str, reserved: Collection[str], *, code_spans: bool, whole_tree: bool) -> str:
    """One round of changes; what they uncover, the next round sees."""
    environment: dict[str, Any] = {}
    tokens = _READER.parse(text, environment)
    lines = text.split("\n")
    _disarm_definitions(lines, environment)
    _escape_inlines(lines, tokens, code_spans=code_spans)
    _demote(lines, tokens, reserved, whole_tree=whole_tree)
    _shift_code(lines, tokens)
    fence = _open_fence(tokens, lines)
    return "\n".join([*lines, fence] if fence else lines)


def as_code(text: str) -> str:
    """`text` as one indented code block: nothing in it is Markdown any more."""
    return "\n".join(f"    {line}".rstrip() for line in text.strip("\n").split("\n"))


def _disarm_definitions(lines: list[str], environment: Mapping[str, Any]) -> None:
    found = [*environment.get("references", {}).values(), *environment.get("duplicate_refs", [])]
    for start in {entry["map"][0] for entry in found if "map" in entry}:
        lines[start] = _DEFINITION.sub(lambda match: match["prefix"] + "\\[", lines[start], count=1)


def _escape_inlines(lines: list[str], tokens: Sequence[Token], *, code_spans: bool) -> None:
    seen: set[int] = set()
    for token in tokens:
        if token.type != "inline" or token.map is None or token.map[0] in seen:
            continue
        start, end = token.map
        seen.add(start)
        lines[start:end] = _escape("\n".join(lines[start:end]), code_spans=code_spans).split("\n")


def _escape(block: str, *, code_spans: bool) -> str:
    """HTML and images become text; outside code spans only, unless `code_spans`; found as CommonMark finds them."""
    pieces: list[str] = []
    at = 0
    missing: set[int] = set()
    while match := _TICKS_OR_HTML.search(block, at):
        found = match.group()
        end = match.end()
        pieces.append(block[at : match.start()])
        if found[0] == "`":
            closing = None if code_spans or len(found) in missing else _closing_ticks(block, end, len(found))
            missing |= set() if closing else {len(found)}
            end = closing or end
            pieces.append(block[match.start() : end])
        elif autolink := _AUTOLINK.match(block, match.start()):
            end = autolink.end()
            pieces.append(autolink.group())
        else:
            pieces.append({"<": "&lt;", "![": "\\!["}.get(found, found))
        at = end
    return "".join([*pieces, block[at:]])


def _closing_ticks(block: str, start: int, length: int) -> int | None:
    match = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(block, start)
    return match.end() if match else None


def _demote(
    lines: list[str], tokens: Sequence[Token], reserved: Collection[str], *, whole_tree: bool
) -> None:
    """Moves headings down: all by the same step, or (`whole_tree` False) only those that are still too high."""
    heads = [
        (token, tokens[at + 1].content) for at, token in enumerate(tokens) if token.type == "heading_open"
    ]
    shift = max(0, _TOP - min((int(token.tag[1:]) for token, _ in heads), default=_TOP))
    for token, content in heads:
        if token.map is None:
            continue
        level = int(token.tag[1:])
        marks = "#" * min(6, level + shift if whole_tree else max(level, _TOP))
        taken = slug(content) in reserved
        if token.markup[:1] == "#":
            _demote_atx(lines, token.map[0], "\\" + token.markup if taken else marks)
        else:
            _demote_setext(lines, token.map, content, "" if taken else marks + " ")


def _demote_atx(lines: list[str], at: int, marks: str) -> None:
    lines[at] = _ATX.sub(lambda match: match["prefix"] + marks, lines[at], count=1)


def _demote_setext(lines: list[str], span: list[int], content: str, marks: str) -> None:
    """The heading's text on one ATX line; its underline becomes an empty line of the same container."""
    first, last = span[0], span[1] - 1
    text = content.split("\n")[0]
    at = lines[first].rfind(text) if text else -1
    if at < 0:
        return
    joined = " ".join(line.strip() for line in content.split("\n"))
    quote = re.match(r"[ \t>]*", lines[last])
    lines[first] = lines[first][:at] + marks + joined
    for index in range(first + 1, last + 1):
        lines[index] = quote.group().rstrip() if quote else ""


def _shift_code(lines: list[str], tokens: Sequence[Token]) -> None:
    """Code with a heading's marks at the margin is written one space in, its fences too: it renders the same."""
    for token in tokens:
        if (
            token.type != "fence"
            or token.level
            or token.map is None
            or not _MARGIN_HEADING.search(token.content)
        ):
            continue
        start, end = token.map
        content = token.content.split("\n")[:-1]
        closed = end - start == len(content) + 2
        lines[start] = " " + lines[start].lstrip(" ")
        lines[start + 1 : start + 1 + len(content)] = [f" {line}" for line in content]
        if closed:
            lines[end - 1] = " " + lines[end - 1].lstrip(" ")


def _open_fence(tokens: Sequence[Token], lines: Sequence[str]) -> str | None:
    """The line that closes a code fence which is still open at the end of the text; only the last block can be."""
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.map is None:
        return None
    first, end = last.map
    closing = _FENCE_LINE.fullmatch(lines[end - 1]) if end - first > 1 else None
    return None if closing and closing["marks"].startswith(last.markup) else last.markup
