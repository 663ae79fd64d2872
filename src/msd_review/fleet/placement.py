"""Which worker does what: the lanes that live workers offer, what we have given to each, and the verdict on a lane
that none offers.

Decided here and not left to the scheduler, which lets a task that no worker can take wait for ever. A lane that is
missing is waited for, for a bounded time since somebody last had it; after that it is missing at once.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msd_review.edges import clock
from msd_review.fleet.offers import DESK, LANE, LANES

_LOOK_S = 1.0
_SHOWN = 3


class Absent(Exception):
    """No worker offers what is needed, and none came in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place that was given: one worker, and the resources that it costs there."""

    worker: str  # its address
    needs: tuple[str, ...]

    @property
    def resources(self) -> dict[str, float]:
        """The place as Dask resources."""
        return dict.fromkeys(self.needs, 1.0)


@dataclass(slots=True)
class Placement:
    """The live workers and what is free on them. `wait_s` bounds how long a missing lane is waited for."""

    wait_s: float
    workers: dict[str, Mapping[str, float]] = field(default_factory=dict)
    offers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    used: dict[str, Counter[str]] = field(default_factory=dict)
    absent_since: dict[str, float] = field(default_factory=dict)
    is_down: bool = True
    is_gone: bool = False
    is_stopping: Callable[[], bool] = lambda: False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def update(self, workers: Mapping[str, Mapping[str, float]]) -> None:
        """Tells which workers live now, and their resources."""
        async with self.changed:
            self.workers = dict(workers)
            now = clock.monotonic()
            if self.is_down:  # who was there before needs a moment to come back
                self.is_down = False
                self.absent_since.clear()
            for need in (*self.absent_since, *(LANES, DESK)):
                if self._offering(need):
                    self.absent_since.pop(need, None)
                else:
                    self.absent_since.setdefault(need, now)
            self.changed.notify_all()

    async def disconnected(self) -> None:
        """Tells that nothing is known of workers for now; time does not count against anybody meanwhile."""
        async with self.changed:
            self.workers = {}
            self.is_down = True
            self.changed.notify_all()

    async def give_up(self) -> None:
        """Tells that there will be no workers any more."""
        async with self.changed:
            self.is_gone = True
            self.changed.notify_all()

    async def first_worker(self) -> None:
        """Waits until a worker is there, but not longer than for a lane."""
        deadline = clock.monotonic() + self.wait_s
        async with self.changed:
            while not self.workers and clock.monotonic() < deadline and not self.is_stopping():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.changed.wait(), _LOOK_S)

    def lanes(self) -> tuple[str, ...]:
        """The slugs that any live worker offers."""
        names = {name for have in self.workers.values() for name in have if name.startswith(LANE)}
        return tuple(sorted(name.removeprefix(LANE) for name in names))

    def is_alive(self, worker: str) -> bool:
        """Whether a worker is there."""
        return worker in self.workers

    def why_not(self, slug: str) -> tuple[str, str] | None:
        """What the live workers say of a lane that they do not offer: a reason of the closed list, and the words."""
        said = [
            (offer.get("name"), standing)
            for worker, offer in sorted(self.offers.items())
            if worker in self.workers
            and not (standing := offer.get("lanes", {}).get(slug) or {}).get("ready")
        ]
        reasons = Counter(str(one["reason"]) for _, one in said if one.get("reason"))
        if not reasons:
            return None
        words = "; ".join(f"{name}: {one.get('detail')}" for name, one in said[:_SHOWN] if one.get("reason"))
        more = f"; and {len(said) - _SHOWN} more workers" if len(said) > _SHOWN else ""
        return reasons.most_common(1)[0][0], f"no worker has it: {words}{more}"

    def _offering(self, *needs: str) -> list[str]:
        return [
            worker for worker, have in self.workers.items() if all(have.get(need, 0) >= 1 for need in needs)
        ]

    def _free(self, worker: str, need: str) -> float:
        return self.workers[worker].get(need, 0) - self.used.get(worker, Counter())[need]

    async def acquire(
        self, *needs: str, avoid: frozenset[str] = frozenset(), prefer: frozenset[str] = frozenset()
    ) -> Place:
        """A free place on a live worker; `avoid` are workers that would not do, `prefer` those that are better.

        Raises Absent when no worker has had what is needed for `wait_s` seconds, and when the run is being stopped.
        """
        async with self.changed:
            while True:
                if self.is_stopping():
                    raise Absent("the run is being stopped")
                if self.is_gone:
                    raise Absent("the scheduler is gone")
                offering = [worker for worker in self._offering(*needs) if worker not in avoid]
                free = [one for one in offering if all(self._free(one, need) >= 1 for need in needs)]
                if free:
                    worker = max(free, key=lambda one: (one in prefer, *(self._free(one, n) for n in needs)))
                    self.used.setdefault(worker, Counter()).update(needs)
                    return Place(worker=worker, needs=needs)
                if not offering:
                    self._judge(needs, avoid)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.changed.wait(), _LOOK_S)

    def _judge(self, needs: tuple[str, ...], avoid: frozenset[str]) -> None:
        if avoid and self._offering(*needs):
            raise Absent("the workers that have it could not do it")
        if self.is_down:
            return
        since = min(self.absent_since.setdefault(need, clock.monotonic()) for need in needs)
        if clock.monotonic() - since >= self.wait_s:
            raise Absent(f"no worker has it, and none came within {self.wait_s:g} s")

    async def release(self, place: Place) -> None:
        """Gives a place back."""
        self.used.get(place.worker, Counter()).subtract(place.needs)
        async with self.changed:
            self.changed.notify_all()


def lane_needs(slug: str) -> tuple[str, ...]:
    """What a lane costs a worker."""
    return (f"{LANE}{slug}", LANES)
