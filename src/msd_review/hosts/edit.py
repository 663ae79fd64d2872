"""One change of a text: what stood at a place, and what stands there now."""

from collections.abc import Iterable
from typing import NamedTuple


class NotEditable(Exception):
    """A text that cannot be read, or cannot take the change; `str()` says why, and where."""


class Edit(NamedTuple):
    """At offset `at` (in characters), `old` became `new`."""

    at: int
    old: str
    new: str


def apply_edit(text: str, edit: Edit) -> str:
    """The text after the edit."""
    return text[: edit.at] + edit.new + text[edit.at + len(edit.old) :]


def reverse_edit(text: str, edit: Edit) -> str | None:
    """The text before the edit; None where the place no longer holds what the edit put there."""
    end = edit.at + len(edit.new)
    if text[edit.at : end] != edit.new:
        return None
    return text[: edit.at] + edit.old + text[end:]


def moved(text: str, edit: Edit) -> Edit | None:
    """The edit where its text stands now, when it stands at exactly one place; else None."""
    at = text.find(edit.new)
    if at < 0 or text.find(edit.new, at + 1) >= 0:
        return None
    return edit._replace(at=at)


def splice(text: str, pieces: Iterable[tuple[int, int]]) -> str:
    """The text without the pieces (start, end), which do not overlap."""
    for start, end in sorted(pieces, reverse=True):
        text = text[:start] + text[end:]
    return text
