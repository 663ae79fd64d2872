"""Commands in a plan, taken apart without a shell: what each one needs to be there.

Pure. Nothing is ever run. A command that cannot be read without a shell's rules (substitutions, loops, variables) is
left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from msd_review.grounding.bare_commands import bare_commands
from msd_review.grounding.mentions import is_command
from msd_review.grounding.needs import Need, needs_of
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import code_spans, fenced_blocks, sentences
from msd_review.lazy import regex

_PROSE_WORDS = regex(
    r"(?<![-\w/.=])(?:the|that|is|are|it|sure|should|to|of|with|and|an?|on|for|all|passes|exits|succeeds|works)(?![-\w/.=:])",
    re.I,
)
_MAX_COMMANDS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a plan as written, and what it needs."""

    text: str
    line: int
    tag: str
    task: int | None
    needs: tuple[Need, ...]
    certain: bool = True  # False for a line of prose that may only look like a command
    negated: bool = False  # the sentence says that it is to be made, or is an example


def commands(plan: Plan) -> Iterator[Command]:
    """The commands in verification parts, in fenced shell blocks and in code spans; at most 2,000."""
    found = (command for segment in plan.segments for command in _in_segment(plan, segment))
    for count, command in enumerate(found):
        if count >= _MAX_COMMANDS:
            return
        yield command


def _in_segment(plan: Plan, segment: Segment) -> Iterator[Command]:
    text = plan.said(segment)
    if segment.tag == "automated":
        yield from _lines(plan, segment, text, 0)
        return
    if segment.tag == "verify":
        yield from (found for found in _lines(plan, segment, text, 0) if is_command(found.text))
    for start, end, info in fenced_blocks(text):
        if info.lower() in {"bash", "sh", "shell", "console", "zsh"}:
            yield from _lines(plan, segment, text[start:end], start)
        elif not info:
            yield from _prompted(plan, segment, text[start:end], start)
    yield from _spans(plan, segment, text)


def _spans(plan: Plan, segment: Segment, text: str) -> Iterator[Command]:
    for sentence in sentences(text):
        for span in code_spans(sentence.text):
            code = " ".join(span["code"].split())
            if is_command(code):
                line = plan.line_at(segment.start + sentence.start + span.start())
                made = _is_made(sentence.masked[: span.start()], sentence.masked[span.end() :])
                yield _command(code, segment, line, negated=made)
        if segment.tag in {"automated", "verify"}:
            continue
        for code, start, certain in bare_commands(sentence):
            made = _is_made(sentence.masked[:start], sentence.masked[start + len(code) :])
            found = _command(
                code, segment, plan.line_at(segment.start + sentence.start + start), negated=made
            )
            yield replace(found, certain=certain)


def _prompted(plan: Plan, segment: Segment, text: str, offset: int) -> Iterator[Command]:
    """The lines of a plain sample that a prompt marks as typed."""
    for match in re.finditer(r"^[ \t]*\$ (?P<command>[^\n]+)", text, re.M):
        yield _command(
            match["command"], segment, plan.line_at(segment.start + offset + match.start("command"))
        )


def _is_made(before: str, after: str) -> bool:
    made = r"\b(?:add|adds|create|creates|introduce|define|new|expose|provide|register|no|not|without|never|instead of|missing|replace|remove|e\.g\.|once (?:created|written|added|done|it exists))\b"
    return bool(
        re.search(made, before[-80:], re.I)
        or re.match(r"\s*(?:is|are|will be|\()?\s*(?:new|added|created|missing)\b", after, re.I)
    )


def _lines(plan: Plan, segment: Segment, text: str, offset: int) -> Iterator[Command]:
    joined = re.sub(r"\\\n", "  ", text)
    for match in re.finditer(r"[^\n]+", joined):
        line = match.group().strip().strip("`").removeprefix("$ ").strip()
        line = re.sub(r"^(?:[-*+]|\d+[.)])\s+`?", "", line).rstrip("`")
        if line and not line.startswith("#") and not _is_prose(line):
            at = plan.line_at(
                segment.start + offset + match.start() + len(match.group()) - len(match.group().lstrip())
            )
            yield _command(line, segment, at)


def _is_prose(line: str) -> bool:
    """Whether a line only starts like a command: "make sure that …", "go to the page", "`make test` passes"."""
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    return "`" in line or bool(_PROSE_WORDS.search(unquoted))


def _command(text: str, segment: Segment, line: int, *, negated: bool = False) -> Command:
    return Command(
        text=text[:400], line=line, tag=segment.tag, task=segment.task, needs=needs_of(text), negated=negated
    )
