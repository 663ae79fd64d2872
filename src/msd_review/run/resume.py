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
from msd_review.run.store import RunInfo

# What ended by itself. The rest (cancelled, blocked, unavailable, skipped) may be different this time.
_ENDED = frozenset({Outcome.REVIEW, Outcome.PARTIAL, Outcome.FAILED})
_DELIVERED = frozenset({Outcome.REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What an earlier run finished, by content key, and what could not be read of it."""

    run: RunInfo
    lanes: Mapping[str, Finished]
    problems: tuple[str, ...]


def load_finished(run: RunInfo) -> Earlier:
    """Every lane that `run` finished; of two under one key a review counts before anything else. Never raises."""
    found, problems = finished_lanes(read := read_journal(run.folder), run.folder)
    lanes: dict[str, Finished] = {}
    for lane in found:
        held = lanes.get(lane.key)
        if held is None or held.result.outcome is not Outcome.REVIEW:
            lanes[lane.key] = lane
    return Earlier(run=run, lanes=lanes, problems=(*read.problems, *problems))


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
        target = folder / text_path.relative_to(earlier.folder)
        files.make_private(target.parent)
        shutil.copyfile(text_path, target)
        target.chmod(0o600)
        text_path = target
    extra = {**lane.result.extra, "reused_from": lane.result.extra.get("reused_from", earlier.id)}
    return replace(lane.result, text_path=text_path, reused=True, extra=extra)
