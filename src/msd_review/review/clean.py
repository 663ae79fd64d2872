"""Reviewer text as it may be shown and read: no terminal, control, bidirectional or invisible characters.

Invariants: the result holds no control character but newline and tab, no bidirectional override, no
byte-order mark, no leading reasoning block; lines end in a single newline; cleaning twice changes
nothing. Work is linear in the length of the input, whatever it holds.
"""

import re

from msd_review.lazy import regex

_TERMINAL_SEQUENCE = regex(
    "(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC, with or without its end
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"  # DCS, SOS, PM, APC
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    "|\x1b[ -/]*[0-~]"
)
_LINE_END = regex("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = regex(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Joiners stay where they join something: emoji, and scripts that need them.
_JOINERS = regex("(?P<before>[^\x00-\x7f\u200c\u200d])?(?P<run>[\u200c\u200d]+)(?=(?P<after>[^\x00-\x7f])?)")
_LONE_SURROGATE = regex("[\ud800-\udfff]")

_TAG_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|inner_monologue|seed:think"
_OPENING = regex(
    rf"\s*(?:<(?P<tag>{_TAG_NAMES})(?: [^<>\n]{{0,200}})?>|\[(?P<square>THINK)\]|◁(?P<mark>think)▷"
    r"|<\|(?P<bar>begin_of_thought|thinking)\|>|(?P<harmony><\|channel\|>analysis<\|message\|>))",
    re.IGNORECASE,
)
_STRAY_CLOSING = regex(rf"\s*(?:</(?:{_TAG_NAMES})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>)", re.IGNORECASE)
_CLOSING_ON_ITS_OWN_LINE = regex(rf"^[ \t]*</(?:{_TAG_NAMES})>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_FINAL_CHANNEL = regex(r"<\|channel\|>final<\|message\|>", re.IGNORECASE)
_HEADING = regex(r"^#{1,6} \S", re.MULTILINE)
_MOST_BLOCKS = 64


def clean_text(raw: bytes | str) -> str:
    """The text that may be read and shown.

    Bytes are read as UTF-8 (UTF-16 with its mark) and what does not decode becomes U+FFFD. A reasoning
    block counts only at the start of the text; one that never ends gives way to the first heading.
    """
    text = _decode(raw) if isinstance(raw, bytes) else _LONE_SURROGATE.sub("\ufffd", raw)
    text = _LINE_END.sub("\n", _TERMINAL_SEQUENCE.sub("", text))
    text = _JOINERS.sub(_keep_a_joiner, _INVISIBLE.sub("", text))
    return _trim(_without_reasoning(text))


def _decode(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _LONE_SURROGATE.sub("\ufffd", raw.decode("utf-16", errors="replace"))
    return raw.decode("utf-8", errors="replace")


def _keep_a_joiner(found: re.Match[str]) -> str:
    before = found["before"] or ""
    return before + found["run"][0] if before and found["after"] else before


def _trim(text: str) -> str:
    text = re.sub(r"\A(?:[ \t]*\n)+", "", text)
    return text.rstrip()


def _without_reasoning(text: str) -> str:
    for _ in range(_MOST_BLOCKS):
        start = _after_leading_block(text)
        if start is None:
            return text
        text = text[start:]
    return text


def _after_leading_block(text: str) -> int | None:
    """Where the text goes on behind one leading reasoning block; None when there is none."""
    opening = _OPENING.match(text)
    if opening:
        return _end_of_block(text, opening)
    stray = _STRAY_CLOSING.match(text)
    if stray:
        return stray.end()
    heading = _HEADING.search(text)
    closing = _CLOSING_ON_ITS_OWN_LINE.search(text, 0, heading.start() if heading else len(text))
    return closing.end() if closing and text[closing.end() :].strip() else None


def _end_of_block(text: str, opening: re.Match[str]) -> int:
    closing = _closing_of(opening).search(text, opening.end())
    if closing:
        return closing.end()
    heading = _HEADING.search(text, opening.end())
    return heading.start() if heading else len(text)


def _closing_of(opening: re.Match[str]) -> re.Pattern[str]:
    if opening["harmony"]:
        return _FINAL_CHANNEL
    if opening["tag"]:
        return re.compile(rf"</{re.escape(opening['tag'])}>", re.IGNORECASE)
    if opening["square"]:
        return re.compile(r"\[/THINK\]", re.IGNORECASE)
    if opening["mark"]:
        return re.compile("◁/think▷", re.IGNORECASE)
    return re.compile(r"<\|(?:end_of_thought|/thinking)\|>", re.IGNORECASE)
