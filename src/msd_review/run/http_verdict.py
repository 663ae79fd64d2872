"""What the end of an HTTP exchange amounts to: one outcome and, unless it is a review, one reason. Pure.

The body is judged before the status, and what a server announces before what its answer looks like. Words count
only inside an announced failure: a review that speaks of "401" is none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from msd_review.edges.http import HttpEnd
from msd_review.handlers.openai_compatible import (
    CUT_STREAM,
    NO_CHOICES,
    NO_JSON,
    WEB_PAGE,
    without_thought,
)
from msd_review.invocation import HttpInvocation
from msd_review.lazy import regex
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.decoding import is_blank
from msd_review.run.patterns import PATTERNS
from msd_review.run.refusals import refusal_in_text
from msd_review.run.result import Reading, ToolError, Verdict

# Said by model servers alone; what tools say too is in `patterns`.
_SERVER_WORDS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    (
        Reason.RESOURCES,
        regex(
            r"more (?:system )?memory|insufficient (?:system )?(?:resources|memory|vram)|not enough (?:v?ram|memory)"
            r"|failed to allocate|cudaMalloc",
            re.IGNORECASE,
        ),
    ),
    (
        Reason.MODEL_NOT_FOUND,
        regex(
            r"no models? (?:is |are )?(?:currently )?loaded|invalid model identifier|model (?:is )?not loaded"
            r"|failed to load model",
            re.IGNORECASE,
        ),
    ),
)
_TELLING = frozenset(
    {
        Reason.CONTEXT_OVERFLOW,
        Reason.MODEL_NOT_FOUND,
        Reason.QUOTA,
        Reason.RATE_LIMITED,
        Reason.AUTH_REQUIRED,
        Reason.RESOURCES,
    }
)
_BY_STATUS = {
    401: Reason.AUTH_REQUIRED,
    402: Reason.QUOTA,
    403: Reason.AUTH_REQUIRED,
    407: Reason.AUTH_REQUIRED,
    408: Reason.TIMEOUT,
    429: Reason.RATE_LIMITED,
}
_WRONG_PLACE = regex(r"unexpected endpoint|not found|no route|cannot (?:get|post) /", re.IGNORECASE)
_LOADING = regex(r"loading|starting up|warming up", re.IGNORECASE)
_WINDOW = regex(r"(?:context|window|n_ctx|maximum)\D{0,40}?(\d[\d,]+)", re.IGNORECASE)
_NUMBER = regex(r"\d[\d,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request's end and what was read out of its body; `waited` is what Retry-After asks for, in seconds."""

    invocation: HttpInvocation
    end: HttpEnd
    reading: Reading
    waited: float | None = None
    has_key: bool = False


def judge(exchange: Exchange) -> Verdict:
    """The verdict; its hint is the lane's own where it declares one."""
    verdict = _ENDS.get(exchange.end.kind, _answered)(exchange)
    if verdict.reason is None:
        return verdict
    declared = exchange.invocation.lane.hints.get(verdict.reason.value)
    return Verdict(
        outcome=verdict.outcome,
        reason=verdict.reason,
        detail=verdict.detail,
        hint=declared or verdict.hint or _hint(exchange, verdict.reason),
        marks=verdict.marks,
    )


def is_loading(end: HttpEnd, reading: Reading) -> bool:
    """Whether a server says that it is not ready yet."""
    told = " ".join(error.message for error in reading.errors)
    return end.status == 503 and _LOADING.search(told) is not None


def _verdict(outcome: Outcome, reason: Reason, detail: str, *, hint: str | None = None) -> Verdict:
    return Verdict(outcome=outcome, reason=reason, detail=detail, hint=hint)


def _unreachable(exchange: Exchange) -> Verdict:
    return _verdict(Outcome.UNAVAILABLE, Reason.HOST_UNREACHABLE, exchange.end.problem)


def _refused_egress(exchange: Exchange) -> Verdict:
    detail = f"{exchange.end.problem}; nothing was sent"
    return _verdict(Outcome.BLOCKED, Reason.EGRESS_REFUSED, detail)


def _redirected(exchange: Exchange) -> Verdict:
    end, invocation = exchange.end, exchange.invocation
    where = shown(end.location) if end.location else "nowhere"
    detail = f"{invocation.host} answered {end.status} and points to {where}; redirects are never followed"
    hint = f"if plans may go there, make it the lane's own destination: {invocation.host_config_key}"
    return _verdict(Outcome.BLOCKED, Reason.EGRESS_REFUSED, detail, hint=hint)


def _cut(reason: Reason, detail: str) -> Callable[[Exchange], Verdict]:
    """What an answer amounts to that did not come to its end: whole all the same, worth showing, or nothing."""

    def verdict(exchange: Exchange) -> Verdict:
        reading, told = exchange.reading, exchange.end.problem or detail
        status = exchange.end.status
        if status is not None and not 200 <= status < 300:
            return _announced(exchange) if reading.errors else _verdict(Outcome.FAILED, reason, told)
        if reading.structured and reading.done and reason is not Reason.OUTPUT_LIMIT:
            marks = (Mark.KILLED_AFTER_REPLY, *reading.marks)
            return Verdict(outcome=Outcome.REVIEW, reason=None, detail="", marks=marks)
        outcome = Outcome.PARTIAL if _is_worth_showing(reading) else Outcome.FAILED
        return _verdict(outcome, reason, told)

    return verdict


def _is_worth_showing(reading: Reading) -> bool:
    return not is_blank(without_thought(reading.text)) and all(e.kind == CUT_STREAM for e in reading.errors)


