"""From what was asked to the reviewers that will run: probed, planned, and let through by trust.

The order for each lane is: its shape, trust (consent, destination), required binaries, probe. Nothing
is contacted, not even by a probe, before trust let its destination through.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.app import naming
from msd_review.app.agreeing import changed_since
from msd_review.app.approving import approve, find_program, known_standing, let_through
from msd_review.app.request import ReviewRequest
from msd_review.app.world import World
from msd_review.edges import environ
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned
from msd_review.manifest.model import Lane
from msd_review.outcomes import Outcome, Reason
from msd_review.planning import Ask, Overrides, Places, plan
from msd_review.registry import RosterLane
from msd_review.report.model import Skipped
from msd_review.run.probe import probe_lane
from msd_review.run.standing import READY, ProbeResult
from msd_review.selection import (
    NotChosen,
    Reviewer,
    Selection,
    Wanted,
    candidates,
    parse_default_reviewers,
    parse_instances,
    select,
)
from msd_review.trust import grants, policy
from msd_review.trust.policy import Approved, ApprovedHttp, ApprovedSpawn

AskPerson = Callable[[Sequence[str]], bool | None]
_NOT_HERE = {Reason.MISSING_BINARY.value, Reason.MISSING_REQUIRED_BINARY.value, Reason.HOST_UNREACHABLE.value}
_OUTCOME_OF_REASON = {
    Reason.NOT_CONSENTED: Outcome.BLOCKED,
    Reason.EGRESS_HOST_CHANGED: Outcome.BLOCKED,
    Reason.EGRESS_REFUSED: Outcome.BLOCKED,
    Reason.EXCLUDED: Outcome.SKIPPED,
    Reason.SELF_SKIPPED: Outcome.SKIPPED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who would review: the selection over what was detected, and a row for everyone left out."""

    selection: Selection
    skipped: tuple[Skipped, ...]
    config_origin: str  # where review.default_reviewers comes from
    by_agent: bool = False  # who asked can choose, and cannot agree for the person


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Who will review, approved; and a row for everyone who will not."""

    approved: tuple[Approved, ...]
    skipped: tuple[Skipped, ...]


def with_reviewers(choice: Choice, reviewers: tuple[Reviewer, ...], rows: Iterable[Skipped] = ()) -> Choice:
    """The choice narrowed to some of its reviewers; `rows` tell of those that were taken out."""
    selection = replace(choice.selection, reviewers=reviewers)
    return replace(choice, selection=selection, skipped=(*choice.skipped, *rows))


def own_lanes(lanes: Iterable[Lane]) -> frozenset[str]:
    """The slugs of the tools that this very process runs inside of, by the variables that they set."""
    return frozenset(
        lane.slug for lane in lanes if any(environ.get(name) is not None for name in lane.self_env)
    )


async def _standing(world: World, entry: RosterLane) -> ProbeResult | NotPlanned:
    judged = await asyncio.to_thread(changed_since, world, entry) or let_through(world, entry)
    if isinstance(judged, NotPlanned):
        return judged
    return await probe_lane(
        entry.lane,
        find=lambda name: find_program(world, name),
        host=judged.host if isinstance(judged, HttpInvocation) else None,
        api_key=environ.get(judged.api_key_env)
        if isinstance(judged, HttpInvocation) and judged.api_key_env
        else None,
        cwd=world.root.path or Path.cwd(),
    )


async def detect(world: World, slugs: Iterable[str]) -> dict[str, ProbeResult | NotPlanned]:
    """What stands against each lane, all looked at at the same time and each within its own bound."""
    entries = [entry for slug in slugs if (entry := world.registry.lane(slug)) is not None]
    found = await asyncio.gather(*(_standing(world, entry) for entry in entries))
    return {entry.slug: one for entry, one in zip(entries, found, strict=True)}


def is_available(standing: ProbeResult | NotPlanned) -> bool:
    """Whether nothing stands against the lane."""
    return not isinstance(standing, NotPlanned) and standing.available


def _why(standing: ProbeResult | NotPlanned) -> tuple[str, str]:
    reason = standing.reason or Reason.PROBE_FAILED
    return reason.value, standing.detail


def wanted_of(
    world: World, request: ReviewRequest, named: tuple[str, ...], excluded: frozenset[str]
) -> Wanted:
    """What was asked, before anything was looked at."""
    config = world.config
    return Wanted(
        known=frozenset(world.registry.slugs),
        detected=frozenset(),
        named=named,
        all=request.all,
        default_reviewers=config.raw("review.default_reviewers").value,
        instances=config.raw("review.reviewer_instances").value,
        excluded=excluded,
        own=own_lanes(entry.lane for entry in world.registry.lanes),
    )


def candidate_slugs(world: World, request: ReviewRequest) -> tuple[str, ...]:
    """The lanes that could be chosen, before anything was looked at. Raises as `choose` does."""
    naming.check_configured(world)
    naming.check_names(world, request)
    named, _ = naming.split_named(world.registry, request.named)
    excluded = naming.excluded_names(request, world.config)
    nobody = bool(request.named) and not named
    if nobody or (request.imports and not request.named and not request.all):
        return ()
    return tuple(sorted(candidates(wanted_of(world, request, named, excluded)) - excluded))


def choose(world: World, request: ReviewRequest, *, probe: bool = True) -> Choice:
    """Who would review. Raises UsageError and ConfigError for names and lists that cannot be.

    Without `probe` nothing is started or contacted, and a lane counts as there until the contrary is known.
    """
    naming.check_configured(world)
    naming.check_names(world, request)
    named, inactive = naming.split_named(world.registry, request.named)
    excluded = naming.excluded_names(request, world.config)
    origin = world.config.raw("review.default_reviewers").origin
    only_inactive = bool(request.named) and not named
    if only_inactive or (request.imports and not request.named and not request.all):
        empty = Selection(source="explicit", reviewers=())
        return Choice(selection=empty, skipped=inactive, config_origin=origin, by_agent=request.by_agent)
    wanted = wanted_of(world, request, named, excluded)
    slugs = sorted(candidates(wanted))
    if probe:
        standings = asyncio.run(detect(world, slugs))
    else:
        known = [entry for slug in slugs if (entry := world.registry.lane(slug)) is not None]
        standings = {entry.slug: known_standing(world, entry) or READY for entry in known}
    found = replace(
        wanted,
        detected=frozenset(slug for slug, standing in standings.items() if is_available(standing)),
        unavailable={
            slug: _why(standing) for slug, standing in standings.items() if not is_available(standing)
        },
    )
    selection = select(found)
    asked = selection.source in {"explicit", "default_reviewers"}
    rows = [
        replace(row, wanted=asked or row.named or row.reason not in _NOT_HERE)
        for row in (_row(one, standings, named) for one in selection.skipped)
    ]
    return Choice(
        selection=selection,
        skipped=(*inactive, *rows),
        config_origin=origin,
        by_agent=request.by_agent,
    )


def _row(
    left_out: NotChosen, standings: Mapping[str, ProbeResult | NotPlanned], named: tuple[str, ...]
) -> Skipped:
    standing = standings.get(left_out.identity)
    outcome = _OUTCOME_OF_REASON.get(Reason(left_out.reason), Outcome.UNAVAILABLE)
    return Skipped(
        identity=left_out.identity,
        outcome=outcome.value,
        reason=left_out.reason,
        detail=left_out.detail,
        hint=standing.hint if standing is not None else None,
        named=left_out.identity in named,
    )


def receiver_text(entry: RosterLane) -> str:
    """Who would receive a plan, as a person reads it: `Codex (openai)`."""
    return f"{entry.section} ({entry.lane.provider})" if entry.lane.provider else entry.section


def ask_first_use(world: World, choice: Choice, ask: AskPerson) -> World:
    """Asks once about lanes that nobody answered for, keeps the answers, and returns the world with them.

    Naming a lane, `--all`, and the user's own `review.default_reviewers` are answers already.
    """
    if is_answered(choice) or choice.by_agent:
        return world
    entries = {r.slug: entry for r in choice.selection.reviewers if (entry := world.registry.lane(r.slug))}
    asked = [
        entry
        for entry in entries.values()
        if policy.needs_answer(entry.lane, first_party=entry.capability.source == "first-party")
        and world.consents.answer(entry.slug) is None
    ]
    answer = ask([receiver_text(entry) for entry in asked]) if asked else None
    if answer is None:
        return world
    return replace(world, consents=grants.record_answers(world.home, {entry.slug: answer for entry in asked}))


def is_answered(choice: Choice) -> bool:
    """Whether the way of choosing is itself an answer about who may receive the plan; never where an agent chose."""
    selection = choice.selection
    if selection.source in {"explicit", "all"}:
        return not choice.by_agent
    return selection.source == "default_reviewers" and choice.config_origin == "user"


def _standing_slugs(world: World) -> frozenset[str]:
    """The lanes that the user's own list of reviewers runs, whoever asks: a standing answer."""
    configured = world.config.raw("review.default_reviewers")
    if configured.origin != "user":
        return frozenset()
    entries, _ = parse_default_reviewers(configured.value)
    instances, _ = parse_instances(world.config.raw("review.reviewer_instances").value, world.registry.slugs)
    return frozenset(instances[entry].cli if entry in instances else entry for entry in entries)


