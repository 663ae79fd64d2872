"""What this version ships, read without any user's or project's files."""

from functools import cache

from msd_review.config.schema import Schema, build_schema
from msd_review.manifest.model import Lane
from msd_review.registry import Registry, first_party, load_registry


@cache
def registry() -> Registry:
    """The registry of an installation to which nobody added anything."""
    return load_registry(first_party(), ())


@cache
def schema() -> Schema:
    """Every configuration key of that installation."""
    return build_schema(registry().config_keys, registry().owned_lanes)


def lanes() -> tuple[Lane, ...]:
    """Its lanes, in roster order."""
    return tuple(entry.lane for entry in registry().lanes)
