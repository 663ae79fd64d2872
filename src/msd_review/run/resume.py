"""Takes over what an earlier run finished, so that nothing is paid for twice."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.edges import files
from msd_review.edges.faults import fault_point
from msd_review.outcomes import Outcome
from msd_review.run.journal import Finished, finished_lanes, read_journal, text_digest
from msd_review.run.result import LaneResult
from msd_review.run.store import RunInfo, age_order, list_runs

# What ended by itself. The rest (cancelled, blocked, unavailable, skipped) may be different this time.
_ENDED = frozenset({Outcome.REVIEW, Outcome.PARTIAL, Outcome.FAILED})
_LONGEST_CHAIN = 20
_DELIVERED = frozenset({Outcome.REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What earlier runs finished, by content key, and what could not be read of them. `run` is the latest."""

    run: RunInfo
    lanes: Mapping[str, Finished]
    problems: tuple[str, ...]


def load_finished(run: RunInfo) -> Earlier:
    """Every lane that `run` finished, and, when it did not get to its end, those of the runs that it continued.

    Under one key a review counts before anything else, and a later result before an earlier. Never raises.
    """
    lanes: dict[str, Finished] = {}
    problems: list[str] = []
    for one in reversed(_unfinished_chain(run)):
        found, wrong = finished_lanes(read := read_journal(one.folder), one.folder)
        problems += (*read.problems, *wrong)
        for lane in found:
            if lane.result.outcome is Outcome.REVIEW or not _is_review(lanes.get(lane.key)):
                lanes[lane.key] = lane
    return Earlier(run=run, lanes=lanes, problems=tuple(problems))


def _is_review(lane: Finished | None) -> bool:
    return lane is not None and lane.result.outcome is Outcome.REVIEW


def _unfinished_chain(run: RunInfo) -> list[RunInfo]:
    """`run`, and before it the runs of the same subject back to the last that finished, newest first.

    A resume that was killed before it had taken everything over must not hide what it was to take over.
    """
    chain = [run]
    for older in list_runs(run.folder.parent):
        if chain[-1].state == "finished" or len(chain) == _LONGEST_CHAIN:
            break
        if older.subject == run.subject and _is_older(older, chain[-1]) and older.state != "running":
            chain.append(older)
    return chain


def _is_older(one: RunInfo, other: RunInfo) -> bool:
    return age_order(one.folder) < age_order(other.folder)


def reusable(earlier: Earlier, key: str, *, retry_failed: bool) -> Finished | None:
    """What can be taken over for `key`: its text must be there, whole. With `retry_failed` reviews alone."""
    lane = earlier.lanes.get(key)
    if lane is None or lane.result.outcome not in (_DELIVERED if retry_failed else _ENDED):
        return None
    if lane.result.text_path is not None and text_digest(lane.result.text_path) != lane.text_sha256:
        return None
    return lane


def adopt(lane: Finished, *, earlier: RunInfo, folder: Path) -> LaneResult:
    """The result as one of the run in `folder`, its text copied there, marked `reused`. Raises OSError."""
    fault_point("resume.adopting")
    text_path = lane.result.text_path
    if text_path is not None:
        target = folder / text_path.relative_to(lane.folder)
        files.make_private(target.parent)
        shutil.copyfile(text_path, target)
        target.chmod(0o600)
        text_path = target
    extra = {**lane.result.extra, "reused_from": lane.result.extra.get("reused_from", earlier.id)}
    return replace(lane.result, text_path=text_path, reused=True, extra=extra)
