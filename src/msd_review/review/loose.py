"""Lists that Markdown does not see: lines of a paragraph that start with a bullet sign, a number or a coloured mark.

Reviewers paste from chats and terminals: `•` bullets, `3.` right below a line of text, one emoji a line. Each such
line becomes an item, so that a list is a list however it was typed. Line numbers are kept; work is linear.
"""

import re
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.review.vocabulary import EMOJI_SEVERITY

_MARK = regex(
    r"^[ \t]{0,8}(?:(?P<bullet>[•·▪▫◦‣●○◆■□►▶➤➢]|[–—](?=\s))\s*|(?P<number>\(?\d{1,3}[.)]|\d{1,2}(?:\.\d{1,2}){1,2}[.)]?|[①-⑳])\s+|(?P<answer>(?:A|Answer|Antwort):)\s+"
    rf"|(?P<colour>(?=[{''.join(EMOJI_SEVERITY)}👍👏💚🎉]))|(?P<field>(?=(?:severity|sev|priority)\b.{{3,40}}?[—–:-]\s))|(?P<identifier>(?=(?:[HMLC]-?\d{{1,2}}|[A-Z]{{1,3}}\d{{0,2}}-\d{{1,3}})[\s.:)])))(?=\S)",
    re.IGNORECASE,
)
_TITLE = regex(r"^\s{0,8}\d{1,2}\s+(?P<name>\S.{1,40})$")  # "2 Non-blocking" above "2.1 …"
_LEAD_IN = 40  # characters of a line that may stand above a list of one item


@dataclass(frozen=True, slots=True)
class LooseItem:
    """One part of a paragraph: an item of a list, or (where `marked` is False) what stands above the list.

    `line` counts from 0 within the paragraph; `number` is set for numbered items.
    """

    text: str
    line: int
    lines: int
    marked: bool
    number: int | None = None


def loose_items(text: str) -> tuple[LooseItem, ...]:
    """A paragraph taken apart into the items that its lines are; empty when it is no list."""
    if "\n" not in text:
        return ()
    lines = text.split("\n")
    marks = [_MARK.match(line) for line in lines]
    starts = [at for at, mark in enumerate(marks) if mark]
    if not _is_list(lines, marks, starts):
        return ()
    marked = frozenset(starts)
    titles = [
        at for at, line in enumerate(lines[:-1]) if at + 1 in marked and not marks[at] and _TITLE.match(line)
    ]
    edges = sorted({0, *titles, *starts, len(lines)})
    return tuple(_item(lines, marks, first, behind) for first, behind in zip(edges, edges[1:], strict=False))


def _is_list(lines: list[str], marks: list[re.Match[str] | None], starts: list[int]) -> bool:
    kinds = {mark.lastgroup for mark in marks if mark}
    if not starts or len(kinds) != 1:
        return False
    if len(starts) >= 2:
        return True
    if kinds == {"answer"}:
        return starts[0] > 0
    return kinds <= {"number", "identifier"} and starts[0] == 1 and len(lines[0].strip()) <= _LEAD_IN


def _item(lines: list[str], marks: list[re.Match[str] | None], first: int, behind: int) -> LooseItem:
    mark = marks[first]
    title = _TITLE.match(lines[first])
    own = lines[first][mark.end() :] if mark else title["name"] if title else lines[first]
    digits = re.sub(r"\D", "", mark["number"] or "")[-3:] if mark else ""
    return LooseItem(
        text="\n".join([own, *(line.strip() for line in lines[first + 1 : behind])]),
        line=first,
        lines=behind - first,
        marked=mark is not None,
        number=int(digits) if digits else None,
    )
