"""A disclosure as a person reads it, and what changed between two of them.

Invariants
- Every string of the manifest passes through `visible`: a subject cannot write a line of its own, hide a
  character, or end a line of ours.
- Nothing is cut. A long value is wrapped and every further line of it is marked.
"""

import difflib
from collections.abc import Iterator, Mapping

from msd_review.trust.disclosure import UNRESOLVED, Destination, Disclosure
from msd_review.trust.surfaces import DeclaredSurface, LaneSurface, ProbeSurface, ServerSurface
from msd_review.trust.visible import plain, quoted, wrapped

# Comparing line by line costs the product of both lengths: above this the two are shown whole.
MAX_COMPARED_LINES = 2_000

_CHANNELS = {
    "stdin": "on its standard input",
    "argv": "as one of its arguments",
    "argv-file-ref": "in a file that an argument names",
    "none": "not at all: it looks at the repository by itself",
}
_POSTURES = {
    "read-only": "read-only: its flags keep it from edits and commands",
    "unrestricted": "unrestricted: nothing keeps it from edits and commands",
}


def to_text(disclosure: Disclosure) -> str:
    """The disclosure as lines of printable ASCII, each line ended; the token that agrees to it comes last."""
    lines = (*_lines(disclosure), *wrapped(f"token: {disclosure.token}", indent=2))
    return "".join(line + "\n" for line in lines)


def changes(old: Disclosure | None, new: Disclosure) -> tuple[str, ...]:
    """What changed, as lines that begin with `-`, `+` or a space; bounded in work, complete in content."""
    before = [] if old is None else list(_lines(old))
    after = list(_lines(new))
    if len(before) + len(after) > MAX_COMPARED_LINES:
        return (*(f"-{line}" for line in before), *(f"+{line}" for line in after))
    return tuple(list(difflib.unified_diff(before, after, lineterm="", n=2))[2:])


def _lines(disclosure: Disclosure) -> Iterator[str]:
    surfaces = disclosure.surfaces
    version = f" {plain(disclosure.version)}" if disclosure.version else ""
    yield from wrapped((plain(disclosure.id) or "(a manifest without an id)") + version, indent=0)
    if not surfaces.has_executable:
        yield "  runs nothing and receives nothing"
    for lane, destination in zip(surfaces.lanes, disclosure.destinations, strict=True):
        yield from _lane(lane, destination)
    for server in surfaces.servers:
        yield from _server(server)
    for title, entries in (("hook", surfaces.hooks), ("command module", surfaces.commands)):
        for entry in entries:
            yield from _declared(title, entry)
    for place, value in surfaces.misshapen.items():
        where = f"{plain(place)} is" if place else "the manifest is"
        yield from wrapped(f"note: {where} no object: {value}", indent=2)
    yield f"  signature: {disclosure.signature}"
    if disclosure.content_hash is not None:
        yield from wrapped(f"content: {disclosure.content_hash}", indent=2)


def _lane(lane: LaneSurface, destination: Destination) -> Iterator[str]:
    name = quoted(lane.slug) if lane.slug else "without a slug"
    yield from wrapped(f"reviewer lane {name}, transport {quoted(lane.transport)}", indent=2)
    if lane.binary or lane.raw_args:
        yield from _command(lane)
    if lane.host_config_key or lane.default_host or lane.path:
        yield from _destination(lane, destination)
    yield from _field(
        "prompt", _CHANNELS.get(lane.prompt_channel, quoted(lane.prompt_channel)), when=lane.prompt_channel
    )
    yield from wrapped(f"sends: {', '.join(lane.payload_classes)}", indent=4)
    yield from _probe(lane.probe, lane)
    yield from _env(lane.env, lane.env_warnings)
    yield from _names("always set", lane.pin_env)
    yield from _names("also needs", lane.requires_binaries)
    yield from _field("handler", quoted(lane.handler), when=lane.handler)
    for key, value in lane.defaults.items():
        yield from wrapped(f"default of {quoted(key)}: {quoted(value)}", indent=4)
    for name, value in lane.others.items():
        yield from wrapped(f"also declares {quoted(name)}: {value}", indent=4)


