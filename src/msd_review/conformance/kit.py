"""Puts a lane on the bench, runs every check that fits it, and makes the card."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from msd_review.conformance.bench import Bench
from msd_review.conformance.model import Card, Row, Seen, State, not_proven
from msd_review.conformance.prepare import prepare_home
from msd_review.conformance.server import running_server
from msd_review.conformance.table import GATES, Check, Request, chosen_checks
from msd_review.edges import clock
from msd_review.edges.stopping import StopSignal
from msd_review.errors import Interrupted, MsdError
from msd_review.run.decoding import storable
from msd_review.run.interrupts import stop_on_signals, term_as_interrupt

Told = Callable[[Row, int, int], None]
_AT_ONCE = 3
_DETAIL_CHARS = 1000


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A private folder, gone afterwards whatever a driven tool did to its modes."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="msd-conformance-")))
    try:
        yield base
    finally:
        _remove(base)


def _remove(base: Path) -> None:
    shutil.rmtree(base, ignore_errors=True)
    if base.exists():
        for folder, _, _ in os.walk(base):
            with contextlib.suppress(OSError):
                Path(folder).chmod(0o700)
        shutil.rmtree(base, ignore_errors=True)


def run_kit(request: Request, *, told: Told) -> Card:
    """The card of one lane. Raises Interrupted where a person stopped it; nothing is left then either."""
    started = clock.monotonic()
    with ExitStack() as stack:
        stack.enter_context(term_as_interrupt())
        base = stack.enter_context(_folder())
        bench = Bench(base=base, subject=request.subject, driver=request.driver, program=request.program)
        if request.subject.lane.transport != "spawn" and request.driver == "stand-in":
            bench.server = stack.enter_context(running_server())
        rows = asyncio.run(_all(bench, request, told))
    return _card(request, rows, duration_ms=round((clock.monotonic() - started) * 1000))


async def _all(bench: Bench, request: Request, told: Told) -> tuple[Row, ...]:
    stop = StopSignal()
    async with stop_on_signals(stop):
        work = asyncio.ensure_future(_run(bench, request, told))
        leave = stop.listen(lambda: _cancel(work))
        try:
            return await work
        except asyncio.CancelledError:
            raise Interrupted("stopped; nothing of it is left") from None
        finally:
            leave()


def _cancel(work: asyncio.Future[tuple[Row, ...]]) -> None:
    work.cancel()


async def _run(bench: Bench, request: Request, told: Told) -> tuple[Row, ...]:
    await prepare_home(bench, host=request.host, settings=request.settings)
    checks = chosen_checks(request.subject.lane.transport, request.only)
    # Who asks for one check by name gets that one: what stands against the lane is told by it as well.
    gates = [check for check in checks if check.id in GATES]
    first = await asyncio.gather(*(_row(bench, request, check) for check in gates))
    broken = [row for row in first if row.seen.state is State.DOES_NOT_HOLD]
    if broken:
        return _without_the_rest(broken[0], first, checks)
    known = {row.id: row for row in first}
    turns = asyncio.Semaphore(_at_once(bench))
    done = 0

    async def one_row(check: Check) -> Row:
        nonlocal done
        async with turns:
            row = known.get(check.id) or await _row(bench, request, check)
        done += 1
        told(row, done, len(checks))
        return row

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one_row(check)) for check in checks]
    except* MsdError as problems:
        raise problems.exceptions[0] from None
    return tuple(task.result() for task in tasks)


def _without_the_rest(broken: Row, first: Sequence[Row], checks: Sequence[Check]) -> tuple[Row, ...]:
    """The rows where a lane cannot even be planned or found: nothing else could be told apart from that."""
    why = not_proven(f"the check `{broken.id}` does not hold: nothing else was tried")
    rest = [check for check in checks if check.id not in GATES]
    return (*first, *(Row(id=check.id, title=check.title, seen=why) for check in rest))


def _at_once(bench: Bench) -> int:
    """How many scenarios run at the same time: one where they share a server, or cost somebody money."""
    if bench.server is not None or bench.driver == "tool":
        return 1
    return max(2, min(_AT_ONCE, os.cpu_count() or 1))


async def _row(bench: Bench, request: Request, check: Check) -> Row:
    started = clock.monotonic()
    if request.driver == "tool" and check.is_costly and check.id not in request.only:
        seen = not_proven("not sent, since somebody pays for it", mend=f"--only {check.id} sends it")
    else:
        seen = _storable(await check.look(bench))
    return Row(
        id=check.id, title=check.title, seen=seen, duration_ms=round((clock.monotonic() - started) * 1000)
    )


def _storable(seen: Seen) -> Seen:
    """What was seen may be quoted from a tool: bounded, and fit to be written as UTF-8."""
    return replace(seen, detail=storable(seen.detail)[:_DETAIL_CHARS])


def _card(request: Request, rows: tuple[Row, ...], *, duration_ms: int) -> Card:
    subject = request.subject
    return Card(
        slug=subject.instance or subject.lane.slug,
        section=subject.lane.reviews_section,
        transport=subject.lane.transport,
        source=subject.source,
        capability=subject.capability,
        version=subject.version,
        driver=request.driver,
        driven=_driven(request),
        rows=rows,
        notes=subject.notes,
        duration_ms=duration_ms,
    )


def _driven(request: Request) -> str:
    if request.program is not None:
        return str(request.program)
    if request.driver == "shipped":
        return "the program that ships with msd"
    if request.driver == "tool":
        return request.host or request.subject.lane.slug
    return (
        "the kit's stand-in server"
        if request.subject.lane.transport != "spawn"
        else "the kit's stand-in program"
    )
