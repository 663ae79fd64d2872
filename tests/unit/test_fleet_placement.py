"""Which worker does what, and how many lanes of a provider run at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from msd_review.fleet.limits import Limits
from msd_review.fleet.placement import Absent, Placement, lane_needs

Result = TypeVar("Result")
BOTH = {
    "one": {"lane:codex": 1.0, "msd-lane": 2.0, "msd-desk": 1.0},
    "two": {"lane:claude": 1.0, "msd-lane": 1.0},
}


def run(work: Callable[[], Awaitable[Result]]) -> Result:
    async def whole() -> Result:
        return await asyncio.wait_for(work(), 20)

    return asyncio.run(whole())


def test_a_lane_goes_where_it_is_offered_and_waits_until_a_place_is_free() -> None:
    async def work() -> None:
        placement = Placement(wait_s=0.0)
        await placement.update(BOTH)
        first = await placement.acquire(*lane_needs("codex"))
        assert (first.worker, first.resources) == ("one", {"lane:codex": 1.0, "msd-lane": 1.0})
        waiting = asyncio.create_task(placement.acquire(*lane_needs("codex")))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        await placement.release(first)
        assert (await waiting).worker == "one"
        assert placement.lanes() == ("claude", "codex")

    run(work)


def test_a_lane_that_nobody_offers_ends_and_one_that_comes_in_time_is_taken() -> None:
    async def work() -> None:
        placement = Placement(wait_s=1.5)
        await placement.update(BOTH)
        missing = asyncio.create_task(placement.acquire(*lane_needs("gemini")))
        coming = asyncio.create_task(placement.acquire(*lane_needs("qwen")))
        await asyncio.sleep(0.05)
        await placement.update({**BOTH, "three": {"lane:qwen": 1.0, "msd-lane": 1.0}})
        assert (await coming).worker == "three"
        with pytest.raises(Absent, match="no worker has it, and none came within 1.5 s"):
            await missing

    run(work)


def test_a_scheduler_that_is_away_counts_against_nobody() -> None:
    async def work() -> None:
        placement = Placement(wait_s=0.5)
        await placement.update(BOTH)
        await placement.disconnected()
        waiting = asyncio.create_task(placement.acquire(*lane_needs("codex")))
        await asyncio.sleep(1.3)
        assert not waiting.done()
        await placement.update({})
        await placement.update(BOTH)
        assert (await waiting).worker == "one"

    run(work)


def test_a_worker_that_could_not_do_it_is_not_asked_again() -> None:
    async def work() -> None:
        placement = Placement(wait_s=30.0)
        await placement.update(BOTH)
        with pytest.raises(Absent, match="the workers that have it could not do it"):
            await placement.acquire(*lane_needs("codex"), avoid=frozenset({"one"}))

    run(work)


def test_what_workers_say_of_a_missing_lane_is_told() -> None:
    async def work() -> None:
        placement = Placement(wait_s=0.0)
        await placement.update(BOTH)
        missing = {"ready": False, "reason": "missing_binary", "detail": "gemini was not found on PATH"}
        placement.offers["one"] = {"name": "w1", "lanes": {"gemini": missing}}
        placement.offers["gone"] = {"name": "w9", "lanes": {"gemini": missing}}
        assert placement.why_not("gemini") == (
            "missing_binary",
            "no worker has it: w1: gemini was not found on PATH",
        )
        assert placement.why_not("qwen") is None

    run(work)


def test_a_run_that_is_being_stopped_gives_no_place() -> None:
    async def work() -> None:
        placement = Placement(wait_s=30.0, is_stopping=lambda: True)
        await placement.update(BOTH)
        with pytest.raises(Absent, match="being stopped"):
            await placement.acquire(*lane_needs("codex"))

    run(work)


def test_no_more_of_a_provider_run_at_once_than_its_limit() -> None:
    async def work() -> dict[str, int]:
        limits = Limits(default=2, by_name={"openai": 3})
        highest = {"openai": 0, "google": 0}

        async def lane(provider: str) -> None:
            async with limits.place(provider):
                highest[provider] = max(highest[provider], limits.running()[provider])
                await asyncio.sleep(0.01)

        await asyncio.gather(*(lane(name) for name in ("openai", "google") * 10))
        async with limits.place(None):
            assert limits.running() == {}
        return highest

    assert run(work) == {"openai": 3, "google": 2}


def test_a_provider_that_asks_to_wait_is_left_alone_longer_each_time() -> None:
    limits = Limits(default=1)
    assert [limits.pause("openai", None) for _ in range(4)] == [5.0, 10.0, 20.0, 40.0]
    assert limits.pause("openai", 24 * 3600.0) == 900.0
    limits.delivered("openai")
    assert limits.pause("openai", None) == 5.0
    assert limits.pause(None, 5.0) == 0.0


def test_nobody_begins_during_a_pause() -> None:
    async def work() -> float:
        limits = Limits(default=1)
        limits.pause("openai", 0.3)
        began = asyncio.get_running_loop().time()
        async with limits.place("openai"):
            return asyncio.get_running_loop().time() - began

    assert run(work) >= 0.3
