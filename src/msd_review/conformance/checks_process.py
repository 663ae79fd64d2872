"""How the tool ends, whoever ends it: nothing of it may be left."""

import asyncio
from collections.abc import Callable
from typing import Any

from msd_review.conformance.bench import Bench, Desk, Ran
from msd_review.conformance.model import Seen, fails, holds, not_applicable, not_proven
from msd_review.conformance.prompts import asking
from msd_review.conformance.scripts import answering
from msd_review.conformance.watching import (
    identities_of,
    interrupt,
    kill_outright,
    owner_of_run,
    survivors,
    wait_until_called,
)
from msd_review.edges.process_table import Identity

HANG_S = 2.0
_START_BOUND_S = 30.0
_GONE_BOUND_S = 10.0
_LONGEST_IDLE_MS = 10_000
_PROMPT = asking("The plan: move the parser.")


async def hang(bench: Bench) -> Seen:
    """A tool that never ends, ignores TERM and has children of its own."""
    if not bench.is_scripted:
        return not_proven("it takes a tool that hangs: run without --binary or --real")
    desk = bench.desk("hang")
    bench.play(desk, hang=True, deaf=True, children=1)
    running = asyncio.ensure_future(bench.lane_run(desk, _PROMPT, timeout_s=HANG_S))
    who = await _processes(bench, desk, running)
    ran = await running
    left = await survivors(who, bound_s=_GONE_BOUND_S)
    if left:
        return fails(f"{len(left)} of its processes outlived the deadline")
    if ran.outcome == "failed" and ran.reason in {"timeout", "idle_timeout"}:
        return holds(f"{ran.told}; none of its {len(who)} processes is left")
    return fails(f"a tool that hangs came out as {ran.told}", pointer="/reviewer/timeoutFloorMs")


async def idle(bench: Bench) -> Seen:
    """A tool that falls silent is ended after the declared `idleTimeoutMs`."""
    declared = bench.subject.lane.idle_timeout_ms
    if declared is None:
        return not_applicable("the lane declares no idleTimeoutMs: its deadline alone ends it")
    if not bench.is_scripted:
        return not_proven("it takes a tool that falls silent: run without --binary or --real")
    if declared > _LONGEST_IDLE_MS:
        return not_proven(f"{declared / 1000:g} s of silence is longer than the kit waits")
    desk = bench.desk("idle")
    bench.play(desk, hang=True)
    ran = await bench.lane_run(desk, _PROMPT, timeout_s=declared / 1000 + 20)
    if ran.outcome == "failed" and ran.reason == "idle_timeout":
        return holds(ran.told)
    return fails(f"silence came out as {ran.told}", pointer="/reviewer/idleTimeoutMs")


async def interrupted(bench: Bench) -> Seen:
    """Ctrl-C while the tool works."""
    return await _cut_short(bench, "interrupt", interrupt, code=130)


async def killed(bench: Bench) -> Seen:
    """msd itself is killed outright while the tool works."""
    return await _cut_short(bench, "kill", kill_outright, code=-9)


async def _cut_short(bench: Bench, name: str, how: Callable[[Identity], None], *, code: int) -> Seen:
    desk = bench.desk(name)
    bench.play(desk, **({"hang": True, "deaf": True, "children": 1} if bench.is_scripted else {}))
    running = asyncio.ensure_future(bench.lane_run(desk, _PROMPT, timeout_s=60))
    who = await _processes(bench, desk, running)
    owner = owner_of_run(desk)
    if owner is not None and who:
        how(owner)
    ran = await running
    left = await survivors(who, bound_s=_GONE_BOUND_S)
    if left:
        return fails(
            f"{len(left)} of its {len(who)} processes outlived msd",
            mend="this is a fault of msd: please report it",
        )
    if ran.code == code:
        return holds(f"none of its {len(who)} processes is left")
    if not bench.is_scripted:
        return not_proven(f"it ended before it could be cut short: {ran.told}")
    return fails(
        f"msd ended with {ran.told}, not with {code}", mend="this is a fault of msd: please report it"
    )


async def _processes(bench: Bench, desk: Desk, running: asyncio.Future[Ran]) -> list[Identity]:
    """The tool's processes, once it runs; none where the run ends before that is seen."""
    seen = asyncio.ensure_future(wait_until_called(desk, bound_s=_START_BOUND_S))
    either: set[asyncio.Future[Any]] = {seen, running}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if not seen.done():
        seen.cancel()
    return identities_of(bench.calls(desk))


async def leaves_nothing(bench: Bench) -> Seen:
    """A tool that ends and leaves a process behind, which has left its session."""
    desk = bench.desk("children")
    bench.play(desk, **answering(bench, children=1))
    ran = await bench.lane_run(desk, _PROMPT)
    return await _judge_stand_in(ran) if bench.is_scripted else _judge_tool(ran)


async def _judge_stand_in(ran: Ran) -> Seen:
    left = await survivors(identities_of(ran.calls), bound_s=_GONE_BOUND_S)
    if left:
        return fails(
            f"{len(left)} processes outlived the lane", mend="this is a fault of msd: please report it"
        )
    if ran.outcome != "review":
        return fails(f"a tool that leaves a process behind came out as {ran.told}")
    return holds("what a tool leaves behind is ended, and its review is kept")


def _judge_tool(ran: Ran) -> Seen:
    if ran.left is None:
        return not_proven(f"what it leaves behind could not be seen here: {ran.told}")
    if ran.left:
        shown = "; ".join(ran.left[:3])
        return fails(
            f"it ended and left {len(ran.left)} process{'es' if len(ran.left) > 1 else ''} running, which msd ended: {shown}",
            pointer="/reviewer/invoke/args",
            mend="let the tool wait for what it starts, or give it the option that keeps it from starting a server",
        )
    return holds("nothing of it was left when it ended")
