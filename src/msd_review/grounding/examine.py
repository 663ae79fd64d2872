"""Runs every check over the reviewed plans, within a bound of time, and collects what became of each claim."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.edges import clock
from msd_review.grounding.checks_commands import check_command
from msd_review.grounding.checks_dependencies import check_dependencies_of
from msd_review.grounding.checks_paths import check_entries, check_lines, check_path
from msd_review.grounding.checks_promises import check_promises
from msd_review.grounding.checks_static import check_static
from msd_review.grounding.checks_structure import (
    check_cycles,
    check_dependencies,
    check_left_open,
    check_shared_files,
    check_tasks,
)
from msd_review.grounding.checks_symbols import check_parameter, check_signature, check_symbol
from msd_review.grounding.claims_commands import commands
from msd_review.grounding.claims_interfaces import interface_claims
from msd_review.grounding.claims_prose import MAX_CLAIMS, prose_claims
from msd_review.grounding.ground import Ground
from msd_review.grounding.index import Tree
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import NearestPaths
from msd_review.grounding.phase import Surroundings, surroundings
from msd_review.grounding.plan import Plan
from msd_review.grounding.project import Project
from msd_review.grounding.requirements import check_requirements
from msd_review.grounding.survey import survey
from msd_review.grounding.symbols import Symbols

MAX_SECONDS = 45.0
_BY_KIND = {
    "path": check_path,
    "lines": check_lines,
    "symbol": check_symbol,
    "signature": check_signature,
    "parameter": check_parameter,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found. `faults` are merged and worst first; `unchecked` says what was left out altogether, and why."""

    plans: tuple[Plan, ...]
    faults: tuple[Fault, ...] = ()
    judged: tuple[Judged, ...] = ()
    structure: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    around: Surroundings = field(default_factory=lambda: Surroundings(plans=()))


def examine(root: Path, tree: Tree, plans: Sequence[Plan]) -> Examination:
    """Checks the plans against the tree at `root`. Nothing of the tree or of the plans is ever run."""
    around = surroundings(root, plans)
    claims = {plan.name: tuple(prose_claims(plan)) for plan in around.plans}
    ground = Ground(
        tree=tree,
        symbols=Symbols(tree),
        project=Project(tree),
        nearest=NearestPaths(tree),
        survey=survey(around.plans, [claim for found in claims.values() for claim in found]),
        carried_out=around.carried_out,
    )
    unchecked = list(around.gaps)
    judged = list(_within_time(_judgements(ground, around.plans, claims), unchecked))
    faults = [item.fault for item in judged if item.fault is not None]
    faults += [fault for plan in around.plans if not plan.sibling for fault in check_static(ground, plan)]
    faults += _structure(around)
    for plan in around.plans:
        if not plan.sibling and len(claims[plan.name]) >= MAX_CLAIMS:
            unchecked.append(f"what `{plan.name}` says after its first {MAX_CLAIMS:,} claims")
    if not tree.complete:
        unchecked.append("the tree has more files than are indexed")
    return Examination(
        plans=around.plans,
        faults=merged(faults),
        judged=tuple(judged),
        structure=_structure_checked(around),
        unchecked=tuple(unchecked),
        around=around,
    )


def _judgements(
    ground: Ground, plans: Sequence[Plan], claims: dict[str, tuple[Claim, ...]]
) -> Iterator[Judged]:
    for plan in plans:
        if plan.sibling:
            continue
        yield from check_entries(ground, plan)
        for claim in (*claims[plan.name], *interface_claims(plan)):
            yield _BY_KIND[claim.kind](ground, claim)
        for command in commands(plan):
            yield from check_command(ground, plan, command)
        yield from check_promises(ground, plan)
        yield from check_dependencies_of(ground, plan)


def _within_time(items: Iterator[Judged], unchecked: list[str]) -> Iterator[Judged]:
    end = clock.monotonic() + MAX_SECONDS
    for item in items:
        yield item
        if clock.monotonic() > end:
            unchecked.append(f"what was left after {MAX_SECONDS:.0f} seconds of checking")
            return


def _structure(around: Surroundings) -> list[Fault]:
    plans = [plan for plan in around.plans if plan.name not in around.carried_out]
    found = [*check_dependencies(around.plans, around.known, around.phases), *check_cycles(around.plans)]
    found += check_shared_files(plans)
    found += check_requirements(around.plans, around.requirements)
    for plan in around.plans:
        if not plan.sibling:
            found += [*check_tasks(plan), *check_left_open(plan)]
    return found


def _structure_checked(around: Surroundings) -> tuple[str, ...]:
    own = [plan for plan in around.plans if not plan.sibling]
    tasks = sum(len(plan.tasks) for plan in own)
    checked = [
        f"{tasks} task{'' if tasks == 1 else 's'} for a way to be verified, and {len(own)} plan{'' if len(own) == 1 else 's'} for points left open"
    ]
    if len(around.plans) > 1:
        checked.append(
            f"dependencies and waves of {len(around.plans)} plans, and the files that two of one wave change"
        )
    if around.requirements.defined:
        checked.append(f"requirement ids against {len(around.requirements.defined)} defined ones")
    if around.requirements.all_plans:
        checked.append(f"coverage of the phase's {len(around.requirements.of_phase)} requirements")
    return tuple(checked)


def merged(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Faults of one key as one, with every spot and the worst severity; worst first, then in the order of finding."""
    found: dict[tuple[str, ...], Fault] = {}
    for fault in faults:
        known = found.get(fault.key)
        found[fault.key] = fault if known is None else _joined(known, fault)
    return tuple(sorted(found.values(), key=lambda fault: -fault.severity.rank))


def _joined(one: Fault, two: Fault) -> Fault:
    worse = one if one.severity.rank >= two.severity.rank else two
    spots = tuple(dict.fromkeys((*one.spots, *two.spots)))[:50]
    return Fault(
        key=one.key,
        kind=worse.kind,
        severity=worse.severity,
        title=worse.title,
        body=worse.body,
        spots=spots,
        truth=one.truth or two.truth,
        places=one.places or two.places,
        suggestion=one.suggestion or two.suggestion,
        files=one.files or two.files,
    )
