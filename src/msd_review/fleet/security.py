"""Who may speak with a cluster: TLS with certificates of one authority, and nothing else off loopback.

Whoever can connect to a scheduler or a worker can run code there, since Dask's wire format is pickle. So an address
that other machines reach is refused without TLS, on every side; on loopback it is the person's own risk.
"""

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from distributed.security import Security

from msd_review.errors import InputError, UsageError

DEFAULT_PORT = 8786


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """PEM files: the authority's certificate, and this side's own certificate and key."""

    ca: Path
    cert: Path
    key: Path


def tls_of(ca: Path | None, cert: Path | None, key: Path | None) -> Tls | None:
    """The three files, or None where none is named. Raises UsageError for some of them, InputError for unreadable ones."""
    given = [path for path in (ca, cert, key) if path is not None]
    if not given:
        return None
    if ca is None or cert is None or key is None:
        raise UsageError("--tls-ca, --tls-cert and --tls-key go together")
    for path in given:
        if not path.is_file():
            raise InputError(
                f"{path} is no file", hint="TLS needs three PEM files: authority, certificate, key"
            )
    return Tls(ca=ca, cert=cert, key=key)


def checked_address(address: str, tls: Tls | None) -> str:
    """The address, when it may be used so. Raises UsageError."""
    if "://" not in address:
        address = f"{'tls' if tls is not None else 'tcp'}://{address}"
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{address!r} is no address", hint="an address is like tls://host:8786") from None
    if parts.scheme not in {"tcp", "tls"} or not host or parts.path or parts.query or parts.username:
        raise UsageError(f"{address!r} is no address", hint="an address is like tls://host:8786")
    if parts.scheme == "tls" and tls is None:
        raise UsageError(f"{address} needs certificates", hint="name them: --tls-ca, --tls-cert, --tls-key")
    if parts.scheme == "tcp" and tls is not None:
        raise UsageError(f"{address} would not use the certificates", hint="write tls:// instead of tcp://")
    if parts.scheme == "tcp" and not is_loopback(host):
        raise UsageError(
            f"{address} can be reached by others, and without TLS whoever reaches it runs code there",
            hint="use tls:// with --tls-ca, --tls-cert and --tls-key",
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{DEFAULT_PORT if port is None else port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host; a name but `localhost` is not believed."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(address: str) -> str:
    """The host of a checked address."""
    return urlsplit(address).hostname or ""


def dask_security(tls: Tls | None) -> Security:
    """What Dask is told: with certificates, encryption is required and both sides prove who they are."""
    make: Any = Security  # it bears no types
    if tls is None:
        return cast(Security, make(require_encryption=False))
    files: dict[str, Any] = {"tls_ca_file": str(tls.ca)}
    for role in ("client", "scheduler", "worker"):
        files[f"tls_{role}_cert"] = str(tls.cert)
        files[f"tls_{role}_key"] = str(tls.key)
    return cast(Security, make(require_encryption=True, **files))
