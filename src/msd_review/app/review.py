"""`msd review`, whole: what is reviewed, by whom, run, read, compared, written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from msd_review.app import assessing, choosing, dismissing, exits, naming, outgoing
from msd_review.app.agreeing import AskYesOrNo, ask_destinations, nobody
from msd_review.app.assessing import Delivered
from msd_review.app.caller import check_caller
from msd_review.app.events import Watcher
from msd_review.app.importing import import_reviews
from msd_review.app.places import check_writable, report_paths
from msd_review.app.preparing import Prepared, prepare
from msd_review.app.publishing import publish
from msd_review.app.recording import record_end
from msd_review.app.request import ReviewRequest
from msd_review.app.running import Ran, run_prepared
from msd_review.app.world import World
from msd_review.consensus.cycles import is_stalled
from msd_review.edges import clock
from msd_review.errors import UsageError
from msd_review.grounding.index import open_tree
from msd_review.prompt.artifacts import find_phase, obvious_subject, subject_from_plans
from msd_review.prompt.model import ReviewSubject
from msd_review.report.history import History
from msd_review.report.json_document import document
from msd_review.report.model import ReviewReport, Skipped
from msd_review.report.terminal import summary_lines
from msd_review.run import store, sweep
from msd_review.run.interrupts import term_as_interrupt
from msd_review.run.store import RunInfo

AskPerson = Callable[[Sequence[str]], bool | None]
KEEP_RUNS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a review ended, ready to be printed."""

    exit_code: int
    report: ReviewReport
    stalled: bool = False  # nothing got better since the last cycle

    @property
    def document(self) -> dict[str, Any]:
        """The `msd.reviews/1` document."""
        return document(self.report)

    @property
    def summary(self) -> str:
        """What a person reads in ten seconds."""
        return "\n".join(summary_lines(self.report))


def choose_subject(world: World, request: ReviewRequest) -> ReviewSubject:
    """What is reviewed: the named plans, the named phase, or the one obvious plan."""
    root = world.root.required()
    if request.plans and request.phase is not None:
        raise UsageError("name plan files or --phase, not both")
    if request.plans:
        return subject_from_plans(root, [path.absolute() for path in request.plans])
    if request.phase is not None:
        return find_phase(root, request.phase)
    return obvious_subject(root)


def subject_key(subject: ReviewSubject) -> str:
    """What makes two runs cycles of the same thing: the project, and the phase's folder or the plans."""
    what = (
        str(subject.phase_folder) if subject.phase_folder else "|".join(plan.name for plan in subject.plans)
    )
    return f"{subject.root}::{what}"


def _check_options(request: ReviewRequest) -> None:
    if request.isolate and request.in_place:
        raise UsageError("--isolate and --in-place exclude each other")
    if request.resume and request.resume_run is not None:
        raise UsageError("--resume and --resume-run exclude each other")


def review(
    world: World, request: ReviewRequest, *, progress: Watcher, ask: AskPerson, ask_host: AskYesOrNo = nobody
) -> Ended:
    """Runs a whole review. Raises MsdError where nothing was run."""
    check_caller()
    _check_options(request)
    naming.check_configured(world)
    naming.check_imports(world, request.imports)
    naming.check_asked(world, request)
    subject = choose_subject(world, request)
    paths = report_paths(subject, request.formats, request.output)
    history = assessing.load_history(report_paths(subject, ("json",), None)["json"])
    runs = store.runs_folder()
    sweep.sweep_crashed(runs)
    world = ask_destinations(world, choosing.candidate_slugs(world, request), ask_host)
    choice = choosing.choose(world, request)
    world = choosing.ask_first_use(world, choice, ask)
    outgoing.check_secrets(world, subject, request.allow_secrets)
    check_writable(paths)
    with term_as_interrupt():
        info = _new_run(runs, subject, request.run_id)
        try:
            return _review(Setting(world, request, subject, paths, history, info, choice), progress)
        except BaseException:
            record_end(info, state="failed", exit_code=None)
            raise


@dataclass(frozen=True, slots=True)
class Setting:
    """What one review is about, settled before anyone is asked."""

    world: World
    request: ReviewRequest
    subject: ReviewSubject
    paths: Mapping[str, Path]
    history: History
    info: RunInfo
    choice: choosing.Choice


