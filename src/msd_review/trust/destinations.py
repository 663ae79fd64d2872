"""Base URLs: one normal form, which consent compares, and the request URL that is made from it.

Invariants
- A normal form is an http(s) URL with a lower-case ASCII host, no default port, no user, no query, no
  fragment and no slash at its end. Normalising it again changes nothing.
- Making a request URL never changes scheme, host or port.
- What looks like this machine and is not (`127.0.0.1.example.com`) is remote.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from msd_review.errors import ConfigError
from msd_review.lazy import regex

_DEFAULT_PORTS = {"http": 80, "https": 443}
_IPV4_PART = regex(r"0[xX][0-9a-fA-F]*|[0-9]+")
_HOST = regex(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")
_NETLOC = regex(r"(?:\[[0-9A-Fa-f:.]+(?:%[^\]]*)?\]|[^\[\]:@]+)(?::[0-9]*)?")
_USER = regex(r"(?<=//)[^/?#]*@")
_MAPPED_LOCAL = ipaddress.ip_network("::ffff:127.0.0.0/104")
_ENCODED_DOT = regex("%2e", re.IGNORECASE)
_PATH_SAFE = "/%:@!$&'()*+,;=~"
_PASTED = ("/chat/completions", "/models")
_STUDIO = regex(r"/api/v[01]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A base URL in normal form; `warnings` say what was dropped from it."""

    url: str
    scheme: str
    host: str  # without brackets
    port: int
    path: str
    warnings: tuple[str, ...] = ()


def _wrong(key: str | None, base: str, what: str) -> ConfigError:
    where = f"{key}: " if key else ""
    safe = _USER.sub("…@", base)[:200]  # what stands before the @ may be a password
    shown = "".join(char if char.isprintable() else _escaped(char) for char in safe)
    return ConfigError(f"{where}'{shown}' {what}", hint="a base URL looks like http://localhost:11434")


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def _ipv4(host: str) -> str | None:
    """The dotted form of an IPv4 address in any of its notations; None for a name, "" for a broken address."""
    parts = host.removesuffix(".").split(".")
    if not parts[-1] or not _IPV4_PART.fullmatch(parts[-1]):
        return None
    if len(parts) > 4 or not all(_IPV4_PART.fullmatch(part) for part in parts):
        return ""
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return ""
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return ""
    value = numbers[-1] + sum(number * 256 ** (3 - at) for at, number in enumerate(numbers[:-1]))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") and len(part) > 1 else int(part)


def _host(parts: SplitResult, base: str, key: str | None) -> str:
    host = parts.hostname or ""
    if not host:
        raise _wrong(key, base, "has no host")
    if not _NETLOC.fullmatch(parts.netloc.rpartition("@")[2]):
        raise _wrong(key, base, "has a host that is no valid name or address")
    if ":" in host:
        return _ipv6(host, base, key)
    ascii_host = (host if host.isascii() else _idna(host, base, key)).lower()
    address = _ipv4(ascii_host)
    if address == "" or not _HOST.fullmatch(ascii_host) or ".." in ascii_host or len(ascii_host) > 253:
        raise _wrong(key, base, "has a host that is no valid name or address")
    return address or ascii_host


def _idna(host: str, base: str, key: str | None) -> str:
    import idna  # 60 ms of tables that an ASCII name does not need

    try:
        return idna.encode(host, uts46=True).decode()
    except UnicodeError:
        raise _wrong(key, base, "has a host that is no valid name") from None


def _ipv6(host: str, base: str, key: str | None) -> str:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        raise _wrong(key, base, "has a host that is no valid address") from None
    if address.scope_id is not None:
        raise _wrong(key, base, "has an address with a zone, which names one network card")
    mapped = address.ipv4_mapped
    # Python 3.13 writes a mapped address with dots, earlier ones in hex: one form for every version.
    return str(address) if mapped is None else f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}"


def normalise(base: object, *, key: str | None = None) -> Destination:
    """The normal form of a base URL. Raises ConfigError that names the configuration key, where one is given."""
    if not isinstance(base, str):
        raise _wrong(key, repr(base), "is no URL")
    text = base.strip()
    if any(char.isspace() or ord(char) < 0x20 or char in "\\\x7f" for char in text) or len(text) > 2048:
        raise _wrong(key, text, "is no URL")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _wrong(key, text, "is no URL") from None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        raise _wrong(key, text, "does not start with http:// or https://")
    if port == 0:
        raise _wrong(key, text, "names port 0")
    host = _host(parts, text, key)
    path = _path(parts.path, text, key)
    shown_host = f"[{host}]" if ":" in host else host
    real_port = port or _DEFAULT_PORTS[scheme]
    shown_port = "" if real_port == _DEFAULT_PORTS[scheme] else f":{real_port}"
    return Destination(
        url=f"{scheme}://{shown_host}{shown_port}{path}",
        scheme=scheme,
        host=host,
        port=real_port,
        path=path,
        warnings=_dropped(parts, key),
    )


def _path(path: str, base: str, key: str | None) -> str:
    """The path as a request would carry it: dot segments resolved, what is not ASCII encoded, no slash at its end."""
    if any(not char.isprintable() for char in path):
        raise _wrong(key, base, "has a path with characters that nobody can see")
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        meant = _ENCODED_DOT.sub(".", segment)
        if meant == "..":
            del kept[-1:]
        elif meant != ".":
            kept.append(segment)
    return quote("".join(f"/{segment}" for segment in kept), safe=_PATH_SAFE).rstrip("/")


def _dropped(parts: SplitResult, key: str | None) -> tuple[str, ...]:
    where = f"{key}: " if key else ""
    found = {
        "a user name or password": "@" in parts.netloc,
        "a query": bool(parts.query),
        "a fragment": bool(parts.fragment),
    }
    return tuple(
        f"{where}{what} in the URL was dropped; it is never sent" for what, there in found.items() if there
    )


def is_local(base: str) -> bool:
    """Whether a base URL names this machine: localhost, 127/8 in every notation, ::1, its mapped form, 0.0.0.0, ::."""
    try:
        host = normalise(base).host
    except ConfigError:
        return False
    return _is_local_host(host)


def _is_local_host(host: str) -> bool:

    if host in {"localhost", "localhost."}:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or int(address) == 0 or (address.version == 6 and address in _MAPPED_LOCAL)


def same_destination(consented: object, current: object) -> bool:
    """Whether two base URLs have the same normal form; anything that is no base URL equals nothing."""
    if not isinstance(consented, str) or not isinstance(current, str):
        return False
    try:
        return normalise(consented).url == normalise(current).url
    except ConfigError:
        return False


def request_url(base: str, path: str, *, key: str | None = None) -> str:
    """Where a request goes: the base, a declared path, and no doubled `/v1`.

    A pasted `/chat/completions` or `/models` is dropped, LM Studio's `/api/v0` and `/api/v1` mean `/v1`,
    and a base that ends in `/v1` is not doubled. Scheme, host and port stay as they are.
    """
    destination = normalise(base, key=key)
    own = destination.path
    for pasted in _PASTED:
        own = own.removesuffix(pasted).rstrip("/")
    own = _STUDIO.sub("/v1", own)
    wanted = quote(path if path.startswith("/") else f"/{path}", safe=_PATH_SAFE + "?", errors="replace")
    if own.endswith("/v1") and (wanted == "/v1" or wanted.startswith("/v1/")):
        own = own.removesuffix("/v1")
    origin = destination.url.removesuffix(destination.path)
    return f"{origin}{own}{wanted}"
