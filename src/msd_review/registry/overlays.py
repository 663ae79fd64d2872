"""Installed capabilities, read: each folder's manifest, what it is worth, and nothing of it run.

Bounded in files and bytes; a link or a special file in a manifest's place is refused; a broken manifest
is a value like any other, so that it is lost alone.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msd_review import CONTRACT_VERSION
from msd_review.manifest.decode import decode_bytes, parse_bytes
from msd_review.manifest.engines import Gate, RangeError, engines_gate
from msd_review.manifest.messages import say
from msd_review.manifest.model import Manifest
from msd_review.manifest.problems import Problem, plain, shown
from msd_review.registry.cache import Cache, Verdict, open_cache, stamp
from msd_review.registry.first_party import first_party_keys
from msd_review.registry.reading import MANIFEST_NAME, check_fragments, read_manifest_bytes

MAX_OVERLAYS = 10_000

Scope = Literal["global", "project"]


class Overlay(NamedTuple):
    """One installed capability as it lies on disk.

    `raw` is its JSON, {} where it is no object. `manifest` is None when it cannot be used: then `problem`
    says why in one line. `problems` is everything there is to say, warnings included. Whether the user
    agreed to it is not known here.
    """

    id: str  # the folder's name
    scope: Scope
    folder: Path
    raw: Mapping[str, Any]
    manifest: Manifest | None
    problem: Problem | None = None
    problems: tuple[Problem, ...] = ()


def discover_overlays(
    global_folder: Path | None, project_folder: Path | None, *, cache_file: Path | None = None
) -> tuple[Overlay, ...]:
    """What is installed in the two `capabilities` folders, by scope and id.

    A folder that is both counts as the project's. `cache_file` keeps verdicts between runs; it lies in a
    folder that is private to the user.
    """
    cache = open_cache(cache_file)
    if _are_same(global_folder, project_folder):
        global_folder = None
    found = (*_in_folder(global_folder, "global", cache), *_in_folder(project_folder, "project", cache))
    cache.save()
    return found


def _are_same(one: Path | None, other: Path | None) -> bool:
    try:
        return one is not None and other is not None and one.samefile(other)
    except OSError:
        return False


def _in_folder(folder: Path | None, scope: Scope, cache: Cache) -> Iterator[Overlay]:
    if folder is None:
        return
    try:
        with os.scandir(folder) as entries:
            names = sorted((entry.name, entry.is_symlink()) for entry in entries if _is_candidate(entry))
    except OSError:
        return
    for name, is_link in names[:MAX_OVERLAYS]:
        overlay = None if is_link else _cached(folder, name, scope, cache=cache)
        yield overlay or _read(folder / name, scope, cache)


def _is_candidate(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and (entry.is_symlink() or entry.is_dir())


def _cached(folder: Path, name: str, scope: Scope, *, cache: Cache) -> Overlay | None:
    where = os.fspath(folder) + os.sep + name + os.sep + MANIFEST_NAME
    try:
        verdict = cache.find(where, stamp(os.lstat(where)))
    except OSError:
        return None
    if verdict is None or verdict.value["id"] != name:
        return None
    return _from_verdict(folder / name, scope, verdict)


def _read(folder: Path, scope: Scope, cache: Cache) -> Overlay:
    path = folder / MANIFEST_NAME
    if folder.is_symlink():
        return _refused(folder, scope, (say("file", "", what=f"{plain(folder.name)} is a link"),), {})
    raw = read_manifest_bytes(path)
    if isinstance(raw, Problem):
        return _refused(folder, scope, (raw,), {})
    judged = judge(raw, folder)
    if not isinstance(judged, Verdict):
        return _refused(folder, scope, judged, _as_object(raw))
    cache.keep(os.fspath(path), stamp(path.lstat()), raw, judged)
    return _from_verdict(folder, scope, judged)


def _as_object(raw: bytes) -> Mapping[str, Any]:
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


def _from_verdict(folder: Path, scope: Scope, verdict: Verdict) -> Overlay:
    misfit = verdict.misfit
    return Overlay(
        id=folder.name,
        scope=scope,
        folder=folder,
        raw=verdict.value,
        manifest=verdict.manifest if misfit is None else None,
        problem=misfit,
        problems=verdict.warnings if misfit is None else (misfit, *verdict.warnings),
    )


def _refused(folder: Path, scope: Scope, problems: tuple[Problem, ...], raw: Mapping[str, Any]) -> Overlay:
    worst = next(problem for problem in problems if not problem.is_warning)
    return Overlay(
        id=folder.name,
        scope=scope,
        folder=folder,
        raw=raw,
        manifest=None,
        problem=worst,
        problems=problems,
    )
