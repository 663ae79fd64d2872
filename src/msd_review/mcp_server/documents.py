"""Review documents (`msd.reviews/1`) of runs, and what is read of them first."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.app.dismissing import MAX_REVIEWS, reviews_of
from msd_review.edges import files
from msd_review.mcp_server.texts import line
from msd_review.mcp_server.views import RunView

_LIMIT = 64 * 1024 * 1024


def document_of(view: RunView, root: Path) -> dict[str, Any] | None:
    """What a run came to; None where it came to nothing that could be read.

    A run that was begun on a command line left its document in the project alone, until the next one of the same subject.
    """
    if view.outcome is not None and view.outcome.document is not None:
        return dict(view.outcome.document)
    if view.start is not None or not view.is_over:
        return None
    return next((one for one in _in_project(root) if one.get("run") == view.id), None)


def _in_project(root: Path) -> list[dict[str, Any]]:
    found = []
    for path in list(reviews_of(root))[:MAX_REVIEWS]:
        try:
            value = json.loads(files.read_bounded(path, _LIMIT))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value.get("schema") == "msd.reviews/1":
            found.append(value)
    return found


def rows(document: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of one of the document's lists."""
    value = document.get(name)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def names(value: Any) -> list[str]:
    """The cleaned strings of a list."""
    return [line(one, 120) for one in value if isinstance(one, str)] if isinstance(value, list) else []


def counts(document: Mapping[str, Any]) -> dict[str, Any]:
    """Who delivered, who failed and why, and how many findings: the numbers of the report's head."""
    told = document.get("summary")
    summary: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    return {
        "cycle": number(document.get("cycle")),
        "delivered": names(summary.get("delivered")),
        "failed": _reasons(summary.get("failed")),
        "not_run": _reasons(summary.get("not_run")),
        **{name: _numbers(summary.get(name)) for name in ("findings", "clusters", "evidence")},
        **{name: number(summary.get(name)) for name in ("agreed", "resolved", "dismissed")},
    }


def number(value: Any) -> int | None:
    """A whole number, None for everything else: the document may have been written by anybody."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def paths(value: Any) -> dict[str, str]:
    """format → path, of a document's files."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {line(name, 64): line(path, 4096) for name, path in pairs if isinstance(path, str)}


def _numbers(value: Any) -> dict[str, int] | None:
    if not isinstance(value, Mapping):
        return None
    return {line(name, 64): one for name, one in value.items() if number(one) is not None}


def _reasons(value: Any) -> dict[str, str]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {line(name, 64): line(reason, 64) for name, reason in pairs}
