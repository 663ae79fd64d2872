"""What a worker offers: the lanes that really work on it, as Dask resources that place a lane where its tool is.

Beside `lane:<slug>`, how often a lane may run here at once, a worker has `msd-lane` (lanes of all kinds at once)
and `msd-desk` (reports and other small work, which never waits behind lanes).
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msd_review import __version__
from msd_review.app.choosing import detect, is_available
from msd_review.app.world import World

LANE, LANES, DESK = "lane:", "msd-lane", "msd-desk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """How much a worker does at once: lanes of all kinds, small work, and lanes of one kind where that is less."""

    lanes: int = 4
    desks: int = 2
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def jobs(self) -> int:
        """Jobs of every kind at once."""
        return self.lanes + self.desks


def find_standings(world: World) -> dict[str, dict[str, Any]]:
    """What stands with every lane on this machine, by slug, after looking at each."""
    found = asyncio.run(detect(world, world.registry.slugs))
    return {
        slug: {
            "ready": is_available(standing),
            "reason": None if is_available(standing) or standing.reason is None else standing.reason.value,
            "detail": "" if is_available(standing) else standing.detail,
        }
        for slug, standing in found.items()
    }


def offer(name: str, standings: Mapping[str, Mapping[str, Any]], capacity: Capacity) -> dict[str, Any]:
    """What a worker tells of itself."""
    return {
        "name": name,
        "version": __version__,
        "lanes": {slug: dict(one) for slug, one in standings.items()},
        "capacity": {"lanes": capacity.lanes, "desks": capacity.desks},
    }


def resources(offered: Mapping[str, Any], capacity: Capacity) -> dict[str, float]:
    """The Dask resources of a worker with this offer."""
    found: dict[str, float] = {LANES: capacity.lanes, DESK: capacity.desks}
    for slug, standing in offered["lanes"].items():
        if standing["ready"]:
            found[f"{LANE}{slug}"] = min(capacity.lanes, capacity.limits.get(slug, capacity.lanes))
    return found
