"""What a running lane tells whoever watches: the same for the journal, a live table and a log."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from msd_review.run.result import LaneResult

LaneEventKind = Literal["queued", "started", "attempt", "output", "finished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneEvent:
    """One thing that happened to one lane.

    `attempt` events say how one attempt ended and when the next begins (`text`); `output` events carry bytes of
    stdout so far and are not for the journal; `finished` carries the result. Times are milliseconds.
    """

    kind: LaneEventKind
    identity: str
    text: str = ""
    model: str | None = None
    attempt: int = 1
    output_bytes: int | None = None
    duration_ms: int | None = None
    result: LaneResult | None = None


Watcher = Callable[[LaneEvent], None]
