"""Reads a host out of a capability's runtime body.

What the runtime vocabulary does not cover stands in its open bag `hostBehaviors`: `mcpRegistration` (where MCP servers
are listed) and `commandCall` (how a command is typed). A stranger's manifest may declare both, so both are held against
a closed list here, and every path against leaving its folder. A stranger reaches its own folders alone, never the home.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args

from msd_review.errors import InputError
from msd_review.hosts.model import Base, Format, Host, Registration, Scope, Spot
from msd_review.manifest.model import Artifact, CommandCapability, CommandExists, RuntimeBody
from msd_review.registry.model import Capability

_BASES: Mapping[Scope, frozenset[str]] = {
    "global": frozenset({"config-home", "config-parent", "home", "home-unless-moved"}),
    "project": frozenset({"project", "local-config-dir"}),
}
_STRANGERS_BASES = frozenset({"config-home", "project", "local-config-dir"})
_SHAPES = ("command-and-args", "command-list")
_CONSTANTS = ("type", "enabled")
_CALLS = {"slash-hyphen": "/{name}", "shell-var": "${name}"}
_MAX_TEXT = 60
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")


def read_host(capability: Capability) -> Host:
    """The host that a capability with a runtime body declares. Raises InputError for what cannot be used."""
    body = capability.manifest.runtime
    if body is None:
        raise InputError(f"{capability.id} is not a host: it has no runtime body")
    trusted = capability.source == "first-party"
    lane = capability.manifest.reviewer
    probe = None if lane is None else lane.probe
    return Host(
        id=capability.id,
        title=capability.manifest.title if trusted else capability.id,
        slug=None if lane is None else lane.slug,
        binary=probe.binary if isinstance(probe, CommandExists | CommandCapability) else None,
        home=body.config_home,
        local_dir=_inside(capability.id, "localConfigDir", body.local_config_dir),
        layout={
            "global": _layout(capability.id, body.artifacts_global),
            "project": _layout(capability.id, body.artifacts_local),
        },
        call=_call(capability.id, body),
        registration=_registration(capability.id, body.host_behaviors, trusted=trusted),
    )


def is_inside(path: Any) -> bool:
    """Whether `path` names something below a folder, on every platform, and nothing else."""
    if not isinstance(path, str) or not path or not path.isprintable() or set(path) & set('\\:*?"<>|'):
        return False
    return all(part not in {"", ".", ".."} for part in path.split("/"))


def _inside(identity: str, name: str, path: Any) -> str:
    if not is_inside(path):
        raise InputError(f"{identity}: {name} is {path!r}, and must name a place below its folder")
    return str(path)


def _layout(identity: str, artifacts: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
    for artifact in artifacts:
        _inside(identity, "artifactLayout.destSubpath", artifact.dest_subpath)
        if artifact.prefix and ("/" in artifact.prefix or not is_inside(artifact.prefix)):
            raise InputError(
                f"{identity}: artifactLayout.prefix is {artifact.prefix!r}, and must be a part of a name"
            )
    return artifacts


def _call(identity: str, body: RuntimeBody) -> str:
    declared = body.host_behaviors.get("commandCall")
    if declared is None:
        return _CALLS.get(body.command_style, _CALLS["slash-hyphen"])
    if not isinstance(declared, str) or len(declared) > _MAX_TEXT or not declared.isprintable():
        raise InputError(f"{identity}: hostBehaviors.commandCall must be a short line")
    if declared.count("{name}") != 1:
        raise InputError(f"{identity}: hostBehaviors.commandCall must hold {{name}} once")
    return declared


def _registration(identity: str, bag: Mapping[str, Any], *, trusted: bool) -> Registration | None:
    declared = bag.get("mcpRegistration")
    if declared is None:
        return None
    where = f"{identity}: hostBehaviors.mcpRegistration"
    if not isinstance(declared, Mapping):
        raise InputError(f"{where} must be an object")
    path = declared.get("path")
    if not isinstance(path, list | tuple) or not path or not all(_is_key(key) for key in path):
        raise InputError(f"{where}.path must be a list of keys")
    return Registration(
        format=_choice(f"{where}.format", declared.get("format"), get_args(Format)),
        path=tuple(path),
        shape=_choice(f"{where}.shape", declared.get("shape"), _SHAPES),
        constants=_constants(where, declared.get("constants", {})),
        spots={
            scope: _spots(f"{where}.{scope}", declared.get(scope, []), _allowed(scope, trusted=trusted))
            for scope in get_args(Scope)
        },
    )


def _is_key(key: Any) -> bool:
    return isinstance(key, str) and _KEY.fullmatch(key) is not None and key != "__proto__"


def _choice(where: str, value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise InputError(f"{where} is {value!r}, and must be one of {', '.join(allowed)}")
    return value


def _constants(where: str, value: Any) -> dict[str, str | bool]:
    if not isinstance(value, Mapping) or not all(_is_constant(key, one) for key, one in value.items()):
        raise InputError(
            f"{where}.constants may hold {' and '.join(_CONSTANTS)}, short texts or booleans, alone"
        )
    return dict(value)


def _is_constant(key: Any, value: Any) -> bool:
    if key not in _CONSTANTS:
        return False
    return isinstance(value, bool) or (isinstance(value, str) and _KEY.fullmatch(value) is not None)


def _allowed(scope: Scope, *, trusted: bool) -> frozenset[str]:
    return _BASES[scope] if trusted else _BASES[scope] & _STRANGERS_BASES


def _spots(where: str, value: Any, allowed: frozenset[str]) -> tuple[Spot, ...]:
    if not isinstance(value, list | tuple):
        raise InputError(f"{where} must be a list of places")
    return tuple(_spot(f"{where}[{number}]", one, allowed) for number, one in enumerate(value))


def _spot(where: str, value: Any, allowed: frozenset[str]) -> Spot:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be an object")
    base: Base = _choice(f"{where}.in", value.get("in"), tuple(sorted(allowed)))
    if not is_inside(value.get("file")):
        raise InputError(f"{where}.file is {value.get('file')!r}, and must name a file below its folder")
    return Spot(base=base, file=str(value["file"]))
