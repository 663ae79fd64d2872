"""Findings in JSON, YAML, XML-like tags or `Key: value` blocks of a reviewer's own making.

Read only where the prose states no finding. Bounded: at most `MOST` records from `MOST_CHARACTERS` of text;
nothing here evaluates what it reads, and nothing raises on any text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from msd_review.lazy import regex
from msd_review.review.drafts import Draft
from msd_review.review.fields import draft_of, has_severity, is_field

MOST = 2_000
MOST_CHARACTERS = 1024 * 1024
_FENCE = regex(r"^[ \t]*(?:```|~~~)[ \t]*(?P<info>[\w.+-]*)")
_LISTS = frozenset(["findings", "issues", "concerns", "problems", "comments", "results", "items", "risks", "bugs", "defects",
                    "review", "reviews", "plans", "data", "report", "vulnerabilities", "feedback", "blockers", "observations",
                    "high", "medium", "low", "critical", "major", "minor"])  # fmt: skip
_DEEPEST = 8
_ELEMENT = regex(
    r"<(?P<tag>finding|issue|concern|problem|bug|defect|risk|comment|vulnerability)\b(?P<attributes>[^<>]{0,400})>(?P<body>.{0,8000}?)</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
_PRAISES = frozenset(["strengths", "positives", "praise", "highlights", "pros", "good", "what_works"])
_PRAISE = regex(
    r"<(?P<tag>strength|praise|positive|pro|highlight)\b[^<>]{0,200}>(?P<body>.{1,2000}?)</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = regex(r"(?P<name>[\w-]{1,30})\s?=\s?(?:\"(?P<double>[^\"]{0,400})\"|'(?P<single>[^']{0,400})')")
_INNER = regex(r"<(?P<name>[\w-]{1,30})\b[^<>]{0,200}>(?P<value>.{0,4000}?)</(?P=name)>", re.DOTALL)
_PAIR = regex(
    r"^(?P<indent>\s{0,12})(?P<dash>[-*•]\s+)?(?:\*\*|__|`|\")?(?P<name>[^\W\d_][^\n:：*`\"]{1,30}?)(?:\*\*|__|`|\")?\s?(?:\.{2,40}|…{1,20})?\s?[:：=](?:\*\*|__)?(?=\s|$|[^\x00-\x7f])\s*(?P<value>.*)$"
)
_INDENTED = regex(r"\s{1,12}[\w-]{2,30}:\s|-\s[\w-]{2,30}:\s")
_EDGE = regex(r"^\s*(?:[-=_*─━]{3,}\s*)?$")


def read_foreign(lines: Sequence[str]) -> list[Draft]:
    """A draft for each record of whatever data a text holds, in order; empty when it holds none."""
    text = "\n".join(lines)[:MOST_CHARACTERS]
    for read in (_json, _elements, _pairs):
        drafts = list(read(text))[:MOST]
        if drafts:
            return drafts
    return []


def _json(text: str) -> Iterator[Draft]:
    for body, line in _blocks(text):
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            continue
        end = line + body.count("\n")
        for record in _records(value, "", 0):
            draft = draft_of(record, _line_of(body, record, line), end)
            if draft is not None:
                yield draft


def is_data(lines: Sequence[str]) -> bool:
    """Whether nearly every line is a field or an entry of a list: YAML that nobody fenced."""
    told = [line for line in lines if line.strip()]
    pairs = sum(1 for line in told if (pair := _PAIR.match(line)) and is_field(pair["name"]))
    shaped = sum(1 for line in told if _PAIR.match(line) or re.match(r"\s*-\s", line))
    return pairs >= 4 and shaped * 10 >= len(told) * 9 and any(_INDENTED.match(line) for line in told)


def foreign_strengths(lines: Sequence[str]) -> list[tuple[str, int]]:
    """What such data praises, with the line (1-based) on which each stands or its block starts."""
    text = "\n".join(lines)[:MOST_CHARACTERS]
    told: list[tuple[str, int]] = []
    for body, line in _blocks(text):
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            continue
        told += [(praise, line) for praise in _praise(value)]
    for found in _PRAISE.finditer(text):
        told.append((_INNER.sub(r"\g<value>", found["body"]).strip(), text.count("\n", 0, found.start()) + 1))
    return [*told, *_listed_praise(lines)][:MOST]


def _listed_praise(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The entries below `strengths:` where the text is data."""
    inside = False
    for number, line in enumerate(lines if is_data(lines) else (), start=1):
        entry = re.match(r"\s*-\s+(?P<text>\S.*)", line)
        if inside and entry:
            yield entry["text"], number
        else:
            inside = line.strip().rstrip(":").lower() in _PRAISES and line.rstrip().endswith(":")


