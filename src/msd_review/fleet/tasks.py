"""What a client asks a worker to run, by name: Dask ships the names of these functions and plain values, no code of ours.

A process serves as one worker, so its desk is the process's.
"""

import asyncio
from typing import Any

from msd_review.fleet.desk import Desk
from msd_review.fleet.model import BadValue, item_from_json
from msd_review.fleet.repositories import tree_name

_serving: list[tuple[Desk, dict[str, Any]]] = []


class NoWorkerOfOurs(RuntimeError):
    """The process is a Dask worker, and not one that `msd fleet worker` started."""


def serve_with(desk: Desk, offer: dict[str, Any]) -> None:
    """Makes `desk` this process's, and `offer` what it tells of itself."""
    _serving[:] = [(desk, offer)]


def _serving_now() -> tuple[Desk, dict[str, Any]]:
    if not _serving:
        raise NoWorkerOfOurs("this worker was not started by `msd fleet worker`")
    return _serving[0]


async def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """The answer to one job. What runs goes on when nobody waits for it any more; its answer is kept."""
    desk, offer = _serving_now()
    future = desk.submit(job, tree=_tree(job))
    try:
        answer = await asyncio.shield(asyncio.wrap_future(future))
    except asyncio.CancelledError:
        if not future.cancelled():
            raise
        answer = {"v": 1, "state": "cancelled"}
    return {**answer, "worker": offer["name"]}


def _tree(job: dict[str, Any]) -> str | None:
    try:
        return tree_name(item_from_json(job.get("item")))
    except BadValue:
        return None


def describe() -> dict[str, Any]:
    """What the worker offers: its name, and what stands with each lane."""
    return _serving_now()[1]


def held(fleet: str) -> list[str]:
    """The keys of a fleet run's jobs that are being done or kept here."""
    return _serving_now()[0].held(fleet)


def cancel(fleet: str) -> int:
    """Stops what the worker does for a fleet run."""
    return _serving_now()[0].cancel(fleet)
