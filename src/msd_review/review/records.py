"""Reviews printed as records: blocks of `File:`, `Line:`, `Type:` and `Comment:` between ruled lines."""

from collections.abc import Iterator, Sequence

from msd_review.lazy import regex
from msd_review.review.drafts import Draft
from msd_review.review.model import Severity
from msd_review.review.severities import severity_of_cell

_FILE = regex(r"^File: (?P<path>\S[^\n]{0,400})$")
_FIELD = regex(
    r"^(?P<name>Line|Lines|Type|Severity|Comment|Prompt for AI Agent|Suggested fix|Proposed fix): ?(?P<value>.*)$"
)
_RULE = regex(r"^[=\-─━]{8,}$")
_LINES = regex(r"(?P<first>\d{1,7})(?:\s?(?:to|-|–)\s?(?P<last>\d{1,7}))?")
_TYPES = {
    "potential_issue": Severity.MEDIUM,
    "bug": Severity.HIGH,
    "security": Severity.HIGH,
    "refactor_suggestion": Severity.LOW,
    "nitpick": Severity.LOW,
    "verification": Severity.LOW,
}
_SUGGESTING = {"Prompt for AI Agent", "Suggested fix", "Proposed fix"}


def read_records(lines: Sequence[str]) -> list[Draft]:
    """A draft for each record; empty when the text is not made of records."""
    starts = [number for number, line in enumerate(lines) if _FILE.match(line)]
    if not starts:
        return []
    edges = [*starts, len(lines)]
    drafts = [_draft(lines[first:behind], first + 1) for first, behind in zip(starts, edges[1:], strict=True)]
    return [draft for draft in drafts if draft is not None]


def _draft(lines: Sequence[str], number: int) -> Draft | None:
    found = _FILE.match(lines[0])
    fields = dict(_fields(lines[1:]))
    comment = fields.get("Comment", "").strip()
    if found is None or not comment:
        return None
    place = found["path"].strip()
    rated = _LINES.match(fields.get("Line", fields.get("Lines", "")).strip())
    if rated:
        place += f":{rated['first']}" + (f"-{rated['last']}" if rated["last"] else "")
    title, _, rest = comment.partition("\n")
    kind = fields.get("Type", "").strip().lower()
    severity = severity_of_cell(fields.get("Severity", "")) or _TYPES.get(kind)
    draft = Draft(text=title, line=number, end=number + len(lines) - 1, severity=severity, plan=None)
    draft.more = [piece for piece in (f"`{place}`", rest.strip()) if piece]
    draft.suggestions = [
        fields[name].strip() for name in fields if name in _SUGGESTING and fields[name].strip()
    ]
    return draft


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    name, value = "", ""
    for line in lines:
        found = _FIELD.match(line)
        if found:
            yield name, value
            name, value = found["name"], found["value"]
        elif _RULE.match(line):
            break
        else:
            value += "\n" + line
    yield name, value
