"""What a fleet run tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from msd_review.fleet.model import ItemOutcome, LaneOutcome

FleetKind = Literal["note", "workers", "lane_started", "lane_finished", "item_finished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetEvent:
    """One thing that happened; `item` is "" for the run as a whole."""

    kind: FleetKind
    text: str = ""
    item: str = ""
    slug: str = ""
    provider: str | None = None
    lane: LaneOutcome | None = None
    outcome: ItemOutcome | None = None


FleetWatcher = Callable[[FleetEvent], None]
