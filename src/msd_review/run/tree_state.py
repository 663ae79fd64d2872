"""What the reviewed tree is like, before and after reviewers worked in it, and what differs.

Looked at: every file that git lists (all there are without git), the planning folder, what configures agents or
holds secrets even where git ignores it, the index, the refs, and the parts of the git folder that can make git run
something: hooks, configuration, attributes. Nothing is written, and nothing of the repository runs.

A content is compared by hash, never by time stamps alone: a tool that only touches a file, or git that refreshes
its index, has changed nothing. Files beyond the bounds are compared by size and change time.
"""

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from msd_review.lazy import regex
from msd_review.run.clone import CannotCopy, Tally, copy_file
from msd_review.run.fingerprint import Fingerprints
from msd_review.run.git import Repository, find_git, find_repository, index_entries, listed_files
from msd_review.run.left_out import OURS, REBUILT, LeftOut, left_out, matching

Area = Literal["file", "index", "ref", "hook", "configuration"]

_MAX_FILES = 300_000
_MAX_WATCHED = 5_000
_MAX_KEPT = 64 * 1024 * 1024
_MAX_KEPT_FILES = 2_000
_SKIPPED = matching((*REBUILT, *OURS))
_REPORT = regex(r"(?:^|[-./])REVIEWS\.(?:md|json|sarif|html)$")
_GIT_FILES = ("config", "config.worktree", "info/attributes", "info/exclude", "objects/info/alternates")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """Name → fingerprint in each area. `content_key` identifies what a reviewer can read of the tree.

    `tracked_as_is` are the files that held exactly what the index has for them: git can bring them back. `kept`
    maps others to where their content was put aside.
    """

    root: Path
    content_key: str
    files: Mapping[str, str] = field(default_factory=dict)
    index: Mapping[str, str] = field(default_factory=dict)
    refs: Mapping[str, str] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    configuration: Mapping[str, str] = field(default_factory=dict)
    tracked_as_is: frozenset[str] = frozenset()
    kept: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference; `undo` is what a person can do about it."""

    area: Area
    name: str
    kind: Literal["added", "changed", "removed"]
    undo: str

    def __str__(self) -> str:
        what = self.name if self.area == "file" else f"{self.area} {self.name}"
        return f"{what} {self.kind} ({self.undo})"


def tree_state(root: Path, *, agent_config: Iterable[str] = (), keep: Path | None = None) -> TreeState:
    """The state of the tree now. Never raises: what cannot be read counts by its kind and size.

    With `keep`, files whose content git does not have are copied below it, within bounds, so that what a reviewer
    does to them can be undone.
    """
    repository = find_repository(find_git(root), root)
    names = listed_files(repository.git, root) if repository is not None else None
    listed = names if names is not None else list(_walk(root, limit=_MAX_FILES))
    watched = _watched(root, left_out(agent_config, keep_agent_config=False))
    hashed = Fingerprints(object_format=repository.object_format if repository is not None else "sha1")
    wanted = sorted({*listed[:_MAX_FILES], *watched})
    files = {
        name: hashed.fingerprint(root, name)
        for name in wanted
        if os.path.lexists(root / name) and not _SKIPPED.has(name)
    }
    index = _index(repository, root)
    as_is = frozenset(name for name, (_, blob) in index.items() if hashed.blobs.get(name) == blob)
    return TreeState(
        root=root,
        content_key=_content_key(files),
        files=files,
        index={name: entry for name, (entry, _) in index.items()},
        refs=_refs(repository),
        hooks=_git_files(repository, "hooks", hashed),
        configuration=_configuration(repository, hashed),
        tracked_as_is=as_is,
        kept=keep_files(root, keep, [name for name in hashed.blobs if name in files and name not in as_is])
        if keep is not None
        else {},
    )


def tree_key(root: Path) -> str:
    """`sha256-…` of the names and contents that a reviewer can read: equal for equal trees, wherever they lie."""
    return tree_state(root).content_key


def changes(before: TreeState, after: TreeState, *, ours: Iterable[str] = ()) -> tuple[Change, ...]:
    """What differs between two states of one tree; `ours` are paths of files that we write ourselves."""
    own = tuple(path.rstrip("/") for path in ours)
    found = [
        change
        for change in _differences("file", before.files, after.files)
        if not any(change.name == path or change.name.startswith(f"{path}/") for path in own)
    ]
    told = [_with_undo(change, before) for change in found]
    told += _differences("index", before.index, after.index)
    told += _differences("ref", before.refs, after.refs)
    told += _differences("hook", before.hooks, after.hooks)
    told += _differences("configuration", before.configuration, after.configuration)
    return tuple(told)


def changes_between(before: TreeState, after: TreeState, *, ours: Iterable[str] = ()) -> tuple[str, ...]:
    """`changes`, each as one line for a person: what, how, and how to undo it."""
    return tuple(map(str, changes(before, after, ours=ours)))


def _differences(area: Area, before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    found = []
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            kind: Literal["added", "changed", "removed"] = (
                "added" if old is None else "removed" if new is None else "changed"
            )
            undo = _undo(area, name, kind, old=old)
            found.append(Change(area=area, name=name, kind=kind, undo=undo))
    return found


def _undo(area: Area, name: str, kind: str, *, old: str | None) -> str:
    quoted = shlex.quote(name)
    if area == "ref":
        if name == "HEAD":
            return f"was {old}: git checkout {shlex.quote((old or '').removeprefix('refs/heads/'))}"
        return f"git update-ref -d {quoted}" if kind == "added" else f"git update-ref {quoted} {old}"
    if area == "index":
        return f"git restore --staged -- {quoted}" if kind != "removed" else f"git reset -- {quoted}"
    if area in {"hook", "configuration"}:
        return (
            f"look at {quoted} before you run git again" if kind != "removed" else "restore it from a backup"
        )
    return (
        f"rm -- {quoted}" if kind == "added" else "its content before is not in git: restore it from a backup"
    )


def _with_undo(change: Change, before: TreeState) -> Change:
    name, kept = shlex.quote(change.name), before.kept.get(change.name)
    if change.kind == "added":
        return change
    if change.name in before.tracked_as_is:
        return replace(change, undo=f"git restore -- {name}")
    if kept is not None:
        return replace(change, undo=f"cp -- {shlex.quote(str(kept))} {name}")
    return change


def keep_files(root: Path, folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Copies files of the tree below `folder`, as far as the bounds and the disk allow; name → where it is."""
    tally = Tally(max_files=_MAX_KEPT_FILES, max_bytes=_MAX_KEPT)
    kept: dict[str, Path] = {}
    for name in names:
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if copy_file(root / name, target, tally):
                kept[name] = target
        except (OSError, CannotCopy):
            return kept
    return kept


