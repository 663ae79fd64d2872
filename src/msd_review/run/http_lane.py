"""One attempt at a lane that is a model server: its model found, one request sent, the answer judged.

Whatever the server does, the result is a `LaneResult`: nothing here raises for it. Both requests go to the
destination that was approved, at addresses that were resolved once. The key is sent as a header and kept nowhere.
Whether another attempt is worth it is decided by `retries`, from what `extra` says.
"""

import asyncio
import contextlib
import email.utils
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path

import anyio

from msd_review.edges import clock, files
from msd_review.edges.addresses import AddressBook
from msd_review.edges.faults import fault_point
from msd_review.edges.http import MAX_BODY_BYTES, HttpEnd, HttpRequest, send
from msd_review.edges.stopping import StopSignal
from msd_review.handlers import openai_compatible as protocol
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.http_verdict import Exchange, is_loading, judge, shown
from msd_review.run.result import LaneResult, Reading, Verdict
from msd_review.run.retries import HTTP_STATUS, LOADING, REFUSED, RETRY_AFTER_S
from msd_review.trust.policy import ApprovedHttp

DISCOVERY_TIMEOUT_S = 2.0
TEXT_NAME, BODY_NAME = "review.md", "response"
_MODELS_BYTES = 4 * 1024 * 1024
# Reading a large answer takes several times its size in memory: one lane at a time.
_one_reader = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One attempt, with all that it may use. `until` is a moment of the monotonic clock."""

    approved: ApprovedHttp
    folder: Path
    prompt: str
    api_key: str | None
    until: float
    book: AddressBook
    tls: ssl.SSLContext | None
    on_bytes: Callable[[int], None] | None

    def left_s(self) -> float:
        return max(0.001, self.until - clock.monotonic())


async def run_http(
    approved: ApprovedHttp,
    *,
    folder: Path,
    prompt: str,
    api_key: str | None = None,
    timeout_ms: int | None = None,
    stop: StopSignal | None = None,
    marks: tuple[Mark, ...] = (),
    on_progress: Callable[[int, int], None] | None = None,
    book: AddressBook | None = None,
    tls: ssl.SSLContext | None = None,
) -> LaneResult:
    """Sends the prompt to the approved destination and says what came of it.

    `folder` is this attempt's private folder: it gets the raw answer (`response`) and the review's text
    (`review.md`). `timeout_ms` may be shorter than the invocation's own. `on_progress` gets the bytes of the
    answer so far. `book`, handed in again, keeps a later attempt at the addresses of the first.
    """
    started, started_at = clock.monotonic(), clock.iso(clock.now())
    own_ms = approved.invocation.timeout_ms
    bound_ms = own_ms if timeout_ms is None else min(timeout_ms, own_ms)
    call = _Call(
        approved=approved,
        folder=folder,
        prompt=prompt,
        api_key=(api_key or "").strip() or None,
        until=started + bound_ms / 1000,
        book=book or AddressBook(),
        tls=tls,
        on_bytes=None if on_progress is None else lambda count: on_progress(count, 0),
    )
    result = _ended(call, Outcome.CANCELLED, Reason.CANCELLED, "it was stopped on request")
    with _until_stopped(stop):
        result = await _attempt(call)
    took = round((clock.monotonic() - started) * 1000)
    all_marks = tuple(dict.fromkeys((*result.marks, *marks))) if result.text_path is not None else ()
    return replace(result, marks=all_marks, started_at=started_at, duration_ms=took)


@contextlib.contextmanager
def _until_stopped(stop: StopSignal | None) -> Iterator[None]:
    with anyio.CancelScope() as scope:
        leave = stop.listen(scope.cancel) if stop is not None else None
        try:
            yield
        finally:
            if leave is not None:
                leave()


async def _attempt(call: _Call) -> LaneResult:
    unusable = _key_problem(call)
    if unusable is not None:
        return unusable
    fault_point("lane.starting")
    model, ended = await _model(call)
    if model is None:
        return ended if ended is not None else _no_model(call)
    content = protocol.request_body(model, call.prompt, max_tokens=call.approved.invocation.max_tokens)
    end = await send(_completion(call, content), call.book)
    fault_point("lane.attempt_ended")
    return await asyncio.to_thread(_judged, call, end, model)


def _key_problem(call: _Call) -> LaneResult | None:
    key = call.api_key
    if key is None or (key.isascii() and key.isprintable() and " " not in key):
        return None
    name = call.approved.invocation.api_key_env or "the variable"
    detail = f"the key in {name} holds characters that no header can carry; nothing was sent"
    return _ended(call, Outcome.FAILED, Reason.AUTH_REQUIRED, detail)


def _no_model(call: _Call) -> LaneResult:
    invocation = call.approved.invocation
    detail = f"{invocation.host} names no model to review with, and none is configured"
    hint = invocation.lane.hints.get(Reason.MODEL_NOT_FOUND.value) or invocation.lane.model_config_key
    return replace(_ended(call, Outcome.FAILED, Reason.MODEL_NOT_FOUND, detail), hint=hint)


def _request(call: _Call, url: str, *, content: bytes = b"", timeout_s: float) -> HttpRequest:
    return HttpRequest(
        method="POST" if content else "GET",
        url=url,
        content=content,
        bearer=call.api_key,
        timeout_s=timeout_s,
        proxy=call.approved.invocation.proxy,
        tls=call.tls,
        max_body_bytes=_MODELS_BYTES,
    )


def _completion(call: _Call, content: bytes) -> HttpRequest:
    request = _request(call, call.approved.invocation.url, content=content, timeout_s=call.left_s())
    return replace(
        request,
        body_path=call.folder / BODY_NAME,
        on_bytes=call.on_bytes,
        max_body_bytes=MAX_BODY_BYTES,
    )


# What a server's list of models answers with, and with which nothing more needs to be sent to it.
_FINAL_ENDS = frozenset({"redirect", "refused", "unresolved", "egress_refused", "tls"})
_FINAL_STATUSES = frozenset({401, 403, 429, 503})


async def _model(call: _Call) -> tuple[str | None, LaneResult | None]:
    """The model to ask for; or None and, where the server's answer already decides, the result."""
    invocation = call.approved.invocation
    if invocation.model is not None or invocation.models_url is None:
        return invocation.model or invocation.fallback_model, None
    request = _request(call, invocation.models_url, timeout_s=min(DISCOVERY_TIMEOUT_S, call.left_s()))
    end = await send(request, call.book)
    if end.kind in _FINAL_ENDS or (end.kind == "answered" and end.status in _FINAL_STATUSES):
        reading = protocol.read(end.body, content_type=end.headers.get("content-type", ""))
        return None, _result(call, end, reading, model=None)
    found = protocol.choose_model(end.body) if end.kind == "answered" and end.status == 200 else None
    return found or invocation.fallback_model, None


