"""Server-sent events, as chat servers write them; nothing here raises on any text."""

import json
from collections.abc import Iterator
from typing import Any

from msd_review.lazy import regex

_DONE = "[DONE]"
_MAX_EVENTS = 400_000
_LINES = regex(r"\r\n|\n|\r")
_FIELD = regex(r"\s*(?::|data:|event:|id:|retry:)")


def is_stream(text: str, content_type: str) -> bool:
    """Whether a body is an event stream: by its type, unless it plainly is JSON, or by how it begins."""
    if text.lstrip()[:1] in {"{", "["}:
        return False
    return content_type.lower().startswith("text/event-stream") or _FIELD.match(text) is not None


def events(text: str) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a stream in order, None for its end mark. What does not parse is skipped."""
    data: list[str] = []
    for line in _bounded_lines(text):
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif name == "error":  # no field of the standard: an old llama.cpp wrote its failures so
            data.append(f'{{"error":{value}}}')
        elif not line.strip() and data:
            yield from _values(data)
            data = []
    yield from _values(data)


def _bounded_lines(text: str) -> Iterator[str]:
    at = 0
    for _ in range(_MAX_EVENTS):
        found = _LINES.search(text, at)
        if found is None:
            yield text[at:]
            return
        yield text[at : found.start()]
        at = found.end()


def _values(data: list[str]) -> Iterator[dict[str, Any] | None]:
    """The value of one event: its lines together, or, since some servers leave the blank line out, each for itself."""
    whole = _value("\n".join(data))
    found = [whole] if whole is not _NOTHING else [_value(line) for line in data]
    for value in found:
        if value is None or isinstance(value, dict):
            yield value


_NOTHING = object()


def _value(text: str) -> Any:
    if text.strip() == _DONE:
        return None
    if not text.lstrip().startswith("{"):
        return _NOTHING
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    return value if isinstance(value, dict) else _NOTHING
