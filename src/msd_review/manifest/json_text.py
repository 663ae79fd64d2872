"""Bytes of a manifest → a JSON value, or every reason why there is none.

Stricter than JSON readers are by default, since a manifest is read by several: a duplicate key, NaN,
half a surrogate pair or a number that overflows would mean different things to each. Bounded in bytes
and depth; never raises.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from msd_review.lazy import regex
from msd_review.manifest.messages import say
from msd_review.manifest.problems import Problem, plain, pointer
from msd_review.manifest.vocabulary import MAX_DEPTH, MAX_MANIFEST_BYTES

_WIDE_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_UTF8_MARK = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = regex(r"\\u[dD][89a-fA-F]")
_MAX_DIGITS = 400


class _Hooks:
    """What the reader of JSON met on its way and does not keep."""

    def __init__(self) -> None:
        self.duplicates: list[tuple[dict[str, Any], str]] = []
        self.not_finite = False
        self.long_numbers: list[int] = []

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            names = [name for name, _ in pairs]
            self.duplicates.extend((result, name) for name in result if names.count(name) > 1)
        return result

    def constant(self, name: str) -> float:
        self.not_finite = True
        return float(name.replace("Infinity", "inf"))

    def number(self, digits: str) -> float:
        value = float(digits)
        self.not_finite = self.not_finite or not math.isfinite(value)
        return value

    def integer(self, digits: str) -> int:
        if len(digits) <= _MAX_DIGITS:
            return int(digits)
        self.long_numbers.append(len(digits.lstrip("-")))
        return 0


def parse_bytes(raw: bytes) -> tuple[Any, tuple[Problem, ...]]:
    """The value that `raw` holds and what is wrong with the text; the value is None when there is none.

    A UTF-8 byte-order mark is accepted. A value is returned with problems of the text (a duplicate key)
    where there is one, so that the manifest's own violations can be reported beside them.
    """
    if len(raw) > MAX_MANIFEST_BYTES:
        return None, (say("too large", "", limit=MAX_MANIFEST_BYTES),)
    text = _decode(raw)
    if isinstance(text, Problem):
        return None, (text,)
    hooks = _Hooks()
    try:
        value = json.loads(
            text,
            object_pairs_hook=hooks.pairs,
            parse_constant=hooks.constant,
            parse_float=hooks.number,
            parse_int=hooks.integer,
        )
    except json.JSONDecodeError as error:
        what = plain(error.msg[:1].lower() + error.msg[1:])
        return None, (say("syntax", "", line=error.lineno, column=error.colno, what=what),)
    except RecursionError:
        return None, (say("deep", "", limit=MAX_DEPTH),)
    return _judge(value, text, hooks)


def _decode(raw: bytes) -> str | Problem:
    for mark, encoding in _WIDE_MARKS:
        if raw.startswith(mark):
            return say("wide encoding", "", encoding=encoding)
    try:
        return raw.removeprefix(_UTF8_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        return say("encoding", "", offset=error.start)


def _judge(value: Any, text: str, hooks: _Hooks) -> tuple[Any, tuple[Problem, ...]]:
    if text.count("{") + text.count("[") > MAX_DEPTH and _is_deep(value):
        return None, (say("deep", "", limit=MAX_DEPTH),)
    problems = [say("long number", "", digits=digits) for digits in hooks.long_numbers]
    if hooks.duplicates:
        problems += _duplicates(value, hooks)
    if hooks.not_finite:
        problems += [
            say("not finite", at)
            for at, item in walk(value)
            if isinstance(item, float) and not math.isfinite(item)
        ]
    if _SURROGATE_ESCAPE.search(text):
        problems += [say("surrogate", at) for at, item in walk(value) if _is_broken(item)]
    return value, tuple(problems)


def _duplicates(value: Any, hooks: _Hooks) -> list[Problem]:
    places = {id(item): at for at, item in walk(value) if isinstance(item, dict)}
    return [
        say("duplicate key", pointer(places[id(owner)], name), name=plain(name))
        for owner, name in hooks.duplicates
        if id(owner) in places
    ]


def _is_broken(item: object) -> bool:
    if isinstance(item, str):
        return _has_surrogate(item)
    return isinstance(item, dict) and any(map(_has_surrogate, item))


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for item in level
            if isinstance(item, dict | list)
            for member in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every value inside `value`, itself first, with its pointer; in the file's order, without recursion."""
    stack = [("", value)]
    while stack:
        at, item = stack.pop()
        yield at, item
        if isinstance(item, dict):
            stack += [(pointer(at, name), member) for name, member in reversed(item.items())]
        elif isinstance(item, list):
            stack += [(pointer(at, index), item[index]) for index in range(len(item) - 1, -1, -1)]
