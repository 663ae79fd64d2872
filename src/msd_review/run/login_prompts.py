"""Recognises a tool that waits for a person to log in, while it waits.

Data, not judgement: a question at the very end of what a tool has written so far, or one of a few sentences
after which known tools hang. What the prompt itself says is no question of the tool's (some tools echo it).
"""

import re

TAIL_BYTES = 2048

_SUBJECT = r"(?:log[ -]?in|sign[ -]?in|authenticat\w*|authoriz\w*|api[ -]?key|password|passphrase|passcode|verification code|access token|credentials)"
_QUESTION = re.compile(
    rf"\b{_SUBJECT}\b[^\n]{{0,200}}(?:\n[^\n]{{0,80}})?(?:[\[(]y(?:es)?/n(?:o)?[\])]\s*[:?>]?|[:?>])\s*\Z",
    re.IGNORECASE,
)
_SENTENCES = re.compile(
    r"(?:Opening authentication page in your browser"
    r"|Invalid auth method"
    r"|Please set an auth method"
    r"|Waiting for (?:auth|authentication|login|sign-in)\b"
    r"|(?:Please )?(?:visit|open|go to) (?:the following |this )?(?:URL|link|page)[^\n]{0,80}(?:to )?(?:log|sign|authori[sz]e|authenticate)"
    r"|enter the (?:authorization|verification|device|one-time) code"
    r"|Press (?:Enter|any key) to open [^\n]{0,60}browser)"
    r"[^\n]{0,200}(?:\n\s*\S{0,300}){0,3}\s*\Z",
    re.IGNORECASE,
)
_TERMINAL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")


def login_prompt(tail: bytes) -> str | None:
    """The question that ends `tail` (the last bytes of a stream), or None."""
    text = _TERMINAL.sub(b"", tail[-TAIL_BYTES:]).decode("utf-8", "replace").replace("\r", "\n")
    for pattern in (_SENTENCES, _QUESTION):
        found = pattern.search(text)
        if found is not None:
            return found.group().strip()
    return None
