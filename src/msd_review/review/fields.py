"""Findings that a reviewer wrote as data instead of prose: what a named field of such a record means.

Any schema is read by the names of its fields: a title or message, a severity, a place, a suggestion. A record
without a severity or without words of its own is no finding.
"""

import re
from collections.abc import Mapping

from msd_review.lazy import regex
from msd_review.review.drafts import Draft, is_nothing
from msd_review.review.label_places import find_label
from msd_review.review.model import Severity
from msd_review.review.severities import severity_of_cell

_TITLES = ("title", "finding", "issue", "concern", "problem", "summary", "headline", "name", "message", "msg",
           "description", "comment", "text", "detail", "details", "body", "titel", "titre", "título", "titulo",
           "problema", "problème", "befund", "標題", "标题", "タイトル", "제목", "問題", "问题", "문제")  # fmt: skip
_SEVERITIES = ("severity", "sev", "priority", "prio", "level", "risk", "criticality", "impact", "rating", "importance",
               "schweregrad", "gravité", "sévérité", "severidad", "severidade", "gravedad", "gravidade",
               "重要度", "深刻度", "严重程度", "严重性", "심각도", "mức độ")  # fmt: skip
_PLACES = ("location", "file", "path", "filename", "file_path", "filepath", "where", "place", "source", "ref",
           "evidence", "citation", "citations", "at", "datei", "ort", "fichier", "archivo", "arquivo", "位置", "파일")  # fmt: skip
_LINES = ("line", "lines", "line_start", "start_line", "startline", "line_number", "lineno", "zeile", "ligne")
_ENDS = ("line_end", "end_line", "endline")
_SUGGESTIONS = ("recommendation", "suggestion", "fix", "remedy", "suggested_fix", "remediation", "action", "proposal",
                "proposed_fix", "empfehlung", "vorschlag", "recommandation", "sugerencia", "sugestão")  # fmt: skip
_PLANS = ("plan", "task", "wave")
_LIMIT = 4_000


def draft_of(record: Mapping[str, str], line: int, end: int) -> Draft | None:
    """A record as a draft of a finding; None when it states none. Names are compared without case."""
    fields = {_name(name): value.strip()[:_LIMIT] for name, value in record.items() if value.strip()}
    severity = _severity(fields)
    titles = [name for name in _TITLES if name in fields]
    if severity is None or not titles or is_nothing(fields[titles[0]]):
        return None
    label = find_label(fields[titles[0]])
    draft = Draft(
        text=label.rest if label and label.rest.strip() else fields[titles[0]],
        line=line,
        end=end,
        severity=severity,
        plan=next((fields[name] for name in _PLANS if name in fields), None),
    )
    used = {titles[0], *_SEVERITIES, *_LINES, *_ENDS, *_PLACES, *_SUGGESTIONS, *_PLANS, "id", "confidence"}
    draft.more = [value for name, value in fields.items() if name not in used]
    if place := _place(fields):
        draft.more.append(place)
    draft.suggestions = [fields[name] for name in _SUGGESTIONS if name in fields]
    return draft


def has_severity(record: Mapping[str, str]) -> bool:
    """Whether a record has a field of a severity whose value is one."""
    return _severity({_name(name): value for name, value in record.items()}) is not None


def is_field(name: str) -> bool:
    """Whether a name is one that records of findings use."""
    return _name(name) in _KNOWN


_KNOWN = frozenset((*_TITLES, *_SEVERITIES, *_PLACES, *_LINES, *_ENDS, *_SUGGESTIONS, *_PLANS, "id", "why", "type",
                    "category", "status", "confidence", "impact", "rationale", "reason", "warum", "pourquoi"))  # fmt: skip


def _name(name: str) -> str:
    return re.sub(r"[\s-]+", "_", re.sub(r"[*`\"']", "", name).strip().lower())


def _severity(fields: Mapping[str, str]) -> Severity | None:
    found = (severity_of_cell(fields[name].strip(" *`\"'[]")) for name in _SEVERITIES if name in fields)
    return next((severity for severity in found if severity is not None), None)


_NUMBER = regex(r"\d{1,7}(?:\s?[-–]\s?\d{1,7})?")


def _place(fields: Mapping[str, str]) -> str:
    """The place of a record as one citation in code marks."""
    written = [fields[name].strip(" `\"'") for name in _PLACES if name in fields]
    line = next((fields[name] for name in _LINES if name in fields), "")
    end = next((fields[name] for name in _ENDS if name in fields), "")
    if not written:
        return ""
    first = written[0]
    if _NUMBER.fullmatch(line) and not re.search(r":\d", first):
        first += ":" + re.sub(r"\s", "", line).replace("–", "-")
        first += f"-{end}" if end.isdigit() and "-" not in first.rsplit(":", 1)[-1] else ""
    return " ".join(f"`{place}`" if "`" not in place and "\n" not in place and len(place) < 300 else place for place in (first, *written[1:]))  # fmt: skip
