"""From what an agent asked to what the use cases take: the same requests as the command line makes."""

from pathlib import Path

from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.request import ReviewRequest
from msd_review.mcp_server.arguments import AskedCodeReview, AskedReview, Who
from msd_review.mcp_server.places import file_inside, inside
from msd_review.mcp_server.refusal import Refused


def review_request(root: Path, asked: AskedReview, *, run_id: str | None = None) -> ReviewRequest:
    """Raises Refused for a path that is not the project's."""
    plans = tuple(file_inside(root, plan) for plan in asked.plans)
    return _request(root, asked.who, phase=asked.phase, plans=plans, run_id=run_id)


def code_review_request(
    root: Path, asked: AskedCodeReview, *, run_id: str | None = None
) -> CodeReviewRequest:
    """Raises Refused for a path that is not the project's, and for a revision that is an option."""
    if asked.base is not None and asked.base.startswith("-"):
        raise Refused("invalid_arguments", f"base: {asked.base!r} is no revision")
    return CodeReviewRequest(
        review=_request(root, asked.who, phase=asked.phase, run_id=run_id),
        paths=tuple(inside(root, path) for path in asked.paths),
        base=asked.base,
        staged=asked.staged,
        depth=asked.depth,
        internal=file_inside(root, asked.own_review) if asked.own_review is not None else None,
    )


def _request(
    root: Path, who: Who, *, phase: str | None, plans: tuple[Path, ...] = (), run_id: str | None
) -> ReviewRequest:
    return ReviewRequest(
        folder=root,
        plans=plans,
        phase=phase,
        named=who.reviewers,
        all=who.all,
        exclude=who.exclude,
        fail_on=who.fail_on,
        resume=who.resume,
        retry_failed=who.retry_failed,
        yes=True,
        run_id=run_id,
        by_agent=True,
    )