def _failed_as(reason: Reason) -> Callable[[Exchange], Verdict]:
    return lambda exchange: _verdict(Outcome.FAILED, reason, exchange.end.problem)


_ENDS: dict[str, Callable[[Exchange], Verdict]] = {
    "refused": _unreachable,
    "unresolved": _unreachable,
    "tls": _unreachable,
    "egress_refused": _refused_egress,
    "redirect": _redirected,
    "timeout": _cut(Reason.TIMEOUT, "no whole answer before the deadline"),
    "reset": _cut(Reason.SERVER_ERROR, "the connection broke"),
    "too_large": _cut(Reason.OUTPUT_LIMIT, "the answer is too large"),
    "protocol": _failed_as(Reason.MALFORMED_RESPONSE),
    "write_failed": _failed_as(Reason.RESOURCES),
}


def _answered(exchange: Exchange) -> Verdict:
    reading, status = exchange.reading, exchange.end.status or 0
    if not 200 <= status < 300 or reading.errors:
        return _announced(exchange)
    text = without_thought(reading.text)
    if is_blank(text):
        told = "; ".join(reading.diagnosis)
        detail = f"the server answered without a review{': ' + told if told else ''}"
        return _verdict(Outcome.FAILED, Reason.EMPTY_OUTPUT, shown(detail))
    refusal = refusal_in_text(text)
    if refusal is not None:
        return _verdict(Outcome.FAILED, refusal.reason, shown(refusal.words))
    return Verdict(outcome=Outcome.REVIEW, reason=None, detail="", marks=reading.marks)


def _announced(exchange: Exchange) -> Verdict:
    reading, status = exchange.reading, exchange.end.status or 0
    error = reading.errors[-1] if reading.errors else ToolError(message="")
    if 200 <= status < 300 and error.kind == CUT_STREAM:
        outcome = Outcome.PARTIAL if _is_worth_showing(reading) else Outcome.FAILED
        return _verdict(outcome, Reason.SERVER_ERROR, error.message)
    reason = _reason(error, status)
    return _verdict(Outcome.FAILED, reason, _detail(exchange, error, reason))


def _reason(error: ToolError, status: int) -> Reason:
    """Telling words, then the status, then what the body looks like."""
    worded = _worded(error)
    if worded is not None:
        return worded
    code = status if not 200 <= status < 300 else error.status or 0
    if code in _BY_STATUS:
        return _BY_STATUS[code]
    if code >= 500:
        return Reason.SERVER_ERROR
    if code or error.kind == WEB_PAGE or _WRONG_PLACE.search(error.message):
        return Reason.HTTP_ERROR
    return Reason.MALFORMED_RESPONSE if error.kind in {NO_JSON, NO_CHOICES} else Reason.SERVER_ERROR


def _worded(error: ToolError) -> Reason | None:
    if error.kind in {WEB_PAGE, NO_CHOICES}:
        return None
    text = f"{error.kind or ''} {error.message}"
    for reason, words in _SERVER_WORDS:
        if words.search(text):
            return reason
    telling = (row for row in PATTERNS if row.reason in _TELLING and "message" in row.places)
    return next((row.reason for row in telling if row.words.search(text)), None)


def _detail(exchange: Exchange, error: ToolError, reason: Reason) -> str:
    numbers = overflow(error.message) if reason is Reason.CONTEXT_OVERFLOW else None
    if numbers is not None:
        return f"the prompt has {numbers[0]:,} tokens, and the server's context holds {numbers[1]:,}"
    said = shown(error.message)
    status = exchange.end.status or 0
    told = said if 200 <= status < 300 else f"status {status}" + (f": {said}" if said else "")
    return told + (f" (it asks to wait {exchange.waited:g} s)" if exchange.waited is not None else "")


def overflow(message: str) -> tuple[int, int] | None:
    """The tokens of the prompt and of the window, where a message holds both."""
    window = _WINDOW.search(message)
    if window is None:
        return None
    size = _count(window.group(1))
    larger = (count for text in _NUMBER.findall(message) if (count := _count(text)) > size)
    prompt = next(larger, None)
    return None if prompt is None else (prompt, size)


def _count(text: str) -> int:
    return int(text.replace(",", "")[:12])


def shown(text: str) -> str:
    """A server's words as one line without control or invisible characters."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= 300 else f"{flat[:299]}…"


def _hint(exchange: Exchange, reason: Reason) -> str | None:
    invocation, lane = exchange.invocation, exchange.invocation.lane
    match reason:
        case Reason.HOST_UNREACHABLE:
            return lane.install_hint
        case Reason.CONTEXT_OVERFLOW:
            return f"give it less: {lane.prompt_budget_key or 'review.max_prompt_tokens'}"
        case Reason.HTTP_ERROR:
            return f"is {invocation.host_config_key} right? It makes {invocation.url}"
        case Reason.AUTH_REQUIRED:
            return _key_hint(exchange)
        case Reason.TIMEOUT if lane.timeout_config_key is not None:
            return f"give it longer: --timeout {lane.slug}=SECONDS, or {lane.timeout_config_key}"
        case Reason.MODEL_NOT_FOUND if lane.model_config_key is not None:
            return f"name one that it serves: {lane.model_config_key}"
        case _:
            return None


def _key_hint(exchange: Exchange) -> str:
    name, slug = exchange.invocation.api_key_env, exchange.invocation.lane.slug
    if name is None:
        return f"name the variable that holds its key: msd config set --user review.api_key_env.{slug} NAME"
    return f"the key in {name} was not accepted" if exchange.has_key else f"{name} is not set"
