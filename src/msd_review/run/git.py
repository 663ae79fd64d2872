"""git, asked about the reviewed tree and told to make repositories of ours: bounded, and without what either could run.

A repository's configuration can name programs: hooks, fsmonitor, filters, external diffs. Those that our commands
could start are switched off on the command line; no command of ours checks anything out, so no filter runs.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msd_review.edges import environ
from msd_review.edges.process import Captured, capture_blocking
from msd_review.edges.programs import find_binary

SECONDS = 60.0
LISTING_BYTES = 256 * 1024 * 1024
_MAX_DEPTH = 8  # repositories inside repositories
_GITLINK = "160000"
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.commitGraph=false",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "advice.graftFileDeprecated=false",
)
_KEPT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")  # fmt: skip
_SET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}
# Who makes the one commit that a copy of a part of a repository starts from: always the same bytes.
_IDENTITY = {
    "GIT_AUTHOR_NAME": "msd",
    "GIT_AUTHOR_EMAIL": "msd@localhost",
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_COMMITTER_NAME": "msd",
    "GIT_COMMITTER_EMAIL": "msd@localhost",
    "GIT_COMMITTER_DATE": "@0 +0000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """The git to use: its absolute path and its complete environment."""

    binary: Path
    env: Mapping[str, str]

    def run(self, folder: Path, *arguments: str, stdin: bytes | None = None) -> Captured:
        """One bounded command in `folder`; a failure is in the result."""
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        return capture_blocking(
            (str(self.binary), *settings, *arguments),
            env=self.env,
            cwd=folder,
            timeout_s=SECONDS,
            limit_bytes=LISTING_BYTES,
            stdin=stdin,
        )

    def ask(self, folder: Path, *arguments: str, stdin: bytes | None = None) -> str | None:
        """What a command printed, whole and without its last newline; None where it failed."""
        done = self.run(folder, *arguments, stdin=stdin)
        if done.exit_status != 0 or done.is_cut:
            return None
        return os.fsdecode(done.stdout).removesuffix("\n")


def find_git(root: Path) -> Git | None:
    """The user's git, None where there is none; never one that lies in the reviewed tree."""
    binary = find_binary("git", path=environ.get("PATH"), repo_root=root)
    if binary is None:
        return None
    kept = {name: value for name in _KEPT if (value := environ.get(name)) is not None}
    return Git(binary=binary, env={**kept, **_SET, **_IDENTITY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A work tree: its top folder, where `root` lies in it ("" at the top, else "sub/"), and its git folders."""

    git: Git
    top: Path
    prefix: str
    git_dir: Path
    common_dir: Path
    objects: Path
    object_format: str


def find_repository(git: Git | None, root: Path) -> Repository | None:
    """The repository whose work tree holds `root`; None where there is none, or git refuses to say."""
    if git is None:
        return None
    told = git.ask(
        root,
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--absolute-git-dir",
        "--git-common-dir",
        "--git-path",
        "objects",
        "--show-object-format",
        "--show-prefix",
    )
    lines = (told or "").split("\n")
    if len(lines) not in {5, 6} or not all(lines[:5]):
        return None
    return Repository(
        git=git,
        top=Path(lines[0]),
        git_dir=Path(lines[1]),
        common_dir=Path(lines[2]),
        objects=Path(lines[3]),
        object_format=lines[4],
        prefix=lines[5] if len(lines) == 6 else "",
    )


def listed_files(git: Git, root: Path, *, depth: int = 0) -> list[str] | None:
    """Tracked files, and untracked ones that are not ignored, below `root`, those of repositories inside included.

    Relative paths with forward slashes; bytes that are no UTF-8 as surrogates. None where git cannot say.
    """
    told = git.ask(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    index = index_entries(git, root)
    if told is None or index is None:
        return None
    modules = {entry.path for entry in index if entry.mode == _GITLINK}
    names: list[str] = []
    for name in filter(None, told.split("\0")):
        if not name.endswith("/") and name not in modules:
            names.append(name)
        elif depth < _MAX_DEPTH and (root / name / ".git").exists() and not (root / name).is_symlink():
            inside = listed_files(git, root / name, depth=depth + 1) or []
            names.extend(f"{name.rstrip('/')}/{below}" for below in inside)
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One entry of an index; `stage` is 0 but in a conflict."""

    mode: str
    object_id: str
    stage: str
    path: str


def index_entries(git: Git, root: Path) -> list[IndexEntry] | None:
    """The index below `root`, paths relative to it; None where git cannot say."""
    told = git.ask(root, "ls-files", "-z", "--stage")
    if told is None:
        return None
    found = []
    for line in filter(None, told.split("\0")):
        facts, _, path = line.partition("\t")
        mode, object_id, stage = facts.split(" ")
        found.append(IndexEntry(mode=mode, object_id=object_id, stage=stage, path=path))
    return found
