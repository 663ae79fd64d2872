"""One lane on one prompt, by hand: the same trust and the same runner as a review, and no report."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msd_review.app import choosing, exits
from msd_review.app.events import Watcher
from msd_review.app.preparing import plan_one
from msd_review.app.recording import record_end
from msd_review.app.request import ReviewRequest
from msd_review.app.running import Ran, run_prepared
from msd_review.app.workplaces import workplace
from msd_review.app.world import World
from msd_review.errors import UsageError
from msd_review.outcomes import Outcome
from msd_review.planning import Overrides
from msd_review.report.model import Skipped
from msd_review.review.clean import clean_text
from msd_review.run import store
from msd_review.run.result import LaneResult
from msd_review.selection import Reviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleEnded:
    """How the lane ended: its text, the document for programs, one line of trouble, the exit code."""

    text: str
    document: dict[str, Any]
    problem: str
    exit_code: int


def run_one(world: World, slug: str, prompt: str, *, overrides: Overrides, progress: Watcher) -> SingleEnded:
    """Runs one lane. Raises UsageError for a slug that nobody declares."""
    name = slug.lower()
    entry = world.registry.lane(name)
    if entry is None:
        inactive = world.registry.inactive_lane(name)
        if inactive is None:
            raise UsageError(f"no reviewer is called {slug!r}", hint="`msd lane list` shows every reviewer")
        return _not_run(name, inactive.reason.value, inactive.detail, inactive.hint)
    standing = asyncio.run(choosing.detect(world, [name]))[name]
    if not choosing.is_available(standing):
        reason = standing.reason.value if standing.reason is not None else ""
        return _not_run(name, reason, standing.detail, standing.hint)
    root = world.root.required()
    runs = store.runs_folder()
    info = store.new_run(
        runs, subject=f"{root}::lane:{name}", title=f"lane {name}", command="lane run", root=root
    )
    reviewer = Reviewer(identity=name, kind="lane", slug=name, named=True)
    request = ReviewRequest(named=(name,), overrides=overrides)
    at = workplace(reviewer, entry.lane, request, root=root, run_folder=info.folder)
    prepared = plan_one(world, reviewer, prompt, overrides, at=at, folder=info.folder)
    if prepared.skipped:
        store.end_run(info, state="finished", exit_code=3)
        return _skipped(prepared.skipped[0])
    ran = run_prepared(world, request, prepared, info=info, progress=progress)
    return _ended(ran, info, progress)


def _ended(ran: Ran, info: store.RunInfo, progress: Watcher) -> SingleEnded:
    if ran.skipped:
        record_end(info, state="finished", exit_code=3, progress=progress)
        return _skipped(ran.skipped[0])
    result = ran.results[0]
    code = exits.INTERRUPTED if ran.interrupted else 0 if result.outcome is Outcome.REVIEW else 3
    state: Literal["interrupted", "finished"] = "interrupted" if ran.interrupted else "finished"
    record_end(info, state=state, exit_code=code, progress=progress)
    return _delivered(result, code)


def _delivered(result: LaneResult, code: int) -> SingleEnded:
    text = ""
    if result.text_path is not None:
        text = clean_text(Path(result.text_path).read_bytes())
    reason = result.reason.value if result.reason is not None else None
    document = {
        "schema": "msd.lane-result/1",
        "slug": result.slug,
        "outcome": result.outcome.value,
        "reason": reason,
        "detail": result.detail,
        "hint": result.hint,
        "marks": [mark.value for mark in result.marks],
        "model": result.model,
        "effort": result.effort,
        "duration_ms": result.duration_ms,
        "exit_status": result.exit_status,
        "text": text,
    }
    problem = "" if code == 0 else f"{result.slug}: {result.outcome.value}: {reason}: {result.detail}"
    return SingleEnded(text=text, document=document, problem=problem, exit_code=code)


def _skipped(row: Skipped) -> SingleEnded:
    return _not_run(row.identity, row.reason, row.detail, row.hint, blocked=row.outcome == "blocked")


def _not_run(slug: str, reason: str, detail: str, hint: str | None, *, blocked: bool = False) -> SingleEnded:
    is_blocked = blocked or reason in {"not_consented", "egress_host_changed", "egress_refused"}
    document: dict[str, Any] = {
        "schema": "msd.lane-result/1",
        "slug": slug,
        "outcome": "blocked" if is_blocked else "unavailable",
        "reason": reason,
        "detail": detail,
        "hint": hint,
        "marks": [],
        "model": None,
        "effort": None,
        "duration_ms": 0,
        "exit_status": None,
        "text": "",
    }
    problem = f"{slug}: {reason}: {detail}" + (f" ({hint})" if hint else "")
    return SingleEnded(text="", document=document, problem=problem, exit_code=5 if is_blocked else 3)
