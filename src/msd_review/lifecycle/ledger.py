"""What was installed in a scope, and from where: `ledger.json`, the commit point of every change.

Invariants
- A capability is installed when, and only when, the ledger says so; everything before that is undone.
- A project's ledger may have come with a clone: it is read as a stranger's file. Ids and paths in it are
  checked, so that nothing outside a capability's own folder can be named; it is never a consent.
- Written whole or not at all, by the holder of the lock.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from msd_review.edges import files
from msd_review.errors import StoreError
from msd_review.manifest.vocabulary import ID_PATTERN

SCHEMA = "msd.ledger/1"
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One installed capability. `spec` is what was asked for, the rest what it came to."""

    id: str
    version: str
    spec: str
    kind: str
    resolved: str  # a commit, a version, or ""
    integrity: str | None
    content_hash: str
    signature: str
    files: tuple[str, ...]  # paths in its folder
    time: str
    tool_version: str
    transaction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The entries of one scope, by id; `warnings` name those that could not be read."""

    entries: Mapping[str, Entry]
    warnings: tuple[str, ...] = ()

    def entry(self, identity: str) -> Entry | None:
        """The entry of a capability, None where it was not installed."""
        return self.entries.get(identity)

    def with_entry(self, entry: Entry) -> "Ledger":
        """This ledger with one entry more, or another one."""
        return replace(self, entries={**self.entries, entry.id: entry})

    def without(self, identity: str) -> "Ledger":
        """This ledger without one entry."""
        return replace(self, entries={name: one for name, one in self.entries.items() if name != identity})


def load_ledger(path: Path) -> Ledger:
    """The ledger at `path`, empty where there is none. Raises StoreError for one that cannot be read."""
    try:
        if path.is_symlink():
            raise StoreError(f"{path} is a link; a ledger is none", hint="look where it leads, and remove it")
        document = json.loads(files.read_bounded(path, MAX_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return Ledger(entries={})
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror or problem}") from None
    except (ValueError, RecursionError):
        raise StoreError(
            f"{path} is not valid JSON", hint="mend it by hand, or remove it and install anew"
        ) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise StoreError(f"{path} is no ledger of this version ({SCHEMA})")
    return _decode(document.get("entries"), path)


def save_ledger(path: Path, ledger: Ledger) -> None:
    """Writes a ledger whole. Raises StoreError."""
    document = {
        "schema": SCHEMA,
        "entries": [asdict(ledger.entries[name]) for name in sorted(ledger.entries)],
    }
    try:
        files.write_atomic(path, (json.dumps(document, indent=1) + "\n").encode())
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from None


def encode_entry(entry: Entry) -> dict[str, Any]:
    """An entry as JSON."""
    return asdict(entry)


_TEXTS = (
    "id",
    "version",
    "spec",
    "kind",
    "resolved",
    "content_hash",
    "signature",
    "time",
    "tool_version",
    "transaction",
)


def decode_entry(value: Any) -> Entry | None:
    """The entry in a JSON value, None for one that is not whole or names what it may not."""
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in _TEXTS):
        return None
    integrity, listed = value.get("integrity"), value.get("files")
    if not (integrity is None or isinstance(integrity, str)) or not isinstance(listed, list):
        return None
    if re.fullmatch(ID_PATTERN, value["id"]) is None or not all(map(is_inside, listed)):
        return None
    texts = {name: value[name] for name in _TEXTS}
    return Entry(**texts, integrity=integrity, files=tuple(listed))


def is_inside(path: Any) -> bool:
    """Whether `path` names something inside a folder and nothing else."""
    if not isinstance(path, str) or not path or "\0" in path or "\\" in path:
        return False
    return all(part not in {"", ".", ".."} for part in path.split("/"))


def _decode(listed: Any, path: Path) -> Ledger:
    values = listed if isinstance(listed, list) else [listed]
    found = [decode_entry(value) for value in values]
    entries = {entry.id: entry for entry in found if entry is not None}
    lost = len(values) - len(entries)
    warning = f"{path}: {lost} of {len(values)} entries cannot be read and are passed over"
    return Ledger(entries=entries, warnings=(warning,) if lost else ())
