"""Reads a plan the way plans are written: XML-like tags inside Markdown that never were well-formed, or task headings.

A plan becomes a row of segments, each with the tag that it stands in and the task that it belongs to. Tags count only
at the start of a line or right behind another tag, so that `<name>` in prose or code opens nothing. Code fences are
never trusted across a segment, so that one that is not closed hides nothing. Reading never fails.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msd_review.grounding.prose import fenced_blocks
from msd_review.lazy import regex
from msd_review.prompt.reading import front_matter

_NESTED = {
    "verify": {"automated", "human-check", "manual"},
    "verification": {"automated", "human-check", "manual"},
    "context": {"interfaces", "read_first", "files", "decisions"},
    "objective": set[str](),
}
_LEAVES = frozenset(
    ["objective", "context", "name", "title", "files", "read_first", "action", "behavior", "verify", "automated", "human-check",
     "manual", "done", "acceptance_criteria", "success_criteria", "verification", "threat_model", "output", "interfaces",
     "feature", "implementation", "how-to-verify", "what-built", "resume-signal", "precondition", "decisions", "decision",
     "constraints", "execution_context", "must_haves", "rationale", "notes"]
)  # fmt: skip
_TAGS = "|".join(sorted({*_LEAVES, "tasks", "task"}, key=len, reverse=True))
_TAG = regex(rf"<(?P<close>/)?(?P<tag>{_TAGS})(?P<attributes>\s[^<>\n]{{0,400}})?\s?>")
_ATTRIBUTE = regex(r"([\w-]{1,40})\s?=\s?[\"']([^\"'\n]{0,200})[\"']")
_TASK_HEADING = regex(
    r"^(?P<marks>#{2,5})[ \t]+(?:\*{1,2})?(?:\d{1,3}[.)][ \t]+)?(?P<name>(?:Task|Step)[ \t]+\d[^\n]{0,300})$",
    re.M | re.I,
)
_HEADING = regex(r"^(#{1,5})[ \t]+[^\n]+$", re.M)
_LABELS = {
    "files": "files", "file": "files", "read first": "read_first", "action": "action", "actions": "action", "steps": "action",
    "verify": "verify", "verification": "verify", "test": "verify", "tests": "verify", "done": "done", "done when": "done",
    "acceptance criteria": "acceptance_criteria", "acceptance": "acceptance_criteria", "success criteria": "acceptance_criteria",
    "definition of done": "done", "expected": "acceptance_criteria",
}  # fmt: skip
_LABEL = regex(rf"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?P<label>{'|'.join(sorted(_LABELS, key=len, reverse=True))})(?:\*\*|__)?[ \t]*:(?:\*\*|__)?", re.M | re.I)  # fmt: skip
_MAX_SEGMENTS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a plan: `tag` is "" outside all tags; `task` is its task's place in `Plan.tasks`, None outside."""

    tag: str
    start: int
    end: int
    task: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task: its name, the line of its opening (1-based), and its `type` attribute ("" where it has none)."""

    name: str
    line: int
    kind: str = ""
    tdd: bool = False


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One plan, read. `name` is its file's name, `path` relative to the root ("" for a text without a file).

    `sibling` is True for a plan that was read for what it makes and needs, not to be reviewed; `cut` is True where
    the text was shortened, so that what is missing from it means nothing.
    """

    name: str
    path: str
    text: str
    front: Mapping[str, Any] = field(default_factory=dict)
    front_end: int = 0
    segments: tuple[Segment, ...] = ()
    tasks: tuple[Task, ...] = ()
    sibling: bool = False
    cut: bool = False
    problem: str | None = None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line_at(self, offset: int) -> int:
        """The line (1-based) of a character."""
        return bisect_right(self._line_starts, offset)

    def front_line(self, key: str, value: str = "") -> int:
        """The line of a front matter key, or of a value below it; 1 where it cannot be told."""
        lines = self.text[: self.front_end].split("\n")
        at = next((n for n, line in enumerate(lines) if re.match(rf"\s*{re.escape(key)}\s*:", line)), None)
        if at is None:
            return 1
        return next((n + 1 for n in range(at, len(lines)) if value and value in lines[n]), at + 1)

    def within(self, *tags: str, task: int | None = None) -> Iterator[Segment]:
        """The segments with one of these tags, of one task or of all."""
        for segment in self.segments:
            if segment.tag in tags and (task is None or segment.task == task):
                yield segment

    def said(self, segment: Segment) -> str:
        """The text of a segment."""
        return self.text[segment.start : segment.end]


def read_plan(name: str, text: str, *, path: str = "", sibling: bool = False, cut: bool = False) -> Plan:
    """Takes a plan apart; a text without any of the known marks is one segment."""
    front, problem = front_matter(text)
    start = _front_end(text) if front else 0
    tasks, segments = (
        _tagged(text, start) if re.search(r"^[ \t]*<task[\s>]", text, re.M) else _headed(text, start)
    )
    return Plan(
        name=name,
        path=path,
        text=text,
        front=front,
        front_end=start,
        segments=tuple(segments[:_MAX_SEGMENTS]),
        tasks=tuple(tasks),
        sibling=sibling,
        cut=cut,
        problem=problem,
    )


