"""What a running review tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["planned", "queued", "started", "attempt", "output", "finished", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """One thing that happened; `identity` is "" for the run as a whole. Times are milliseconds."""

    kind: Kind
    identity: str = ""
    text: str = ""
    model: str | None = None
    output_bytes: int | None = None
    duration_ms: int | None = None
    outcome: str | None = None


Watcher = Callable[[RunEvent], None]
