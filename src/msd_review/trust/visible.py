"""A stranger's text as a person may be shown it: what it is, and nothing that it pretends to be.

Invariants
- What comes out is printable ASCII: no control or escape sequence, no bidirectional override, no
  zero-width or look-alike character reaches a terminal; each is written out as `\\u{…}`.
- Unambiguous: a backslash of the text is doubled, a quote inside quotes is escaped, so nothing in the text
  can look like an escape or end its own quotation.
- Whole: long text is wrapped, never cut, and every line of it bears a mark that the text cannot write at
  the start of a line.
"""

import re
from collections.abc import Iterator

from msd_review.lazy import regex

WIDTH = 76
CONTINUED = "  | "
_UNSEEN = regex(r"[^ !#-\[\]-~]")


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in '"\\':
        return "\\" + character
    return f"\\u{{{ord(character):x}}}"


def quoted(text: str) -> str:
    """The text in double quotes, on one line, unambiguous."""
    return f'"{_UNSEEN.sub(_escape, text)}"'


def plain(text: str) -> str:
    """The text without quotes around it, for places where it stands at the end of a line."""
    return _UNSEEN.sub(_escape, text)


def wrapped(line: str, *, indent: int) -> Iterator[str]:
    """`line` in pieces of at most WIDTH columns; all but the first begin with the mark of a continuation."""
    lead = " " * indent
    if len(lead) + len(line) <= WIDTH:
        yield lead + line
        return
    first = WIDTH - len(lead)
    yield lead + line[:first]
    step = WIDTH - len(lead) - len(CONTINUED)
    for start in range(first, len(line), step):
        yield lead + CONTINUED + line[start : start + step]
