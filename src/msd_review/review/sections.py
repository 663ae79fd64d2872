"""A document's sections: real headings, and the lines, labels and items that serve as headings.

Reviewers open sections with `## Concerns`, `**Concerns**`, `Concerns:`, `**Concerns:** none` or the item
`3. **Concerns**`; all of them become sections here. Order is kept: a section's parts are its nodes and
its subsections as they follow each other.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from msd_review.lazy import regex
from msd_review.review.grades import grades, group_severity, is_third_grade
from msd_review.review.headings import Meaning, is_plan_heading, read_heading, strict_role
from msd_review.review.label_places import find_label
from msd_review.review.labels import leading_label
from msd_review.review.model import Severity
from msd_review.review.roles import Role
from msd_review.review.severities import severity_of_cell
from msd_review.review.structure import Node
from msd_review.review.vocabulary import BODY_LABELS, SEVERITY_FIELDS, SUGGESTION_LABELS

# Heading levels times ten; what only serves as a heading nests below every real one.
_PLAN_LINE, _ROLE_LINE, _RUN_IN, _PLAN_IN_CONCERNS, _GROUP_LINE = 65, 70, 75, 78, 80
_ADOPTED = 5
_LEGEND = regex(r"(?i)\b(?:legend|rubric|scale|key)\b")
_SHORT_LINE = 40

_BOLD_LINE = regex(r"^\s*(?:\d{1,2}[.)]\s*)?(?:\*\*|__)(?P<inside>[^\n]{1,120}?)(?:\*\*|__)\s*[:：]?\s*$")
_DASHED_HEAD = regex(r"^\s*(?:\*\*|__)(?P<label>[^\n:：*]{2,48}?)(?:\*\*|__)\s[—–-]\s(?P<rest>.*)", re.DOTALL)
_RUN_IN_HEAD = regex(r"^\s*(?:\*\*|__)?(?P<label>[^\n:：*]{2,48}?)(?:(?:\*\*|__)\s?[:：]|[:：]\s?(?:\*\*|__)|[:：](?=\s)|\.(?:\*\*|__))\s*(?P<rest>.*)", re.DOTALL)  # fmt: skip


@dataclass(slots=True)
class Section:
    """A heading and what stands below it, in order. The root has no heading."""

    meaning: Meaning
    level: int
    heading: Node | None = None
    parts: list["Node | Section"] = field(default_factory=list)
    run_in: bool = False

    def nodes(self) -> list[Node]:
        """What stands directly below the heading, without the subsections."""
        return [part for part in self.parts if isinstance(part, Node)]

    def subsections(self) -> list["Section"]:
        """The sections directly below this one."""
        return [part for part in self.parts if isinstance(part, Section)]

    def end(self) -> int:
        """The last line that belongs to the section."""
        own = self.heading.end if self.heading else 0
        return max([own, *(part.end if isinstance(part, Node) else part.end() for part in self.parts)])


@dataclass(slots=True)
class _Builder:
    root: Section
    stack: list[Section]
    graded: bool = False  # the document sorts by "must fix" and "should fix"
    lone: Counter[str] = field(default_factory=Counter)  # paragraphs of one line, and how often each occurs

    def role(self) -> Role | None:
        return next((entry.meaning.role for entry in reversed(self.stack) if entry.meaning.role), None)

    def in_finding(self) -> bool:
        top = self.stack[-1].meaning
        return self.role() == "concerns" or top.strong or top.named

    def open(self, meaning: Meaning, level: int, heading: Node) -> Section:
        if self.graded and is_third_grade(heading.text):
            meaning = Meaning(role="recap", severity=Severity.LOW, title=meaning.title)
        level = self._adopted_level(meaning, level)
        while len(self.stack) > 1 and self.stack[-1].level >= level:
            self.stack.pop()
        section = Section(meaning, level, heading)
        self.stack[-1].parts.append(section)
        self.stack.append(section)
        return section

    def _adopted_level(self, meaning: Meaning, level: int) -> int:
        """An empty `## Concerns` owns the findings that follow as headings of its own level."""
        owner = next((entry for entry in self.stack if entry.level == level), None)
        if owner is None or owner.meaning.role != "concerns" or owner.meaning.group or meaning.role or is_plan_heading(meaning):  # fmt: skip
            return level
        only_adopted = all(
            isinstance(part, Section) and part.level == level + _ADOPTED for part in owner.parts
        )
        return level + _ADOPTED if only_adopted else level

    def add(self, node: Node) -> None:
        while self.stack[-1].run_in and node.kind in {"text", "item"} and self._returns(node):
            self.stack.pop()
        self.stack[-1].parts.append(node)

    def _returns(self, node: Node) -> bool:
        """A rated block behind a run-in belongs to what was read before it."""
        top = self.stack[-1]
        label = leading_label(node.text)
        if label is None or not label.strong:
            return False
        said = top.meaning.role in {"verdict", "summary", "risk"} and bool(top.parts)
        return (
            said
            or "(" in top.meaning.title
            or "concerns" in [entry.meaning.role for entry in self.stack[:-1]]
        )


def read_sections(nodes: tuple[Node, ...]) -> Section:
    """The tree of sections of a whole document."""
    root = Section(Meaning(), 0)
    builder = _Builder(
        root,
        [root],
        graded=any(grades(node.text) for node in nodes if node.kind != "code"),
        lone=Counter(_label_name(node.text) for node in nodes if node.kind == "text" and len(node.text) < 60),
    )
    for node, following in zip_longest(nodes, nodes[1:]):
        _place(builder, node, following)
    return root


def _place(builder: _Builder, node: Node, following: Node | None = None) -> None:
    if node.kind == "heading" and not node.quoted:
        builder.open(read_heading(node.text), node.level * 10, node)
    elif node.kind == "text" and not node.quoted:
        for piece in _lines_apart(node):
            _place_text(builder, piece, over_items=following is not None and following.kind == "item")
    elif node.kind == "item" and not node.quoted and (role := _item_role(builder, node)):
        _place_item_section(builder, node, role)
    else:
        builder.add(node)


def _lines_apart(node: Node) -> Iterator[Node]:
    """A paragraph cut before and behind each of its lines that serves as a heading by itself."""
    lines = node.text.split("\n")
    if len(lines) == 1:
        yield node
        return
    start = 0
    for number, line in enumerate(lines):
        if _serves_as_heading(line):
            if number > start:
                yield _piece(node, lines, start, number)
            yield _piece(node, lines, number, number + 1)
            start = number + 1
    if start < len(lines):
        yield _piece(node, lines, start, len(lines))


def _piece(node: Node, lines: list[str], first: int, behind: int) -> Node:
    text = "\n".join(lines[first:behind])
    return replace(node, text=text, line=node.line + first, end=node.line + behind - 1)


def _serves_as_heading(line: str) -> bool:
    bold = _BOLD_LINE.match(line)
    if bold:
        inside = bold["inside"]
        return any(read(inside) is not None for read in (strict_role, severity_of_cell, group_severity))
    bare = line.strip()
    if bare.endswith((":", "：")) and group_severity(bare) is not None:
        return True
    return (
        len(bare) < 60
        and bare.endswith((":", "："))
        and strict_role(bare) is not None
        and not _is_label(bare)
    )


def _place_text(builder: _Builder, node: Node, *, over_items: bool) -> None:
    line = node.text.strip()
    bold = _BOLD_LINE.match(line)
    inside = bold["inside"] if bold else line
    if "\n" not in line and len(line) < 120:
        led = over_items and len(line) < _SHORT_LINE and not builder.in_finding()
        meaning = _meaning_of_line(inside, bold=bool(bold) or line.endswith((":", "：")) or led)
        closes = over_items and meaning is not None and _closes_list(builder, meaning, inside)
        if meaning is not None and (closes or not _stays(builder, meaning, inside)):
            builder.open(meaning, _level_of_line(builder, meaning), node)
            return
    run_in = _run_in(builder, node)
    if run_in is not None:
        meaning, rest = run_in
        section = builder.open(meaning, _RUN_IN if builder.role() == "concerns" else _ROLE_LINE, node)
        section.run_in = True
        if rest.text.strip():
            section.parts.append(rest)
        return
    builder.add(node)


def _stays(builder: _Builder, meaning: Meaning, inside: str) -> bool:
    """Whether a line stays a line: a label in a finding, or the rating that a risk section gives."""
    if meaning.group and builder.role() in {"risk", "verdict"}:
        return True
    return builder.in_finding() and _is_label(inside) and meaning.role != "risk"


def _closes_list(builder: _Builder, meaning: Meaning, inside: str) -> bool:
    """Whether a lone "建议" behind the list of concerns opens the suggestions, though it could label one of them."""
    top = builder.stack[-1]
    last = top.parts[-1] if top.parts else None
    behind_item = (
        isinstance(last, Node) and last.kind == "item" and not (top.meaning.strong or top.meaning.named)
    )
    return meaning.role == "suggestions" and behind_item and builder.lone.get(_label_name(inside), 0) <= 1


def _meaning_of_line(inside: str, *, bold: bool) -> Meaning | None:
    """What a one-line paragraph opens, if it opens anything."""
    severity = severity_of_cell(inside) or group_severity(inside)
    if severity is not None and bold:
        return (
            read_heading(inside)
            if not _RUN_IN_HEAD.match(inside + " ") or inside.endswith((":", "："))
            else None
        )
    role = strict_role(inside)
    if role is not None and (bold or len(inside.split()) <= 3):
        return read_heading(inside)
    if bold:
        meaning = read_heading(inside)
        if is_plan_heading(meaning) and re.match(
            r"(?i)\W*(?:plan|план|计划|計画|계획|\d{1,3}[a-z]?-\d)", inside
        ):
            return meaning
    return None


def _level_of_line(builder: _Builder, meaning: Meaning) -> int:
    if meaning.group:
        return _GROUP_LINE
    if meaning.role is None:
        return _PLAN_IN_CONCERNS if builder.role() == "concerns" else _PLAN_LINE
    return _ROLE_LINE


def _label_name(text: str) -> str:
    return re.sub(r"[*_`:：]", "", text).strip().lower()


def _is_label(text: str) -> bool:
    name = _label_name(text)
    return name in BODY_LABELS or name in SUGGESTION_LABELS or name in SEVERITY_FIELDS


def _run_in(builder: _Builder, node: Node) -> tuple[Meaning, Node] | None:
    found = _RUN_IN_HEAD.match(node.text)
    if not found:
        return _praise_behind_dash(node)
    if severity_of_cell(found["label"]) or _LEGEND.search(found["label"]):
        return None
    role = strict_role(found["label"])
    if role == "concerns" and leading_label(node.text):
        return None
    if role == "risk" and builder.stack[-1].meaning.role == "concerns" and severity_of_cell(found["rest"]):
        return Meaning(
            role="risk", title=found["label"].strip(), risk=severity_of_cell(found["rest"])
        ), replace(node, text="")
    if role is None or (builder.in_finding() and (_is_label(found["label"]) or role == "concerns")):
        return None
    if role == "concerns" and _is_label(found["label"]):
        return None
    meaning = Meaning(role=role, title=found["label"].strip())
    if role == "risk":
        meaning = read_heading(node.text)
        meaning = replace(
            meaning, role="risk", severity=None, group=False, risk=meaning.risk or meaning.severity
        )
    return meaning, replace(node, text=found["rest"])


def _praise_behind_dash(node: Node) -> tuple[Meaning, Node] | None:
    """`**Strengths** — …`; behind a dash other names are more often the title of one finding."""
    found = _DASHED_HEAD.match(node.text)
    if not found or strict_role(found["label"]) != "strengths":
        return None
    return Meaning(role="strengths", title=found["label"].strip()), replace(node, text=found["rest"])


def _item_role(builder: _Builder, node: Node) -> Role | None:
    """The role of a list item that serves as a section: `3. **Concerns**` with children."""
    first, _, more = node.text.partition("\n")
    bold = _BOLD_LINE.match(first)
    name = bold["inside"] if bold else first
    role = strict_role(name) if len(first) < 80 else None
    if role is not None and (node.children or more) and not (builder.in_finding() and _is_label(name)):
        return role
    found = _RUN_IN_HEAD.match(node.text)
    if not found or builder.role() is not None:
        return None
    role = strict_role(found["label"])
    return role if role and not _is_label(found["label"]) and find_label(node.text) is None else None


def _place_item_section(builder: _Builder, node: Node, role: Role) -> None:
    before = list(builder.stack)
    first, _, more = node.text.partition("\n")
    found = _RUN_IN_HEAD.match(node.text)
    rest = found["rest"] if found and strict_role(found["label"]) == role else more
    top = builder.stack[-1].level
    section = builder.open(Meaning(role=role, title=first), max(_ROLE_LINE, top + 1), node)
    if rest.strip():
        section.parts.append(replace(node, kind="text", text=rest, children=()))
    for child in node.children:
        _place(builder, child)
    builder.stack[:] = before
