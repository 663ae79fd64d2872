"""Names without backticks: those that look like code, that a word such as "function" introduces, or that fill a cell.

Pure. What is found here is only a candidate: without further evidence it claims nothing.
"""

import re
from collections.abc import Iterator, Sequence

from msd_review.grounding.mentions import Mention, symbol_in
from msd_review.grounding.prose import Sentence
from msd_review.lazy import regex
from msd_review.review.places import place_of

_BARE_CALL = regex(
    r"(?<![\w./`@-])(?P<name>[A-Za-z_]\w*(?:(?:\.|::)\w+){0,4})(?P<call>\((?!e?s\))[^()\x01]{0,200}(?:\([^()]{0,80}\)[^()]{0,80}){0,4}\))"
)
_BARE_NAME = regex(
    r"(?<![\w./`@:-])(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+|[A-Za-z]*_\w+|[A-Za-z]+_\w*|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*)(?![\w/`]|\.\w|\s?=|[\"']\s?:)"
)
_INTRODUCED = regex(
    r"\b(?:[Ff]unctions?|[Mm]ethods?|[Cc]lass(?:es)?|[Hh]elper|[Cc]onstant|constant/func|[Ss]truct|[Ii]nterface|[Ee]num|[Tt]rait|[Mm]acro|[Ss]ymbol|[Rr]outine|func|def|fn|[Kk]ey|[Ss]etting|"
    r"[Oo]ption|value of|[Ff]ind|[Pp]arameter|edit(?:ing)?|patch|take|docstring of|from)\b[\"':*]*\s+[\"'*]*(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)(?![\w/])"
)
_DECLARES = regex(r"\b(?:def|func|fn|function)\s+$")
_OPENS_ITEM = regex(
    r"^\s*(?:[-*+]|\d{1,3}(?:\.\d{1,3})*[.)]?)\s+(?:\[.\]\s+)?(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)(?:\(\))?(?=\s*(?:→|–|—|\s-\s|:\s|$))"
)
_CELL = regex(r"\|\s*(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)\s*(?=\|)")
_AT_END = regex(r"\x01[)`]?\s*(?:→|->|/|:)\s+(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)[\s.]*$")
_PLAIN = frozenset(
    ["above", "action", "add", "all", "also", "and", "any", "are", "as", "at", "be", "below", "body", "both", "by", "call", "calls", "can", "change",
     "changes", "class", "code", "comes", "could", "create", "currently", "declared", "defined", "did", "disk", "does", "e.g", "each", "edit",
     "existing", "file", "files", "first", "for", "from", "function", "gets", "github", "gitlab", "goes", "graphql", "had", "handles", "has", "have",
     "here", "how", "i.e", "in", "integration", "into", "ios", "iphone", "is", "it", "its", "itself", "javascript", "jquery", "json", "keep",
     "keeps", "kind", "last", "lives", "macos", "may", "method", "modify", "module", "must", "mysql", "name", "names", "needs", "new", "new_path",
     "no", "none", "not", "note", "oauth", "of", "old", "on", "one", "only", "openai", "openapi", "other", "our", "path", "postgresql", "present",
     "purpose", "reads", "reason", "regression", "returns", "same", "see", "shorten", "should", "sits", "so", "some", "status", "stays", "such",
     "symbol", "symbols", "takes", "test", "tests", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to",
     "today", "toml", "two", "type", "typescript", "unchanged", "unit", "update", "uses", "was", "websocket", "were", "what", "when", "where",
     "which", "who", "why", "will", "with", "without", "would", "writes", "yaml", "yes", "your"]
)  # fmt: skip


def bare_names(sentence: Sentence, found: Sequence[Mention]) -> Iterator[Mention]:
    """Names that look like code, or that a word such as "function" introduces, outside code spans and paths."""
    taken = [(mention.start, mention.end) for mention in found]
    for pattern in (_BARE_CALL, _BARE_NAME, _INTRODUCED, _CELL, _AT_END, _OPENS_ITEM):
        for match in pattern.finditer(sentence.masked):
            start, end = match.span("name")
            text = match.group("name")
            end += len(match["call"] or "") if "call" in pattern.groupindex else 0
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            if _is_label(sentence.masked, start, end):
                continue
            symbol = symbol_in(sentence.text[start:end])
            if (
                symbol is None
                or text.lower() in _PLAIN
                or re.fullmatch(r"L\d+", text)
                or place_of(text) is not None
                or len(text) < 3
            ):
                continue
            taken.append((start, end))
            name, parameters, called, _ = symbol
            declared = _DECLARES.search(sentence.masked[:start]) is not None
            yield Mention(
                start=start,
                end=end,
                text=sentence.text[start:end],
                symbol=name,
                parameters=parameters,
                called=called,
                declared=declared,
                code=False,
            )


def _is_label(text: str, start: int, end: int) -> bool:
    """Whether a name is a field's: `files_modified: …` at the start, `key="…"`, `"key": …`."""
    return bool(
        re.match(r"[\"']?\s?[=:]\s?[\[\"'{]|[\"']\s?:|=", text[end : end + 6])
        or not text[:start].strip(" \n-*+|>{")
        and re.match(r"\s?:\s", text[end : end + 3])
        and not re.match(r"\s*[-*+]", text)
    )
