"""Recognises a tool that waits for a person to log in, while it waits.

Data, not judgement: a question at the very end of what a tool has written so far, or one of a few sentences
after which known tools hang. A review that talks about passwords is neither: it goes on, it is long, and its
lines are no questions to a person at a keyboard. The prompt's own words are no question of the tool's either
(some tools echo it); whoever asks here checks that.
"""

import re

from msd_review.lazy import regex

TAIL_BYTES = 2048
LONGEST_BEFORE = 4096  # bytes of stdout: a tool asks before it answers

_SUBJECT = (
    r"(?:log[ -]?in|sign(?:ed)?[ -]?in|authenticat\w*|authoriz\w*|api[ -]?key|password|passphrase|passcode"
    r"|verification code|access token|credentials)"
)
_ASKS = r"(?:enter|paste|type|provide|input|please|username|password|passphrase|passcode|verification code|api key|access token|\?)"
_ABOUT = regex(_SUBJECT, re.IGNORECASE)
_YES_NO = regex(
    rf"\b{_SUBJECT}\b[^\n]{{0,200}}(?:\n[^\n]{{0,80}})?[\[(]y(?:es)?/n(?:o)?[\])]\s*[:?>]?\s*\Z",
    re.IGNORECASE,
)
_ENTRY = regex(rf"\A[ \t>]{{0,8}}{_ASKS}[^\n]{{0,200}}[:?>›]\s*\Z", re.IGNORECASE)
_SENTENCE = regex(
    r"(?:Opening authentication page in your browser"
    r"|Invalid auth method"
    r"|Please set an auth method"
    r"|Waiting for (?:auth|authentication|login|sign-in)\b"
    r"|(?:visit|open|go to) (?:the following |this )?(?:URL|link|page)[^\n]{0,80}\b(?:log|sign|authori[sz]e|authenticate)"
    r"|enter the (?:authorization|verification|device|one-time) code"
    r"|Press (?:Enter|any key) to open [^\n]{0,60}browser)"
    r"[^\n]{0,200}(?:\n[ \t]*(?:|https?://\S{1,500}|[^\n]{0,200}[:?>\])])[ \t]*){0,4}\s*\Z",
    re.IGNORECASE,
)
_TERMINAL = regex(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")


def login_prompt(tail: bytes) -> str | None:
    """The question that ends `tail` (the last bytes of a stream), or None."""
    text = _TERMINAL.sub(b"", tail[-TAIL_BYTES:]).decode("utf-8", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (_SENTENCE, _YES_NO):
        found = pattern.search(text)
        if found is not None:
            return found.group().strip()
    last = text.rstrip().rpartition("\n")[2]
    is_asked = _ENTRY.match(last) and _ABOUT.search(last)
    return last.strip() if is_asked else None
