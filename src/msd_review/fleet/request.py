"""What a fleet run was asked to do: the command line, decoded once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.fleet.offers import Capacity
from msd_review.fleet.security import Tls

WINDOW = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRequest:
    """Everything `msd fleet run` was told. Exactly one of `scheduler` (a checked address) and `local` is given."""

    batch: Path
    out: Path
    scheduler: str | None = None
    local: int | None = None
    tls: Tls | None = None
    capacity: Capacity = field(default_factory=Capacity)  # of each local worker
    lanes: tuple[str, ...] = ()  # for items that name none; naming a lane here is an answer for this run
    fail_on: str | None = None
    per_provider: int | None = None
    provider_limits: Mapping[str, int] = field(default_factory=dict)
    window: int = WINDOW
    wait_for_workers_s: float = 60.0
    reconnect_s: float = 300.0
    retry_failed: bool = False
    allow_file: bool = False
    allow_secrets: tuple[str, ...] = ()