def _new_run(runs: Path, subject: ReviewSubject, reserved: str | None) -> RunInfo:
    return store.new_run(
        runs,
        subject=subject_key(subject),
        title=subject.title,
        command="review",
        root=subject.root,
        plans=[plan.name for plan in subject.plans],
        reserved=reserved,
    )


def _review(setting: Setting, progress: Watcher) -> Ended:
    world, request = setting.world, setting.request
    prepared = prepare(world, request, setting.subject, setting.choice, folder=setting.info.folder)
    ran = run_prepared(world, request, prepared, info=setting.info, progress=progress)
    return conclude(setting, prepared, ran, progress)


def conclude(setting: Setting, prepared: Prepared, ran: Ran, progress: Watcher) -> Ended:
    """From what the lanes delivered, wherever they ran, to the written report. Raises InputError."""
    world, request = setting.world, setting.request
    report = _report(setting, prepared, ran)
    fail_on = request.fail_on or world.config.get("review.fail_on").value
    report = replace(report, exit_code=exits.exit_code(report, fail_on=fail_on))
    publish(report, setting.paths)
    state: Literal["interrupted", "finished"] = "interrupted" if report.interrupted else "finished"
    record_end(setting.info, state=state, exit_code=report.exit_code, progress=progress)
    outgoing.clean_old_runs(setting.info.folder.parent, keep=KEEP_RUNS)
    stalled = is_stalled(report.consensus, setting.history.previous)
    return Ended(exit_code=report.exit_code, report=report, stalled=stalled)


def _report(setting: Setting, prepared: Prepared, ran: Ran) -> ReviewReport:
    world, request, subject = setting.world, setting.request, setting.subject
    instances = {r.identity for r in setting.choice.selection.reviewers if r.kind == "instance"}
    delivered = [
        Delivered(
            result=result,
            instance=result.identity if result.identity in instances else None,
            trim=prepared.trims.get(result.identity),
        )
        for result in ran.results
    ]
    imported = import_reviews(request.imports, folder=setting.info.folder)
    ordered = assessing.roster_order([*delivered, *imported], [entry.lane for entry in world.registry.lanes])
    tree = open_tree(subject.root)
    assessed = assessing.assess(
        ordered,
        subject,
        tree=tree,
        history=setting.history,
        check=bool(world.config.get("plan_review.source_grounding").value),
        dismissals=dismissing.load_dismissals(dismissing.path_for(subject), tree),
        plan_changes=outgoing.plan_changes(setting.info, subject, setting.history),
    )
    report = ReviewReport(
        run=setting.info.id,
        root=str(subject.root),
        phase=subject.phase,
        title=subject.title,
        cycle=setting.history.next_cycle,
        reviewed_at=clock.iso(clock.now()),
        plans=tuple(plan.name for plan in subject.plans),
        reviewers=assessed.reviewers,
        skipped=_skipped(setting.choice, prepared, ran),
        consensus=assessed.consensus,
        warnings=_warnings(setting, prepared, ran, assessed.warnings),
        infos=(*setting.choice.selection.infos, *ran.infos),
        commit=outgoing.commit_of(tree),
        interrupted=ran.interrupted,
        shared_adapters=setting.choice.selection.shared_adapters,
        files={name: str(path) for name, path in setting.paths.items()},
    )
    if "html" in setting.paths:
        report = replace(report, sources=assessing.quotes_for(report, tree))
    return report


def _skipped(choice: choosing.Choice, prepared: Prepared, ran: Ran) -> tuple[Skipped, ...]:
    return (*choice.skipped, *prepared.skipped, *ran.skipped)


def _warnings(setting: Setting, prepared: Prepared, ran: Ran, others: tuple[str, ...]) -> tuple[str, ...]:
    world = setting.world
    notices = tuple(notice.message for notice in world.registry.notices)
    chosen = setting.choice.selection.warnings
    found = (
        *world.warnings(),
        *notices,
        *setting.subject.warnings,
        *chosen,
        *prepared.warnings,
        *ran.warnings,
    )
    return tuple(dict.fromkeys((*found, *others)))
