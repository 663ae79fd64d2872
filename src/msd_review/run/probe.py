"""Whether a lane can run here: its programs are there, its tool knows what we need, its server answers. Bounded.

An http lane is probed only with a destination that trust let through: nothing else is contacted. A probe sends no
plan and follows no redirect.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from msd_review.edges import clock, environ
from msd_review.edges.addresses import AddressBook
from msd_review.edges.capture import capture
from msd_review.edges.http import HttpEnd, HttpRequest, send
from msd_review.edges.proxies import proxy_for
from msd_review.handlers import openai_compatible as protocol
from msd_review.manifest.model import CommandCapability, HttpReachable, Lane
from msd_review.outcomes import Reason
from msd_review.run.http_verdict import shown
from msd_review.run.standing import READY, Find, ProbeResult, against, missing_program
from msd_review.trust.destinations import request_url

_HELP_BYTES = 1024 * 1024
_ANSWER_BYTES = 4 * 1024 * 1024
_LOADING_PAUSE_S = 0.25


async def probe_lane(
    lane: Lane,
    *,
    find: Find,
    cwd: Path,
    host: str | None = None,
    api_key: str | None = None,
    env: Mapping[str, str] | None = None,
    book: AddressBook | None = None,
    tls: ssl.SSLContext | None = None,
) -> ProbeResult:
    """What stands against a lane. `host` is the base URL that trust let through, needed by an http probe alone.

    `find` gives the absolute path of a program, `env` is the whole environment of a tool that is asked for its
    help. Never raises for what a tool or a server does.
    """
    missing = missing_program(lane, find=find)
    if missing is not None:
        return missing
    environment = environ.snapshot() if env is None else env
    probe = lane.probe
    if isinstance(probe, CommandCapability):
        return await _probe_help(lane, probe, binary=find(probe.binary), cwd=cwd, env=environment)
    if isinstance(probe, HttpReachable):
        if host is None:
            raise RuntimeError(f"{lane.slug} is probed without a destination that trust let through")
        request = _request(probe, host, api_key=api_key, env=environment, tls=tls)
        return await _probe_http(lane, request, book or AddressBook())
    return READY


async def probe_all(probes: Iterable[Awaitable[ProbeResult]]) -> tuple[ProbeResult, ...]:
    """All probes at the same time: as long as the slowest, not the sum. In the order given."""
    return tuple(await asyncio.gather(*probes))


async def _probe_help(
    lane: Lane, probe: CommandCapability, *, binary: Path | None, cwd: Path, env: Mapping[str, str]
) -> ProbeResult:
    if binary is None:
        return against(lane, Reason.MISSING_BINARY, f"{shown(probe.binary)} was not found on PATH")
    bound_s = probe.timeout_ms / 1000
    got = await capture([str(binary), "--help"], env=env, cwd=cwd, timeout_s=bound_s, limit_bytes=_HELP_BYTES)
    if probe.needle.encode() in got.stdout + b"\n" + got.stderr:
        return READY
    if got.timed_out:
        detail = f"{binary} --help did not end within {bound_s:g} s"
        return against(lane, Reason.PROBE_TIMEOUT, detail)
    if got.problem is not None:
        return against(lane, Reason.PROBE_FAILED, f"{binary} cannot be started: {got.problem}")
    detail = f"{binary} --help does not mention {shown(probe.needle)}: another tool bears this name, or another version"
    return against(lane, Reason.PROBE_FAILED, detail, hint=lane.install_hint)


def _request(
    probe: HttpReachable,
    host: str,
    *,
    api_key: str | None,
    env: Mapping[str, str],
    tls: ssl.SSLContext | None,
) -> HttpRequest:
    url = request_url(host, probe.path)
    return HttpRequest(
        method="GET",
        url=url,
        bearer=api_key,
        timeout_s=probe.timeout_ms / 1000,
        max_body_bytes=_ANSWER_BYTES,
        proxy=proxy_for(url, env),
        tls=tls,
    )


async def _probe_http(lane: Lane, request: HttpRequest, book: AddressBook) -> ProbeResult:
    """Asked again while a server says that it is loading, until the probe's bound."""
    until = clock.monotonic() + request.timeout_s
    while True:
        end = await send(_within(request, until), book)
        left = until - clock.monotonic()
        if end.status != 503 or left <= _LOADING_PAUSE_S:
            return _met(lane, request, end)
        await asyncio.sleep(_LOADING_PAUSE_S)


def _within(request: HttpRequest, until: float) -> HttpRequest:
    return replace(request, timeout_s=max(0.001, until - clock.monotonic()))


def _met(lane: Lane, request: HttpRequest, end: HttpEnd) -> ProbeResult:
    if end.kind == "redirect":
        where = shown(end.location or "nowhere")
        detail = f"{request.url} answered {end.status} and points to {where}; redirects are never followed"
        return against(lane, Reason.EGRESS_REFUSED, detail)
    if end.kind == "egress_refused":
        return against(lane, Reason.EGRESS_REFUSED, end.problem)
    if end.status is None:
        return _no_status(lane, request, end)
    return _by_status(lane, request, end)


def _no_status(lane: Lane, request: HttpRequest, end: HttpEnd) -> ProbeResult:
    if end.kind == "timeout":
        detail = f"{request.url} did not answer within the probe's time"
        return against(lane, Reason.PROBE_TIMEOUT, detail)
    return against(lane, Reason.HOST_UNREACHABLE, shown(end.problem), hint=lane.install_hint)


def _by_status(lane: Lane, request: HttpRequest, end: HttpEnd) -> ProbeResult:
    status = end.status or 0
    if status in {401, 403}:
        hint = (
            f"name the variable that holds its key: msd config set --user review.api_key_env.{lane.slug} NAME"
        )
        return against(lane, Reason.AUTH_REQUIRED, f"{request.url} answered {status}", hint=hint)
    if status == 404:
        hint = f"is the base URL right? It makes {request.url}"
        return against(lane, Reason.HTTP_ERROR, f"{request.url} answered 404", hint=hint)
    if status == 503:
        return against(lane, Reason.HOST_UNREACHABLE, f"{request.url} answers 503: it is not ready")
    known = protocol.context_tokens(end.body) if end.kind == "answered" and status == 200 else None
    return ProbeResult(available=True, context_tokens=known)
