"""What one file defines: names with their places, owners and parameters, from its syntax tree or, without a grammar, its text.

Pure: text in, definitions out. A file that does not parse gives what its readable parts define.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msd_review.grounding.languages import Language, grammar_of, language_of
from msd_review.lazy import regex

if TYPE_CHECKING:
    from tree_sitter import Node

Kind = Literal["function", "type", "value", "field", "module", "extension"]
MAX_PARSED_BYTES = 1024 * 1024
_MAX_DEFINITIONS = 50_000
_MAX_HEADER = 2_000  # characters of a definition before its body
_KINDS: tuple[Kind, ...] = ("function", "type", "value", "field", "module", "extension")
_CONTAINERS = frozenset({"type", "module", "extension"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One definition in a file. Lines are 1-based; `end_line` is its last one.

    `owner` is the type or module around it, dotted from the outside in ("" at the top); `parameters` is the text
    between its parentheses, None where it has none; `header` is what stands between its name and its body.
    """

    name: str
    kind: Kind
    line: int
    end_line: int
    owner: str = ""
    parameters: str | None = None
    header: str = ""

    @property
    def qualified(self) -> str:
        """`Owner.name`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def definitions_in(path: str, text: str) -> tuple[Definition, ...]:
    """Every definition of a file in the order of lines."""
    language = language_of(path)
    loaded = grammar_of(language) if language else None
    content = text.encode("utf-8", "replace")
    if language is None or loaded is None or len(content) > MAX_PARSED_BYTES:
        return tuple(_by_text(text))
    return _by_syntax(language, content)


@dataclass(frozen=True, slots=True)
class _Found:
    kind: Kind
    node: "Node"
    name: str
    name_end: int
    owner: str | None


def _by_syntax(language: Language, content: bytes) -> tuple[Definition, ...]:
    found = sorted(_matches(language, content), key=lambda item: (item.node.start_byte, -item.node.end_byte))
    around: list[tuple[int, str]] = []
    result: list[Definition] = []
    seen: set[tuple[int, str]] = set()
    for item in found[:_MAX_DEFINITIONS]:
        start, end = item.node.start_byte, item.node.end_byte
        while around and around[-1][0] <= start:
            around.pop()
        owner = item.owner or ".".join(name for _, name in around)
        if (start, item.name) not in seen:
            seen.add((start, item.name))
            result.append(_definition(item, owner, content))
        if item.kind in _CONTAINERS:
            around.append((end, item.name))
    return tuple(result)


def _matches(language: Language, content: bytes) -> Iterator[_Found]:
    from tree_sitter import Parser, QueryCursor  # loaded with the first grammar, never at start-up

    loaded = grammar_of(language)
    if loaded is None:
        return
    grammar, query = loaded
    tree = Parser(grammar).parse(content)
    for _, captures in QueryCursor(query, match_limit=65_536).matches(tree.root_node):
        kind: Kind | None = next((kind for kind in _KINDS if kind in captures), None)
        names = captures.get("name")
        if kind is None or not names:
            continue
        owner = captures.get("owner")
        yield _Found(
            kind=kind,
            node=captures[kind][0],
            name=_plain(names[0]),
            name_end=names[0].end_byte,
            owner=_plain(owner[0]).replace("::", ".") if owner else None,
        )


def _plain(node: "Node") -> str:
    text = (node.text or b"").decode("utf-8", "replace")
    return text.strip("'\":").removeprefix("@")[:200]


def _definition(item: _Found, owner: str, content: bytes) -> Definition:
    node = item.node
    body = node.child_by_field_name("body")
    header_end = min(body.start_byte if body else node.end_byte, item.name_end + _MAX_HEADER)
    header = content[item.name_end : max(item.name_end, header_end)].decode("utf-8", "replace")
    return Definition(
        name=item.name,
        kind=item.kind,
        line=node.start_point[0] + 1,
        end_line=node.end_point[0] + 1,
        owner=owner,
        parameters=None if item.kind in _CONTAINERS else _parameters(node, header),
        header=header.strip(),
    )


def _parameters(node: "Node", header: str) -> str | None:
    current: Node | None = node
    for _ in range(6):
        if current is None:
            break
        found = current.child_by_field_name("parameters")
        if found is not None and found.text is not None:
            text = found.text.decode("utf-8", "replace").strip()
            return text[1:-1] if text[:1] in "(|" and text[-1:] in ")|" else text
        current = current.child_by_field_name("declarator") or current.child_by_field_name("value")
    return _first_parentheses(header)


def _first_parentheses(header: str) -> str | None:
    """What the first parentheses after a name hold, where a grammar does not name its parameters."""
    start = re.match(r"\s*(?:<[^<>(){}]{0,200}>)?\s*\(", header)
    if start is None:
        return None
    depth = 1
    for at in range(start.end(), len(header)):
        depth += {"(": 1, ")": -1}.get(header[at], 0)
        if depth == 0:
            return header[start.end() : at]
    return None


_KEYWORDS = (
    r"def|defp|defmacro|defmodule|fun|func|fn|function|sub|proc|class|struct|enum|interface|trait|object|module|type|let|"
    r"var|val|const|record|protocol|message|service|rpc|table|view|index|procedure|resource|variable|mixin|extension|impl|namespace"
)
_TEXTUAL = regex(
    rf"^[ \t]{{0,40}}(?:(?:[a-z@][\w()]{{0,30}}[ \t]+){{0,5}})(?P<kind>{_KEYWORDS})[ \t]+"
    rf"(?:(?:IF NOT EXISTS|\([^)\n]{{0,80}}\))[ \t]*)?[\"'`]?(?P<name>[A-Za-z_][\w.-]{{0,100}})",
    re.MULTILINE | re.IGNORECASE,
)
_TEXTUAL_TYPES = frozenset(
    {"class", "struct", "enum", "interface", "trait", "object", "type", "record", "protocol"}
)


def _by_text(text: str) -> Iterator[Definition]:
    line, at = 1, 0
    for count, match in enumerate(_TEXTUAL.finditer(text)):
        if count >= _MAX_DEFINITIONS:
            return
        line += text.count("\n", at, match.start("name"))
        at = match.start("name")
        kind: Kind = "type" if match["kind"].lower() in _TEXTUAL_TYPES else "value"
        name = match["name"].rstrip(".-")
        yield Definition(name=name.rsplit(".", 1)[-1], kind=kind, line=line, end_line=line)
