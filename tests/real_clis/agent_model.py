"""A stand-in model that is an agent: it answers with the next tool call of msd's loop, by what it has been told so far.

Speaks the chat-completions protocol. Pure: a request's body in, a reply out.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.real_clis.wire import answer

DONE = "The review was read; the agent is done."


def reply(path: str, asked: dict[str, Any]) -> tuple[str, str]:
    """(content type, body): the next tool call, else a sentence."""
    told = _told(asked)
    step = _next_step(told) if "start_review" in json.dumps(asked) else None
    call = _addressed(asked, *step) if step is not None else None
    if call is None:
        return answer(path, asked, DONE)
    return _call(*call, stream=bool(asked.get("stream")), number=len(told))


def _addressed(
    asked: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """The call as the host wants it: under the name that it gave the tool, or through its own tool for such calls."""
    offered = [str(one.get("function", {}).get("name", "")) for one in asked.get("tools") or ()]
    for name in offered:
        if name.endswith(tool):
            return name, arguments
    if "tool_call" in offered:
        return "tool_call", {"name": f"mcp__msd__{tool}", "arguments": arguments}
    return None


def _told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """msd's documents, in the order in which the host handed them on."""
    texts = [_text(one.get("content")) for one in asked.get("messages") or () if one.get("role") == "tool"]
    return [found for text in texts if (found := _document(text)) is not None]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _document(text: str) -> dict[str, Any] | None:
    """The document in a tool's answer, whatever the host put around it."""
    start = text.find('{"schema": "msd.mcp-')
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return {"schema": "cut"}
    return value if isinstance(value, dict) else None


def _next_step(told: list[dict[str, Any]]) -> tuple[str, dict[str, Any]] | None:
    if not told:
        return "list_reviewers", {}
    last = told[-1]
    match last["schema"]:
        case "msd.mcp-reviewers/1":
            return "start_review", {"phase": "2", "reviewers": ["grounding"]}
        case "msd.mcp-started/1":
            return "review_status", {"run": last["run"], "wait_seconds": 45}
        case "msd.mcp-status/1":
            tool = "get_review" if last["is_over"] else "review_status"
            return tool, {"run": last["run"]} | ({} if last["is_over"] else {"wait_seconds": 45})
        case _:
            return None


def _call(name: str, arguments: dict[str, Any], *, stream: bool, number: int) -> tuple[str, str]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    head = {"id": f"chat_{number}", "created": 1, "model": "stand-in"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if not stream:
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        whole = head | {"object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", json.dumps(whole)
    events = "".join(f"data: {json.dumps(head | chunk)}\n\n" for chunk in _chunks(call, usage))
    return "text/event-stream", events + "data: [DONE]\n\n"


def _chunks(call: dict[str, Any], usage: dict[str, int]) -> Iterator[dict[str, Any]]:
    kind = {"object": "chat.completion.chunk"}
    delta = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call}]}
    yield kind | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield kind | {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    yield kind | {"choices": [], "usage": usage}
