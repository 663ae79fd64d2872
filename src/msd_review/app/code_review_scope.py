"""What a code review is about: the change, the depth, the plan behind it, and the policy that judges it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msd_review.app import code_review_policy, dismissing, naming
from msd_review.app.code_review_internal import internal_import
from msd_review.app.code_review_policy import Baseline
from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.places import beside, paths_at
from msd_review.app.request import CHANGE_FORMATS
from msd_review.app.world import World
from msd_review.change.model import DEPTHS, Change, Depth
from msd_review.change.repository import Checkout, open_checkout
from msd_review.change.scope import read_change
from msd_review.errors import UsageError
from msd_review.prompt.artifacts import find_phase
from msd_review.prompt.model import ReviewSubject

DEPTH_KEY = "workflow.code_review_depth"
_STEM = "REVIEW"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewScope:
    """What is reviewed, before anybody is asked: all that a rehearsal knows too."""

    world: World
    request: CodeReviewRequest
    checkout: Checkout
    change: Change
    depth: Depth
    plan: ReviewSubject | None
    subject: ReviewSubject
    folder: Path
    stem: str
    policy: tuple[str, ...]
    baseline: Baseline | None

    @property
    def json_path(self) -> Path:
        """The JSON of this and of the last cycle, at its usual place."""
        return self.folder / f"{self.stem}.json"


def _check_options(request: CodeReviewRequest) -> None:
    options = request.review
    if options.isolate and options.in_place:
        raise UsageError("--isolate and --in-place exclude each other")
    if options.resume and options.resume_run is not None:
        raise UsageError("--resume and --resume-run exclude each other")


def find_scope(world: World, request: CodeReviewRequest) -> ReviewScope:
    """Settles what is reviewed, under the policy of the base. Raises MsdError for what cannot be reviewed."""
    _check_options(request)
    root = world.root.required()
    checkout = open_checkout(root)
    plan = find_phase(root, request.review.phase) if request.review.phase is not None else None
    folder, stem = _report_place(root, plan)
    outputs = paths_at(folder, stem, request.review.formats, request.review.output).values()
    change = read_change(
        checkout,
        base=request.base,
        staged=request.staged,
        paths=request.paths,
        ours=frozenset(_names(root, [*outputs, *_usual_outputs(folder, stem)])),
    )
    policy = code_review_policy.base_policy(world, checkout, change)
    naming.check_configured(policy.world)
    internal = (internal_import(request.internal),) if request.internal is not None else ()
    naming.check_imports(policy.world, (*request.review.imports, *internal))
    baseline = (
        code_review_policy.base_baseline(checkout, change, request.baseline)
        if request.baseline is not None
        else None
    )
    title = "staged change" if request.staged else f"change since {change.base_name}"
    return ReviewScope(
        world=policy.world,
        request=request,
        checkout=checkout,
        change=change,
        depth=_depth(policy.world, request),
        plan=plan,
        subject=plan or ReviewSubject(root=root, phase=None, phase_folder=None, title=title, plans=()),
        folder=folder,
        stem=stem,
        policy=(*policy.changes, *(baseline.told if baseline is not None else ())),
        baseline=baseline,
    )


def _usual_outputs(folder: Path, stem: str) -> list[Path]:
    usual = paths_at(folder, stem, CHANGE_FORMATS, None)
    return [*usual.values(), dismissing.dismissals_path(usual["json"])]


def _names(root: Path, paths: Sequence[Path]) -> list[str]:
    return [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)]


def _report_place(root: Path, plan: ReviewSubject | None) -> tuple[Path, str]:
    if plan is None:
        return root, _STEM
    folder, stem = beside(plan)
    return folder, stem.replace("REVIEWS", _STEM)


def _depth(world: World, request: CodeReviewRequest) -> Depth:
    if request.depth is not None:
        return request.depth
    configured = world.config.text(DEPTH_KEY)
    return next((depth for depth in DEPTHS if depth == configured), "standard")
