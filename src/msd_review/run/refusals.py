"""Reads a refusal out of words: which reason, in whose words, by the table of patterns. Pure and bounded."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msd_review.lazy import regex
from msd_review.outcomes import Reason
from msd_review.run.decoding import is_blank, storable
from msd_review.run.patterns import (
    MARKER,
    NARRATION,
    NOT_REVIEWS,
    PATTERNS,
    SOFT_MARKER,
    STATUS_REASONS,
    Place,
)
from msd_review.run.result import ToolError
from msd_review.run.shape import frames, is_stack_trace, looks_like_review, signs

_NUMBER = regex(
    r"(?:\b(?:API Error|HTTP(?:/\d(?:\.\d)?)?|status(?: ?code)?|code|\w*error|rejected)\b\W{0,4}(?:(?:got )?status\W{0,4})?|\A\W{0,3})([45]\d\d)\b",
    re.IGNORECASE,
)
_OVERRULES = frozenset(
    {Reason.QUOTA, Reason.RATE_LIMITED, Reason.CONTEXT_OVERFLOW, Reason.MODEL_NOT_FOUND, Reason.RESOURCES}
)
_TRYING_AGAIN = regex(r"\b(?:retrying|reconnecting|retries left|will retry|attempt \d+(?: of \d+)? failed)\b", re.IGNORECASE)  # fmt: skip
# What a line of a review is about, and a tool's own complaint is not.
_ABOUT_A_PLAN = regex(
    r"\b(?:plans?|tasks?|phases?|waves?|requirements?|tests?|should|must|callers?|functions?|modules?|handl\w+|endpoint|implementation|mentions?|missing|untested|approved?|covered|rollback|reviewed)\b",
    re.IGNORECASE,
)
_SHORT = 1500
_SHORT_LINES = 14
_OPENING = 48  # within how many characters of a line an unmarked refusal begins
_LINE = 2000
_TAIL = 64 * 1024
_SENTENCE = regex(r"(?<=[.!?:])\s+|\n+|\u2026\s*|\.{3}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no review, and the words that say so."""

    reason: Reason
    words: str
    is_over: bool = True  # False: the tool says that it goes on trying


def reason_of_words(text: str, place: Place) -> Reason | None:
    """The first row of the table that matches; a status number counts in messages alone."""
    for pattern in PATTERNS:
        if place in pattern.places and pattern.words.search(text) is not None:
            return pattern.reason
    number = _NUMBER.search(text) if place == "message" else None
    return None if number is None else reason_of_status(int(number.group(1)))


def reason_of_status(status: int) -> Reason | None:
    """What an HTTP status means where nothing is said beside it; None below 400."""
    if status in STATUS_REASONS:
        return STATUS_REASONS[status]
    if status >= 500:
        return Reason.SERVER_ERROR
    return Reason.HTTP_ERROR if status >= 400 else None


def reason_of_error(error: ToolError) -> Reason | None:
    """What a failure means that was announced in structure: the status rules, exact words refine it."""
    told = f"{error.kind or ''} {error.message}"[:_TAIL]
    by_words = reason_of_words(told, "message")
    if error.status is None:
        return by_words
    by_status = reason_of_status(error.status)
    if error.status in STATUS_REASONS:
        return by_words if by_words in _OVERRULES else by_status
    return by_words or by_status


def refusal_in_errors(errors: Iterable[ToolError]) -> Refusal | None:
    """The last failure whose meaning is known, else the last one as it stands (a server's own)."""
    listed = tuple(errors)
    for error in reversed(listed):
        reason = reason_of_error(error)
        if reason is not None:
            return _refusal(reason, error.message)
    return _refusal(Reason.SERVER_ERROR, listed[-1].message) if listed else None


def refusal_in_text(text: str) -> Refusal | None:
    """Why a delivered text is no review, or None. A text with the shape of a review never is a refusal."""
    if looks_like_review(text):
        return None
    bare = text.strip()
    failures = failures_in_json(bare)
    if failures:
        return refusal_in_errors(failures)
    if is_stack_trace(bare):
        return _crash(bare)
    if len(bare) > _SHORT:
        return None
    return _announced(bare) or _something_else(bare)


def _crash(text: str) -> Refusal:
    told = [line for line in _lines(text[:_LINE] + "\n" + text[-_LINE:]) if not frames(line)]
    words = (told[-1] if text.startswith("Traceback") else told[0]) if told else text[:_LINE]
    return _refusal(reason_of_words(words, "message") or Reason.MALFORMED_RESPONSE, f"a stack trace: {words}")


