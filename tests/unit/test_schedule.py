"""Lanes side by side: who waits for whom, what is tried again, and that no lane harms another."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from msd_review.edges import clock
from msd_review.edges.stopping import StopSignal
from msd_review.outcomes import Outcome, Reason
from msd_review.run import schedule as schedule_module
from msd_review.run.events import LaneEvent
from msd_review.run.result import LaneResult
from msd_review.run.schedule import Attempt, LaneTask, run_lanes
from tests.lane_samples import result

Run = Callable[[Attempt], Awaitable[LaneResult]]


def task(name: str, run: Run, **fields: Any) -> LaneTask:
    given: dict[str, Any] = {"slug": name, "section": name.title(), "transport": "spawn", "timeout_ms": 5000}
    return LaneTask(identity=name, run=run, **(given | fields))


class Watched:
    """Runs tasks and remembers what happened, and how many ran at once."""

    def __init__(self) -> None:
        self.events: list[LaneEvent] = []
        self.results: list[LaneResult] = []
        self.running: set[str] = set()
        self.together: set[frozenset[str]] = set()
        self.stop = StopSignal()

    def sleeper(self, name: str, seconds: float = 0.05) -> Run:
        async def run(attempt: Attempt) -> LaneResult:
            self.running.add(name)
            self.together.add(frozenset(self.running))
            await asyncio.sleep(seconds)
            self.running.discard(name)
            return result(name)

        return run

    def go(self, *tasks: LaneTask, **bounds: Any) -> tuple[LaneResult, ...]:
        async def main() -> tuple[LaneResult, ...]:
            return await run_lanes(
                tasks, on_event=self.events.append, on_result=self.results.append, stop=self.stop, **bounds
            )

        return asyncio.run(asyncio.wait_for(main(), 30))

    def most_at_once(self) -> int:
        return max(map(len, self.together))

    def kinds(self, name: str) -> list[str]:
        return [event.kind for event in self.events if event.identity == name]


def _answers(*results: LaneResult) -> tuple[Run, list[Attempt]]:
    left, seen = list(results), []

    async def run(attempt: Attempt) -> LaneResult:
        seen.append(attempt)
        return left.pop(0)

    return run, seen


@pytest.fixture(autouse=True)
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("msd_review.run.retries._BASE_S", {"spawn": 0.01, "openai-http": 0.01})


def test_all_lanes_run_at_once_by_default() -> None:
    watched = Watched()
    ended = watched.go(*(task(name, watched.sleeper(name)) for name in "abcde"))
    assert watched.most_at_once() == 5
    assert [one.identity for one in ended] == list("abcde")


def test_max_parallel_holds() -> None:
    watched = Watched()
    watched.go(*(task(name, watched.sleeper(name)) for name in "abcde"), max_parallel=2)
    assert watched.most_at_once() == 2


def test_lanes_of_one_provider_run_one_after_another_and_block_nobody_else() -> None:
    watched = Watched()
    names = {"a": "acme", "b": "acme", "c": "acme", "d": None, "e": "other"}
    watched.go(
        *(task(name, watched.sleeper(name), provider=provider) for name, provider in names.items()),
        max_parallel=3,
    )
    assert watched.most_at_once() == 3
    assert not any(len(group & {"a", "b", "c"}) > 1 for group in watched.together)


def test_a_provider_may_be_allowed_more() -> None:
    watched = Watched()
    watched.go(*(task(name, watched.sleeper(name), provider="acme") for name in "abcd"), per_provider=2)
    assert watched.most_at_once() == 2


def test_waiting_for_a_turn_does_not_use_up_a_lanes_own_time() -> None:
    watched = Watched()
    last, seen = _answers(result("last"))
    ended = watched.go(
        task("first", watched.sleeper("first", 0.4), provider="acme"),
        task("last", last, provider="acme", timeout_ms=300),
    )
    assert [one.outcome for one in ended] == [Outcome.REVIEW, Outcome.REVIEW]
    assert seen[0].remaining_ms > 200


def test_a_result_is_handed_over_as_soon_as_its_lane_ends() -> None:
    watched = Watched()
    watched.go(task("slow", watched.sleeper("slow", 0.3)), task("quick", watched.sleeper("quick", 0.01)))
    assert [one.identity for one in watched.results] == ["quick", "slow"]
    assert watched.kinds("slow") == ["queued", "started", "finished"]


def test_a_fault_in_one_lane_is_that_lanes_result() -> None:
    async def broken(attempt: Attempt) -> LaneResult:
        raise KeyError("no such thing\nand more")

    watched = Watched()
    bad, good = watched.go(task("bad", broken, named=True), task("good", watched.sleeper("good")))
    assert (bad.outcome, bad.reason, bad.detail) == (
        Outcome.FAILED,
        Reason.SPAWN_FAILED,
        "KeyError: 'no such thing\\nand more'",
    )
    assert bad.named
    assert good.outcome is Outcome.REVIEW


def test_a_spawned_tools_rate_limit_is_tried_again_once_and_told() -> None:
    limited = result("a", outcome=Outcome.FAILED, reason=Reason.RATE_LIMITED, detail="429")
    run, seen = _answers(limited, limited, result("a"))
    watched = Watched()
    (ended,) = watched.go(task("a", run))
    assert [attempt.number for attempt in seen] == [1, 2]
    assert (ended.reason, ended.attempts) == (Reason.RATE_LIMITED, 2)
    assert watched.kinds("a") == ["queued", "started", "attempt", "started", "finished"]
    told = next(event.text for event in watched.events if event.kind == "attempt")
    assert told == "attempt 1: rate_limited, 429; again in 0.0 s"


def test_a_server_that_is_busy_twice_may_still_answer() -> None:
    busy = result("a", outcome=Outcome.FAILED, reason=Reason.HTTP_ERROR, extra={"http_status": "503"})
    run, seen = _answers(busy, busy, result("a"))
    (ended,) = Watched().go(task("a", run, transport="openai-http"))
    assert (ended.outcome, ended.attempts, len(seen)) == (Outcome.REVIEW, 3, 3)
    assert seen[2].remaining_ms <= seen[0].remaining_ms


def test_there_is_no_attempt_beyond_the_deadline() -> None:
    later = result(
        "a",
        outcome=Outcome.FAILED,
        reason=Reason.RATE_LIMITED,
        extra={"http_status": "429", "retry_after_s": "3600"},
    )
    run, seen = _answers(later, result("a"))
    (ended,) = Watched().go(task("a", run, transport="openai-http"))
    assert (ended.reason, len(seen)) == (Reason.RATE_LIMITED, 1)


def test_a_wish_to_stop_starts_nothing_new() -> None:
    watched = Watched()

    async def stops(attempt: Attempt) -> LaneResult:
        watched.stop.ask()
        return result("first")

    first, second = watched.go(
        task("first", stops), task("second", watched.sleeper("second")), max_parallel=1
    )
    assert first.outcome is Outcome.REVIEW
    assert (second.outcome, second.reason, second.detail) == (
        Outcome.CANCELLED,
        Reason.CANCELLED,
        "stopped before it began",
    )
    assert watched.kinds("second") == ["queued", "finished"]


def test_a_wish_to_stop_ends_the_pause_before_another_attempt() -> None:
    watched = Watched()
    later = {"http_status": "503", "retry_after_s": "4"}
    run, _ = _answers(result("a", outcome=Outcome.FAILED, reason=Reason.HTTP_ERROR, extra=later))

    async def main() -> float:
        asyncio.get_running_loop().call_later(0.1, watched.stop.ask)
        started = clock.monotonic()
        await run_lanes(
            [task("a", run, transport="openai-http", timeout_ms=60_000)],
            on_event=watched.events.append,
            on_result=watched.results.append,
            stop=watched.stop,
        )
        return clock.monotonic() - started

    assert asyncio.run(main()) < 3
    assert watched.results[0].reason is Reason.HTTP_ERROR


def test_a_lane_that_will_not_stop_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "_STOP_GRACE_S", {1: 0.1, 2: 0.1})
    watched = Watched()

    async def deaf(attempt: Attempt) -> LaneResult:
        watched.stop.ask()
        await asyncio.sleep(60)
        return result("deaf")

    (ended,) = watched.go(task("deaf", deaf, timeout_ms=60_000))
    assert (ended.outcome, ended.reason, ended.detail) == (Outcome.CANCELLED, Reason.CANCELLED, "stopped")


def test_a_lane_that_overruns_its_deadline_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "_OVERRUN_S", 0.1)
    watched = Watched()
    (ended,) = watched.go(task("stuck", watched.sleeper("stuck", 60), timeout_ms=100))
    assert (ended.outcome, ended.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    assert ended.detail == "did not end after its deadline"


def test_a_result_that_cannot_be_kept_costs_the_others_nothing() -> None:
    kept: list[str] = []
    watched = Watched()

    def keep(ended: LaneResult) -> None:
        if ended.identity == "a":
            raise OSError("disk full")
        kept.append(ended.identity)

    async def main() -> None:
        await run_lanes(
            [task(name, watched.sleeper(name, 0.02 * n)) for n, name in enumerate("abc", 1)],
            on_event=watched.events.append,
            on_result=keep,
            stop=watched.stop,
        )

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(main())
    assert kept == ["b", "c"]


def test_a_watcher_that_nobody_reads_any_more_costs_nothing() -> None:
    watched, told = Watched(), []

    def watch(event: LaneEvent) -> None:
        told.append(event)
        raise BrokenPipeError

    async def main() -> tuple[LaneResult, ...]:
        return await run_lanes(
            [task("a", watched.sleeper("a"))],
            on_event=watch,
            on_result=watched.results.append,
            stop=watched.stop,
        )

    assert [ended.outcome for ended in asyncio.run(main())] == [Outcome.REVIEW]
    assert len(told) == 1


def test_a_fault_of_the_watcher_is_raised_once_every_lane_has_ended() -> None:
    watched = Watched()

    def watch(event: LaneEvent) -> None:
        raise KeyError(event.kind)

    async def main() -> None:
        await run_lanes(
            [task(name, watched.sleeper(name)) for name in "ab"],
            on_event=watch,
            on_result=watched.results.append,
            stop=watched.stop,
        )

    with pytest.raises(KeyError, match="queued"):
        asyncio.run(main())
    assert [ended.outcome for ended in watched.results] == [Outcome.REVIEW, Outcome.REVIEW]


def test_no_lanes_are_no_problem() -> None:
    assert Watched().go() == ()


def test_progress_becomes_an_event() -> None:
    async def run(attempt: Attempt) -> LaneResult:
        attempt.on_progress(100, 5)
        return result("a", model="m")

    watched = Watched()
    (ended,) = watched.go(task("a", run))
    assert [(event.kind, event.output_bytes) for event in watched.events if event.kind == "output"] == [
        ("output", 100)
    ]
    assert watched.events[-1].result == ended
    assert ended.started_at is not None
