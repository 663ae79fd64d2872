"""Carries changes out: each file whole or not at all, all of them or none where something fails on the way."""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from msd_review.edges import files
from msd_review.edges.faults import fault_point
from msd_review.errors import InputError, StoreError
from msd_review.hosts.disk import look, missing_folders
from msd_review.hosts.model import Change, EntryRecord, Installation

_OWN_MODE = 0o644
_SETTINGS_MODE = 0o600


class ChangedMeanwhile(Exception):
    """A file is not what it was when the changes were planned: another program wrote it."""


def effective(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that write or remove something."""
    return tuple(one for one in changes if one.action in {"create", "change", "remove"})


def new_folders(changes: Sequence[Change]) -> tuple[str, ...]:
    """The folders that the changes will make, outermost first."""
    wanted = (change for change in changes if change.after is not None)
    folders = {str(folder): None for change in wanted for folder in missing_folders(change.seen.real)}
    return tuple(sorted(folders, key=lambda one: (len(Path(one).parts), one)))


def carry_out(changes: Sequence[Change], *, inside: Path | None, private: bool) -> None:
    """Writes and removes. `private`: a new settings file is for its owner alone.

    Raises ChangedMeanwhile, InputError and StoreError, each after what was done is undone.
    """
    done: list[Change] = []
    made: list[Path] = []
    try:
        for change in changes:
            if look(change.path, inside=inside) != change.seen:
                raise ChangedMeanwhile(str(change.path))
            made.extend(missing_folders(change.seen.real) if change.after is not None else ())
            done.append(change)
            _write(change, private=private)
            fault_point("host.written")
    except BaseException as problem:
        _undo(done, made)
        if isinstance(problem, OSError):
            raise StoreError(
                f"nothing was changed: {problem.strerror or problem}: {problem.filename}"
            ) from None
        raise


def remove_folders(folders: Sequence[str]) -> None:
    """Removes those folders that are empty, innermost first; one that is not, or is a link, stays."""
    for folder in sorted(map(Path, folders), key=lambda one: len(one.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()


def clear_temporaries(installation: Installation) -> None:
    """Removes the half-written files of an install that was killed."""
    if installation.writer is None:
        return
    for record in installation.records:
        real = Path(os.path.realpath(record.path))
        mine = (files.cut_name(real), installation.writer)
        with contextlib.suppress(OSError):
            for left in [path for path in real.parent.iterdir() if files.temporary_owner(path.name) == mine]:
                left.unlink()


def _write(change: Change, *, private: bool) -> None:
    real = change.seen.real
    if change.after is None:
        real.unlink()
        files.sync_folder(real.parent)
        return
    real.parent.mkdir(parents=True, exist_ok=True)
    fresh = _SETTINGS_MODE if private and isinstance(change.record, EntryRecord) else _OWN_MODE
    files.write_atomic(real, change.after, mode=fresh if change.seen.mode is None else change.seen.mode)


def _undo(done: Sequence[Change], made: Sequence[Path]) -> None:
    for change in reversed(done):
        with contextlib.suppress(OSError, InputError):
            if change.seen.content is None:
                change.seen.real.unlink(missing_ok=True)
            elif look(change.path, inside=None).content != change.seen.content:
                files.write_atomic(change.seen.real, change.seen.content, mode=change.seen.mode or _OWN_MODE)
    remove_folders([str(folder) for folder in made])
