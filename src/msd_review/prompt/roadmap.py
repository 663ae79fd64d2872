"""Takes one phase's section out of a roadmap."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.prompt.phases import phase_key

_HEADING = regex(r"(#{1,6})[ \t]+(.+)")
_PHASE = regex(r"(?:\[[ xX]?\]|[^\w\[]){0,12}phase\s+(\d+(?:\.\d+)*[a-z]?)\b[^\w\n]*(.*)", re.IGNORECASE)
_CHECKLIST = regex(r"\s*[-*+]\s+\[[ xX~-]?\]\s+(.*)")
# A bold label in sentence case starts the next field; a bold id in capitals belongs to the one before.
_LABEL = regex(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)[A-Z][a-z]")
_MAX_FIELD_LINES = 500
_FENCE = regex(r"[ \t]{0,3}(`{3,}|~{3,})")
_FIELD = regex(r"[ \t]*(?:[-*+][ \t]+)?(\*\*|__|)([A-Za-z][A-Za-z ]{2,40}?)(?::\1|\1[ \t]*:)[ \t]*(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadmapPhase:
    """A phase as the roadmap has it: its title without the number, and its text, heading included."""

    title: str
    text: str


def find_section(roadmap: str, number: str, slug: str = "") -> RoadmapPhase | None:
    """The section of phase `number` ("3" finds "Phase 03"), or its checklist entry where it has no section.

    A number that occurs once per milestone is told apart by the words of `slug`; without help the last one
    counts, for roadmaps grow downwards.
    """
    lines = roadmap.split("\n")
    found = list(_headed(lines, number)) or list(_listed(lines, number))
    if not found:
        return None
    words = set(_words(slug))
    return max(enumerate(found), key=lambda pair: (len(words & set(_words(pair[1].title))), pair[0]))[1]


def field_value(section: str, name: str) -> str:
    """The value of a labelled field (`**Requirements:** A-01`) and the lines that go on below it, or ""."""
    lines = section.split("\n")
    for index, line in enumerate(lines):
        match = _FIELD.fullmatch(line)
        if match and match.group(2).strip().lower().startswith(name.lower()):
            return "\n".join(
                [match.group(3), *_continuation(lines[index + 1 : index + 1 + _MAX_FIELD_LINES])]
            ).strip()
    return ""


def headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(line index, level, text) of each ATX heading outside closed code fences.

    A fence that is never closed hides nothing: real planning files have them.
    """
    hidden = _fenced(lines)
    for index, line in enumerate(lines):
        match = _HEADING.fullmatch(line.rstrip())
        if match and index not in hidden:
            yield index, len(match.group(1)), match.group(2)


def _headed(lines: Sequence[str], number: str) -> Iterator[RoadmapPhase]:
    found = list(headings(lines))
    for position, (start, level, text) in enumerate(found):
        match = _PHASE.match(text)
        if match is None or phase_key(match.group(1)) != phase_key(number):
            continue
        later = (found[at] for at in range(position + 1, len(found)))
        end = next((at for at, depth, other in later if depth <= level or _PHASE.match(other)), len(lines))
        yield RoadmapPhase(title=_title(match.group(2)), text="\n".join(lines[start:end]).strip())


def _listed(lines: Sequence[str], number: str) -> Iterator[RoadmapPhase]:
    for index, line in enumerate(lines):
        item = _CHECKLIST.fullmatch(line)
        match = _PHASE.match(item.group(1)) if item else None
        if match and phase_key(match.group(1)) == phase_key(number):
            rest = list(_continuation(lines[index + 1 : index + 1 + _MAX_FIELD_LINES]))
            title = re.split(r"\*\*|__| [—–-] ", match.group(2))[0]
            yield RoadmapPhase(title=_title(title), text="\n".join([line, *rest]).strip())


def _continuation(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.strip() or _HEADING.match(line) or _LABEL.match(line):
            return
        if not line[:1].isspace() and (_FIELD.fullmatch(line) or _CHECKLIST.fullmatch(line)):
            return
        yield line


def _fenced(lines: Sequence[str]) -> set[int]:
    hidden: set[int] = set()
    opened: tuple[int, str] | None = None
    for index, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if opened is None:
            opened = (index, match.group(1))
        elif match.group(1).startswith(opened[1]) and not line.strip(" \t`~"):
            hidden.update(range(opened[0], index + 1))
            opened = None
    return hidden


def _title(text: str) -> str:
    return re.sub(r"^[\s:.)\]—–*~`-]+|[\s*~#`:]+$", "", text)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", text.lower()) if len(word) > 1]
