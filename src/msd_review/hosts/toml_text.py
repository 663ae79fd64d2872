"""One table put into the text of a TOML document, or taken out, with every other character left as it was.

A table is appended as a block of its own at the end: TOML lets a table stand anywhere, and what stands before it keeps
its meaning. The standard parser has the last word on every change.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from msd_review.hosts.edit import Edit, NotEditable, apply_edit
from msd_review.hosts.values import holds, with_entry, without_entry
from msd_review.lazy import regex

_BOM = "\ufeff"
_BARE_KEY = regex(r"[A-Za-z0-9_-]+")
_HEADER = regex(r"[ \t]*\[")
_COMMENT_OR_BLANK = regex(r"[ \t]*(#.*)?")


def parse(text: str) -> dict[str, Any]:
    """What the document means. Raises NotEditable, which names the place."""
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as problem:
        raise NotEditable(str(problem)) from None
    except (RecursionError, ValueError):
        raise NotEditable("it is nested too deeply, or holds a number that is too long") from None


def insert(text: str, path: Sequence[str], value: Mapping[str, Any]) -> Edit:
    """The edit that adds the table at `path`, which is not there yet. Raises NotEditable."""
    before = parse(text)
    if holds(before, path):
        raise NotEditable(f"it holds {'.'.join(path)} already")
    newline = "\r\n" if "\r\n" in text else "\n"
    body = text.removeprefix(_BOM)
    gap = "" if not body or body.endswith("\n") else newline
    gap += newline if body.strip() and not body.endswith(("\n\n", "\r\n\r\n")) else ""
    edit = Edit(len(text), "", gap + newline.join((*_table(path, value), "")))
    wanted = with_entry(before, path, dict(value))
    if _means(apply_edit(text, edit)) != wanted:
        raise NotEditable(f"{'.'.join(path[:-1])} is written so that no table can be added to it")
    return edit


def remove(text: str, path: Sequence[str], *, parents: int) -> str:
    """The text without the table at `path`. Raises NotEditable where it is not written as a table of its own."""
    wanted = without_entry(parse(text), path, parents=parents)
    lines = text.splitlines(keepends=True)
    for start in range(len(lines)):
        if not _HEADER.match(lines[start]) or _header_path(lines[start]) != list(path):
            continue
        rest = "".join((*lines[:start], *lines[_block_end(lines, start) :]))
        if _means(rest) in (wanted, without_entry(parse(text), path, parents=0)):
            return rest
    raise NotEditable(f"{'.'.join(path)} is not written as a table of its own")


def _means(text: str) -> dict[str, Any] | None:
    try:
        return parse(text)
    except NotEditable:
        return None


def _table(path: Sequence[str], value: Mapping[str, Any]) -> list[str]:
    header = ".".join(key if _BARE_KEY.fullmatch(key) else json.dumps(key) for key in path)
    return [f"[{header}]", *(f"{key} = {_shown(one)}" for key, one in value.items())]


def _shown(value: Any) -> str:
    """A string, boolean or list of strings: what TOML writes as JSON does, when nothing beyond ASCII is escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _header_path(line: str) -> list[str] | None:
    """The path that a table's header names; None for another line."""
    document = _means(line)
    path: list[str] = []
    while document:
        [(key, document)] = document.items() if len(document) == 1 else [("", None)]
        path.append(key)
        if not isinstance(document, dict):
            return None
    return path or None


def _block_end(lines: Sequence[str], start: int) -> int:
    """The line behind a table: comments and empty lines before the next header belong to what follows."""
    end = start + 1
    while end < len(lines) and not _HEADER.match(lines[end]):
        end += 1
    while end > start + 1 and end < len(lines) and _COMMENT_OR_BLANK.fullmatch(lines[end - 1].rstrip("\r\n")):
        end -= 1
    return end
