"""Names in the reviewed tree: which files hold a word, and where a name is defined.

Only what is asked for is parsed: the word index says which files can define a name, and only those are read by a
parser. What a parser said of a file is remembered by the file's content.
"""

import re
from collections.abc import Mapping
from functools import cached_property

from msd_review.edges import clock
from msd_review.grounding.definitions import Definition, definitions_in
from msd_review.grounding.index import Tree
from msd_review.grounding.reading import Refused

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_CANDIDATES = 400  # files parsed for one name
_MAX_WORD_BYTES = 1024 * 1024 * 1024
_MAX_WORD_SECONDS = 45.0


class Symbols:
    """Definitions and words of one tree, found when asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._definitions: dict[str, tuple[Definition, ...]] = {}
        self.complete = True

    def in_file(self, path: str) -> tuple[Definition, ...]:
        """What a listed file defines; () where it cannot be read."""
        if path not in self._definitions:
            text = self.tree.read(path)
            self._definitions[path] = () if isinstance(text, Refused) else definitions_in(path, text)
        return self._definitions[path]

    def defined(self, name: str) -> tuple[tuple[str, Definition], ...]:
        """Every (path, definition) of a bare name in the tree."""
        candidates = self.files_with(name)[:_MAX_CANDIDATES]
        return tuple(
            (path, definition)
            for path in candidates
            for definition in self.in_file(path)
            if definition.name == name
        )

    def files_with(self, word: str) -> tuple[str, ...]:
        """The files in which a word occurs."""
        if _WORD.fullmatch(word):
            return self._words.get(word, ())
        parts = _WORD.findall(word)
        if not parts:
            return ()
        paths = set(self._words.get(parts[0], ())).intersection(
            *(self._words.get(part, ()) for part in parts[1:])
        )
        return tuple(sorted(path for path in paths if self.occurs(path, word)))

    def occurs(self, path: str, word: str) -> bool:
        """Whether a word stands in a file, not as part of a longer word."""
        text = self.tree.read(path)
        return not isinstance(text, Refused) and bool(self.lines_with(path, word, most=1))

    def lines_with(self, path: str, word: str, *, most: int = 200) -> tuple[int, ...]:
        """The lines (1-based) of a file in which a word stands."""
        text = self.tree.read(path)
        if isinstance(text, Refused) or not word:
            return ()
        lines: list[int] = []
        line, at = 1, 0
        for match in re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])", text):
            line += text.count("\n", at, match.start())
            at = match.start()
            if not lines or lines[-1] != line:
                lines.append(line)
            if len(lines) >= most:
                break
        return tuple(lines)

    @cached_property
    def _words(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        budget = _MAX_WORD_BYTES
        end = clock.monotonic() + _MAX_WORD_SECONDS
        for path in self.tree.files:
            if budget <= 0 or clock.monotonic() > end:
                self.complete = False
                break
            content = self.tree.read_bytes(path)
            if isinstance(content, Refused) or b"\0" in content[:8192]:
                continue
            budget -= len(content)
            for word in set(_WORD.findall(content.decode("latin-1"))):
                found.setdefault(word, []).append(path)
        return {word: tuple(paths) for word, paths in found.items()}
