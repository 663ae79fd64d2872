"""The merged set does not depend on the order in which overlays are found."""

import itertools
import random
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from msd_review.manifest.build import build
from msd_review.registry import Overlay, Registry, first_party, load_registry
from msd_review.registry.overlays import Scope
from tests.registry_files import lane_manifest

SCOPES: list[Scope] = ["global", "project"]
NAMES = ["a", "b", "c", "d", "codex"]


@st.composite
def overlay(draw: st.DrawFn) -> Overlay:
    """A valid overlay whose names are few, so that clashes and requirements are many."""
    identity = draw(st.sampled_from(NAMES))
    manifest = lane_manifest(
        identity,
        slug=draw(st.sampled_from(NAMES)),
        flags=[f"--{draw(st.sampled_from(NAMES))}"],
        reviewsSection=draw(st.sampled_from(["A", "a", "B", "Codex"])),
    )
    manifest["requires"] = draw(st.lists(st.sampled_from([*NAMES, "ghost"]), max_size=2, unique=True))
    manifest["tier"] = draw(st.sampled_from(["core", "standard", "full"]))
    scope: Scope = draw(st.sampled_from(SCOPES))
    folder = Path("/caps") / scope / identity
    return Overlay(id=identity, scope=scope, folder=folder, raw=manifest, manifest=build(manifest))


def told(registry: Registry) -> Any:
    return (
        [(one.id, one.source, one.active, one.inactive_reason, one.detail) for one in registry.capabilities],
        registry.slugs,
        registry.flags,
        registry.notices,
        [(entry.slug, entry.flags, entry.detail) for entry in registry.inactive_lanes],
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(overlay(), max_size=6, unique_by=lambda one: (one.scope, one.id)), st.randoms())
def test_permuting_overlays_never_changes_the_merged_set(
    found: list[Overlay], random_: random.Random
) -> None:
    expected = load_registry(first_party(), found, is_active=lambda one: None)
    shuffled = list(found)
    random_.shuffle(shuffled)
    assert told(load_registry(first_party(), shuffled, is_active=lambda one: None)) == told(expected)


@settings(max_examples=150, deadline=None)
@given(st.lists(overlay(), max_size=6, unique_by=lambda one: (one.scope, one.id)))
def test_no_two_active_lanes_share_a_name(found: list[Overlay]) -> None:
    registry = load_registry(first_party(), found, is_active=lambda one: None)
    for one, other in itertools.combinations(registry.lanes, 2):
        assert one.slug != other.slug
        assert not set(one.flags) & set(other.flags)
        assert one.section.casefold() != other.section.casefold()
    active = {capability.id for capability in registry.active}
    assert all(set(capability.raw["requires"]) <= active for capability in registry.active)
    assert len(registry.active) == len(active)
