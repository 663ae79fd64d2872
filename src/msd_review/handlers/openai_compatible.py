"""OpenAI-compatible model servers: what is asked of them, and what of their many answers is a review.

The body is judged, not the status: servers report failures inside a 200, as objects, strings, lists, plain text and
web pages. A body that holds an error, or no choices, is never a review; reasoning is not one either. Nothing here
raises on any bytes.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from msd_review.handlers.event_stream import events, is_stream
from msd_review.lazy import regex
from msd_review.manifest.model import Transport
from msd_review.outcomes import Mark
from msd_review.run.result import Reading, ToolError, Usage

TRANSPORT: Transport = "openai-http"
DEFAULT_MAX_TOKENS = 8192  # without one, a server was seen to answer for minutes
# Kinds of ToolError that no server announced: they are how its answer looks.
WEB_PAGE, NO_JSON, NO_CHOICES, CUT_STREAM = "web_page", "no_json", "no_choices", "cut_stream"

_LONGEST_NAME = 1000
_MAX_CONTAINERS = 200_000  # objects and arrays in one answer
_EMBEDS = regex(
    r"embed|rerank|(?:^|[/_-])(?:bge|gte|e5|all-minilm|paraphrase|colbert|jina-clip)(?:[-_:.]|$)",
    re.IGNORECASE,
)
_EMBEDDING_ARGUMENTS = frozenset({"--embedding", "--embeddings", "--rerank", "--reranking"})
_HTML = regex(
    r"\s*(?:<!--.{0,2000}?-->\s*)*(?:<!doctype html|<html|<head|<body|<\?xml)", re.IGNORECASE | re.DOTALL
)
_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_THOUGHT = regex(r"\s*<(think|thinking|thought)>", re.IGNORECASE)
_CUT_REASONS = frozenset({"length", "content_filter", "max_tokens"})
_FAILED_REASONS = frozenset({"error", "abort", "cancelled"})


def request_body(model: str, prompt: str, *, max_tokens: int | None = None) -> bytes:
    """One user message as plain text, and nothing that any server might not know."""
    asked = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": max_tokens or DEFAULT_MAX_TOKENS,
        "stream": False,
    }
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")


def _loads(text: str) -> Any:
    if text.count("{") + text.count("[") > _MAX_CONTAINERS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _entries(body: bytes) -> list[Mapping[str, Any]]:
    answer = _loads(body.decode("utf-8", "replace"))
    listed = answer.get("data") if isinstance(answer, dict) else answer
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _embeds(entry: Mapping[str, Any]) -> bool:
    status = entry.get("status")
    arguments = status.get("args") if isinstance(status, dict) else None
    if isinstance(arguments, list) and _EMBEDDING_ARGUMENTS & {
        one for one in arguments if isinstance(one, str)
    }:
        return True
    kind = entry.get("type")
    return (isinstance(kind, str) and "embed" in kind) or _EMBEDS.search(str(entry.get("id"))) is not None


def choose_model(body: bytes) -> str | None:
    """The first model of an answer of `/v1/models` that is none for embeddings; None where there is none."""
    names = (entry.get("id") for entry in _entries(body) if not _embeds(entry))
    return next(
        (name for name in names if isinstance(name, str) and 0 < len(name.strip()) <= _LONGEST_NAME), None
    )


def context_tokens(body: bytes, model: str | None = None) -> int | None:
    """How many tokens the model's window has, where an answer of `/v1/models` says so."""
    wanted = model or choose_model(body)
    for entry in _entries(body):
        meta = entry.get("meta")
        said = {**(meta if isinstance(meta, dict) else {}), **entry}
        sizes = (
            said.get(key) for key in ("loaded_context_length", "n_ctx", "max_model_len", "context_length")
        )
        size = next((_whole(one) for one in sizes if _whole(one)), None)
        if entry.get("id") == wanted and size is not None:
            return size
    return None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read(body: bytes, *, content_type: str = "") -> Reading:
    """What a chat completion says: its text, its end, its failures, its usage, the model that answered."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        return Reading(text="")
    if is_stream(text, content_type):
        return _read_stream(text)
    if _HTML.match(text):
        return _failure("a web page came instead of an answer", kind=WEB_PAGE)
    answer = _loads(text)
    if isinstance(answer, dict):
        return _read_answer(answer)
    return _failure(_one_line(text), kind=NO_JSON)


def _failure(message: str, *, kind: str) -> Reading:
    return Reading(text="", errors=(ToolError(message=message, kind=kind),))


def _one_line(text: str) -> str:
    return " ".join(text[:2000].split())[:500]


def _read_answer(answer: Mapping[str, Any]) -> Reading:
    errors = errors_of(answer)
    choice = _choice(answer)
    if choice is None and not errors:
        errors = (ToolError(message="the answer holds no choices", kind=NO_CHOICES),)
    message = _object((choice or {}).get("message"))
    text = _text(message.get("content"), joint="\n")
    finish = (choice or {}).get("finish_reason")
    return Reading(
        text=text,
        structured=True,
        done=not errors and not _only_thought(text),
        errors=errors + _failed_end(finish),
        usage=_usage(answer),
        model=_model(answer),
        marks=_marks(finish, answer),
        diagnosis=_diagnosis(finish, message, text),
    )


def _read_stream(text: str) -> Reading:
    parts: list[str] = []
    errors: tuple[ToolError, ...] = ()
    message: dict[str, Any] = {}
    told: dict[str, Any] = {}
    finish: Any = None
    seen = finished = False
    for event in events(text):
        if event is None:
            finished = True
            continue
        seen = True
        errors += errors_of(event)
        told |= {key: event[key] for key in ("usage", "model") if event.get(key)}
        choice = _choice(event)
        if choice is not None:
            delta = _object(choice.get("delta") or choice.get("message"))
            message |= {key: value for key, value in delta.items() if value}
            parts.append(_text(delta.get("content"), joint=""))
            finish = choice.get("finish_reason") or finish
    whole = "".join(parts)
    if not seen and not finished:
        errors += (ToolError(message="the event stream holds no event", kind=NO_CHOICES),)
    elif not finished and finish is None:
        errors += (ToolError(message="the stream ended before the answer did", kind=CUT_STREAM),)
    return Reading(
        text=whole,
        structured=seen,
        done=not errors and not _only_thought(whole),
        errors=errors + _failed_end(finish),
        usage=_usage(told),
        model=_model(told),
        marks=_marks(finish, told),
        diagnosis=_diagnosis(finish, message, whole),
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first choice; a stream may interleave several, and only number 0 is read."""
    choices = answer.get("choices")
    listed = choices if isinstance(choices, list) else []
    return next((one for one in listed if isinstance(one, dict) and one.get("index") in {0, None}), None)


