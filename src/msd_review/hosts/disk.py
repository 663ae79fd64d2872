"""Reads the files that an install would touch, and judges whether it may touch them.

A link is followed where it leads to the person's own regular file, so that a folder of dotfiles stays one; in a project,
which may be a stranger's, nothing is followed out of the root or into `.git`.
"""

import os
import stat
from pathlib import Path

from msd_review.edges import files
from msd_review.errors import InputError
from msd_review.hosts.model import Seen

MAX_BYTES = 32 * 1024 * 1024
_MODE = 0o7777


def look(path: Path, *, inside: Path | None) -> Seen:
    """What is at `path`. Raises InputError for a place that must not be written."""
    real = Path(os.path.realpath(path))
    if inside is not None:
        _judge_inside(path, real, Path(os.path.realpath(inside)))
    try:
        status = real.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return _nothing(path, real)
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is not a file; nothing was written")
    if os.name != "nt" and status.st_uid != os.geteuid():
        raise InputError(f"{path} belongs to another user; nothing was written")
    try:
        content = files.read_bounded(real, MAX_BYTES)
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}") from None
    return Seen(real=real, content=content, mode=status.st_mode & _MODE)


def mode_of(path: Path) -> int:
    """The mode of what is at `path`, links followed; 0 where nothing is, or where that cannot be told."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def missing_folders(real: Path) -> tuple[Path, ...]:
    """The folders above `real` that are not there, outermost first."""
    missing: list[Path] = []
    for folder in real.parents:
        if mode_of(folder):
            break
        missing.append(folder)
    return tuple(reversed(missing))


def _judge_inside(path: Path, real: Path, root: Path) -> None:
    if root not in real.parents:
        raise InputError(f"{path} leads out of the project, to {real}; nothing was written")
    if ".git" in real.relative_to(root).parts:
        raise InputError(f"{path} leads into .git; nothing was written")


def _nothing(path: Path, real: Path) -> Seen:
    if path.is_symlink():
        raise InputError(f"{path} is a link to {real}, which is not there; nothing was written")
    above = next(folder for folder in real.parents if os.path.lexists(folder))
    if not above.is_dir():
        raise InputError(f"{above} is in the way: it is not a folder; nothing was written")
    return Seen(real=real, content=None, mode=None)
