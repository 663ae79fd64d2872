"""Checks of requirements: ids that nobody defined, and ids of the phase that no plan names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msd_review.grounding.claims_front import requirement_ids
from msd_review.grounding.model import Fault
from msd_review.grounding.nearest import nearest_name
from msd_review.grounding.plan import Plan
from msd_review.lazy import regex
from msd_review.prompt.requirements import named_ids
from msd_review.review.model import Severity

_TICKET = regex(
    r"(?:\b(?:tickets?|issues?|stor(?:y|ies)|epics?|jira|bugs?)\b[\s:#*`\[(]*|/browse/)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What the project's documents say: `defined` ids, the ids of the `phase`, and whether all its plans are known."""

    defined: frozenset[str] = frozenset()
    of_phase: tuple[str, ...] = ()
    all_plans: bool = False
    source: str = ""


def check_requirements(plans: Sequence[Plan], known: Requirements) -> Iterator[Fault]:
    """Undefined ids in front matter and text, then ids of the phase that no plan names."""
    if known.defined:
        for plan in plans:
            if not plan.sibling:
                yield from _undefined(plan, known)
    if known.all_plans:
        yield from _uncovered(plans, known)


def _undefined(plan: Plan, known: Requirements) -> Iterator[Fault]:
    named = dict(requirement_ids(plan))
    prefixes = {name.rpartition("-")[0] for name in known.defined}
    body = plan.text[plan.front_end :]
    for name in named_ids(body):
        if name not in named and name.rpartition("-")[0] in prefixes and not _is_ticket(body, name):
            named[name] = plan.line_at(plan.front_end + max(0, body.find(name)))
    for name, line in named.items():
        if name not in known.defined:
            near = nearest_name(name, sorted(known.defined))
            yield Fault(
                key=("requirement", name),
                kind="unknown-requirement",
                severity=Severity.MEDIUM,
                title=f"requirement `{name}` is defined nowhere",
                body=f"`{known.source}` has no such id, so the plan answers to something that nobody asked for.",
                spots=tuple((plan.name, number) for number in _front_lines(plan, name))
                or ((plan.name, line),),
                truth=f"the nearest id is `{near}`"
                if near
                else f"{len(known.defined)} other ids are defined",
                suggestion="name the requirement that is meant",
            )


def _is_ticket(text: str, name: str) -> bool:
    """Whether an id is called a ticket's wherever it stands."""
    spots = list(re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))
    return bool(spots) and all(
        _TICKET.search(text[max(0, spot.start() - 30) : spot.start()]) for spot in spots
    )


def _front_lines(plan: Plan, name: str) -> list[int]:
    lines = plan.text[: plan.front_end].split("\n")
    return [
        number
        for number, line in enumerate(lines, 1)
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line)
    ][:20]


def _uncovered(plans: Sequence[Plan], known: Requirements) -> Iterator[Fault]:
    named = {name for plan in plans for name, _ in requirement_ids(plan)}
    mentioned = {name for plan in plans for name in named_ids(plan.text, known.of_phase)}
    for name in known.of_phase:
        if name not in named and name not in mentioned:
            yield Fault(
                key=("uncovered", name),
                kind="uncovered-requirement",
                severity=Severity.HIGH,
                title=f"requirement `{name}` is covered by no plan",
                body="The roadmap gives it to this phase, and none of the phase's plans names it.",
                spots=tuple(
                    (plan.name, plan.front_line("requirements")) for plan in plans if not plan.sibling
                )[:1],
                truth=f"the phase's requirements are {', '.join(known.of_phase[:20])}",
                suggestion=f"add a task for `{name}`, or move it to another phase",
            )
