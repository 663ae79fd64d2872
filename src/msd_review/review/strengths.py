"""What a reviewer praises, and the summary that opens the review."""

import re
from collections.abc import Iterator

from msd_review.lazy import regex
from msd_review.review.drafts import is_nothing, plain_text
from msd_review.review.model import Strength
from msd_review.review.sections import Section
from msd_review.review.structure import Node

_APPLAUSE = ("👍", "👏", "💚", "🎉")
_MOST_STRENGTHS = 1_000
_SUMMARY_LIMIT = 2_000
_LABEL = regex(r"^\W{0,4}(?:strengths?|praise|pros?|good|nice|positives?)\s?[:：]\s{0,3}", re.IGNORECASE)
_WHOLE = regex(r"^\s*[^\W\d_a-z].{8,300}[.!。]\s*$")


def strengths_of(root: Section, identity: str) -> tuple[Strength, ...]:
    """Every item or paragraph of the sections of strengths, in order."""
    texts: list[Strength] = []
    for text, line in _praise(root, inside=False):
        if not is_nothing(text):
            texts.append(Strength(identity=identity, text=text, line=line))
    return tuple(texts[:_MOST_STRENGTHS])


def _praise(section: Section, *, inside: bool) -> Iterator[tuple[str, int]]:
    role = section.meaning.role
    inside = role == "strengths" or (inside and role is None)
    nodes = section.nodes()
    has_items = any(node.kind == "item" for node in nodes)
    if inside and section.heading is not None and role is None and not nodes and not section.subsections():
        yield plain_text(section.heading.text), section.heading.line
    for part in section.parts:
        if isinstance(part, Section):
            yield from _praise(part, inside=inside)
        elif inside:
            yield from _told(part, has_items=has_items)
        elif role is None and part.text.startswith(_APPLAUSE):
            yield part.text.lstrip("".join(_APPLAUSE) + " \ufe0f"), part.line


def _told(node: Node, *, has_items: bool) -> Iterator[tuple[str, int]]:
    if node.kind == "item":
        yield (
            re.sub(r"\s+", " ", node.text).strip() or " ".join(child.text for child in node.children)[:500],
            node.line,
        )
    elif node.kind == "text" and not (has_items or node.text.rstrip().endswith((":", "："))):
        for at, piece in _pieces(node.text):
            yield re.sub(r"\s+", " ", piece).strip(), node.line + at
    elif node.kind == "table":
        for row in node.rows:
            yield " — ".join(cell for cell in row.cells if cell.strip()), row.line


def _pieces(text: str) -> list[tuple[int, str]]:
    """The strengths of one paragraph, each with the line on which it starts: sentences on lines of their own,
    labelled lines, or what semicolons divide."""
    lines = text.split("\n")
    labelled = [_LABEL.sub("", line) for line in lines]
    if len(lines) > 1 and (labelled[1:] != lines[1:] or all(_WHOLE.match(line) for line in lines)):
        return list(enumerate(labelled))
    if len(lines) == 1 and 1 <= text.count(";") + text.count("；") <= 8:
        return [(0, piece) for piece in re.split(r"[;；]\s?", text) if piece.strip()]
    return [(0, text)]


def summary_of(root: Section) -> str:
    """The text of the first summary section, else the paragraphs before the first section."""
    found = _first_summary(root)
    nodes = found.nodes() if found else [node for node in root.nodes() if node.kind == "text"]
    return "\n\n".join(node.text for node in nodes if node.kind in {"text", "item"}).strip()[:_SUMMARY_LIMIT]


def _first_summary(section: Section) -> Section | None:
    for below in section.subsections():
        if below.meaning.role == "summary" and below.nodes():
            return below
        deeper = _first_summary(below)
        if deeper is not None:
            return deeper
    return None
