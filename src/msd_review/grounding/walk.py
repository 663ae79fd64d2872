"""Lists the files of a tree that git does not know: a bounded walk that honours the plain part of `.gitignore`.

Ignore rules are read as git reads them for names, anchored paths, `*`, `?`, `**`, folders and negation; what is
ignored is neither listed nor entered.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msd_review.grounding.reading import Refused, read_inside

MAX_FILES = 200_000
_MAX_DEPTH = 64
_MAX_RULES = 2_000
_MAX_IGNORE_BYTES = 256 * 1024
# Installed or built by tools, never written by hand, and huge.
_NEVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache"}
)


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool


def walked_files(root: Path) -> tuple[tuple[str, ...], bool]:
    """The files below `root`, relative, sorted; and whether all of them were listed."""
    found: list[str] = []
    for path in _walk(root, "", (), 0):
        if len(found) >= MAX_FILES:
            return tuple(sorted(found)), False
        found.append(path)
    return tuple(sorted(found)), True


def _walk(root: Path, folder: str, rules: tuple[_Rule, ...], depth: int) -> Iterator[str]:
    rules = (*rules, *_rules_of(root, folder))[-_MAX_RULES:]
    try:
        entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in _NEVER and is_folder or _ignored(path, is_folder, rules):
            continue
        if not is_folder:
            yield path
        elif depth < _MAX_DEPTH:
            yield from _walk(root, path, rules, depth + 1)


def _rules_of(root: Path, folder: str) -> tuple[_Rule, ...]:
    path = f"{folder}/.gitignore" if folder else ".gitignore"
    content = read_inside(root, path, _MAX_IGNORE_BYTES)
    if isinstance(content, Refused):
        return ()
    lines = content.decode("utf-8", "replace").splitlines()[:_MAX_RULES]
    return tuple(rule for line in lines if (rule := _rule(line, folder)))


def _rule(line: str, folder: str) -> _Rule | None:
    text = line.rstrip()
    if not text or text.startswith("#") or len(text) > 300 or text.count("*") > 8:
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    prefix = re.escape(folder + "/") if folder else ""
    body = _regex(text.lstrip("/"))
    middle = "" if anchored else "(?:.*/)?"
    return _Rule(re.compile(prefix + middle + body), negated, folders_only)


def _regex(glob: str) -> str:
    pieces = re.split(r"(\*\*/|/\*\*$|\*|\?)", glob)
    meaning = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meaning.get(piece, re.escape(piece)) for piece in pieces)


def _ignored(path: str, is_folder: bool, rules: tuple[_Rule, ...]) -> bool:
    for rule in reversed(rules):
        if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(path):
            return not rule.negated
    return False
