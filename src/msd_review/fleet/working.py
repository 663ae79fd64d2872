"""One job, done: consent opened, tree found, lane run or report made. Never raises for what an item brings.

Called in the process that does a worker's jobs, one at a time, on its main thread.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import clock
from msd_review.errors import MsdError, SecretFound
from msd_review.fleet import repositories, wire
from msd_review.fleet.assess_job import assess
from msd_review.fleet.checkouts import Repositories, RepositoryProblem
from msd_review.fleet.grants import Grant, GrantRefused, open_grant
from msd_review.fleet.lane_job import run_lane
from msd_review.fleet.model import BadValue, ItemReason
from msd_review.fleet.wire import Job
from msd_review.outcomes import Outcome, Reason
from msd_review.report.model import Skipped
from msd_review.run.result_json import BadRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where jobs are done: whose consent counts, where repositories are kept, and where lanes run."""

    accepted: tuple[str, ...]
    repositories: Repositories
    runs: Path


def do_job(value: object, *, bench: Bench, folder: Path) -> dict[str, Any]:
    """The answer to a job; `folder` is the job's own."""
    try:
        job = wire.job_from_json(value)
        grant = open_grant(job.grant, accepted=bench.accepted, fleet=job.fleet, item=job.item)
        return _done(job, grant, bench=bench, folder=folder)
    except GrantRefused as problem:
        return _not_consented(value, str(problem))
    except RepositoryProblem as problem:
        return wire.refusal(problem.reason, str(problem))
    except SecretFound as problem:
        return wire.refusal(ItemReason.SECRET_FOUND, problem.message, problem.hint)
    except MsdError as problem:
        return wire.refusal(ItemReason.INPUT, problem.message, problem.hint)
    except (BadValue, BadRecord) as problem:
        return wire.refusal(ItemReason.INTERNAL, f"the job cannot be read: {problem}")
    except Exception as bug:  # noqa: BLE001 - a fault over one item must not end the process that serves them all
        return wire.refusal(ItemReason.INTERNAL, f"a fault in msd: {type(bug).__name__}: {bug}"[:2000])


def _not_consented(value: object, why: str) -> dict[str, Any]:
    """Nothing was started: a row for a lane, a refusal for the rest."""
    slug = value.get("slug") if isinstance(value, dict) else None
    if not isinstance(slug, str) or not slug:
        return wire.refusal(ItemReason.BLOCKED, why)
    row = Skipped(identity=slug, outcome=Outcome.BLOCKED.value, reason=Reason.NOT_CONSENTED.value, detail=why)
    return wire.lane_row(row)


def _done(job: Job, grant: Grant, *, bench: Bench, folder: Path) -> dict[str, Any]:
    started = clock.monotonic()
    if job.kind == "resolve":
        commit = repositories.resolve(bench.repositories, job.item.repository, job.item.revision)
        return {"v": wire.VERSION, "state": "resolved", "commit": commit}
    tree = repositories.tree_of(bench.repositories, job.item)
    if job.kind == "assess":
        return assess(job, tree, folder=folder)
    answer = run_lane(job, grant, tree, runs=bench.runs)
    return {**answer, "seconds": round(clock.monotonic() - started, 3)}
