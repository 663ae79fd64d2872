"""What a repository offers by name: scripts, make targets, test environments, recipes, dependencies.

Reads the project's own manifests through the tree's rules, as data; nothing of theirs is evaluated. Where a manifest
is built by code (a Makefile with includes, a `setup.py`), what is not found there is not known to be missing.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msd_review.grounding.index import Tree
from msd_review.grounding.paths import base_name, folder_of

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_LIFECYCLE = {"start", "test"}
_MAX_MANIFESTS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The names that one manifest offers; `open` is True where it may offer more than can be read."""

    source: str  # the manifest's path, "" where there is none
    names: Mapping[str, int]  # name → line
    open: bool = False


class Project:
    """The manifests of a tree, read when asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def _text(self, path: str) -> str | None:
        text = self.tree.read(path) if self.tree.is_file(path) else None
        return text if isinstance(text, str) else None

    def scripts(self, folder: str = "") -> Offer:
        """The scripts of the `package.json` in a folder."""
        path = _join(folder, "package.json")
        text = self._text(path)
        if text is None:
            return Offer(source="", names={})
        scripts = _mapping(_json(text), "scripts")
        return Offer(
            source=path,
            names={name: _line_of(text, f'"{name}"') for name in scripts},
            open=_json(text) is None,
        )

    def scripts_anywhere(self, name: str) -> tuple[str, ...]:
        """Every `package.json` that has this script."""
        paths = self.tree.by_name.get("package.json", ())[:_MAX_MANIFESTS]
        return tuple(path for path in paths if name in self.scripts(folder_of(path)).names)

    def make_targets(self, folder: str = "") -> Offer:
        """The targets of a folder's Makefile; pattern rules and includes leave it open."""
        for name in _MAKEFILES:
            path = _join(folder, name)
            text = self._text(path)
            if text is not None:
                return _make_offer(path, text)
        return Offer(source="", names={})

    def recipes(self) -> Offer:
        """The recipes of the justfile at the root."""
        for name in ("justfile", "Justfile", ".justfile"):
            text = self._text(name)
            if text is not None:
                found = {
                    m[1]: text.count("\n", 0, m.start()) + 1
                    for m in re.finditer(r"^(?:@|alias\s+)?([\w-]+)(?:\s[^\n:=]*)?:(?:=|[^=]|$)", text, re.M)
                }
                return Offer(source=name, names=found, open=bool(re.search(r"^(?:import|mod)\b", text, re.M)))
        return Offer(source="", names={})

    def tox_environments(self) -> Offer:
        """The environments that tox knows by name; factors leave it open."""
        for name in ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg"):
            text = self._text(name)
            if text is None or name in {"pyproject.toml", "setup.cfg"} and "tox" not in text:
                continue
            found = {
                m[1]: text.count("\n", 0, m.start()) + 1
                for m in re.finditer(r"^\[(?:testenv:|env\.|tool\.tox\.env\.)([\w.-]+)\]", text, re.M)
            }
            listed = re.search(r"^\s*env_?list\s*=\s*(.*?)(?=^\S|\Z)", text, re.M | re.S)
            for word in re.findall(r"[\w.-]+", listed[1] if listed else ""):
                found.setdefault(word, 1)
            return Offer(
                source=name, names=found, open=bool(re.search(r"\{[^}]*[,}]|^\[testenv\]", text, re.M))
            )
        return Offer(source="", names={})

    def nox_sessions(self) -> Offer:
        """The sessions of `noxfile.py`."""
        text = self._text("noxfile.py")
        if text is None:
            return Offer(source="", names={})
        found = {
            m[1]: text.count("\n", 0, m.start(1)) + 1
            for m in re.finditer(
                r"@(?:nox\.)?session\b[^\n]*\n(?:@[^\n]*\n|[ \t][^\n]*\n|\)[^\n]*\n)*def\s+(\w+)", text
            )
        }
        named = re.findall(r"name\s*=\s*[\"']([\w.-]+)[\"']", text)
        return Offer(
            source="noxfile.py", names={**found, **dict.fromkeys(named, 1)}, open="parametrize" in text
        )

    @cached_property
    def dependencies(self) -> Mapping[str, str]:
        """Every dependency that a manifest of the tree names, normalised → that manifest's path."""
        found: dict[str, str] = {}
        for name in _DEPENDENCY_READERS:
            for path in self.tree.by_name.get(name, ())[:_MAX_MANIFESTS]:
                found.update({normal(dep): path for dep in _dependencies(name, self._text(path) or "")})
        for path in self.tree.files:
            if re.fullmatch(r"(?:[\w.-]*requirements[\w.-]*|constraints)\.(?:txt|in)", base_name(path)):
                found.update({normal(dep): path for dep in _requirement_names(self._text(path) or "")})
        return found

    @cached_property
    def crates(self) -> Mapping[str, str]:
        """The name of every Cargo package of the tree → its manifest's path."""
        found: dict[str, str] = {}
        for path in self.tree.by_name.get("Cargo.toml", ())[:_MAX_MANIFESTS]:
            name = _mapping(_toml(self._text(path) or ""), "package").get("name")
            if isinstance(name, str):
                found[name] = path
        return found


