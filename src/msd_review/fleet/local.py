"""A cluster of this machine alone: a scheduler and some workers, ours from beginning to end.

Each is a process that ends when its stdin does, so nothing of it outlives us, however we end. They speak TLS with
certificates of this run, because other users of the machine reach its loopback too.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msd_review.edges import environ, files
from msd_review.edges.line_process import Gone, LineProcess, python_module
from msd_review.errors import StoreError
from msd_review.fleet import places
from msd_review.fleet.certificates import make_certificates
from msd_review.fleet.offers import Capacity
from msd_review.fleet.security import Tls

_START_S = 120.0
_END_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPlan:
    """How many workers, how much each does at once, whose consent they honour, and where they log."""

    workers: int
    accepted: Sequence[str]
    log: Path
    capacity: Capacity = field(default_factory=Capacity)
    allow_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCluster:
    """Where the cluster is, and what it consists of."""

    address: str
    tls: Tls
    processes: tuple[LineProcess, ...]


@contextlib.contextmanager
def local_cluster(plan: LocalPlan, *, name: str) -> Iterator[LocalCluster]:
    """A cluster while the block runs. Raises StoreError where one cannot be started."""
    started: list[LineProcess] = []
    try:
        folder = files.make_private(places.fleet_state() / "local") / name
        tls = make_certificates(folder)
        scheduler, address = _scheduler(plan, tls, started)
        for number in range(1, plan.workers + 1):
            started.append(_begun(_worker_order(plan, tls, address, number), plan))
        for worker in started[1:]:
            _heard(worker, "a worker")
        yield LocalCluster(address=address, tls=tls, processes=(scheduler, *started[1:]))
    except OSError as problem:
        raise StoreError(f"no cluster can be started on this machine: {problem}") from None
    finally:
        for process in started[1:]:
            process.hang_up()
        for process in (*started[1:], *started[:1]):
            process.end(grace_s=_END_S)


def _scheduler(plan: LocalPlan, tls: Tls, started: list[LineProcess]) -> tuple[LineProcess, str]:
    process = _begun({"role": "scheduler", "tls": _paths(tls)}, plan)
    started.append(process)
    return process, _heard(process, "the scheduler")


def _worker_order(plan: LocalPlan, tls: Tls, address: str, number: int) -> dict[str, Any]:
    return {
        "role": "worker",
        "tls": _paths(tls),
        "scheduler": address,
        "name": f"local-{number}",
        "accepted": list(plan.accepted),
        "lanes": plan.capacity.lanes,
        "desks": plan.capacity.desks,
        "limits": dict(plan.capacity.limits),
        "allow_file": plan.allow_file,
    }


def _paths(tls: Tls) -> dict[str, str]:
    return {"ca": str(tls.ca), "cert": str(tls.cert), "key": str(tls.key)}


def _begun(order: Mapping[str, Any], plan: LocalPlan) -> LineProcess:
    argv = python_module("msd_review.fleet.local_process")
    process = LineProcess(argv, env=environ.snapshot(), cwd=plan.log.parent, log=plan.log)
    process.say(json.dumps(order).encode())
    return process


def _heard(process: LineProcess, what: str) -> str:
    """What a process says once it serves. Raises OSError."""
    try:
        said = json.loads(process.hear(timeout_s=_START_S))
    except (Gone, TimeoutError, ValueError) as problem:
        raise OSError(f"{what} did not start: {problem}") from None
    if "error" in said:
        raise OSError(f"{what} did not start: {said['error']}")
    return str(said["told"])