def has_agreed(world: World, entry: RosterLane) -> bool:
    """Whether the user gave a standing word that what is reviewed may go to a lane; for servers other rules hold."""
    if not policy.needs_answer(entry.lane, first_party=entry.capability.source == "first-party"):
        return True
    return entry.slug in _standing_slugs(world) or world.consents.answer(entry.slug) is True


def may_receive(world: World, choice: Choice, entry: RosterLane) -> bool:
    """Whether the user has said, now or before, that what is reviewed may go to a lane."""
    return is_answered(choice) or has_agreed(world, entry)


PlacesOf = Callable[[Reviewer, Lane], Places]


def plan_chosen(
    world: World, choice: Choice, overrides: Overrides, places_of: PlacesOf
) -> tuple[tuple[Invocation, ...], tuple[Skipped, ...]]:
    """The invocation of every chosen reviewer, and a row for each that has none."""
    planned, refused = [], []
    for reviewer in choice.selection.reviewers:
        entry = world.registry.lane(reviewer.slug)
        if entry is None:
            raise RuntimeError(f"the selection chose {reviewer.slug}, which is no lane")
        result = plan(
            Ask(
                reviewer=reviewer,
                lane=entry.lane,
                config=world.config,
                overrides=overrides,
                places=places_of(reviewer, entry.lane),
            )
        )
        if isinstance(result, NotPlanned):
            refused.append(refusal_row(result))
        else:
            planned.append(result)
    return tuple(planned), tuple(refused)


def refusal_row(refused: NotPlanned) -> Skipped:
    """A refusal as a row of the report."""
    return Skipped(
        identity=refused.identity,
        outcome=refused.outcome.value,
        reason=refused.reason.value,
        detail=refused.detail,
        hint=refused.hint,
        named=refused.named,
    )


def approve_all(world: World, choice: Choice, invocations: Iterable[Invocation]) -> Planned:
    """What trust lets through, and a row for what it refuses."""
    approved, refused = [], []
    for invocation in invocations:
        entry = world.registry.lane(invocation.lane.slug)
        if entry is None:
            raise RuntimeError(f"{invocation.lane.slug} is planned and no lane")
        judged = approve(world, entry, invocation, answered=may_receive(world, choice, entry))
        if isinstance(judged, ApprovedSpawn | ApprovedHttp):
            approved.append(judged)
        else:
            refused.append(refusal_row(judged))
    return Planned(approved=tuple(approved), skipped=tuple(refused))