def _text(content: Any, *, joint: str) -> str:
    """A string, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return joint.join(text for text in texts if isinstance(text, str))


def errors_of(answer: Mapping[str, Any]) -> tuple[ToolError, ...]:
    """The failure that a body announces, in any of the shapes in use."""
    error = answer.get("error")
    if isinstance(error, dict) and error:
        return (_error(error),)
    if error:
        return (ToolError(message=_one_line(error if isinstance(error, str) else json.dumps(error))),)
    return _detail(answer)


def _detail(answer: Mapping[str, Any]) -> tuple[ToolError, ...]:
    detail = answer.get("detail")
    if isinstance(detail, str) and detail.strip():
        return (ToolError(message=_one_line(detail)),)
    if isinstance(detail, list):
        told = [str(one.get("msg") or one) if isinstance(one, dict) else str(one) for one in detail[:5]]
        return (ToolError(message=_one_line("; ".join(told)) or "the request was not accepted"),)
    if answer.get("object") == "error" or (
        isinstance(answer.get("message"), str) and "choices" not in answer
    ):
        return (_error(answer),)
    return ()


def _error(error: Mapping[str, Any]) -> ToolError:
    message = next(
        (error[key] for key in ("message", "detail", "msg", "error") if isinstance(error.get(key), str)), ""
    )
    code = error.get("code")
    kinds = [one for one in (error.get("type"), code) if isinstance(one, str) and one.strip()]
    tokens, window = _whole(error.get("n_prompt_tokens")), _whole(error.get("n_ctx"))
    shown = _one_line(message)
    if tokens and window and not (str(tokens) in shown and str(window) in shown):
        shown = f"{shown} ({tokens} tokens, context size {window})".strip()
    number = _whole(code) or _whole(error.get("status"))
    status = number if number is not None and 100 <= number <= 599 else None
    return ToolError(
        message=shown or " ".join(kinds) or "an error without words",
        status=status,
        kind=" ".join(kinds) or None,
    )


def _failed_end(finish: Any) -> tuple[ToolError, ...]:
    if isinstance(finish, str) and finish in _FAILED_REASONS:
        return (ToolError(message=f"the server ended the answer with {finish!r}", kind="server_error"),)
    return ()


def _usage(answer: Mapping[str, Any]) -> Usage | None:
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    return Usage(
        input_tokens=_whole(usage.get("prompt_tokens")), output_tokens=_whole(usage.get("completion_tokens"))
    )


def _model(answer: Mapping[str, Any]) -> str | None:
    model = answer.get("model")
    return model if isinstance(model, str) and model.strip() else None


def _marks(finish: Any, answer: Mapping[str, Any]) -> tuple[Mark, ...]:
    marks = (Mark.TRUNCATED_OUTPUT,) if isinstance(finish, str) and finish in _CUT_REASONS else ()
    total = _whole(_object(answer.get("usage")).get("total_tokens"))
    return (*marks, Mark.TRUNCATED_INPUT) if _is_round_window(total) else marks


def _is_round_window(total: int | None) -> bool:
    """Whether a count of tokens is exactly a common size of a context window: then the window was full."""
    if total is None or total < 2048 or total % 1024:
        return False
    odd = total // (total & -total)
    return odd in {1, 3, 5}


def is_input_cut(prompt: str, usage: Usage | None) -> bool:
    """Whether a server counted far fewer tokens than the prompt can have.

    No tokenizer in use makes fewer tokens than there are words, nor than a quarter of the estimate of one token
    for three bytes.
    """
    counted = usage.input_tokens if usage is not None else None
    if not counted:
        return False
    estimate = -(-len(prompt.encode("utf-8", "replace")) // 3)
    return counted < max(len(prompt.split()) * 0.9, estimate / 4)


def _folded(model: str) -> str:
    base = re.split(r"[/\\]", model.strip())[-1].casefold()
    return base.removesuffix(":latest").removesuffix(".gguf")


def same_model(asked: str, served: str) -> bool:
    """Whether two names mean one model: a path is its last part, `:latest` is no difference."""
    return _folded(asked) == _folded(served)


def without_thought(text: str) -> str:
    """The text without a leading block of reasoning, closed or not."""
    opened = _THOUGHT.match(text)
    if opened is None:
        return text
    closed = re.compile(f"</{opened.group(1)}>", re.IGNORECASE).search(text, opened.end())
    return "" if closed is None else text[closed.end() :]


def _only_thought(text: str) -> bool:
    return not without_thought(text).strip().strip("\ufeff\u200b \t\r\n").strip()


def _diagnosis(finish: Any, message: Mapping[str, Any], text: str) -> tuple[str, ...]:
    lines = [f"finish_reason: {finish[:40]}"] if isinstance(finish, str) else []
    thought = any(isinstance(message.get(key), str) and message[key].strip() for key in _REASONING_FIELDS)
    if _only_thought(text) and (thought or without_thought(text) != text):
        lines.append("only reasoning came, which is not a review")
    if _only_thought(text) and message.get("tool_calls"):
        lines.append("the model asked for tools")
    if isinstance(message.get("refusal"), str) and message["refusal"].strip():
        lines.append(f"refused: {_one_line(message['refusal'])}")
    return tuple(lines)
