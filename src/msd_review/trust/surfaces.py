"""What of a manifest can run or receive a plan, read from its JSON as it is.

Invariants
- Total: whatever stands where a lane, a hook or a server should, something is read from it and nothing
  raises. Validation comes later and may refuse what is shown here.
- Shape decides, never the declared transport: a lane that has a binary shows a command, one that has a
  host shows a destination, one that has both shows both. A mis-spelt transport hides nothing.
- Nothing declared is left out: what has no field of its own is kept in `others`, as canonical JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msd_review.manifest.vocabulary import (
    DENIED_ENV,
    DENIED_ENV_PREFIXES,
    DENIED_ENV_SUFFIXES,
    WARNED_ENV_SUFFIXES,
)
from msd_review.trust.canonical import canonical
from msd_review.trust.signature import named_defaults

PAYLOAD_CLASSES = ("plan text", "requirements", "research findings", "CONTEXT.md decisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSurface:
    """What happens before a lane is used; `starts` when a process is started for it."""

    kind: str = ""
    binary: str = ""
    needle: str = ""
    host_config_key: str = ""
    path: str = ""
    starts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneSurface:
    """One reviewer lane. Absent strings are ""; values that should have been strings are canonical JSON."""

    slug: str
    transport: str
    binary: str
    args: tuple[str, ...]  # as they will be, with what fills each placeholder named
    raw_args: tuple[str, ...]
    prompt_channel: str
    posture: str
    host_config_key: str
    default_host: str
    path: str
    env: Mapping[str, str]
    env_warnings: Mapping[str, str]
    pin_env: tuple[str, ...]
    requires_binaries: tuple[str, ...]
    handler: str
    probe: ProbeSurface
    defaults: Mapping[str, str]
    others: Mapping[str, str]  # field → canonical JSON
    payload_classes: tuple[str, ...] = PAYLOAD_CLASSES


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSurface:
    """One MCP server: disclosed, never started by this product."""

    name: str
    command: str
    raw_args: tuple[str, ...]
    url: str
    cwd: str
    env: Mapping[str, str]
    env_warnings: Mapping[str, str]
    headers: Mapping[str, str]
    declared: str  # canonical JSON, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSurface:
    """A hook or a command module: disclosed, never run by this product."""

    fields: Mapping[str, str]
    declared: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """All four surfaces of a manifest, and what stands in the place of one without being one."""

    lanes: tuple[LaneSurface, ...] = ()
    hooks: tuple[DeclaredSurface, ...] = ()
    commands: tuple[DeclaredSurface, ...] = ()
    servers: tuple[ServerSurface, ...] = ()
    misshapen: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_executable(self) -> bool:
        """Whether anything here can run or receive a plan."""
        return bool(self.lanes or self.hooks or self.commands or self.servers)


def read_surfaces(manifest: Any) -> Surfaces:
    """The surfaces of a manifest's JSON value, whatever it is."""
    if not isinstance(manifest, Mapping):
        return Surfaces(misshapen={"": canonical(manifest)})
    lane, servers = manifest.get("reviewer"), manifest.get("mcpServers")
    return Surfaces(
        lanes=(_lane(lane, manifest),) if isinstance(lane, Mapping) else (),
        hooks=tuple(
            _declared(entry, ("event", "script", "matcher")) for entry in _entries(manifest, "hooks")
        ),
        commands=tuple(
            _declared(entry, ("family", "module", "router")) for entry in _entries(manifest, "commands")
        ),
        servers=tuple(_servers(servers)),
        misshapen={} if lane is None or isinstance(lane, Mapping) else {"reviewer": canonical(lane)},
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list | tuple) else ()


def _pairs(value: Any) -> dict[str, str]:
    return {_text(name): _text(item) for name, item in value.items()} if isinstance(value, Mapping) else {}


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _lane(lane: Mapping[Any, Any], manifest: Mapping[Any, Any]) -> LaneSurface:
    invoke = _mapping(lane.get("invoke"))
    binary = _text(invoke.get("binary"))
    return LaneSurface(
        slug=_text(lane.get("slug")),
        transport=_text(lane.get("transport")),
        binary=binary,
        args=tuple(_rendered(invoke)),
        raw_args=_texts(invoke.get("args")),
        prompt_channel=_text(invoke.get("promptChannel")),
        posture=_text(invoke.get("posture")),
        host_config_key=_text(invoke.get("hostConfigKey")),
        default_host=_text(invoke.get("defaultHost")),
        path=_text(invoke.get("path")),
        env=_pairs(invoke.get("env")),
        env_warnings=env_warnings(_pairs(invoke.get("env"))),
        pin_env=_texts(invoke.get("pinEnv")),
        requires_binaries=_texts(lane.get("requiresBinaries")),
        handler=_text(lane.get("handler")),
        probe=_probe(lane.get("probe")),
        defaults={_text(key): _text(value) for key, value in named_defaults(manifest).items()},
        others=dict(_others(lane)),
    )


