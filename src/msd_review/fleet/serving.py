"""A worker and a scheduler, served until they are told to stop.

A worker whose scheduler goes away waits for it to come back, for a bounded time; what its lanes do meanwhile goes
on. Both are Dask's own, set up so that nothing but the work is served and nothing off loopback without TLS.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from distributed import Scheduler, Worker
from distributed.core import Status

from msd_review.edges import clock
from msd_review.errors import UsageError
from msd_review.fleet import offers, tasks
from msd_review.fleet.desk import DeskPlace, open_desk
from msd_review.fleet.offers import Capacity
from msd_review.fleet.security import Tls, dask_security, host_of, is_loopback
from msd_review.fleet.settings import set_dask

_QUIET_HTTP = "127.0.0.1:0"  # Dask opens a port for pages; it has none here
_RETRY_S = 1.0
_FIRST_TRY_S = 10.0
_CLOSE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPlan:
    """How a worker is served. `scheduler` is a checked address; `reconnect_s` how long it waits for a lost one."""

    scheduler: str
    name: str
    place: DeskPlace
    capacity: Capacity
    standings: Mapping[str, Mapping[str, Any]]
    tls: Tls | None = None
    reconnect_s: float = 600.0
    memory_bytes: int = 2 * 1024**3


Told = Callable[[str], None]


async def serve_worker(plan: WorkerPlan, stop: asyncio.Event, *, tell: Told) -> None:
    """Serves until `stop` is set. Raises UsageError where no scheduler answers, at first or any more."""
    set_dask()
    desk = open_desk(plan.place)
    offered = offers.offer(plan.name, plan.standings, plan.capacity)
    tasks.serve_with(desk, offered)
    deadline = clock.monotonic() + min(_FIRST_TRY_S, plan.reconnect_s)
    try:
        while not stop.is_set():
            was_there = await _one_connection(plan, offered, stop, tell=tell, deadline=deadline)
            if stop.is_set():
                return
            if was_there:
                tell(f"the scheduler at {plan.scheduler} went away; waiting for it")
                deadline = clock.monotonic() + plan.reconnect_s
            elif clock.monotonic() >= deadline:
                raise UsageError(f"no scheduler answers at {plan.scheduler}")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _RETRY_S)
    finally:
        await asyncio.to_thread(desk.close)


async def _one_connection(
    plan: WorkerPlan, offered: Mapping[str, Any], stop: asyncio.Event, *, tell: Told, deadline: float
) -> bool:
    """Serves one scheduler until it or we go; False when it was never there."""
    try:
        worker = await _started(plan, offered, deadline)
    except (OSError, TimeoutError, RuntimeError):
        return False
    tell(f"serving {plan.scheduler} as {plan.name}")
    stopping = asyncio.create_task(stop.wait())
    ending = asyncio.create_task(_finished(worker))
    await asyncio.wait({stopping, ending}, return_when=asyncio.FIRST_COMPLETED)
    if worker.status not in {Status.closed, Status.failed}:
        with contextlib.suppress(TimeoutError, OSError):
            await asyncio.wait_for(worker.close(timeout=_CLOSE_S, executor_wait=False), 2 * _CLOSE_S)
    for task in (stopping, ending):
        task.cancel()
    return True


async def _finished(server: Any) -> None:
    await server.finished()


async def _started(plan: WorkerPlan, offered: Mapping[str, Any], deadline: float) -> Worker:
    host = host_of(plan.scheduler)
    left = max(1.0, deadline - clock.monotonic())
    make: Any = Worker  # it bears no types
    worker: Worker = await make(
        plan.scheduler,
        name=plan.name,
        nthreads=plan.capacity.jobs,
        resources=offers.resources(offered, plan.capacity),
        host=host if is_loopback(host) else None,
        security=dask_security(plan.tls),
        memory_limit=plan.memory_bytes,
        local_directory=str(plan.place.folder / "dask"),
        death_timeout=left,
        dashboard=False,
        dashboard_address=_QUIET_HTTP,
    )
    return worker


async def serve_scheduler(
    address: str, tls: Tls | None, stop: asyncio.Event, *, tell: Callable[[str], None]
) -> None:
    """Serves a scheduler at a checked address (port 0: any) until `stop` is set; `tell` is told its address."""
    set_dask()
    make: Any = Scheduler
    try:
        scheduler = await make(
            host=address,
            security=dask_security(tls),
            dashboard=False,
            dashboard_address=_QUIET_HTTP,
        )
    except OSError as problem:
        raise UsageError(f"{address} cannot be listened on: {problem.strerror or problem}") from None
    tell(str(scheduler.address))
    stopping = asyncio.create_task(stop.wait())
    ending = asyncio.create_task(_finished(scheduler))
    await asyncio.wait({stopping, ending}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    with contextlib.suppress(TimeoutError, OSError):
        await asyncio.wait_for(scheduler.close(), _CLOSE_S)


def stop_on_signals(stop: asyncio.Event) -> None:
    """INT and TERM set `stop`."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop.set)
