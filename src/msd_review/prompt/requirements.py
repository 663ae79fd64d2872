"""Which requirements a phase names, and what they say.

An id is letters, a dash and a number ("AUTH-01"). Ids of decisions, threats, tasks, constraints, hypotheses,
mitigations and success criteria (D-, T-, C-, H-, M-, SC-) look the same and are none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msd_review.lazy import regex
from msd_review.prompt.phases import phase_key
from msd_review.prompt.roadmap import field_value

_LOOK_ALIKES = {"D", "T", "C", "H", "M", "SC"}
_PREFIX = r"[A-Z][A-Z0-9]*(?:[-_][A-Z][A-Z0-9]*)*"
_ID = rf"(?P<prefix>{_PREFIX})-(?P<number>\d{{1,5}}[a-z]?(?:\.\d+)*)"
_RANGE_OR_ID = regex(
    rf"(?<![\w-]){_ID}(?![\w])(?:\s*(?:\.\.\.?|…|–|—|~|-(?=[A-Z\d])|\s-\s|\b(?:to|through|thru)\b)\s*"
    rf"(?:(?P=prefix)-)?(?P<last>\d{{1,5}})(?![\w-]))?"
)
_WILDCARD = regex(rf"(?<![\w-])(?P<prefix>{_PREFIX})-(?:\*|[xX]{{1,3}}\b|all\b)")
_ENTRY_LINE = regex(
    rf"[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+|#{{1,6}}[ \t]+)(?:\[[ xX~-]?\][ \t]*)?[*_~`\[]*{_ID}(?![\w-])[^\n]*"
)
_BARE_BOLD = regex(rf"[*_]{{2}}{_ID}(?![\w-])[^\n]*")
_ROW = regex(rf"[ \t]*\|[ \t]*[*_`~\[]*{_ID}(?![\w-])[^|\n]*\|(?P<rest>[^\n]*)")
_MAX_RANGE = 200
_MAX_ENTRY = 2_000  # characters
_MAX_ENTRY_LINES = 60
FRONT_KEYS = ("requirements", "requirements_addressed", "requirements_covered")


def named_ids(text: str, defined: Iterable[str] = ()) -> tuple[str, ...]:
    """Every requirement id in `text`, ranges and wildcards written out; wildcards by the `defined` ids.

    >>> named_ids("AUTH-01..03, D-02, UI-7")
    ('AUTH-01', 'AUTH-02', 'AUTH-03', 'UI-7')
    """
    found: dict[str, None] = {}
    for match in _RANGE_OR_ID.finditer(text):
        if match["prefix"] not in _LOOK_ALIKES:
            found.update(dict.fromkeys(_written_out(match)))
    known = tuple(defined)
    for match in _WILDCARD.finditer(text):
        found.update(dict.fromkeys(name for name in known if name.startswith(match["prefix"] + "-")))
    return tuple(found)


def defined_entries(document: str) -> Mapping[str, str]:
    """Id → what the requirements document says of it, in one line; list items and headings before table rows."""
    lines = document.split("\n")
    entries: dict[str, str] = {}
    rows: dict[str, str] = {}
    for index, line in enumerate(lines):
        match = _ENTRY_LINE.fullmatch(line) or _BARE_BOLD.fullmatch(line)
        if match and match["prefix"] not in _LOOK_ALIKES:
            if _id(match) not in entries:
                entries[_id(match)] = _entry(lines, index)
        elif (row := _ROW.fullmatch(line)) and row["prefix"] not in _LOOK_ALIKES:
            rows.setdefault(_id(row), _row_text(row))
    return {**rows, **entries}


def ids_of_phase(section: str, document: str, number: str) -> tuple[str, ...]:
    """What the roadmap's section and the document's traceability table assign to phase `number`."""
    defined = defined_entries(document)
    named = named_ids(field_value(section, "requirement"), defined)
    return tuple(dict.fromkeys((*named, *_traced(document, number))))


def ids_of_front(front: Mapping[str, Any], defined: Iterable[str] = ()) -> tuple[str, ...]:
    """What a plan's front matter says it addresses."""
    values = [front.get(key) for key in FRONT_KEYS]
    return named_ids("\n".join(_flat(values)), defined)


def entry_lines(ids: Sequence[str], defined: Mapping[str, str]) -> str:
    """The entries of `ids`, one a line; an id that is defined nowhere says so."""
    return "\n".join(f"- {name}: {defined.get(name) or '(not defined in REQUIREMENTS.md)'}" for name in ids)


def _written_out(match: re.Match[str]) -> Iterator[str]:
    yield _id(match)
    first, last = match["number"], match["last"]
    if not last or not first.isdigit():
        return
    width = len(first)
    for number in range(int(first) + 1, min(int(last), int(first) + _MAX_RANGE) + 1):
        yield f"{match['prefix']}-{number:0{width}d}"


def _id(match: re.Match[str]) -> str:
    return f"{match['prefix']}-{match['number']}"


def _entry(lines: Sequence[str], index: int) -> str:
    """The entry's own line and what is indented below it, or below its heading, without the id in front."""
    own = lines[index]
    following = lines[index + 1 : index + 1 + _MAX_ENTRY_LINES]
    rest = _below_heading(following) if own.lstrip().startswith("#") else _indented(own, following)
    text = re.sub(
        rf"^.*?{_PREFIX}-\d+[a-z]?(?:\.\d+)*[*_~`\]]*\s*(?:[:—–-]+[*_]*)?\s*",
        "",
        own[: 2 * _MAX_ENTRY],
        count=1,
    )
    return _one_line([text, *rest])


def _indented(own: str, following: Sequence[str]) -> Iterator[str]:
    depth = len(own) - len(own.lstrip())
    for line in following:
        if not line.strip() or len(line) - len(line.lstrip()) <= depth:
            return
        if _ENTRY_LINE.fullmatch(line):
            return
        yield line


def _below_heading(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.lstrip().startswith(("#", "|")) or _ENTRY_LINE.fullmatch(line):
            return
        yield line


def _row_text(row: re.Match[str]) -> str:
    return _one_line([" | ".join(cell.strip() for cell in row["rest"].split("|") if cell.strip())])


def _traced(document: str, number: str) -> Iterator[str]:
    for line in document.split("\n"):
        row = _ROW.fullmatch(line)
        if row is None or row["prefix"] in _LOOK_ALIKES:
            continue
        phases = re.findall(r"\bphase\s+(\d+(?:\.\d+)*[a-z]?)\b", row["rest"], re.IGNORECASE)
        if any(phase_key(phase) == phase_key(number) for phase in phases):
            yield _id(row)


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(key)
            yield from _flat(item)


def _one_line(pieces: Iterable[str]) -> str:
    text = " ".join(" ".join(pieces).split())
    return text if len(text) <= _MAX_ENTRY else text[:_MAX_ENTRY] + " …"
