"""Markdown pieces that every generated page is made of."""

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text as it may stand in a table's cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    """Text as code inside a cell; a backtick in it makes the fence longer."""
    return f"`` {cell(text)} ``" if "`" in text else f"`{cell(text)}`"


def codes(texts: Iterable[str]) -> str:
    """Several pieces of code, or a dash for none."""
    return " ".join(code(text) for text in texts) or "–"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
