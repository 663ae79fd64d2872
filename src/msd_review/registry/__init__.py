"""The registry: what is installed, what of it is active, and which lanes that gives.

first-party manifests and installed ones → `Registry` and its `Notice`s. Overlays are discovered and
judged here; whether the user agreed to one is trust's decision, handed in as a function. Validation is in
`registry.reading`, which a start that has nothing new to judge does not load.
"""

from msd_review.manifest.vocabulary import MANIFEST_NAME
from msd_review.registry.first_party import first_party, first_party_keys
from msd_review.registry.merge import load_registry
from msd_review.registry.model import RANK, Capability, InactiveLane, Notice, Registry, RosterLane, Source
from msd_review.registry.overlays import MAX_OVERLAYS, Overlay, Scope, discover_overlays

__all__ = [
    "MANIFEST_NAME",
    "MAX_OVERLAYS",
    "RANK",
    "Capability",
    "InactiveLane",
    "Notice",
    "Overlay",
    "Registry",
    "RosterLane",
    "Scope",
    "Source",
    "discover_overlays",
    "first_party",
    "first_party_keys",
    "load_registry",
]
