"""What an item asks for, as the request that the same review would be on one machine."""

from pathlib import Path

from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.request import FailOn, ReviewRequest
from msd_review.errors import InputError
from msd_review.fleet.wire import Job
from msd_review.planning import Overrides


def plan_request(job: Job, root: Path, *, output: Path | None = None) -> ReviewRequest:
    """The request for a phase or for plan files. Raises InputError for a plan outside the tree."""
    item = job.item
    return ReviewRequest(
        folder=root,
        plans=tuple(_inside(root, plan) for plan in item.plans) if item.kind == "plans" else (),
        phase=item.phase if item.kind == "phase" else None,
        named=_named(job),
        overrides=_overrides(job),
        fail_on=_fail_on(job),
        output=f"{output}/" if output is not None else None,
        isolate=True,
        yes=True,
        allow_secrets=job.allow_secrets,
    )


def change_request(job: Job, root: Path, *, output: Path | None = None) -> CodeReviewRequest:
    """The request for a change. Raises InputError for a path outside the tree."""
    item = job.item
    review = ReviewRequest(
        folder=root,
        phase=item.phase,
        named=_named(job),
        overrides=_overrides(job),
        fail_on=_fail_on(job),
        output=f"{output}/" if output is not None else None,
        isolate=True,
        yes=True,
        allow_secrets=job.allow_secrets,
    )
    paths = tuple(_inside(root, path) for path in item.paths)
    return CodeReviewRequest(review=review, paths=paths, base=item.base)


def _named(job: Job) -> tuple[str, ...]:
    return (job.slug,) if job.slug else ()


def _fail_on(job: Job) -> FailOn | None:
    allowed: tuple[FailOn, ...] = ("high", "medium", "low", "never")
    return next((level for level in allowed if level == job.fail_on), None)


def _overrides(job: Job) -> Overrides:
    item = job.item
    timeouts = {job.slug: item.timeout_seconds} if item.timeout_seconds is not None and job.slug else {}
    models = {slug: model for slug, model in item.models if slug == job.slug}
    return Overrides(models=models, timeouts=timeouts)


def _inside(root: Path, name: str) -> Path:
    """A file of the tree; links of a stranger's repository do not lead out of it."""
    path = root / name
    try:
        is_inside = path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        is_inside = False
    if Path(name).is_absolute() or not is_inside:
        raise InputError(f"{name} is not in the repository")
    return path
