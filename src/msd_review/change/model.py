"""What changed in a repository, as values: facts that git tells, never a file's content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ChangeKind = Literal[
    "added", "modified", "deleted", "renamed", "copied", "type changed", "untracked", "unmerged"
]
Depth = Literal["quick", "standard", "deep"]
Placement = Literal["changed", "near", "elsewhere"]
DEPTHS: tuple[Depth, ...] = ("quick", "standard", "deep")
NEAR_LINES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file of a change.

    Paths are relative to the root, with forward slashes; bytes that are no UTF-8 are lone surrogates. `added` and
    `removed` count lines, None where git cannot say (binary, untracked). `generated` says why a file counts as
    generated, "" for one that people write.
    """

    path: str
    kind: ChangeKind
    old_path: str | None = None
    added: int | None = None
    removed: int | None = None
    is_binary: bool = False
    is_submodule: bool = False
    is_link: bool = False
    generated: str = ""

    @property
    def note(self) -> str:
        """What a reader must know before opening the file; "" for a plain text file."""
        if self.is_submodule:
            return "submodule"
        if self.is_link:
            return "symbolic link"
        return "binary" if self.is_binary else self.generated


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is reviewed: the difference between `base` and the working tree, or the index.

    `base` is the commit that is compared with (the empty tree's id before the first commit), `base_name` what a person
    calls it; `policy_commit` is the tip that the gate's policy is read from, None where there is no commit yet;
    `head` is what is checked out. `left_out` are files of ours that are no part of the change.
    """

    root: Path
    base: str
    base_name: str
    policy_commit: str | None
    head: str | None
    staged: bool
    files: tuple[ChangedFile, ...]
    paths: tuple[str, ...] = ()  # what the person narrowed it to
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def until(self) -> str:
        """What is compared with the base, in words."""
        return "the index" if self.staged else "the working tree"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `first` to `last` of a file as it is now (1-based, both included) that a change touched."""

    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunks:
    """Path → its changed lines. A path in `whole` changed altogether; one in neither was not looked up or told nothing."""

    by_path: Mapping[str, tuple[Hunk, ...]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
