"""Model servers that say "later": asked again by the scheduler when it is worth it, within the lane's deadline."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from msd_review.edges.addresses import AddressBook
from msd_review.edges.stopping import StopSignal
from msd_review.outcomes import Outcome, Reason
from msd_review.run import retries
from msd_review.run.events import LaneEvent
from msd_review.run.http_lane import run_http
from msd_review.run.result import LaneResult
from msd_review.run.schedule import Attempt, LaneTask, run_lanes
from msd_review.trust.policy import ApprovedHttp
from tests.http_samples import PROMPT, REVIEW, approved_http
from tests.servers.misbehaving import Connection, Misbehaving, Received, Script, completion, misbehaving


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    async def nothing(_request: Received, _connection: Connection) -> None:
        pass

    with misbehaving(nothing) as running:
        yield running


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_BASE_S", {"openai-http": 0.05, "spawn": 0.05})


def scheduled(
    approved: ApprovedHttp, folder: Path, *, timeout_ms: int = 10_000, stop: StopSignal | None = None
) -> tuple[LaneResult, list[LaneEvent]]:
    """The lane's result by the real scheduler, and what was told meanwhile."""
    events: list[LaneEvent] = []
    book = AddressBook()

    async def attempt(one: Attempt) -> LaneResult:
        return await run_http(
            approved,
            folder=folder,
            prompt=PROMPT,
            timeout_ms=one.remaining_ms,
            stop=one.stop,
            on_progress=one.on_progress,
            book=book,
        )

    task = LaneTask(
        identity="acme",
        slug="acme",
        section="Acme",
        transport="openai-http",
        timeout_ms=timeout_ms,
        run=attempt,
    )
    run = partial(run_lanes, [task], on_event=events.append, on_result=lambda _result: None)
    [result] = asyncio.run(run(stop=stop or StopSignal()))
    return result, events


def then(server: Misbehaving, *statuses: str, body: str = '{"error": "later"}', **headers: str) -> Script:
    """Answers with each status in turn, then with a review."""

    async def script(_request: Received, connection: Connection) -> None:
        turn = server.connections - 1
        if turn < len(statuses):
            await connection.answer(body, status=statuses[turn], **headers)
        else:
            await connection.answer_json(completion(REVIEW))

    return script


@pytest.mark.parametrize("status", ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable"])
def test_a_server_that_says_later_twice_still_gives_its_review(
    server: Misbehaving, tmp_path: Path, status: str
) -> None:
    server.script = then(server, status, status)
    result, events = scheduled(approved_http(server.url), tmp_path)
    assert (result.outcome, result.attempts, server.connections) == (Outcome.REVIEW, 3, 3)
    assert [event.attempt for event in events if event.kind == "attempt"] == [1, 2]


def test_a_third_refusal_is_the_last(server: Misbehaving, tmp_path: Path) -> None:
    server.script = then(server, *["429 Too Many Requests"] * 9)
    result, _ = scheduled(approved_http(server.url), tmp_path)
    assert (result.outcome, result.reason, server.connections) == (Outcome.FAILED, Reason.RATE_LIMITED, 3)


@pytest.mark.parametrize("status", ["400 B", "401 U", "404 N", "422 U", "500 I", "302 F"])
def test_what_would_fail_the_same_way_again_is_not_asked_again(
    server: Misbehaving, tmp_path: Path, status: str
) -> None:
    server.script = then(server, status, Location="/elsewhere")
    result, _ = scheduled(approved_http(server.url), tmp_path)
    assert (result.outcome is Outcome.REVIEW, server.connections) == (False, 1)


def test_retry_after_is_waited_for_in_full(server: Misbehaving, tmp_path: Path) -> None:
    server.script = then(server, "429 Too Many Requests", Retry_After="0.4")
    result, events = scheduled(approved_http(server.url), tmp_path)
    assert result.outcome is Outcome.REVIEW
    [told] = [event.text for event in events if event.kind == "attempt"]
    assert told == "attempt 1: rate_limited, status 429: later (it asks to wait 0.4 s); again in 0.4 s"


def test_a_retry_after_beyond_the_deadline_ends_the_lane_at_once(server: Misbehaving, tmp_path: Path) -> None:
    server.script = then(server, "429 Too Many Requests", Retry_After="3600")
    result, _ = scheduled(approved_http(server.url), tmp_path)
    assert (result.reason, server.connections) == (Reason.RATE_LIMITED, 1)
    assert result.detail == "status 429: later (it asks to wait 3600 s)"


def test_a_server_that_loads_its_model_is_asked_until_it_is_ready(
    server: Misbehaving, tmp_path: Path
) -> None:
    server.script = then(
        server, *["503 Loading"] * 5, body='{"error": {"message": "Loading model", "code": 503}}'
    )
    result, _ = scheduled(approved_http(server.url), tmp_path)
    assert (result.outcome, result.attempts) == (Outcome.REVIEW, 6)


def test_a_server_that_never_finishes_loading_is_left_at_the_deadline(
    server: Misbehaving, tmp_path: Path
) -> None:
    server.script = then(
        server, *["503 Loading"] * 500, body='{"error": {"message": "Loading model", "code": 503}}'
    )
    result, _ = scheduled(approved_http(server.url), tmp_path, timeout_ms=2000)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.SERVER_ERROR)
    assert result.detail == "status 503: Loading model"


def test_a_server_that_is_not_there_is_looked_for_three_times(tmp_path: Path) -> None:
    async def review(_request: Received, connection: Connection) -> None:
        await connection.answer_json(completion(REVIEW))

    with misbehaving(review) as gone:
        approved = approved_http(gone.url)
    result, _ = scheduled(approved, tmp_path)
    assert (result.outcome, result.reason, result.attempts) == (
        Outcome.UNAVAILABLE,
        Reason.HOST_UNREACHABLE,
        3,
    )


def test_a_wish_to_stop_ends_a_request_that_waits_for_its_answer(server: Misbehaving, tmp_path: Path) -> None:
    stop = StopSignal()
    loops: list[asyncio.AbstractEventLoop] = []

    async def silence(_request: Received, connection: Connection) -> None:
        loops[0].call_soon_threadsafe(stop.ask)
        await connection.reader.read()

    server.script = silence
    approved = approved_http(server.url)

    async def attempt() -> LaneResult:
        loops.append(asyncio.get_running_loop())
        return await run_http(approved, folder=tmp_path, prompt=PROMPT, stop=stop)

    result = asyncio.run(attempt())
    assert (result.outcome, result.reason) == (Outcome.CANCELLED, Reason.CANCELLED)
    assert result.text_path is None


def test_a_lane_that_was_asked_to_stop_before_it_began_sends_nothing(
    server: Misbehaving, tmp_path: Path
) -> None:
    stop = StopSignal()
    stop.ask()
    approved = approved_http(server.url)
    result = asyncio.run(run_http(approved, folder=tmp_path, prompt=PROMPT, stop=stop))
    assert result.outcome is Outcome.CANCELLED
    assert server.connections == 0
