"""Short commands whose output is wanted in memory: probes and git, bounded like every other process."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from anyio import CancelScope

from msd_review.edges.process_child import BytesSink, Child
from msd_review.edges.process_feed import Feed
from msd_review.edges.process_table import MARK
from msd_review.edges.process_trees import Command, Tree, new_tree

_DRAIN_S = 1.0
_BOUND_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What a short command printed, cut at the limit.

    `exit_status` is negative for a signal, and None when the command was never started (`problem` says why)
    or was ended at its deadline (`timed_out`).
    """

    exit_status: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    is_cut: bool = False
    problem: str | None = None


def problem_text(problem: OSError | ValueError) -> str:
    """What the platform said, and of which path."""
    if not isinstance(problem, OSError) or not problem.strerror:
        return str(problem)
    return f"{problem.strerror}: {problem.filename}" if problem.filename else problem.strerror


async def capture(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    timeout_s: float,
    limit_bytes: int,
    stdin: bytes | None = None,
    marker: str | None = None,
) -> Captured:
    """Runs a short command and returns what it printed; all of it is ended at the deadline.

    `argv[0]` is an absolute path, `env` the complete environment, `limit_bytes` holds for stdout and for
    stderr. With a `marker` (this command's alone) descendants that left its session are ended too: for
    programs that are not ours to trust. Never raises for what the command or the machine does.
    """
    shield = CancelScope(shield=True)
    stdout, stderr = BytesSink(limit_bytes), BytesSink(limit_bytes)
    marked = {**env, MARK: marker} if marker is not None else dict(env)
    try:
        feed = Feed(stdin)
    except OSError as problem:
        return Captured(exit_status=None, stdout=b"", stderr=b"", problem=problem_text(problem))
    child = Child({1: stdout, 2: stderr})
    tree = new_tree(marker, kept=False)
    try:
        await tree.start(Command(argv=tuple(argv), env=marked, cwd=cwd, stdin=feed.stdin), child)
        feed.begin(child.transport)
        await asyncio.wait({child.cause}, timeout=timeout_s)
        timed_out = not child.cause.done()
        await _finish(tree, child, timed_out=timed_out)
    except (OSError, ValueError) as problem:
        return Captured(exit_status=None, stdout=b"", stderr=b"", problem=problem_text(problem))
    else:
        return Captured(
            exit_status=tree.exited.result() if tree.exited.done() and not timed_out else None,
            stdout=bytes(stdout.content),
            stderr=bytes(stderr.content),
            timed_out=timed_out,
            is_cut=stdout.is_cut or stderr.is_cut,
        )
    finally:
        await _give_back(tree, child, feed, shield=shield)


async def _finish(tree: Tree, child: Child, *, timed_out: bool) -> None:
    if not timed_out:
        await asyncio.wait({child.drained}, timeout=_DRAIN_S)
    tree.kill()
    await tree.gone(_BOUND_S)
    await asyncio.wait({child.drained}, timeout=_DRAIN_S)


async def _give_back(tree: Tree, child: Child, feed: Feed, *, shield: CancelScope) -> None:
    with shield:
        tree.kill()
        await tree.gone(_BOUND_S)
        await feed.close()
        await child.close(bound_s=_BOUND_S)
        tree.close()


def capture_blocking(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    timeout_s: float,
    limit_bytes: int,
    stdin: bytes | None = None,
    marker: str | None = None,
) -> Captured:
    """`capture` for code that is not asynchronous; blocks the calling thread, an event loop's too."""

    def run() -> Captured:
        return asyncio.run(
            capture(
                argv,
                env=env,
                cwd=cwd,
                timeout_s=timeout_s,
                limit_bytes=limit_bytes,
                stdin=stdin,
                marker=marker,
            )
        )

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        return elsewhere.submit(run).result()
