"""OpenCode: the review is put together from the text events of a stream of JSON lines."""

import json
from collections.abc import Iterator
from typing import Any

from msd_review.run.result import Reading, ToolError, Usage

TRANSPORT = "spawn"
_UNKNOWN = "?"


def plan_argv(args: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """`--agent NAME` right after `run`, in the place of a declared one."""
    kept = list(args)
    while "--agent" in kept:
        at = kept.index("--agent")
        del kept[at : at + 2]
    at = kept.index("run") + 1 if "run" in kept else 0
    return (*kept[:at], "--agent", agent, *kept[at:])


def _events(stdout: bytes) -> Iterator[dict[str, Any]]:
    for line in stdout.decode("utf-8", "replace").split("\n"):
        text = line.strip()
        start = text.find("{")
        if start < 0:
            continue
        try:
            value = json.loads(text[start:])
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error(event: dict[str, Any]) -> ToolError:
    fields = _object(event.get("error"))
    data = _object(fields.get("data"))
    name = fields.get("name") if isinstance(fields.get("name"), str) else None
    message = data.get("message") or fields.get("message") or name or "it reported an error without words"
    return ToolError(message=str(message), status=_whole(data.get("statusCode")), kind=name)


def diagnosis(last: dict[str, Any]) -> str:
    """How the last step ended, as the one line that is shown: its reason and its output tokens."""
    reason = last.get("reason")
    tokens = last.get("tokens")
    output = _whole(tokens.get("output")) if isinstance(tokens, dict) else None
    return json.dumps(
        {
            "stop_reason": reason if isinstance(reason, str) else _UNKNOWN,
            "output_tokens": _UNKNOWN if output is None else str(output),
        },
        separators=(",", ":"),
    )


def _usage(last: dict[str, Any]) -> Usage | None:
    tokens = last.get("tokens")
    if not isinstance(tokens, dict):
        return None
    cost = last.get("cost")
    return Usage(
        input_tokens=_whole(tokens.get("input")),
        output_tokens=_whole(tokens.get("output")),
        cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


def read(stdout: bytes, stderr: bytes) -> Reading:
    """The review, its end and its failures; errors that a later finished step made good are history."""
    texts: list[str] = []
    errors: list[ToolError] = []
    last: dict[str, Any] = {}
    seen = False
    for event in _events(stdout):
        kind, part = event.get("type"), _object(event.get("part"))
        seen = True
        if kind == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind == "step_finish":
            last = part
            errors = errors if part.get("reason") != "stop" else []
        elif kind == "error":
            errors.append(_error(event))
    text = "\n".join(texts)
    return Reading(
        text=text,
        structured=seen,
        done=last.get("reason") == "stop" and bool(text.strip()) and not errors,
        errors=tuple(errors),
        usage=_usage(last),
        diagnosis=(diagnosis(last),),
    )
