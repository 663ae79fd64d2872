"""Writes a capability's files into a private folder, and clears folders away."""

import contextlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from msd_review.edges import files
from msd_review.trust.bundle import Bundle


def write_bundle(bundle: Bundle, folder: Path) -> None:
    """Writes every file below `folder`, which must not exist yet; all of it is on the disk afterwards.

    Files are plain: not executable, whatever they were. The paths of a bundle are relative and free of `..`.
    """
    folder.mkdir(mode=0o755)
    folders = {folder}
    for path, content in bundle.files.items():
        target = folder / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        folders.update(parent for parent in target.parents if parent.is_relative_to(folder))
        _write_new(target, content)
    for made in sorted(folders, reverse=True):
        files.sync_folder(made)


def _write_new(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(path, flags, 0o644), "wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def clear(path: Path) -> None:
    """Removes a folder and all in it, or a link without what it leads to; absent is as good as removed."""
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def remove_listed(folder: Path, listed: Collection[str]) -> tuple[str, ...]:
    """Removes the listed files below `folder`, and folders that are empty then; returns what is left.

    Links are removed when they are listed, and never followed.
    """
    wanted, left = set(listed), []
    for place, names, plain_names in os.walk(folder, topdown=False, followlinks=False):
        links = [name for name in names if (Path(place) / name).is_symlink()]
        for name in (*plain_names, *links):
            path = Path(place) / name
            relative = path.relative_to(folder).as_posix()
            if relative in wanted:
                path.unlink()
            else:
                left.append(relative)
        with contextlib.suppress(OSError):
            Path(place).rmdir()
    return tuple(sorted(left))
