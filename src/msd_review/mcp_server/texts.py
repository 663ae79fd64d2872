"""Words of others as they may be handed to a client: cleaned of what hides or obeys, and bounded."""

from typing import Any

from msd_review.report.text import one_line, visible

_ROW_LIMIT = 600


def utf8(text: str) -> bytes:
    """The text as bytes; a lone surrogate, as odd file names have them, becomes `?`."""
    return text.encode("utf-8", "replace")


def line(value: Any, limit: int = _ROW_LIMIT) -> str:
    """One cleaned line; "" for what is no text."""
    return one_line(value, limit) if isinstance(value, str) else ""


def line_or_none(value: Any, limit: int = _ROW_LIMIT) -> str | None:
    """The same, None where there is nothing to say."""
    return line(value, limit) or None


def passage(value: Any, limit: int) -> tuple[str, bool]:
    """Cleaned text of at most `limit` characters, and whether it was cut."""
    if not isinstance(value, str):
        return "", False
    text = visible(value[: 4 * limit]).encode("utf-8", "replace").decode()
    is_cut = len(text) > limit or len(value) > 4 * limit
    return (text[:limit].rstrip() + " …" if is_cut else text), is_cut