def _content_key(files: Mapping[str, str]) -> str:
    """Reports that msd itself writes are no content: a second look at the same tree gives the same key."""
    digest = hashlib.sha256()
    for name, fingerprint in files.items():
        if _REPORT.search(name):
            continue
        for text in (name, fingerprint):
            content = text.encode("utf-8", "surrogateescape")
            digest.update(len(content).to_bytes(8, "big") + content)
    return f"sha256-{digest.hexdigest()}"


def _walk(root: Path, *, start: str = "", limit: int) -> Iterator[str]:
    waiting, count = [start], 0
    while waiting and count < limit:
        current = waiting.pop()
        for name, is_folder in _entries(root, current):
            if _SKIPPED.has(name):
                continue
            if is_folder:
                waiting.append(name)
            else:
                count += 1
                yield name


def _entries(root: Path, folder: str) -> list[tuple[str, bool]]:
    try:
        with os.scandir(root / folder) as entries:
            listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    return sorted((f"{folder}/{name}" if folder else name, is_folder) for name, is_folder in listed)


def _watched(root: Path, agents: LeftOut) -> list[str]:
    """What git may ignore and a reviewer must not touch: plans, our own files, agents' configuration, environments."""
    found: list[str] = []
    for name, is_folder in _entries(root, ""):
        if name not in {".planning", ".msd"} and not agents.has(name):
            continue
        if is_folder:
            found.extend(_walk(root, start=name, limit=_MAX_WATCHED))
        else:
            found.append(name)
    return found[:_MAX_WATCHED]


def _index(repository: Repository | None, root: Path) -> dict[str, tuple[str, str]]:
    """Path → (mode, object and stage as one text, object); conflicts are told under their stages."""
    entries = index_entries(repository.git, root) if repository is not None else None
    found = {}
    for one in entries or ():
        name = one.path if one.stage == "0" else f"{one.path} (stage {one.stage})"
        found[name] = (f"{one.mode} {one.object_id}", one.object_id)
    return found


def _refs(repository: Repository | None) -> dict[str, str]:
    if repository is None:
        return {}
    told = repository.git.ask(repository.top, "for-each-ref", "--format=%(refname) %(objectname)") or ""
    refs = dict(line.rpartition(" ")[::2] for line in told.splitlines())
    head = repository.git.ask(repository.top, "symbolic-ref", "--quiet", "HEAD")
    return {**refs, "HEAD": head or repository.git.ask(repository.top, "rev-parse", "HEAD") or ""}


def _git_files(repository: Repository | None, folder: str, hashed: Fingerprints) -> dict[str, str]:
    if repository is None:
        return {}
    base = repository.common_dir
    return {
        f".git/{name}": hashed.fingerprint(base, name)
        for name, is_folder in _entries(base, folder)
        if not is_folder and not name.endswith(".sample")
    }


def _configuration(repository: Repository | None, hashed: Fingerprints) -> dict[str, str]:
    if repository is None:
        return {}
    base = repository.common_dir
    modules = [f"{name}/config" for name, is_folder in _entries(base, "modules") if is_folder]
    names = [name for name in (*_GIT_FILES, *modules) if os.path.lexists(base / name)]
    return {f".git/{name}": hashed.fingerprint(base, name) for name in names}
