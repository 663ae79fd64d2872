"""What each tool returns, as JSON Schema: shown to the client, and published among the documents' schemas. Pure data."""

from typing import Any

from msd_review.mcp_server import reading, refusal, starting, status
from msd_review.mcp_server.tool_names import DISMISSED, REVIEWERS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NAMES: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}


def _or_null(kind: str, **more: Any) -> Schema:
    return {"type": [kind, "null"], **more}


def _object(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _rows(properties: dict[str, Schema]) -> Schema:
    return {"type": "array", "items": _object(properties)}


def _document(schema: str, properties: dict[str, Schema]) -> Schema:
    return _object({"schema": {"type": "string", "const": schema}, **properties})


_COMMAND: Schema = _or_null("string", description="For a person to run in a terminal, never for the agent.")
_LEFT_OUT = _rows(
    {
        "reviewer": _TEXT,
        "outcome": _TEXT,
        "reason": _TEXT,
        "detail": _TEXT,
        "hint": _or_null("string"),
        "command_for_a_person": _COMMAND,
    }
)
_REASONS: Schema = {"type": "object", "additionalProperties": _TEXT}
_COUNTS: Schema = {
    "type": ["object", "null"],
    "properties": {
        "cycle": _or_null("integer"),
        "delivered": _NAMES,
        "failed": _REASONS,
        "not_run": _REASONS,
        "findings": _or_null("object"),
        "clusters": _or_null("object"),
        "evidence": _or_null("object"),
        "agreed": _or_null("integer"),
        "resolved": _or_null("integer"),
        "dismissed": _or_null("integer"),
    },
}
_FILES: Schema = {
    "type": "object",
    "additionalProperties": _TEXT,
    "description": "format → path, relative to the project where the file lies in it",
}
_ERROR = _object(
    {"code": _TEXT, "message": _TEXT, "hint": _or_null("string"), "commands_for_a_person": _NAMES}
)
_STATUS = _document(
    status.SCHEMA,
    {
        "run": _TEXT,
        "command": _TEXT,
        "title": _TEXT,
        "state": {"enum": ["starting", "running", "finished", "interrupted", "failed", "crashed"]},
        "is_over": _FLAG,
        "exit_code": _or_null("integer"),
        "meaning": _or_null("string"),
        "started_at": _TEXT,
        "ended_at": _or_null("string"),
        "elapsed_seconds": _COUNT,
        "reviewers": _rows(
            {
                "reviewer": _TEXT,
                "state": {"enum": ["waiting", "running", "done", "failed"]},
                "outcome": _or_null("string"),
                "reason": _or_null("string"),
                "detail": _TEXT,
                "hint": _or_null("string"),
                "elapsed_seconds": _or_null("integer"),
                "model": _or_null("string"),
                "marks": _NAMES,
                "reused": _FLAG,
            }
        ),
        "left_out": _LEFT_OUT,
        "counts": _COUNTS,
        "files": _FILES,
        "error": {"anyOf": [_ERROR, {"type": "null"}]},
        "next": _TEXT,
    },
)
_FINDINGS = _rows(
    {
        "id": _TEXT,
        "concern": _or_null("string"),
        "reviewer": _TEXT,
        "severity": _TEXT,
        "status": _TEXT,
        "citations": _rows(
            {
                "path": _TEXT,
                "symbol": _or_null("string"),
                "line": _or_null("integer"),
                "end_line": _or_null("integer"),
                "verdict": _TEXT,
            }
        ),
        "reviewer_text": _object({"title": _TEXT, "body": _TEXT, "suggestion": _or_null("string")}),
        "is_cut": _FLAG,
    }
)
_CONCERNS = _rows(
    {
        "id": _TEXT,
        "severity": _TEXT,
        "status": _TEXT,
        "is_open": _FLAG,
        "agreed": _FLAG,
        "reviewers": _NAMES,
        "independent_reviewers": _or_null("integer"),
        "first_seen_cycle": _or_null("integer"),
        "closed_in_cycle": _or_null("integer"),
        "dismissed_because": _or_null("string"),
        "reviewer_text": _object({"title": _TEXT}),
    }
)
_STARTED = _document(
    starting.SCHEMA,
    {
        "run": _TEXT,
        "command": {"enum": ["review", "code-review"]},
        "title": _TEXT,
        "reviewers": _NAMES,
        "left_out": _LEFT_OUT,
        "next": _TEXT,
    },
)

OUTPUTS: dict[str, Schema] = {
    "list_reviewers": _document(
        REVIEWERS,
        {
            "root": _TEXT,
            "you": _or_null("string"),
            "reviewers": _rows(
                {
                    "slug": _TEXT,
                    "section": _TEXT,
                    "provider": _or_null("string"),
                    "transport": _TEXT,
                    "source": _TEXT,
                    "state": {"enum": ["ready", "blocked", "unavailable", "inactive"]},
                    "reason": _or_null("string"),
                    "detail": _TEXT,
                    "hint": _or_null("string"),
                    "command_for_a_person": _COMMAND,
                    "is_you": _FLAG,
                }
            ),
            "warnings": _NAMES,
        },
    ),
    "start_review": _STARTED,
    "start_code_review": _STARTED,
    "review_status": _STATUS,
    "get_review": _document(
        reading.SCHEMA,
        {
            "run": _TEXT,
            "state": _TEXT,
            "exit_code": _or_null("integer"),
            "notice": _TEXT,
            "counts": _COUNTS,
            "total": _COUNT,
            "offset": _COUNT,
            "findings": _FINDINGS,
            "concerns": _CONCERNS,
            "next_cursor": _or_null("string"),
            "warnings": _NAMES,
            "files": _FILES,
        },
    ),
    "dismiss_finding": _document(DISMISSED, {"id": _TEXT, "title": _TEXT, "kept_in": _TEXT, "next": _TEXT}),
    "cancel_review": _STATUS,
}
ERROR = _document(refusal.SCHEMA, {"error": _ERROR})
