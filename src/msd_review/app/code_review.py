"""`msd code-review`, whole: what changed, by whom it is reviewed, and what of their claims holds.

The same pipeline as for plans runs the reviewers; what differs is the prompt (names alone), the policy (the base
revision's) and the assessment (claims held against the diff).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from msd_review.app import assessing, choosing, code_review_policy, dismissing, exits, outgoing
from msd_review.app.agreeing import AskYesOrNo, ask_destinations, nobody
from msd_review.app.assessing import Delivered
from msd_review.app.caller import check_caller
from msd_review.app.code_review_assessing import AssessedChange, Known, assess_change
from msd_review.app.code_review_coverage import promises_of
from msd_review.app.code_review_internal import deliver_internal, internal_import
from msd_review.app.code_review_prompts import ChangePrompts
from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.code_review_scope import ReviewScope, find_scope
from msd_review.app.events import Watcher
from msd_review.app.importing import import_reviews, import_text
from msd_review.app.places import check_writable, paths_at
from msd_review.app.preparing import Prepared, prepare
from msd_review.app.publishing import publish
from msd_review.app.recording import record_end
from msd_review.app.rehearsal import NO_RUN, rehearsed
from msd_review.app.review import KEEP_RUNS, AskPerson
from msd_review.app.running import Ran, run_prepared
from msd_review.app.world import World
from msd_review.change.prompt import change_prompt
from msd_review.consensus.model import Consensus
from msd_review.edges import clock
from msd_review.grounding.index import Tree, open_tree
from msd_review.manifest.model import SpawnInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.report.change_json import change_document
from msd_review.report.change_model import PRIMARY, ChangeFacts
from msd_review.report.history import History
from msd_review.report.model import ReviewReport, Skipped
from msd_review.report.terminal import summary_lines
from msd_review.run import store, sweep
from msd_review.run.store import RunInfo
from msd_review.trust.policy import SHIPPED_BINARIES

_SENT = ("names of the changed files",)
_SENT_WITH_PLAN = (*_SENT, "plan text", "requirements")
_NOTHING = Consensus(clusters=(), strengths=(), reviewers=())


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReviewEnded:
    """How a code review ended, ready to be printed."""

    exit_code: int
    report: ReviewReport

    @property
    def document(self) -> dict[str, Any]:
        """The `msd.reviews/1` document, with what is told of a change."""
        return change_document(self.report)

    @property
    def summary(self) -> str:
        """What a person reads in ten seconds."""
        return "\n".join(summary_lines(self.report))


def code_review(
    world: World,
    request: CodeReviewRequest,
    *,
    progress: Watcher,
    ask: AskPerson,
    ask_host: AskYesOrNo = nobody,
) -> CodeReviewEnded:
    """Runs a whole review of a change. Raises MsdError where nothing was run."""
    check_caller()
    scope = find_scope(world, request)
    world = scope.world
    paths = paths_at(scope.folder, scope.stem, request.review.formats, request.review.output)
    if not scope.change.files:
        return _nothing_changed(scope, paths)
    runs = store.runs_folder()
    sweep.sweep_crashed(runs)
    world = ask_destinations(world, choosing.candidate_slugs(world, request.review), ask_host)
    choice = with_plans_for_those_who_need_them(choosing.choose(world, request.review), scope)
    world = choosing.ask_first_use(world, choice, ask)
    whole = change_prompt(scope.change, depth=scope.depth, root=".", plan=scope.plan)
    outgoing.check_prompt(world, whole, request.review.allow_secrets)
    if request.internal is not None:
        import_text(internal_import(request.internal))
    check_writable(paths)
    info = _new_run(runs, scope)
    try:
        return _run(ChangeSetting(replace(scope, world=world), paths, info, choice), progress)
    except BaseException:
        record_end(info, state="failed", exit_code=None)
        raise


def rehearse_code_review(world: World, request: CodeReviewRequest, *, as_json: bool) -> str:
    """`--dry-run`: what would run, and what would be sent where."""
    scope = find_scope(world, request)
    choice = choosing.choose(scope.world, request.review, probe=False)
    choice = with_plans_for_those_who_need_them(choice, scope)
    prepared = prepare_change(scope, choice, NO_RUN, may_start=False)
    receives = _SENT if scope.plan is None else _SENT_WITH_PLAN
    return rehearsed(scope.subject, choice, prepared, as_json=as_json, receives=receives)


def with_plans_for_those_who_need_them(choice: choosing.Choice, scope: ReviewScope) -> choosing.Choice:
    """Without a phase there is no plan, so the reviewer of ours that checks plans is left out, and that is shown."""
    if scope.plan is not None:
        return choice
    kept, rows = [], []
    for reviewer in choice.selection.reviewers:
        entry = scope.world.registry.lane(reviewer.slug)
        invoke = entry.lane.invoke if entry is not None else None
        if not isinstance(invoke, SpawnInvoke) or invoke.binary not in SHIPPED_BINARIES:
            kept.append(reviewer)
            continue
        rows.append(
            Skipped(
                identity=reviewer.identity,
                outcome=Outcome.SKIPPED.value,
                reason=Reason.EXCLUDED.value,
                detail="it checks plans, and no phase was named",
                hint="--phase N reviews the change together with its plans",
                named=reviewer.named,
            )
        )
    return choosing.with_reviewers(choice, tuple(kept), rows)


def _new_run(runs: Path, scope: ReviewScope) -> RunInfo:
    narrowed = "|".join(scope.change.paths)
    return store.new_run(
        runs,
        subject=f"{scope.subject.root}::change::{scope.stem}::{narrowed}",
        title=scope.subject.title,
        command="code-review",
        root=scope.subject.root,
        plans=[plan.name for plan in scope.subject.plans],
        reserved=scope.request.review.run_id,
    )


@dataclass(frozen=True, slots=True)
class ChangeSetting:
    """What one review of a change is about, settled before anyone is asked."""

    scope: ReviewScope
    paths: Mapping[str, Path]
    info: RunInfo
    choice: choosing.Choice


def prepare_change(
    scope: ReviewScope, choice: choosing.Choice, folder: Path, *, may_start: bool = True
) -> Prepared:
    """Plans and approves every chosen reviewer, on the change's prompts."""
    prompts = ChangePrompts(change=scope.change, depth=scope.depth, plan=scope.plan)
    return prepare(
        scope.world,
        scope.request.review,
        scope.subject,
        choice,
        folder=folder,
        may_start=may_start,
        prompts=prompts,
    )


