"""A worker's helper: a process that does one job after another, started once and kept.

Apart from the worker, so that a job has a main thread and signals of its own, that one that dies takes no other with
it, and that what a review costs to load is paid once. Spoken to in JSON lines: first the bench, then one job each.

Started as `python -P -m msd_review.fleet.helper`. It ends when the worker does: its lanes are told to stop, and
what does not is ended by the lanes' keepers.
"""

import json
import queue
import threading
from pathlib import Path
from typing import Any

from msd_review.edges import lifeline
from msd_review.fleet.checkouts import Repositories
from msd_review.fleet.working import Bench, do_job

ORPHANED_GRACE_S = 20.0
CANCELLED = {"v": 1, "state": "cancelled"}


class _Desk:
    """What the reading thread and the working thread share."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.is_busy = False
        self.over = threading.Event()

    def take(self, line: bytes) -> None:
        value = json.loads(line)
        if "cancel" in value:
            self.interrupt()
        else:
            self.jobs.put(value)

    def interrupt(self) -> None:
        with self.lock:
            if self.is_busy:
                lifeline.interrupt_ourselves()

    def orphaned(self) -> None:
        """The worker is gone: lanes end politely, then at once, then this process does."""
        self.jobs.put(None)
        self.interrupt()
        if not self.over.wait(ORPHANED_GRACE_S / 2):
            self.interrupt()
        if not self.over.wait(ORPHANED_GRACE_S / 2):
            lifeline.leave_at_once(1)


def main() -> None:
    """Serves until the worker goes."""
    mouth = lifeline.private_stdout()
    desk = _Desk()
    lifeline.listen(desk.take, desk.orphaned)
    try:
        first = desk.jobs.get()
        if first is None:
            return
        bench = _bench(first)
        while (asked := desk.jobs.get()) is not None:
            lifeline.say(mouth, json.dumps(_answered(desk, asked, bench)).encode())
    except (KeyboardInterrupt, BrokenPipeError):
        return
    finally:
        desk.over.set()


def _bench(first: dict[str, Any]) -> Bench:
    repositories = Repositories(folder=Path(first["repositories"]), allow_file=first["allow_file"])
    return Bench(accepted=tuple(first["accepted"]), repositories=repositories, runs=Path(first["runs"]))


def _answered(desk: _Desk, asked: dict[str, Any], bench: Bench) -> dict[str, Any]:
    try:
        with desk.lock:
            desk.is_busy = True
        answer = do_job(asked["job"], bench=bench, folder=Path(asked["folder"]))
        _set_idle(desk)
    except KeyboardInterrupt:
        _set_idle(desk)
        return CANCELLED
    return answer


def _set_idle(desk: _Desk) -> None:
    with desk.lock:
        desk.is_busy = False


if __name__ == "__main__":
    main()
