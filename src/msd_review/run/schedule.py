"""Runs lanes side by side and hands over each result as it comes.

Invariants
- Every task gives exactly one result, whatever happens in it; no lane's trouble reaches a sibling.
- A lane's deadline begins when its turn does: waiting for its provider or for a free place costs it nothing.
- Attempts and the pauses between them share that one deadline.
- After the first wish to stop nothing new starts; what does not end politely in time is cancelled.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

import anyio

from msd_review.edges import clock
from msd_review.edges.faults import fault_point
from msd_review.edges.stopping import AT_ONCE, StopSignal
from msd_review.manifest.model import Transport
from msd_review.outcomes import Outcome, Reason
from msd_review.run.events import LaneEvent, Watcher
from msd_review.run.result import LaneResult
from msd_review.run.retries import retry_pause

_OVERRUN_S = 30.0  # how long a lane may take to end after its deadline before it is cancelled
_STOP_GRACE_S = {1: 20.0, AT_ONCE: 10.0}  # killing a tree takes up to 8 s


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt at a lane: which, and how much of the lane's time is left."""

    number: int
    remaining_ms: int
    stop: StopSignal
    on_progress: Callable[[int, int], None]  # bytes of stdout, bytes of stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneTask:
    """One lane to run. `run` may be called again for another attempt; `timeout_ms` holds for all of them."""

    identity: str
    slug: str
    section: str
    transport: Transport
    timeout_ms: int
    run: Callable[[Attempt], Awaitable[LaneResult]]
    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    evidence_class: str = "source-grounded"
    named: bool = False


@dataclass(slots=True)
class _Schedule:
    places: anyio.CapacityLimiter
    per_provider: int
    stop: StopSignal
    on_event: Watcher
    on_result: Callable[[LaneResult], None]
    providers: dict[str, anyio.CapacityLimiter] = field(default_factory=dict)
    running: set[anyio.CancelScope] = field(default_factory=set)
    results: dict[int, LaneResult] = field(default_factory=dict)
    troubles: list[Exception] = field(default_factory=list)
    is_watched: bool = True

    def tell(self, event: LaneEvent) -> None:
        """Watching is not essential: a watcher whose pipe was closed sees nothing more, and that is all."""
        if self.is_watched:
            try:
                self.on_event(event)
            except OSError:
                self.is_watched = False
            except Exception as problem:  # noqa: BLE001 - a fault of the watcher must not cost a lane its review
                self.troubles.append(problem)

    def keep(self, result: LaneResult) -> None:
        """A result that cannot be kept (a full disk) must not cost the other lanes theirs."""
        try:
            self.on_result(result)
        except Exception as problem:  # noqa: BLE001 - raised once every lane has ended
            self.troubles.append(problem)

    def provider(self, name: str) -> anyio.CapacityLimiter:
        return self.providers.setdefault(name, anyio.CapacityLimiter(self.per_provider))

    def cancel_running(self) -> None:
        for scope in tuple(self.running):
            scope.cancel()


async def run_lanes(
    tasks: Sequence[LaneTask],
    *,
    max_parallel: int | None = None,
    per_provider: int = 1,
    on_event: Watcher,
    on_result: Callable[[LaneResult], None],
    stop: StopSignal,
) -> tuple[LaneResult, ...]:
    """Runs every task; the results in the tasks' order.

    `max_parallel` None means all at once. `on_result` is called once for each lane, as it finishes. When it
    raises, the other lanes still finish; then the first such exception is raised. An OSError of `on_event`
    (nobody reads any more) only ends the watching.
    """
    schedule = _Schedule(
        places=anyio.CapacityLimiter(max(1, max_parallel or len(tasks) or 1)),
        per_provider=max(1, per_provider),
        stop=stop,
        on_event=on_event,
        on_result=on_result,
    )
    timers: list[asyncio.TimerHandle] = []
    loop = asyncio.get_running_loop()
    leave = stop.listen(
        lambda: timers.append(loop.call_later(_STOP_GRACE_S[stop.level], schedule.cancel_running))
    )
    try:
        async with anyio.create_task_group() as group:
            for index, task in enumerate(tasks):
                group.start_soon(_lane, schedule, index, task)
    finally:
        leave()
        for timer in timers:
            timer.cancel()
    if schedule.troubles:
        raise schedule.troubles[0]
    return tuple(schedule.results[index] for index in range(len(tasks)))


