"""Finds the phases of a planning folder, in every shape in which projects keep them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msd_review.lazy import regex

PLANNING = ".planning"
_FOLDER = regex(r"(?:phase[-_ ]?)?(\d+(?:\.\d+)*[a-z]?)(?:[-_ ](.*))?", re.IGNORECASE)
_MILESTONE = regex(r"(v?\d[\w.]*)[-_]phases", re.IGNORECASE)
_PLAN_NAME = regex(r"(?:.*[-_.])?PLAN\.md|PLAN[-_]\d.*\.md", re.IGNORECASE)
_NOT_A_PLAN = regex(r"[-_.](?:REVIEWS?|SUMMARY)\.md$", re.IGNORECASE)
_MAX_ENTRIES = 10_000
_BACKGROUND = {"context": "CONTEXT.md", "research": "RESEARCH.md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseFolder:
    """One phase on disk.

    `number` is as written in the folder's name ("3", "04.1", "08b"), "" for a folder named by slug alone;
    `milestone` is "v1.2" for a phase that was moved to a closed milestone, else None.
    """

    number: str
    slug: str
    folder: Path
    milestone: str | None
    plans: tuple[Path, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two spellings of one number: "3" and "03", "4.1" and "04.01"."""
        return phase_key(self.number)


def phase_key(number: str) -> tuple[object, ...]:
    """A phase number without zero padding: `phase_key("04.1") == (4, 1, "")`."""
    digits = number.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    letter = number[len(digits) :].lower()
    return (*(int(part[:9]) for part in digits.split(".") if part), letter)


def list_phases(root: Path) -> tuple[PhaseFolder, ...]:
    """Every phase below `.planning/`, active ones first, in natural order. Reads folder listings alone."""
    planning = root / PLANNING
    active = [*_phases_in(planning / "phases", None), *_loose_phases(planning)]
    closed = [
        phase
        for folder in subfolders(planning / "milestones")
        if (match := _MILESTONE.fullmatch(folder.name))
        for phase in _phases_in(folder, match.group(1))
    ]
    return tuple(active + closed)


def plan_files(folder: Path) -> tuple[Path, ...]:
    """The plan files directly inside a folder, in natural order of their names."""
    names = [p for p in entries(folder) if _PLAN_NAME.fullmatch(p.name) and not _NOT_A_PLAN.search(p.name)]
    return tuple(path for path in names if not _is_folder(path))


def background_files(folder: Path, kind: str) -> tuple[Path, ...]:
    """The phase's own CONTEXT ("context") or RESEARCH ("research") files."""
    suffix = _BACKGROUND[kind].lower()
    found = [path for path in entries(folder) if re.split(r"[-_]", path.name.lower())[-1] == suffix]
    return tuple(path for path in found if not _is_folder(path))


def is_executed(phase: PhaseFolder) -> bool:
    """Whether every plan of the phase has a SUMMARY beside it: the work is done."""
    names = {path.name.upper() for path in entries(phase.folder)}
    return all(re.sub(r"PLAN\.MD$", "SUMMARY.MD", plan.name.upper()) in names for plan in phase.plans)


def has_newer_review(phase: PhaseFolder) -> bool:
    """Whether a REVIEWS file of the phase is at least as new as its newest plan."""
    reviews = [path for path in entries(phase.folder) if re.search(r"REVIEWS\.(md|json)$", path.name, re.I)]
    newest_review = max(_times(reviews), default=-1)
    return newest_review >= max(_times(phase.plans), default=0)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key by which `2-PLAN` comes before `10-PLAN`."""
    pieces = re.split(r"(\d+)", name.lower())
    return tuple((0, int(p[:18]), "") if p.isdigit() else (1, 0, p) for p in pieces if p)


def entries(folder: Path) -> list[Path]:
    """What lies directly in a folder, in natural order; [] where it cannot be listed; at most 10,000."""
    try:
        listed = [path for path, _ in zip(folder.iterdir(), range(_MAX_ENTRIES), strict=False)]
    except OSError:
        return []
    return sorted(listed, key=lambda path: natural(path.name))


def subfolders(folder: Path) -> list[Path]:
    """The folders directly inside a folder, hidden ones left out."""
    return [path for path in entries(folder) if not path.name.startswith(".") and _is_folder(path)]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _phases_in(folder: Path, milestone: str | None) -> Iterator[PhaseFolder]:
    for path in subfolders(folder):
        match = _FOLDER.fullmatch(path.name)
        number, slug = (match.group(1), match.group(2) or "") if match else ("", path.name)
        yield PhaseFolder(number=number, slug=slug, folder=path, milestone=milestone, plans=plan_files(path))


def _loose_phases(planning: Path) -> Iterator[PhaseFolder]:
    for phase in _phases_in(planning, None):
        if phase.number and phase.folder.name.lower().startswith("phase"):
            yield phase


def _times(paths: Iterable[Path]) -> Iterator[int]:
    for path in paths:
        try:
            yield path.stat().st_mtime_ns
        except OSError:
            continue
