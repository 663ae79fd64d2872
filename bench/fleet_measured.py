"""What the parts of a fleet run cost on this machine: records and files made durable, tasks through a real scheduler.

Used by `fleet_simulation.py`; each figure is measured where it is asked for, in the same run.
"""

import asyncio
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from distributed import Client

from msd_review.edges import files
from msd_review.fleet.journal import LANE_FINISHED, FleetJournal
from msd_review.fleet.local import LocalCluster, LocalPlan, local_cluster
from msd_review.fleet.offers import Capacity
from msd_review.fleet.security import dask_security
from msd_review.fleet.settings import set_dask

ANSWER_BYTES = 20_000
"""How large a lane's answer is taken to be: a review of some pages, with what the lane left behind."""
_WINDOW = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Seconds for one journal record and for one small file, each on the disk when it returns."""

    record_s: float
    file_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduling:
    """What one task costs: wall seconds where nothing else is done, CPU seconds of both sides, the scheduler's memory."""

    task_s: float
    client_cpu_s: float
    scheduler_cpu_s: float
    scheduler_mib: float
    scheduler_growth_bytes: float  # of resident memory, for each task that is over


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """The environment without this machine's home, state and reviewers."""
    kept = dict(os.environ)
    os.environ.clear()
    os.environ.update(
        {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "MSD_HOME": str(folder / "msd-home"),
            "MSD_STATE_DIR": str(folder / "state"),
            "LANG": "C.UTF-8",
        }
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def measure_disk(folder: Path, *, count: int = 200) -> Disk:
    """Appends records and writes answers as a fleet run does."""
    journal = FleetJournal(folder / "journal.jsonl")
    fields = {
        "item": "repository-0123456789abcdef",
        "slug": "codex",
        "file": "items/x/lanes/codex.json",
        "sha256": "0" * 64,
    }
    began = time.perf_counter()
    for _ in range(count):
        journal.append(LANE_FINISHED, fields)
    record_s = (time.perf_counter() - began) / count
    journal.close()
    answer = b"a" * ANSWER_BYTES
    began = time.perf_counter()
    for number in range(count):
        files.write_atomic(folder / f"answer-{number % 20}.json", answer)
    return Disk(record_s=record_s, file_s=(time.perf_counter() - began) / count)


def measure_scheduling(folder: Path, *, count: int = 2_000) -> Scheduling:
    """Sends tasks with answers of a usual size through a scheduler and one worker of our own, TLS included."""
    set_dask()
    plan = LocalPlan(workers=1, accepted=(), log=folder / "cluster.log", capacity=Capacity(lanes=8, desks=2))
    with local_cluster(plan, name="bench") as cluster:
        return asyncio.run(_tasks(cluster, count))


async def _tasks(cluster: LocalCluster, count: int) -> Scheduling:
    scheduler = psutil.Process(cluster.processes[0].pid)
    make: Any = Client  # it bears no types
    client = await make(cluster.address, security=dask_security(cluster.tls), asynchronous=True)
    try:
        await _sent(client, "warm", _WINDOW)
        before, mine, held = _cpu(scheduler), _cpu(psutil.Process()), scheduler.memory_info().rss
        began = time.perf_counter()
        await _sent(client, "task", count)
        took = time.perf_counter() - began
        return Scheduling(
            task_s=took / count,
            client_cpu_s=(_cpu(psutil.Process()) - mine) / count,
            scheduler_cpu_s=(_cpu(scheduler) - before) / count,
            scheduler_mib=scheduler.memory_info().rss / 2**20,
            scheduler_growth_bytes=max(0, scheduler.memory_info().rss - held) / count,
        )
    finally:
        await client.close()


async def _sent(client: Any, name: str, count: int) -> None:
    text = json.dumps({"text": "a" * ANSWER_BYTES})
    numbers = iter(range(count))

    async def one_after_another() -> None:
        for number in numbers:
            future = client.submit(
                json.loads,
                f"{text}{' ' * (number % 7)}",
                key=f"{name}-{number}",
                pure=False,
                resources={"msd-lane": 1.0},
            )
            await future

    await asyncio.gather(*(one_after_another() for _ in range(_WINDOW)))


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