def _announced(text: str) -> Refusal | None:
    lines = _lines(text)
    if len(lines) > _SHORT_LINES:
        return None
    for line in lines:
        reason = _reason_of_line(line)
        if reason is not None:
            return _refusal(reason, line)
    return None


def _reason_of_line(line: str) -> Reason | None:
    if MARKER.match(line):
        return reason_of_words(line, "message")
    if SOFT_MARKER.match(line) and not _ABOUT_A_PLAN.search(line):
        return reason_of_words(line, "message")
    for pattern in PATTERNS:
        found = pattern.words.search(line) if "text" in pattern.places else None
        if found is None or found.start() > _OPENING:
            continue
        if not _ABOUT_A_PLAN.search(line[: found.start()] + " " + line[found.end() :]):
            return pattern.reason
    return None


def _something_else(text: str) -> Refusal | None:
    for kind, reason, shape in NOT_REVIEWS:
        if shape.search(text):
            return _refusal(reason, f"{kind}: {text}")
    if signs(text) == 0 and is_only_narration(text):
        return _refusal(Reason.MALFORMED_RESPONSE, f"only what it was about to do: {text}")
    return None


def is_only_narration(text: str) -> bool:
    """Whether every sentence tells what somebody is about to do, or how far a tool is."""
    sentences = [sentence for sentence in _SENTENCE.split(text) if not is_blank(sentence)]
    return bool(sentences) and all(NARRATION.match(sentence) for sentence in sentences)


def refusal_in_log(text: str) -> Refusal | None:
    """Why a run delivered nothing, in what it logged: marked lines first, the latest first."""
    lines = [line for line in _lines(text[-_TAIL:]) if not frames(line)]
    lines.reverse()
    marked = [line for line in lines if MARKER.match(line) or SOFT_MARKER.match(line)]
    for line in marked:
        reason = reason_of_words(line, "message")
        if reason is not None and not _TRYING_AGAIN.search(line):
            return _refusal(reason, line)
    for line in lines:
        reason = reason_of_words(line, "stderr")
        if reason is not None:
            return _refusal(reason, line)
    return None


def _lines(text: str) -> list[str]:
    return [line.strip()[:_LINE] for line in text.split("\n") if not is_blank(line)]


def _refusal(reason: Reason, words: str) -> Refusal:
    return Refusal(reason=reason, words=words, is_over=_TRYING_AGAIN.search(words) is None)


def failures_in_json(text: str) -> tuple[ToolError, ...]:
    """The failures that a text which is nothing but JSON (one value, or one a line) announces."""
    if text[:1] not in {"{", "["} or len(text) > _TAIL:
        return ()
    return tuple(error for value in _json_values(text) for error in _failures(value))


def _json_values(text: str) -> Iterator[Any]:
    whole = _loads(text)
    if whole is not None:
        yield from whole if isinstance(whole, list) else [whole]
        return
    values = [_loads(line) for line in text.split("\n") if line.strip()]
    if all(isinstance(value, dict) for value in values):
        yield from values


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _failures(value: Any) -> Iterator[ToolError]:
    if isinstance(value, dict) and (error := failure_in(value)) is not None:
        yield error


def failure_in(value: dict[str, Any]) -> ToolError | None:
    """The failure that a JSON object announces in one of the shapes that servers and tools use, or None."""
    error = value.get("error")
    kind = value.get("type") if isinstance(value.get("type"), str) else None
    if isinstance(error, dict) and error:
        return _described(error, outer=value)
    if isinstance(error, str) and error.strip():
        return _described({"message": error}, outer=value)
    if value.get("is_error") is True:
        return _described({"message": value.get("result") or value.get("message")}, outer=value)
    if kind is not None and re.search(r"(?i)error|rate[_-]?limit|quota|fail", kind):
        return _described(value, outer=value)
    detail = value.get("detail")
    if isinstance(detail, str | list) and detail and len(value) <= 3:
        return _described({"message": detail}, outer=value)
    return None


def _described(error: dict[str, Any], *, outer: dict[str, Any]) -> ToolError:
    said = next((error[key] for key in ("message", "msg", "detail", "description") if error.get(key)), error)
    message = said if isinstance(said, str) else json.dumps(said)[:2000]
    kind = next(
        (error[key] for key in ("type", "name", "code", "status") if isinstance(error.get(key), str)), None
    )
    numbers = (error.get("status"), error.get("code"), outer.get("status"), outer.get("api_error_status"))
    status = next((n for n in numbers if isinstance(n, int) and not isinstance(n, bool)), None)
    return ToolError(message=storable(message), status=status, kind=kind)
