"""Where each reviewer works: the tree itself, a copy that read-only reviewers share, or a copy of its own."""

from dataclasses import dataclass
from pathlib import Path

from msd_review.app.request import ReviewRequest
from msd_review.manifest.model import Lane, SpawnInvoke
from msd_review.planning import Places
from msd_review.selection import Reviewer

PROMPT_IN_COPY = ".msd-prompt.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """One reviewer's working folder; `copy` is the name of the copy it is, None for the tree itself."""

    folder: Path
    copy: str | None = None


def wants_copy(lane: Lane, request: ReviewRequest) -> bool:
    """Whether a lane works in a throw-away copy: when asked, or when it could edit or takes its prompt as a file."""
    if request.in_place or not isinstance(lane.invoke, SpawnInvoke):
        return False
    could_edit = lane.invoke.posture == "unrestricted"
    return request.isolate or could_edit or lane.invoke.prompt_channel == "argv-file-ref"


def workplace(
    reviewer: Reviewer, lane: Lane, request: ReviewRequest, *, root: Path, run_folder: Path
) -> Workplace:
    """The reviewer's working folder. A lane that could edit has a copy of its own; others share one."""
    if not wants_copy(lane, request):
        return Workplace(folder=root)
    could_edit = isinstance(lane.invoke, SpawnInvoke) and lane.invoke.posture == "unrestricted"
    name = reviewer.identity if could_edit else "_shared"
    return Workplace(folder=run_folder / "copies" / name / (root.name or "tree"), copy=name)


def places(
    reviewer: Reviewer,
    lane: Lane,
    at: Workplace,
    *,
    run_folder: Path,
    root: Path,
    prompt_name: str,
    prompt_text: str,
) -> Places:
    """Where the prompt and the lane's own files lie.

    A tool that reads its prompt from a file refuses one outside its workspace, so the file lies inside: in the
    copy, or below `.msd/tmp/` of the tree, from where it is removed afterwards.
    """
    prompt_path = run_folder / "prompts" / prompt_name
    if isinstance(lane.invoke, SpawnInvoke) and lane.invoke.prompt_channel == "argv-file-ref":
        in_copy = at.folder / PROMPT_IN_COPY
        prompt_path = in_copy if at.copy else root / ".msd" / "tmp" / run_folder.name / prompt_name
    return Places(
        prompt_path=prompt_path,
        prompt_text=prompt_text,
        lane_folder=run_folder / "lanes" / reviewer.identity,
        working_folder=at.folder,
    )