# field → the type that a surface shows whole; a value of any other type is kept in `others`
_SHOWN_OF_LANE = {"slug": str, "transport": str, "handler": str, "requiresBinaries": list}
_SHOWN_OF_INVOKE = {
    "binary": str, "args": list, "promptChannel": str, "posture": str, "hostConfigKey": str,
    "defaultHost": str, "path": str, "env": Mapping, "pinEnv": list,
}  # fmt: skip
_SHOWN_OF_PROBE = {"kind": str, "binary": str, "needle": str, "hostConfigKey": str, "path": str}


def _others(lane: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    yield from _unshown(lane, "", _SHOWN_OF_LANE | {"invoke": Mapping, "probe": Mapping})
    yield from _unshown(_mapping(lane.get("invoke")), "invoke.", _SHOWN_OF_INVOKE)
    yield from _unshown(_mapping(lane.get("probe")), "probe.", _SHOWN_OF_PROBE)


def _unshown(value: Mapping[Any, Any], prefix: str, shown: Mapping[str, type]) -> Iterator[tuple[str, str]]:
    for name, item in value.items():
        expected = shown.get(name) if isinstance(name, str) else None
        if item is not None and not (expected is not None and isinstance(item, expected)):
            yield prefix + _text(name), canonical(item)


def _rendered(invoke: Mapping[Any, Any]) -> Iterator[str]:
    for argument in _texts(invoke.get("args")):
        match argument:
            case "{{model}}":
                yield from (_text(invoke.get("modelArg")), "<model>") if invoke.get("modelArg") else ()
            case "{{effort}}":
                yield from _texts(invoke.get("effortArgs"))
            case "{{output}}":
                yield from (
                    (_text(invoke.get("outputArg")), "<output file>") if invoke.get("outputArg") else ()
                )
            case "{{prompt}}":
                yield "<prompt>"
            case "{{nativeTimeout}}":
                yield "<timeout>"
            case _:
                yield argument


def _probe(value: Any) -> ProbeSurface:
    probe = _mapping(value)
    kind, binary, needle = _text(probe.get("kind")), _text(probe.get("binary")), _text(probe.get("needle"))
    return ProbeSurface(
        kind=kind,
        binary=binary,
        needle=needle,
        host_config_key=_text(probe.get("hostConfigKey")),
        path=_text(probe.get("path")),
        starts=bool(binary) and kind != "command-exists",
    )


def _is_dangerous(name: str) -> bool:
    return name in DENIED_ENV or name.startswith(DENIED_ENV_PREFIXES) or name.endswith(DENIED_ENV_SUFFIXES)


def env_warnings(env: Mapping[str, str]) -> dict[str, str]:
    """name → why it deserves a second look; names are compared without case and surrounding space."""
    warnings = {}
    for name in env:
        folded = name.strip().upper()
        if _is_dangerous(folded):
            warnings[name] = "can make the command run other code"
        elif folded.endswith(WARNED_ENV_SUFFIXES):
            warnings[name] = "can change where plans are sent"
    return warnings


def _entries(manifest: Mapping[Any, Any], name: str) -> tuple[Any, ...]:
    value = manifest.get(name)
    if value is None or (isinstance(value, Mapping | list | tuple) and not value):
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _declared(entry: Any, names: tuple[str, ...]) -> DeclaredSurface:
    fields = {name: _text(_mapping(entry).get(name)) for name in names if name in _mapping(entry)}
    return DeclaredSurface(fields=fields, declared=canonical(entry))


def _servers(value: Any) -> Iterator[ServerSurface]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield _server(_text(name), entry)
    elif value is not None and value != [] and value != ():
        yield _server("", value)


def _server(name: str, entry: Any) -> ServerSurface:
    fields = _mapping(entry)
    return ServerSurface(
        name=name,
        command=_text(fields.get("command")),
        raw_args=_texts(fields.get("args")),
        url=_text(fields.get("url")),
        cwd=_text(fields.get("cwd")),
        env=_pairs(fields.get("env")),
        env_warnings=env_warnings(_pairs(fields.get("env"))),
        headers=_pairs(fields.get("headers")),
        declared=canonical(entry),
    )
