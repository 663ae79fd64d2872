"""Reviewer lanes for any step that may use them: one neutral function over selection, planning, trust and running.

Fail-closed: a request that is not clean in every part is refused as a whole, with a reason of a closed list of its own,
and then nothing was started or written. Where nobody is asked for, nothing happens at all. What the lanes deliver is
evidence, handed back as it came: whoever asked has to verify it.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from stat import S_ISDIR
from typing import TypeVar

from msd_review.app import choosing
from msd_review.app.code_review_prompts import too_large
from msd_review.app.events import RunEvent, Watcher
from msd_review.app.loop import ActiveHook
from msd_review.app.preparing import Prepared, prepare
from msd_review.app.request import ReviewRequest
from msd_review.app.running import run_prepared
from msd_review.app.workplaces import Workplace
from msd_review.app.world import World
from msd_review.change.model import DEPTHS, Depth
from msd_review.change.prompt import source_prompt
from msd_review.edges import process_table
from msd_review.errors import InputError, MsdError, StoreError
from msd_review.lazy import regex
from msd_review.manifest.model import SpawnInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.planning import Overrides
from msd_review.prompt.budget import effective_budget
from msd_review.prompt.model import BudgetTooSmall, Prompt, ReviewSubject
from msd_review.report.model import Skipped
from msd_review.run import store
from msd_review.run.result import LaneResult

Chosen = TypeVar("Chosen")
MAX_PATHS = 100_000
_RUN_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_BASE = regex(r"[A-Za-z0-9][A-Za-z0-9._/@{}~^+-]{0,254}")


class DispatchReason(StrEnum):
    """Why a request was refused as a whole; never a lane's own reason."""

    TRAIT_NOT_ENABLED = "trait_not_enabled"
    """The step does not declare that it may use reviewer lanes."""
    NO_LANES_SELECTED = "no_lanes_selected"
    """Nobody was named, and no reviewer is configured for every review; nothing was done."""
    SELECTION_FAILED = "selection_failed"
    """Who was asked for cannot be chosen: an unknown name, a malformed list, or nobody of them can run."""
    INVALID_PATHS = "invalid_paths"
    """There are no paths, too many, or one that is absolute, empty, not there, or holds control characters."""
    PATH_ESCAPES_REPO_ROOT = "path_escapes_repo_root"
    """A path leads out of the repository, by its name or through a link."""
    MISSING_PROVENANCE = "missing_provenance"
    """The depth, the base revision, the repository or the run's folder is not given."""
    INVALID_PROVENANCE = "invalid_provenance"
    """The depth, the base revision, the repository or the run's folder cannot be what it is given for."""
    PROMPT_WRITE_FAILED = "prompt_write_failed"
    """The prompt could not be written to the run's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchRequest:
    """What a step asks for. `paths` are relative to `repo_root`; `run_folder` exists, for this run alone.

    `named`, `all` and `overrides` are those of a review; without `named` and `all` the configured
    `review.default_reviewers` are asked, and without those nobody.
    """

    world: World
    hook: ActiveHook
    paths: Sequence[str]
    depth: str | None
    base: str | None
    repo_root: Path | None
    run_folder: Path | None
    named: tuple[str, ...] = ()
    all: bool = False
    overrides: Overrides = field(default_factory=Overrides)


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchRefused:
    """A request that was not carried out; `detail` is one line for a person."""

    reason: DispatchReason
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """What became of every lane that was chosen, and a row for each that was not run."""

    results: tuple[LaneResult, ...]
    skipped: tuple[Skipped, ...]
    interrupted: bool = False


class _Refused(Exception):
    def __init__(self, reason: DispatchReason, detail: str) -> None:
        super().__init__(detail)
        self.refusal = DispatchRefused(reason=reason, detail=detail)


def _ignore(event: RunEvent) -> None:
    """Nobody watches."""


def dispatch_reviewer_lanes(
    request: DispatchRequest, *, progress: Watcher = _ignore
) -> Dispatched | DispatchRefused:
    """Runs the chosen lanes on the request's files, or refuses the request as a whole. Never raises for either."""
    try:
        if not request.hook.supports_reviewer_lanes:
            raise _Refused(
                DispatchReason.TRAIT_NOT_ENABLED,
                f"a {request.hook.kind} of {request.hook.cap_id} may not use lanes",
            )
        clean = _clean(request)
        if not _asks_for_anyone(request):
            raise _Refused(DispatchReason.NO_LANES_SELECTED, "no reviewer was named and none is configured")
        return _run(request, clean, progress)
    except _Refused as refused:
        return refused.refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clean:
    root: Path
    run_folder: Path
    paths: tuple[str, ...]
    depth: Depth
    base: str


