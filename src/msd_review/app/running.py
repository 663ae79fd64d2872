"""Runs what was prepared: copies made, lanes side by side, every result journalled as it comes, all traces removed."""

import asyncio
import hashlib
import re
from collections.abc import Collection, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from msd_review.app.agreeing import changed_since
from msd_review.app.copies import Copied, Copies
from msd_review.app.events import RunEvent, Watcher
from msd_review.app.lane_run import RunPlace, attempt_lane
from msd_review.app.preparing import Prepared, write_prompts
from msd_review.app.recording import Record
from msd_review.app.request import ReviewRequest
from msd_review.app.world import World
from msd_review.config.roots import home_folder
from msd_review.edges import files
from msd_review.edges.addresses import AddressBook
from msd_review.edges.stopping import StopSignal
from msd_review.edges.terminal import restored_terminal
from msd_review.errors import StoreError
from msd_review.invocation import SpawnInvocation
from msd_review.lazy import regex
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.report.model import Skipped
from msd_review.run import leftovers, resume, store, sweep
from msd_review.run.events import LaneEvent
from msd_review.run.interrupts import stop_on_signals
from msd_review.run.journal import Journal
from msd_review.run.keys import lane_key
from msd_review.run.result import LaneResult
from msd_review.run.schedule import Attempt, LaneTask, run_lanes
from msd_review.run.store import RunInfo
from msd_review.run.tree_state import TreeState, changes_between, tree_state
from msd_review.trust.policy import Approved

