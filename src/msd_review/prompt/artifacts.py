"""Finds what a review is about: a phase of `.planning/`, named plan files, or the one plan that is obvious."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.errors import InputError
from msd_review.lazy import regex
from msd_review.prompt import requirements
from msd_review.prompt.model import PlanFile, ReviewSubject
from msd_review.prompt.phases import (
    PLANNING,
    PhaseFolder,
    background_files,
    entries,
    has_newer_review,
    is_executed,
    list_phases,
    phase_key,
    plan_files,
)
from msd_review.prompt.reading import display_name, front_matter, read_document
from msd_review.prompt.roadmap import RoadmapPhase, find_section

__all__ = ["PhaseFolder", "find_phase", "list_phases", "obvious_subject", "subject_from_plans"]

_NUMBER = regex(r"\d+(?:\.\d+)*[a-zA-Z]?")
_MAX_LISTED = 20
_MAX_PLANS_CHARACTERS = 32 * 2**20


@dataclass(slots=True)
class _Reader:
    """Reads background documents: what cannot be used is left out and remembered, never fatal."""

    root: Path
    warnings: list[str] = field(default_factory=list)

    def document(self, path: Path) -> str:
        if not path.is_symlink() and not path.exists():
            return ""
        try:
            text, warnings = read_document(self.root, path)
        except InputError as problem:
            self.warnings.append(f"{problem.message}; the review goes on without it")
            return ""
        self.warnings += warnings
        return text

    def documents(self, paths: Iterable[Path]) -> str:
        return "\n\n".join(text for path in paths if (text := self.document(path)))

    def plans(self, paths: Iterable[Path]) -> tuple[PlanFile, ...]:
        plans: list[PlanFile] = []
        size = 0
        for path in paths:
            plans.append(self.plan(path))
            size += len(plans[-1].text)
            if size > _MAX_PLANS_CHARACTERS:
                raise InputError(
                    f"the plans are larger than {_MAX_PLANS_CHARACTERS // 2**20} MiB together",
                    hint="name some of them",
                )
        return tuple(plans)

    def plan(self, path: Path) -> PlanFile:
        text, warnings = read_document(self.root, path)
        name = display_name(self.root, path)
        if not text.strip():
            raise InputError(f"{name} is empty", hint="write the plan first, or name another one")
        front, problem = front_matter(text)
        self.warnings += warnings if problem is None else (*warnings, f"{name}: {problem}")
        return PlanFile(path=path, name=name, text=text, front=front)


def find_phase(root: Path, number: str) -> ReviewSubject:
    """The phase that a person names: a number ("3", "03", "4.1", "08b"), a folder's name or slug, or
    `v1.2/3` for a phase of a closed milestone.

    Of equal numbers an active phase wins over closed ones. Raises InputError: unknown, ambiguous, without
    plans, or a plan that cannot be read.
    """
    root = root.absolute()
    phases = list_phases(root)
    return _phase_subject(root, _chosen(root, phases, number.strip()))


def subject_from_plans(root: Path, paths: Sequence[Path]) -> ReviewSubject:
    """Plan files that a person names, with the background of the phase whose folder they lie in, if any.

    Relative paths are taken from the current folder. Raises InputError for a path that is no usable plan.
    """
    root = root.absolute()
    reader = _Reader(root)
    unique = tuple(dict.fromkeys(_inside(root, path) for path in paths))
    if not unique:
        raise InputError("no plan file was named")
    plans = reader.plans(unique)
    folders = {plan.path.parent for plan in plans}
    home = next((phase for phase in list_phases(root) if {phase.folder} == folders), None)
    title = ", ".join(plan.path.name for plan in plans)
    return _subject(reader, home, plans, title)


def obvious_subject(root: Path) -> ReviewSubject:
    """The one phase with plans and no newer review, else the one bare plan.

    Raises InputError that lists the candidates where there are several, or says that there is none.
    """
    root = root.absolute()
    planned = [phase for phase in list_phases(root) if phase.plans and phase.milestone is None]
    waiting = [phase for phase in planned if not has_newer_review(phase)]
    unbuilt = [phase for phase in waiting if not is_executed(phase)]
    # A phase that is done is obvious only where no other is under way: its plan is history.
    under_way = any(not is_executed(phase) for phase in planned)
    bare = (*plan_files(root), *plan_files(root / PLANNING))
    for candidates in (unbuilt, [] if under_way else waiting):
        if len(candidates) == 1 and not bare:
            return _phase_subject(root, candidates[0])
    if not waiting and len(bare) == 1:
        return subject_from_plans(root, bare)
    raise _not_obvious(root, planned, waiting, bare)


def _not_obvious(
    root: Path, planned: Sequence[PhaseFolder], waiting: Sequence[PhaseFolder], bare: Sequence[Path]
) -> InputError:
    shown = [f"--phase {_spelt(phase)} ({display_name(root, phase.folder)})" for phase in waiting]
    shown += [display_name(root, path) for path in bare]
    if shown:
        return InputError(f"several plans could be meant: {_listing(shown)}", hint="name one of them")
    if planned:
        reviewed = [f"--phase {_spelt(phase)} ({display_name(root, phase.folder)})" for phase in planned]
        return InputError(
            f"every plan has a review that is newer: {_listing(reviewed)}", hint="name one to review it again"
        )
    return InputError(
        f"no plan was found in {root}",
        hint="name a plan file, or run in a project that has PLAN.md or .planning/phases/",
    )


def _chosen(root: Path, phases: Sequence[PhaseFolder], asked: str) -> PhaseFolder:
    found = _matching(phases, asked)
    active = [phase for phase in found if phase.milestone is None]
    found = active or found
    if not found:
        known = _listing([_spelt(phase) for phase in phases if phase.milestone is None or not active])
        raise InputError(
            f"there is no phase {asked!r} in {PLANNING}/", hint=f"known phases: {known}" if phases else None
        )
    with_plans = [phase for phase in found if phase.plans]
    if len(with_plans) > 1:
        names = _listing([display_name(root, phase.folder) for phase in with_plans])
        raise InputError(
            f"phase {asked!r} is ambiguous: {names}", hint=f"say --phase {_spelt(with_plans[0])}"
        )
    if not with_plans:
        names = _listing([display_name(root, phase.folder) for phase in found])
        raise InputError(f"phase {asked!r} has no plans: {names}")
    return with_plans[0]


def _matching(phases: Sequence[PhaseFolder], asked: str) -> list[PhaseFolder]:
    """By number first, then by folder name, then by slug; `milestone/…` narrows to that milestone."""
    milestone, _, rest = asked.strip("/").rpartition("/")
    pool = [phase for phase in phases if not milestone or _belongs(phase, milestone)]
    if _NUMBER.fullmatch(rest):
        by_number = [phase for phase in pool if phase.number and phase.key == phase_key(rest)]
        if by_number:
            return by_number
    wanted = rest.lower()
    if not wanted:
        return []
    by_name = [phase for phase in pool if phase.folder.name.lower() == wanted]
    return by_name or [phase for phase in pool if phase.slug.lower() == wanted]


def _belongs(phase: PhaseFolder, milestone: str) -> bool:
    wanted = milestone.rsplit("/", 1)[-1].lower().removesuffix("-phases").removeprefix("v")
    if phase.milestone is None:
        return wanted in {"phases", PLANNING}
    return phase.milestone.lower().removeprefix("v") == wanted


def _spelt(phase: PhaseFolder) -> str:
    """What to say after --phase so that exactly this phase is meant."""
    return f"{phase.milestone}/{phase.folder.name}" if phase.milestone else phase.number or phase.folder.name


def _phase_subject(root: Path, phase: PhaseFolder) -> ReviewSubject:
    reader = _Reader(root)
    plans = reader.plans(phase.plans)
    title = phase.slug.replace("-", " ").replace("_", " ").strip() or phase.folder.name
    return _subject(reader, phase, plans, title, numbered=True)


def _subject(
    reader: _Reader,
    phase: PhaseFolder | None,
    plans: tuple[PlanFile, ...],
    title: str,
    *,
    numbered: bool = False,
) -> ReviewSubject:
    roadmap = _roadmap(reader, phase) if phase else None
    ids, entries_text = _requirements(reader, phase, roadmap, plans)
    return ReviewSubject(
        root=reader.root,
        phase=(phase.number or phase.folder.name) if phase and numbered else None,
        phase_folder=phase.folder if phase and numbered else None,
        title=roadmap.title if roadmap and roadmap.title and numbered else title,
        plans=plans,
        project=reader.document(reader.root / PLANNING / "PROJECT.md"),
        roadmap_section=roadmap.text if roadmap else "",
        requirements=entries_text,
        requirement_ids=ids,
        context=reader.documents(background_files(phase.folder, "context")) if phase else "",
        research=reader.documents(background_files(phase.folder, "research")) if phase else "",
        warnings=tuple(reader.warnings),
    )


def _roadmap(reader: _Reader, phase: PhaseFolder) -> RoadmapPhase | None:
    planning = reader.root / PLANNING
    for path in _milestone_first(planning, phase, "ROADMAP.md"):
        text = reader.document(path)
        section = find_section(text, phase.number, phase.slug) if phase.number else None
        if section:
            return section
        if text:
            reader.warnings.append(f"{display_name(reader.root, path)} has no section for this phase")
            return None
    return None


def _requirements(
    reader: _Reader, phase: PhaseFolder | None, roadmap: RoadmapPhase | None, plans: Sequence[PlanFile]
) -> tuple[tuple[str, ...], str]:
    """The requirements of the phase and of its plans; of the plans alone where others of the phase are left out."""
    document = _requirements_document(reader, phase)
    defined = requirements.defined_entries(document)
    named: list[str] = []
    if phase and phase.number and set(phase.plans) <= {plan.path for plan in plans}:
        named += requirements.ids_of_phase(roadmap.text if roadmap else "", document, phase.number)
    for plan in plans:
        named += requirements.ids_of_front(plan.front, defined)
    ids = tuple(dict.fromkeys(named))
    if ids and not document:
        reader.warnings.append("requirements are named, and there is no REQUIREMENTS.md")
        return ids, ""
    return ids, requirements.entry_lines(ids, defined)


def _requirements_document(reader: _Reader, phase: PhaseFolder | None) -> str:
    planning = reader.root / PLANNING
    candidates = _milestone_first(planning, phase, "REQUIREMENTS.md")
    archived = [
        path for path in reversed(entries(planning / "milestones")) if path.name.endswith("-REQUIREMENTS.md")
    ]
    return next((text for path in (*candidates, *archived) if (text := reader.document(path))), "")


def _milestone_first(planning: Path, phase: PhaseFolder | None, name: str) -> list[Path]:
    own = [planning / "milestones" / f"{phase.milestone}-{name}"] if phase and phase.milestone else []
    return [*own, planning / name]


def _inside(root: Path, path: Path) -> Path:
    """An absolute path without `..`, below `root` where it lies there by any spelling of the folders above it.

    The last part is not followed, so that a link is judged where it lies.
    """
    absolute = Path(*_collapsed(path.absolute().parts))
    if absolute.is_relative_to(root):
        return absolute
    try:
        return root / (absolute.parent.resolve() / absolute.name).relative_to(root.resolve())
    except (ValueError, OSError, RuntimeError):
        return absolute


def _collapsed(parts: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == ".." and len(kept) > 1:
            kept.pop()
        else:
            kept.append(part)
    return kept


def _listing(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more
