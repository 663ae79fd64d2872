"""Gets a file over https, whole or not at all.

Invariants
- https alone, from the first address to the last; a redirect is followed only as often as the source allows.
- What began at a public address never leads to a private one: the name is resolved once, every answer is
  judged, and one of those is connected to.
- Bounded in bytes, by what the server declares and by what it sends, and in seconds over all redirects.
- No cookies, no credentials; a proxy is used for public hosts alone, and only where the person set one.
"""

import asyncio
import ipaddress
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from msd_review.edges import clock, proxies
from msd_review.edges.addresses import Resolve, Unresolved, system_resolve
from msd_review.edges.http import HttpEnd, HttpRequest, send
from msd_review.errors import SourceError
from msd_review.sources.fetched import Download
from msd_review.trust.destinations import is_private_host
from msd_review.trust.visible import plain

Send = Callable[..., Awaitable[HttpEnd]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    url: str
    limit: int
    deadline: float
    accept: str


def make_download(
    *, verify: ssl.SSLContext | None = None, send_with: Send = send, resolve: Resolve = system_resolve
) -> Download:
    """The download function of this machine; `verify` is the certificates to trust, the system's without it."""

    def download(url: str, *, limit: int, timeout_s: float, redirects: int, accept: str = "*/*") -> bytes:
        deadline = clock.monotonic() + timeout_s
        from_public = False
        for _ in range(redirects + 1):
            wish = _Wish(url=url, limit=limit, deadline=deadline, accept=accept)
            end = _get(wish, from_public, verify, send_with=send_with, resolve=resolve)
            if end.kind != "redirect":
                return _content(end, wish)
            from_public = from_public or not _was_private(end, url)
            url = _joined(url, end.location or "")
        raise SourceError(f"{plain(url)} is reached only through a redirect too many; it was not followed")

    return download


def _get(
    wish: _Wish, from_public: bool, verify: ssl.SSLContext | None, *, send_with: Send, resolve: Resolve
) -> HttpEnd:
    host = _https_host(wish.url)
    if from_public and is_private_host(host):
        raise _leads_inside(wish.url)
    request = HttpRequest(
        method="GET",
        url=wish.url,
        headers={"Accept": wish.accept},
        timeout_s=max(0.01, wish.deadline - clock.monotonic()),
        max_body_bytes=wish.limit,
        proxy=None if is_private_host(host) else proxies.proxy_for("https", host),
        verify=verify,
    )

    async def public_only(name: str, port: int) -> tuple[str, ...]:
        addresses = await resolve(name, port)
        if from_public and request.proxy is None and any(map(_is_private, addresses)):
            raise Unresolved(_leads_inside(wish.url).message, refused=True)
        return addresses

    return asyncio.run(_sent(send_with, request, public_only))


async def _sent(send_with: Send, request: HttpRequest, resolve: Resolve) -> HttpEnd:
    return await send_with(request, resolve=resolve)


def _https_host(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        parts.port  # noqa: B018 - reading it checks it
    except (ValueError, UnicodeError):
        raise SourceError(f"{plain(url)} is no usable address") from None
    if parts.scheme != "https" or not host:
        raise SourceError(f"{plain(url)} is not https; it was not fetched")
    if parts.username is not None:
        raise SourceError(f"{plain(url)} holds credentials; none are sent in an address")
    return host


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise SourceError(f"{plain(location)} is no usable address") from None


def _is_private(address: str) -> bool:
    return not ipaddress.ip_address(address.split("%")[0]).is_global


def _was_private(end: HttpEnd, url: str) -> bool:
    if end.connected_to is None:
        return is_private_host(_https_host(url))
    return _is_private(end.connected_to)


def _leads_inside(url: str) -> SourceError:
    return SourceError(f"a public address points to a private one, {plain(url)}; it was not followed")


def _content(end: HttpEnd, wish: _Wish) -> bytes:
    shown = plain(wish.url)
    if end.kind == "too_large":
        raise SourceError(f"{shown} is larger than {wish.limit:,} bytes")
    if end.kind != "answered":
        raise SourceError(f"{shown} cannot be fetched: {plain(end.problem)}")
    if end.status != 200:
        raise SourceError(f"{shown} cannot be fetched: the server answered {end.status}")
    return end.body
