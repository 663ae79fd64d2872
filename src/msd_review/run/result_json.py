"""`LaneResult` as JSON and back, driven by its own types: a field that is added there is kept here too.

What is read back is checked value by value: a journal may have been torn, edited or written by another
version. Paths are kept relative to the run's folder and never lead out of it.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from msd_review.run.result import LaneResult


class BadRecord(ValueError):
    """A recorded result is not one; `str()` names the field."""


def encode(result: LaneResult, folder: Path) -> dict[str, object]:
    """Every field of `result`, with its paths relative to the run's `folder`."""
    return {field.name: _plain(getattr(result, field.name), folder) for field in fields(result)}


def decode(value: object, folder: Path) -> LaneResult:
    """The result that `encode` wrote. Raises BadRecord; fields that this version does not know are ignored."""
    found = _read_dataclass(LaneResult, value, folder)
    assert isinstance(found, LaneResult)
    return found


def _plain(value: object, folder: Path) -> object:
    if isinstance(value, Path):
        return value.relative_to(folder).as_posix() if value.is_relative_to(folder) else None
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item, folder) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item, folder) for key, item in value.items()}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name), folder) for field in fields(value)}
    return value


def _read_dataclass(kind: Any, value: object, folder: Path) -> object:
    if not isinstance(value, dict):
        raise BadRecord(f"{kind.__name__} is not an object")
    hints = get_type_hints(kind)
    arguments = {}
    for field in fields(kind):
        if field.name in value:
            arguments[field.name] = _read(hints[field.name], value[field.name], folder, name=field.name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise BadRecord(f"{field.name} is missing")
    return kind(**arguments)


def _read(hint: Any, value: object, folder: Path, *, name: str) -> object:
    origin = get_origin(hint)
    if origin is UnionType:
        return _read_optional(hint, value, folder, name=name)
    if origin is tuple:
        items = _expect(list, value, name)
        return tuple(_read(get_args(hint)[0], item, folder, name=name) for item in items)
    if origin is Mapping:
        pairs = _expect(dict, value, name)
        return {str(key): _read(get_args(hint)[1], item, folder, name=name) for key, item in pairs.items()}
    if is_dataclass(hint):
        return _read_dataclass(hint, value, folder)
    return _read_scalar(hint, value, folder, name=name)


def _read_optional(hint: Any, value: object, folder: Path, *, name: str) -> object:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if value is None and len(kinds) < len(get_args(hint)):
        return None
    return _read(kinds[0], value, folder, name=name)


def _read_scalar(hint: Any, value: object, folder: Path, *, name: str) -> object:
    if hint is Path:
        return _inside(_expect(str, value, name), folder, name)
    if issubclass(hint, StrEnum):
        return _member(hint, _expect(str, value, name), name)
    if hint is float:
        return float(_expect(int | float, value, name))
    return _expect(hint, value, name)


def _member(kind: type[StrEnum], text: str, name: str) -> StrEnum:
    try:
        return kind(text)
    except ValueError:
        raise BadRecord(f"{name} is {text!r:.60}, which is no {kind.__name__}") from None


def _expect(kind: Any, value: object, name: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadRecord(f"{name} is a {type(value).__name__}")
    return value


def _inside(text: str, folder: Path, name: str) -> Path:
    pure = PurePosixPath(text)
    if pure.is_absolute() or ".." in pure.parts or "\0" in text or not pure.parts:
        raise BadRecord(f"{name} leads out of the run's folder")
    return folder / pure
