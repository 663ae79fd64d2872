"""Fetches a repository and checks one commit of it out, for lanes to read.

Invariants
- No hook, filter, submodule, configuration or replacement of the repository has a moment at which it could run,
  and git asks nobody: the settings are those with which capabilities are fetched.
- What is fetched is bounded in time and bytes, what is checked out in entries and bytes.
- A checkout is of one commit and is made once: whole, under its final name, or not at all. Nothing writes into it
  afterwards: lanes work in throw-away copies of it.
"""

import asyncio
import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.edges import environ, files, lock
from msd_review.edges.capture import Captured, capture, capture_blocking
from msd_review.edges.programs import find_binary
from msd_review.fleet.model import ItemReason
from msd_review.run.removal import remove_tree
from msd_review.sources import git as source_git
from msd_review.trust.visible import plain

FETCH_S = 300.0
MAX_FETCHED_BYTES = 2 * 1024**3
MAX_TREE_BYTES, MAX_TREE_FILES = 2 * 1024**3, 200_000
_LISTING = 64 * 1024 * 1024
_WATCH_S = 0.25
_CONFIG = """
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tuntrackedCache = false
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""


class RepositoryProblem(Exception):
    """Why there is no tree; `reason` is of the closed list of items' reasons."""

    def __init__(self, reason: ItemReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Repositories:
    """Where this worker keeps what it fetched, and whether it reads file:// URLs."""

    folder: Path
    allow_file: bool = False


def no_revision(repository: str, revision: str) -> RepositoryProblem:
    """The refusal of a revision that a repository does not have."""
    return RepositoryProblem(
        ItemReason.REPOSITORY_MISSING, f"{plain(repository)} has no revision {plain(revision)}"
    )


def fetch_failed(repository: str, told: Captured) -> RepositoryProblem:
    """What git said of a repository that cannot be read."""
    return RepositoryProblem(ItemReason.FETCH_FAILED, f"{plain(repository)} cannot be read: {_said(told)}")


def _said(told: Captured) -> str:
    if told.timed_out:
        return "it took too long"
    if told.problem:
        return plain(told.problem)
    lines = [line for line in told.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    shown = next((line for line in lines if line.startswith(("fatal:", "error:"))), "no reason given")
    return plain(shown.partition(": ")[2] or shown)[:300]


def find_source_git(place: Repositories, repository: str) -> source_git.Git:
    """The user's git, with the transports that the repository may be read by. Raises RepositoryProblem."""
    is_folder = Path(repository).is_absolute()
    binary = find_binary("git", path=environ.get("PATH"), repo_root=Path(repository) if is_folder else None)
    if binary is None:
        raise RepositoryProblem(ItemReason.FETCH_FAILED, "git was not found on this worker's PATH")
    return source_git.Git(binary=binary, environ=environ.snapshot(), allow_file=place.allow_file or is_folder)


def run(
    git: source_git.Git,
    git_folder: Path,
    arguments: Sequence[str],
    *,
    cwd: Path,
    seconds: float = 60.0,
    limit: int = 64 * 1024,
) -> Captured:
    """One bounded git command on the repository `git_folder`; a failure is in the result."""
    return capture_blocking(
        source_git.command(git, git_folder, arguments),
        env=source_git.environment(git),
        cwd=cwd,
        timeout_s=seconds,
        limit_bytes=limit,
    )


def tree_key(repository: str, commit: str, *, whole: bool) -> str:
    """The name of the folder that keeps a checkout."""
    return f"{_key(repository, whole=whole)}-{commit}"


def _key(repository: str, *, whole: bool) -> str:
    return hashlib.sha256(f"{repository}\0{whole}".encode()).hexdigest()[:24]


def checked_out(place: Repositories, repository: str, commit: str, *, whole: bool) -> Path:
    """The checkout of a commit, made where there is none yet; `whole` with all history and branches.

    Raises RepositoryProblem.
    """
    target = place.folder / "trees" / tree_key(repository, commit, whole=whole)
    bare = place.folder / "git" / _key(repository, whole=whole)
    tree = target / _folder_name(repository)
    try:
        files.make_private(target.parent)
        files.make_private(bare.parent)
        with lock.exclusive(bare.with_name(f"{bare.name}.lock"), wait_s=2 * FETCH_S):
            if not target.is_dir():
                git = find_source_git(place, repository)
                _fetch(git, bare, repository, commit, whole=whole)
                _check_out(git, bare, tree, commit)
            os.utime(target)
    except lock.LockBusy:
        told = f"{plain(repository)} is being fetched, and that does not end"
        raise RepositoryProblem(ItemReason.FETCH_FAILED, told) from None
    except OSError as problem:
        told = f"{plain(repository)} cannot be kept: {problem.strerror or problem}"
        raise RepositoryProblem(ItemReason.FETCH_FAILED, told) from None
    return tree


def _folder_name(repository: str) -> str:
    """What a reviewer sees as the tree's name: the repository's own, as far as it is harmless."""
    last = repository.rstrip("/").replace(":", "/").rpartition("/")[2].removesuffix(".git")
    kept = "".join(char for char in last if char.isascii() and (char.isalnum() or char in "._-"))
    return kept.strip(".-")[:60] or "tree"


def _fetch(git: source_git.Git, bare: Path, repository: str, commit: str, *, whole: bool) -> None:
    if not (bare / "HEAD").is_file():
        remove_tree(bare)
        files.make_private(bare)
        made = run(git, bare, ("init", "--quiet", "--bare", "--template=", "--", str(bare)), cwd=bare)
        if made.exit_status != 0:
            raise fetch_failed(repository, made)
    if _has(git, bare, commit):
        return
    fixed = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--update-head-ok")
    got = _watched(git, bare, (*fixed, *(() if whole else ("--depth=1",)), "--", repository, commit))
    if whole or not _has(git, bare, commit):
        refs = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        got = _watched(git, bare, (*fixed, "--force", "--", repository, *refs))
    if got.exit_status != 0:
        raise fetch_failed(repository, got)
    if not _has(git, bare, commit):
        raise no_revision(repository, commit)


def _has(git: source_git.Git, bare: Path, commit: str) -> bool:
    return run(git, bare, ("cat-file", "-e", f"{commit}^{{commit}}"), cwd=bare).exit_status == 0


def _watched(git: source_git.Git, bare: Path, arguments: Sequence[str]) -> Captured:
    """A fetch, ended at its deadline and when it brings too much. Raises RepositoryProblem."""
    return asyncio.run(_watch(git, bare, arguments))


async def _watch(git: source_git.Git, bare: Path, arguments: Sequence[str]) -> Captured:
    fetching = asyncio.create_task(
        capture(
            source_git.command(git, bare, arguments),
            env=source_git.environment(git),
            cwd=bare,
            timeout_s=FETCH_S,
            limit_bytes=64 * 1024,
        )
    )
    while not (await asyncio.wait({fetching}, timeout=_WATCH_S))[0]:
        if await asyncio.to_thread(_size, bare) <= MAX_FETCHED_BYTES:
            continue
        fetching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await fetching
        told = f"the repository sends more than {MAX_FETCHED_BYTES:,} bytes; it was stopped"
        raise RepositoryProblem(ItemReason.FETCH_FAILED, told)
    return fetching.result()


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(place) / name).lstat().st_size
    return total


def _check_out(git: source_git.Git, bare: Path, tree: Path, commit: str) -> None:
    _check_size(git, bare, commit)
    target = tree.parent
    making = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    work = making / tree.name
    try:
        files.make_private(work)
        _make_repository(git, bare, work, commit)
        # Nobody's configuration: a filter that the user has for their own repositories is not run on a stranger's.
        sealed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        quiet = replace(git, environ={**git.environ, **sealed})
        command = (f"--work-tree={work}", "checkout", "--quiet", "--force", "--detach", commit, "--")
        done = run(quiet, work / ".git", command, cwd=work, seconds=FETCH_S)
        if done.exit_status != 0:
            told = f"commit {commit[:12]} cannot be checked out: {_said(done)}"
            raise RepositoryProblem(ItemReason.FETCH_FAILED, told)
        making.rename(target)
    finally:
        remove_tree(making)


def _check_size(git: source_git.Git, bare: Path, commit: str) -> None:
    listed = run(git, bare, ("ls-tree", "-r", "-l", "-z", "--full-tree", commit), cwd=bare, limit=_LISTING)
    entries = listed.stdout.split(b"\0")[:-1]
    sizes = (entry.partition(b"\t")[0].split()[-1] for entry in entries)
    total = sum(int(size) for size in sizes if size.isdigit())
    if listed.exit_status != 0 or listed.is_cut or len(entries) > MAX_TREE_FILES or total > MAX_TREE_BYTES:
        told = f"commit {commit[:12]} holds more than {MAX_TREE_FILES:,} files or {MAX_TREE_BYTES:,} bytes"
        raise RepositoryProblem(ItemReason.FETCH_FAILED, told)


def _make_repository(git: source_git.Git, bare: Path, work: Path, commit: str) -> None:
    """A repository of its own at `work`, whose objects are the fetched one's."""
    own = work / ".git"
    kind = "sha1" if len(commit) == 40 else "sha256"
    made = run(
        git, own, ("init", "--quiet", "--template=", f"--object-format={kind}", "--", str(work)), cwd=work
    )
    if made.exit_status != 0:
        raise RepositoryProblem(ItemReason.FETCH_FAILED, f"no checkout can be made: {_said(made)}")
    with (own / "config").open("a", encoding="utf-8") as config:
        config.write(_CONFIG)
    files.make_private(own / "objects" / "info")
    (own / "objects" / "info" / "alternates").write_text(f"{bare / 'objects'}\n", encoding="utf-8")
    if (bare / "shallow").is_file():
        shutil.copyfile(bare / "shallow", own / "shallow")
    _copy_refs(git, bare, own)


def _copy_refs(git: source_git.Git, bare: Path, own: Path) -> None:
    """Branches under both names that people use for them, so that `main` and `origin/main` are the same base."""
    told = run(
        git,
        bare,
        ("for-each-ref", "--count=20000", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"),
        cwd=bare,
        limit=_LISTING,
    )
    refs: dict[str, str] = {}
    for line in told.stdout.decode("utf-8", "surrogateescape").splitlines():
        commit, _, name = line.partition(" ")
        refs[name] = commit
        if name.startswith("refs/heads/"):
            refs[f"refs/remotes/origin/{name.removeprefix('refs/heads/')}"] = commit
    lines = "".join(f"{refs[name]} {name}\n" for name in sorted(refs))
    (own / "packed-refs").write_text(lines, encoding="utf-8", errors="surrogateescape")
