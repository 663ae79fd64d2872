"""Makes `@path` harmless: some reviewer tools replace it by that file's content before the model sees the prompt.

A mention that could be expanded is written `@ path`; decorators, package scopes and e-mail addresses stay as they
are, as long as nothing of that name exists in the tree.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msd_review.lazy import regex

_MENTION = regex(r"@(?=[^\s@])")
_RUN = regex(r"\"[^\"\n]{1,512}\"?|'[^'\n]{1,512}'?|(?:\\.|[^\s\\]|\\(?=\s|$)){1,512}")
_LEAVES_THE_TREE = regex(r"[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|[\w.+-]+:(?:[\w.+-]+:)?//|file:", re.IGNORECASE)
_DELIMITER = regex(r"[\s,;:!?()\[\]{}<>\"'`|#*]")
_ESCAPED = regex(r"\\(.)")
# Distinct names that are looked up on disk, and mentions in one text; beyond either all are written apart.
_MAX_LOOKUPS = 20_000
_MAX_MENTIONS = 50_000
_MAX_ENDS = 16


def harmless(text: str, exists: Callable[[str], bool]) -> str:
    """`text` with a space after every `@` that a tool could take for a file to include.

    `exists` says whether a path, relative to the folder where tools will work, is there.
    """
    if text.count("@") > _MAX_MENTIONS:
        return text.replace("@", "@ ")
    pieces: list[str] = []
    done = 0
    for match in _MENTION.finditer(text):
        run = _RUN.match(text, match.end())
        if run and _expands(run.group(), exists):
            pieces += (text[done : match.end()], " ")
            done = match.end()
    pieces.append(text[done:])
    return "".join(pieces) if done else text


def existing_in(root: Path) -> Callable[[str], bool]:
    """A memory of which relative paths exist below `root`; answers True once it was asked too much."""
    known: dict[str, bool] = {}

    def exists(path: str) -> bool:
        if path not in known:
            if len(known) >= _MAX_LOOKUPS:
                return True
            known[path] = _on_disk(root, path)
        return known[path]

    return exists


def _on_disk(root: Path, path: str) -> bool:
    try:
        (root / path).lstat()
    except (OSError, ValueError):
        return False
    return True


def _expands(run: str, exists: Callable[[str], bool]) -> bool:
    bare = run.lstrip("\"'")
    if _LEAVES_THE_TREE.match(bare):
        return True
    return any(exists(candidate) for candidate in _candidates(run, bare))


def _candidates(run: str, bare: str) -> Iterator[str]:
    """The paths that a tool could read out of the characters after an `@`, whatever it thinks ends a path."""
    if run != bare:
        yield bare.rstrip("\"'")
    ends = [match.start() for match in _DELIMITER.finditer(bare)][:_MAX_ENDS]
    for end in (len(bare), *ends):
        path = _ESCAPED.sub(r"\1", bare[:end])
        for candidate in (path, path.rstrip(".")):
            if candidate:
                yield candidate
