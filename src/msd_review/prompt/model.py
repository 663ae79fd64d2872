"""The parts of a prompt: what was found on disk, and what is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

SectionKind = Literal[
    "instructions", "project", "roadmap", "requirements", "context", "research", "plan", "change"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """One plan, decoded, with `\\n` line ends.

    `front` is its front matter, {} where it has none or it is broken; its numbers and dates stay text as
    written ("04.10", "2A"), so only strings, booleans, None, lists and mappings occur in it.
    """

    path: Path  # absolute
    name: str  # relative to the project root, with forward slashes
    text: str
    front: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSubject:
    """Everything a plan review is about: a phase of `.planning/`, or bare plan files.

    `phase` is the number as written in the folder's name ("3", "04.1", "08b"), None for bare plans.
    The texts are whole ("" where the file is missing); `warnings` say what was odd on the way.
    """

    root: Path
    phase: str | None
    phase_folder: Path | None
    title: str
    plans: tuple[PlanFile, ...]
    project: str = ""
    roadmap_section: str = ""
    requirements: str = ""  # the entries that the phase names, one a line
    requirement_ids: tuple[str, ...] = ()
    context: str = ""
    research: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a prompt and what became of it; `path` is relative to the root ("" where it is no file)."""

    kind: SectionKind
    name: str  # "PROJECT.md", "03-01-PLAN.md", "Review instructions"
    text: str
    tokens: int
    kept: Literal["whole", "shrunk", "dropped"] = "whole"
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt ready to send. `tokens` estimates the whole text; `budget` is None where there is no limit."""

    text: str
    sections: tuple[Section, ...]
    tokens: int
    budget: int | None
    trimmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetTooSmall:
    """The parts that never give way do not fit the budget."""

    tokens: int
    budget: int
    detail: str
