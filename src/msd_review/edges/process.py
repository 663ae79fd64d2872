"""The only place that starts processes: in a session of their own, bounded in time and bytes, ended as a tree.

Invariants
- No shell; arguments are a list; the program is an absolute path.
- One deadline for the whole tree, on a clock that stands still while the machine sleeps: a suspended laptop
  costs no review, and no change of the wall clock moves it. It starts when the process has started.
- What ends is everything that came of the process, also what left its group, its session or its parents.
  Ending never raises; every wait has a bound.
- Output goes to files under caps as it comes; the prompt is fed from its file while output is read. Neither
  is ever held whole in memory.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from anyio import CancelScope

from msd_review.edges.capture import Captured, capture, capture_blocking, problem_text
from msd_review.edges.faults import fault_point
from msd_review.edges.process_child import Cause, CauseKind, Child, FileSink, Sink
from msd_review.edges.process_feed import Feed
from msd_review.edges.process_supervision import Output, ProcessSpec, Progress, Supervision, Verdict
from msd_review.edges.process_table import MARK
from msd_review.edges.process_trees import Command, Tree, new_tree
from msd_review.edges.stopping import AT_ONCE, StopSignal

__all__ = [
    "MARK",
    "Captured",
    "Output",
    "ProcessEnd",
    "ProcessSpec",
    "Progress",
    "Verdict",
    "capture",
    "capture_blocking",
    "run_process",
]

DRAIN_S = 1.0  # how long a pipe is read on after the leader ended while somebody else holds it
KILL_BOUND_S = 8.0  # how long a tree is killed before it is given up
_CLOSE_BOUND_S = 2.0

EndKind = CauseKind | Literal["spawn_failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a process ended: facts alone.

    `kind` `replied`: the answer was complete and the process would not end. `complete` is True when `on_quiet`
    said so, whatever ended the process. `exit_status` is negative for a signal, None when it was never
    started or nobody could learn it. `survivors` counts processes that even a kill did not end.
    """

    kind: EndKind
    exit_status: int | None
    stdout_bytes: int
    stderr_bytes: int
    duration_s: float
    problem: str | None = None
    complete: bool = False
    survivors: int = 0


def _sinks(spec: ProcessSpec) -> dict[int, Sink]:
    stdout = FileSink(spec.stdout_path, spec.stdout_limit)
    try:
        return {1: stdout, 2: FileSink(spec.stderr_path, spec.stderr_limit)}
    except OSError:
        stdout.close()
        raise


def _command(spec: ProcessSpec, feed: Feed) -> Command:
    env = {**spec.env, MARK: spec.marker}
    return Command(argv=spec.argv, env=env, cwd=spec.cwd, stdin=feed.stdin)


@contextlib.contextmanager
def _told_to_stop(stop: StopSignal | None, child: Child) -> Iterator[asyncio.Event]:
    """Settles the run when a person wants to stop; the event is set when they want it at once."""
    hurry = asyncio.Event()

    def listen() -> None:
        child.settle("cancelled", "stopped")
        if stop is not None and stop.level == AT_ONCE:
            hurry.set()

    leave = stop.listen(listen) if stop is not None else None
    try:
        yield hurry
    finally:
        if leave is not None:
            leave()


async def _end(tree: Tree, child: Child, *, cause: Cause, grace_s: float, hurry: asyncio.Event) -> int:
    """Ends whatever still runs, politely where that makes sense; how many processes are left."""
    fault_point("process.ending")
    if cause.kind == "exited":
        await asyncio.wait({child.drained}, timeout=DRAIN_S)
    elif not hurry.is_set():
        tree.terminate()
        hurried = asyncio.ensure_future(hurry.wait())
        either: set[asyncio.Future[Any]] = {tree.exited, hurried}
        await asyncio.wait(either, timeout=grace_s, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
    tree.kill()
    survivors = await tree.gone(KILL_BOUND_S)
    await asyncio.wait({child.drained}, timeout=DRAIN_S)
    return survivors


async def _give_back(tree: Tree, child: Child, feed: Feed, *, shield: CancelScope) -> None:
    """A cancelled run must not leave anything behind either."""
    with shield:
        tree.kill()
        await tree.gone(KILL_BOUND_S)
        await feed.close()
        await child.close(bound_s=_CLOSE_BOUND_S)
        tree.close()


def _never_started(problem: OSError | ValueError) -> ProcessEnd:
    return ProcessEnd(
        kind="spawn_failed",
        exit_status=None,
        stdout_bytes=0,
        stderr_bytes=0,
        duration_s=0.0,
        problem=problem_text(problem),
    )


async def run_process(
    spec: ProcessSpec, *, on_progress: Progress | None = None, stop: StopSignal | None = None
) -> ProcessEnd:
    """Runs one process to its end, whatever that is, and leaves nothing of it behind.

    Never raises for what the process or the machine does; a cancelled task kills the tree, then passes the
    cancellation on. `on_progress` is called at most four times a second, when output came.
    """
    fault_point("process.starting")
    shield = CancelScope(shield=True)  # made while there are descriptors left: what it needs is loaded by it
    try:
        feed = Feed(spec.stdin_path)
    except OSError as problem:
        return _never_started(problem)
    try:
        child = Child(_sinks(spec))
    except OSError as problem:
        await feed.close()
        return _never_started(problem)
    tree = new_tree(spec.marker, kept=True)
    try:
        try:
            await tree.start(_command(spec, feed), child)
        except (OSError, ValueError) as problem:  # ValueError: a NUL in an argument or the environment
            return _never_started(problem)
        return await _watched(spec, tree, child, feed=feed, on_progress=on_progress, stop=stop)
    finally:
        await _give_back(tree, child, feed, shield=shield)


async def _watched(
    spec: ProcessSpec,
    tree: Tree,
    child: Child,
    *,
    feed: Feed,
    on_progress: Progress | None,
    stop: StopSignal | None,
) -> ProcessEnd:
    fault_point("process.started")
    started = child.loop.time()
    feed.begin(child.transport)
    watching = Supervision(spec, child, on_progress)
    with _told_to_stop(stop, child) as hurry:
        cause = await watching.cause()
        survivors = await _end(tree, child, cause=cause, grace_s=spec.term_grace_s, hurry=hurry)
    if cause.kind == "exited" and child.broken is not None:
        cause = child.broken
    fault_point("process.ended")
    stdout_bytes, stderr_bytes = child.sizes()
    left = f"{survivors} of its processes could not be ended" if survivors else None
    return ProcessEnd(
        kind=cause.kind,
        exit_status=tree.exited.result() if tree.exited.done() else None,
        stdout_bytes=stdout_bytes,
        stderr_bytes=stderr_bytes,
        duration_s=child.loop.time() - started,
        problem="; ".join(filter(None, (cause.problem, left))) or None,
        complete=watching.is_complete,
        survivors=survivors,
    )
