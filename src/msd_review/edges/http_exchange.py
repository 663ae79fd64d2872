"""One exchange over HTTP, for `http.send` alone.

Invariants
- A redirect is never followed; where it points is reported.
- A name is resolved once (`addresses.AddressBook`) and one of the judged addresses is connected to; the Host
  header and the TLS name stay the name.
- No cookies, no credentials but the bearer token that is handed in, no proxy but the one that is handed in, and
  that one only for a destination of the outside.
- One deadline for everything beside one for silence; headers and body are bounded (`http_body`).
- Trouble is a value: `send` raises for nothing that a server, a network or a disk does.
"""

import contextlib
import os
import ssl
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import httpcore2

from msd_review import __version__
from msd_review.edges import proxies
from msd_review.edges.addresses import AddressBook, Peer, Unresolved, kind_of
from msd_review.edges.http import HttpEnd, HttpRequest, Kind
from msd_review.edges.http_body import (
    BadEncoding,
    BodyNotKept,
    BodyTooLarge,
    Hidden,
    Sink,
    private_file,
    unpacker,
)

CONNECT_TIMEOUT_S = 10.0  # for all addresses together, so that one that drops packets does not hide the next
_CONNECT_SHARE = 0.8  # of a short deadline, so that "no way to it" can still be told from "no answer"
_KEPT_HEADERS = frozenset({"content-type", "retry-after", "location", "server", "content-encoding"})
_REDIRECTS = frozenset({300, 301, 302, 303, 305, 307, 308})


class _Pinned(httpcore2.AsyncNetworkBackend):
    """Connects to the judged addresses of one peer, and to nothing else."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._real = httpcore2.AnyIOBackend()
        self.connected_to: str | None = None
        self.tried: list[str] = []
        self.why = ""  # what the platform said of the last address

    async def connect_tcp(  # noqa: PLR0917 - the signature is the library's
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        if (host.strip("[]"), port) != (self._peer.host, self._peer.port):
            raise httpcore2.ConnectError(f"{host}:{port} is not where this request goes")
        trouble: Exception = httpcore2.ConnectError("there is no address")
        share = None if timeout is None else timeout / len(self._peer.addresses)
        for address in self._peer.addresses:
            try:
                stream = await self._real.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as problem:
                trouble = problem
                self.tried.append(address)
                self.why = _platforms_word(problem)
                continue
            self.connected_to = address
            return stream
        raise trouble


@dataclass(slots=True)
class _Met:
    """What is known of an exchange so far; it outlives a cut."""

    sink: Sink
    hidden: Hidden
    backend: _Pinned | None = None
    via_proxy: str | None = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def end(self, kind: Kind, problem: str = "") -> HttpEnd:
        return HttpEnd(
            kind=kind,
            status=self.status,
            headers=self.headers,
            body=self.sink.content,
            body_bytes=self.sink.count,
            location=self.headers.get("location"),
            connected_to=self.backend.connected_to if self.backend is not None else None,
            tried=tuple(self.backend.tried) if self.backend is not None else (),
            via_proxy=self.via_proxy,
            problem=self.hidden.text(" ".join(problem.split())[:300]),
        )


async def send(request: HttpRequest, book: AddressBook | None = None) -> HttpEnd:
    """What `http.send` says."""
    hidden = Hidden(request.bearer)
    met = _Met(sink=Sink(None, limit=request.max_body_bytes, hidden=hidden), hidden=hidden)
    try:
        with private_file(request.body_path) as handle:
            met.sink = Sink(handle, limit=request.max_body_bytes, hidden=hidden)
            end = await _bounded(request, met, book or AddressBook())
    except OSError as problem:
        return met.end("write_failed", f"the answer could not be kept: {problem.strerror or problem}")
    return end


async def _bounded(request: HttpRequest, met: _Met, book: AddressBook) -> HttpEnd:
    end: HttpEnd | None = None
    with anyio.move_on_after(request.timeout_s):
        end = await _attempt(request, met, book)
    with contextlib.suppress(BodyTooLarge, BodyNotKept):
        met.sink.close()
    if end is None:
        return met.end("timeout", f"no whole answer within {request.timeout_s:g} s")
    return met.end(end.kind, end.problem)


async def _attempt(request: HttpRequest, met: _Met, book: AddressBook) -> HttpEnd:
    try:
        peer, proxy = await _way(request, book)
        met.backend = _Pinned(peer)
        met.via_proxy = proxies.without_user(proxy) if proxy is not None else None
        return await _exchange(request, met, proxy)
    except Unresolved as problem:
        return met.end("egress_refused" if problem.refused else "unresolved", str(problem))
    except BodyTooLarge:
        return met.end("too_large", f"the answer is larger than {request.max_body_bytes:,} bytes")
    except BodyNotKept as problem:
        return met.end("write_failed", f"the answer could not be kept: {problem}")
    except BadEncoding as problem:
        return met.end("protocol", str(problem))
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as problem:
        return _network_trouble(problem, request, met)
    except (httpcore2.ProtocolError, httpcore2.ProxyError, ValueError) as problem:
        cut = "without sending" in str(problem)
        text = "the connection was closed in the middle of the answer" if cut else f"no valid HTTP: {problem}"
        return met.end("reset" if cut else "protocol", text)


async def _way(request: HttpRequest, book: AddressBook) -> tuple[Peer, str | None]:
    """Where to connect, and the proxy to ask there. A destination in this network never goes through one."""
    target = urlsplit(request.url)
    host, port = target.hostname or "", target.port or _default_port(target.scheme)
    if request.proxy is None:
        return await book.peer(host, port), None
    with contextlib.suppress(Unresolved):
        peer = await book.peer(host, port)
        if any(kind_of(address) != "outside" for address in peer.addresses):
            return peer, None
    proxy = proxies.with_scheme(request.proxy)
    parts = urlsplit(proxy)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = proxies.without_user(proxy)
        raise Unresolved(f"{shown} is no http proxy, and no other kind can be used", refused=True)
    return await book.peer(parts.hostname, parts.port or _default_port(parts.scheme)), proxy


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _network_trouble(problem: Exception, request: HttpRequest, met: _Met) -> HttpEnd:
    late = isinstance(problem, httpcore2.TimeoutException)
    if met.backend is None or met.backend.connected_to is None:
        return _not_connected(request, met, late=late)
    if isinstance(problem, httpcore2.ConnectError | httpcore2.ConnectTimeout | ssl.SSLError):
        said = " ".join(str(problem).split())
        return met.end("tls", f"no TLS connection: {said or 'the server closed it'}")
    return met.end(
        "timeout" if late else "reset", "the server fell silent" if late else "the connection broke"
    )


def _not_connected(request: HttpRequest, met: _Met, *, late: bool) -> HttpEnd:
    url = request.proxy if met.via_proxy and request.proxy else request.url
    where = urlsplit(url).netloc.rpartition("@")[2]
    if met.backend is None:
        return met.end("refused", f"cannot connect to {where}")
    why = "no answer" if late else met.backend.why
    return met.end("refused", f"cannot connect to {where} (tried {', '.join(met.backend.tried)}): {why}")


def _platforms_word(problem: BaseException) -> str:
    """What the platform says of a failed connection: the error number's own words, at the end of the causes."""
    inner = problem.exceptions[-1] if isinstance(problem, BaseExceptionGroup) else problem.__cause__
    if inner is not None:
        return _platforms_word(inner)
    number = problem.errno if isinstance(problem, OSError) else None
    return os.strerror(number) if number is not None else str(problem) or type(problem).__name__