def _judged(call: _Call, end: HttpEnd, model: str) -> LaneResult:
    try:
        body = files.read_bounded(call.folder / BODY_NAME, MAX_BODY_BYTES)
    except OSError:
        body = b""
    with _one_reader:
        reading = protocol.read(body, content_type=end.headers.get("content-type", ""))
    return _result(call, end, reading, model=model)


def _result(call: _Call, end: HttpEnd, reading: Reading, *, model: str | None) -> LaneResult:
    waited = retry_after_s(end.headers.get("retry-after"))
    exchange = Exchange(
        invocation=call.approved.invocation,
        end=end,
        reading=reading,
        waited=waited,
        has_key=call.api_key is not None,
    )
    verdict = judge(exchange)
    if verdict.outcome is Outcome.REVIEW and model is not None:
        verdict = _remarked(verdict, reading, prompt=call.prompt, asked=model)
    text_path = None
    if verdict.outcome in {Outcome.REVIEW, Outcome.PARTIAL}:
        try:
            text_path = call.folder / TEXT_NAME
            files.write_atomic(text_path, reading.text.encode("utf-8", "replace"), mode=0o600)
        except OSError as problem:
            detail = f"its review cannot be kept: {problem.strerror or problem}"
            return _ended(call, Outcome.FAILED, Reason.RESOURCES, detail)
    return replace(
        _ended(call, verdict.outcome, verdict.reason, verdict.detail),
        hint=verdict.hint,
        marks=verdict.marks,
        text_path=text_path,
        model=shown(reading.model or model or "") or None,
        usage=reading.usage,
        end_kind=end.kind,
        diagnosis=tuple(shown(line) for line in (*reading.diagnosis, *_way(end))),
        stdout_bytes=end.body_bytes,
        extra=_extra(end, reading, waited),
    )


def _remarked(verdict: Verdict, reading: Reading, *, prompt: str, asked: str) -> Verdict:
    """The verdict with what a reader of the review must know of its model and of what that model saw."""
    marks, notes = list(verdict.marks), [verdict.detail] if verdict.detail else []
    if reading.model is not None and not protocol.same_model(asked, reading.model):
        marks.append(Mark.MODEL_MISMATCH)
        notes.append(f"asked for {shown(asked)}, {shown(reading.model)} answered")
    if protocol.is_input_cut(prompt, reading.usage):
        marks.append(Mark.TRUNCATED_INPUT)
    if Mark.TRUNCATED_INPUT in marks and reading.usage is not None and reading.usage.input_tokens is not None:
        notes.append(f"the server read {reading.usage.input_tokens:,} tokens of the prompt, and it has more")
    return replace(verdict, marks=tuple(marks), detail="; ".join(notes))


def _way(end: HttpEnd) -> tuple[str, ...]:
    """How the server was reached, where that is not plain."""
    lines = []
    if end.tried and end.connected_to is not None:
        lines.append(f"nobody listens at {', '.join(end.tried)}; {end.connected_to} answered")
    if end.via_proxy is not None:
        lines.append(f"through the proxy {end.via_proxy}")
    return tuple(lines)


def _extra(end: HttpEnd, reading: Reading, waited: float | None) -> dict[str, str]:
    extra = {}
    if end.status is not None:
        extra[HTTP_STATUS] = str(end.status)
    if waited is not None:
        extra[RETRY_AFTER_S] = f"{waited:g}"
    if end.kind == "refused":
        extra[REFUSED] = "yes"
    if is_loading(end, reading):
        extra[LOADING] = "yes"
    return extra


def retry_after_s(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks to wait: a number, or a date. None where it says neither."""
    text = (value or "").strip()[:64]
    if len(text) <= 12 and text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - clock.now()).total_seconds())


def _ended(call: _Call, outcome: Outcome, reason: Reason | None, detail: str) -> LaneResult:
    invocation = call.approved.invocation
    lane = invocation.lane
    return LaneResult(
        identity=invocation.identity,
        slug=lane.slug,
        section=lane.reviews_section,
        outcome=outcome,
        reason=reason,
        detail=detail,
        model=invocation.model,
        provider=lane.provider,
        evidence_class=lane.evidence_class,
        named=invocation.named,
    )
