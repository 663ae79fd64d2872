"""What changed: the files between a base and the working tree (or the index), each with what git knows of it."""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from msd_review.change.base import find_base
from msd_review.change.generated import generated_files
from msd_review.change.model import Change, ChangedFile, ChangeKind
from msd_review.change.repository import Checkout
from msd_review.edges import files
from msd_review.errors import UsageError

# Beyond this many candidates git looks for exact renames alone; its work grows with the square.
_RENAME_LIMIT = 1_000
DIFF = (
    *("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative"),
    *("--ignore-submodules=dirty", "--submodule=short"),
)
RENAMES = ("--find-renames=50%", f"-l{_RENAME_LIMIT}")
_KINDS: dict[str, ChangeKind] = {
    "A": "added", "M": "modified", "D": "deleted", "R": "renamed", "C": "copied", "T": "type changed", "U": "unmerged",
}  # fmt: skip
_SUBMODULE, _LINK = "160000", "120000"
_SCRATCH = ".msd/tmp/"
_LOOKED_AT = 8_000  # bytes: as many as git itself looks at


def read_change(
    checkout: Checkout,
    *,
    base: str | None = None,
    staged: bool = False,
    paths: Sequence[Path] = (),
    ours: Collection[str] = (),
) -> Change:
    """The change of a work tree. `paths` narrow it; `ours` are reports of ours, which are no part of it while untracked.

    Raises InputError or UsageError: no base that can be reached, or a path outside the project or that is nowhere.
    """
    narrowed = tuple(dict.fromkeys(relative_path(checkout.root, path) for path in paths))
    found = find_base(checkout, base, staged=staged)
    changed = list(_tracked(checkout, found.commit, staged=staged, paths=narrowed))
    untracked = [] if staged else list(_untracked(checkout, narrowed))
    own = [file.path for file in untracked if file.path in ours or file.path.startswith(_SCRATCH)]
    changed += (file for file in untracked if file.path not in own)
    _check_paths(checkout.root, narrowed, changed)
    why = generated_files(checkout, [file.path for file in changed], commit=found.tip)
    return Change(
        root=checkout.root,
        base=found.commit,
        base_name=found.name,
        policy_commit=found.tip,
        head=checkout.commit("HEAD"),
        staged=staged,
        files=tuple(
            sorted(
                (replace(file, generated=why.get(file.path, "")) for file in changed),
                key=lambda file: file.path,
            )
        ),
        paths=narrowed,
        warnings=tuple(_not_staged(checkout, changed)) if staged else (),
        left_out=tuple(path for path in own if not path.startswith(_SCRATCH)),
    )


def relative_path(root: Path, path: Path) -> str:
    """A path that a person names, relative to the root. Raises UsageError for one outside the project.

    Folders on the way are followed, the last part is not: a link is judged where it lies.
    """
    if any(ord(char) < 32 for char in str(path)):
        raise UsageError(
            f"{str(path)!r} holds control characters and cannot be named", hint="name its folder"
        )
    absolute = path.absolute()
    name = absolute.name if absolute.name not in {"", ".", ".."} else ""
    place = Path(os.path.realpath(absolute.parent), name) if name else Path(os.path.realpath(absolute))
    try:
        return place.relative_to(os.path.realpath(root)).as_posix()
    except ValueError:
        raise UsageError(f"{path} lies outside the project {root}") from None


def pathspec(paths: Sequence[str]) -> tuple[str, ...]:
    """The end of a git command that narrows it to paths; nothing where there are none."""
    return ("--", *paths) if paths and "." not in paths else ()


def _check_paths(root: Path, paths: Sequence[str], files: Sequence[ChangedFile]) -> None:
    names = [name for file in files for name in (file.path, file.old_path) if name]
    for path in paths:
        known = os.path.lexists(root / path) or any(
            name == path or name.startswith(f"{path}/") for name in names
        )
        if not known:
            raise UsageError(f"{path}: there is no such file, and none of that name was changed")


def _not_staged(checkout: Checkout, changed: Sequence[ChangedFile]) -> Iterator[str]:
    """Reviewers read the working tree: it is told where that is not what is staged."""
    names = set(checkout.fields(*DIFF, "--name-only", "-z"))
    differing = [file.path for file in changed if file.path in names]
    if differing:
        more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
        yield f"the working tree, which reviewers read, is not what is staged: {', '.join(differing[:5])}{more}"


def _tracked(checkout: Checkout, base: str, *, staged: bool, paths: Sequence[str]) -> Iterator[ChangedFile]:
    cached = ("--cached",) if staged else ()
    fields = checkout.fields(*DIFF, *RENAMES, "--raw", "--numstat", "-z", *cached, base, *pathspec(paths))
    rows, rest = _raw_rows(fields)
    counts = dict(_counts(rest))
    for kind, modes, old, path in rows:
        added, removed = counts.get(path, (None, None))
        is_submodule = _SUBMODULE in modes
        yield ChangedFile(
            path=path,
            kind=kind,
            old_path=old,
            added=added,
            removed=removed,
            is_binary=path in counts
            and added is None
            and not is_submodule
            and not _is_text(checkout.root, path),
            is_submodule=is_submodule,
            is_link=_LINK in modes,
        )


def _is_text(root: Path, path: str) -> bool:
    """Whether a file that git calls binary holds text all the same: its attributes may be the change's own word."""
    try:
        return b"\0" not in files.read_head(root / path, _LOOKED_AT)
    except OSError:
        return False


Row = tuple[ChangeKind, tuple[str, str], str | None, str]


def _raw_rows(fields: list[str]) -> tuple[list[Row], list[str]]:
    """The rows of `--raw -z`, and the fields behind them. One path once: a conflict lists it several times."""
    rows: dict[str, Row] = {}
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        facts = fields[at][1:].split(" ")
        kind = _KINDS.get(facts[4][:1], "modified")
        has_two = kind in {"renamed", "copied"}
        old, path = (fields[at + 1], fields[at + 2]) if has_two else (None, fields[at + 1])
        if path not in rows or kind == "unmerged":
            rows[path] = (kind, (facts[0], facts[1]), old, path)
        at += 3 if has_two else 2
    return list(rows.values()), fields[at:]


def _counts(fields: list[str]) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    """Path → lines added and removed, of `--numstat -z`; None for what has no lines."""
    at = 0
    while at < len(fields):
        added, tab, rest = fields[at].partition("\t")
        if not tab:
            at += 1
            continue
        removed, _, path = rest.partition("\t")
        if not path:
            path, at = fields[at + 2], at + 2
        yield path, (int(added) if added.isdigit() else None, int(removed) if removed.isdigit() else None)
        at += 1


def _untracked(checkout: Checkout, paths: Sequence[str]) -> Iterator[ChangedFile]:
    names = checkout.fields("ls-files", "--others", "--exclude-standard", "-z", *pathspec(paths))
    for name in filter(None, names):
        is_repository = name.endswith("/")
        path = name.rstrip("/")
        yield ChangedFile(
            path=path,
            kind="untracked",
            is_submodule=is_repository,
            is_link=(checkout.root / path).is_symlink(),
        )
