"""A hundred thousand items through the real places and limits of a fleet run, in virtual time, and what breaks first.

python bench/fleet_simulation.py [ITEMS]

`fleet.limits` and `fleet.placement` decide as they do in a run; what is left out is the work itself: a lane is a time that
passes, and what a record, a file and a task cost is measured on this machine in the same run and charged to the
submitting process, which does one thing at a time, and to the scheduler, which does too. The first table says what was
measured, the second what each limit would allow by itself, the third what the simulation came to.
"""

import asyncio
import random
import selectors
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
import psutil
from fleet_measured import Disk, Scheduling, measure_disk, measure_scheduling, sealed
from tests.fleet_summary_samples import made

from msd_review.edges import clock
from msd_review.fleet import summary
from msd_review.fleet.limits import Limits
from msd_review.fleet.offers import DESK, LANE, LANES
from msd_review.fleet.placement import Placement, lane_needs

ITEMS, SMALL = 100_000, 3_000
PROVIDERS = {"claude": "anthropic", "codex": "openai", "gemini": "google"}
RECORDS_OF_AN_ITEM = 2  # that it was planned, that it ended; and one for each lane
FILES_OF_AN_ITEM = 2  # its report, as Markdown and as JSON; and one for each lane's answer
TASKS_OF_AN_ITEM = 2  # what its revision means, and its report; and one for each lane
SPREAD = 0.6  # of the logarithm of a lane's time
SEED = 20261201


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A cluster and what is asked of it. `per_provider` lanes of one provider run at once; times are means, in seconds."""

    name: str
    workers: int
    per_provider: int
    lane_s: float
    window: int
    report_s: float = 2.0
    lanes: int = 4
    desks: int = 2
    items: int = SMALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What was measured: of the disk, of the scheduler, and of adding one item to the summary."""

    disk: Disk
    scheduling: Scheduling
    fold_s: float

    @property
    def client_lane_s(self) -> float:
        """What one lane costs the submitting process."""
        return self.scheduling.client_cpu_s + self.disk.record_s + self.disk.file_s

    @property
    def client_item_s(self) -> float:
        """What an item costs it beside its lanes."""
        return (
            TASKS_OF_AN_ITEM * self.scheduling.client_cpu_s
            + RECORDS_OF_AN_ITEM * self.disk.record_s
            + FILES_OF_AN_ITEM * self.disk.file_s
            + self.fold_s
        )


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: the time that would have been waited for has passed."""

    def __init__(self, passed: Callable[[float], None]) -> None:
        super().__init__()
        self._passed = passed

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("nothing is left that could happen")
        if timeout > 0:
            self._passed(timeout)
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is only what was slept and charged."""

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
    fleet: Fleet
    costs: Costs
    loop: _VirtualLoop
    limits: Limits
    placement: Placement
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    scheduler_free: float = 0.0
    busy: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("client", "scheduler", "lanes", "desks"), 0.0)
    )
    ended: int = 0
    resident_mib: dict[int, float] = field(default_factory=dict)
    folded: summary.Summary = field(default_factory=summary.empty)

    def charge(self, seconds: float) -> None:
        self.busy["client"] += seconds
        self.loop.pass_time(seconds)

    async def task(self, seconds: float) -> None:
        """A task that takes `seconds` on a worker, once the scheduler came to it."""
        cost = self.costs.scheduling.scheduler_cpu_s
        self.busy["scheduler"] += cost
        self.scheduler_free = max(self.loop.now, self.scheduler_free) + cost
        await asyncio.sleep(self.scheduler_free - self.loop.now + seconds)


async def _lane(run: _Run, slug: str) -> None:
    async with run.limits.place(PROVIDERS[slug]):
        place = await run.placement.acquire(*lane_needs(slug))
        seconds = _lane_time(run.chance, run.fleet.lane_s)
        run.busy["lanes"] += seconds
        await run.task(seconds)
        await run.placement.release(place)
    run.charge(run.costs.client_lane_s)


async def _item(run: _Run, number: int) -> None:
    await asyncio.gather(*(_lane(run, slug) for slug in PROVIDERS))
    place = await run.placement.acquire(DESK)
    run.busy["desks"] += run.fleet.report_s
    await run.task(run.fleet.report_s)
    await run.placement.release(place)
    outcome, document = made(number % 1000, repositories=2_000)
    run.folded = summary.add(run.folded, outcome, document)
    run.charge(run.costs.client_item_s)
    run.ended += 1
    if run.ended % max(1, run.fleet.items // 10) == 0:
        run.resident_mib[run.ended] = _resident_mib()


async def _all(run: _Run) -> None:
    fleet = run.fleet
    offered = {
        LANES: float(fleet.lanes),
        DESK: float(fleet.desks),
        **{f"{LANE}{slug}": float(fleet.lanes) for slug in PROVIDERS},
    }
    await run.placement.update({f"worker-{number}": offered for number in range(fleet.workers)})
    numbers = iter(range(fleet.items))

    async def one_after_another(numbers: Iterator[int]) -> None:
        for number in numbers:
            await _item(run, number)

    await asyncio.gather(*(one_after_another(numbers) for _ in range(fleet.window)))


def simulate(fleet: Fleet, costs: Costs) -> tuple[_Run, float]:
    """The run when it is over, and the CPU seconds that the simulation took."""
    loop = _VirtualLoop()
    real, clock.monotonic = clock.monotonic, loop.time
    began = time.process_time()
    try:
        run = _Run(
            fleet=fleet,
            costs=costs,
            loop=loop,
            limits=Limits(default=fleet.per_provider),
            placement=Placement(wait_s=3600.0),
        )
        loop.run_until_complete(_all(run))
    finally:
        clock.monotonic = real
        loop.close()
    return run, time.process_time() - began


def _lane_time(chance: random.Random, mean: float) -> float:
    return mean * chance.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)


