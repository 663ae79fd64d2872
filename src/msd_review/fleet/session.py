"""The connection to a scheduler: kept up, made anew when it breaks, given up after a bounded time.

Invariants
- A piece of work ends in an answer, or in one of two ways to be lost: its worker went, or the scheduler did. It
  never waits for a worker that is gone.
- What a broken connection had in flight is lost to us, not to the workers: asked again, they answer what they have.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from distributed import CancelledError, Client
from distributed.scheduler import KilledWorker

from msd_review.edges import clock
from msd_review.errors import MsdError
from msd_review.fleet import tasks
from msd_review.fleet.placement import Place, Placement
from msd_review.fleet.security import Tls, dask_security
from msd_review.fleet.wire import Job, is_answer

_LOOK_S = 1.0
_CONNECT_S = 5.0
_ASK_S = 10.0


class WorkerLost(Exception):
    """The worker that had the job is gone."""


class SchedulerLost(Exception):
    """The connection broke while the job was in flight."""


class ClusterGone(MsdError):
    """The scheduler did not come back in time; what finished is kept."""

    exit_code = 3


@dataclass(slots=True)
class Session:
    """One client of one scheduler, whatever happens to the connection."""

    address: str
    tls: Tls | None
    placement: Placement
    reconnect_s: float
    tell: Callable[[str], None]
    client: Any = None
    up: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    count: int = 0
    homes: dict[str, str] = field(default_factory=dict)  # job key → the worker that has it from before

    async def keep(self) -> None:
        """Keeps the connection and looks at the workers until it is cancelled; sets `gone` when it gives up."""
        lost_at = clock.monotonic()
        is_first = True
        while True:
            if self.client is None:
                await self._connect()
            if self.client is not None and await self._look():
                lost_at = clock.monotonic()
                is_first = False
                await asyncio.sleep(_LOOK_S)
                continue
            if not is_first and self.up.is_set():
                self.tell(f"the scheduler at {self.address} went away; waiting for it")
            await self._drop()
            if clock.monotonic() - lost_at >= (min(self.reconnect_s, 15.0) if is_first else self.reconnect_s):
                self.gone.set()
                await self.placement.give_up()
                return
            await asyncio.sleep(0.5)

    async def _connect(self) -> None:
        make: Any = Client
        client = None
        with contextlib.suppress(OSError, TimeoutError, ValueError, RuntimeError):
            client = make(
                self.address,
                security=dask_security(self.tls),
                asynchronous=True,
                timeout=_CONNECT_S,
                name="msd-fleet",
            )
            await client
            self.client = client
            return
        if client is not None:
            await _closed(client)

    async def _look(self) -> bool:
        """Whether the scheduler answers; then the placement knows its workers."""
        try:
            seen = await asyncio.wait_for(self.client.scheduler.identity(), _ASK_S)
        except (OSError, TimeoutError, CancelledError, AttributeError, RuntimeError):
            return False
        if self.client.status != "running":
            return False
        workers = {
            address: dict(one.get("resources") or {})
            for address, one in seen["workers"].items()
            if one.get("status") in {"running", "paused"}
        }
        await self._learn(workers)
        await self.placement.update(workers)
        self.up.set()
        return True

    async def _learn(self, workers: Mapping[str, Any]) -> None:
        """Asks workers that are new what they offer, and why not the rest."""
        known = self.placement.offers
        if workers.keys() - known.keys():
            said = await self.ask_workers(tasks.describe)
            known |= {address: one for address, one in said.items() if isinstance(one, dict)}
        for gone in known.keys() - workers.keys():
            del known[gone]

    async def _drop(self) -> None:
        self.up.clear()
        await self.placement.disconnected()
        client, self.client = self.client, None
        if client is not None:
            await _closed(client)

    async def connected(self) -> None:
        """Waits for a connection. Raises ClusterGone when there will be none."""
        while not self.up.is_set():
            if self.gone.is_set():
                raise ClusterGone(
                    f"no scheduler answers at {self.address}; what finished is kept",
                    hint="run the same command again to continue",
                )
            await _first_of(self.up, self.gone)

    async def run(self, job: Job, place: Place, *, priority: int = 0) -> dict[str, Any]:
        """The answer to a job on the worker of a place. Raises WorkerLost and SchedulerLost."""
        client = self.client
        if client is None:
            raise SchedulerLost
        self.count += 1
        try:
            future = client.submit(
                tasks.run_job,
                job.to_json(),
                key=f"{job.key}.{self.count}",
                workers=[place.worker],
                allow_other_workers=False,
                resources=place.resources,
                priority=priority,
                retries=0,
                pure=False,
            )
        except (OSError, RuntimeError, ValueError) as problem:
            raise SchedulerLost from problem
        return await self._answer(client, future, place)

    async def _answer(self, client: Any, future: Any, place: Place) -> dict[str, Any]:
        waiting = asyncio.ensure_future(_result(future))
        try:
            while not (await asyncio.wait({waiting}, timeout=_LOOK_S))[0]:
                if self.client is not client:
                    raise SchedulerLost
                if self.up.is_set() and not self.placement.is_alive(place.worker):
                    raise WorkerLost
            return _judged(waiting, is_same=self.client is client and client.status == "running")
        finally:
            waiting.cancel()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                future.release()

    async def ask_workers(self, function: Callable[..., Any], *arguments: Any) -> Mapping[str, Any]:
        """What every worker of ours says, by address; workers that cannot answer are left out."""
        if self.client is None:
            return {}
        with contextlib.suppress(OSError, TimeoutError, RuntimeError, CancelledError, ValueError):
            said = await asyncio.wait_for(self.client.run(function, *arguments, on_error="return"), _ASK_S)
            return {address: one for address, one in said.items() if not isinstance(one, BaseException)}
        return {}

    async def find_homes(self, fleet: str) -> None:
        """Learns which workers have jobs of this run from before, so that they are asked and nobody else."""
        for address, keys in (await self.ask_workers(tasks.held, fleet)).items():
            self.homes |= dict.fromkeys(keys, address)

    async def close(self) -> None:
        """Leaves the scheduler."""
        await self._drop()


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(one.wait()) for one in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


async def _result(future: Any) -> Any:
    return await future


def _judged(waiting: "asyncio.Future[Any]", *, is_same: bool) -> dict[str, Any]:
    problem = waiting.exception() if not waiting.cancelled() else CancelledError()
    if problem is None:
        answer = waiting.result()
        if not is_answer(answer):
            raise WorkerLost("what came back is no answer")
        found: dict[str, Any] = answer
        return found
    if isinstance(problem, KilledWorker):
        raise WorkerLost from None
    if isinstance(problem, CancelledError | OSError | TimeoutError) and not is_same:
        raise SchedulerLost from None
    raise WorkerLost(f"{type(problem).__name__}: {problem}") from None


async def _closed(client: Any) -> None:
    with contextlib.suppress(Exception, asyncio.CancelledError):
        await asyncio.wait_for(client.close(timeout=2), 5)
