"""Processes that are watched and cut short: when the reviewer runs, who it is, and what is left of it afterwards."""

import asyncio
import signal
from collections.abc import Sequence

from msd_review.conformance.bench import Call, Desk
from msd_review.edges import clock, process_table
from msd_review.edges.process_table import Identity
from msd_review.run import store

# Other processes are waited for: nothing here could be told by them.
_POLL_S = 0.02


async def wait_until_called(desk: Desk, *, bound_s: float) -> bool:
    """Waits until the reviewer runs; False where it did not start in time."""
    deadline = clock.monotonic() + bound_s
    while clock.monotonic() < deadline:
        if any(desk.record.glob("call-*.json")):
            return True
        await asyncio.sleep(_POLL_S)
    return False


def owner_of_run(desk: Desk) -> Identity | None:
    """The process of ours that runs the desk's newest run."""
    runs = store.list_runs(desk.state / "runs")
    return runs[0].owner if runs else None


def interrupt(owner: Identity) -> None:
    """What Ctrl-C does."""
    process_table.send([owner.pid], signal.SIGINT)


def kill_outright(owner: Identity) -> None:
    """What the system does when memory runs out: no chance to clear up."""
    process_table.send([owner.pid], signal.SIGKILL)


async def survivors(identities: Sequence[Identity], *, bound_s: float) -> list[int]:
    """Which of these processes still run after at most `bound_s`; they are ended then."""
    deadline = clock.monotonic() + bound_s
    alive = list(identities)
    while alive and clock.monotonic() < deadline:
        alive = [one for one in alive if process_table.is_alive(one)]
        await asyncio.sleep(_POLL_S if alive else 0)
    process_table.send([one.pid for one in alive], signal.SIGKILL)
    return [one.pid for one in alive]


def identities_of(calls: Sequence[Call]) -> list[Identity]:
    """Who the processes of these calls are; those that are gone already are nobody."""
    pids = [pid for call in calls for pid in call.processes]
    return [who for pid in pids if (who := process_table.identify(pid)) is not None]
