"""`msd fleet run`, whole: items admitted through a window, seen through on the cluster, recorded, summed up.

Invariants
- What is held in memory is bounded by the window, not by the batch: items are read one by one, and what they
  deliver lies on the disk.
- The first interrupt admits nothing more and stops what runs; what finished is kept. The second leaves at once.
- A second start with the same folder continues.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from msd_review.edges import clock, files, lock
from msd_review.edges.stopping import AT_ONCE, StopSignal
from msd_review.errors import StoreError
from msd_review.fleet import continuing, journal, keys, summary_json, summary_page, tasks
from msd_review.fleet.batch import read_batch
from msd_review.fleet.continuing import Earlier
from msd_review.fleet.dispatch import Dispatcher
from msd_review.fleet.events import FleetEvent, FleetWatcher
from msd_review.fleet.items import Desktop, Stopped, see_through
from msd_review.fleet.journal import FleetJournal
from msd_review.fleet.limits import Limits
from msd_review.fleet.local import LocalPlan, local_cluster
from msd_review.fleet.model import FleetFolder, FleetItem, ItemOutcome
from msd_review.fleet.placement import Placement
from msd_review.fleet.request import FleetRequest
from msd_review.fleet.session import ClusterGone, Session
from msd_review.fleet.settings import set_dask
from msd_review.fleet.submitting import AskPerson, Submitted, out_folder, standing_lanes, submit
from msd_review.fleet.summary import Summary, add, empty
from msd_review.fleet.tally import Codes
from msd_review.run.interrupts import stop_on_signals

_MAX_DOCUMENT = 64 * 1024 * 1024
_STOP_S = 40.0
_SUMMARY_EVERY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetEnded:
    """How a fleet run ended: its exit code, and the summary document."""

    exit_code: int
    document: dict[str, Any]
    folder: FleetFolder


@dataclass(slots=True, kw_only=True)
class _Run:
    request: FleetRequest
    submitted: Submitted
    earlier: Earlier
    journal: FleetJournal
    watch: FleetWatcher
    stop: StopSignal = field(default_factory=StopSignal)
    summary: Summary = field(default_factory=empty)
    codes: Codes = field(default_factory=Codes)
    troubles: list[BaseException] = field(default_factory=list)
    written_at: float = 0.0

    @property
    def folder(self) -> FleetFolder:
        return self.submitted.folder


def run_fleet(request: FleetRequest, *, watch: FleetWatcher, ask: AskPerson) -> FleetEnded:
    """Runs a batch to its end, or to an interrupt. Raises MsdError where nothing was run, and ClusterGone."""
    set_dask()
    folder = out_folder(request.out)
    with _claimed(folder):
        submitted = submit(request, folder, ask=ask)
        earlier = continuing.read_earlier(folder, retry_failed=request.retry_failed)
        record = FleetJournal(folder.journal)
        try:
            run = _Run(request=request, submitted=submitted, earlier=earlier, journal=record, watch=watch)
            return _ran(run)
        finally:
            record.close()


@contextlib.contextmanager
def _claimed(folder: FleetFolder) -> Iterator[None]:
    try:
        files.make_private(folder.path)
        with lock.exclusive(folder.path / ".lock", wait_s=0.5):
            yield
    except lock.LockBusy as problem:
        raise StoreError(f"another `msd fleet run` writes to {folder.path}: {problem}") from None


def _ran(run: _Run) -> FleetEnded:
    for outcome in continuing.finished_outcomes(run.folder, run.earlier.finished):
        _fold(run, outcome)
    if run.submitted.is_continued:
        told = f"continuing: {len(run.earlier.finished):,} of {run.submitted.items:,} items are finished"
        run.watch(FleetEvent(kind="note", text=told))
    run.journal.append(journal.STARTED, {"fleet": run.submitted.submission.fleet})
    try:
        _on_cluster(run)
    finally:
        run.journal.append(journal.STOPPED, {"interrupted": run.stop.asked()})
        document = _write_summary(run)
    if run.troubles:
        raise run.troubles[0]
    code = run.codes.exit_code(interrupted=run.stop.asked())
    return FleetEnded(exit_code=code, document=document, folder=run.folder)


def _on_cluster(run: _Run) -> None:
    request = run.request
    if len(run.earlier.finished) >= run.submitted.items:
        return
    if request.scheduler is not None:
        asyncio.run(_served(run, request.scheduler))
        return
    plan = LocalPlan(
        workers=request.local or 1,
        accepted=[keys.public_text(run.submitted.submission.key)],
        log=run.folder.path / "cluster.log",
        capacity=request.capacity,
        allow_file=request.allow_file,
    )
    run.watch(FleetEvent(kind="note", text=f"starting {plan.workers} workers on this machine"))
    with local_cluster(plan, name=run.submitted.submission.fleet) as cluster:
        run.request = replace(request, tls=cluster.tls)
        asyncio.run(_served(run, cluster.address))


async def _served(run: _Run, address: str) -> None:
    placement = Placement(wait_s=run.request.wait_for_workers_s, is_stopping=run.stop.asked)
    session = Session(
        address=address,
        tls=run.request.tls,
        placement=placement,
        reconnect_s=run.request.reconnect_s,
        tell=lambda text: run.watch(FleetEvent(kind="note", text=text)),
    )
    async with stop_on_signals(run.stop):
        keeping = asyncio.create_task(session.keep())
        try:
            await session.connected()
            await session.find_homes(run.submitted.submission.fleet)
            await _worked(run, session, placement)
        finally:
            keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping
            await session.close()


def _desktop(run: _Run, session: Session, placement: Placement) -> Desktop:
    config = run.submitted.world.config
    limits = Limits(
        default=run.request.per_provider or int(config.number("review.parallel_per_provider")),
        by_name=run.request.provider_limits,
        is_stopping=run.stop.asked,
    )
    dispatcher = Dispatcher(
        submission=run.submitted.submission,
        session=session,
        placement=placement,
        limits=limits,
        watch=run.watch,
        is_stopping=run.stop.asked,
        on_lost=lambda item, slug, why: _note_lost(run, item, slug, why),
    )
    return Desktop(
        folder=run.folder,
        journal=run.journal,
        dispatcher=dispatcher,
        watch=run.watch,
        choose_lanes=lambda: standing_lanes(run.submitted, placement.lanes(), run.request),
        is_stopping=run.stop.asked,
    )


def _note_lost(run: _Run, item: str, slug: str, why: str) -> None:
    run.journal.append(journal.LANE_LOST, {"item": item, "slug": slug, "why": why})
    run.watch(
        FleetEvent(kind="note", text=f"{item}: {slug} was lost with its worker ({why}); it is tried again")
    )


async def _worked(run: _Run, session: Session, placement: Placement) -> None:
    """Admits items while the window has room, and waits for the last."""
    desk = _desktop(run, session, placement)
    window = asyncio.Semaphore(run.request.window)
    working: set[asyncio.Task[None]] = set()
    stopper = asyncio.create_task(_cancel_when_stopped(run, session, working))
    try:
        await _first_workers(run, placement)
        for item in _unfinished(run):
            await window.acquire()
            if run.stop.asked() or run.troubles:
                window.release()
                break
            task = asyncio.create_task(_one(run, desk, item, window))
            working.add(task)
            task.add_done_callback(working.discard)
            task.add_done_callback(lambda done: _note_fault(run, done))
        while working:
            await asyncio.wait(working)
    finally:
        stopper.cancel()
        for task in tuple(working):
            task.cancel()


async def _first_workers(run: _Run, placement: Placement) -> None:
    """So that the first items see what there is."""
    await placement.first_worker()
    offered = ", ".join(placement.lanes()) or "no reviewer"
    told = f"{len(placement.workers)} workers offer {offered}"
    run.watch(FleetEvent(kind="workers", text=told))


def _unfinished(run: _Run) -> Iterator[FleetItem]:
    for item in read_batch(run.request.batch, allow_file=run.request.allow_file):
        if item.id not in run.earlier.finished:
            yield item


async def _one(run: _Run, desk: Desktop, item: FleetItem, window: asyncio.Semaphore) -> None:
    try:
        outcome = await see_through(desk, item, run.earlier.begun.get(item.id))
        _fold(run, outcome)
        if clock.monotonic() - run.written_at > _SUMMARY_EVERY_S:
            _write_summary(run)
    except Stopped:
        return
    except (ClusterGone, StoreError) as problem:
        run.troubles.append(problem)
    finally:
        window.release()


def _note_fault(run: _Run, done: "asyncio.Task[None]") -> None:
    """A fault of ours over one item ends the run, loudly: else the item would be missing without a word."""
    problem = None if done.cancelled() else done.exception()
    if problem is not None:
        run.troubles.append(problem)


async def _cancel_when_stopped(run: _Run, session: Session, working: set[asyncio.Task[None]]) -> None:
    """The first wish to stop ends the lanes on the workers, the second (or time) leaves them to themselves."""
    asked = asyncio.Event()
    leave = run.stop.listen(asked.set)
    try:
        await asked.wait()
        run.watch(FleetEvent(kind="note", text="stopping: what runs is ended, what finished is kept"))
        deadline = clock.monotonic() + _STOP_S
        while run.stop.level < AT_ONCE and clock.monotonic() < deadline:
            await session.ask_workers(tasks.cancel, run.submitted.submission.fleet)
            await asyncio.sleep(1.0)
        for task in tuple(working):
            task.cancel()
    finally:
        leave()


def _fold(run: _Run, outcome: ItemOutcome) -> None:
    run.codes.add(outcome)
    run.summary = add(run.summary, outcome, _document(run.folder, outcome))


def _document(folder: FleetFolder, outcome: ItemOutcome) -> object | None:
    if outcome.document is None:
        return None
    try:
        path = folder.item(outcome.item_id) / "REVIEWS.json"
        value: object = json.loads(files.read_bounded(path, _MAX_DOCUMENT))
    except (OSError, ValueError, RecursionError):
        return None
    return value


def _write_summary(run: _Run) -> dict[str, Any]:
    document = summary_json.to_json(run.summary, submitted=run.submitted.items)
    page = summary_page.page(run.summary, submitted=run.submitted.items)
    content = json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    try:
        files.write_atomic(run.folder.summary_json, content, mode=0o600)
        files.write_atomic(run.folder.summary_html, page.encode("utf-8", "replace"), mode=0o600)
    except OSError as problem:
        raise StoreError(f"the summary cannot be written: {problem.strerror or problem}") from None
    run.written_at = clock.monotonic()
    return document
