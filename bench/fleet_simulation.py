"""A hundred thousand items through the real code that submits a fleet run, in virtual time, and what breaks first.

python bench/fleet_simulation.py [ITEMS]

`fleet.items`, `fleet.dispatch`, `fleet.limits` and `fleet.placement` see every item through as they do in a run: they sign,
place, wait and record. What is left out is the work: a lane is a time that passes, and what a record, a file and a task
cost is measured on this machine in the same run and charged to the submitting process, which does one thing at a time,
and to the scheduler, which does too. For each fleet the table says what every limit would allow by itself, how much of
it was used, and which one breaks first.
"""

import asyncio
import random
import selectors
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent.parent))
import psutil
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fleet_measured import ANSWER_BYTES, Disk, Scheduling, measure_disk, measure_scheduling, sealed
from tests.fleet_summary_samples import made

from msd_review.edges import clock, files
from msd_review.fleet import limits, summary
from msd_review.fleet import placement as placing
from msd_review.fleet.dispatch import Dispatcher, Submission
from msd_review.fleet.grants import LaneGrant
from msd_review.fleet.items import Desktop, see_through
from msd_review.fleet.journal import FleetJournal
from msd_review.fleet.limits import Limits
from msd_review.fleet.model import FleetFolder, FleetItem
from msd_review.fleet.offers import DESK, LANE, LANES
from msd_review.fleet.placement import Place, Placement
from msd_review.fleet.session import Session
from msd_review.fleet.wire import Job

