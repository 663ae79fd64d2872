"""The machine-readable block that the prompt asks for: `msd.findings/1` in a fenced JSON block.

It wins over the prose when it is present, valid and does not contradict it; a block that is cut, wrong
or disagrees is set aside with a note, and the prose is read.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.severities import severity_of_cell

SCHEMA = "msd.findings/1"
_MOST_FINDINGS = 2_000
_MOST_CHARACTERS = 1024 * 1024
_BLOCK = regex(r"^[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*(?:json|jsonc)?[^\n`]*\n(?P<body>(?:(?!^[ \t]*(?:```|~~~)).*\n?){1,20000}?)^[ \t]*(?P=marks)[ \t]*$", re.MULTILINE)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockFinding:
    """One finding as the block states it; `citations` as written."""

    severity: Severity
    title: str
    body: str = ""
    citations: tuple[str, ...] = ()
    suggestion: str | None = None
    plan: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A valid block, and the lines of the text (1-based, inclusive) that it takes."""

    first_line: int
    last_line: int
    overall_risk: Severity | None
    findings: tuple[BlockFinding, ...]
    strengths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadBlock:
    """A block that is there and cannot be used."""

    first_line: int
    last_line: int
    why: str = field(default="")


def find_block(text: str) -> Block | BadBlock | None:
    """The last block of our schema in a text; None when there is none."""
    at = text.rfind(SCHEMA)
    if at < 0:
        return None
    fences = _fence_around(text, at)
    if fences is None:
        start = text.rfind("\n", 0, at) + 1
        first = text.count("\n", 0, start) + 1
        return (
            BadBlock(first_line=_opening_line(text, at), last_line=text.count("\n") + 1, why="it is cut")
            if first
            else None
        )
    start, end, first_line, last_line = fences
    if end - start > _MOST_CHARACTERS:
        return BadBlock(first_line=first_line, last_line=last_line, why="it is too large")
    try:
        value = json.loads(text[start:end], parse_constant=_refuse)
    except (ValueError, RecursionError):
        return BadBlock(first_line=first_line, last_line=last_line, why="it is not JSON")
    return _decode(value, first_line, last_line)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _opening_line(text: str, at: int) -> int:
    fence = max(text.rfind("```", 0, at), text.rfind("~~~", 0, at))
    near = fence if fence >= 0 and at - fence < 200 else text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, near) + 1


def _fence_around(text: str, at: int) -> tuple[int, int, int, int] | None:
    """`(start, end, first line, last line)` of the fenced body around an offset."""
    opening = max(text.rfind("```", 0, at), text.rfind("~~~", 0, at))
    if opening < 0:
        return None
    body = text.find("\n", opening) + 1
    closing = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE).search(text, at)
    if closing is None or body > at:
        return None
    return body, closing.start(), text.count("\n", 0, opening) + 1, text.count("\n", 0, closing.end()) + 1


def _decode(value: Any, first_line: int, last_line: int) -> Block | BadBlock:
    if (
        not isinstance(value, dict)
        or value.get("schema") != SCHEMA
        or not isinstance(value.get("findings"), list)
    ):
        return BadBlock(first_line=first_line, last_line=last_line, why="it lacks the schema or the findings")
    raw = value["findings"]
    findings = [_finding(entry) for entry in raw[:_MOST_FINDINGS]]
    if len(raw) > _MOST_FINDINGS or any(finding is None for finding in findings):
        return BadBlock(first_line=first_line, last_line=last_line, why="a finding in it is malformed")
    strengths = value.get("strengths", [])
    return Block(
        first_line=first_line,
        last_line=last_line,
        overall_risk=_severity(value.get("overall_risk")),
        findings=tuple(finding for finding in findings if finding is not None),
        strengths=tuple(text for text in strengths if isinstance(text, str))
        if isinstance(strengths, list)
        else (),
    )


def _severity(value: object) -> Severity | None:
    if not isinstance(value, str):
        return None
    return Severity.UNRATED if value.strip().lower() == "unrated" else severity_of_cell(value)


def _finding(entry: object) -> BlockFinding | None:
    if not isinstance(entry, dict):
        return None
    title, severity = entry.get("title"), _severity(entry.get("severity"))
    if not isinstance(title, str) or not title.strip() or severity is None:
        return None
    citations = entry.get("citations", [])
    if not isinstance(citations, list):
        return None
    return BlockFinding(
        severity=severity,
        title=title.strip(),
        body=_text(entry.get("body")) or "",
        citations=tuple(text for text in citations if isinstance(text, str)),
        suggestion=_text(entry.get("suggestion")),
        plan=_text(entry.get("plan")),
    )


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
