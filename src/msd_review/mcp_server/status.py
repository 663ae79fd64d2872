"""`review_status`: one run, as an agent needs it while it waits."""

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.edges import clock, process_table
from msd_review.mcp_server import consents, documents, kept
from msd_review.mcp_server.places import Project
from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.texts import line, line_or_none
from msd_review.mcp_server.views import LaneView, RunView, find_view, lanes_of, left_out, moment
from msd_review.outcomes import Outcome

SCHEMA = "msd.mcp-status/1"
_MEANINGS = {
    0: "done; nothing at or above fail_on",
    1: "done; findings at or above fail_on",
    2: "an error of usage, configuration or input; nothing was run",
    3: "a reviewer that was named could not run, or delivered no review that counts; the rest is kept",
    4: "no reviewer could run, or every one that ran failed",
    5: "blocked: a person has not agreed to who would receive this",
    130: "interrupted; what finished is kept, and resume goes on with it",
}
_FAULT = "a fault in msd"


def status(project: Project, run_id: str | None) -> dict[str, Any]:
    """The `msd.mcp-status/1` document. Raises Refused for a run that is not this project's."""
    root = project.required()
    return document_of(find_view(root, run_id), root)


def document_of(view: RunView, root: Path) -> dict[str, Any]:
    """The same of a run that was found."""
    document = documents.document_of(view, root) if view.is_over else None
    return {
        "schema": SCHEMA,
        "run": view.id,
        "command": view.info.command or (view.start.command if view.start else ""),
        "title": line(view.info.title, 200),
        "state": view.state,
        "is_over": view.is_over,
        "exit_code": view.exit_code,
        "meaning": None if view.exit_code is None else _MEANINGS.get(view.exit_code, _FAULT),
        "started_at": view.started_at,
        "ended_at": view.info.ended_at or None,
        "elapsed_seconds": _elapsed(view),
        "reviewers": [_lane(lane) for lane in lanes_of(view)],
        "left_out": _left_out(view, document, root),
        "counts": documents.counts(document) if document is not None else None,
        "files": documents.paths(document.get("files")) if document is not None else {},
        "error": _error(view),
        "next": _next(view, has_document=document is not None),
    }


def _elapsed(view: RunView) -> int:
    end = moment(view.info.ended_at) if view.info.ended_at else clock.now()
    return max(0, round((end - moment(view.started_at)).total_seconds()))


def _lane(lane: LaneView) -> dict[str, Any]:
    result = lane.result
    row: dict[str, Any] = {
        "reviewer": lane.identity,
        "state": lane.state,
        "outcome": None,
        "reason": None,
        "detail": line(lane.note),
        "hint": None,
        "elapsed_seconds": None,
        "model": None,
        "marks": [],
        "reused": False,
    }
    if result is None:
        if lane.state == "running":
            row["elapsed_seconds"] = max(0, round((clock.now() - moment(lane.since)).total_seconds()))
        return row
    return row | {
        "outcome": result.outcome.value,
        "reason": result.reason.value if result.reason is not None else None,
        "detail": line(result.detail),
        "hint": line_or_none(result.hint) if result.outcome is not Outcome.BLOCKED else None,
        "elapsed_seconds": round(result.duration_ms / 1000),
        "model": line_or_none(result.model, 120),
        "marks": [mark.value for mark in result.marks],
        "reused": result.reused,
    }


def _left_out(view: RunView, document: Mapping[str, Any] | None, root: Path) -> list[dict[str, Any]]:
    at_start = view.start.left_out if view.start else ()
    if document is None:
        return [dict(row) for row in at_start]
    known = {str(row.get("reviewer")): row.get("command_for_a_person") for row in at_start}
    rows = [consents.left_out_row(dict(row), root, known) for row in left_out(document, None)]
    if view.start is None:  # then the document lies in the project, and a command in it is anybody's
        rows = [{**row, "command_for_a_person": None} for row in rows]
    itself = [dict(row) for row in at_start if row.get("reason") == "self_skipped"]
    named = {row["reviewer"] for row in itself}
    others = (row for row in rows if row["reviewer"] not in named)
    return sorted(
        (*itself, *others), key=lambda row: row["outcome"] != "blocked"
    )  # a person must hear of those


def _error(view: RunView) -> dict[str, Any] | None:
    if not view.is_over:
        return None
    if view.outcome is not None:
        told = view.outcome.error
        found = told.get("error") if isinstance(told, Mapping) else None
        return dict(found) if isinstance(found, Mapping) else None
    if view.state in {"failed", "crashed"}:
        said = line(kept.last_words(view.info.folder))
        message = said or "its process ended without a word"
        hint = "start it again with resume: what finished is kept"
        return {"code": view.state, "message": message, "hint": hint, "commands_for_a_person": []}
    return None


def _next(view: RunView, *, has_document: bool) -> str:
    if not view.is_over:
        return f"call review_status with run {view.id} and wait_seconds 45"
    if has_document:
        return f"call get_review with run {view.id}"
    return "see error; mend what it names, then start again"


def cancel(project: Project, run_id: str) -> dict[str, Any]:
    """Asks a run that a server began to end, politely; its status. Raises Refused for any other run."""
    root = project.required()
    view = find_view(root, run_id)
    if view.start is None:
        raise Refused("not_yours", f"the run {run_id} was begun by a person on a command line")
    owner = view.info.owner or view.start.process
    if not view.is_over and owner is not None and process_table.is_alive(owner):
        process_table.send((owner.pid,), signal.SIGTERM)
    return document_of(find_view(root, run_id), root)
