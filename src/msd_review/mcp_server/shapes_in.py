"""What each tool takes, as JSON Schema: shown to the client, and held against every call. Pure data."""

from typing import Any

Schema = dict[str, Any]

MAX_WAIT_S = 45  # clients cut calls after a minute
MOST_FINDINGS = 100
SEVERITIES = ["high", "medium", "low"]
STATUSES = ["open", "new", "reopened", "resolved", "dismissed", "quoted"]


def _text(description: str, longest: int = 256, **more: Any) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description, **more}


def _list(items: Schema, description: str, most: int = 50) -> Schema:
    return {"type": "array", "items": items, "maxItems": most, "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _object(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 64}
_PATH: Schema = {"type": "string", "minLength": 1, "maxLength": 4096}
_RUN = _text("A run's id, as start_review returned it. Without it: the newest run of this project.", 64)

_WHO: dict[str, Schema] = {
    "reviewers": _list(
        _NAME,
        "Slugs of reviewers to run, as list_reviewers gives them. Naming one chooses it; it agrees to nothing "
        "on behalf of the person.",
    ),
    "all": _flag("Run every reviewer that can run here."),
    "exclude": _list(_NAME, "Slugs of reviewers to leave out: name your own tool here."),
    "fail_on": {
        "type": "string",
        "enum": ["high", "medium", "low", "never"],
        "description": "Exit code 1 when a standing concern is at or above this.",
    },
    "resume": _flag("Go on with the last run of the same subject: what finished is not paid for twice."),
    "retry_failed": _flag("With resume: run only what failed again."),
}

INPUTS: dict[str, Schema] = {
    "list_reviewers": _object({}),
    "start_review": _object(
        {
            "plans": _list(
                _PATH, "Plan files of this project. Without plans and phase: the one obvious plan."
            ),
            "phase": _text("Review the plans of this phase of .planning/ instead."),
            **_WHO,
        }
    ),
    "start_code_review": _object(
        {
            "paths": _list(_PATH, "Only changes below these paths.", 500),
            "base": _text("Compare with where HEAD left this revision; the default branch without it."),
            "staged": _flag("Review what is staged for the next commit."),
            "depth": {
                "type": "string",
                "enum": ["quick", "standard", "deep"],
                "description": "How far reviewers go.",
            },
            "phase": _text("Review the change together with the plans of this phase."),
            "own_review": _text(
                "A file of this project with your own review of the change; the reviewers confirm or contradict it.",
                4096,
            ),
            **_WHO,
        }
    ),
    "review_status": _object(
        {
            "run": _RUN,
            "wait_seconds": {
                "type": "number",
                "minimum": 0,
                "maximum": MAX_WAIT_S,
                "description": f"Wait up to this long (at most {MAX_WAIT_S}) for the end; returns at once when it is over.",
            },
        }
    ),
    "get_review": _object(
        {
            "run": _RUN,
            "severity": _list({"type": "string", "enum": SEVERITIES}, "Only findings of these severities."),
            "status": _list(
                {"type": "string", "enum": STATUSES},
                "Only findings whose concern has one of these states; `open` is all that stands: new, open, reopened.",
            ),
            "file": _text("Only findings that cite this file, or a file below this folder.", 4096),
            "reviewer": _text("Only findings of this reviewer.", 64),
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_FINDINGS,
                "description": "Findings on a page; 20 without it, fewer where they are long.",
            },
            "cursor": _text("`next_cursor` of the page before.", 64),
        }
    ),
    "dismiss_finding": _object(
        {
            "id": _text("The concern's id (C-…) as get_review gives it.", 64),
            "because": _text("Why it is no concern; shown to people in every later review.", 2000),
        },
        ("id", "because"),
    ),
    "cancel_review": _object(
        {"run": _text("The id of a run that start_review or start_code_review began.", 64)}, ("run",)
    ),
}
