"""Waits for the end of a run without holding anybody up, and says how it is going meanwhile."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from msd_review.edges import clock
from msd_review.mcp_server import status
from msd_review.mcp_server.places import Project

_LOOK_S = 0.4
_TELL_S = 5.0  # at the least this often, so that a client sees that it is not hanging

Tell = Callable[[float, float | None, str | None], Awaitable[None]]


async def wait_for_end(project: Project, run_id: str | None, *, seconds: float, tell: Tell) -> dict[str, Any]:
    """The run's status once it is over, or after `seconds`. Raises MsdError.

    `tell` is given the seconds waited, how many there are, and a line; at every change and every few seconds.
    """
    begun = clock.monotonic()
    said, said_at = "", -_TELL_S
    document = await _look(project, run_id)
    while not document["is_over"] and (waited := clock.monotonic() - begun) < seconds:
        now = summary(document)
        if now != said or waited - said_at >= _TELL_S:
            await tell(round(waited, 3), seconds, now)
            said, said_at = now, waited
        await anyio.sleep(min(_LOOK_S, max(0.0, seconds - waited)))
        # From now on this very run is meant, also when another begins.
        document = await _look(project, document["run"])
    return document


async def _look(project: Project, run_id: str | None) -> dict[str, Any]:
    return await anyio.to_thread.run_sync(lambda: status.status(project, run_id), abandon_on_cancel=True)


def summary(document: dict[str, Any]) -> str:
    """`claude done; codex running; gemini failed (rate_limited)`, or the state where nobody has begun."""
    rows = [
        f"{row['reviewer']} {row['state']}" + (f" ({row['reason']})" if row["reason"] else "")
        for row in document["reviewers"]
    ]
    return "; ".join(rows) or document["state"]
