"""Names resolved once, every answer judged, and one of those very addresses connected to.

A name that answers with this machine in one breath and with the outside in another is refused: that is how a
name is turned against whoever trusted it. An `AddressBook` asks for each name once, so that a second, different
answer changes nothing.
"""

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
RESOLVE_TIMEOUT_S = 10.0
_MAX_ADDRESSES = 8
_LOOPBACK_NAMES = frozenset({"localhost", "localhost."})
_LOOPBACK = ("::1", "127.0.0.1")


class Unresolved(OSError):
    """A name has no address, or (`refused`) none that may be connected to; `str()` says which."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Where to connect: a name as written, and its judged addresses in the order in which they are tried."""

    host: str
    port: int
    addresses: tuple[str, ...]


async def system_resolve(host: str, port: int) -> tuple[str, ...]:
    """The addresses that the system gives for a name. Raises OSError and UnicodeError.

    Asked in a daemon thread: the system's resolver cannot be interrupted, and must not keep this process alive.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def settle(found: tuple[str, ...], problem: Exception | None) -> None:
        if answer.done():
            return
        if problem is None:
            answer.set_result(found)
        else:
            answer.set_exception(problem)

    def ask() -> None:
        found: tuple[str, ...] = ()
        problem: Exception | None = None
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = tuple(str(entry[4][0]) for entry in entries)
        except (OSError, UnicodeError) as caught:
            problem = caught
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, found, problem)

    threading.Thread(target=ask, name="resolve", daemon=True).start()
    return await answer


def kind_of(address: str) -> str:
    """What an address is: `inside` (this machine, a private network), `outside`, or `unusable` for a server."""
    parsed = ipaddress.ip_address(address.split("%")[0])
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    real = mapped or parsed
    if real.is_multicast or int(real) == 0 or real.is_link_local:
        return "unusable"
    return "outside" if real.is_global else "inside"


def judge(host: str, addresses: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of a name when all of them may be connected to. Raises Unresolved, `refused` set, otherwise."""
    kinds = {kind_of(address) for address in addresses}
    shown = ", ".join(addresses)
    if "unusable" in kinds:
        raise Unresolved(f"{host} resolves to {shown}, which no model server has", refused=True)
    if len(kinds) > 1:
        raise Unresolved(f"{host} resolves to addresses inside and outside at once ({shown})", refused=True)
    return addresses


def own_addresses(host: str) -> tuple[str, ...] | None:
    """The addresses of a host that no resolver is asked for: a literal, `localhost`. None for a name."""
    if host in _LOOPBACK_NAMES:
        return _LOOPBACK
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if int(address) == 0:
        return ("127.0.0.1",) if address.version == 4 else _LOOPBACK
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (str(mapped or address),)


class AddressBook:
    """The peers of one run: each name is resolved at most once, and stays what it was then."""

    def __init__(self, resolve: Resolve = system_resolve) -> None:
        self._resolve = resolve
        self._known: dict[str, tuple[str, ...]] = {}

    async def peer(self, host: str, port: int) -> Peer:
        """Where to connect for a normalised host. Raises Unresolved.

        A literal address is taken as it stands, since consent named it. `localhost` is ::1 and 127.0.0.1 in
        turn, whatever a resolver says.
        """
        addresses = own_addresses(host) or self._known.get(host)
        if addresses is None:
            addresses = self._known.setdefault(host, judge(host, await self._ask(host, port)))
        return Peer(host=host, port=port, addresses=addresses)

    async def _ask(self, host: str, port: int) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(RESOLVE_TIMEOUT_S):
                found = await self._resolve(host, port)
        except TimeoutError:
            raise Unresolved(f"{host} cannot be resolved: no answer within {RESOLVE_TIMEOUT_S:g} s") from None
        except OSError as problem:
            raise Unresolved(f"{host} cannot be resolved: {problem.strerror or problem}") from None
        except UnicodeError:
            raise Unresolved(f"{host} is no name that can be resolved") from None
        if not found:
            raise Unresolved(f"{host} has no address")
        return tuple(dict.fromkeys(found))[:_MAX_ADDRESSES]
