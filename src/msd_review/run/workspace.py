"""Throw-away copies of the reviewed tree, in which a reviewer may do what it likes.

Invariants
- A copy is a repository of its own: its own git folder, refs and configuration, no hooks, no filters, no remotes.
  Only objects are shared, read-only, as an alternate.
- Its files are the tree as it is: uncommitted, untracked and planning files included, ignored ones not.
- Nothing done in a copy reaches the real tree: no hard link, no link that leads out, nothing followed on the way.
- What configures agents, and every `.env*`, is left out.
- A copy is removed whatever was done in it.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from msd_review.edges import clock
from msd_review.edges.faults import fault_point
from msd_review.run.clone import CannotCopy, Tally, copy_file
from msd_review.run.git import find_git, find_repository, listed_files
from msd_review.run.git_copy import make_empty_repository, make_repository
from msd_review.run.left_out import REBUILT, LeftOut, left_out
from msd_review.run.removal import remove_tree

PLANNING = ".planning"
PLAIN_FILES, PLAIN_BYTES = 200_000, 2 * 1024**3
_GIT_FILES, _GIT_BYTES = 1_000_000, 16 * 1024**3
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A copy that was made: `folder` stands for `root`. `bytes` counts what was read, reflinked or not.

    `method` is `git` or `plain`; `skipped` are paths that could not be copied or lead out of the tree, the
    first few of them.
    """

    root: Path
    folder: Path
    method: str
    files: int
    bytes: int
    duration_ms: int
    reflinked: int = 0
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFailed:
    """Why there is no copy; nothing is left of the attempt."""

    detail: str


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a copy may hold."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Job:
    root: Path  # real, without links
    folder: Path
    out: LeftOut
    tally: Tally
    parents: dict[str, bool]  # folder of the tree → whether it may be copied from, and was made


def make_copy(
    root: Path,
    folder: Path,
    *,
    agent_config: Iterable[str] = (),
    keep_agent_config: bool = False,
    also: Iterable[Path] = (),
    limits: Limits | None = None,
) -> Copy | CopyFailed:
    """Makes `folder` (which must not exist) a copy of `root`.

    `agent_config` is what the lanes declare; `also` are files below `root` that must be there even when git
    ignores them (plans that were named). Never raises for what the disk or git does.
    """
    started = clock.monotonic()
    git = find_git(root)
    repository = find_repository(git, root)
    names = listed_files(repository.git, root) if repository is not None else None
    bounds = limits or (
        Limits(_GIT_FILES, _GIT_BYTES) if names is not None else Limits(PLAIN_FILES, PLAIN_BYTES)
    )
    more = (*_own_places(root, folder), *(() if names is not None else REBUILT))
    job = _Job(
        root=Path(os.path.realpath(root)),
        folder=folder,
        out=left_out(agent_config, keep_agent_config=keep_agent_config, more=more),
        tally=Tally(max_files=bounds.files, max_bytes=bounds.bytes),
        parents={"": True},
    )
    fault_point("workspace.copying")
    try:
        with _nothing_left_of(folder):
            _copy_files(job, names, also)
            if repository is None or names is None:
                make_empty_repository(git, folder)
            else:
                make_repository(repository, job.root, folder, has=job.out.has)
    except (CannotCopy, OSError) as problem:
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        return CopyFailed(detail=f"the tree cannot be copied: {why}")
    fault_point("workspace.copied")
    took_ms = round((clock.monotonic() - started) * 1000)
    return _made(job, root, "plain" if names is None else "git", took_ms)


def _made(job: _Job, root: Path, method: str, duration_ms: int) -> Copy:
    return Copy(
        root=root,
        folder=job.folder,
        method=method,
        files=job.tally.files,
        bytes=job.tally.bytes,
        duration_ms=duration_ms,
        reflinked=job.tally.cloned,
        skipped=tuple(job.tally.skipped),
    )


@contextmanager
def _nothing_left_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        remove_tree(folder)
        raise


def _own_places(root: Path, folder: Path) -> tuple[str, ...]:
    """Where our own copies lie, when that is inside the tree: a copy never holds copies."""
    real = Path(os.path.realpath(root))
    target = Path(os.path.realpath(folder.parent)) / folder.name
    inside = [one for one in (target.parent.parent, target.parent, target) if real in one.parents]
    return (f"./{inside[0].relative_to(real).as_posix()}",) if inside else ()


