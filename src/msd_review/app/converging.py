"""Review, replan, review again: until nothing HIGH or actionable is left, nothing moves, or the cycles are used up.

The replan command is the user's own; it is started without a shell, with the path of a copy of the REVIEWS file in
which every `@path` is made harmless. It can be interrupted and started again: cycles are counted in the REVIEWS
file, and what a reviewer finished for the same plan is taken over.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.app import review as reviewing
from msd_review.app.agreeing import AskYesOrNo, nobody
from msd_review.app.events import RunEvent, Watcher
from msd_review.app.request import ReviewRequest
from msd_review.app.review import Ended
from msd_review.app.world import World
from msd_review.consensus.cycles import cycle_summary
from msd_review.edges import environ, files, programs
from msd_review.edges.capture import capture_blocking
from msd_review.errors import InputError, UsageError
from msd_review.prompt.mentions import existing_in, harmless
from msd_review.report.markdown import render_markdown
from msd_review.run import store

CONVERGED, NOT_CONVERGED = 0, 1
REPLAN_BYTES = 4 * 1024 * 1024
PLACEHOLDER = "{reviews}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Converged:
    """How the cycles ended: `why` is converged, stalled, capped, or what stopped a review."""

    exit_code: int
    why: str
    cycles: int
    last: Ended


def parse_replan(text: str, root: Path) -> tuple[str, ...]:
    """The replan command as a list, its program found. Raises UsageError."""
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"--replan: {problem}") from None
    if not words:
        raise UsageError("--replan takes a command")
    given = Path(words[0])
    # The user's own words may name a script of the project: it is they who start it, not the repository.
    binary = (
        given.resolve()
        if "/" in words[0]
        else programs.find_binary(words[0], path=environ.get("PATH"), repo_root=root)
    )
    if binary is None or not binary.is_file():
        raise UsageError(f"--replan: {words[0]} was not found")
    return (str(binary), *words[1:])


def converge(
    world: World,
    request: ReviewRequest,
    *,
    replan: str,
    max_cycles: int,
    replan_timeout_s: float,
    progress: Watcher,
    ask: Callable[[Sequence[str]], bool | None],
    ask_host: AskYesOrNo = nobody,
) -> Converged:
    """Runs the cycles. Raises MsdError where nothing could be run, or the replan command failed."""
    root = world.root.required()
    command = parse_replan(replan, root)
    cycle = 0
    while True:
        cycle += 1
        progress(RunEvent(kind="note", text=f"cycle {cycle} of at most {max_cycles}"))
        ended = reviewing.review(
            world, replace(request, resume=True), progress=progress, ask=ask, ask_host=ask_host
        )
        if ended.exit_code > 1:
            return Converged(
                exit_code=ended.exit_code, why="the review did not end well", cycles=cycle, last=ended
            )
        high, actionable = cycle_summary(ended.report.consensus)
        if high == 0 and actionable == 0:
            return Converged(exit_code=CONVERGED, why="converged", cycles=cycle, last=ended)
        if ended.stalled and cycle > 1:
            return Converged(exit_code=NOT_CONVERGED, why="stalled", cycles=cycle, last=ended)
        if cycle >= max_cycles:
            return Converged(exit_code=NOT_CONVERGED, why="capped", cycles=cycle, last=ended)
        _replan(command, ended, root=root, timeout_s=replan_timeout_s, progress=progress)


def _handed_over(ended: Ended, root: Path) -> Path:
    folder = store.find_run(store.runs_folder(), ended.report.run).folder
    path = folder / "REVIEWS-for-replan.md"
    text = harmless(render_markdown(ended.report), existing_in(root))
    files.write_atomic(path, text.encode("utf-8", "replace"), mode=0o600)
    return path


def _replan(
    command: tuple[str, ...], ended: Ended, *, root: Path, timeout_s: float, progress: Watcher
) -> None:
    path = str(_handed_over(ended, root))
    words = [word.replace(PLACEHOLDER, path) for word in command]
    if words == list(command):
        words.append(path)
    progress(RunEvent(kind="note", text=f"replanning: {shlex.join(words)}"))
    done = capture_blocking(
        words,
        env={**environ.snapshot(), "MSD_REVIEWS": path, "MSD_PHASE": ended.report.phase or ""},
        cwd=root,
        timeout_s=timeout_s,
        limit_bytes=REPLAN_BYTES,
    )
    if done.exit_status != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [done.problem or ""]
        how = "was ended at its deadline" if done.timed_out else f"ended with status {done.exit_status}"
        raise InputError(
            f"the replan command {how}: {said[0]}", hint="mend it and start again; the cycles go on"
        )
