"""A manifest that was installed → a verdict that may be kept, or everything that is wrong with it here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review import CONTRACT_VERSION
from msd_review.manifest.decode import decode_bytes, parse_bytes
from msd_review.manifest.engines import Gate, RangeError, engines_gate
from msd_review.manifest.messages import say
from msd_review.manifest.problems import Problem, plain, shown
from msd_review.registry.cache import Verdict
from msd_review.registry.first_party import first_party_keys
from msd_review.registry.reading import check_fragments, read_manifest_bytes

__all__ = ["as_object", "incompatible", "judge", "read_manifest_bytes"]


def as_object(raw: bytes) -> Mapping[str, Any]:
    """The JSON object that `raw` holds, whatever it is worth; {} where it holds none."""
    value, _ = parse_bytes(raw)
    return value if isinstance(value, dict) else {}


def judge(raw: bytes, folder: Path) -> Verdict | tuple[Problem, ...]:
    """What a manifest is worth here: a verdict that may be kept, or everything that is wrong with it.

    One that was made for another version, or for a role that this one does not know, is told so first:
    its other faults may be none.
    """
    value, _ = parse_bytes(raw)
    gate = _gate(value) if isinstance(value, dict) else None
    misfit = None if gate is None or gate.compatible else incompatible(gate)
    decoded = decode_bytes(raw, folder=folder.name, known_keys=first_party_keys())
    missing: tuple[Problem, ...] = ()
    if decoded.manifest is not None and decoded.manifest.feature is not None:
        missing = tuple(check_fragments(decoded.manifest.feature, folder))
    if decoded.manifest is None or missing:
        unknown_role = tuple(problem for problem in decoded.errors if problem.code == "role.unknown")
        first = (misfit,) if misfit is not None else unknown_role
        return (*first, *missing, *(problem for problem in decoded.problems if problem not in first))
    return Verdict(value=value, manifest=decoded.manifest, warnings=decoded.warnings, misfit=misfit)


def _gate(value: Mapping[str, Any]) -> Gate | None:
    try:
        return engines_gate(value, CONTRACT_VERSION)
    except RangeError:
        return None


def incompatible(gate: Gate) -> Problem:
    """What a gate that does not open says."""
    way_out = "update msd, or install a version of it that fits"
    if gate.downgrade_to is not None:
        way_out = f"version {plain(gate.downgrade_to)} of it would work here"
    return say(
        "engines incompatible", "/engines", range=shown(gate.range), host=CONTRACT_VERSION, way_out=way_out
    )
