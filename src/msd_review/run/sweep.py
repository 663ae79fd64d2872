"""Ends what a run left behind: at its own end, and, when msd was killed outright, at the next command's start.

A process is ended only when it carries the run's mark, belongs to this user, and started after the run's own
process did in this boot of the machine. Normally there is nothing: on Linux each lane's keeper ends its lane
when msd dies.
"""

from pathlib import Path

from msd_review.edges import process_table
from msd_review.edges.faults import fault_point
from msd_review.edges.process_table import Identity
from msd_review.run import leftovers, store

_BOUND_S = 5.0


def lane_mark(run_id: str, identity: str, attempt: int) -> str:
    """The mark of one attempt of one lane: its processes carry it, and nobody else's do."""
    return f"{run_id}/{identity}/{attempt}"


def sweep_run(run: store.RunInfo) -> int:
    """Ends every process of `run` that is still there; how many would not end."""
    return _end_marked({run.id: run.owner})


def sweep_crashed(runs: Path) -> tuple[str, ...]:
    """Ends and removes what crashed runs left behind, and records that they crashed; their ids. Never raises.

    Looks at processes only when there is such a run.
    """
    unended = store.unended_runs(runs)
    for run in unended:
        if run.state == "broken":
            leftovers.remove_dead_temporaries(run.folder)
    crashed = [run for run in unended if run.state == "crashed"]
    if not crashed:
        return ()
    fault_point("sweep.killing")
    if _end_marked({run.id: run.owner for run in crashed}) == 0:
        for run in crashed:
            leftovers.clear_run(run)
            store.record_crash(run)
    return tuple(run.id for run in crashed)


def _end_marked(owners: dict[str, Identity | None]) -> int:
    def is_of_these(mark: str) -> bool:
        return mark.partition("/")[0] in owners

    def find() -> list[int]:
        found = process_table.marked(is_of_these)
        return [pid for pid in found if _is_younger(pid, owners)]

    return process_table.kill_all(find, bound_s=_BOUND_S) if find() else 0


def _is_younger(pid: int, owners: dict[str, Identity | None]) -> bool:
    """Started in the boot of its run's process, and not before it."""
    mark = process_table.mark_of(pid)
    who = process_table.identify(pid)
    owner = owners.get(mark.partition("/")[0]) if mark is not None else None
    if who is None or owner is None:
        return False
    return who.boot == owner.boot and _started(who) >= _started(owner)


def _started(who: Identity) -> float:
    try:
        return float(who.started)
    except ValueError:
        return float("inf")
