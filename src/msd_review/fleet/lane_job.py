"""On the worker: one lane of one item, by the same steps as every review: chosen, planned, approved, run.

What differs is who consents: the grant that came with the item, checked before the lane is probed and once more
for the very call that is about to be made. The lane works in a throw-away copy, always.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from msd_review.app import choosing, naming, outgoing
from msd_review.app.code_review import prepare_change, with_plans_for_those_who_need_them
from msd_review.app.code_review_scope import find_scope
from msd_review.app.events import RunEvent
from msd_review.app.preparing import Prepared, prepare
from msd_review.app.recording import record_end
from msd_review.app.review import choose_subject, subject_key
from msd_review.app.running import Ran, run_prepared
from msd_review.app.world import World, load_world
from msd_review.change.prompt import change_prompt
from msd_review.edges import files
from msd_review.fleet import gate, wire
from msd_review.fleet.asking import change_request, plan_request
from msd_review.fleet.grants import Grant
from msd_review.fleet.wire import Job
from msd_review.invocation import NotPlanned
from msd_review.outcomes import Outcome, Reason
from msd_review.registry import RosterLane
from msd_review.report.model import Skipped
from msd_review.run import result_json, store
from msd_review.run.result import LaneResult
from msd_review.run.store import RunInfo


def run_lane(job: Job, grant: Grant, tree: Path, *, runs: Path) -> dict[str, Any]:
    """The lane's answer. Raises MsdError where the item cannot be reviewed at all."""
    world = load_world(tree)
    entry = world.registry.lane(job.slug)
    if entry is None:
        return wire.lane_row(_not_here(world, job.slug))
    refused = gate.stands_against(world, entry, grant)
    if refused is not None:
        return wire.lane_row(choosing.refusal_row(refused))
    if job.slug not in job.item.lanes and _is_excluded(world, entry):
        return wire.lane_row(_excluded(entry))
    world = gate.under_grant(world, grant)
    run = _run_change if job.item.kind == "change" else _run_plan
    return run(job, world, entry, grant=grant, runs=runs)


def _not_here(world: World, slug: str) -> Skipped:
    inactive = world.registry.inactive_lane(slug)
    return Skipped(
        identity=slug,
        outcome=Outcome.UNAVAILABLE.value,
        reason=Reason.CAPABILITY_INACTIVE.value,
        detail=inactive.detail if inactive is not None else f"this worker knows no reviewer {slug!r}",
        hint=inactive.hint if inactive is not None else None,
    )


def _is_excluded(world: World, entry: RosterLane) -> bool:
    naming.check_configured(world)
    configured = world.config.get("review.excluded_reviewers").value or []
    return entry.slug in {name.lower() for name in configured if isinstance(name, str)}


def _excluded(entry: RosterLane) -> Skipped:
    return Skipped(
        identity=entry.slug,
        outcome=Outcome.SKIPPED.value,
        reason=Reason.EXCLUDED.value,
        detail="review.excluded_reviewers leaves it out",
    )


def _run_plan(job: Job, world: World, entry: RosterLane, *, grant: Grant, runs: Path) -> dict[str, Any]:
    request = plan_request(job, world.root.required())
    naming.check_asked(world, request)
    subject = choose_subject(world, request)
    outgoing.check_secrets(world, subject, request.allow_secrets)
    choice = choosing.choose(world, request)
    info = _new_run(runs, subject_key(subject), subject.title, subject.root)
    prepared = prepare(world, request, subject, choice, folder=info.folder)
    prepared = _gated(prepared, entry, grant)
    ran = _ran(world, request, prepared, info)
    return _answer(choice, prepared, ran, info)


def _run_change(job: Job, world: World, entry: RosterLane, *, grant: Grant, runs: Path) -> dict[str, Any]:
    scope = find_scope(world, change_request(job, world.root.required()))
    if not scope.change.files:
        return {
            "v": wire.VERSION,
            "state": "nothing",
            "message": f"nothing changed since {scope.change.base_name}",
        }
    choice = with_plans_for_those_who_need_them(choosing.choose(scope.world, scope.request.review), scope)
    whole = change_prompt(scope.change, depth=scope.depth, root=".", plan=scope.plan)
    outgoing.check_prompt(world, whole, job.allow_secrets)
    info = _new_run(runs, f"{scope.subject.root}::change", scope.subject.title, scope.subject.root)
    prepared = _gated(prepare_change(scope, choice, info.folder), entry, grant)
    ran = _ran(scope.world, scope.request.review, prepared, info)
    return _answer(choice, prepared, ran, info)


def _new_run(runs: Path, subject: str, title: str, root: Path) -> RunInfo:
    files.make_private(runs)
    return store.new_run(runs, subject=subject, title=title, command="fleet", root=root)


def _gated(prepared: Prepared, entry: RosterLane, grant: Grant) -> Prepared:
    """What may run once the grant was held against the very call; a refusal becomes a row."""
    kept, rows = [], []
    for approved in prepared.approved:
        refused = gate.stands_against_call(entry, approved, grant)
        if isinstance(refused, NotPlanned):
            rows.append(choosing.refusal_row(refused))
        else:
            kept.append(approved)
    return replace(prepared, approved=tuple(kept), skipped=(*prepared.skipped, *rows))


def _ran(world: World, request: Any, prepared: Prepared, info: RunInfo) -> Ran:
    if not prepared.approved:
        record_end(info, state="finished", exit_code=None)
        return Ran(results=())
    ran = run_prepared(world, request, prepared, info=info, progress=_unwatched)
    record_end(info, state="interrupted" if ran.interrupted else "finished", exit_code=None)
    return ran


def _unwatched(_: RunEvent) -> None:
    return None


def _answer(choice: choosing.Choice, prepared: Prepared, ran: Ran, info: RunInfo) -> dict[str, Any]:
    warnings = (*choice.selection.warnings, *prepared.warnings, *ran.warnings)
    if not ran.results:
        rows: Iterable[Skipped] = (*choice.skipped, *prepared.skipped, *ran.skipped)
        return wire.lane_row(next(iter(rows)), warnings=warnings)
    result = ran.results[0]
    return {
        "v": wire.VERSION,
        "state": "lane",
        "skipped": None,
        "result": result_json.encode(result, info.folder),
        "text": _text(result),
        "trim": prepared.trims.get(result.identity),
        "warnings": list(warnings),
        "infos": list(ran.infos),
    }


def _text(result: LaneResult) -> str | None:
    if result.text_path is None:
        return None
    try:
        raw = files.read_head(result.text_path, wire.MAX_TEXT_BYTES)
    except OSError:
        return None
    return raw.decode("utf-8", "replace")
