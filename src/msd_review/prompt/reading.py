"""Reads the documents of a planning folder: bounded, inside the root, decoded, with `\\n` line ends."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from msd_review.edges.files import FileRefused, read_bounded
from msd_review.errors import InputError
from msd_review.lazy import regex

MAX_DOCUMENT_BYTES = 10 * 1024 * 1024
_MAX_FRONT_BYTES = 64 * 1024
_MAX_FRONT_DEPTH = 24
_FRONT = regex(r"\s*---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
# UTF-8 once read as Windows-1252: a lead byte's character and then what its continuation bytes look like there.
_CONTINUATION = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_DOUBLE_ENCODED = regex(f"(?:[ÂÃ]{_CONTINUATION}|[âï]{_CONTINUATION}{{2}}|ð{_CONTINUATION}{{3}})")


def read_document(root: Path, path: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a document, and warnings about how it was stored.

    `root` bounds where a link may lead; a document that lies outside it by its own name was named by a person.
    Raises InputError: unreadable, not a regular file, too large, not UTF-8, or a link out of the root.
    """
    shown = display_name(root, path)
    _refuse_escape(root, path, shown)
    try:
        content = read_bounded(path, MAX_DOCUMENT_BYTES)
    except FileNotFoundError:
        raise InputError(f"{shown} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{shown} is a folder, not a file") from None
    except FileRefused as problem:
        raise _refused(shown, path, problem) from None
    except OSError as problem:
        raise InputError(f"{shown} cannot be read: {problem.strerror}") from None
    return decode(content, shown)


def decode(content: bytes, shown: str) -> tuple[str, tuple[str, ...]]:
    """Bytes as text: byte-order mark gone, `\\n` line ends, double encoding undone; and what was odd.

    Raises InputError with the offset of the first byte that is not UTF-8.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"{shown} is not UTF-8: byte 0x{content[problem.start]:02x} at offset {problem.start:,}",
            hint="save it as UTF-8",
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    repaired = repair_double_encoding(text)
    warnings: tuple[str, ...] = (
        () if repaired == text else (f"{shown} was encoded twice; it is read as it was meant",)
    )
    if "\0" in repaired:
        warnings += (f"{shown} holds NUL characters; they are sent as U+FFFD",)
    return repaired.replace("\0", "\ufffd").removeprefix("\ufeff"), warnings


def repair_double_encoding(text: str) -> str:
    """UTF-8 that was read as Windows-1252 and stored again, turned back; all other text unchanged.

    >>> repair_double_encoding("Phase 3 â€” Import")
    'Phase 3 — Import'
    """
    if text.isascii():
        return text
    return _DOUBLE_ENCODED.sub(lambda match: _meant(match.group()), text)


def _meant(run: str) -> str:
    try:
        return b"".join(_byte(char) for char in run).decode("utf-8")
    except UnicodeError:
        return run


def _byte(char: str) -> bytes:
    return char.encode("latin-1") if ord(char) < 0x100 else char.encode("cp1252")


def front_matter(text: str) -> tuple[Mapping[str, Any], str | None]:
    """The front matter of a document, and what is wrong with it.

    Scalars stay text as written ("04.10"), except booleans and null. Without front matter: ({}, None).
    Broken, aliased, nested too deep or over 64 KiB: ({}, why).
    """
    match = _FRONT.match(text, 0, _MAX_FRONT_BYTES)
    if match is None:
        unclosed = re.match(r"\s*---[ \t]*\n[A-Za-z_]+:", text)
        return {}, "its front matter is never closed" if unclosed else None
    try:
        value = _load(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        return {}, f"its front matter is not usable: {_one_line(problem)}"
    if value is None:
        return {}, None
    if not isinstance(value, dict):
        return {}, "its front matter is not a mapping"
    return {str(key): item for key, item in value.items()}, None


class _TextLoader(yaml.CSafeLoader):
    """Safe YAML in which numbers and dates stay the text that was written."""


_KEPT_TAGS = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"}
_TextLoader.yaml_implicit_resolvers = {
    first: kept
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    if (kept := [pair for pair in resolvers if pair[0] in _KEPT_TAGS])
}


def _load(text: str) -> Any:
    depth = 0
    for event in yaml.parse(text, Loader=_TextLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("it uses YAML aliases")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_FRONT_DEPTH:
            raise ValueError("it is nested too deep")
    return yaml.load(text, Loader=_TextLoader)  # noqa: S506 - a CSafeLoader that constructs fewer types


def display_name(root: Path, path: Path) -> str:
    """The path as shown to people and reviewers: relative to the root where it lies inside, else its name alone."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.name


def _refuse_escape(root: Path, path: Path, shown: str) -> None:
    if not path.is_relative_to(root):
        return
    try:
        target, inside = path.resolve(), root.resolve()
    except (OSError, RuntimeError) as problem:
        raise InputError(f"{shown} cannot be read: {problem}") from None
    if not target.is_relative_to(inside):
        raise InputError(f"{shown} is a link that leads out of the project; it is not read")


def _refused(shown: str, path: Path, problem: FileRefused) -> InputError:
    if "larger" in str(problem):
        return InputError(
            f"{shown} is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB", hint="review its parts one by one"
        )
    return InputError(
        f"{shown} is not a regular file" if not path.is_dir() else f"{shown} is a folder, not a file"
    )


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:200]
