"""A run as its folder tells it now: who waits, runs, is done or failed, and whether it is over. Reads, never writes.

Everything is read anew for each answer, so that a server that was just started knows as much as the one that began
the run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from msd_review.edges import clock, process_table
from msd_review.mcp_server import kept
from msd_review.mcp_server.kept import Kept, Start
from msd_review.mcp_server.refusal import Refused
from msd_review.outcomes import Outcome
from msd_review.run import store
from msd_review.run.journal import Entry, finished_lanes, read_journal
from msd_review.run.result import LaneResult
from msd_review.run.store import RunInfo

State = Literal["starting", "running", "finished", "interrupted", "failed", "crashed"]
LaneState = Literal["waiting", "running", "done", "failed"]
_LOST_AFTER = timedelta(seconds=60)  # a process that has recorded nothing by then never will
_LOOKED_AT = 500  # newest runs that are looked through for this project's


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """One reviewer of a run."""

    identity: str
    state: LaneState
    since: str = ""
    note: str = ""
    result: LaneResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run of the project; `start` is None where a person began it on a command line."""

    info: RunInfo
    state: State
    start: Start | None
    started_at: str
    outcome: Kept | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return self.info.id

    @property
    def is_over(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.state not in {"starting", "running"}

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it goes on and where nobody recorded one."""
        if not self.is_over:
            return None
        return self.outcome.exit_code if self.outcome is not None else self.info.exit_code


def project_runs(runs: Path, root: Path) -> Iterator[RunView]:
    """The project's runs, newest first, without what they came to."""
    for info in store.list_runs(runs)[:_LOOKED_AT]:
        view = _view(info, root)
        if view is not None:
            yield view


def find_view(root: Path, run_id: str | None) -> RunView:
    """The run with this id, else the newest of the project. Raises Refused; StoreError."""
    runs = store.runs_folder()
    if run_id is None:
        newest = next(project_runs(runs, root), None)
        if newest is None:
            raise Refused("no_runs", "no review of this project was run yet", hint="begin with start_review")
        return _with_outcome(newest)
    folder = runs / run_id
    if not store.is_run_id(run_id) or folder.is_symlink() or not folder.is_dir():
        raise _unknown(run_id)
    view = _view(store.read_run(folder), root)
    if view is None:
        raise _unknown(run_id)
    return _with_outcome(view)


def _unknown(run_id: str) -> Refused:
    return Refused(
        "unknown_run",
        f"no run of this project has the id {run_id!r}",
        hint="use the id that start_review returned; without one, the newest run is meant",
    )


def _view(info: RunInfo, root: Path) -> RunView | None:
    """The run, or None where it is another project's, or no run at all."""
    start = kept.read_start(info.folder) if (info.folder / kept.START).exists() else None
    if info.state == "broken" and start is None:
        return None
    if (start.root if start is not None else info.root) != str(root):
        return None
    started_at = start.started_at if start is not None else info.started_at
    return RunView(info=info, state=_state(info, start), start=start, started_at=started_at)


def _state(info: RunInfo, start: Start | None) -> State:
    if start is not None and info.state == "broken":
        return "starting" if _may_still_start(start) else "failed"
    if start is None or info.state in {"running", "crashed"}:
        return "failed" if info.state == "broken" else info.state
    # Ended by its own account; what it came to is on the disk a moment later.
    alive = info.owner is not None and process_table.is_alive(info.owner)
    is_told = (info.folder / kept.OUTCOME).exists()
    if alive and not is_told:
        return "running"
    return "failed" if info.state == "broken" else info.state


def _may_still_start(start: Start) -> bool:
    if start.process is not None:
        return process_table.is_alive(start.process)
    return clock.now() - moment(start.started_at) < _LOST_AFTER


def _with_outcome(view: RunView) -> RunView:
    return replace(view, outcome=kept.read_outcome(view.info.folder)) if view.is_over else view


def moment(text: str) -> datetime:
    """A recorded time; the beginning of time for what is none."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def lanes_of(view: RunView) -> tuple[LaneView, ...]:
    """The reviewers that take part, by name."""
    read = read_journal(view.info.folder)
    lanes: dict[str, LaneView] = {}
    for entry in read.entries:
        _follow(lanes, entry)
    for done in finished_lanes(read, view.info.folder)[0]:
        lanes[done.result.identity] = _finished(done.result)
    ordered = [lanes[identity] for identity in sorted(lanes)]
    if not view.is_over:
        return tuple(ordered)
    return tuple(
        lane if lane.result is not None else replace(lane, state="failed", note="the run ended before it did")
        for lane in ordered
    )


def _finished(result: LaneResult) -> LaneView:
    state: LaneState = "done" if result.outcome is Outcome.REVIEW else "failed"
    return LaneView(identity=result.identity, state=state, result=result)


def _follow(lanes: dict[str, LaneView], entry: Entry) -> None:
    identity = entry.fields.get("identity")
    if not isinstance(identity, str):
        return
    text = entry.fields.get("text")
    match entry.event:
        case "lane_queued_event":
            lanes[identity] = LaneView(identity=identity, state="waiting", since=entry.at)
        case "lane_started_event":
            begun = lanes.get(identity)
            since = begun.since if begun is not None and begun.state == "running" else entry.at
            lanes[identity] = LaneView(identity=identity, state="running", since=since)
        case "lane_attempt_event" if identity in lanes:
            note = text if isinstance(text, str) else ""
            lanes[identity] = replace(lanes[identity], note=note)


def left_out(document: Mapping[str, Any] | None, start: Start | None) -> list[Mapping[str, Any]]:
    """The reviewers that do not take part: of the document where there is one, else as known at the start."""
    rows = document.get("skipped") if document is not None else None
    if isinstance(rows, list):
        return [row for row in rows if isinstance(row, dict)]
    return list(start.left_out) if start is not None else []