def _longest_of(lanes: int, mean: float, draws: int = 20_000) -> float:
    """How long the longest of some lanes takes that run at once, on average."""
    chance = random.Random(SEED)
    return sum(max(_lane_time(chance, mean) for _ in range(lanes)) for _ in range(draws)) / draws


def ceilings(fleet: Fleet, costs: Costs) -> dict[str, float]:
    """Items an hour that each limit would allow by itself."""
    lanes = len(PROVIDERS)
    longest = _longest_of(lanes, fleet.lane_s)
    seconds_of_an_item = {
        "provider limit": fleet.lane_s / fleet.per_provider,
        "lanes of the workers": lanes * fleet.lane_s / (fleet.workers * fleet.lanes),
        "reports on the workers": fleet.report_s / (fleet.workers * fleet.desks),
        "window of the client": (longest + fleet.report_s) / fleet.window,
        "scheduler": (lanes + TASKS_OF_AN_ITEM) * costs.scheduling.scheduler_cpu_s,
        "client: journal and files": (lanes + RECORDS_OF_AN_ITEM) * costs.disk.record_s
        + (lanes + FILES_OF_AN_ITEM) * costs.disk.file_s,
        "client: all it does": lanes * costs.client_lane_s + costs.client_item_s,
    }
    return {name: 3600 / seconds for name, seconds in seconds_of_an_item.items()}


def _fold_cost(count: int = 2_000) -> float:
    pairs = [made(number) for number in range(count)]
    found = summary.empty()
    began = time.perf_counter()
    for outcome, document in pairs:
        summary.add(found, outcome, document)
    return (time.perf_counter() - began) / count


def _measured(folder: Path) -> Costs:
    with sealed(folder):
        return Costs(disk=measure_disk(folder), scheduling=measure_scheduling(folder), fold_s=_fold_cost())


def _print_measured(costs: Costs) -> None:
    rows: Mapping[str, str] = {
        "journal record, on the disk": f"{costs.disk.record_s * 1000:.2f} ms, {1 / costs.disk.record_s:,.0f} a second",
        "answer of 20 KB, on the disk": f"{costs.disk.file_s * 1000:.2f} ms, {1 / costs.disk.file_s:,.0f} a second",
        "task through the scheduler": f"{costs.scheduling.task_s * 1000:.2f} ms, {1 / costs.scheduling.task_s:,.0f} a second",
        "  of it CPU of the client": f"{costs.scheduling.client_cpu_s * 1000:.2f} ms",
        "  of it CPU of the scheduler": f"{costs.scheduling.scheduler_cpu_s * 1000:.2f} ms",
        "memory of the scheduler": f"{costs.scheduling.scheduler_mib:.0f} MiB, {costs.scheduling.scheduler_growth_bytes:,.0f} bytes more a task",
        "one item into the summary": f"{costs.fold_s * 1000:.3f} ms",
    }
    for name, value in rows.items():
        print(f"{name:<30} {value}")


def _resident_mib() -> float:
    return psutil.Process().memory_info().rss / 2**20


def _print_run(fleet: Fleet, costs: Costs) -> None:
    print(f"\n{fleet.name}: {fleet.workers} workers of {fleet.lanes} lanes, {fleet.per_provider} lanes of a provider at once,"
          f" lanes of {fleet.lane_s:g} s, {fleet.window} items under way", flush=True)  # fmt: skip
    run, cpu = simulate(fleet, costs)
    hours = run.loop.now / 3600
    rate = fleet.items / hours
    allowed = ceilings(fleet, costs)
    print(
        f"  {fleet.items:,} items in {hours:,.1f} h: {rate:,.0f} an hour; {ITEMS:,} in {ITEMS / rate / 24:,.1f} days"
    )
    for name, most in sorted(allowed.items(), key=lambda entry: entry[1]):
        print(f"  {name:<28} allows {most:>12,.0f} items an hour; used {rate / most:>5.0%}")
    first, second = sorted(allowed, key=lambda name: allowed[name])[:2]
    print(f"  breaks first: {first}; then {second}, at {allowed[second] / allowed[first]:,.1f} times as much")
    lanes = fleet.items * len(PROVIDERS)
    tenth, whole = min(run.resident_mib), max(run.resident_mib)
    print(f"  deciding costs {cpu / lanes * 1000:.2f} ms of CPU a lane")
    print(
        f"  memory of this process: {run.resident_mib[tenth]:,.0f} MiB after {tenth:,} items,"
        f" {run.resident_mib[whole]:,.0f} MiB after {whole:,}"
    )


def main(arguments: list[str]) -> None:
    """Prints the tables."""
    items = int(arguments[0]) if arguments else ITEMS
    with tempfile.TemporaryDirectory(prefix="msd-fleet-") as folder:
        costs = _measured(Path(folder))
    _print_measured(costs)
    for fleet in (
        Fleet(name="as it is set", workers=20, per_provider=1, lane_s=120, window=64, items=items),
        Fleet(name="with a contract", workers=50, per_provider=64, lane_s=120, window=256),
        Fleet(name="few workers", workers=5, per_provider=64, lane_s=120, window=16, items=SMALL // 10),
        Fleet(name="instant lanes", workers=50, per_provider=64, lane_s=0.05, report_s=0.05, window=64),
    ):
        _print_run(fleet, costs)


if __name__ == "__main__":
    main(sys.argv[1:])
