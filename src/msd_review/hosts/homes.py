"""Finds a host's own folder: by its kind, by the variables that move it, by what is there.

A variable moves the folder when it holds an absolute path. One that names a file moves a settings file and not the
folder, so it does not count here; `XDG_CONFIG_HOME` holds the folder that the host's folder is in.
"""

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.errors import ConfigError, InputError
from msd_review.hosts.declared import is_inside
from msd_review.hosts.disk import mode_of
from msd_review.manifest.model import ConfigHome

_XDG = "XDG_CONFIG_HOME"
_SETTINGS = (".json", ".jsonc", ".toml", ".yaml", ".yml")


def config_home(declared: ConfigHome, *, home: Path, environment: Mapping[str, str]) -> Path:
    """The absolute path of the host's folder, there or not. Raises InputError and ConfigError."""
    _judge(declared)
    found = _moved(declared, home=home, environment=environment)
    if found is not None:
        return found
    if declared.kind == "xdg":
        return home / ".config" / declared.name
    if declared.kind == "dot-home-nested":
        parent = home / declared.parent if declared.parent else home
        there = (parent / name for name in declared.probe if stat.S_ISDIR(mode_of(parent / name)))
        return next(there, parent / declared.name)
    return home / declared.name


def is_moved(declared: ConfigHome, *, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether a variable puts the host's folder elsewhere."""
    return _moved(declared, home=home, environment=environment) is not None


def skills_home(declared: ConfigHome, *, home: Path, environment: Mapping[str, str]) -> Path:
    """Where global skills go: the host's folder, unless it declares another one."""
    other: Any = declared.skills_home
    if other is None:
        return config_home(declared, home=home, environment=environment)
    if isinstance(other, Mapping):
        other = other.get("name")
    if not is_inside(other):
        raise InputError(f"configHome.skillsHome is {other!r}, and must name a place below the home folder")
    return home / str(other)


def _judge(declared: ConfigHome) -> None:
    names = (declared.name, *declared.probe, *(() if declared.parent is None else (declared.parent,)))
    for name in names:
        if not is_inside(name):
            raise InputError(f"configHome names {name!r}, and must name a place below the home folder")


def _moved(declared: ConfigHome, *, home: Path, environment: Mapping[str, str]) -> Path | None:
    for name in declared.env:
        value = environment.get(name, "").strip()
        if not value or _is_file(value):
            continue
        path = _absolute(name, value, home)
        if name == _XDG:
            return None if path is None else path / declared.name
        if path is None:
            raise ConfigError(
                f"{name} is {value!r}: msd installs into an absolute path alone",
                hint=f"set {name} to the whole path, or unset it",
            )
        return path
    return None


def _is_file(value: str) -> bool:
    return value.lower().endswith(_SETTINGS) or stat.S_ISREG(mode_of(Path(value)))


def _absolute(name: str, value: str, home: Path) -> Path | None:
    if value == "~" or value.startswith("~/"):
        value = str(home) + value[1:]
    if "\0" in value:
        raise ConfigError(f"{name} holds a character that no path has")
    return Path(value) if Path(value).is_absolute() else None
