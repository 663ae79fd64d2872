"""Whether a text that someone quotes stands in a file, where, and the lines themselves for a report.

Pure. White space and the kind of quotation mark never matter; `…` and `...` stand for anything between two pieces.
"""

import re

WITHIN = 5  # lines by which a quote may miss the cited ones
_MAX_QUOTE = 2_000
_MAX_TEXT = 4 * 1024 * 1024
_MAX_PIECES = 8


def quote_line(text: str, quote: str, *, near: int | None = None) -> int | None:
    """The line (1-based) at which a quoted text starts, the one nearest to `near` of several; None where it is nowhere."""
    starts = _starts(text[:_MAX_TEXT], quote)
    if not starts:
        return None
    return min(starts, key=lambda line: abs(line - near)) if near is not None else starts[0]


def _starts(text: str, quote: str) -> list[int]:
    pieces = [_squeezed(piece) for piece in re.split(r"\s*(?:…|\.{3})\s*", quote[:_MAX_QUOTE])]
    pieces = [piece for piece in pieces if piece][:_MAX_PIECES]
    if not pieces:
        return []
    squeezed, lines = _flat(text)
    found: list[int] = []
    at = squeezed.find(pieces[0])
    while at >= 0 and len(found) < 1_000:
        if _follows(squeezed, pieces[1:], at + len(pieces[0])):
            found.append(lines(at))
        at = squeezed.find(pieces[0], at + 1)
    return found


def _follows(text: str, pieces: list[str], at: int) -> bool:
    for piece in pieces:
        found = text.find(piece, at, at + 4_000)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text.translate(_QUOTES))


_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " "})


class _Lines:
    """Line numbers of the characters of a text whose white space was taken out."""

    def __init__(self, ends: list[int]) -> None:
        self._ends = ends

    def __call__(self, at: int) -> int:
        low, high = 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            if self._ends[middle] <= at:
                low = middle + 1
            else:
                high = middle
        return low + 1


def _flat(text: str) -> tuple[str, _Lines]:
    pieces = [_squeezed(line) for line in text.split("\n")]
    ends, total = [], 0
    for piece in pieces:
        total += len(piece)
        ends.append(total)
    return "".join(pieces), _Lines(ends)
