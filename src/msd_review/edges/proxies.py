"""Which proxy an environment names for a destination of the outside; none ever for this machine or this network."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from msd_review.edges.addresses import kind_of, own_addresses


def proxy_for(url: str, env: Mapping[str, str]) -> str | None:
    """The proxy's URL as the environment spells it, or None where the request goes straight to its destination.

    Lower-case names win. `HTTP_PROXY` in capitals does not count where REQUEST_METHOD is set: there, a web
    client chose it. A name that turns out to be in this network is sent to directly, whatever this says.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    own = own_addresses(host)
    if own is not None and any(kind_of(address) != "outside" for address in own):
        return None
    if _is_exempt(host, parts.port, _variable("no_proxy", env)):
        return None
    return _variable(f"{parts.scheme}_proxy", env) or _variable("all_proxy", env) or None


def without_user(proxy: str) -> str:
    """The proxy as it is shown: scheme, host and port, without user and password."""
    parts = urlsplit(with_scheme(proxy))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def with_scheme(proxy: str) -> str:
    """`proxy.example:3128` means an http proxy."""
    return proxy if "://" in proxy else f"http://{proxy}"


def _variable(name: str, env: Mapping[str, str]) -> str:
    value = env.get(name, "").strip()
    if value or (name == "http_proxy" and "REQUEST_METHOD" in env):
        return value
    return env.get(name.upper(), "").strip()


def _is_exempt(host: str, port: int | None, listed: str) -> bool:
    for entry in (one.strip().lower() for one in listed.split(",")):
        name, _, its_port = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
        if its_port and its_port != str(port):
            continue
        suffix = name.removeprefix("*").lstrip(".")
        if entry == "*" or (suffix and (host == suffix or host.endswith(f".{suffix}"))):
            return True
    return False
