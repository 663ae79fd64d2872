"""The only reader of the clock."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The wall-clock time, aware, in UTC, cut to whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def monotonic() -> float:
    """Seconds on a clock that no adjustment moves; only differences mean something."""
    return time.monotonic()


def iso(moment: datetime) -> str:
    """`2026-11-30T12:00:00Z`, the form every file of ours uses."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
