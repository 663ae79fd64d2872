"""Small pieces of text that every report writes: one-line escapes, counts, durations, anchors.

Invariant: what `inline` and `fenced` return can hold a reviewer's, a tool's or a manifest's words, and opens no
heading, link, image, HTML element or list of its own.
"""

import re
from typing import Any

from msd_review.lazy import regex
from msd_review.review.clean import clean_text

_CODE_SPAN = regex(r"(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_SPECIAL = regex(r"[\\`*\[\]<>~|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|!(?=\[)")
_LINE_START = regex(r"^(?:[#+=-]|\d+(?=[.)]))")
_SLUG_DROPS = regex(r"[^\w\- ]")
_BACKTICKS = regex(r"`+")


def visible(text: str) -> str:
    """`text` without control, invisible and direction-changing characters; plain ASCII is let through at once."""
    return text if text.isascii() and text.isprintable() else clean_text(text)


def one_line(text: str, limit: int = 500) -> str:
    """`text` cleaned, on one line, at most `limit` characters."""
    line = " ".join(visible(text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def inline(text: str, limit: int = 500) -> str:
    """`text` as Markdown that shows exactly it, on one line; its code spans stay code spans."""
    line = one_line(text, limit)
    pieces: list[str] = []
    done = 0
    for match in _CODE_SPAN.finditer(line):
        pieces += (_escaped(line[done : match.start()]), match.group())
        done = match.end()
    pieces.append(_escaped(line[done:]))
    return _LINE_START.sub(
        lambda match: f"\\{match.group()}" if not match.group()[0].isdigit() else match.group(),
        "".join(pieces),
    )


def code(text: str) -> str:
    """`text` as a code span, whatever it holds; an em dash where there is nothing."""
    line = one_line(text)
    if not line:
        return "—"
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(line)), default=0))
    return f"{fence} {line} {fence}" if len(fence) > 1 or line.startswith("`") else f"`{line}`"


def fenced(lines: list[str]) -> str:
    """Lines as a code block that they cannot leave; one space in front, so that none begins at the margin."""
    cleaned = [piece for line in lines for piece in visible(line).split("\n")]
    longest = max((len(run) for line in cleaned for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f" {fence}text", *(f" {line}".rstrip() for line in cleaned), f" {fence}"])


def slug(heading: str) -> str:
    """The anchor that Markdown viewers give a heading: `slug("llama.cpp Review") == "llamacpp-review"`."""
    plain = re.sub(r"\\(.)", r"\1", heading).replace("`", "")
    return _SLUG_DROPS.sub("", plain.strip().lower()).replace(" ", "-")


def count(number: int, singular: str, plural: str | None = None) -> str:
    """`count(1, "concern") == "1 concern"`, `count(0, "concern") == "no concerns"`."""
    if number == 1:
        return f"1 {singular}"
    return f"{number or 'no'} {plural or singular + 's'}"


def joined(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def duration(milliseconds: int) -> str:
    """`0.4 s`, `42 s`, `3 min 5 s`, `1 h 2 min`."""
    if milliseconds < 10_000:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if not minutes:
        return f"{seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def phase_label(phase: str) -> str:
    """A phase number without zero padding in front: `phase_label("03") == "3"`."""
    return phase.lstrip("0") if re.match(r"0+\d", phase) else phase


def encodable(value: Any) -> Any:
    """A JSON value whose strings UTF-8 can hold: lone surrogates, as odd file names have them, become `?`."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [encodable(item) for item in value]
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return value


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match.group(), text)
