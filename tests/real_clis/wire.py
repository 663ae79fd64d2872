"""What the stand-in model service answers, in the four protocols that the tools speak. Pure."""

import json
from collections.abc import Iterator
from typing import Any

INPUT_TOKENS, OUTPUT_TOKENS = 1234, 56
REVIEW = """## Summary

The plans are sound in outline; two places need care before anything is built.

## Strengths

- The shelf is read whole and written whole, so an import can be tried on a copy.

## Concerns

- **HIGH** `linkshelf/store.py:34`: opening a shelf trusts the format field before the entries are checked, so an imported file can make it fail half-way.
- **LOW** `linkshelf/links.py:9`: the allowed schemes are a constant that the import cannot widen.

## Suggestions

- Check every entry before the first one is added.

## Risk

MEDIUM
"""
_MODEL = "stand-in"


def answer(path: str, asked: dict[str, Any], text: str) -> tuple[str, str]:
    """(content type, body) with `text` as the whole completion, in the protocol that `path` belongs to."""
    if path.endswith("/responses"):
        return "text/event-stream", _named_events(_responses(text))
    if path.endswith("/messages"):
        return _anthropic(text, stream=bool(asked.get("stream")))
    if "enerateContent" in path:
        return _gemini(text, stream="stream" in path)
    if path.endswith("/chat/completions"):
        return _chat(text, stream=bool(asked.get("stream")))
    return "application/json", json.dumps(_other(path))


def refusal(path: str, status: int) -> str:
    """The body of an error, as the protocol's own service words it."""
    words = {401: "invalid API key", 429: "rate limit exceeded, try again later"}[status]
    if path.endswith("/messages"):
        kind = {401: "authentication_error", 429: "rate_limit_error"}[status]
        return json.dumps({"type": "error", "error": {"type": kind, "message": words}})
    if "/v1beta" in path:
        kind = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}[status]
        return json.dumps({"error": {"code": status, "message": words, "status": kind}})
    kind = {401: "invalid_api_key", 429: "rate_limit_exceeded"}[status]
    return json.dumps({"error": {"message": words, "type": kind, "code": kind}})


def _other(path: str) -> dict[str, Any]:
    if "count" in path.lower():
        return {"input_tokens": INPUT_TOKENS, "totalTokens": INPUT_TOKENS}
    return {"object": "list", "data": [{"id": _MODEL, "object": "model"}]}


def _named_events(events: Iterator[dict[str, Any]]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _responses(text: str) -> Iterator[dict[str, Any]]:
    usage = {
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    }
    item = {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "content": [{"type": "output_text", "text": text}],
    }
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    if text:
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {"id": "resp_1", "output": [], "usage": usage}}


def _anthropic(text: str, *, stream: bool) -> tuple[str, str]:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }
    if not stream:
        return "application/json", json.dumps(message)
    return "text/event-stream", _named_events(_anthropic_events(message, text))


def _anthropic_events(message: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    if text:
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": OUTPUT_TOKENS},
    }
    yield {"type": "message_stop"}


def _gemini(text: str, *, stream: bool) -> tuple[str, str]:
    value = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": text}] if text else []},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        },
        "modelVersion": _MODEL,
    }
    if not stream:
        return "application/json", json.dumps(value)
    return "text/event-stream", f"data: {json.dumps(value)}\r\n\r\n"


def _chat(text: str, *, stream: bool) -> tuple[str, str]:
    usage = {
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    }
    head = {"id": "chat_1", "created": 1, "model": _MODEL}
    if not stream:
        whole = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return "application/json", json.dumps(
            head | {"object": "chat.completion", "choices": [whole], "usage": usage}
        )
    head |= {"object": "chat.completion.chunk"}
    first = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks: tuple[dict[str, Any], ...] = (
        head | {"choices": [first]},
        head | {"choices": [last]},
        head | {"choices": [], "usage": usage},
    )
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return "text/event-stream", events + "data: [DONE]\n\n"
