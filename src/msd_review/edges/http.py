"""The only speaker of HTTP: one request at a time, bounded, and never anywhere but where it was sent.

What may be asked and how it can end; `http_exchange` does it, and holds the invariants.
"""

import importlib
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msd_review.edges.addresses import AddressBook

Kind = Literal[
    "answered",  # a status and a whole body came, whatever they say
    "redirect",
    "refused",  # nobody listens there, or there is no way to it
    "unresolved",
    "egress_refused",  # an address or a proxy that must not be used; nothing was sent
    "timeout",
    "reset",  # the connection broke; what came is kept
    "too_large",
    "protocol",  # what came is not HTTP
    "tls",
    "write_failed",  # the body could not be kept
]
MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request. Times are seconds, sizes bytes; `bearer` is sent and never shown; `proxy` is a URL or None.

    With `body_path` the answer's body goes to that file (private, made anew) instead of memory. `on_bytes` is told
    how many bytes of body came so far.
    """

    method: Literal["GET", "POST"]
    url: str
    content: bytes = field(default=b"", repr=False)
    bearer: str | None = field(default=None, repr=False)
    timeout_s: float = 120.0
    silence_s: float | None = None  # None: as long as the deadline
    max_body_bytes: int = MAX_BODY_BYTES
    body_path: Path | None = None
    proxy: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = None
    on_bytes: Callable[[int], None] | None = None
    refuse_declared: bool = False  # a body that is declared larger than the bound is not begun


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpEnd:
    """How a request ended.

    `body` is empty when it went to a file, and holds what came before the end where that came early.
    `location` is where a redirect points. `connected_to` is an address, `tried` are those at which nobody answered
    before it. `problem` is one line for a person.
    """

    kind: Kind
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    body_bytes: int = 0
    location: str | None = None
    connected_to: str | None = None
    tried: tuple[str, ...] = ()
    via_proxy: str | None = None
    problem: str = ""


async def send(request: HttpRequest, book: AddressBook | None = None) -> HttpEnd:
    """Sends one request and returns how it ended, whatever that is. `book` keeps names as they were first resolved."""
    # The library costs every start a tenth of a review's whole time, and most runs send nothing over HTTP.
    exchange = importlib.import_module("msd_review.edges.http_exchange")
    end: HttpEnd = await exchange.send(request, book)
    return end
