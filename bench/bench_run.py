"""The runner's speed and memory, as a table: `python bench/bench_run.py [CASE …]`.

Each case runs in a process of its own, so that one case's peak memory is not another's. `peak` is the
parent's; `CPU` is the parent's and, in brackets, all its children's (lanes and their keepers).
"""

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import run as run_command

from msd_review.edges import process_table
from msd_review.edges.process import capture
from msd_review.edges.stopping import StopSignal
from msd_review.outcomes import Outcome
from msd_review.run.journal import Journal
from msd_review.run.keys import lane_key
from msd_review.run.result import LaneResult
from msd_review.run.resume import load_finished, reusable
from msd_review.run.schedule import Attempt, LaneTask, run_lanes
from msd_review.run.spawn_lane import SpawnPlace, run_spawn
from msd_review.run.store import end_run, find_run, new_run
from msd_review.run.sweep import lane_mark, sweep_run

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.lane_samples import approved, invocation, result

MIB = 1024 * 1024
LANES: dict[str, tuple[int, str]] = {
    "12 lanes, sleep 2 s": (12, "sleep 2; echo done"),
    "12 lanes, 15 MB each": (12, "head -c 15728640 /dev/zero"),
    "12 lanes that flood": (12, "exec cat /dev/zero"),
    "1 instant lane": (1, "echo done"),
    "12 instant lanes": (12, "echo done"),
    "100 instant lanes": (100, "echo done"),
    "100 lanes, sleep 2 s": (100, "sleep 2; echo done"),
}


def _task(folder: Path, run_id: str, name: str, script: str) -> LaneTask:
    what = invocation(folder, name, argv=("sh", "-c", script), timeout_ms=60_000)

    async def run(attempt: Attempt) -> LaneResult:
        place = folder / "lanes" / name
        place.mkdir(parents=True)
        ending = await run_spawn(
            approved(Path("/bin/sh"), what),
            SpawnPlace(
                folder=place,
                cwd=folder,
                env={"PATH": os.defpath},
                marker=lane_mark(run_id, name, attempt.number),
            ),
            stop=attempt.stop,
            on_progress=attempt.on_progress,
        )
        text = ending.stdout_path if ending.kind == "exited" else None
        return result(name, stdout_bytes=ending.stdout_bytes, text_path=text, end_kind=ending.kind)

    return LaneTask(identity=name, slug=name, section=name, transport="spawn", timeout_ms=60_000, run=run)


async def _run(folder: Path, count: int, script: str) -> tuple[int, float]:
    """Bytes that the lanes wrote, and the wall time in seconds."""
    run = new_run(folder, subject="bench", title="bench", command="bench", root=None)
    journal = Journal(run.folder)
    tasks = [_task(run.folder, run.id, f"lane{number}", script) for number in range(count)]
    started = time.perf_counter()
    results = await run_lanes(
        tasks,
        on_event=lambda event: None,
        on_result=lambda ended: journal.lane_finished(ended.identity, ended),
        stop=StopSignal(),
    )
    sweep_run(run)
    took = time.perf_counter() - started
    end_run(run, state="finished", exit_code=0)
    journal.close()
    assert all(ended.outcome is Outcome.REVIEW for ended in results)
    assert process_table.descendants(os.getpid()) == []
    return sum(ended.stdout_bytes for ended in results), took


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _row(name: str, took: float, size: int) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = f"{size / MIB / took:8.0f} MiB/s" if size > MIB else " " * 14
    own, children = _cpu(resource.RUSAGE_SELF), _cpu(resource.RUSAGE_CHILDREN)
    print(f"{name:28} wall {took:6.2f} s  peak {peak:6.1f} MiB  CPU {own:5.2f} s ({children:5.2f} s) {rate}")


def _lanes(name: str) -> None:
    count, script = LANES[name]
    with tempfile.TemporaryDirectory(prefix="msd-bench-") as folder:
        size, took = asyncio.run(_run(Path(folder), count, script))
    _row(name, took, size)


def _probes(name: str) -> None:
    async def probe(number: int) -> None:
        command = ("/bin/sh", "-c", "sleep 60" if number < 3 else "echo help")
        await capture(command, env={}, cwd=Path("/"), timeout_s=2.0, limit_bytes=MIB, marker=f"bench{number}")

    async def all_of_them() -> None:
        await asyncio.gather(*map(probe, range(12)))

    started = time.perf_counter()
    asyncio.run(all_of_them())
    _row(name, time.perf_counter() - started, 0)


def _resume(name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="msd-bench-") as place:
        folder = Path(place)
        asyncio.run(_run(folder, 12, "head -c 100000 /dev/zero"))
        started = time.perf_counter()
        run_id = next(path.name for path in folder.iterdir() if path.is_dir())
        earlier = load_finished(find_run(folder, run_id))
        for number in range(12):
            lane_key(invocation(folder, f"lane{number}"), prompt=b"p", tree_state="t", run_folder=folder)
            assert reusable(earlier, f"lane{number}", retry_failed=False) is not None
        _row(name, time.perf_counter() - started, 0)


def _soak(name: str) -> None:
    scripts = (
        "echo done",
        "exec cat /dev/zero",
        "sleep 300 & echo done",
        "exit 3",
        "setsid sleep 300 & true",
    )

    async def many() -> tuple[int, int]:
        sizes = []
        for turn in range(40):
            with tempfile.TemporaryDirectory(prefix="msd-bench-") as folder:
                await _run(Path(folder), 3, scripts[turn % len(scripts)])
            sizes.append(_resident())
        return sizes[9], sizes[-1]

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone
    started = time.perf_counter()
    early, late = asyncio.run(many())
    _row(name, time.perf_counter() - started, 0)
    after = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone
    print(f"{'':28} resident after 10 runs {early} KiB, after 40 {late} KiB; descriptors {before} → {after}")


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4


CASES: dict[str, Callable[[str], None]] = {
    **dict.fromkeys(LANES, _lanes),
    "12 probes, 3 of them hang": _probes,
    "resume of 12 finished lanes": _resume,
    "soak: 40 runs": _soak,
}


def main(arguments: Sequence[str]) -> None:
    if len(arguments) == 1 and arguments[0] in CASES:
        CASES[arguments[0]](arguments[0])
        return
    for name in CASES:
        if not arguments or any(part in name for part in arguments):
            run_command([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
