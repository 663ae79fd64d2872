"""What is checked: a manifest that is being written, a lane of this machine, or an instance of one.

A manifest is read and validated as `msd capability validate` does; nothing of what it names is started here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msd_review.app.capability import Validation, validate
from msd_review.app.world import World
from msd_review.errors import InputError, TrustError, UsageError
from msd_review.manifest.decode import decode_bytes
from msd_review.manifest.model import Lane
from msd_review.manifest.problems import Problem
from msd_review.registry import MANIFEST_NAME, Capability, InactiveLane, first_party
from msd_review.registry.reading import read_manifest_bytes
from msd_review.selection import parse_instances

Source = Literal["manifest", "first-party", "installed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One lane, where it comes from, and the model that it is asked for (an instance's own).

    `raw` is the manifest's JSON: what is installed into the kit's own home, None for a lane that ships with msd.
    """

    lane: Lane
    source: Source
    capability: str
    version: str
    raw: Mapping[str, Any] | None
    instance: str | None = None
    model: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """A manifest that does not validate: nothing was run."""

    validation: Validation


def is_path(what: str) -> bool:
    """Whether an argument can only be meant as a path."""
    return "/" in what or what in {".", ".."} or what.endswith(".json") or "\\" in what


def find_subject(world: World, what: str) -> Subject | Invalid:
    """The lane that `what` means: a path where it can only be one, else a lane's name, else a path that exists.

    Raises UsageError for what nobody knows, InputError for what holds no lane, and TrustError for an installed lane
    that is not active.
    """
    if not is_path(what):
        entry = world.registry.lane(what)
        if entry is not None:
            return _of_registry(entry.capability)
        instance = _instance(world, what)
        if instance is not None:
            return instance
        inactive = world.registry.inactive_lane(what)
        if inactive is not None:
            raise _inactive(inactive)
    if not Path(what).exists():
        hint = "name a lane as `msd lane list` shows it, or the path of a capability.json or of its folder"
        raise UsageError(f"no lane and no file is called {what!r}", hint=hint)
    return _of_path(Path(what))


def _inactive(inactive: InactiveLane) -> TrustError:
    hint = inactive.hint or f"or name its folder: {inactive.capability.folder}"
    return TrustError(f"{inactive.slug} is not active: {inactive.detail}", hint=hint)


def _instance(world: World, name: str) -> Subject | None:
    known, _ = parse_instances(world.config.raw("review.reviewer_instances").value, world.registry.slugs)
    found = known.get(name.lower())
    entry = world.registry.lane(found.cli) if found is not None else None
    if found is None or entry is None:
        return None
    base = _of_registry(entry.capability)
    notes: tuple[str, ...] = (
        f"{name} is an instance of {entry.slug}: the lane is driven with the instance's model",
    )
    if found.agent:
        notes = (*notes, f"its agent {found.agent!r} is chosen by `msd review` alone and is not driven here")
    return Subject(
        lane=base.lane,
        source=base.source,
        capability=base.capability,
        version=base.version,
        raw=base.raw,
        instance=name.lower(),
        model=found.model,
        notes=notes,
    )


def _of_registry(capability: Capability) -> Subject:
    lane = capability.manifest.reviewer
    if lane is None:
        raise InputError(f"{capability.id} declares no lane")
    shipped = capability.source == "first-party"
    return Subject(
        lane=lane,
        source="first-party" if shipped else "installed",
        capability=capability.id,
        version=capability.manifest.version,
        raw=None if shipped else capability.raw,
    )


def _of_path(path: Path) -> Subject | Invalid:
    manifest = path / MANIFEST_NAME if path.is_dir() else path
    shipped = next((one for one in first_party() if one.folder.resolve() == manifest.resolve().parent), None)
    if shipped is not None:
        return _of_registry(shipped)
    if path.is_dir() and not manifest.exists():
        raise InputError(f"{path} holds no {MANIFEST_NAME}", hint="`msd capability new ID` writes one")
    validation = validate(path)
    if not validation.ok:
        return Invalid(validation=validation)
    raw = read_manifest_bytes(manifest)
    if isinstance(raw, Problem):
        raise InputError(f"{manifest}: {raw.message}")
    known = frozenset(key for one in first_party() for key in one.raw.get("config", ()))
    decoded = decode_bytes(raw, known_keys=known).manifest
    if decoded is None or decoded.reviewer is None:
        raise InputError(
            f"{path} declares no lane",
            hint="a lane is the `reviewer` body of a manifest: msd capability new ID",
        )
    warnings = (f"{one.path or '/'}: {one.message} [{one.code}]" for _, one in validation.problems)
    return Subject(
        lane=decoded.reviewer,
        source="manifest",
        capability=decoded.id,
        version=decoded.version,
        raw=json.loads(raw),
        notes=tuple(f"warning: {warning}" for warning in warnings),
    )
