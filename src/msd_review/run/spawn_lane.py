"""Runs one approved command of a lane and says how it ended; whether that is a review is judged elsewhere.

Whatever the tool does, the result is an `Ending`: nothing here raises for it.
"""

import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from msd_review.edges import files
from msd_review.edges.faults import fault_point
from msd_review.edges.process import Output, ProcessEnd, ProcessSpec, Verdict, run_process
from msd_review.edges.stopping import StopSignal
from msd_review.run.login_prompts import LONGEST_BEFORE, TAIL_BYTES, login_prompt
from msd_review.run.result import Ending, EndKind
from msd_review.trust.policy import ApprovedSpawn

STDOUT_LIMIT = 16 * 1024 * 1024
STDERR_LIMIT = 4 * 1024 * 1024
_PROMPT_LIMIT = 64 * 1024 * 1024
# A big output is read and parsed to see whether it is complete: by one lane at a time, so that many lanes
# that fall silent together do not hold all of their outputs in memory.
_one_judge = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnPlace:
    """Where one attempt of a lane runs: its private folder (0700), its working folder, its complete environment.

    `marker` is this attempt's alone, and starts with the run's id and a slash.
    """

    folder: Path
    cwd: Path
    env: Mapping[str, str]
    marker: str


async def run_spawn(
    approved: ApprovedSpawn,
    place: SpawnPlace,
    *,
    timeout_ms: int | None = None,
    is_done: Callable[[bytes], bool] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    stop: StopSignal | None = None,
) -> Ending:
    """Starts exactly the approved binary and waits for its end.

    `timeout_ms` may be shorter than the invocation's own (a second attempt has what the first one left).
    `is_done` is given all of stdout so far and says whether its structure shows the answer complete.
    `on_progress` gets the bytes of stdout and stderr. Times in the `Ending` are milliseconds.
    """
    invocation = approved.invocation
    spec = _spec(approved, place, timeout_ms=timeout_ms, is_done=is_done)
    fault_point("lane.starting")
    try:
        _remove_old_output(invocation.output_path)
    except OSError as problem:
        return _not_started(spec, f"{invocation.output_path} is in the way: {problem.strerror or problem}")
    end = await run_process(spec, on_progress=on_progress, stop=stop)
    fault_point("lane.attempt_ended")
    return _ending(spec, end, output_path=_written_output(invocation.output_path))


def _spec(
    approved: ApprovedSpawn,
    place: SpawnPlace,
    *,
    timeout_ms: int | None,
    is_done: Callable[[bytes], bool] | None,
) -> ProcessSpec:
    invocation = approved.invocation
    bound_ms = invocation.timeout_ms if timeout_ms is None else min(timeout_ms, invocation.timeout_ms)
    idle_ms = invocation.idle_timeout_ms
    return ProcessSpec(
        argv=(str(approved.binary), *invocation.argv[1:]),
        env=place.env,
        cwd=place.cwd,
        stdin_path=invocation.prompt_path if invocation.stdin else None,
        stdout_path=place.folder / "stdout",
        stderr_path=place.folder / "stderr",
        stdout_limit=STDOUT_LIMIT,
        stderr_limit=STDERR_LIMIT,
        timeout_s=bound_ms / 1000,
        idle_timeout_s=idle_ms / 1000 if idle_ms is not None else None,
        marker=place.marker,
        on_quiet=_judge(invocation.prompt_path, is_done),
    )


def _judge(prompt_path: Path, is_done: Callable[[bytes], bool] | None) -> Callable[[Output], Verdict | None]:
    def judge(output: Output) -> Verdict | None:
        if _asks_to_log_in(output, prompt_path):
            return "login_prompt"
        if is_done is None or output.stdout_bytes == 0:
            return None
        with _one_judge:
            return "complete" if is_done(_content(output.stdout_path, STDOUT_LIMIT)) else None

    return judge


def _asks_to_log_in(output: Output, prompt_path: Path) -> bool:
    streams = [output.stderr_path]
    if output.stdout_bytes <= LONGEST_BEFORE:
        streams.append(output.stdout_path)
    questions = [question for path in streams if (question := login_prompt(_tail(path))) is not None]
    if not questions:
        return False
    prompt = _content(prompt_path, _PROMPT_LIMIT)
    return any(question.encode() not in prompt for question in questions)


def _content(path: Path, limit: int) -> bytes:
    try:
        return files.read_bounded(path, limit)
    except OSError:
        return b""


def _tail(path: Path) -> bytes:
    try:
        with path.open("rb") as handle:
            handle.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return handle.read(TAIL_BYTES)
    except OSError:
        return b""


def _remove_old_output(path: Path | None) -> None:
    if path is not None:
        path.unlink(missing_ok=True)


def _written_output(path: Path | None) -> Path | None:
    """The file that the tool wrote: a regular file, not a link to something else."""
    if path is None:
        return None
    try:
        return path if stat.S_ISREG(path.lstat().st_mode) else None
    except OSError:
        return None


def _ending(spec: ProcessSpec, end: ProcessEnd, *, output_path: Path | None) -> Ending:
    kind: EndKind = "timeout" if end.kind == "replied" else end.kind
    return Ending(
        kind=kind,
        exit_status=end.exit_status,
        stdout_path=spec.stdout_path,
        stderr_path=spec.stderr_path,
        output_path=output_path,
        stdout_bytes=end.stdout_bytes,
        stderr_bytes=end.stderr_bytes,
        duration_ms=round(end.duration_s * 1000),
        problem=end.problem,
        killed_after_reply=end.complete and end.kind != "exited",
    )


def _not_started(spec: ProcessSpec, problem: str) -> Ending:
    return Ending(
        kind="spawn_failed",
        exit_status=None,
        stdout_path=spec.stdout_path,
        stderr_path=spec.stderr_path,
        output_path=None,
        stdout_bytes=0,
        stderr_bytes=0,
        duration_ms=0,
        problem=problem,
    )
