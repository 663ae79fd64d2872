"""The registry: what is installed, what of it is active, and which lanes that gives.

first-party manifests and installed ones → `Registry` and its `Notice`s. Overlays are discovered and
judged here; whether the user agreed to one is trust's decision, handed in as a function.
"""

from msd_review.registry.first_party import first_party, first_party_keys
from msd_review.registry.merge import load_registry
from msd_review.registry.model import Capability, InactiveLane, Notice, Registry, RosterLane, Source
from msd_review.registry.overlays import MAX_OVERLAYS, Overlay, discover_overlays, judge
from msd_review.registry.reading import MANIFEST_NAME, check_fragments, read_manifest, read_manifest_bytes

__all__ = [
    "MANIFEST_NAME",
    "MAX_OVERLAYS",
    "Capability",
    "InactiveLane",
    "Notice",
    "Overlay",
    "Registry",
    "RosterLane",
    "Source",
    "check_fragments",
    "discover_overlays",
    "first_party",
    "first_party_keys",
    "judge",
    "load_registry",
    "read_manifest",
    "read_manifest_bytes",
]