def _run(setting: ChangeSetting, progress: Watcher) -> CodeReviewEnded:
    scope, info = setting.scope, setting.info
    prepared = prepare_change(scope, setting.choice, info.folder)
    ran = run_prepared(scope.world, scope.request.review, prepared, info=info, progress=progress)
    return conclude_change(setting, prepared, ran, progress)


def conclude_change(
    setting: ChangeSetting, prepared: Prepared, ran: Ran, progress: Watcher
) -> CodeReviewEnded:
    """From what the lanes delivered, wherever they ran, to the written report. Raises InputError."""
    scope, info = setting.scope, setting.info
    report = _report(setting, prepared, ran)
    fail_on = scope.request.review.fail_on or scope.world.config.get("review.fail_on").value
    report = replace(report, exit_code=exits.exit_code(_as_gated(report), fail_on=fail_on))
    publish(report, setting.paths)
    state: Literal["interrupted", "finished"] = "interrupted" if report.interrupted else "finished"
    record_end(info, state=state, exit_code=report.exit_code, progress=progress)
    outgoing.clean_old_runs(info.folder.parent, keep=KEEP_RUNS)
    return CodeReviewEnded(exit_code=report.exit_code, report=report)


def _as_gated(report: ReviewReport) -> ReviewReport:
    """The report as the gate sees it: without the concerns that the baseline holds."""
    known = report.change.known if report.change is not None else frozenset()
    clusters = tuple(cluster for cluster in report.consensus.clusters if cluster.id not in known)
    return replace(report, consensus=replace(report.consensus, clusters=clusters))


def _delivered(setting: ChangeSetting, prepared: Prepared, ran: Ran) -> tuple[Delivered, ...]:
    scope = setting.scope
    instances = {r.identity for r in setting.choice.selection.reviewers if r.kind == "instance"}
    lanes = [
        Delivered(
            result=result,
            instance=result.identity if result.identity in instances else None,
            trim=prepared.trims.get(result.identity),
        )
        for result in ran.results
    ]
    imported = import_reviews(scope.request.review.imports, folder=setting.info.folder)
    ordered = assessing.roster_order(
        [*lanes, *imported], [entry.lane for entry in scope.world.registry.lanes]
    )
    if scope.request.internal is None:
        return ordered
    return (deliver_internal(scope.request.internal, folder=setting.info.folder), *ordered)


