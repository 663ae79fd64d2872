"""A reviewer's Markdown as a tree of nodes with line numbers.

Only block structure is read (markdown-it's tokens with their line maps); inline text stays as written.
HTML blocks and indented code are read as text, because reviewers put findings into `<details>` and
indent lists by accident. Bounded: text beyond `READ_LIMIT` characters, lines beyond `LINE_LIMIT` and
nesting beyond 40 tokens are left out of the tree.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from msd_review.lazy import regex
from msd_review.review.fences import repair_fences
from msd_review.review.loose import loose_items

READ_LIMIT = 2 * 1024 * 1024
LINE_LIMIT = 8 * 1024
_DEEPEST = 40
_DEEP_MARKERS = regex(r"^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){12})[ \t>*+\-\d.)]*")
_MARGIN = 4
_ITEM = regex(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])\s")
_CHECKBOX = regex(r"^\[[ xX]\]\s+")
_CALLOUT = regex(r"^\[!(?P<name>NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)
_TAG_LINE = regex(r"^\s*</?(?:details|summary|div|p|br|sub|sup|table|center)\b[^>\n]*>\s*$", re.IGNORECASE)

Kind = Literal["heading", "text", "item", "table", "code", "rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One body row of a table."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A block. `line` is where it starts and `end` where it ends (1-based, inclusive).

    `level` is a heading's level; `number` an ordered item's; `quoted` says that it stands in a block
    quote; an item's own first text is `text`, what follows in it are its `children`. `callout` is the lower-case
    name of a GitHub alert ("warning") that the text is.
    """

    kind: Kind
    text: str
    line: int
    end: int
    level: int = 0
    number: int | None = None
    quoted: bool = False
    children: tuple["Node", ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    callout: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The tree and the lines it was read from (fences repaired)."""

    lines: tuple[str, ...]
    nodes: tuple[Node, ...]
    cut: bool  # more text came than is read

    def source(self, first: int, last: int) -> str:
        """The lines from `first` to `last`, 1-based and inclusive."""
        return "\n".join(self.lines[first - 1 : last])


def read_structure(text: str) -> Document:
    """Read cleaned text; never raises on any text."""
    lines = [_bounded(line) for line in text[:READ_LIMIT].split("\n")]
    lines = _without_margin(repair_fences(_unquoted(lines)))
    tokens = _parser().parse("\n".join(lines))
    nodes, _ = _read(tokens, 0, quoted=False)
    return Document(lines=tuple(lines), nodes=nodes, cut=len(text) > READ_LIMIT)


def _unquoted(lines: list[str]) -> list[str]:
    """A review that stands in a block quote as a whole quotes nobody."""
    told = [line for line in lines if line.strip()]
    if sum(1 for line in told if line.startswith(">")) * 10 < len(told) * 9 or not told:
        return lines
    return [re.sub(r"^> ?", "", line) for line in lines]


def _without_margin(lines: list[str]) -> list[str]:
    """Groups of lines that are indented as a whole, below no list, moved to the left: Markdown would read no list there."""
    moved = list(lines)
    start, in_list = 0, False
    for at in range(len(lines) + 1):
        if at < len(lines) and lines[at].strip():
            continue
        group = lines[start:at]
        margin = min((len(line) - len(line.lstrip(" ")) for line in group), default=0)
        if margin >= _MARGIN and not in_list:
            moved[start:at] = [line[margin:] for line in group]
        elif group and margin < _MARGIN:
            in_list = any(_ITEM.match(line) for line in group)
        start = at + 1
    return moved


def _bounded(line: str) -> str:
    line = line[:LINE_LIMIT]
    if _TAG_LINE.match(line):
        return ""
    return _DEEP_MARKERS.sub(r"\1 ", line) if line[:1] in " \t>-*+0123456789" else line


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.enable("table")
    parser.disable(["html_block", "code", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _span(token: Token, fallback: int = 1) -> tuple[int, int]:
    if token.map is None:
        return fallback, fallback
    return token.map[0] + 1, max(token.map[0] + 1, token.map[1])


def _read(tokens: Sequence[Token], start: int, *, quoted: bool) -> tuple[tuple[Node, ...], int]:
    """Nodes from `start` up to the closing token of the enclosing block, and the place behind it."""
    nodes: list[Node] = []
    at = start
    while at < len(tokens):
        token = tokens[at]
        if token.nesting == -1:
            return tuple(nodes), at + 1
        read, at = _read_one(tokens, at, quoted=quoted)
        nodes.extend(read)
    return tuple(nodes), at


def _read_one(tokens: Sequence[Token], at: int, *, quoted: bool) -> tuple[tuple[Node, ...], int]:
    token = tokens[at]
    line, end = _span(token)
    match token.type:
        case "heading_open":
            level = int(token.tag[1])
            return (Node(kind="heading", text=tokens[at + 1].content, line=line, end=end, level=level, quoted=quoted),), at + 3  # fmt: skip
        case "paragraph_open":
            return _read_paragraph(tokens[at + 1].content, line, end, quoted=quoted), at + 3
        case "list_item_open":
            return _read_item(tokens, at, quoted=quoted)
        case "table_open":
            return _read_table(tokens, at, quoted=quoted)
        case "fence" | "code_block":
            return (Node(kind="code", text=token.content, line=line, end=end, quoted=quoted),), at + 1
        case "hr":
            return (Node(kind="rule", text="", line=line, end=end, quoted=quoted),), at + 1
    if token.type == "blockquote_open":
        return _read(tokens, at + 1, quoted=quoted or not _is_callout(tokens, at))
    if token.nesting == 1:
        return _read(tokens, at + 1, quoted=quoted)
    return (), at + 1


def _read_paragraph(content: str, line: int, end: int, *, quoted: bool) -> tuple[Node, ...]:
    callout = _CALLOUT.match(content)
    text = content[callout.end() :] if callout else content
    name = callout["name"].lower() if callout else ""
    parts = loose_items(text)
    if not parts:
        return (Node(kind="text", text=text, line=line, end=end, quoted=quoted, callout=name),)
    return tuple(
        Node(kind="item" if part.marked else "text", text=part.text, line=line + part.line,
             end=line + part.line + part.lines - 1, number=part.number, quoted=quoted)
        for part in parts
    )  # fmt: skip


def _is_callout(tokens: Sequence[Token], at: int) -> bool:
    """`> [!WARNING]` quotes nobody: it is the reviewer's own text in a box."""
    return (
        at + 2 < len(tokens)
        and tokens[at + 2].type == "inline"
        and _CALLOUT.match(tokens[at + 2].content) is not None
    )


def _read_item(tokens: Sequence[Token], at: int, *, quoted: bool) -> tuple[tuple[Node, ...], int]:
    line, end = _span(tokens[at])
    number = int(tokens[at].info) if tokens[at].info.isdigit() else None
    children, behind = _read(tokens, at + 1, quoted=quoted)
    text = ""
    if children and children[0].kind in {"text", "heading"}:
        text, children = _CHECKBOX.sub("", children[0].text), children[1:]
    return (Node(kind="item", text=text, line=line, end=end, number=number, quoted=quoted, children=children),), behind  # fmt: skip


def _read_table(tokens: Sequence[Token], at: int, *, quoted: bool) -> tuple[tuple[Node, ...], int]:
    line, end = _span(tokens[at])
    rows: list[Row] = []
    cells: list[str] = []
    row_line = line
    while tokens[at].type != "table_close":
        token = tokens[at]
        if token.type == "tr_open":
            row_line, cells = _span(token, row_line)[0], []
        elif token.type == "inline":
            cells.append(token.content)
        elif token.type == "tr_close":
            rows.append(Row(line=row_line, cells=tuple(cells)))
        at += 1
    header = rows[0].cells if rows else ()
    return (Node(kind="table", text="", line=line, end=end, quoted=quoted, header=header, rows=tuple(rows[1:])),), at + 1  # fmt: skip
