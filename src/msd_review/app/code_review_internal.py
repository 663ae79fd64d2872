"""The host agent's own review of a change: Markdown as any reviewer writes it, or JSON in one of the usual shapes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msd_review.app.assessing import Delivered
from msd_review.app.importing import import_reviews, import_text
from msd_review.app.request import Import
from msd_review.report.change_model import PRIMARY

_SCHEMA = "msd.findings/1"
_MAX_FINDINGS = 2_000
_LISTS = ("findings", "issues", "comments", "problems")
_TITLES = ("title", "summary", "name", "message", "description")
_BODIES = ("body", "description", "message", "details", "text")
_FILES = ("path", "file", "filename", "file_path")
_LINES = ("line", "start_line", "startLine", "lineno")
_ENDS = ("end_line", "endLine")
_SEVERITIES = {"error": "high", "critical": "high", "blocker": "high", "warning": "medium", "major": "medium"}


def internal_import(path: Path) -> Import:
    """The file as an import whose name is the primary's."""
    return Import(name=PRIMARY, path=path)


def deliver_internal(path: Path, *, folder: Path) -> Delivered:
    """The internal review as a delivered one. Raises InputError for a file that cannot be used."""
    one = internal_import(path)
    text = import_text(one)
    return import_reviews([one], folder=folder, texts={one.name: as_markdown(text)})[0]


def as_markdown(text: str) -> str:
    """A review in JSON as the Markdown that carries the same findings as data; any other text as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    rows = list(_rows(value))[:_MAX_FINDINGS]
    if not isinstance(value, dict | list):
        return text
    block = {"schema": _SCHEMA, "findings": rows, "overall_risk": None}
    listed = "\n".join(f"- **{row['severity'].upper()}**: {row['title']}" for row in rows) or "None."
    return f"## Concerns\n\n{listed}\n\n```json\n{json.dumps(block, ensure_ascii=False)}\n```\n"


def _rows(value: Any) -> Iterator[dict[str, Any]]:
    found = value if isinstance(value, list) else []
    if isinstance(value, dict):
        found = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [])
    for entry in found:
        if isinstance(entry, dict) and entry.get("status") not in {"resolved", "quoted"}:
            yield _row(entry)


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    title = _first(entry, _TITLES) or "(untitled)"
    severity = str(entry.get("severity") or "unrated").strip().lower()
    return {
        "severity": _SEVERITIES.get(severity, severity),
        "title": " ".join(title.split())[:300],
        "body": _first(entry, _BODIES),
        "citations": list(_citations(entry)),
        "suggestion": entry.get("suggestion") if isinstance(entry.get("suggestion"), str) else None,
    }


def _citations(entry: Mapping[str, Any]) -> Iterator[str]:
    listed = entry.get("citations")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from _citations(one)
    path = _first(entry, _FILES)
    if path:
        line, end = _number(entry, _LINES), _number(entry, _ENDS)
        last = f"-{end}" if line and end and end > line else ""
        yield f"{path}:{line}{last}" if line else path


def _first(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((entry[name].strip() for name in names if isinstance(entry.get(name), str)), "")


def _number(entry: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    found = (entry[name] for name in names if isinstance(entry.get(name), int))
    return next((number for number in found if not isinstance(number, bool) and number > 0), None)
