"""The prompts of the kit: a size, markers at the beginning, the middle and the end, and nothing secret or private.

The markers are made of words and differ in every run, so that no tool can know them and no guard against secrets
takes them for one.
"""

import secrets
from typing import NamedTuple

_WORDS = (
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "kestrel", "lantern",
    "meadow", "nickel", "orchid", "pepper", "quartz", "raven", "saffron", "tundra", "umber", "violet", "willow", "yarrow",
)  # fmt: skip
_ASK = (
    "This is a conformance check, not a real plan. Do not change any file and do not run any command.\n"
    "Answer in Markdown with the headings Summary, Strengths, Concerns, Suggestions and Risk.\n"
    "In the Summary, quote every code of this text that begins with MSD- and three words, each on a line of its own.\n"
)
# Scripts of both directions, wide and combining characters, emoji of several code points, what looks like markup,
# what a shell or a terminal would obey, and every kind of line end. No NUL: no argument can hold one.
UNICODE_SAMPLE = (
    "中文 日本語 한국어 العربية עברית ไทย हिन्दी\n"
    "e\u0301 a\u0308\u0304 Z\u0351\u0352\u0353 \U0001f469\u200d\U0001f4bb \U0001f1ef\U0001f1f5 \U0001f9d1\U0001f3fd\u200d\U0001f680 \U00010348\n"
    "zero\u200bwidth no\u00a0break \ufeff in the middle, \u202eturned\u202c, \u2028line\u2029paragraph\u0085next\n"
    "tab\tbell\x07 backspace\x08 escape\x1b[31mred\x1b[0m vertical\x0b form\x0c unit\x1f delete\x7f\n"
    "CRLF\r\nCR\rLF\n\r\n"
    "$HOME `id` $(id) %PATH% !history \\ \\n ' \" '' \"\" ; | & > < * ? [a] {b} ~ # -n --help {{prompt}} {{model}} {0} %s\n"
)


class Markers(NamedTuple):
    """The three codes of one prompt; each stands in it once."""

    beginning: str
    middle: str
    end: str

    def missing_from(self, text: str) -> list[str]:
        """The names of those that `text` does not hold."""
        return [name for name, code in zip(self._fields, self, strict=True) if code not in text]


class MarkedPrompt(NamedTuple):
    """A prompt and the markers in it."""

    text: str
    markers: Markers


def code(what: str) -> str:
    """A fresh code that can be told from every other: `MSD-CANARY-amber-fjord-tundra`."""
    return "-".join(("MSD", what.upper(), *(secrets.choice(_WORDS) for _ in range(3))))


def marked_prompt(size: int, *, middle: str = "") -> MarkedPrompt:
    """A prompt of `size` bytes of UTF-8 (and a few more where `middle` or the frame needs them)."""
    markers = Markers(code("beginning"), code("middle"), code("end"))
    first = f"{_ASK}{markers.beginning}\n"
    last = f"\nThe last line of this text is the code {markers.end}\n"
    between = f"\n{middle}\n{markers.middle}\n"
    room = max(0, size - len((first + last + between).encode()))
    half = room // 2
    return MarkedPrompt(first + _filler(half) + between + _filler(room - half) + last, markers)


def _filler(size: int) -> str:
    line = "Task {:06d}: move the parser behind the reader, and verify it with the tests that are there.\n"
    text = "".join(line.format(number) for number in range(size // 80 + 1))
    return text[:size]


def asking(what: str) -> str:
    """A short prompt that asks for something else than a review, with an end that can be recognised."""
    return f"{_ASK}{what}\n"
