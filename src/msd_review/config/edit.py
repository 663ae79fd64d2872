"""Changing one key of a config file, and nothing else of what the file says."""

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.config.layers import load_layer, type_problem
from msd_review.config.schema import KeySpec, Schema
from msd_review.edges import files
from msd_review.errors import ConfigError, UsageError
from msd_review.lazy import regex

_INDENT = regex(rb"^\{\r?\n([ \t]+)", re.MULTILINE)


def known_key(schema: Schema, key: str) -> KeySpec:
    """The spec of `key`; raises UsageError with the nearest known key."""
    spec = schema.find(key)
    if spec is not None and not key.endswith("*"):
        return spec
    near = difflib.get_close_matches(key, schema.keys, n=1)
    hint = f"did you mean {near[0]}?" if near else "`msd config list` shows every key"
    raise UsageError(f"no configuration key is called {key!r}", hint=hint)


def _as_json(spec: KeySpec, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        if spec.type == "list":
            return [part.strip() for part in text.split(",") if part.strip()]
        return text


def parse_value(spec: KeySpec, text: str) -> Any:
    """The value that `text` means for this key; raises UsageError where it does not fit."""
    value: Any = text if spec.type in {"string", "enum"} else _as_json(spec, text)
    wanted = type_problem(spec, value)
    if wanted is not None:
        raise UsageError(f"{spec.key} takes {wanted}, not {text!r}")
    return value


def _with(data: Mapping[str, Any], parts: list[str], value: Any) -> dict[str, Any]:
    head, *rest = parts
    if not rest:
        return {**data, head: value}
    inner = data.get(head, {})
    if not isinstance(inner, Mapping):
        raise ConfigError(f"{head!r} holds {json.dumps(inner)[:40]}, so nothing can be set below it")
    return {**data, head: _with(inner, rest, value)}


def _without(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    result = {name: value for name, value in data.items() if name != key}
    for name, value in data.items():
        if isinstance(value, Mapping) and key.startswith(name + "."):
            inner = _without(value, key[len(name) + 1 :])
            result[name] = inner
    return result


def _style(path: Path) -> tuple[str | int, str]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return 2, "\n"
    found = _INDENT.search(raw)
    return (found.group(1).decode() if found else 2), ("\r\n" if b"\r\n" in raw else "\n")


def _write(path: Path, data: Mapping[str, Any]) -> None:
    indent, newline = _style(path)
    text = json.dumps(data, indent=indent, ensure_ascii=False) + "\n"
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        files.write_atomic(target, text.replace("\n", newline).encode(), mode=mode)
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be written: {problem.strerror or problem}") from None


def set_key(path: Path, key: str, value: Any) -> None:
    """Sets `key` in the file at `path`, creating it; every other key keeps its value and order."""
    data = load_layer("user", path).data
    base = {**data, key: value} if key in data else _with(data, key.split("."), value)
    _write(path, base)


def unset_key(path: Path, key: str) -> bool:
    """Removes `key` from the file at `path`; False where it was not set."""
    data = load_layer("user", path).data
    after = _without(data, key)
    if after == data:
        return False
    _write(path, after)
    return True