async def _lane(schedule: _Schedule, index: int, task: LaneTask) -> None:
    schedule.tell(LaneEvent(kind="queued", identity=task.identity, model=task.model))
    fault_point("lane.queued")
    async with AsyncExitStack() as turn:
        if task.provider is not None:
            await turn.enter_async_context(schedule.provider(task.provider))
        await turn.enter_async_context(schedule.places)
        result = await _bounded(schedule, task)
    fault_point("lane.ended")
    schedule.results[index] = result
    event = LaneEvent(
        kind="finished",
        identity=task.identity,
        model=result.model,
        duration_ms=result.duration_ms,
        output_bytes=result.stdout_bytes,
        text=result.detail,
        attempt=result.attempts,
        result=result,
    )
    schedule.keep(result)
    schedule.tell(event)


async def _bounded(schedule: _Schedule, task: LaneTask) -> LaneResult:
    """The lane's result, also when its code hangs, is cancelled or fails."""
    if schedule.stop.asked():
        return _ended(task, Outcome.CANCELLED, Reason.CANCELLED, "stopped before it began")
    started, started_at = clock.monotonic(), clock.iso(clock.now())
    result = _ended(task, Outcome.CANCELLED, Reason.CANCELLED, "stopped")
    with anyio.move_on_after(task.timeout_ms / 1000 + _OVERRUN_S) as scope:
        schedule.running.add(scope)
        try:
            result = await _attempts(schedule, task)
        except Exception as problem:  # noqa: BLE001 - a fault in one lane must never cost the others their reviews
            result = _ended(task, Outcome.FAILED, Reason.SPAWN_FAILED, _fault_text(problem))
        finally:
            schedule.running.discard(scope)
    if scope.cancelled_caught and not schedule.stop.asked():
        result = _ended(task, Outcome.FAILED, Reason.TIMEOUT, "did not end after its deadline")
    took = round((clock.monotonic() - started) * 1000)
    return replace(result, duration_ms=took, started_at=result.started_at or started_at)


async def _attempts(schedule: _Schedule, task: LaneTask) -> LaneResult:
    deadline = clock.monotonic() + task.timeout_ms / 1000
    number = 1
    while True:
        schedule.tell(LaneEvent(kind="started", identity=task.identity, model=task.model, attempt=number))
        remaining = max(1, round((deadline - clock.monotonic()) * 1000))
        result = await task.run(_attempt(schedule, task, number=number, remaining_ms=remaining))
        result = replace(result, attempts=number)
        pause = retry_pause(task.transport, result, attempt=number, chance=random.random())
        if pause is None or schedule.stop.asked() or clock.monotonic() + pause >= deadline:
            return result
        schedule.tell(_attempt_event(task, result, pause))
        await _wait(pause, schedule.stop)
        if schedule.stop.asked():
            return result
        number += 1


def _attempt(schedule: _Schedule, task: LaneTask, *, number: int, remaining_ms: int) -> Attempt:
    def on_progress(stdout_bytes: int, stderr_bytes: int) -> None:
        schedule.tell(
            LaneEvent(kind="output", identity=task.identity, output_bytes=stdout_bytes, attempt=number)
        )

    return Attempt(number=number, remaining_ms=remaining_ms, stop=schedule.stop, on_progress=on_progress)


def _attempt_event(task: LaneTask, result: LaneResult, pause: float) -> LaneEvent:
    why = result.reason or result.outcome
    text = f"attempt {result.attempts}: {why}" + (f", {result.detail}" if result.detail else "")
    return LaneEvent(
        kind="attempt",
        identity=task.identity,
        attempt=result.attempts,
        text=f"{text}; again in {pause:.1f} s",
    )


async def _wait(seconds: float, stop: StopSignal) -> None:
    """Sleeps, but not through a wish to stop."""
    stopped = asyncio.Event()
    leave = stop.listen(stopped.set)
    try:
        with anyio.move_on_after(seconds):
            await stopped.wait()
    finally:
        leave()


def _fault_text(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".splitlines()[0][:300]


def _ended(task: LaneTask, outcome: Outcome, reason: Reason, detail: str) -> LaneResult:
    return LaneResult(
        identity=task.identity,
        slug=task.slug,
        section=task.section,
        outcome=outcome,
        reason=reason,
        detail=detail,
        model=task.model,
        effort=task.effort,
        provider=task.provider,
        evidence_class=task.evidence_class,
        named=task.named,
    )
