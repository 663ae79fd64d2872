"""Searches a text for a pattern that a stranger wrote, in bounded time.

Patterns come from plans, so each could be built to take for ever. A pattern is taken apart at its `.*`; every piece
may repeat without bound in at most two places, never inside a repeated group, and is matched line by line on lines of
bounded length. What does not fit is not searched for: the answer is None, not a guess.
"""

import re
import warnings

from msd_review.edges import clock
from msd_review.lazy import regex

_MAX_PATTERN = 300
_MAX_LINE = 400
_MAX_SECONDS = 1.0
_MAX_REPEATS = 2  # of one piece: more would be too slow on one line
_WILD = regex(r"(?<!\\)\.[*+]\??")
_TOKEN = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!]|\(\?<[=!]|\(\?P?<\w+>|.", re.S)


def search(pattern: str, text: str, *, literal: bool = False) -> bool | None:
    """Whether the pattern occurs in one line of the text; None where that cannot be told within bounds.

    A pattern that stands there as plain text is found whatever it means. With `literal`, a pattern that is no usable
    expression is looked for as plain text alone.
    """
    if pattern and pattern in text:
        return True
    pieces = _pieces(pattern)
    if pieces is None:
        return False if literal else None
    found = _search(pieces, text)
    return False if literal and found is None else found


def _pieces(pattern: str) -> list[re.Pattern[str]] | None:
    if not pattern or len(pattern) > _MAX_PATTERN:
        return None
    parts = _WILD.split(pattern) if _is_flat(pattern) else [pattern]
    if not all(_is_tame(part) for part in parts):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [re.compile(part) for part in parts if part]
    except (re.error, OverflowError, RecursionError):
        return None


def _is_flat(pattern: str) -> bool:
    """Whether every `.*` stands outside groups and alternatives, so that the pattern may be cut there."""
    depth = 0
    for token in _TOKEN.findall(pattern):
        depth += token.startswith("(") - (token == ")")
        if depth == 0 and token == "|":
            return False
        if depth and token == ".":
            return False
    return True


def _is_tame(part: str) -> bool:
    if re.search(r"\\[1-9]|\(\?[P=<!]|\(\?\(|\{\d{3,}|\{\d*,\d{3,}", part):
        return False
    unbounded, groups = 0, [False]
    closed_repeating = False
    for token in _TOKEN.findall(part):
        if token in {"*", "+"} or token == "{":
            if closed_repeating:
                return False
            unbounded += 1
            groups[-1] = True
        closed_repeating = False
        if token.startswith("("):
            groups.append(False)
        elif token == ")" and len(groups) > 1:
            inner = groups.pop()
            closed_repeating = True
            groups[-1] = groups[-1] or inner
    return unbounded <= _MAX_REPEATS


def _search(pieces: list[re.Pattern[str]], text: str) -> bool | None:
    end = clock.monotonic() + _MAX_SECONDS
    cut = False
    for line in text.split("\n"):
        if clock.monotonic() > end:
            return None
        cut = cut or len(line) > _MAX_LINE
        if _in_line(pieces, line[:_MAX_LINE]):
            return True
    return None if cut else False


def _in_line(pieces: list[re.Pattern[str]], line: str) -> bool:
    at = 0
    for piece in pieces:
        found = piece.search(line, at)
        if found is None:
            return False
        at = found.end()
    return True