ITEMS, SMALL = 100_000, 1_000
WINDOW = 256  # as `--window` is set
PROVIDERS = {"claude": "anthropic", "codex": "openai", "gemini": "google"}
RECORDS_OF_AN_ITEM = 2  # that it was planned, that it ended; and one for each lane
FILES_OF_AN_ITEM = 2  # its report, as Markdown and as JSON; and one for each lane's answer
TASKS_OF_AN_ITEM = 2  # what its revision means, and its report; and one for each lane
SPREAD = 0.6  # of the logarithm of a lane's time
SEED = 20261201
NEVER_S = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A cluster and what is asked of it. `per_provider` lanes of one provider run at once; times are means, in seconds."""

    name: str
    workers: int
    per_provider: int
    lane_s: float
    window: int = WINDOW
    report_s: float = 2.0
    lanes: int = 4
    desks: int = 2
    items: int = SMALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What was measured of the disk and of the scheduler."""

    disk: Disk
    scheduling: Scheduling

    @property
    def recording_s(self) -> float:
        """What an item's records and files cost the submitting process."""
        lanes = len(PROVIDERS)
        records, written = lanes + RECORDS_OF_AN_ITEM, lanes + FILES_OF_AN_ITEM
        return records * self.disk.record_s + written * self.disk.file_s

    @property
    def tasks(self) -> int:
        """How many tasks an item is."""
        return len(PROVIDERS) + TASKS_OF_AN_ITEM


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: what would have been waited for has passed, and the CPU that was used since too."""

    def __init__(self, passed: Callable[[float], None]) -> None:
        super().__init__()
        self._passed = passed
        self._used = time.process_time()

    def select(self, timeout: float | None = None) -> Any:
        used, before = time.process_time(), self._used
        self._used = used
        self._passed(used - before)
        if timeout is None:
            raise RuntimeError("nothing is left that could happen")
        self._passed(max(0.0, timeout - (used - before)))
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what was slept, charged and really used; nothing else."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self.pass_time))

    def time(self) -> float:
        return self.now

    def pass_time(self, seconds: float) -> None:
        """Lets time pass in which the process can do nothing else."""
        self.now += seconds


@dataclass(slots=True)
class _Run:
    """One run. It stands in for the journal and for the connection to the scheduler."""

    fleet: Fleet
    costs: Costs
    loop: _VirtualLoop
    homes: dict[str, str] = field(default_factory=dict)
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    scheduler_free: float = 0.0
    ended: int = 0
    resident_mib: dict[int, float] = field(default_factory=dict)
    folded: summary.Summary = field(default_factory=summary.empty)

    def append(self, event: str, fields: Mapping[str, Any]) -> None:
        """A record of the journal, which costs the client its time on the disk."""
        self.loop.pass_time(self.costs.disk.record_s)

    def write(self, path: Path, content: bytes, *, mode: int = 0o644) -> None:
        """A file, likewise."""
        self.loop.pass_time(self.costs.disk.file_s)

    async def connected(self) -> None:
        """The scheduler is always there."""

    async def run(self, job: Job, place: Place, *, priority: int = 0) -> dict[str, Any]:
        """A job on a worker, once the client sent it and the scheduler came to it."""
        job.to_json()
        self.loop.pass_time(self.costs.scheduling.client_cpu_s)
        self.scheduler_free = max(self.loop.now, self.scheduler_free) + self.costs.scheduling.scheduler_cpu_s
        seconds = {"lane": _lane_time(self.chance, self.fleet.lane_s), "assess": self.fleet.report_s}.get(
            job.kind, 0.5
        )
        await asyncio.sleep(self.scheduler_free - self.loop.now + seconds)
        return _lane_answer(job.slug, seconds) if job.kind == "lane" else _ANSWERS[job.kind]


_ANSWERS: Mapping[str, dict[str, Any]] = {
    "resolve": {"v": 1, "state": "resolved", "commit": "0" * 40},
    "assess": {
        "v": 1,
        "state": "report",
        "exit_code": 0,
        "files": {"REVIEWS.md": "# Review\n", "REVIEWS.json": "{}"},
        "lanes": {},
    },
}


def _lane_answer(slug: str, seconds: float) -> dict[str, Any]:
    result = {"outcome": "review", "duration_ms": round(seconds * 1000), "usage": {"input_tokens": 9_000}}
    return {"v": 1, "state": "lane", "result": result, "text": "a" * ANSWER_BYTES, "worker": slug}


def _desktop(run: _Run, placement: Placement) -> Desktop:
    grants = [
        LaneGrant(slug=slug, capability=slug, source="first-party", signature="0" * 64) for slug in PROVIDERS
    ]
    dispatcher = Dispatcher(
        submission=Submission(
            fleet="simulated",
            key=Ed25519PrivateKey.generate(),
            granted={grant.slug: grant for grant in grants},
            providers=PROVIDERS,
        ),
        session=cast(Session, run),
        placement=placement,
        limits=Limits(default=run.fleet.per_provider),
        watch=lambda event: None,
        is_stopping=lambda: False,
        on_lost=lambda item, slug, why: None,
    )
    return Desktop(
        folder=FleetFolder(Path("simulated")),
        journal=cast(FleetJournal, run),
        dispatcher=dispatcher,
        watch=lambda event: None,
        choose_lanes=lambda: tuple(PROVIDERS),
        is_stopping=lambda: False,
    )


async def _all(run: _Run) -> None:
    fleet, placement = run.fleet, Placement(wait_s=3600.0)
    offered = dict.fromkeys((LANES, *(f"{LANE}{slug}" for slug in PROVIDERS)), float(fleet.lanes))
    await placement.update(
        {f"worker-{number}": {**offered, DESK: float(fleet.desks)} for number in range(fleet.workers)}
    )
    desk = _desktop(run, placement)
    numbers = iter(range(fleet.items))

    async def one_after_another() -> None:
        for number in numbers:
            where = f"https://git.example.org/{number % 2_000}"
            item = FleetItem(id=f"item-{number}", line=number, repository=where, kind="phase", phase="1")
            outcome = await see_through(desk, item, None)
            run.folded = summary.add(run.folded, outcome, made(number % 1_000, repositories=2_000)[1])
            _note(run)

    await asyncio.gather(*(one_after_another() for _ in range(fleet.window)))


def _note(run: _Run) -> None:
    run.ended += 1
    if run.ended % max(1, run.fleet.items // 10) == 0:
        run.resident_mib[run.ended] = psutil.Process().memory_info().rss / 2**20


def simulate(fleet: Fleet, costs: Costs) -> tuple[_Run, float]:
    """The run when it is over, and the seconds of real CPU that deciding, signing and encoding took."""
    loop = _VirtualLoop()
    run = _Run(fleet=fleet, costs=costs, loop=loop)
    began = time.process_time()
    with (
        patch.object(clock, "monotonic", loop.time),
        patch.object(files, "write_atomic", run.write),
        patch.object(files, "make_private", lambda folder: folder),
        # Whoever waits looks up every second whether the run is to be stopped; here nobody ever stops it, and days of
        # looking up would be simulated for nothing.
        patch.object(limits, "_LOOK_S", NEVER_S),
        patch.object(placing, "_LOOK_S", NEVER_S),
    ):
        loop.run_until_complete(_all(run))
    loop.close()
    return run, time.process_time() - began


def _lane_time(chance: random.Random, mean: float) -> float:
    return mean * chance.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)


def _longest_of(lanes: int, mean: float, draws: int = 20_000) -> float:
    """How long the longest of some lanes takes that run at once, on average."""
    chance = random.Random(SEED)
    return sum(max(_lane_time(chance, mean) for _ in range(lanes)) for _ in range(draws)) / draws


def ceilings(fleet: Fleet, costs: Costs, cpu_s: float) -> dict[str, float]:
    """Items an hour that each limit would allow by itself; `cpu_s` is what an item takes the client to decide."""
    lanes = len(PROVIDERS)
    client_s = costs.recording_s + costs.tasks * costs.scheduling.client_cpu_s + cpu_s
    seconds_of_an_item = {
        "limit of a provider": fleet.lane_s / fleet.per_provider,
        "lanes of the workers": lanes * fleet.lane_s / (fleet.workers * fleet.lanes),
        "reports on the workers": fleet.report_s / (fleet.workers * fleet.desks),
        "window of the client": (_longest_of(lanes, fleet.lane_s) + fleet.report_s) / fleet.window,
        "scheduler": costs.tasks * costs.scheduling.scheduler_cpu_s,
        "client: its disk alone": costs.recording_s,
        "client: all that it does": client_s,
    }
    return {name: 3600 / seconds for name, seconds in seconds_of_an_item.items()}


def _measured(folder: Path) -> Costs:
    with sealed(folder):
        return Costs(disk=measure_disk(folder), scheduling=measure_scheduling(folder))


def _print_measured(costs: Costs) -> None:
    rows: Mapping[str, str] = {
        "journal record, on the disk": f"{costs.disk.record_s * 1000:.2f} ms, {1 / costs.disk.record_s:,.0f} a second",
        "answer of 20 KB, on the disk": f"{costs.disk.file_s * 1000:.2f} ms, {1 / costs.disk.file_s:,.0f} a second",
        "task through the scheduler": f"{costs.scheduling.task_s * 1000:.2f} ms, {1 / costs.scheduling.task_s:,.0f} a second",
        "  of it CPU of the client": f"{costs.scheduling.client_cpu_s * 1000:.2f} ms",
        "  of it CPU of the scheduler": f"{costs.scheduling.scheduler_cpu_s * 1000:.2f} ms",
        "memory of the scheduler": f"{costs.scheduling.scheduler_mib:.0f} MiB, {costs.scheduling.scheduler_growth_bytes:,.0f} bytes more a task",
    }
    for name, value in rows.items():
        print(f"{name:<30} {value}")


def _print_run(fleet: Fleet, costs: Costs) -> None:
    print(
        f"\n{fleet.name}: {fleet.workers} workers of {fleet.lanes} lanes, {fleet.per_provider} of a provider at once, lanes of"
        f" {fleet.lane_s:g} s, {fleet.window} items under way",
        flush=True,
    )
    run, cpu = simulate(fleet, costs)
    rate = fleet.items / run.loop.now * 3600
    print(
        f"  {fleet.items:,} items in {run.loop.now / 3600:,.1f} h: {rate:,.0f} an hour, {ITEMS:,} in {ITEMS / rate / 24:,.1f} days"
    )
    allowed = ceilings(fleet, costs, cpu / fleet.items)
    for name, most in sorted(allowed.items(), key=lambda entry: entry[1]):
        print(f"  {name:<26} allows {most:>12,.0f} items an hour; used {rate / most:>5.0%}")
    first, second = sorted(allowed, key=lambda name: allowed[name])[:2]
    print(f"  breaks first: {first}; then {second}, at {allowed[second] / allowed[first]:,.1f} times as much")
    tenth, whole = min(run.resident_mib), max(run.resident_mib)
    print(
        f"  deciding, signing and summing up take {cpu / fleet.items * 1000:.1f} ms of CPU an item; memory of this process"
        f" {run.resident_mib[tenth]:,.0f} MiB after {tenth:,} items, {run.resident_mib[whole]:,.0f} MiB after {whole:,}"
    )


def main(arguments: list[str]) -> None:
    """Prints the tables."""
    items = int(arguments[0]) if arguments else ITEMS
    with tempfile.TemporaryDirectory(prefix="msd-fleet-") as folder:
        costs = _measured(Path(folder))
    _print_measured(costs)
    for fleet in (
        Fleet(name="as msd is set", workers=20, per_provider=1, lane_s=120),
        Fleet(name="with a contract", workers=50, per_provider=64, lane_s=120, items=items),
        Fleet(name="few workers", workers=5, per_provider=64, lane_s=120),
        Fleet(name="instant lanes", workers=50, per_provider=64, lane_s=0.05, report_s=0.05),
    ):
        _print_run(fleet, costs)


if __name__ == "__main__":
    main(sys.argv[1:])
