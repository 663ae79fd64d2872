"""A scheduler or a worker of a cluster of this machine alone, as a process that ends when whoever started it does.

Started as `python -P -m msd_review.fleet.local_process`; the first line on stdin says what it is.
"""

import asyncio
import json
import queue
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msd_review.app.world import load_world
from msd_review.edges import lifeline
from msd_review.errors import MsdError
from msd_review.fleet import places
from msd_review.fleet.desk import DeskPlace
from msd_review.fleet.offers import Capacity, find_standings
from msd_review.fleet.security import Tls
from msd_review.fleet.serving import WorkerPlan, serve_scheduler, serve_worker
from msd_review.run import sweep
from msd_review.run.removal import remove_tree


def main() -> None:
    """Serves until stdin ends."""
    mouth = lifeline.private_stdout()
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    over = _Over()
    lifeline.listen(orders.put, over.set)
    plan = json.loads(orders.get())

    def tell(text: str) -> None:
        lifeline.say(mouth, json.dumps({"told": text}).encode())

    try:
        serve = _scheduler if plan["role"] == "scheduler" else _worker
        serve(plan, over, tell)
    except MsdError as problem:
        lifeline.say(mouth, json.dumps({"error": problem.message}).encode())
    except (KeyboardInterrupt, BrokenPipeError):
        return


class _Over:
    """That stdin ended, known in the event loop also when that begins later."""

    def __init__(self) -> None:
        self.ended = False
        self.loop: asyncio.AbstractEventLoop | None = None
        self.stop = asyncio.Event()

    def set(self) -> None:
        self.ended = True
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.stop.set)

    async def served(self, serve: Callable[[asyncio.Event], Awaitable[None]]) -> None:
        self.loop = asyncio.get_running_loop()
        if self.ended:
            return
        await serve(self.stop)


def _tls(plan: dict[str, Any]) -> Tls:
    return Tls(**{name: Path(path) for name, path in plan["tls"].items()})


def _scheduler(plan: dict[str, Any], over: _Over, tell: Callable[[str], None]) -> None:
    tls = _tls(plan)
    try:
        asyncio.run(over.served(lambda stop: serve_scheduler("tls://127.0.0.1:0", tls, stop, tell=tell)))
    finally:
        remove_tree(tls.key.parent)  # the last to know that the run is over


def _worker(plan: dict[str, Any], over: _Over, tell: Callable[[str], None]) -> None:
    state = places.fleet_state()
    capacity = Capacity(lanes=plan["lanes"], desks=plan["desks"], limits=plan["limits"])
    with places.claimed(state, plan["name"]) as (name, folder):
        runs = state / "runs"
        sweep.sweep_crashed(runs)
        worker = WorkerPlan(
            scheduler=plan["scheduler"],
            name=name,
            place=DeskPlace(
                folder=folder,
                runs=runs,
                accepted=tuple(plan["accepted"]),
                jobs=capacity.jobs,
                allow_file=plan["allow_file"],
            ),
            capacity=capacity,
            standings=find_standings(load_world(folder)),
            tls=_tls(plan),
        )
        asyncio.run(over.served(lambda stop: serve_worker(worker, stop, tell=tell)))


if __name__ == "__main__":
    main()