def _report(setting: ChangeSetting, prepared: Prepared, ran: Ran) -> ReviewReport:
    scope = setting.scope
    tree = open_tree(scope.subject.root)
    dismissals, told = code_review_policy.base_dismissals(
        scope.checkout, scope.change, dismissing.dismissals_path(scope.json_path), tree
    )
    history = _history(scope)
    assessed = assess_change(
        _delivered(setting, prepared, ran),
        scope.subject,
        tree=tree,
        checkout=scope.checkout,
        change=scope.change,
        known=Known(
            history=history,
            baseline=scope.baseline.history if scope.baseline is not None else None,
            dismissals=dismissals,
        ),
    )
    report = replace(
        _empty_report(scope, setting.paths, run=setting.info.id, history=history),
        reviewers=assessed.reviewers,
        skipped=(*setting.choice.skipped, *prepared.skipped, *ran.skipped),
        consensus=assessed.consensus,
        warnings=_warnings(
            scope, (*setting.choice.selection.warnings, *prepared.warnings, *ran.warnings, *assessed.warnings)
        ),
        infos=(*setting.choice.selection.infos, *ran.infos),
        interrupted=ran.interrupted,
        shared_adapters=setting.choice.selection.shared_adapters,
        change=_facts(scope, assessed, tree, told=told),
    )
    if "html" in setting.paths:
        report = replace(report, sources=assessing.quotes_for(report, tree))
    return report


def _history(scope: ReviewScope) -> History:
    """The last cycle; not one that the reviewed range brings along: it would put words into reviewers' mouths."""
    brought = {file.path for file in scope.change.files if file.kind != "untracked"}
    if scope.json_path.relative_to(scope.change.root).as_posix() not in brought:
        return assessing.load_history(scope.json_path)
    told = f"{scope.json_path.name} is part of the reviewed range, so this counts as the first cycle"
    return History(warnings=(told,))


def _facts(scope: ReviewScope, assessed: AssessedChange, tree: Tree, *, told: tuple[str, ...]) -> ChangeFacts:
    promises = promises_of(scope.plan, scope.change, tree=tree, checkout=scope.checkout) if scope.plan else ()
    return replace(
        _plain_facts(scope),
        unverified=assessed.unverified,
        known=assessed.known,
        policy=(*scope.policy, *told),
        promises=promises,
        provenance={
            report.result.identity: PRIMARY
            if report.result.identity == PRIMARY
            else f"external: {report.result.identity if report.imported else report.result.slug}"
            for report in assessed.reviewers
        },
    )


def _plain_facts(scope: ReviewScope) -> ChangeFacts:
    return ChangeFacts(
        change=scope.change,
        depth=scope.depth,
        has_primary=scope.request.internal is not None,
        baseline=scope.baseline.name if scope.baseline is not None else None,
        policy=scope.policy,
    )


def _empty_report(
    scope: ReviewScope, paths: Mapping[str, Path], *, run: str, history: History
) -> ReviewReport:
    return ReviewReport(
        run=run,
        root=str(scope.subject.root),
        phase=None,
        title=scope.subject.title
        if scope.plan is None
        else f"phase {scope.plan.phase}, since {scope.change.base_name}",
        cycle=history.next_cycle,
        reviewed_at=clock.iso(clock.now()),
        plans=tuple(plan.name for plan in scope.subject.plans),
        reviewers=(),
        skipped=(),
        consensus=_NOTHING,
        warnings=_warnings(scope, ()),
        commit=scope.change.head,
        files={name: str(path) for name, path in paths.items()},
        change=_plain_facts(scope),
    )


def _warnings(scope: ReviewScope, others: tuple[str, ...]) -> tuple[str, ...]:
    notices = (notice.message for notice in scope.world.registry.notices)
    found = (*scope.world.warnings(), *notices, *scope.subject.warnings, *scope.change.warnings, *others)
    return tuple(dict.fromkeys((*found, *scope.policy)))


def _nothing_changed(scope: ReviewScope, paths: Mapping[str, Path]) -> CodeReviewEnded:
    """No reviewer is asked; files are written only where somebody said which, so that no earlier review is lost."""
    options = scope.request.review
    wanted = options.output is not None or set(options.formats) != {"md", "json"}
    report = _empty_report(scope, paths if wanted else {}, run="", history=History())
    if wanted:
        check_writable(dict(paths))
        publish(report, paths)
    return CodeReviewEnded(exit_code=exits.DONE, report=report)
