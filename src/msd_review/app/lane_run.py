"""One attempt at one approved lane: started, read, judged, its text put into the run's folder."""

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from msd_review import handlers
from msd_review.config.layers import Config
from msd_review.edges import clock, environ, files
from msd_review.edges.addresses import AddressBook
from msd_review.invocation import SpawnInvocation
from msd_review.manifest.model import Lane
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.classify import classify
from msd_review.run.decoding import decode, without_terminal_sequences
from msd_review.run.environment import child_environment
from msd_review.run.http_lane import run_http
from msd_review.run.reading import is_complete, read_output
from msd_review.run.result import Ending, LaneResult, Reading, Verdict
from msd_review.run.schedule import Attempt
from msd_review.run.spawn_lane import STDERR_LIMIT, STDOUT_LIMIT, SpawnPlace, run_spawn
from msd_review.run.sweep import lane_mark
from msd_review.run.workspace import map_back
from msd_review.trust.policy import Approved, ApprovedHttp, ApprovedSpawn

TEXT_NAME = "review.md"
_STDERR_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlace:
    """What every lane of a run shares."""

    run_id: str
    config: Config
    prompt_texts: dict[Path, str]
    home: Path
    lanes: tuple[Lane, ...]  # all of the roster: whose session variables no child inherits
    root: Path  # the real tree
    addresses: AddressBook  # each name is resolved once for the whole run
    # Reading a large output takes several times its size in memory: one lane at a time. It belongs to this run's
    # event loop: a process may run several reviews, each on a loop of its own.
    one_reader: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))


async def attempt_lane(
    approved: Approved, attempt: Attempt, *, place: RunPlace, folder: Path, marks: tuple[Mark, ...]
) -> LaneResult:
    """Runs one attempt; never raises for anything that a tool or a server does."""
    if isinstance(approved, ApprovedHttp):
        return await _attempt_http(approved, attempt, place=place, folder=folder, marks=marks)
    return await _attempt_spawn(approved, attempt, place=place, folder=folder, marks=marks)


async def _attempt_http(
    approved: ApprovedHttp, attempt: Attempt, *, place: RunPlace, folder: Path, marks: tuple[Mark, ...]
) -> LaneResult:
    key_name = approved.invocation.api_key_env
    return await run_http(
        approved,
        folder=folder,
        prompt=place.prompt_texts[approved.invocation.prompt_path],
        api_key=environ.get(key_name) if key_name else None,
        timeout_ms=attempt.remaining_ms,
        stop=attempt.stop,
        marks=marks,
        on_progress=attempt.on_progress,
        book=place.addresses,
    )


async def _attempt_spawn(
    approved: ApprovedSpawn, attempt: Attempt, *, place: RunPlace, folder: Path, marks: tuple[Mark, ...]
) -> LaneResult:
    invocation = approved.invocation
    lane = invocation.lane
    mark = lane_mark(place.run_id, invocation.identity, attempt.number)
    started_at = clock.iso(clock.now())
    _put_back(invocation, place=place, folder=folder)
    note = handlers.before_start(lane.handler, home=place.home, workspace=invocation.working_folder)
    ending = await run_spawn(
        approved,
        SpawnPlace(
            folder=folder,
            cwd=invocation.working_folder,
            env=child_environment(
                invocation,
                environ.snapshot(),
                lanes=place.lanes,
                run_id=place.run_id,
                minimal=place.config.get("review.env_policy").value == "minimal",
            ),
            marker=mark,
        ),
        timeout_ms=attempt.remaining_ms,
        is_done=partial(is_complete, lane),
        on_progress=attempt.on_progress,
        stop=attempt.stop,
    )
    async with place.one_reader:
        return await asyncio.to_thread(
            _result, approved, ending, note, place=place, folder=folder, marks=marks, started_at=started_at
        )


def _put_back(invocation: SpawnInvocation, *, place: RunPlace, folder: Path) -> None:
    """The lane's folder and prompt, where a reviewer that ran before has removed or rewritten them.

    What cannot be put back is met, and told, when the lane starts.
    """
    prompt = place.prompt_texts[invocation.prompt_path].encode("utf-8", "replace")
    with contextlib.suppress(OSError):
        files.make_private(folder)
        if _bytes(invocation.prompt_path, len(prompt)) != prompt:
            files.make_private(invocation.prompt_path.parent)
            files.write_atomic(invocation.prompt_path, prompt, mode=0o600)


def _bytes(path: Path | None, limit: int) -> bytes | None:
    if path is None:
        return None
    try:
        return files.read_bounded(path, limit)
    except OSError:
        return b""


def _result(
    approved: ApprovedSpawn,
    ending: Ending,
    note: object | None,
    *,
    place: RunPlace,
    folder: Path,
    marks: tuple[Mark, ...],
    started_at: str,
) -> LaneResult:
    invocation = approved.invocation
    stderr = _bytes(ending.stderr_path, STDERR_LIMIT) or b""
    reading = read_output(
        invocation.lane,
        stdout=_bytes(ending.stdout_path, STDOUT_LIMIT) or b"",
        stderr=stderr,
        output_file=_bytes(ending.output_path, STDOUT_LIMIT),
        exit_status=ending.exit_status if ending.kind == "exited" else None,
        note=note,
    )
    tail = without_terminal_sequences(decode(stderr[-64 * 1024 :]))
    verdict = classify(
        invocation.lane,
        ending,
        reading,
        stderr=tail,
        prompt=place.prompt_texts.get(invocation.prompt_path, ""),
    )
    if invocation.working_folder != place.root:
        reading = replace(
            reading, text=map_back(reading.text, copy=invocation.working_folder, root=place.root)
        )
    return _as_result(
        invocation, ending, reading, verdict, folder=folder, marks=marks, started_at=started_at, tail=tail
    )


def _as_result(
    invocation: SpawnInvocation,
    ending: Ending,
    reading: Reading,
    verdict: Verdict,
    *,
    folder: Path,
    marks: tuple[Mark, ...],
    started_at: str,
    tail: str,
) -> LaneResult:
    lane = invocation.lane
    outcome, reason, detail = verdict.outcome, verdict.reason, verdict.detail
    text_path = None
    if outcome in {Outcome.REVIEW, Outcome.PARTIAL}:
        try:
            text_path = write_text(folder, reading.text)
        except OSError as problem:
            outcome, reason = Outcome.FAILED, Reason.RESOURCES
            detail = f"its review cannot be kept: {problem.strerror or problem}"
    return LaneResult(
        identity=invocation.identity,
        slug=lane.slug,
        section=lane.reviews_section,
        outcome=outcome,
        reason=reason,
        detail=detail,
        hint=verdict.hint,
        marks=tuple(dict.fromkeys((*verdict.marks, *marks))) if text_path else (),
        text_path=text_path,
        model=reading.model or invocation.model,
        effort=invocation.effort,
        provider=lane.provider,
        evidence_class=lane.evidence_class,
        usage=reading.usage,
        started_at=started_at,
        duration_ms=ending.duration_ms,
        exit_status=ending.exit_status,
        end_kind=ending.kind,
        stderr_tail=tuple(line for line in tail.splitlines() if line.strip())[-_STDERR_LINES:],
        diagnosis=reading.diagnosis,
        stdout_bytes=ending.stdout_bytes,
        named=invocation.named,
    )


def write_text(folder: Path, text: str) -> Path:
    """Keeps a delivered text in a lane's folder. Raises OSError."""
    path = files.make_private(folder) / TEXT_NAME
    files.write_atomic(path, text.encode("utf-8", "replace"), mode=0o600)
    return path
