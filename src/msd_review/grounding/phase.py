"""What lies around the reviewed plans on disk: the other plans of their phase, the requirements, what was carried out.

Reads planning documents alone, bounded and inside the root. What cannot be read is named in `gaps`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.errors import InputError
from msd_review.grounding.numbers import PlanNumber, number_of, plain, read_number
from msd_review.grounding.paths import base_name
from msd_review.grounding.plan import Plan, read_plan
from msd_review.grounding.requirements import Requirements
from msd_review.prompt.phases import PLANNING, PhaseFolder, entries, list_phases
from msd_review.prompt.reading import read_document
from msd_review.prompt.requirements import defined_entries, ids_of_phase
from msd_review.prompt.roadmap import find_section

_MAX_SIBLINGS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The reviewed plans and their siblings in order, and what is known about the phase."""

    plans: tuple[Plan, ...]
    known: frozenset[PlanNumber] = frozenset()
    phases: frozenset[str] = frozenset()
    requirements: Requirements = Requirements()
    carried_out: frozenset[str] = frozenset()
    gaps: tuple[str, ...] = ()


def surroundings(root: Path, plans: Sequence[Plan]) -> Surroundings:
    """Finds the phase of the plans on disk and reads what belongs to it."""
    phases = list_phases(root)
    home = _home(phases, plans)
    gaps: list[str] = []
    if home is None:
        gaps.append(
            "the plans' phase was not found in `.planning/`: other plans and the phase's requirements are not known"
        )
        return Surroundings(plans=tuple(plans), known=_known(phases), phases=_numbers(phases), gaps=tuple(gaps),
                            requirements=_requirements(root, None, all_plans=False))  # fmt: skip
    together = _with_siblings(root, home, [_placed(root, home, plan) for plan in plans], gaps)
    return Surroundings(
        plans=together,
        known=_known(phases),
        phases=_numbers(phases),
        requirements=_requirements(root, home, all_plans=not any(plan.cut for plan in together)),
        carried_out=frozenset(_carried_out(home, together)),
        gaps=tuple(gaps),
    )


def _numbers(phases: Sequence[PhaseFolder]) -> frozenset[str]:
    return frozenset(plain(phase.number) for phase in phases if phase.plans)


def _known(phases: Sequence[PhaseFolder]) -> frozenset[PlanNumber]:
    found: set[PlanNumber] = set()
    for phase in phases:
        for path in phase.plans:
            number = read_number(re.sub(r"[-_]?PLAN\.md$", "", path.name, flags=re.I))
            if number is not None:
                found.add(PlanNumber(number.phase or plain(phase.number), number.plan))
    return frozenset(found)


def _home(phases: Sequence[PhaseFolder], plans: Sequence[Plan]) -> PhaseFolder | None:
    """The folder that holds a reviewed plan, else the active phase of its number that has a plan of its number."""
    for plan in plans:
        for phase in phases:
            if plan.path and phase.folder.as_posix().endswith("/" + plan.path.rpartition("/")[0]):
                return phase
    for plan in plans:
        number = number_of(plan)
        for phase in phases:
            if not plan.path and number and plain(phase.number) == number.phase and phase.milestone is None:
                return phase
    return None


def _placed(root: Path, home: PhaseFolder, plan: Plan) -> Plan:
    """A plan that came without a file's name, under the name of the file on disk that bears its number."""
    number = number_of(plan)
    if plan.path or number is None:
        return plan
    for path in home.plans:
        found = read_number(re.sub(r"[-_]?PLAN\.md$", "", path.name, flags=re.I))
        if found is not None and found.plan == number.plan and found.phase in {"", number.phase}:
            return replace(plan, name=path.name, path=path.relative_to(root).as_posix())
    return plan


def _with_siblings(root: Path, home: PhaseFolder, plans: Sequence[Plan], gaps: list[str]) -> tuple[Plan, ...]:
    names = {plan.name for plan in plans}
    numbers = {number_of(plan) for plan in plans} - {None}
    found = list(plans)
    for path in home.plans[:_MAX_SIBLINGS]:
        if path.name in names:
            continue
        try:
            text, _ = read_document(root, path)
        except InputError as problem:
            gaps.append(problem.message)
            continue
        sibling = read_plan(path.name, text, path=path.relative_to(root).as_posix(), sibling=True)
        if number_of(sibling) not in numbers:
            found.append(sibling)
    order = {path.name: at for at, path in enumerate(home.plans)}
    return tuple(sorted(found, key=lambda plan: _position(plan, order, home)))


def _position(plan: Plan, order: dict[str, int], home: PhaseFolder) -> tuple[int, str]:
    if plan.name in order:
        return order[plan.name], plan.name
    number = number_of(plan)
    same = [
        at
        for name, at in order.items()
        if number and (found := read_number(name)) and found.plan == number.plan
    ]
    return (same[0] if same else len(order)), plan.name


def _carried_out(home: PhaseFolder, plans: Sequence[Plan]) -> Iterator[str]:
    names = {path.name.upper() for path in entries(home.folder)}
    for plan in plans:
        if re.sub(r"PLAN\.MD$", "SUMMARY.MD", base_name(plan.name).upper()) in names - {
            base_name(plan.name).upper()
        }:
            yield plan.name


def _requirements(root: Path, home: PhaseFolder | None, *, all_plans: bool) -> Requirements:
    documents = list(_documents(root))
    defined = {name for _, text in documents for name in defined_entries(text)}
    of_phase: tuple[str, ...] = ()
    main = next((text for name, text in documents if name == f"{PLANNING}/REQUIREMENTS.md"), "")
    if home is not None and home.number and home.milestone is None:
        roadmap = _text(root, root / PLANNING / "ROADMAP.md")
        section = find_section(roadmap, home.number, home.slug) if roadmap else None
        of_phase = ids_of_phase(section.text if section else "", main, home.number)
    return Requirements(
        defined=frozenset(defined),
        of_phase=of_phase,
        all_plans=all_plans and home is not None and bool(of_phase),
        source=documents[0][0] if documents else "",
    )


def _documents(root: Path) -> Iterator[tuple[str, str]]:
    milestones = [
        path
        for path in entries(root / PLANNING / "milestones")
        if path.name.upper().endswith("REQUIREMENTS.MD")
    ]
    for path in (root / PLANNING / "REQUIREMENTS.md", *milestones):
        text = _text(root, path)
        if text:
            yield path.relative_to(root).as_posix(), text


def _text(root: Path, path: Path) -> str:
    try:
        return read_document(root, path)[0]
    except InputError:
        return ""
