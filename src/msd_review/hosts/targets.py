"""What an install would leave behind for one host in one scope: paths and contents, computed from data alone.

Only two things are asked of the machine: which of a host's possible folders and settings files exist. A project's
settings are shared with a team, so what is registered there names the command `msd` and no path of this machine.
"""

from pathlib import Path
from typing import Any

from msd_review.errors import UsageError
from msd_review.hosts import artifacts, homes
from msd_review.hosts.disk import mode_of
from msd_review.hosts.model import Around, Host, Registration, Scope, Spot, Target, WantedEntry, WantedFile

SERVER = "msd"
_SERVER_ARGUMENTS = ("mcp",)
_PORTABLE = ("msd",)


def target_of(host: Host, scope: Scope, around: Around) -> Target:
    """The target. Raises UsageError where the host cannot be installed into in this scope, InputError, ConfigError."""
    base = _base(host, scope, around)
    files: dict[Path, WantedFile] = {}
    typed: dict[str, None] = {}
    for artifact in host.layout[scope]:
        folder = _artifact_folder(host, scope, around, is_skill=artifact.kind == "skills")
        for name, text in artifacts.rendered(host, artifact).items():
            files[folder / name] = WantedFile(path=folder / name, content=text.encode())
        typed.update(dict.fromkeys(artifacts.calls(host, artifact)))
    entries = _entries(host, scope, around)
    if not files and not entries:
        raise UsageError(f"{host.id} declares nothing to install with --scope {scope}")
    return Target(
        host=host,
        scope=scope,
        base=base,
        inside=base if scope == "project" else None,
        files=tuple(files.values()),
        entries=entries,
        calls=tuple(typed),
    )


def base_of(host: Host, scope: Scope, around: Around) -> Path:
    """The folder that an installation is known by: the host's own, or the project's root. Raises as `target_of` does."""
    return _base(host, scope, around)


def _base(host: Host, scope: Scope, around: Around) -> Path:
    if scope == "global":
        return homes.config_home(host.home, home=around.home, environment=around.environment)
    if around.project is None:
        raise UsageError("there is no project here", hint="go to a project's folder, or use --scope global")
    return around.project


def _artifact_folder(host: Host, scope: Scope, around: Around, *, is_skill: bool) -> Path:
    base = _base(host, scope, around)
    if scope == "project":
        return base / host.local_dir
    if is_skill:
        return homes.skills_home(host.home, home=around.home, environment=around.environment)
    return base


def _entries(host: Host, scope: Scope, around: Around) -> tuple[WantedEntry, ...]:
    registration = host.registration
    if registration is None or not registration.spots.get(scope):
        return ()
    paths = [_place(spot, host, scope, around) for spot in registration.spots[scope]]
    path = next((one for one in paths if mode_of(one)), paths[-1])
    program = _PORTABLE if scope == "project" else around.program
    return (
        WantedEntry(
            path=path,
            format=registration.format,
            keys=(*registration.path, SERVER),
            value=_value(registration, (*program, *_SERVER_ARGUMENTS)),
        ),
    )


def _place(spot: Spot, host: Host, scope: Scope, around: Around) -> Path:
    base = _base(host, scope, around)
    if spot.base == "local-config-dir":
        base = base / host.local_dir
    elif spot.base == "config-parent":
        base = base.parent
    elif spot.base == "home" or (spot.base == "home-unless-moved" and not _is_moved(host, around)):
        base = around.home
    return base / spot.file


def _is_moved(host: Host, around: Around) -> bool:
    return homes.is_moved(host.home, home=around.home, environment=around.environment)


def _value(registration: Registration, command: tuple[str, ...]) -> dict[str, Any]:
    if registration.shape == "command-list":
        return {**registration.constants, "command": list(command)}
    return {**registration.constants, "command": command[0], "args": list(command[1:])}