_REPORT = regex(
    r"(?:^|[-./])REVIEWS?\.(?:md|sarif|html|annotations\.txt|(?:codequality\.|rdjson\.)?json)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What the lanes of a run came to."""

    results: tuple[LaneResult, ...]
    skipped: tuple[Skipped, ...] = ()
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    infos: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    world: World
    request: ReviewRequest
    prepared: Prepared
    info: RunInfo
    progress: Watcher
    record: Record
    earlier: resume.Earlier | None
    stop: StopSignal = field(default_factory=StopSignal)
    keys: dict[str, str] = field(default_factory=dict)


def find_earlier(request: ReviewRequest, info: RunInfo) -> resume.Earlier | None:
    """The run to go on with. Raises UsageError for a run that does not exist."""
    runs = info.folder.parent
    if request.resume_run is not None:
        return resume.load_finished(store.find_run(runs, request.resume_run))
    if not (request.resume or request.retry_failed):
        return None
    others = (run for run in store.list_runs(runs) if run.subject == info.subject and run.id != info.id)
    last = next((run for run in others if run.state not in {"running", "broken"}), None)
    return resume.load_finished(last) if last is not None else None


def run_prepared(
    world: World, request: ReviewRequest, prepared: Prepared, *, info: RunInfo, progress: Watcher
) -> Ran:
    """Runs every approved lane; whatever happens, what finished is in the journal and nothing of ours is left."""
    earlier = find_earlier(request, info)
    try:
        journal = Journal(info.folder)
    except OSError as problem:
        raise StoreError(f"{info.folder} cannot be written: {problem.strerror or problem}") from None
    run = _Run(world, request, prepared, info, progress, Record(journal), earlier)
    try:
        with restored_terminal():
            return asyncio.run(_run(run))
    finally:
        sweep.sweep_run(info)
        run.record.close()
        leftovers.clear_run(info)


async def _run(run: _Run) -> Ran:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(stop_on_signals(run.stop))
        root = run.world.root.required()
        watch = partial(tree_state, root, agent_config=_agent_config(run))
        # What git does not have is kept, so that a reviewer that destroys uncommitted work can be undone.
        before = await asyncio.to_thread(watch, keep=run.info.folder / "before")
        run.record.begin({"run": run.info.id, "root": str(root)})
        _note_keys(run, run.prepared.approved, before)
        reused, rest = _split_reusable(run, run.prepared.approved)
        copied = await _make_copies(run, stack, root, {one.invocation.identity for one in rest})
        rest = [one for one in rest if one.invocation.identity not in copied.failed]
        write_prompts(
            {path: run.prepared.prompts[path] for path in {one.invocation.prompt_path for one in rest}}
        )
        results = [*reused, *await _run_rest(run, rest)]
        after = await asyncio.to_thread(watch)
    results, warnings = _with_changes(run, before, after, results)
    run.record.note("run_ended", {"interrupted": run.stop.level > 0}, sync=True)
    return Ran(
        results=tuple(results),
        skipped=tuple(_copy_failed(run, identity, why) for identity, why in copied.failed.items()),
        interrupted=run.stop.level > 0,
        warnings=(*warnings, *run.record.problems, *(run.earlier.problems if run.earlier else ())),
        infos=copied.notes,
    )


def _agent_config(run: _Run) -> tuple[str, ...]:
    lanes = (entry.lane for entry in run.world.registry.lanes)
    return tuple(dict.fromkeys(path for lane in lanes for path in lane.agent_config))


async def _make_copies(run: _Run, stack: AsyncExitStack, root: Path, identities: Collection[str]) -> Copied:
    """The copies that `identities` work in; what was taken over from an earlier run needs none."""
    places = {name: at for name, at in run.prepared.workplaces.items() if name in identities}
    wanted = {at.copy: at.folder for at in places.values() if at.copy is not None}
    if not wanted:
        return Copied()
    users = {name: [identity for identity, at in places.items() if at.copy == name] for name in wanted}
    lanes = [entry.lane for entry in run.world.registry.lanes]
    copies = Copies(
        root=root, lanes=lanes, keep_agent_config=run.request.keep_agent_config, plans=run.prepared.plans
    )
    run.progress(
        RunEvent(kind="note", text=f"copying the tree for {', '.join(sorted(sum(users.values(), [])))}")
    )
    stack.callback(copies.remove)
    return await asyncio.to_thread(copies.make, wanted, users)


def _ours(state: TreeState) -> tuple[str, ...]:
    """The reports of reviews in a tree: we write them ourselves, and they change no reviewer's answer."""
    return tuple(name for name in state.files if _REPORT.search(_finished_name(name)))


def _finished_name(name: str) -> str:
    """The name of a file, also while it is being written under another."""
    folder, slash, last = name.rpartition("/")
    owner = files.temporary_owner(last)
    return f"{folder}{slash}{owner[0]}" if owner is not None else name


def _tree_key(state: TreeState) -> str:
    """What identifies the content that a reviewer can read, but for our own reports."""
    own = frozenset(_ours(state))
    digest = hashlib.sha256()
    for name in sorted(state.files.keys() - own):
        digest.update(f"{name}\0{state.files[name]}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _note_keys(run: _Run, approved: Iterable[Approved], before: TreeState) -> None:
    tree_key = _tree_key(before)
    for one in approved:
        prompt = run.prepared.prompts[one.invocation.prompt_path].encode("utf-8", "replace")
        run.keys[one.invocation.identity] = lane_key(
            one.invocation, prompt=prompt, tree_state=tree_key, run_folder=run.info.folder
        )


def _split_reusable(run: _Run, approved: Iterable[Approved]) -> tuple[list[LaneResult], list[Approved]]:
    reused, rest = [], []
    for one in approved:
        identity = one.invocation.identity
        found = (
            resume.reusable(run.earlier, run.keys[identity], retry_failed=run.request.retry_failed)
            if run.earlier is not None
            else None
        )
        if found is None or run.earlier is None:
            rest.append(one)
            continue
        result = replace(
            resume.adopt(found, earlier=run.earlier.run, folder=run.info.folder), named=one.invocation.named
        )
        run.record.finished(run.keys[identity], result)
        run.progress(RunEvent(kind="note", text=f"{identity}: taken over from run {run.earlier.run.id}"))
        reused.append(result)
    return reused, rest


async def _run_rest(run: _Run, approved: list[Approved]) -> tuple[LaneResult, ...]:
    config = run.world.config
    limit = run.request.jobs or int(config.number("review.max_parallel")) or None
    place = RunPlace(
        run_id=run.info.id,
        config=config,
        prompt_texts=dict(run.prepared.prompts),
        home=home_folder(),
        lanes=tuple(entry.lane for entry in run.world.registry.lanes),
        root=run.world.root.required(),
        addresses=AddressBook(),
    )
    return await run_lanes(
        [_task(run, one, place) for one in approved],
        max_parallel=limit,
        per_provider=int(config.number("review.parallel_per_provider")),
        on_event=partial(_watch, run),
        on_result=lambda result: run.record.finished(run.keys[result.identity], result),
        stop=run.stop,
    )


def _task(run: _Run, approved: Approved, place: RunPlace) -> LaneTask:
    invocation = approved.invocation
    lane = invocation.lane
    folder = files.make_private(run.info.folder / "lanes" / invocation.identity)
    return LaneTask(
        identity=invocation.identity,
        slug=lane.slug,
        section=lane.reviews_section,
        transport=lane.transport,
        timeout_ms=invocation.timeout_ms,
        run=partial(
            _attempt,
            run.world,
            approved,
            place=place,
            folder=folder,
            marks=run.prepared.marks[invocation.identity],
        ),
        provider=lane.provider,
        model=invocation.model,
        effort=invocation.effort if isinstance(invocation, SpawnInvocation) else None,
        evidence_class=lane.evidence_class,
        named=invocation.named,
    )


async def _attempt(
    world: World,
    approved: Approved,
    attempt: Attempt,
    *,
    place: RunPlace,
    folder: Path,
    marks: tuple[Mark, ...],
) -> LaneResult:
    """One attempt, if the capability that ships the lane is still the one that was agreed to, byte for byte."""
    invocation = approved.invocation
    entry = world.registry.lane(invocation.lane.slug)
    if entry is None:
        raise RuntimeError(f"{invocation.lane.slug} is approved and no lane")
    stopped = await asyncio.to_thread(changed_since, world, entry)
    if stopped is None:
        return await attempt_lane(approved, attempt, place=place, folder=folder, marks=marks)
    return LaneResult(
        identity=invocation.identity,
        slug=entry.slug,
        section=entry.section,
        outcome=stopped.outcome,
        reason=stopped.reason,
        detail=stopped.detail,
        hint=stopped.hint,
        provider=entry.lane.provider,
        named=invocation.named,
    )


def _watch(run: _Run, event: LaneEvent) -> None:
    result = event.result
    if event.kind != "output":
        run.record.note(
            f"lane_{event.kind}_event",
            {"identity": event.identity, "text": event.text, "attempt": event.attempt},
        )
    told = event.text
    if result is not None and result.reason is not None:
        told = f"{result.reason.value}: {result.detail}" if result.detail else result.reason.value
    run.progress(
        RunEvent(
            kind=event.kind,
            identity=event.identity,
            text=told,
            model=event.model,
            output_bytes=event.output_bytes,
            duration_ms=event.duration_ms,
            outcome=result.outcome.value if result is not None else None,
        )
    )


def _with_changes(
    run: _Run, before: TreeState, after: TreeState, results: list[LaneResult]
) -> tuple[list[LaneResult], tuple[str, ...]]:
    """Marks the lanes that worked in the tree while it changed; who did it is said only where one alone could."""
    ours = (f".msd/tmp/{run.info.id}", *_ours(before), *_ours(after))
    changed = changes_between(before, after, ours=ours)
    if not changed:
        return results, ()
    suspects = [
        result.identity
        for result in results
        if not result.reused
        and (at := run.prepared.workplaces.get(result.identity)) is not None
        and at.copy is None
        and isinstance(_invocation(run, result.identity), SpawnInvocation)
    ]
    who = f"by {suspects[0]}" if len(suspects) == 1 else "by whom is not known"
    marked = [
        replace(
            result,
            marks=tuple(dict.fromkeys((*result.marks, Mark.WORKSPACE_CHANGED))),
            workspace_changes=tuple(changed),
        )
        if result.identity in suspects
        else result
        for result in results
    ]
    return marked, (f"the tree changed during the review, {who}: {'; '.join(changed[:10])}",)


def _invocation(run: _Run, identity: str) -> object:
    found = (one.invocation for one in run.prepared.approved if one.invocation.identity == identity)
    return next(found, None)


def _copy_failed(run: _Run, identity: str, why: str) -> Skipped:
    invocation = _invocation(run, identity)
    return Skipped(
        identity=identity,
        outcome=Outcome.UNAVAILABLE.value,
        reason=Reason.COPY_FAILED.value,
        detail=why,
        hint="--in-place runs it in the tree itself; what it changes there is reported",
        named=bool(getattr(invocation, "named", False)),
    )
