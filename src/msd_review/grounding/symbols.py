"""Names in the reviewed tree: which files hold a word, and where a name is defined.

Only what is asked for is parsed: the word index says which files can define a name, and only those are read by a
parser. What a parser said of a file is remembered by the file's content.
"""

import re
from functools import cached_property

from msd_review.grounding.definitions import Definition, definitions_in
from msd_review.grounding.index import Tree
from msd_review.grounding.reading import Refused
from msd_review.grounding.words import WordIndex
from msd_review.lazy import regex

_WORD = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_CANDIDATES = 60  # files parsed for one name
_MAX_SEARCHED = 600  # files looked through for one name
_MAX_LOOKS = 100  # places of a name looked at in one file
_DEFINES = regex(
    r"\b(?:def|class|func|fn|function|type|struct|interface|enum|trait|const|let|var|impl|module|mod|record|protocol|define|static|public|"
    r"private|protected|void|int|char|bool|double|float|long|size_t|auto|attr_reader|attr_accessor|typedef|namespace|macro_rules!)"
    r"\b[^=;]{0,80}$"
)


class Symbols:
    """Definitions and words of one tree, found when asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._definitions: dict[str, tuple[Definition, ...]] = {}
        self._found: dict[str, tuple[tuple[str, Definition], ...]] = {}

    @property
    def complete(self) -> bool:
        """Whether every text file of the tree was searched for words."""
        return self._index.complete

    def in_file(self, path: str) -> tuple[Definition, ...]:
        """What a listed file defines; () where it cannot be read."""
        if path not in self._definitions:
            text = self.tree.read(path)
            self._definitions[path] = () if isinstance(text, Refused) else definitions_in(path, text)
        return self._definitions[path]

    def defined(self, name: str) -> tuple[tuple[str, Definition], ...]:
        """Every (path, definition) of a bare name in the tree, at most those of 60 files."""
        if name not in self._found:
            paths = self.files_with(name)
            likely = (
                [path for path in paths[:_MAX_SEARCHED] if self._may_define(path, name)]
                if len(paths) > 8
                else []
            )
            chosen = (likely or list(paths))[:_MAX_CANDIDATES]
            pairs = ((path, item) for path in chosen for item in self.in_file(path) if item.name == name)
            self._found[name] = tuple(pairs)
        return self._found[name]

    def _may_define(self, path: str, name: str) -> bool:
        """Whether a line looks as if it defined the name: cheaper than parsing every file that uses it."""
        text = self.tree.read(path)
        if isinstance(text, Refused):
            return False
        at = text.find(name)
        for _ in range(_MAX_LOOKS):
            if at < 0:
                return False
            start = text.rfind("\n", 0, at) + 1
            before, after = text[max(start, at - 120) : at], text[at + len(name) : at + len(name) + 4]
            if _DEFINES.search(before) or not before.strip() and re.match(r"\s*[:=]", after):
                return True
            at = text.find(name, at + len(name))
        return True

    def files_with(self, word: str) -> tuple[str, ...]:
        """The files in which a word occurs."""
        if _WORD.fullmatch(word):
            return self._index.files_with(word)
        parts = _WORD.findall(word)
        if not parts:
            return ()
        paths = set(self._index.files_with(parts[0]))
        paths.intersection_update(*(self._index.files_with(part) for part in parts[1:]))
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
        line, counted, at = 1, 0, text.find(word)
        while at >= 0 and len(lines) < most:
            end = at + len(word)
            if not (at and _is_word(text[at - 1]) or end < len(text) and _is_word(text[end])):
                line += text.count("\n", counted, at)
                counted = at
                lines += [line] if not lines or lines[-1] != line else []
            at = text.find(word, end)
        return tuple(lines)

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex(self.tree)


def _is_word(char: str) -> bool:
    return char == "_" or char.isascii() and char.isalnum()