def _front_end(text: str) -> int:
    found = re.match(r"\s*---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", text[: 70 * 1024], re.S | re.M)
    return found.end() if found else 0


@dataclass(slots=True)
class _Reader:
    text: str
    at: int
    stack: list[str] = field(default_factory=list)
    task: int | None = None
    tasks: list[Task] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)

    def cut(self, end: int, following: int) -> None:
        if end > self.at:
            tag = self.stack[-1] if self.stack and self.stack[-1] not in {"task", "tasks"} else ""
            self.segments.append(Segment(tag=tag, start=self.at, end=end, task=self.task))
        self.at = following

    def opened(self, tag: str, attributes: str, line: int) -> None:
        if tag in {"task", "tasks"}:
            self.stack = ["tasks"] if tag == "task" else []
            self.task = None
        elif self.stack and self.stack[-1] in _LEAVES and tag not in _NESTED.get(self.stack[-1], set()):
            self.stack.pop()
        self.stack.append(tag)
        if tag == "task":
            self.task = len(self.tasks)
            given = dict(_ATTRIBUTE.findall(attributes))
            kind, tdd = given.get("type", ""), given.get("tdd", "").lower() == "true"
            self.tasks.append(Task(name=given.get("name", ""), line=line, kind=kind, tdd=tdd))

    def closed(self, tag: str) -> None:
        if tag in self.stack:
            del self.stack[len(self.stack) - 1 - self.stack[::-1].index(tag) :]
        if tag in {"task", "tasks"}:
            self.task = None


def _tagged(text: str, start: int) -> tuple[list[Task], list[Segment]]:
    reader = _Reader(text, start)
    line, counted = 1, 0
    for match in _TAG.finditer(text, start):
        closing = bool(match["close"])
        if (
            closing
            and match["tag"] not in reader.stack
            or not closing
            and not _structural(text, match.start())
        ):
            continue
        line += text.count("\n", counted, match.start())
        counted = match.start()
        reader.cut(match.start(), match.end())
        if closing:
            reader.closed(match["tag"])
        else:
            reader.opened(match["tag"], match["attributes"] or "", line)
    reader.cut(len(text), len(text))
    return _named(text, reader.tasks, reader.segments), reader.segments


def _structural(text: str, at: int) -> bool:
    before = text[max(text.rfind("\n", 0, at) + 1, at - 400) : at]
    return not _TAG.sub("", before).strip()


def _named(text: str, tasks: list[Task], segments: list[Segment]) -> list[Task]:
    names: dict[int, str] = {}
    for segment in segments:
        if segment.tag in {"name", "title"} and segment.task is not None:
            names.setdefault(segment.task, " ".join(text[segment.start : segment.end].split())[:200])
    return [
        Task(
            name=names.get(at) or task.name or f"Task {at + 1}", line=task.line, kind=task.kind, tdd=task.tdd
        )
        for at, task in enumerate(tasks)
    ]


def _headed(text: str, start: int) -> tuple[list[Task], list[Segment]]:
    """A plan whose tasks are headings: `### Task 2: …` up to the next heading of its level or above."""
    heads = list(_TASK_HEADING.finditer(text, start))
    tasks: list[Task] = []
    segments: list[Segment] = []
    at = start
    for number, head in enumerate(heads):
        if head.start() < at:
            continue
        segments += _plain_segments(text, at, head.start(), None)
        end = _section_end(text, head)
        segments += _plain_segments(text, head.end(), end, number)
        tasks.append(Task(name=head["name"].strip(" *:")[:200], line=text.count("\n", 0, head.start()) + 1))
        at = end
    return tasks, [*segments, *_plain_segments(text, at, len(text), None)]


def _section_end(text: str, head: re.Match[str]) -> int:
    closed = [(start, end) for start, end, _ in fenced_blocks(text) if end < len(text)]
    for other in _HEADING.finditer(text, head.end()):
        sample = any(start <= other.start() < end for start, end in closed)
        if len(other[1]) <= len(head["marks"]) and not sample:
            return other.start()
    return len(text)


def _plain_segments(text: str, start: int, end: int, task: int | None) -> list[Segment]:
    """Segments of a stretch without task tags: other tags and bold labels still tell what a part is."""
    reader = _Reader(text, start, task=task)
    marks = sorted(
        [*_TAG.finditer(text, start, end), *(_LABEL.finditer(text, start, end) if task is not None else ())],
        key=lambda match: match.start(),
    )
    for match in marks:
        if "label" in match.re.groupindex:
            reader.cut(match.start(), match.end())
            reader.stack = [_LABELS[match["label"].lower()]]
        elif match["close"] or _structural(text, match.start()):
            reader.cut(match.start(), match.end())
            if match["close"]:
                reader.closed(match["tag"])
            elif match["tag"] not in {"task", "tasks"}:
                reader.opened(match["tag"], "", 0)
        reader.task = task
    reader.cut(end, end)
    return reader.segments
