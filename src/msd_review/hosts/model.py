"""What a host declares, what would be written into it, and what was: frozen types, no IO.

`Host` and `Registration` come from a manifest, `Wanted*` from a host and a scope, `Seen` from the disk, `Change` from
both, and the records are what the ledger keeps of a change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msd_review.hosts.edit import Edit
from msd_review.manifest.model import Artifact, ConfigHome

Scope = Literal["global", "project"]
Format = Literal["json", "toml"]
Base = Literal["config-home", "config-parent", "home", "home-unless-moved", "project", "local-config-dir"]
Action = Literal["create", "change", "remove", "unchanged", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A settings file: the folder that it is in, by its role, and its path there."""

    base: Base
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """Where and how a host lists its MCP servers. Of several spots the first file that exists is the one, else the last."""

    format: Format
    path: tuple[str, ...]  # keys that lead to the table of servers
    shape: Literal["command-and-args", "command-list"]
    constants: Mapping[str, str | bool]
    spots: Mapping[Scope, tuple[Spot, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A tool that msd can be installed into. `call` is how its commands are typed, with `{name}` in it."""

    id: str
    title: str
    slug: str | None  # the lane of the same tool
    binary: str | None  # its program, where the lane tells
    home: ConfigHome
    local_dir: str
    layout: Mapping[Scope, tuple[Artifact, ...]]
    call: str
    registration: Registration | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """This machine and this project: absolute folders, and the environment. `program` is how `msd mcp` is started."""

    home: Path
    msd_home: Path
    project: Path | None
    environment: Mapping[str, str]
    program: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFile:
    """A file of msd's own."""

    path: Path
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedEntry:
    """An entry in a settings file that others write too."""

    path: Path
    format: Format
    keys: tuple[str, ...]
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One host in one scope: `base` is the config home or the project's root, `inside` what nothing may leave."""

    host: Host
    scope: Scope
    base: Path
    inside: Path | None
    files: tuple[WantedFile, ...]
    entries: tuple[WantedEntry, ...]
    calls: tuple[str, ...]  # how the commands are typed


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A path as it is: where links lead, what is there (None for nothing), and its permission bits."""

    real: Path
    content: bytes | None
    mode: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file that msd made, and the SHA-256 of what it put there."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRecord:
    """An entry that msd made: `edit` and the hashes give the file back as it was, `before` None where there was none.

    `parents` counts the objects that were made around it.
    """

    path: str
    format: Format
    keys: tuple[str, ...]
    value: Mapping[str, Any]
    parents: int
    before: str | None
    after: str
    edit: Edit


Record = FileRecord | EntryRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happens to one file. `kept` is a file or entry that msd does not touch, since a person wrote it.

    `record` is what the ledger is to hold of it afterwards, None for nothing; `note` says more for people.
    """

    path: Path
    seen: Seen
    action: Action
    after: bytes | None
    record: Record | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One host in one scope as the ledger has it. `writer` is the process of an install that has not ended, else None."""

    host: str
    scope: Scope
    base: str
    files: tuple[FileRecord, ...]
    entries: tuple[EntryRecord, ...]
    folders: tuple[str, ...]  # made by msd, outermost first
    writer: int | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others."""
        return self.host, self.scope, self.base

    @property
    def records(self) -> "tuple[Record, ...]":
        """Everything that msd wrote."""
        return (*self.files, *self.entries)


def records_of(records: Sequence[Record]) -> tuple[tuple[FileRecord, ...], tuple[EntryRecord, ...]]:
    """The records of files, and those of entries."""
    files = tuple(one for one in records if isinstance(one, FileRecord))
    return files, tuple(one for one in records if isinstance(one, EntryRecord))
