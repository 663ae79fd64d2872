"""A run of four lanes from first to last, as a program of its own, so that a test can kill it anywhere.

`python -m tests.faults.run_driver FOLDER [resume] [stubborn]`: lanes a and b are quick, c is slow, d never
ends by itself, and when stubborn not when asked either. Prints how each lane ended, and `reused` for those that were taken over.
"""

import asyncio
import sys
from pathlib import Path

from msd_review.edges import environ, files
from msd_review.edges.stopping import StopSignal
from msd_review.invocation import SpawnInvocation
from msd_review.outcomes import Outcome, Reason
from msd_review.run.interrupts import stop_on_signals
from msd_review.run.journal import Journal
from msd_review.run.keys import lane_key
from msd_review.run.result import LaneResult
from msd_review.run.resume import Earlier, adopt, load_finished, reusable
from msd_review.run.schedule import Attempt, LaneTask, run_lanes
from msd_review.run.spawn_lane import SpawnPlace, run_spawn
from msd_review.run.store import RunInfo, end_run, last_run, new_run, runs_folder
from msd_review.run.sweep import lane_mark, sweep_crashed, sweep_run
from tests.lane_samples import approved, invocation, result
from tests.lanes.process_fakes import install

SUBJECT = "phase 1"
NAMES = ("a", "b", "c", "d")


def _invocation(folder: Path, name: str) -> tuple[SpawnInvocation, Path]:
    stubborn = "stubborn" in sys.argv
    if name == "d":
        call = ("d",)
        binary = install(folder / "bin", "ignores_term" if stubborn else "closes_stdout")
    else:
        binary = install(folder / "bin", "notes_its_start")
        call = (name, str(folder / "starts"), name, *(("slow",) if name == "c" else ()))
    return invocation(
        folder, name, argv=call, timeout_ms=400 if name == "d" and not stubborn else 20_000
    ), binary


def _task(run: RunInfo, folder: Path, name: str) -> LaneTask:
    what, binary = _invocation(folder, name)

    async def go(attempt: Attempt) -> LaneResult:
        place = files.make_private(run.folder / "lanes" / name)
        environment = {**environ.snapshot(), "MSD_FAULT": ""}
        mark = lane_mark(run.id, name, attempt.number)
        ending = await run_spawn(
            approved(binary, what),
            SpawnPlace(folder=place, cwd=folder, env=environment, marker=mark),
            timeout_ms=attempt.remaining_ms,
            stop=attempt.stop,
        )
        if ending.kind == "exited":
            return result(name, text_path=ending.stdout_path)
        if ending.kind == "cancelled":
            return result(name, outcome=Outcome.CANCELLED, reason=Reason.CANCELLED)
        return result(name, outcome=Outcome.FAILED, reason=Reason.TIMEOUT)

    return LaneTask(identity=name, slug=name, section=name, transport="spawn", timeout_ms=20_000, run=go)


def _key(run: RunInfo, folder: Path, name: str) -> str:
    what, _ = _invocation(folder, name)
    return lane_key(what, prompt=b"prompt", tree_state="tree", run_folder=run.folder)


def _take_over(
    run: RunInfo, folder: Path, earlier: Earlier | None, journal: Journal
) -> dict[str, LaneResult]:
    taken = {}
    for name in NAMES if earlier is not None else ():
        key = _key(run, folder, name)
        found = reusable(earlier, key, retry_failed=False) if earlier is not None else None
        if found is not None and earlier is not None:
            taken[name] = adopt(found, earlier=earlier.run, folder=run.folder)
            journal.lane_finished(key, taken[name])
    return taken


async def drive(folder: Path, *, resume: bool) -> dict[str, LaneResult]:
    runs = runs_folder()
    sweep_crashed(runs)
    last = last_run(runs, SUBJECT) if resume else None
    earlier = load_finished(last) if last is not None else None
    run = new_run(runs, subject=SUBJECT, title=SUBJECT, command="review", root=folder)
    journal = Journal(run.folder)
    journal.append("run_started", {"id": run.id})
    done = _take_over(run, folder, earlier, journal)
    tasks = [_task(run, folder, name) for name in NAMES if name not in done]

    def keep(ended: LaneResult) -> None:
        journal.lane_finished(_key(run, folder, ended.identity), ended)

    async with stop_on_signals(StopSignal()) as stop:
        results = await run_lanes(tasks, on_event=lambda event: None, on_result=keep, stop=stop)
    done |= {ended.identity: ended for ended in results}
    journal.close()
    sweep_run(run)
    end_run(run, state="interrupted" if stop.asked() else "finished", exit_code=0)
    return {name: done[name] for name in NAMES}


def main(arguments: list[str]) -> None:
    results = asyncio.run(drive(Path(arguments[0]), resume="resume" in arguments))
    for name, ended in results.items():
        print(name, ended.outcome, "reused" if ended.reused else "run", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
