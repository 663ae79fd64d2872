"""Which lines of a file a change touched, and where a place in the code stands to them.

Read for the cited files alone, after the reviewers answered; the size of a diff costs nothing before.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msd_review.change.model import NEAR_LINES, Change, ChangedFile, Hunk, Hunks, Placement
from msd_review.change.repository import Checkout
from msd_review.change.scope import DIFF, RENAMES
from msd_review.lazy import regex

_HUNK = regex(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_ESCAPED = regex(rb"\\([0-7]{3}|.)", re.DOTALL)
_PATHS_AT_ONCE = 400


def read_hunks(checkout: Checkout, change: Change, paths: Collection[str]) -> Hunks:
    """The changed lines of those files of the change that are in `paths`."""
    files = [file for file in change.files if file.path in paths]
    whole = frozenset(file.path for file in files if file.kind in {"added", "untracked"})
    asked = [file for file in files if file.path not in whole and file.kind != "deleted"]
    found: dict[str, tuple[Hunk, ...]] = {}
    for at in range(0, len(asked), _PATHS_AT_ONCE):
        found.update(_read(checkout, change, asked[at : at + _PATHS_AT_ONCE]))
    return Hunks(by_path=found, whole=whole)


def by_name(change: Change) -> dict[str, ChangedFile]:
    """The files of a change by their path, and by the path that they had before."""
    former = {file.old_path: file for file in change.files if file.old_path is not None}
    return {**former, **{file.path: file for file in change.files}}


def placement(
    path: str, first: int | None, last: int | None, *, files: Mapping[str, ChangedFile], hunks: Hunks
) -> Placement:
    """Where lines of a file stand to the change: in changed lines, near them (10 lines), or elsewhere.

    `files` are those of the change (`by_name`). A changed file that is cited without a line is near; one that is new, or deleted, is changed in every line.
    """
    file = files.get(path)
    if file is None:
        return "elsewhere"
    if path in hunks.whole or file.kind == "deleted":
        return "changed"
    if first is None:
        return "near"
    end = max(first, last or first)
    distances = [max(hunk.first - end, first - hunk.last, 0) for hunk in hunks.by_path.get(file.path, ())]
    nearest = min(distances, default=None)
    if nearest is None or nearest > NEAR_LINES:
        return "elsewhere"
    return "changed" if nearest == 0 else "near"


def _read(
    checkout: Checkout, change: Change, files: Sequence[ChangedFile]
) -> Iterator[tuple[str, tuple[Hunk, ...]]]:
    names = dict.fromkeys(name for file in files for name in (file.path, file.old_path) if name)
    cached = ("--cached",) if change.staged else ()
    # As text whatever attributes say, since those may be the change's own; without what a configuration adds.
    shape = ("--text", "-U0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
    done = checkout.run(*DIFF, *RENAMES, *shape, *cached, change.base, "--", *names)
    if done.exit_status == 0 and not done.is_cut:
        yield from parse_patch(done.stdout)


def parse_patch(patch: bytes) -> Iterator[tuple[str, tuple[Hunk, ...]]]:
    """Path → changed lines, of a patch without context. The lines of a hunk are counted, so that none poses as a header."""
    path: str | None = None
    hunks: list[Hunk] = []
    skip = 0
    for line in patch.split(b"\n"):
        if skip and not line.startswith(b"\\"):
            skip -= 1
        elif match := _HUNK.match(line):
            removed, first, added = (int(part) if part else 1 for part in match.groups())
            skip = removed + added
            # A pure deletion stands between two lines: both are its neighbours.
            hunks.append(Hunk(first, first + added - 1) if added else Hunk(first, first + 1))
        elif line.startswith(b"diff --git "):
            if path is not None:
                yield path, tuple(hunks)
            path, hunks = None, []
        elif line.startswith(b"+++ "):
            path = _new_path(line[4:])
    if path is not None:
        yield path, tuple(hunks)


def _new_path(written: bytes) -> str | None:
    """The path of a `+++` line, unquoted; None for /dev/null."""
    if written.startswith(b'"'):
        written = _ESCAPED.sub(_unescaped, written.rstrip(b"\t")[1:-1])
    else:
        written = written.removesuffix(b"\t")
    return os.fsdecode(written[2:]) if written.startswith(b"b/") else None


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPES.get(code, code)