def _clean(request: DispatchRequest) -> _Clean:
    """The request, checked in every part: provenance first, since paths are judged against the root."""
    given = {
        "depth": request.depth,
        "base revision": request.base,
        "repository": request.repo_root,
        "run folder": request.run_folder,
    }
    missing = [name for name, value in given.items() if value is None or not str(value).strip()]
    if missing or request.repo_root is None or request.run_folder is None:
        raise _Refused(DispatchReason.MISSING_PROVENANCE, f"not given: {', '.join(missing)}")
    depth = next((depth for depth in DEPTHS if depth == request.depth), None)
    base = request.base or ""
    if depth is None:
        raise _invalid(f"the depth is none of {', '.join(DEPTHS)}")
    if not _BASE.fullmatch(base) or ".." in base:
        raise _invalid("the base revision is not the name of one commit")
    root = _folder(request.repo_root, "repository")
    if request.world.root.path is None or root != Path(os.path.realpath(request.world.root.path)):
        raise _invalid("the repository is not this project's root")
    run_folder = _folder(request.run_folder, "run folder")
    if not _RUN_NAME.fullmatch(run_folder.name):
        raise _invalid("the run folder's name is not a clean one")
    return _Clean(root=root, run_folder=run_folder, paths=_paths(request.paths, root), depth=depth, base=base)


def _invalid(detail: str) -> _Refused:
    return _Refused(DispatchReason.INVALID_PROVENANCE, detail)


def _folder(path: Path, what: str) -> Path:
    if not path.is_absolute() or _has_control(str(path)) or ".." in path.parts:
        raise _invalid(f"the {what} is not a clean absolute path")
    try:
        is_folder = S_ISDIR(path.lstat().st_mode) or path.resolve(strict=True).is_dir()
    except (OSError, ValueError, RuntimeError):
        is_folder = False
    if not is_folder:
        raise _invalid(f"the {what} is no folder")
    return Path(os.path.realpath(path))


def _has_control(text: str) -> bool:
    return any(ord(char) < 32 or ord(char) == 127 or char in "\x85\u2028\u2029" for char in text)


def _paths(paths: Sequence[str], root: Path) -> tuple[str, ...]:
    if isinstance(paths, str) or not paths or len(paths) > MAX_PATHS:
        raise _Refused(DispatchReason.INVALID_PATHS, "a list of paths is needed")
    return tuple(dict.fromkeys(_path(path, root) for path in paths))


def _path(path: str, root: Path) -> str:
    if not path.strip() or _has_control(path):
        raise _Refused(DispatchReason.INVALID_PATHS, f"{path!r} is not a clean path")
    written = Path(path)
    if written.is_absolute() or path.startswith(("~", "\\")) or re.match(r"[A-Za-z]:", path):
        raise _Refused(DispatchReason.INVALID_PATHS, f"{path!r} is absolute")
    if ".." in re.split(r"[/\\]", path):
        raise _Refused(DispatchReason.PATH_ESCAPES_REPO_ROOT, f"{path!r} leads out of the repository")
    try:
        real = Path(os.path.realpath(root / written, strict=True))
    except (OSError, ValueError):
        raise _Refused(DispatchReason.INVALID_PATHS, f"{path!r} is not there") from None
    if not real.is_relative_to(root):
        raise _Refused(
            DispatchReason.PATH_ESCAPES_REPO_ROOT, f"{path!r} leads out of the repository through a link"
        )
    return written.as_posix()


def _asks_for_anyone(request: DispatchRequest) -> bool:
    configured = request.world.config.raw("review.default_reviewers").value
    return bool(request.named) or request.all or configured is not None


