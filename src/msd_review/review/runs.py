"""Runs of blocks between two headings: which block starts a finding, and which belongs to the open one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from msd_review.lazy import regex
from msd_review.review.context import Context, Source, label_of_item, rated_blocks
from msd_review.review.drafts import Draft, attribute, is_nothing, plain_text, severity_from
from msd_review.review.headings import plan_of
from msd_review.review.label_places import (
    find_label,
    identifier_label,
    inline_field,
    placed_label,
    trailing_label,
)
from msd_review.review.labels import Label, leading_label
from msd_review.review.model import FindingStatus, Severity
from msd_review.review.pieces import pieces_of
from msd_review.review.places import place_of
from msd_review.review.prose import rated_in_prose
from msd_review.review.statuses import status_of, status_word
from msd_review.review.structure import Node
from msd_review.review.tables import findings_in_table, has_status_column, is_risk_register, table_kind

BOLD_START = regex(r"^\s*(?:\W{0,3}\s?)?(?:\d{1,2}[.)]\s*)?(?:\*\*|__)(?P<title>[^\n]{2,300}?)(?:\*\*|__)")
_NUMBERED_START = regex(
    r"^\s*(?:\*\*|__)?(?:\(\d{1,2}\)|\d{1,2}[.)]|[①-⑳]|#\d{1,2}\b|[A-Z]{1,3}-?\d{1,2}\s?[.:)—–-])\s*\S"
)
PASS = regex(
    r"^\W{0,6}(?:(?:trivial|none|n/?a|ok)\s*/?\s*)?(?:pass(?:ed)?|none|n/?a|ok|no issue)\b", re.IGNORECASE
)
RISK_LINE = regex(r"^\W*(?:overall|residual|total|aggregate|final|combined|phase|plans?|verdict|risk|confidence|likelihood|probability|rating|recommendation|総合|总体|整体|전체|종합|tổng thể|global|geral|general|gesamt|insgesamt)[\w\s./#-]{0,40}$", re.IGNORECASE)  # fmt: skip

_SHORT_ITEM = 120
_BARE_LINE = regex(r"`?(?P<lines>:\d{1,7}(?:[-–]\d{1,7})?)`?\s{0,2}(?:[—–:-]\s)?")
_COUNT_ONLY = regex(
    r"\W*(?:\d{1,3}|none|zero|one|two|three|x\d+)\b\W{0,3}(?:(?:open|new|total|findings?|issues?|concerns?|items?|critical|high|medium|low|minor|\d{1,3})\b\W*){0,12}$",
    re.IGNORECASE,
)


def read_run(nodes: Sequence[Node], context: Context, *, source: Source, title: str = "") -> list[Draft]:
    """The findings in a run of blocks; `title` is that of the heading above."""
    if not nodes or context.silent:
        return []
    reader = _RunReader(nodes, context, source=source, title=title)
    for node in nodes:
        reader.read(node)
    return reader.drafts


class _RunReader:
    """Reads block after block, keeping the finding that is open."""

    def __init__(self, nodes: Sequence[Node], context: Context, *, source: Source, title: str) -> None:
        self.drafts: list[Draft] = []
        self.current: Draft | None = None
        self.context = context
        self.source = source
        self.title = title
        self.concerns = context.role == "concerns" or (context.recap and context.role == "recap")
        self.only_text = all(node.kind in {"text", "code", "rule"} for node in nodes)
        self.bold_heads = any(self._is_bold_head(node) for node in nodes if node.kind == "text")
        self.in_blocks = context.role is None and rated_blocks(nodes) >= 2
        self.quote: str | None = None
        titled = place_of(plain_text(title).strip("`")) if title else None
        self.file = titled.path if titled else ""  # the file that the heading above names
        self.replies = context.role is None and sum(1 for node in nodes if self._is_answered(node)) >= 2
        self.pending: Node | None = None  # a bold line that becomes a title when a rating follows
        self.identified = sum(1 for node in nodes if identifier_label(node.text)) >= 2
        self.rated_alike = sum(1 for node in nodes if self._is_rated(node)) >= 2

    def read(self, node: Node) -> None:
        """Take one block: a new finding, or a part of the open one, or nothing."""
        match node.kind:
            case "table":
                self.pending = None
                self._table(node)
            case "item":
                self._item(node)
            case "text":
                self._text(node)
            case "code":
                self._take(node)

    def _is_rated(self, node: Node) -> bool:
        """Whether a block begins with a severity and a delimiter; two such blocks are a list, however they are typed."""
        label = self._leading(node.text) if node.kind in {"item", "text"} else None
        return label is not None and _says_more(label) and not _COUNT_ONLY.match(label.rest)

    def _take(self, node: Node) -> bool:
        if self.current is not None:
            self.current.add(node, self.source.document)
        return self.current is not None

    def _table(self, node: Node) -> None:
        listed = table_kind(node) == "findings" or (self.context.recap and is_risk_register(node))
        if not listed or node.quoted:
            return
        rows = findings_in_table(node, group=self.context.severity, plan=self.context.plan)
        if has_status_column(node) and not self.concerns:
            rows = [row for row in rows if row.status is FindingStatus.RESOLVED]
        self.drafts += rows
        self.current = None

    def _item(self, node: Node) -> None:
        label, labelled = label_of_item(node, self.source.emoji), attribute(node.text)
        if self._rates_pending(label, labelled):
            return
        if label is None and self.identified:
            label = identifier_label(node.text)
        if self._belongs(label, labelled) and self._take(node):
            return
        if not self._starts(node, label):
            if labelled:
                self._take(node)
            elif not self.concerns and self._lists_rated(node):
                self._group(node, severity=None)
        elif self._groups_findings(node):
            self._group(node, severity=label.severity if label else self.context.severity)
        elif label is not None and not _says_more(label) and node.children:
            self._titleless_item(node, label)
        else:
            self._plain_item(node, label)

    def _belongs(self, label: Label | None, labelled: tuple[str, str] | None) -> bool:
        """Whether an item is a part of the open finding rather than one of its own."""
        if self.current is None:
            return False
        if self.current.head:
            return labelled is not None or label is None or not label.strong
        return labelled is not None and labelled[0] != "body" and label is None

    def _starts(self, node: Node, label: Label | None) -> bool:
        if label is not None and (
            _COUNT_ONLY.match(label.rest)
            or RISK_LINE.match(plain_text(label.rest)[:80])
            or not (_says_more(label) or node.children)
        ):
            return False
        if is_nothing(label.rest if label else node.text) and not node.children:
            return False
        return self.concerns or (label is not None and (label.strong or self._alike(label)))

    def _leading(self, text: str) -> Label | None:
        return leading_label(text, self.source.emoji)

    def _alike(self, label: Label) -> bool:
        return self.rated_alike and not _COUNT_ONLY.match(label.rest)

    def _groups_findings(self, node: Node) -> bool:
        """Whether an item only groups rated items below it: a plan, a topic, a severity."""
        items = [child for child in node.children if child.kind == "item"]
        return sum(1 for child in items if self._is_nested_finding(child)) * 2 > len(items)

    def _lists_rated(self, node: Node) -> bool:
        """Whether an item is only the name (of a plan, a file) over rated items, where nothing says "concerns"."""
        return any(self._is_nested_finding(child) for child in node.children if child.kind == "item")

    def _is_nested_finding(self, child: Node) -> bool:
        label = leading_label(child.text, self.source.emoji) or trailing_label(child.text)
        return label is not None and label.strong and _says_more(label) and attribute(child.text) is None

    def _group(self, node: Node, *, severity: Severity | None) -> None:
        plan = plan_of(node.text) or self.context.plan
        rated = self.concerns or severity is not None or self._groups_findings(node)
        inner = replace(self.context, plan=plan, severity=severity, role="concerns" if rated else self.context.role)  # fmt: skip
        self.drafts += read_run(node.children, inner, source=self.source, title=self.title)
        self.current = None

    def _titleless_item(self, node: Node, label: Label) -> None:
        """`- **HIGH**` with items below: a group; with text below: a finding whose text comes next."""
        if all(child.kind == "item" for child in node.children):
            self._group(node, severity=label.severity)
            return
        first, *rest = node.children
        self._begin(first.text, first, label, head=False)
        for child in rest:
            self._take(child)

    def _plain_item(self, node: Node, label: Label | None) -> None:
        self._begin_pieces(node, label, head=False)
        if self.current is not None:
            self.current.add_children(node, self.source.document)

    def _text(self, node: Node) -> None:
        labelled = attribute(node.text)
        if self.replies and self._is_answered(node):
            self.quote, self.current = node.text, None
            return
        if self._is_pending(node, labelled):
            if named := place_of(plain_text(node.text).strip("`")):
                self.file = named.path
            self.pending, self.current = node, None
            return
        if self.in_blocks and labelled and labelled[0] == "severity":
            self._rated_block(node, labelled[1])
            return
        if self.current and labelled and (labelled[0] != "severity" or self.current.severity is None):
            self._take(node)
            return
        label = self._paragraph_label(node)
        if label is not None and _COUNT_ONLY.match(label.rest) and label.rest.strip():
            return
        if label is not None and not RISK_LINE.match(plain_text(label.rest)[:80]):
            self._labelled_text(node, label)
        elif self.concerns and self._is_head(node):
            self._begin(node.text, node, None, head=True)
        elif self.current is not None and (self.current.head or self._explains(self.current)):
            self._take(node)
        elif self.concerns and self.only_text and not self._is_intro(node.text):
            self._begin_pieces(node, None, head=False)

    def _is_answered(self, node: Node) -> bool:
        """A quoted passage of somebody else's text, below which the reviewer answers."""
        return node.quoted and node.kind == "text" and not node.callout and self._leading(node.text) is None

    def _is_pending(self, node: Node, labelled: tuple[str, str] | None) -> bool:
        """A bold line alone, outside a section of concerns: a title, if what follows it gives a severity."""
        line = node.text.strip()
        bold = BOLD_START.match(line)
        if (
            self.context.role is not None
            or labelled
            or "\n" in line
            or bold is None
            or bold.end() != len(line)
        ):
            return False
        return self._paragraph_label(node) is None

    def _rates_pending(self, label: Label | None, labelled: tuple[str, str] | None) -> bool:
        if self.pending is None or label is None or not labelled or labelled[0] != "severity":
            return False
        title, self.pending = self.pending, None
        self._begin(title.text, title, replace(label, rest=title.text), head=True)
        return True

    def _explains(self, draft: Draft) -> bool:
        """Whether a paragraph behind a short item belongs to it, though it is not indented."""
        return not self.only_text and len(draft.text) < _SHORT_ITEM

    def _paragraph_label(self, node: Node) -> Label | None:
        text = node.text
        label = leading_label(text, self.source.emoji) or placed_label(text, self.source.emoji)
        if label is None and node.callout in self.source.callouts:
            return find_label(text, self.source.emoji) or Label(
                severity=self.source.callouts[node.callout], rest=text, strong=True
            )
        if label is not None and (label.strong or self.concerns or self._alike(label)):
            return label
        if self.replies and not node.quoted:
            severity = label.severity if label else rated_in_prose(text)
            return (
                Label(severity=severity, rest=label.rest if label else text, strong=True)
                if severity
                else None
            )
        if self.concerns and (self.only_text or BOLD_START.match(text)):
            return find_label(text, self.source.emoji)
        return None

    def _labelled_text(self, node: Node, label: Label) -> None:
        if _says_more(label):
            self._begin_pieces(node, label, head=True)
        else:
            self.context = replace(self.context, severity=label.severity)
            self.current = None

    def _begin_pieces(self, node: Node, label: Label | None, *, head: bool) -> None:
        pieces = pieces_of(node.text)
        alone = len(pieces) == 1
        for piece in pieces:
            own = label if alone and label else find_label(piece, self.source.emoji)
            self._begin(piece, node, own or label, head=head and alone)

    def _is_bold_head(self, node: Node) -> bool:
        bold = BOLD_START.match(node.text)
        return bool(bold) and attribute(node.text) is None and not (bold and is_nothing(bold["title"]))

    def _is_head(self, node: Node) -> bool:
        return self._is_bold_head(node) or bool(
            _NUMBERED_START.match(node.text) and not node.text.rstrip().endswith((":", "："))
        )

    def _is_intro(self, text: str) -> bool:
        plain = text.strip()
        return plain.endswith((":", "：")) or is_nothing(plain) or (self.bold_heads and self.current is None)

    def _rated_block(self, node: Node, value: str) -> None:
        """One of several `Severity:` paragraphs below one heading; the heading is their common title."""
        first, _, rest = value.partition("\n")
        self.current = None
        label = inline_field(node.text) or leading_label(node.text, self.source.emoji)
        if label is not None and not PASS.match(first):
            begun = self._begin(rest or self.title or first, node, label, head=True)
            if begun is not None:
                begun.title = self.title or None

    def _begin(self, piece: str, node: Node, label: Label | None, *, head: bool) -> Draft | None:
        text = label.rest if label and label.rest.strip() and len(label.rest) <= len(piece) + 4 else piece
        if is_nothing(text):
            return None
        if self.file and (line := _BARE_LINE.match(text)):
            text = f"`{self.file}{line['lines']}` — {text[line.end() :]}"
        word = status_word(piece, label.inner if label else "")
        self.current = Draft(
            text=text,
            line=node.line + _line_within(node.text, piece),
            end=node.end,
            severity=severity_from(label, self.context.severity, piece),
            plan=self.context.plan,
            head=head,
            status=status_of(word, piece, quoted=node.quoted),
            prior_word=word,
        )
        if self.quote:
            self.current.more.append("> " + self.quote.replace("\n", "\n> "))
            self.quote = None
        self.drafts.append(self.current)
        return self.current


def _says_more(label: Label) -> bool:
    return bool(label.rest.strip(" *_`.:：—–-"))


def _line_within(text: str, piece: str) -> int:
    at = text.find(piece[:60])
    return text.count("\n", 0, at) if at > 0 else 0
