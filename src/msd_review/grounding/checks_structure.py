"""Checks of how plans fit together: dependencies, waves, files that two plans change, tasks that nothing verifies, and what
was left open.

Pure: plans in, faults out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msd_review.grounding.claims_front import dependencies, file_entries
from msd_review.grounding.model import Fault
from msd_review.grounding.numbers import PlanNumber, number_of, read_number
from msd_review.grounding.plan import Plan, Task
from msd_review.grounding.prose import sentences
from msd_review.lazy import regex
from msd_review.review.model import Severity

_VERIFIED_BY = ("verify", "automated", "done", "acceptance_criteria", "verification", "human-check", "manual", "how-to-verify", "behavior", "success_criteria")  # fmt: skip
_SAYS_HOW = regex(
    r"\b(?:verif\w+|test\w*|assert\w*|check\w*|expect\w*|confirm\w*|ensure\w*|passes|done when|accept\w+|must (?:print|return|exit|show))\b",
    re.I,
)
_LEFT_OPEN = regex(
    r"\bTBD\b(?!s\b)|\bTO BE (?:DETERMINED|DECIDED|DEFINED)\b|\b[Tt]o be (?:determined|decided)\b|\b(?:TODO|FIXME|XXX)\b\s?(?:\([^)]{0,40}\))?:|^\s*(?:[-*+]|\d+[.)])?\s*\b(?:TODO|FIXME|XXX)\b|\?\?\?",
)
_ABOUT_IT = regex(
    r"\b(?:no|not|without|zero|any|remove[sd]?|removing|resolve[sd]?|resolving|existing|replace[sd]?|delete[sd]?|clear[sd]?|leftover|grep|contains?|search\w*|never|free of|all|the|every|each|old|stale|these|those|an?|as|or|and|mark\w*|label\w*|say\w*|literal|word|string|shows?|displays?|returns?|status)\s*[\"'(]*$",
    re.I,
)
_CANNOT_FAIL = regex(r"\|\|\s*(?:true|:|exit 0|echo\b[^|;&]*)\s*$|;\s*(?:true|exit 0)\s*$")


def depends_on(plans: Sequence[Plan]) -> Mapping[str, frozenset[str]]:
    """Plan name → the names of the plans that it needs, directly, as far as they are among `plans`."""
    numbers = {number: plan.name for plan in plans if (number := number_of(plan))}
    found: dict[str, frozenset[str]] = {}
    for plan in plans:
        own = number_of(plan)
        wanted = [_completed(read_number(name), own) for name, _ in dependencies(plan)]
        found[plan.name] = frozenset(numbers[number] for number in wanted if number in numbers)
    return found


def _completed(number: PlanNumber | None, own: PlanNumber | None) -> PlanNumber | None:
    if number is None or number.phase or own is None:
        return number
    return PlanNumber(own.phase, number.plan)


def check_dependencies(
    plans: Sequence[Plan], known: frozenset[PlanNumber], phases: frozenset[str]
) -> Iterator[Fault]:
    """`depends_on` that names no plan, itself, or a later wave. `known` are all plans on disk, `phases` all phases."""
    numbers = {number: plan for plan in plans if (number := number_of(plan))}
    for plan in plans:
        own = number_of(plan)
        for name, line in () if plan.sibling or own is None else dependencies(plan):
            number = _completed(read_number(name), own)
            if number is None or own is None:
                continue
            if number == own:
                yield _dependency(
                    plan, line, name, f"`{name}` depends on itself", "a plan cannot wait for itself"
                )
            elif number in numbers:
                yield from _wave_order(plan, line, name=name, other=numbers[number])
            elif number not in known and _is_told(number, own, name=name, phases=phases):
                yield _unknown(
                    plan,
                    line,
                    name=name,
                    plans=[str(other) for other in sorted(numbers, key=str) if other.phase == number.phase],
                )


def _is_told(number: PlanNumber, own: PlanNumber, *, name: str, phases: frozenset[str]) -> bool:
    """Whether it can be told that there is no such plan: its phase is known, and a bare number means no phase."""
    if number.phase != own.phase:
        return number.phase in phases
    full = read_number(name)
    return bool(full and full.phase) or number.plan not in phases


def _unknown(plan: Plan, line: int, *, name: str, plans: list[str]) -> Fault:
    shown = ", ".join(plans[:12])
    truth = f"the plans there are: {shown}" if shown else "that phase has no such plan"
    return _dependency(plan, line, name, f"`depends_on` names `{name}`, and there is no such plan", truth)


def _dependency(plan: Plan, line: int, name: str, title: str, truth: str) -> Fault:  # noqa: PLR0917 - one call shape
    return Fault(
        key=("depends", plan.name, name),
        kind="dependency",
        severity=Severity.HIGH,
        title=title,
        body="The order of the plans cannot be kept: the plan waits for something that never comes.",
        spots=((plan.name, line),),
        truth=truth,
        suggestion="name the plan that makes what this one needs",
    )


def _wave_order(plan: Plan, line: int, *, name: str, other: Plan) -> Iterator[Fault]:
    mine, theirs = _wave(plan), _wave(other)
    if mine.isdigit() and theirs.isdigit() and int(mine) <= int(theirs):
        yield Fault(
            key=("wave", plan.name, name),
            kind="wave-order",
            severity=Severity.HIGH,
            title=f"wave {mine} depends on `{name}`, which is in wave {theirs}",
            body="The plan starts before, or together with, what it needs.",
            spots=((plan.name, plan.front_line("wave")), (plan.name, line)),
            truth=f"`{other.name}` says `wave: {theirs}`",
            suggestion=f"put this plan into wave {int(theirs) + 1}",
        )


def _wave(plan: Plan) -> str:
    return str(plan.front.get("wave") or "").strip().upper()


def check_cycles(plans: Sequence[Plan]) -> Iterator[Fault]:
    """Plans that wait for each other."""
    needs = depends_on(plans)
    reported: set[frozenset[str]] = set()
    for plan in plans:
        cycle = _cycle_from(plan.name, needs)
        if len(cycle) > 1 and frozenset(cycle) not in reported:
            reported.add(frozenset(cycle))
            yield Fault(
                key=("cycle", *sorted(cycle)),
                kind="cycle",
                severity=Severity.HIGH,
                title=f"plans wait for each other: {' → '.join([*cycle, cycle[0]])}",
                body="None of them can start.",
                spots=tuple(
                    (other.name, other.front_line("depends_on")) for other in plans if other.name in cycle
                ),
                suggestion="take one of the dependencies out",
            )


def _cycle_from(start: str, needs: Mapping[str, frozenset[str]]) -> list[str]:
    """The shortest way from a plan back to itself, without its last step; [] where there is none."""
    waiting = [[start]]
    seen: set[str] = set()
    while waiting:
        way = waiting.pop(0)
        for name in sorted(needs.get(way[-1], ())):
            if name == start:
                return way
            if name not in seen:
                seen.add(name)
                waiting.append([*way, name])
    return []


def _reaches(start: str, end: str, needs: Mapping[str, frozenset[str]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for name in needs.get(waiting.pop(), ()):
            if name == end:
                return True
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return False


def check_shared_files(plans: Sequence[Plan]) -> Iterator[Fault]:
    """Two plans of one wave that change the same file, and neither waits for the other."""
    needs = depends_on(plans)
    for at, one in enumerate(plans):
        for two in plans[at + 1 :]:
            if _wave(one) != _wave(two) or not _wave(one) or one.sibling and two.sibling:
                continue
            if not (_reaches(one.name, two.name, needs) or _reaches(two.name, one.name, needs)):
                yield from _shared(one, two)


def _shared(one: Plan, two: Plan) -> Iterator[Fault]:
    mine, theirs = _files(one), _files(two)
    both = sorted(set(mine) & set(theirs))
    for path in both[:20]:
        yield Fault(
            key=("shared", path, _wave(one)),
            kind="same-file-one-wave",
            severity=Severity.HIGH,
            title=f"`{path}` is changed by two plans of wave {_wave(one)}",
            body=f"`{one.name}` and `{two.name}` run side by side; one overwrites the other, or they conflict.",
            spots=((one.name, mine[path]), (two.name, theirs[path])),
            places=(f"{path}:1",),
            suggestion="let one depend on the other, in a later wave",
            files=(path,),
        )


def _files(plan: Plan) -> dict[str, int]:
    entries = file_entries(plan)
    front = [entry for entry in entries if entry.task is None]
    found: dict[str, int] = {}
    for entry in front or entries:
        found.setdefault(entry.path, entry.line)
    return found


def check_tasks(plan: Plan) -> Iterator[Fault]:
    """Tasks that nothing verifies, and checks that cannot fail."""
    tags: dict[int, set[str]] = {}
    for segment in plan.segments:
        if segment.task is not None and plan.said(segment).strip():
            tags.setdefault(segment.task, set()).add(segment.tag)
    for at, task in enumerate(plan.tasks):
        if (
            _is_unverified(plan, at, tags.get(at, set()))
            and not task.kind.startswith(("checkpoint", "decision", "human"))
            and not plan.cut
        ):
            yield _unverifiable(plan, task)
    for segment in plan.within("automated"):
        command = " ".join(plan.said(segment).split())
        if _CANNOT_FAIL.search(command):
            yield _toothless(plan, plan.line_at(segment.start), command)


def _is_unverified(plan: Plan, task: int, tags: set[str]) -> bool:
    if tags & set(_VERIFIED_BY):
        return False
    if tags <= {""}:
        return not any(
            _SAYS_HOW.search(plan.said(segment)) for segment in plan.segments if segment.task == task
        )
    return True


def _unverifiable(plan: Plan, task: Task) -> Fault:
    return Fault(
        key=("unverified", plan.name, str(task.line)),
        kind="unverifiable-task",
        severity=Severity.MEDIUM,
        title=f"“{task.name}” has no way to be verified",
        body="It has neither a check nor a statement of when it is done, so nobody can tell whether it was.",
        spots=((plan.name, task.line),),
        suggestion="say which command or observation shows that it is done",
    )


def _toothless(plan: Plan, line: int, command: str) -> Fault:
    return Fault(
        key=("toothless", plan.name, command[:200]),
        kind="check-cannot-fail",
        severity=Severity.LOW,
        title=f"`{command[:120]}` cannot fail",
        body="The check succeeds whatever its command finds.",
        spots=((plan.name, line),),
        suggestion="let the command's own exit status count",
    )


def check_left_open(plan: Plan) -> Iterator[Fault]:
    """Decisions that the plan leaves open: TBD, TODO and their like, outside code and outside talk about them."""
    for segment in plan.segments:
        if segment.tag in {
            "verify",
            "automated",
            "verification",
            "acceptance_criteria",
            "must_haves",
            "threat_model",
        }:
            continue
        for sentence in sentences(plan.said(segment)):
            match = _LEFT_OPEN.search(sentence.masked)
            if (
                match is None
                or _ABOUT_IT.search(sentence.masked[: match.start()])
                or "\x01" in sentence.masked[match.start() - 1 : match.start()]
            ):
                continue
            line = plan.line_at(segment.start + sentence.start + match.start())
            yield _open_point(
                plan, line, sentence.text[match.start() :].strip(), in_task=segment.task is not None
            )


def _open_point(plan: Plan, line: int, text: str, *, in_task: bool) -> Fault:
    said = re.sub(r"^[\W\d]*(?=\w)", "", text)
    return Fault(
        key=("open", plan.name, str(line)),
        kind="left-open",
        severity=Severity.MEDIUM if in_task else Severity.LOW,
        title=f"left open: {' '.join(said.split())[:120].rstrip('. ')}",
        body="Whoever carries the plan out has to decide it alone."
        if in_task
        else "The plan is not finished here.",
        spots=((plan.name, line),),
        suggestion="decide it in the plan",
    )
