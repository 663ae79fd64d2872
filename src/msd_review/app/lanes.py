"""Looking at lanes: what exists, what can run, what exactly would run, and who would be chosen."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msd_review.app import choosing
from msd_review.app.lane_list import LaneRow, asks_first, inactive_row, row_of
from msd_review.app.request import ReviewRequest
from msd_review.app.world import World
from msd_review.errors import UsageError
from msd_review.invocation import Invocation, NotPlanned, SpawnInvocation
from msd_review.outcomes import Reason
from msd_review.planning import Ask, Overrides, Places, plan
from msd_review.selection import Reviewer


def detect_lanes(world: World) -> tuple[LaneRow, ...]:
    """Every lane after probing all of them at the same time."""
    standings = asyncio.run(choosing.detect(world, world.registry.slugs))
    rows = []
    for entry in world.registry.lanes:
        standing = standings[entry.slug]
        available = choosing.is_available(standing)
        blocked = isinstance(standing, NotPlanned) and standing.outcome.value == "blocked"
        state = "ready" if available else "blocked" if blocked else "unavailable"
        rows.append(row_of(entry, state, None if available else standing, asks_first(world, entry)))
    return (*rows, *(inactive_row(one) for one in world.registry.inactive_lanes))


def _nowhere() -> Places:
    """Places for a plan that is only looked at: no prompt exists yet."""
    return Places(
        prompt_path=Path("prompt.md"), prompt_text=None, lane_folder=Path("lane"), working_folder=Path.cwd()
    )


def _plan(world: World, reviewer: Reviewer, overrides: Overrides) -> Invocation | NotPlanned:
    entry = world.registry.lane(reviewer.slug)
    if entry is None:
        raise UsageError(
            f"no reviewer is called {reviewer.slug!r}", hint="`msd lane list` shows every reviewer"
        )
    ask = Ask(
        reviewer=reviewer,
        lane=entry.lane,
        config=world.config,
        overrides=overrides,
        places=_nowhere(),
    )
    return plan(ask)


def plan_lanes(world: World, slugs: Iterable[str], overrides: Overrides) -> dict[str, Any]:
    """The `msd.lane-plan/1` document: the exact invocation of each lane, all of them when none is named."""
    from_names = tuple(dict.fromkeys(slug.lower() for slug in slugs)) or world.registry.slugs
    rows = []
    for slug in from_names:
        inactive = world.registry.inactive_lane(slug)
        if inactive is not None:
            rows.append(_not_ok(slug, inactive.reason, inactive.detail))
            continue
        rows.append(invocation_json(_plan(world, Reviewer(identity=slug, kind="lane", slug=slug), overrides)))
    return {"schema": "msd.lane-plan/1", "lanes": rows}


def _not_ok(slug: str, reason: Reason, detail: str) -> dict[str, Any]:
    return {"slug": slug, "ok": False, "reason": reason.value, "detail": detail}


def invocation_json(planned: Invocation | NotPlanned) -> dict[str, Any]:
    """One entry of the plan document."""
    if isinstance(planned, NotPlanned):
        return _not_ok(planned.lane.slug, planned.reason, planned.detail)
    shared: dict[str, Any] = {
        "slug": planned.lane.slug,
        "identity": planned.identity,
        "ok": True,
        "transport": planned.lane.transport,
        "model": planned.model,
        "timeout_ms": planned.timeout_ms,
        "prompt_path": str(planned.prompt_path),
        "prompt_budget": planned.prompt_budget,
        "notices": list(planned.notices),
    }
    if isinstance(planned, SpawnInvocation):
        return shared | _spawn_json(planned)
    return shared | {
        "url": planned.url,
        "models_url": planned.models_url,
        "host": planned.host,
        "host_config_key": planned.host_config_key,
        "host_origin": planned.host_origin,
        "fallback_model": planned.fallback_model,
        "effort": None,
    }


def _spawn_json(planned: SpawnInvocation) -> dict[str, Any]:
    return {
        "argv": list(planned.argv),
        "stdin": "prompt" if planned.stdin else None,
        "env": dict(planned.env),
        "pin_env": list(planned.pin_env),
        "output": "stdout" if planned.output_path is None else {"file": str(planned.output_path)},
        "effort": planned.effort,
        "posture": planned.invoke.posture,
    }


def select_lanes(world: World, request: ReviewRequest) -> tuple[dict[str, Any], choosing.Choice]:
    """The `msd.lane-selection/1` document, and the choice behind it."""
    choice = choosing.choose(world, request)
    selection = choice.selection
    return {
        "schema": "msd.lane-selection/1",
        "source": selection.source,
        "selected": list(selection.selected),
        "resolved": [
            {"identity": r.identity, "kind": r.kind, "slug": r.slug, "model": r.model, "agent": r.agent}
            for r in selection.reviewers
        ],
        "skipped": [{"identity": s.identity, "reason": s.reason, "detail": s.detail} for s in choice.skipped],
        "warnings": list(selection.warnings),
        "infos": list(selection.infos),
        "errors": [
            *selection.errors,
            *(s.detail for s in choice.skipped if s.named and s.reason in _INACTIVE),
        ],
        "shared_adapters": [list(group) for group in selection.shared_adapters],
    }, choice


_INACTIVE = frozenset({Reason.CAPABILITY_INACTIVE.value, Reason.NOT_CONSENTED.value})


def selection_code(document: Mapping[str, Any], choice: choosing.Choice) -> int:
    """The exit code of `lane select`: 0, 3 for a named lane that cannot run, 5 for one that trust blocks, 4 for none."""
    named = [one for one in choice.skipped if one.named]
    if any(one.outcome == "blocked" for one in named):
        return 5
    if named:
        return 3
    return 0 if document["selected"] else 4
