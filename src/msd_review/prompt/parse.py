"""Takes a rendered prompt apart again.

A built-in reviewer is a process of its own that gets the prompt on stdin, so the prompt is also a file format:

    <!-- msd-prompt/1 boundary=B -->
    free text
    <!-- msd:B kind="plan" name="03-01-PLAN.md" path=".planning/phases/03-x/03-01-PLAN.md" -->
    the part's text, as sent
    <!-- /msd:B -->

`B` occurs in no part's text (`render` sees to that), so nothing a plan says can open or close a part. The values
of the attributes are JSON strings.
"""

import json
import re
from dataclasses import dataclass

from msd_review.lazy import regex

_HEADER = regex(r"\ufeff?<!-- msd-prompt/1 boundary=([0-9a-f]{16,64}) -->\r?\n")
_ATTRIBUTE = regex(r'([a-z_]+)=("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPart:
    """One part of a prompt as it was sent.

    `path` is relative to the project root with forward slashes ("" where the part is no file); `kept` is
    "whole", or "shrunk" where the text was cut to fit a budget, or "dropped" where nothing of it is left.
    """

    kind: str
    name: str
    path: str
    text: str
    kept: str = "whole"


def split_prompt(text: str) -> tuple[ParsedPart, ...]:
    """The parts in the order in which they were sent; () for a text that is no msd prompt.

    >>> split_prompt("just a question")
    ()
    """
    header = _HEADER.match(text)
    if header is None:
        return ()
    if header.group().endswith("\r\n"):
        return split_prompt(text.replace("\r\n", "\n"))
    boundary = header.group(1)
    part = re.compile(rf"^<!-- msd:{boundary} ([^\n]*) -->\n(.*?)\n<!-- /msd:{boundary} -->$", re.M | re.S)
    return tuple(_part(match) for match in part.finditer(text, header.end()))


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(value))
    except ValueError:
        return value[1:-1]


def _part(match: re.Match[str]) -> ParsedPart:
    attributes = {name: _unquoted(value) for name, value in _ATTRIBUTE.findall(match.group(1))}
    return ParsedPart(
        kind=attributes.get("kind", ""),
        name=attributes.get("name", ""),
        path=attributes.get("path", ""),
        text=match.group(2),
        kept=attributes.get("kept", "whole"),
    )
