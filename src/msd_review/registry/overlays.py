"""Installed capabilities, read: each folder's manifest, what it is worth, and nothing of it run.

Bounded in files and bytes; a link or a special file in a manifest's place is refused; a broken manifest
is a value like any other, so that it is lost alone.
"""

import importlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msd_review.manifest.messages import say
from msd_review.manifest.model import Manifest
from msd_review.manifest.problems import Problem, plain
from msd_review.manifest.vocabulary import MANIFEST_NAME
from msd_review.registry.cache import Cache, Verdict, open_cache, stamp
from msd_review.registry.collector import collector_paused

MAX_OVERLAYS = 10_000
# Loaded by name, when a manifest must be judged: a start whose verdicts are all known does without it.
_JUDGING = "msd_review.registry.judging"

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
    if _are_same(global_folder, project_folder):
        global_folder = None
    with collector_paused():
        cache = open_cache(cache_file)
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
    judging = importlib.import_module(_JUDGING)
    raw: bytes | Problem = judging.read_manifest_bytes(path)
    if isinstance(raw, Problem):
        return _refused(folder, scope, (raw,), {})
    judged: Verdict | tuple[Problem, ...] = judging.judge(raw, folder)
    if not isinstance(judged, Verdict):
        return _refused(folder, scope, judged, judging.as_object(raw))
    cache.keep(os.fspath(path), stamp(path.lstat()), raw, judged)
    return _from_verdict(folder, scope, judged)


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
