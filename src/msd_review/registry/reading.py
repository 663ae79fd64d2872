"""A manifest's file or folder → what it holds and everything that is wrong with it."""

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from msd_review.edges import files
from msd_review.manifest.decode import Decoded, decode_bytes
from msd_review.manifest.messages import say
from msd_review.manifest.model import FeatureBody
from msd_review.manifest.problems import Problem, shown
from msd_review.manifest.vocabulary import MANIFEST_NAME, MAX_MANIFEST_BYTES

_MAX_FRAGMENT_BYTES = 8 * 1024 * 1024


def read_manifest_bytes(path: Path) -> bytes | Problem:
    """The bytes of a manifest's file, or why they are not to be had: a link, a device, its size, the platform."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return say("file", "", what=f"{path.name} is {_kind(status)}")
        if status.st_size > MAX_MANIFEST_BYTES:
            return say("too large", "", limit=MAX_MANIFEST_BYTES)
        return files.read_bounded(path, MAX_MANIFEST_BYTES)
    except files.FileRefused:
        return say("too large", "", limit=MAX_MANIFEST_BYTES)
    except OSError as error:
        return say("file", "", what=f"{path.name}: {(error.strerror or 'it cannot be opened').lower()}")


def _kind(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    return "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"


def read_manifest(path: Path, *, third_party: bool = True, known_keys: Collection[str] = ()) -> Decoded:
    """The manifest at `path`: a file, or a folder that holds `capability.json`.

    A file of that name must lie in a folder that bears the manifest's id; the fragments that it names are
    looked at beside it. Never raises for what the path holds or lacks.
    """
    path = path / MANIFEST_NAME if path.is_dir() else path
    raw = read_manifest_bytes(path)
    if isinstance(raw, Problem):
        return Decoded(manifest=None, problems=(raw,))
    folder = path.absolute().parent if path.name == MANIFEST_NAME else None
    name = None if folder is None else folder.name
    decoded = decode_bytes(raw, folder=name, third_party=third_party, known_keys=known_keys)
    if decoded.manifest is None or decoded.manifest.feature is None or folder is None:
        return decoded
    missing = tuple(check_fragments(decoded.manifest.feature, folder))
    if not missing:
        return decoded
    return Decoded(manifest=None, problems=(*missing, *decoded.problems))


def check_fragments(feature: FeatureBody, folder: Path) -> Iterator[Problem]:
    """Every fragment file of a feature that is missing, too large, no regular file, or outside `folder`."""
    places = [(f"/steps/{index}", step.fragment) for index, step in enumerate(feature.steps)]
    places += [
        (f"/contributions/{index}", entry.fragment) for index, entry in enumerate(feature.contributions)
    ]
    for at, fragment in places:
        path = None if fragment is None else fragment.path
        what = None if path is None else _wrong_with(folder, path)
        if what is not None:
            yield say("fragment file", f"{at}/fragment/path", found=shown(path), what=what)


def _wrong_with(folder: Path, path: str) -> str | None:
    target = folder / path
    try:
        status = target.lstat()
        inside = target.resolve().is_relative_to(folder.resolve())
    except OSError:
        return "is not there"
    if not stat.S_ISREG(status.st_mode) or not inside:
        return "is no regular file of the capability"
    return "is larger than 8 MiB" if status.st_size > _MAX_FRAGMENT_BYTES else None
