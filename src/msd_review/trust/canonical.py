"""Any value → one text: the canonical JSON that signatures are made of.

Invariants
- Total: whatever is handed in is written; nothing raises, however deep, large or unlike JSON it is.
- Two values that differ as JSON differ in their text; the order of an object's keys never matters, and
  1 and 1.0 are one number.
- The text is ASCII: a reader of it cannot be misled by what a character looks like.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

_ENCODE = json.JSONEncoder(ensure_ascii=True).encode
_LARGE = 10**4000


def _number(value: int | float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and abs(value) >= _LARGE:
        return hex(value)
    return repr(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _ENCODE(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _number(value)
    return f"<{type(value).__name__}>"


def _key(name: Any) -> str:
    return _ENCODE(name) if isinstance(name, str) else f"<{_scalar(name)}>"


class _Written(str):
    """Text that stands as it is between the values."""


def _members(value: Mapping[Any, Any]) -> list[Any]:
    parts: list[Any] = []
    for text, item in sorted(((_key(name), item) for name, item in value.items()), key=lambda pair: pair[0]):
        parts += [_Written(f"{',' if parts else '{'}{text}:"), item]
    return [*parts, _Written("}" if parts else "{}")]


def _elements(value: Sequence[Any]) -> list[Any]:
    parts: list[Any] = []
    for item in value:
        parts += [_Written("," if parts else "["), item]
    return [*parts, _Written("]" if parts else "[]")]


def canonical(value: Any) -> str:
    """The canonical JSON of `value`."""
    written: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, _Written):
            written.append(item)
        elif isinstance(item, Mapping):
            stack += reversed(_members(item))
        elif isinstance(item, list | tuple):
            stack += reversed(_elements(item))
        else:
            written.append(_scalar(item))
    return "".join(written)
