"""Gets a file over https, whole or not at all.

Invariants
- https alone, from the first address to the last; a redirect is followed only as often as the source allows.
- What began at a public address never leads to a private one: each name is resolved once, every answer is
  judged, and one of those is connected to.
- Bounded in bytes, by what the server declares and by what it sends, and in seconds over all redirects.
- No cookies, no credentials; a proxy is used for public hosts alone, and only where the person set one.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

from msd_review.edges import clock, environ
from msd_review.edges.addresses import AddressBook, Resolve, Unresolved, kind_of, system_resolve
from msd_review.edges.http import HttpEnd, HttpRequest, send
from msd_review.edges.proxies import proxy_for
from msd_review.errors import SourceError
from msd_review.sources.fetched import Check, Download
from msd_review.trust.visible import plain

Send = Callable[[HttpRequest, AddressBook], Awaitable[HttpEnd]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    url: str
    limit: int
    deadline: float
    redirects: int
    check: Check | None = None
    from_public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How this machine reaches others."""

    tls: ssl.SSLContext | None
    send: Send
    book: AddressBook
    on_bytes: Callable[[int], None] | None


def make_download(
    *,
    tls: ssl.SSLContext | None = None,
    on_bytes: Callable[[int], None] | None = None,
    send_with: Send = send,
    resolve: Resolve = system_resolve,
) -> Download:
    """The download function of this machine.

    `tls` holds the certificates to trust, the system's without it; `on_bytes` is told how much came so far.
    """

    def download(
        url: str, *, limit: int, timeout_s: float, redirects: int = 0, check: Check | None = None
    ) -> bytes:
        deadline = clock.monotonic() + timeout_s
        wish = _Wish(url=url, limit=limit, deadline=deadline, redirects=redirects, check=check)
        way = _Way(tls=tls, send=send_with, book=AddressBook(resolve), on_bytes=on_bytes)
        return asyncio.run(_fetch(wish, way))

    return download


async def _fetch(wish: _Wish, way: _Way) -> bytes:
    while True:
        host = _https_host(wish.url)
        if wish.check is not None:
            wish.check(wish.url)
        if wish.from_public:
            await _stay_outside(wish, host, way.book)
        request = HttpRequest(
            method="GET",
            url=wish.url,
            timeout_s=max(0.01, wish.deadline - clock.monotonic()),
            max_body_bytes=wish.limit,
            proxy=proxy_for(wish.url, environ.snapshot()),
            tls=way.tls,
            on_bytes=way.on_bytes,
            refuse_declared=True,
        )
        end = await way.send(request, way.book)
        if end.kind != "redirect":
            return _content(end, wish)
        wish = _followed(wish, end)


def _followed(wish: _Wish, end: HttpEnd) -> _Wish:
    if wish.redirects == 0:
        raise SourceError(f"{plain(wish.url)} is a redirect too many; it was not followed")
    try:
        url = urljoin(wish.url, end.location or "")
    except ValueError:
        raise SourceError(f"{plain(end.location or '')} is no usable address") from None
    was_public = (
        end.via_proxy is not None or end.connected_to is None or kind_of(end.connected_to) == "outside"
    )
    return replace(wish, url=url, redirects=wish.redirects - 1, from_public=wish.from_public or was_public)


async def _stay_outside(wish: _Wish, host: str, book: AddressBook) -> None:
    addresses: tuple[str, ...] = ()
    try:
        addresses = (await book.peer(host, urlsplit(wish.url).port or 443)).addresses
    except Unresolved as problem:
        # A name that only the proxy can resolve is the proxy's to judge.
        if problem.refused:
            raise SourceError(f"{plain(wish.url)} cannot be fetched: {plain(str(problem))}") from None
    if any(kind_of(address) != "outside" for address in addresses):
        raise SourceError(f"a public address points to a private one, {plain(wish.url)}; it was not followed")


def _https_host(url: str) -> str:
    host = ""
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        host = (parts.hostname or "") if parts.port != 0 else ""
    if not host:
        raise SourceError(f"{plain(url)} is no usable address")
    if parts.scheme != "https":
        raise SourceError(f"{plain(url)} is not https; it was not fetched")
    if parts.username is not None:
        raise SourceError(f"{plain(url)} holds credentials; none are sent in an address")
    return host


def _content(end: HttpEnd, wish: _Wish) -> bytes:
    shown = plain(wish.url)
    if end.kind == "too_large":
        raise SourceError(f"{shown} is larger than {wish.limit:,} bytes")
    if end.kind != "answered":
        raise SourceError(f"{shown} cannot be fetched: {plain(end.problem)}")
    if end.status != 200:
        raise SourceError(f"{shown} cannot be fetched: the server answered {end.status}")
    return end.body
