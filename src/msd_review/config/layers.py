"""Layers of configuration, and the value that results, with its origin.

Precedence, low to high: declared default, user, project, command line. A value of the wrong type is
never coerced: a warning is kept and the default holds. What a repository may not decide (bearer
tokens, a looser environment policy) is ignored there, with a warning.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msd_review.config.schema import KeySpec, Schema
from msd_review.edges import files
from msd_review.errors import ConfigError

LayerName = Literal["user", "project", "command line"]
MAX_CONFIG_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_NUMBER = 1e15  # beyond it a number stops being a count of anything, and arithmetic on it overflows
_UNSET_WORDS = {"", "null", "undefined"}
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One file of configuration, decoded; `path` is None for the command line."""

    name: LayerName
    path: Path | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A resolved value; `origin` is `default` or a layer's name."""

    key: str
    value: Any
    origin: str
    path: Path | None = None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _depth(value: Any) -> int:
    deepest, stack = 0, [(value, 1)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        stack.extend((child, level + 1) for child in children)
    return deepest


def parse_config(text: str, *, where: str) -> dict[str, Any]:
    """The JSON object in `text`; raises ConfigError with file, line and column."""
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as problem:
        raise ConfigError(
            f"{where}:{problem.lineno}:{problem.colno}: not valid JSON: {problem.msg}",
            hint="mend the file by hand, or move it away and start anew with `msd config set`",
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"{where}: {problem}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: expected an object at the top, found {type(data).__name__}")
    if _depth(data) > MAX_DEPTH:
        raise ConfigError(f"{where}: nested more than {MAX_DEPTH} levels deep")
    return data


def load_layer(name: LayerName, path: Path) -> Layer:
    """The layer in `path`; empty where there is no file. Raises ConfigError on a file that cannot be used."""
    try:
        raw = files.read_bounded(path, MAX_CONFIG_BYTES)
    except FileNotFoundError:
        return Layer(name=name, path=path, data={})
    except NotADirectoryError:
        return Layer(name=name, path=path, data={})
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ConfigError(f"{path}: not UTF-8 at byte {problem.start}") from None
    return Layer(name=name, path=path, data=parse_config(text, where=str(path)) if text.strip() else {})


def lookup(data: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key, nested or written flat; `_ABSENT` where there is none."""
    if key in data:
        return data[key]
    parts = key.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        inner = data.get(".".join(parts[:cut]))
        if isinstance(inner, Mapping):
            found = lookup(inner, ".".join(parts[cut:]))
            if found is not _ABSENT:
                return found
    return _ABSENT


def _number_problem(spec: KeySpec, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return "a number"
    if abs(value) > MAX_NUMBER:
        return f"a number of at most {MAX_NUMBER:g}"
    if spec.minimum is not None and value < spec.minimum:
        return f"a number of at least {spec.minimum:g}"
    return None


def type_problem(spec: KeySpec, value: Any) -> str | None:
    """What `value` should have been, or None where it fits. List and object contents are judged by their users."""
    match spec.type:
        case "boolean":
            return None if isinstance(value, bool) else "true or false"
        case "number":
            return _number_problem(spec, value)
        case "string":
            return None if isinstance(value, str) else "a string"
        case "enum":
            return (
                None
                if value in spec.values and isinstance(value, str)
                else "one of " + ", ".join(spec.values)
            )
        case "list":
            return None if isinstance(value, list) else "a list"
        case "object":
            return None if isinstance(value, dict) else "an object"


def is_unset(spec: KeySpec, value: Any) -> bool:
    """A string counts as unset when it is blank, `null` or `undefined`; JSON null is unset everywhere."""
    if value is None:
        return True
    return (
        spec.type in {"string", "enum"} and isinstance(value, str) and value.strip().lower() in _UNSET_WORDS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All layers, low to high, and the schema they are read by."""

    schema: Schema
    layers: tuple[Layer, ...]

    def _spec(self, key: str) -> KeySpec:
        spec = self.schema.find(key)
        if spec is None:
            raise RuntimeError(f"nobody declares the configuration key {key}")
        return spec

    def candidates(self, key: str) -> Iterator[tuple[Layer, Any]]:
        """Each layer that sets `key`, high to low, whatever the value's type."""
        for layer in reversed(self.layers):
            value = lookup(layer.data, key)
            if value is not _ABSENT:
                yield layer, value

    def get(self, key: str) -> Value:
        """The value that holds for a declared key, and where it comes from."""
        spec = self._spec(key)
        for layer, value in self.candidates(key):
            if is_unset(spec, value) or _not_for_projects(spec, layer, value):
                continue
            if type_problem(spec, value) is not None:
                break
            return Value(key=key, value=value, origin=layer.name, path=layer.path)
        return Value(key=key, value=spec.default, origin="default")

    def raw(self, key: str) -> Value:
        """The highest value of `key`, unchecked: for lists and objects that their user judges whole."""
        for layer, value in self.candidates(key):
            return Value(key=key, value=value, origin=layer.name, path=layer.path)
        return Value(key=key, value=None, origin="default")

    def text(self, key: str | None) -> str | None:
        """A string key's value, None where the key is None, undeclared or unset."""
        if key is None or self.schema.find(key) is None:
            return None
        value = self.get(key).value
        return value if isinstance(value, str) and value.strip() else None

    def number(self, key: str) -> float:
        """A number key's value."""
        return float(self.get(key).value)

    def set_keys(self, layer: Layer) -> frozenset[str]:
        """The dotted keys that one layer sets."""
        return frozenset(key for key, _ in flatten(layer.data, self.schema))

    def warnings(self) -> tuple[str, ...]:
        """What is wrong in the layers: types, keys of ours that nobody declares, decisions a project may not take."""
        return tuple(message for layer in self.layers for message in _layer_warnings(self.schema, layer))


def _not_for_projects(spec: KeySpec, layer: Layer, value: Any) -> bool:
    if layer.name != "project":
        return False
    if spec.who == "user only":
        return True
    return spec.who == "project may tighten" and spec.type == "enum" and value == spec.values[0]


def flatten(data: Mapping[str, Any], schema: Schema, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a config file as (dotted key, value); a declared key is a leaf whatever it holds."""
    for name, value in data.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and schema.find(key) is None:
            yield from flatten(value, schema, key + ".")
        else:
            yield key, value


_OURS = ("review.", "plan_review.", "capabilities.")


def _layer_warnings(schema: Schema, layer: Layer) -> Iterator[str]:
    where = str(layer.path) if layer.path else layer.name
    for key, value in flatten(layer.data, schema):
        spec = schema.find(key)
        if spec is None:
            if key.startswith(_OURS):
                yield f"{where}: nothing declares {key}; it has no effect"
        elif is_unset(spec, value):
            continue
        elif _not_for_projects(spec, layer, value):
            yield f"{where}: {key} cannot be decided by a project; ignored"
        elif (wanted := type_problem(spec, value)) is not None:
            yield f"{where}: {key} should be {wanted}, found {json.dumps(value)[:60]}; the default is used"
