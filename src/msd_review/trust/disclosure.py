"""What a manifest would run and whom it would send plans to, before anybody agrees to it.

Invariants
- Runs before validation, on any JSON value, and never raises: what is refused later is shown first.
- A destination that is shown is the one that would be used: configured, else the default of its key, else the
  manifest's own default host. A configuration that could not be read is said to be unresolved, never guessed at.
- Signature and token are made of the very value that is shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from msd_review.errors import ConfigError
from msd_review.trust import destinations
from msd_review.trust.signature import signature, token
from msd_review.trust.surfaces import DeclaredSurface, LaneSurface, ServerSurface, Surfaces, read_surfaces

SCHEMA = "msd.disclosure/1"
UNRESOLVED = "<unresolved>"

ResolveHost = Callable[[str], str | None]
Origin = Literal["configuration", "manifest", "unresolved", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a lane's plans would go; "" for a lane that has none, `problem` when it is not a usable URL."""

    resolved: str = ""
    origin: Origin = ""
    is_local: bool = False
    proxy: str | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """All that consent is given to."""

    id: str
    version: str
    surfaces: Surfaces
    destinations: tuple[Destination, ...]  # one a lane
    signature: str
    content_hash: str | None
    token: str

    @property
    def has_executable(self) -> bool:
        """Whether anything here can run or receive a plan."""
        return self.surfaces.has_executable

    @property
    def destination(self) -> str | None:
        """What consent binds beside signature and hash: the destination of the lane, if it has one."""
        found = [one.resolved for one in self.destinations if one.resolved not in {"", UNRESOLVED}]
        return found[0] if found else None


def disclose(
    manifest: Any,
    *,
    resolve_host: ResolveHost | None = None,
    content_hash: str | None = None,
    proxy_for: ResolveHost | None = None,
) -> Disclosure:
    """The disclosure of a manifest's JSON value, whatever it is.

    `resolve_host` gives a configuration key's value, None where it is unset; without it the configuration
    could not be read. `proxy_for` gives the proxy that a destination would be reached through, if any.
    `content_hash` is the hash of the bundle that the value was read from.
    """
    surfaces = read_surfaces(manifest)
    found = tuple(_destination(lane, resolve_host, proxy_for) for lane in surfaces.lanes)
    fields = manifest if isinstance(manifest, Mapping) else {}
    identity, version = (_name(fields.get(name)) for name in ("id", "version"))
    signed = signature(manifest)
    shown = Disclosure(
        id=identity,
        version=version,
        surfaces=surfaces,
        destinations=found,
        signature=signed,
        content_hash=content_hash,
        token="",
    )
    bound = token(identity=identity, signed=signed, content_hash=content_hash, destination=shown.destination)
    return replace(shown, token=bound)


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _destination(
    lane: LaneSurface, resolve_host: ResolveHost | None, proxy_for: ResolveHost | None
) -> Destination:
    if not lane.host_config_key:
        return Destination()
    if resolve_host is None:
        return Destination(resolved=UNRESOLVED, origin="unresolved")
    configured = resolve_host(lane.host_config_key)
    if configured and _is_set(configured):
        return _judged(configured, lane, origin="configuration", proxy_for=proxy_for)
    for declared in (lane.defaults.get(lane.host_config_key, ""), lane.default_host):
        if _is_set(declared):
            return _judged(declared, lane, origin="manifest", proxy_for=proxy_for)
    return Destination(resolved=UNRESOLVED, origin="unresolved")


def _is_set(text: str) -> bool:
    """A blank string, `null` and `undefined` count as unset, as they do in a configuration."""
    return text.strip().lower() not in {"", "null", "undefined"}


def _judged(base: str, lane: LaneSurface, *, origin: Origin, proxy_for: ResolveHost | None) -> Destination:
    try:
        url = destinations.normalise(base, key=lane.host_config_key).url
        is_local = destinations.is_local(url)
    except ConfigError as problem:
        return Destination(resolved=base, origin=origin, problem=problem.message)
    return Destination(
        resolved=url, origin=origin, is_local=is_local, proxy=proxy_for(url) if proxy_for else None
    )


def to_json(disclosure: Disclosure) -> dict[str, Any]:
    """The `msd.disclosure/1` document; every value that could be nested is canonical JSON text."""
    surfaces = disclosure.surfaces
    lanes = zip(surfaces.lanes, disclosure.destinations, strict=True)
    return {
        "schema": SCHEMA,
        "id": disclosure.id,
        "version": disclosure.version,
        "has_executable": disclosure.has_executable,
        "surfaces": {
            "reviewer_lanes": [_lane_json(lane, destination) for lane, destination in lanes],
            "hooks": [_declared_json(hook) for hook in surfaces.hooks],
            "commands": [_declared_json(command) for command in surfaces.commands],
            "mcp_servers": [_server_json(server) for server in surfaces.servers],
        },
        "misshapen": dict(surfaces.misshapen),
        "signature": disclosure.signature,
        "content_hash": disclosure.content_hash,
        "token": disclosure.token,
    }


def _lane_json(lane: LaneSurface, destination: Destination) -> dict[str, Any]:
    return {
        "slug": lane.slug,
        "transport": lane.transport,
        "binary": lane.binary,
        "args": list(lane.args),
        "raw_args": list(lane.raw_args),
        "prompt_channel": lane.prompt_channel,
        "posture": lane.posture or ("unrestricted" if lane.binary else ""),
        "host_config_key": lane.host_config_key,
        "resolved": destination.resolved,
        "resolved_from": destination.origin,
        "is_local": destination.is_local,
        "proxy": destination.proxy,
        "problem": destination.problem,
        "default_host": lane.default_host,
        "path": lane.path,
        "env": dict(lane.env),
        "env_warnings": dict(lane.env_warnings),
        "pin_env": list(lane.pin_env),
        "requires_binaries": list(lane.requires_binaries),
        "handler": lane.handler or None,
        "probe": {
            "kind": lane.probe.kind,
            "binary": lane.probe.binary,
            "needle": lane.probe.needle,
            "host_config_key": lane.probe.host_config_key,
            "path": lane.probe.path,
            "starts": lane.probe.starts,
        },
        "defaults": dict(lane.defaults),
        "others": dict(lane.others),
        "payload_classes": list(lane.payload_classes),
    }


def _declared_json(surface: DeclaredSurface) -> dict[str, Any]:
    return {**surface.fields, "declared": surface.declared}


def _server_json(server: ServerSurface) -> dict[str, Any]:
    return {
        "name": server.name,
        "command": server.command,
        "raw_args": list(server.raw_args),
        "url": server.url,
        "cwd": server.cwd,
        "env": dict(server.env),
        "env_warnings": dict(server.env_warnings),
        "headers": dict(server.headers),
        "declared": server.declared,
    }
