"""OpenCode: the review is put together from the text events of a stream of JSON lines."""

import json
from collections.abc import Iterator
from typing import Any

from msd_review.handlers.base import Printed, no_note, same_argv
from msd_review.manifest.model import Transport
from msd_review.run.result import Reading, ToolError, Usage

TRANSPORT: Transport = "spawn"
WANTS_HELP = False
before_start = no_note
start_argv = same_argv
_MOST_MONEY = 1e9  # dollars; beyond it a number is no price, and may not fit a float
_UNKNOWN = "?"


def plan_argv(argv: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """`--agent NAME` right after `run`, in the place of a declared one."""
    kept = _without_option(list(argv), "--agent")
    at = kept.index("run") + 1 if "run" in kept else 0
    return (*kept[:at], "--agent", agent, *kept[at:])


def _without_option(argv: list[str], name: str) -> list[str]:
    kept = [arg for arg in argv if not arg.startswith(f"{name}=")]
    while name in kept:
        at = kept.index(name)
        del kept[at : at + 2]
    return kept


def _events(stdout: str) -> Iterator[dict[str, Any]]:
    for line in stdout.split("\n"):
        text = line.strip()
        if not text.startswith("{"):
            continue
        try:
            value = json.loads(text)
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
    status = _whole(data.get("statusCode"))
    return ToolError(
        message=message if isinstance(message, str) else json.dumps(message), status=status, kind=name
    )


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
    return Usage(
        input_tokens=_whole(tokens.get("input")),
        output_tokens=_whole(tokens.get("output")),
        cost_usd=_money(last.get("cost")),
    )


def _money(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST_MONEY:
        return None
    return float(value)


def read(printed: Printed, note: object | None) -> Reading:
    """The review, its end and its failures; errors that a later finished step made good are history."""
    texts: list[str] = []
    errors: list[ToolError] = []
    last: dict[str, Any] = {}
    seen = False
    for event in _events(printed.stdout):
        kind, part = event.get("type"), _object(event.get("part"))
        seen = True
        if kind == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind == "step_finish":
            last = part
            errors = [] if part.get("reason") == "stop" else errors
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
        noise="" if seen else printed.stdout,
    )
