"""Where a worker keeps things: a folder of its own below the user's state, claimed for as long as it lives.

A name that another live worker has is not taken twice: the next one is (`host`, `host-2`, …). So a worker that is
started again after a crash has the folder of the one before it, with what that had paid for.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from msd_review.edges import files, lock
from msd_review.errors import StoreError, UsageError
from msd_review.lazy import regex
from msd_review.run import store

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_MOST = 1_000


def fleet_state() -> Path:
    """The folder of everything that workers of this user keep on this machine. Raises StoreError."""
    return store.runs_folder().parent / "fleet"


@contextlib.contextmanager
def claimed(state: Path, name: str) -> Iterator[tuple[str, Path]]:
    """The name and the folder of this worker while the block runs. Raises UsageError and StoreError."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a worker's name: letters, digits, '.', '_' and '-'")
    with contextlib.ExitStack() as stack:
        try:
            folder = files.make_private(state / "workers")
            taken = next(one for one in _names(name) if _claim(stack, folder / f"{one}.lock"))
        except (OSError, StopIteration) as problem:
            raise StoreError(f"{state} cannot be used: {problem}") from None
        yield taken, files.make_private(folder / taken)


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(2, _MOST))


def _claim(stack: contextlib.ExitStack, path: Path) -> bool:
    try:
        stack.enter_context(lock.exclusive(path, wait_s=0.0))
    except lock.LockBusy:
        return False
    return True