def normal(name: str) -> str:
    """A dependency's name without case, extras, versions and the difference of dash and underscore."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[=<>~!;\s@^]", name.strip().removeprefix("@"))[0]).lower()


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _mapping(value: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _line_of(text: str, needle: str) -> int:
    at = text.find(needle)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def _make_offer(path: str, text: str) -> Offer:
    names: dict[str, int] = {}
    is_open = bool(re.search(r"^\s*-?s?include\s|\$\(eval|^\s*\$[({](?:call|foreach)", text, re.M))
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"(?![\t #])([^:=#\n]{1,400}?)\s*::?(?!=)", line)
        if match is None:
            continue
        targets = match[1].split()
        if targets[:1] in (["export"], ["define"]):
            continue
        if targets == [".PHONY"]:
            targets = line.partition(":")[2].split("#")[0].split()
        is_open = is_open or any("%" in name or "$" in name for name in targets)
        for name in targets:
            names.setdefault(name, number)
    return Offer(source=path, names=names, open=is_open)


def _dependencies(name: str, text: str) -> Iterator[str]:
    yield from _DEPENDENCY_READERS[name](text)


def _package_json(text: str) -> Iterator[str]:
    value = _json(text)
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        yield from _mapping(value, key)


def _pyproject(text: str) -> Iterator[str]:
    value = _toml(text)
    yield from _strings(_mapping(value, "project").get("dependencies"))
    groups = (_mapping(value, "project", "optional-dependencies"), _mapping(value, "dependency-groups"))
    for group in (item for mapping in groups for item in mapping.values()):
        yield from _strings(group)
    poetry = _mapping(value, "tool", "poetry")
    yield from _mapping(poetry, "dependencies")
    yield from _mapping(poetry, "dev-dependencies")
    for group in _mapping(poetry, "group").values():
        yield from _mapping(group, "dependencies")
    yield from _strings(_mapping(value, "build-system").get("requires"))


def _cargo(text: str) -> Iterator[str]:
    value = _toml(text)
    tables = ("dependencies", "dev-dependencies", "build-dependencies")
    for table in tables:
        yield from _mapping(value, table)
        yield from _mapping(value, "workspace", table)
    for target in _mapping(value, "target").values():
        for table in tables:
            yield from _mapping(target, table)


def _go_mod(text: str) -> Iterator[str]:
    for match in re.finditer(r"^\s*(?:require\s+)?([\w.-]+\.[a-z]+/[\w./-]+)\s+v\d", text, re.M):
        yield match[1]


def _gemfile(text: str) -> Iterator[str]:
    yield from re.findall(r"^\s*(?:gem|\w+\.add_\w*dependency)\s*\(?\s*[\"']([\w-]+)", text, re.M)


def _composer(text: str) -> Iterator[str]:
    value = _json(text)
    yield from _mapping(value, "require")
    yield from _mapping(value, "require-dev")


def _setup(text: str) -> Iterator[str]:
    yield from re.findall(r"[\"']([A-Za-z][\w.-]+)(?:\[[\w,]+\])?\s*(?:[<>=!~][^\"']*)?[\"']", text)


def _requirement_names(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        match = re.match(r"\s*([A-Za-z][\w.-]*)", line)
        if match:
            yield match[1]


_DEPENDENCY_READERS = {
    "package.json": _package_json, "pyproject.toml": _pyproject, "Cargo.toml": _cargo, "go.mod": _go_mod,
    "Gemfile": _gemfile, "composer.json": _composer, "setup.py": _setup, "setup.cfg": _requirement_names, "Pipfile": _requirement_names,
}  # fmt: skip
