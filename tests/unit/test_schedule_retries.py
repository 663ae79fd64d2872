"""What is worth another attempt, and after how long."""

from typing import Any

import pytest

from msd_review.manifest.model import Transport
from msd_review.outcomes import Outcome, Reason
from msd_review.run.retries import retry_pause
from tests.lane_samples import result


def pause(transport: Transport, attempt: int = 1, chance: float = 0.0, **fields: Any) -> float | None:
    given = {"outcome": Outcome.FAILED, "reason": Reason.HTTP_ERROR} | fields
    return retry_pause(transport, result("a", **given), attempt=attempt, chance=chance)


@pytest.mark.parametrize("status", ["429", "502", "503"])
def test_a_busy_server_is_asked_twice_more(status: str) -> None:
    told = [pause("openai-http", attempt, extra={"http_status": status}) for attempt in (1, 2, 3)]
    assert told == [1.0, 2.0, None]


@pytest.mark.parametrize("status", ["200", "400", "401", "404", "500", "504", ""])
def test_what_would_fail_again_is_not_tried_again(status: str) -> None:
    assert pause("openai-http", extra={"http_status": status}) is None


def test_a_refused_connection_is_tried_again() -> None:
    unreachable: dict[str, Any] = {"outcome": Outcome.UNAVAILABLE, "reason": Reason.HOST_UNREACHABLE}
    assert pause("openai-http", extra={"refused": "1"}, **unreachable) == 1.0
    assert pause("openai-http", **unreachable) is None


def test_a_loading_model_is_waited_for_as_long_as_it_takes() -> None:
    told = [pause("openai-http", n, extra={"http_status": "503", "loading": "1"}) for n in (1, 4, 9, 500)]
    assert told == [1.0, 8.0, 15.0, 15.0]


def test_a_used_up_quota_is_not_asked_again() -> None:
    assert pause("openai-http", reason=Reason.QUOTA, extra={"http_status": "429"}) is None


@pytest.mark.parametrize(
    ("told", "waited"),
    [("7", 7.0), ("0", 0.0), ("2.5", 2.5), ("-1", 1.0), ("nan", 1.0), ("inf", 1.0), ("x", 1.0)],
)
def test_retry_after_is_honoured_when_it_is_a_number_of_seconds(told: str, waited: float) -> None:
    assert pause("openai-http", extra={"http_status": "429", "retry_after_s": told}) == waited


def test_chance_only_adds() -> None:
    assert pause("openai-http", chance=1.0, extra={"http_status": "429", "retry_after_s": "7"}) == 7.3


def test_a_spawned_tool_is_tried_again_for_its_own_rate_limit_once() -> None:
    assert pause("spawn", reason=Reason.RATE_LIMITED) == 5.0
    assert pause("spawn", attempt=2, reason=Reason.RATE_LIMITED) is None
    assert pause("spawn", reason=Reason.SERVER_ERROR, extra={"http_status": "503"}) is None


def test_a_review_is_never_tried_again() -> None:
    assert pause("spawn", outcome=Outcome.REVIEW, reason=None, extra={"http_status": "503"}) is None
