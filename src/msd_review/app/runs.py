"""Earlier runs, for looking at and for cleaning up."""

from datetime import timedelta
from typing import Any

from msd_review.edges import clock
from msd_review.run import resume, store, sweep
from msd_review.run.store import RunInfo


def _row(info: RunInfo) -> dict[str, Any]:
    return {
        "run": info.id,
        "state": info.state,
        "command": info.command,
        "title": info.title,
        "root": info.root,
        "plans": list(info.plans),
        "started_at": info.started_at,
        "ended_at": info.ended_at,
        "exit_code": info.exit_code,
        "folder": str(info.folder),
    }


def runs_json() -> dict[str, Any]:
    """The `msd.runs/1` document: every run, the newest first."""
    runs = store.runs_folder()
    sweep.sweep_crashed(runs)
    return {"schema": "msd.runs/1", "runs": [_row(info) for info in store.list_runs(runs)]}


def run_json(run_id: str) -> dict[str, Any]:
    """The `msd.run/1` document of one run. Raises UsageError for an id that no run has."""
    info = store.find_run(store.runs_folder(), run_id)
    earlier = resume.load_finished(info)
    results = sorted((lane.result for lane in earlier.lanes.values()), key=lambda result: result.identity)
    return {
        "schema": "msd.run/1",
        **_row(info),
        "reviewers": [
            {
                "identity": result.identity,
                "outcome": result.outcome.value,
                "reason": result.reason.value if result.reason is not None else None,
                "detail": result.detail,
                "duration_ms": result.duration_ms,
                "text": str(result.text_path) if result.text_path is not None else None,
            }
            for result in results
        ],
        "problems": list(earlier.problems),
    }


def clean(*, keep: int, days: int) -> tuple[str, ...]:
    """Removes runs that are too many or too old; the ids of those removed."""
    runs = store.runs_folder()
    sweep.sweep_crashed(runs)
    return store.clean(runs, keep=keep, max_age=timedelta(days=days), now=clock.now())