def remove_copy(copy: Copy) -> bool:
    """Removes a copy and says whether nothing is left of it. Never raises."""
    fault_point("workspace.removing")
    return remove_tree(copy.folder)


@contextmanager
def throw_away_copy(
    root: Path,
    folder: Path,
    *,
    agent_config: Iterable[str] = (),
    keep_agent_config: bool = False,
    also: Iterable[Path] = (),
) -> Iterator[Copy | CopyFailed]:
    """`make_copy`, and whatever happens in the block, the copy is removed at its end."""
    made = make_copy(root, folder, agent_config=agent_config, keep_agent_config=keep_agent_config, also=also)
    try:
        yield made
    finally:
        if isinstance(made, Copy):
            remove_copy(made)


def _copy_files(job: _Job, names: list[str] | None, also: Iterable[Path]) -> None:
    job.folder.mkdir(parents=True, mode=0o700)
    for name in _wanted(job, names, also):
        _copy_entry(job, name)


def _wanted(job: _Job, names: list[str] | None, also: Iterable[Path]) -> Iterator[str]:
    """What is copied, each once: what git lists (else all there is), the planning folder, the files asked for."""
    listed = _walk(job, "") if names is None else iter(names)
    planning = _walk(job, PLANNING) if names is not None and not (job.root / PLANNING).is_symlink() else ()
    named = [path.relative_to(job.root).as_posix() for path in _real(also) if path.is_relative_to(job.root)]
    seen: set[str] = set()
    for name in (*listed, *planning, *named):
        if name not in seen and ".git" not in name.casefold().split("/") and not job.out.has(name):
            seen.add(name)
            yield name


def _real(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield Path(os.path.realpath(path))


def _walk(job: _Job, start: str) -> Iterator[str]:
    """Files and links below a folder of the tree, links never followed."""
    waiting = [start]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(job.root / current) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            name = f"{current}/{entry.name}" if current else entry.name
            if job.out.has(name):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(name)
            else:
                yield name


def _copy_entry(job: _Job, name: str) -> None:
    if not _has_parent(job, name.rpartition("/")[0]):
        _skip(job, name)
        return
    source = job.root / name
    try:
        mode = source.lstat().st_mode
    except FileNotFoundError:
        return  # tracked, and removed from the work tree
    if stat.S_ISLNK(mode):
        _copy_link(job, name)
    elif not copy_file(source, job.folder / name, job.tally):
        _skip(job, name)


def _skip(job: _Job, name: str) -> None:
    if len(job.tally.skipped) < _SHOWN:
        job.tally.skipped.append(name)


def _has_parent(job: _Job, parent: str) -> bool:
    """Whether a folder of the tree is really in the tree (no link on the way); made in the copy if so."""
    known = job.parents.get(parent)
    if known is None:
        known = os.path.realpath(job.root / parent) == str(job.root / parent)
        if known:
            (job.folder / parent).mkdir(parents=True, exist_ok=True, mode=0o700)
        job.parents[parent] = known
    return known


def _copy_link(job: _Job, name: str) -> None:
    """A link that stays within the tree, as a relative one; one that leads out, or to what is left out, is skipped."""
    place = job.root / name
    aim = Path(os.path.realpath(place))
    if not aim.is_relative_to(job.root) or job.out.has(aim.relative_to(job.root).as_posix()):
        _skip(job, name)
        return
    written = str(place.readlink())
    if Path(written).is_absolute() or not _stays_inside(name, written):
        written = os.path.relpath(aim, place.parent)
    job.tally.count(0)
    (job.folder / name).symlink_to(written)


def _stays_inside(name: str, written: str) -> bool:
    """Whether a relative link, read without the disk, never leaves the tree on its way."""
    depth = name.count("/")
    for part in written.split("/"):
        depth += -1 if part == ".." else 0 if part in {"", "."} else 1
        if depth < 0:
            return False
    return True


def map_back(text: str, *, copy: Path, root: Path) -> str:
    """The text with every path of the copy told as the real tree's path, also as `file://` addresses."""
    spellings = {str(copy), os.path.realpath(copy)}
    spellings |= {quote(one) for one in spellings}
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = re.compile("(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w.-])")
    return pattern.sub(lambda found: quote(str(root)) if "%" in found.group() else str(root), text)