def _command(lane: LaneSurface) -> Iterator[str]:
    words = " ".join(map(quoted, (lane.binary, *lane.args)))
    yield from wrapped(f"runs: {words}", indent=4)
    yield from wrapped(f"declared arguments: [{', '.join(map(quoted, lane.raw_args))}]", indent=4)
    posture = lane.posture or "unrestricted"
    yield from wrapped(f"posture: {_POSTURES.get(posture, quoted(posture))}", indent=4)
    yield "    it runs as you and can read what you can read; no sandbox holds it"


def _destination(lane: LaneSurface, destination: Destination) -> Iterator[str]:
    if destination.resolved == UNRESOLVED:
        yield "    destination: unresolved (nothing that could be read sets it)"
    elif destination.resolved:
        tag = "[local]" if destination.is_local else "[remote]"
        source = f" (from the {destination.origin})"
        yield from wrapped(f"destination: {plain(destination.resolved)} {tag}{source}", indent=4)
    yield from _field("not usable", plain(destination.problem), when=destination.problem)
    yield from _field("through the proxy", plain(destination.proxy or ""), when=destination.proxy)
    yield from _field("destination's key", quoted(lane.host_config_key), when=lane.host_config_key)
    yield from _field("fallback destination", quoted(lane.default_host), when=lane.default_host)
    yield from _field("request path", quoted(lane.path), when=lane.path)


def _probe(probe: ProbeSurface, lane: LaneSurface) -> Iterator[str]:
    if probe.starts:
        yield from wrapped(f"probe: runs {quoted(probe.binary)} --help", indent=4)
        yield from _field("probe looks for", quoted(probe.needle), when=probe.needle)
    elif probe.binary and probe.binary != lane.binary:
        yield from wrapped(f"probe: looks whether {quoted(probe.binary)} is present", indent=4)
    if probe.path or probe.host_config_key:
        key = f" of {quoted(probe.host_config_key)}" if probe.host_config_key else ""
        yield from wrapped(f"first asks: GET {quoted(probe.path)}{key}", indent=4)


def _env(env: Mapping[str, str], warnings: Mapping[str, str]) -> Iterator[str]:
    for name, value in env.items():
        yield from wrapped(f"env: {quoted(name)} = {quoted(value)}", indent=4)
        if name in warnings:
            yield from wrapped(f"WARNING: it {warnings[name]}", indent=6)


def _field(title: str, value: str, *, when: object) -> Iterator[str]:
    if when:
        yield from wrapped(f"{title}: {value}", indent=4)


def _names(title: str, names: tuple[str, ...]) -> Iterator[str]:
    yield from _field(title, ", ".join(map(quoted, names)), when=names)


def _server(server: ServerSurface) -> Iterator[str]:
    yield from wrapped(f"MCP server {quoted(server.name)} (declared; msd never starts it)", indent=2)
    if server.command or server.raw_args:
        words = " ".join(map(quoted, (server.command, *server.raw_args)))
        yield from wrapped(f"runs: {words}", indent=4)
        yield from wrapped(f"declared arguments: [{', '.join(map(quoted, server.raw_args))}]", indent=4)
    yield from _field("url", quoted(server.url), when=server.url)
    yield from _field("folder", quoted(server.cwd), when=server.cwd)
    yield from _env(server.env, server.env_warnings)
    for name, value in server.headers.items():
        yield from wrapped(f"header: {quoted(name)} = {quoted(value)}", indent=4)
    yield from wrapped(f"as declared: {server.declared}", indent=4)


def _declared(title: str, entry: DeclaredSurface) -> Iterator[str]:
    yield from wrapped(f"{title} (declared; msd never runs it)", indent=2)
    for name, value in entry.fields.items():
        yield from wrapped(f"{name}: {quoted(value)}", indent=4)
    yield from wrapped(f"as declared: {entry.declared}", indent=4)
