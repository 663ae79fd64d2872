"""Code fences made trustworthy before the Markdown is read.

A fence that never closes would swallow every finding after it, and so would one that a later opening
line shows to be unclosed, or one that wraps a whole review. Such fence lines are blanked; no line is
added or removed, so that line numbers stay true.
"""

from dataclasses import dataclass

from msd_review.lazy import regex

_FENCE = regex(r"^[ \t>]*(?:[-*+] +|\d{1,4}[.)] +)?(?P<marks>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_PROSE_INFO = {"", "markdown", "md", "text", "txt", "plaintext"}
_SECTION_LINE = regex(r"^\s{0,3}(?:#{1,4} +\S|\*\*[^*\n]{3,40}\*\*:?\s*$|[-*] +\*\*)")


@dataclass(frozen=True, slots=True)
class _Open:
    line: int
    marks: str
    info: str

    def is_closed_by(self, marks: str, info: str) -> bool:
        return not info and marks[0] == self.marks[0] and len(marks) >= len(self.marks)


def repair_fences(lines: list[str]) -> list[str]:
    """The same lines, with the fence lines that cannot be trusted blanked."""
    repaired = list(lines)
    current: _Open | None = None
    for number, line in enumerate(lines):
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if not found:
            continue
        marks, info = found["marks"], found["info"].strip()
        if current is None:
            current = _Open(number, marks, info)
        elif current.is_closed_by(marks, info):
            if _wraps_prose(current, lines[current.line + 1 : number]):
                repaired[current.line] = repaired[number] = ""
            current = None
        elif info and marks[0] == current.marks[0]:
            repaired[current.line] = ""
            current = _Open(number, marks, info)
    if current is not None:
        repaired[current.line] = ""
    return repaired


def _wraps_prose(opening: _Open, inside: list[str]) -> bool:
    if opening.info.lower() not in _PROSE_INFO:
        return False
    return sum(1 for line in inside if _SECTION_LINE.match(line)) >= 3
