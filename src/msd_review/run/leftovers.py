"""Removes what a run leaves in folders: its copies of the tree, its files inside the tree, files half written.

A run that ends by itself clears up after itself; after a `kill -9` the next command does it for it. Nothing here
raises, and nothing here touches what a reviewer delivered.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from msd_review.edges import process_table
from msd_review.edges.files import temporary_owner
from msd_review.run.removal import remove_tree
from msd_review.run.store import RunInfo

COPIES = "copies"


def clear_run(run: RunInfo) -> None:
    """Removes the copies of `run`, its folder below `.msd/tmp` of the tree, and its files that were cut short.

    For a run that has ended: nobody may be working in it any more.
    """
    remove_tree(run.folder / COPIES)
    if run.root:
        _clear_tree(Path(run.root), run.id)
    lanes = _subfolders(run.folder / "lanes")
    for folder in (run.folder, *lanes):
        remove_dead_temporaries(folder)


def _clear_tree(root: Path, run_id: str) -> None:
    scratch = root / ".msd" / "tmp" / run_id
    if not os.path.lexists(scratch):
        return
    remove_tree(scratch)
    for folder in (scratch.parent, scratch.parent.parent):
        try:
            folder.rmdir()
        except OSError:
            return


def _subfolders(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def remove_dead_temporaries(folder: Path, names: frozenset[str] | None = None) -> None:
    """Removes files that a process of ours began to write into `folder` and did not live to finish.

    `names` are the files they were to become, None for any. Those of a process that still runs are left alone.
    """
    for path, pid in _temporaries(folder, names):
        if process_table.identify(pid) is None:
            with contextlib.suppress(OSError):
                path.unlink()


def _temporaries(folder: Path, names: frozenset[str] | None) -> Iterator[tuple[Path, int]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        owner = temporary_owner(entry.name)
        if owner is not None and (names is None or owner[0] in names):
            yield Path(entry.path), owner[1]
