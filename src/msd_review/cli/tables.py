"""Plain tables for people: aligned columns, no drawing library, fit for a pipe."""

import unicodedata
from collections.abc import Sequence


def safe(text: str) -> str:
    """A line without anything that a terminal obeys, hides or turns around: each such character is written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


def width(text: str) -> int:
    """How many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: headings, then rows, columns aligned to the left and two spaces apart; every cell is safe."""
    cells = [list(headings), *([safe(str(cell)) for cell in row] for row in rows)]
    widths = [max(width(row[at]) for row in cells) for at in range(len(headings))]
    return [
        "  ".join(cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
