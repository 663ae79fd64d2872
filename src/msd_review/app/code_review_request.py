"""What a review of a change was asked to do: the command line, decoded once."""

from dataclasses import dataclass, field
from pathlib import Path

from msd_review.app.request import ReviewRequest
from msd_review.change.model import Depth


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReviewRequest:
    """Everything `msd code-review` was told; `review` holds what every review can be told.

    `internal` is the host agent's own review, `baseline` an earlier REVIEW.json whose concerns fail no gate.
    """

    review: ReviewRequest = field(default_factory=ReviewRequest)
    paths: tuple[Path, ...] = ()
    base: str | None = None
    staged: bool = False
    depth: Depth | None = None
    internal: Path | None = None
    baseline: Path | None = None
