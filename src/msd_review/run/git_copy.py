"""Gives a copy of a tree a git folder of its own, whose objects are the real repository's and nothing else is."""

import shutil
from collections.abc import Callable
from pathlib import Path

from msd_review.run.clone import CannotCopy
from msd_review.run.git import Git, IndexEntry, Repository, index_entries

_CONFIG = """
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tuntrackedCache = false
\tpager = cat
\teditor = false
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[credential]
\thelper =
[push]
\tdefault = nothing
[filter "lfs"]
\tsmudge =
\tclean =
\tprocess =
\trequired = false
"""
_MAX_REFS = 20_000


def make_empty_repository(git: Git | None, folder: Path) -> None:
    """A repository without a commit: it keeps tools from finding one further up. A problem is no failure."""
    if git is not None:
        _init(git, folder, "sha1")


def make_repository(source: Repository, root: Path, folder: Path, *, has: Callable[[str], bool]) -> None:
    """A repository at `folder` with the history, refs and index of `source`. Raises CannotCopy.

    For a root below the top of its repository the history is one commit of that part. `has` tells what the copy
    leaves out: its entries stay in the index and are not expected in the work tree.
    """
    if not _init(source.git, folder, source.object_format):
        raise CannotCopy("git cannot make a repository for it")
    _share_objects(source, folder)
    if source.prefix:
        _commit_of_part(source, folder)
    else:
        _copy_refs(source, folder)
    entries = index_entries(source.git, root)
    if entries is None or not _write_index(source.git, folder, entries, has):
        raise CannotCopy("git cannot write its index")


def _init(git: Git, folder: Path, object_format: str) -> bool:
    made = git.run(folder, "init", "--quiet", "--template=", f"--object-format={object_format}", ".")
    if made.exit_status != 0:
        return False
    with (folder / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(_CONFIG)
    return True


def _share_objects(source: Repository, folder: Path) -> None:
    info = folder / ".git" / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{source.objects}\n", encoding="utf-8", errors="surrogateescape")
    own = folder / ".git" / "info"
    own.mkdir(exist_ok=True)
    _copy_if_there(source.common_dir / "info" / "exclude", own / "exclude")
    _copy_if_there(source.common_dir / "shallow", folder / ".git" / "shallow")


def _copy_if_there(source: Path, target: Path) -> None:
    if source.is_file() and not source.is_symlink():
        shutil.copyfile(source, target)


def _copy_refs(source: Repository, folder: Path) -> None:
    told = source.git.ask(
        source.top,
        "for-each-ref",
        f"--count={_MAX_REFS}",
        "--format=%(objectname) %(refname)",
        "refs/heads",
        "refs/tags",
        "refs/remotes",
    )
    lines = sorted((told or "").splitlines(), key=lambda line: line.partition(" ")[2])
    packed = folder / ".git" / "packed-refs"
    packed.write_text("".join(f"{line}\n" for line in lines if " " in line), encoding="utf-8", errors="surrogateescape")  # fmt: skip
    branch = source.git.ask(source.top, "symbolic-ref", "--quiet", "HEAD")
    commit = source.git.ask(source.top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    head = f"ref: {branch}" if branch else commit
    if head:
        (folder / ".git" / "HEAD").write_text(f"{head}\n", encoding="utf-8", errors="surrogateescape")


def _commit_of_part(source: Repository, folder: Path) -> None:
    tree = source.git.ask(source.top, "rev-parse", "--verify", "--quiet", f"HEAD:{source.prefix.rstrip('/')}")
    if not tree:
        return
    commit = source.git.ask(
        folder, "commit-tree", "-m", "The part of a repository that is under review", tree
    )
    if commit:
        source.git.run(folder, "update-ref", "HEAD", commit)


def _write_index(git: Git, folder: Path, entries: list[IndexEntry], has: Callable[[str], bool]) -> bool:
    lines = [f"{one.mode} {one.object_id} {one.stage}\t{one.path}\0" for one in entries]
    content = "".join(lines).encode("utf-8", "surrogateescape")
    if git.run(folder, "update-index", "-z", "--index-info", stdin=content).exit_status != 0:
        return False
    absent = [one.path for one in entries if one.stage == "0" and has(one.path)]
    if not absent:
        return True
    names = "".join(f"{path}\0" for path in absent).encode("utf-8", "surrogateescape")
    return git.run(folder, "update-index", "--skip-worktree", "-z", "--stdin", stdin=names).exit_status == 0