def _praise(value: object) -> Iterator[str]:
    entries = value.items() if isinstance(value, dict) else ()
    for name, inner in entries:
        if str(name).lower() in _PRAISES and isinstance(inner, list):
            yield from (text for entry in inner[:200] if (text := _flat(entry).strip()))


def _line_of(body: str, record: dict[str, str], first: int) -> int:
    longest = max(record.values(), key=len, default="")
    at = body.find(json.dumps(longest, ensure_ascii=False)[1:-1][:80])
    return first + body.count("\n", 0, at) if at > 0 else first


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    """Fenced bodies, and the whole text when it is JSON itself; with the line (1-based) where each starts."""
    if text.lstrip()[:1] in {"{", "["}:
        yield text, 1
    opened: tuple[int, list[str]] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _FENCE.match(line)
        if fence and opened is not None:
            yield "\n".join(opened[1]), opened[0]
            opened = None
        elif fence:
            opened = (number + 1, [])
        elif opened is not None:
            opened[1].append(line)


def _records(value: object, name: str, depth: int) -> Iterator[dict[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for entry in value[:MOST]:
            if isinstance(entry, dict):
                yield from _record(entry, name, depth)
    elif isinstance(value, dict):
        for key, inner in list(value.items())[:200]:
            if isinstance(inner, list | dict) and str(key).lower() in _LISTS:
                yield from _records(inner, str(key).lower(), depth + 1)


def _record(entry: dict[object, object], name: str, depth: int) -> Iterator[dict[str, str]]:
    flat = {str(key): _flat(value) for key, value in list(entry.items())[:60]}
    if not has_severity(flat) and name in {"high", "medium", "low", "critical", "major", "minor"}:
        flat["severity"] = name
    if has_severity(flat):
        yield flat
    else:
        yield from _records(entry, name, depth + 1)


def _flat(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_flat(entry) for entry in value[:20])
    if isinstance(value, dict):
        path, line = value.get("file") or value.get("path"), value.get("line") or value.get("start_line")
        last = value.get("end_line") or value.get("line_end")
        return (
            f"{path}:{line}" + (f"-{last}" if last else "")
            if path and line
            else ", ".join(_flat(entry) for entry in list(value.values())[:20])
        )
    return "" if value is None or isinstance(value, bool) else str(value)


def _elements(text: str) -> Iterator[Draft]:
    for found in _ELEMENT.finditer(text):
        record = {hit["name"]: hit["double"] or hit["single"] or "" for hit in _ATTRIBUTE.finditer(found["attributes"])}  # fmt: skip
        inner = {
            hit["name"]: _INNER.sub(r"\g<value>", hit["value"]).strip()
            for hit in _INNER.finditer(found["body"])
        }
        record |= inner or {"text": found["body"].strip()}
        line = text.count("\n", 0, found.start()) + 1
        draft = draft_of(record, line, text.count("\n", 0, found.end()) + 1)
        if draft is not None:
            yield draft


def _pairs(text: str) -> Iterator[Draft]:
    """Blocks between blank or ruled lines, and YAML items, whose lines are fields of one record."""
    for block, line in _groups(text.split("\n")):
        record = _fields_of(block)
        draft = draft_of(record, line, line + len(block) - 1) if len(record) >= 2 else None
        if draft is not None:
            yield draft


def _groups(lines: Iterable[str]) -> Iterator[tuple[list[str], int]]:
    block: list[str] = []
    start, indent = 1, None
    for number, line in enumerate(lines, start=1):
        pair = _PAIR.match(line)
        opens = pair is not None and pair["dash"] is not None and is_field(pair["name"])
        begins = opens and pair is not None and (indent is None or len(pair["indent"]) <= indent)
        if begins or _EDGE.match(line) or _FENCE.match(line):
            if block:
                yield block, start
            block, start = [], number
            indent = len(pair["indent"]) if begins and pair else None
        if not (_EDGE.match(line) or _FENCE.match(line)):
            block.append(line)
            start = number if len(block) == 1 else start
    if block:
        yield block, start


def _fields_of(block: Sequence[str]) -> dict[str, str]:
    record: dict[str, str] = {}
    last = ""
    for at, line in enumerate(block):
        pair = _PAIR.match(line)
        if pair is not None and is_field(pair["name"]):
            last = pair["name"]
            record.setdefault(last, pair["value"].strip().strip("\"'"))
        elif at == 0:
            last = "title"
            record[last] = re.sub(
                r"^\W*(?:\d{1,3}|[IVXivx]{1,5}|[A-Z]{1,3}-?\d{1,3})[.):]\s+", "", line
            ).strip(" #*_")
        elif last:
            record[last] = f"{record[last]}\n{line.strip()}"
    return record
