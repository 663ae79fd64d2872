"""Removes a folder whatever is in it: read-only folders, names nested deeper than any path may be long, links.

Links are removed, never followed. Folders are moved up to the top before they are emptied, so that no path grows
and nothing recurses.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path

_TRIES = 3


def remove_tree(folder: Path) -> bool:
    """Removes `folder` with all that is in it; True when nothing is left. Never raises."""
    for _ in range(_TRIES):
        try:
            if folder.is_symlink() or not folder.is_dir():
                folder.unlink(missing_ok=True)
                return True
            _empty(folder)
            folder.rmdir()
            return True
        except OSError:
            continue
    return not os.path.lexists(folder)


def _empty(folder: Path) -> None:
    """Leaves `folder` empty as far as the platform lets us. Raises the last OSError there was."""
    trouble: OSError | None = None
    waiting = [folder]
    names = (folder / f".going-{secrets.token_hex(6)}-{number}" for number in count())
    while waiting:
        current = waiting.pop()
        try:
            waiting.extend(_emptied(current, names))
            if current != folder:
                current.rmdir()
        except OSError as problem:
            trouble = problem
    if trouble is not None:
        raise trouble


def _emptied(folder: Path, names: Iterator[Path]) -> list[Path]:
    """Removes the files of one folder and moves its folders to the next of `names`; where those are now."""
    _open_up(folder)
    with os.scandir(folder) as entries:
        listed = list(entries)
    moved = []
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            moved.append(_moved_up(Path(entry.path), next(names)))
        else:
            _unlink(Path(entry.path))
    return moved


def _moved_up(folder: Path, top: Path) -> Path:
    _open_up(folder)
    return folder.rename(top)


def _open_up(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)


def _unlink(path: Path) -> None:
    try:
        path.unlink()
    except PermissionError:
        if os.name != "nt":
            raise
        path.chmod(stat.S_IWRITE)
        path.unlink()
