"""The capabilities that ship with msd: read, built, not checked (the tests check them)."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from msd_review.manifest.build import build
from msd_review.registry.model import Capability

FOLDER = Path(__file__).parent.parent / "capabilities"


def roster() -> tuple[str, ...]:
    """The ids of the shipped capabilities: those with a lane in the order of their sections, then features."""
    listed: dict[str, Any] = json.loads((FOLDER / "roster.json").read_bytes())
    return (*listed["lanes"], *listed["features"])


@cache
def first_party() -> tuple[Capability, ...]:
    """The shipped capabilities in roster order."""
    return tuple(_load(FOLDER / identity) for identity in roster())


def _load(folder: Path) -> Capability:
    raw = json.loads((folder / "capability.json").read_bytes())
    return Capability(
        id=raw["id"], source="first-party", folder=folder, raw=raw, decoded=build(raw), active=True
    )


@cache
def first_party_keys() -> frozenset[str]:
    """The configuration keys that shipped capabilities own."""
    return frozenset(key for capability in first_party() for key in capability.raw.get("config", ()))
