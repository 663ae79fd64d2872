"""The process of one run that a server started: does what its folder says, and leaves how it ended there.

Not for people: the folder must have been reserved by a server, and is used once.
"""

from pathlib import Path
from typing import Any

from msd_review.app.code_review import code_review
from msd_review.app.events import RunEvent
from msd_review.app.review import review
from msd_review.app.world import World, load_world
from msd_review.errors import MsdError, UsageError
from msd_review.mcp_server import arguments, kept
from msd_review.mcp_server.kept import Kept, Start
from msd_review.mcp_server.refusal import as_json
from msd_review.mcp_server.requests import code_review_request, review_request
from msd_review.run import store
from msd_review.run.interrupts import term_as_interrupt
from msd_review.run.store import RunInfo

_INTERRUPTED, _FAULT = 130, 70


def run_reserved(run_id: str) -> int:
    """Runs the review that was asked for in the reserved folder; its exit code. Raises MsdError."""
    info = store.find_run(store.runs_folder(), run_id)
    start = kept.read_start(info.folder)
    if start is None or info.state != "broken":
        raise UsageError(f"the run {run_id} was not reserved, or has begun already")
    info = store.new_run(
        info.folder.parent,
        subject="",
        title="not known yet",
        command=start.command,
        root=Path(start.root),
        reserved=run_id,
    )
    with term_as_interrupt():
        try:
            exit_code, document = _review(start, run_id)
        except BaseException as problem:
            _failed(info, problem)
            raise
        kept.write_outcome(info.folder, Kept(exit_code=exit_code, document=document))
        _end(info, "finished", exit_code)
    return exit_code


def _review(start: Start, run_id: str) -> tuple[int, dict[str, Any]]:
    root = Path(start.root)
    world = load_world(root)
    given = arguments.checked(start.tool, start.arguments)
    if start.tool == "start_review":
        return _plan_review(world, arguments.asked_review(given), root, run_id)
    return _code_review(world, arguments.asked_code_review(given), root, run_id)


def _plan_review(
    world: World, asked: arguments.AskedReview, root: Path, run_id: str
) -> tuple[int, dict[str, Any]]:
    ended = review(world, review_request(root, asked, run_id=run_id), progress=_tell, ask=_nobody_to_ask)
    return ended.exit_code, ended.document


def _code_review(
    world: World, asked: arguments.AskedCodeReview, root: Path, run_id: str
) -> tuple[int, dict[str, Any]]:
    request = code_review_request(root, asked, run_id=run_id)
    ended = code_review(world, request, progress=_tell, ask=_nobody_to_ask)
    return ended.exit_code, ended.document


def _nobody_to_ask(_receivers: object) -> bool | None:
    return None


def _tell(_event: RunEvent) -> None:
    """Nobody watches: the journal has it all."""


def _failed(info: RunInfo, problem: BaseException) -> None:
    """Leaves why there is no review, whatever it was."""
    if isinstance(problem, KeyboardInterrupt):
        problem = MsdError("it was interrupted")
        exit_code = _INTERRUPTED
    elif isinstance(problem, MsdError):
        exit_code = problem.exit_code
    else:
        problem = MsdError(f"a fault in msd: {type(problem).__name__}: {problem}")
        exit_code = _FAULT
    try:
        kept.write_outcome(info.folder, Kept(exit_code=exit_code, error=as_json(problem)))
    finally:
        _end(info, "interrupted" if exit_code == _INTERRUPTED else "failed", exit_code)


def _end(info: RunInfo, state: Any, exit_code: int) -> None:
    """Records the end where the use case itself has not: nothing had begun, or nothing had changed."""
    if store.read_run(info.folder).state == "running":
        store.end_run(info, state=state, exit_code=exit_code)
