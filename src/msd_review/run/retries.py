"""Which failures are worth another attempt, and after how long. Pure.

A server that says "later" (429, 502, 503) or refuses the connection is asked again at most twice; one that says
it is loading its model as long as the lane's deadline allows. A spawned tool retries by itself: only its own
rate limit is tried again, once. Everything else would fail the same way again.

An HTTP lane says what it met in its result's `extra`: HTTP_STATUS, RETRY_AFTER_S (seconds, a number),
REFUSED (the connection was refused), LOADING (a 503 while the model loads).
"""

import math

from msd_review.manifest.model import Transport
from msd_review.outcomes import Outcome, Reason
from msd_review.run.result import LaneResult

HTTP_STATUS = "http_status"
RETRY_AFTER_S = "retry_after_s"
REFUSED = "refused"
LOADING = "loading"

_WORTH_IT = {"429", "502", "503"}
_MAX_HTTP_RETRIES = 2
_BASE_S = {"openai-http": 1.0, "spawn": 5.0}
_LONGEST_S = 15.0
_JITTER = 0.3
_LONGEST_TOLD_S = 24 * 3600.0


def retry_pause(transport: Transport, result: LaneResult, *, attempt: int, chance: float) -> float | None:
    """Seconds to wait before attempt number `attempt + 1`, or None when there should be none.

    `chance` in [0, 1) spreads lanes apart. What a server asks for (Retry-After) is waited for in full.
    """
    if result.outcome is Outcome.REVIEW or not _is_worth_it(transport, result, attempt):
        return None
    backoff = min(_LONGEST_S, _BASE_S[transport] * float(2 ** min(attempt - 1, 8)))
    told = _retry_after(result)
    return (backoff if told is None else told) + backoff * _JITTER * chance


def _is_worth_it(transport: Transport, result: LaneResult, attempt: int) -> bool:
    if transport == "spawn":
        return result.reason is Reason.RATE_LIMITED and attempt == 1
    if LOADING in result.extra:
        return True
    transient = result.extra.get(HTTP_STATUS) in _WORTH_IT or REFUSED in result.extra
    return transient and result.reason is not Reason.QUOTA and attempt <= _MAX_HTTP_RETRIES


def _retry_after(result: LaneResult) -> float | None:
    try:
        seconds = float(result.extra.get(RETRY_AFTER_S, ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= _LONGEST_TOLD_S else None