def _pool(request: HttpRequest, backend: _Pinned, proxy: str | None) -> httpcore2.AsyncConnectionPool:
    if proxy is None:
        return httpcore2.AsyncConnectionPool(
            ssl_context=request.tls, network_backend=backend, max_connections=1
        )
    parts = urlsplit(proxy)
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore2.AsyncHTTPProxy(
        proxy_url=proxies.without_user(proxy),
        proxy_auth=auth,
        ssl_context=request.tls,
        proxy_ssl_context=request.tls if parts.scheme == "https" else None,
        network_backend=backend,
        max_connections=1,
    )


def _headers(request: HttpRequest) -> list[tuple[bytes, bytes]]:
    pairs = {
        "Host": urlsplit(request.url).netloc.rpartition("@")[2],
        "User-Agent": f"msd/{__version__}",
        "Accept": "application/json, text/event-stream;q=0.9, */*;q=0.8",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    if request.bearer is not None:
        pairs["Authorization"] = f"Bearer {request.bearer}"
    if request.method == "POST":
        pairs |= {"Content-Type": "application/json", "Content-Length": str(len(request.content))}
    return [(name.encode(), value.encode("ascii")) for name, value in pairs.items()]


async def _exchange(request: HttpRequest, met: _Met, proxy: str | None) -> HttpEnd:
    if met.backend is None:
        raise RuntimeError("an exchange needs a way")
    silence = request.silence_s or request.timeout_s
    connect = min(CONNECT_TIMEOUT_S, request.timeout_s * _CONNECT_SHARE)
    timeouts = {"connect": connect, "read": silence, "write": silence, "pool": silence}
    outgoing = httpcore2.Request(
        request.method,
        request.url,
        headers=_headers(request),
        content=request.content or None,
        extensions={"timeout": timeouts},
    )
    async with _pool(request, met.backend, proxy) as pool:
        response = await pool.handle_async_request(outgoing)
        try:
            return await _receive(request, response, met)
        finally:
            await response.aclose()


def _declared(response: httpcore2.Response) -> int:
    """The size that the answer's header declares, 0 where it declares none."""
    found = next((value for name, value in response.headers if name.lower() == b"content-length"), b"")
    return int(found) if found.isdigit() and len(found) < 20 else 0


async def _receive(request: HttpRequest, response: httpcore2.Response, met: _Met) -> HttpEnd:
    met.status = response.status
    named = ((name.decode("latin-1").lower(), value) for name, value in response.headers)
    met.headers = {
        name: met.hidden.text(value.decode("latin-1"))[:8192]
        for name, value in named
        if name in _KEPT_HEADERS
    }
    if response.status in _REDIRECTS:
        return met.end("redirect", "it points elsewhere, and a redirect is never followed")
    if request.refuse_declared and _declared(response) > request.max_body_bytes:
        raise BodyTooLarge
    unpack = unpacker(met.headers.get("content-encoding", ""))
    async for chunk in response.aiter_stream():
        for piece in unpack.feed(chunk):
            met.sink.write(piece)
        if request.on_bytes is not None:
            request.on_bytes(met.sink.count)
    unpack.finish()
    return met.end("answered")