class _SourcePrompts:
    """The prompt of a step's files, for each root that a lane sees."""

    too_large = Reason.PROMPT_TOO_LARGE

    def __init__(self, clean: _Clean) -> None:
        self.clean = clean
        self.by_root: dict[Path, Prompt] = {}

    def get(self, budget: int | None, at: Workplace) -> tuple[str, Prompt | BudgetTooSmall]:
        root = at.folder if at.copy is None else Path()
        if root not in self.by_root:
            self.by_root[root] = source_prompt(
                self.clean.paths, root=root, depth=self.clean.depth, base=self.clean.base
            )
        prompt = self.by_root[root]
        name = f"prompt-{list(self.by_root).index(root) + 1}.md"
        fits = budget is None or prompt.tokens <= effective_budget(budget)
        return name, prompt if fits or budget is None else too_large(prompt, budget)


def _run(request: DispatchRequest, clean: _Clean, progress: Watcher) -> Dispatched | DispatchRefused:
    world = request.world
    options = ReviewRequest(named=request.named, all=request.all, overrides=request.overrides)
    choice = _chosen(world, options)
    choice, refused = _without_prompt_channel(world, choice)
    subject = ReviewSubject(root=clean.root, phase=None, phase_folder=None, title="step", plans=())
    prepared = _selecting(
        lambda: prepare(
            world, options, subject, choice, folder=clean.run_folder, prompts=_SourcePrompts(clean)
        )
    )
    skipped = (*choice.skipped, *refused, *prepared.skipped)
    if not prepared.approved:
        return Dispatched(results=(), skipped=skipped)
    return _carried_out(request, options, prepared, clean=clean, skipped=skipped, progress=progress)


def _carried_out(
    request: DispatchRequest,
    options: ReviewRequest,
    prepared: Prepared,
    *,
    clean: _Clean,
    skipped: tuple[Skipped, ...],
    progress: Watcher,
) -> Dispatched:
    info = store.RunInfo(
        id=clean.run_folder.name,
        folder=clean.run_folder,
        subject=f"{clean.root}::step:{request.hook.cap_id}",
        title=f"step of {request.hook.cap_id}",
        command="dispatch",
        root=str(clean.root),
        state="running",
        owner=process_table.identify(os.getpid()),
    )
    try:
        ran = run_prepared(request.world, options, prepared, info=info, progress=progress)
    except (InputError, StoreError) as problem:
        raise _Refused(DispatchReason.PROMPT_WRITE_FAILED, problem.message) from None
    return Dispatched(results=ran.results, skipped=(*skipped, *ran.skipped), interrupted=ran.interrupted)


def _selecting(choose: Callable[[], Chosen]) -> Chosen:
    try:
        return choose()
    except MsdError as problem:
        raise _Refused(DispatchReason.SELECTION_FAILED, problem.message) from None


def _chosen(world: World, options: ReviewRequest) -> choosing.Choice:
    choice = _selecting(lambda: choosing.choose(world, options))
    if choice.selection.reviewers:
        return choice
    why = "; ".join(choice.selection.errors) or "nobody of those that were asked for can run here"
    raise _Refused(DispatchReason.SELECTION_FAILED, why)


def _without_prompt_channel(
    world: World, choice: choosing.Choice
) -> tuple[choosing.Choice, tuple[Skipped, ...]]:
    """A lane that takes no prompt cannot be told which files to review: it is refused, not run on something else."""
    kept, refused = [], []
    for reviewer in choice.selection.reviewers:
        entry = world.registry.lane(reviewer.slug)
        invoke = entry.lane.invoke if entry is not None else None
        if not isinstance(invoke, SpawnInvoke) or invoke.prompt_channel != "none":
            kept.append(reviewer)
            continue
        refused.append(
            Skipped(
                identity=reviewer.identity,
                outcome=Outcome.UNAVAILABLE.value,
                reason=Reason.PROMPT_CHANNEL_UNSUPPORTED.value,
                detail="it takes no prompt, so it cannot be told which files to review",
                named=reviewer.named,
                section=entry.section if entry is not None else "",
            )
        )
    return choosing.with_reviewers(choice, tuple(kept)), tuple(refused)
