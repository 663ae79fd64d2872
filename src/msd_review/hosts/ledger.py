"""What msd wrote into hosts: `$MSD_HOME/hosts.json`, for both scopes, in the person's own folder.

A project's files are shared; who wrote them on this machine is not. The ledger is written before the files are, so that
a crash leaves nothing of msd's that it does not know, and it holds no copy of a settings file, which may hold keys: a
hash and the one edit give such a file back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from msd_review.edges import files
from msd_review.errors import StoreError
from msd_review.hosts.edit import Edit
from msd_review.hosts.model import EntryRecord, FileRecord, Format, Installation, Scope

SCHEMA = "msd.host-ledger/1"
MAX_BYTES = 16 * 1024 * 1024


def ledger_path(msd_home: Path) -> Path:
    """Where the ledger is."""
    return msd_home / "hosts.json"


def load_ledger(msd_home: Path) -> tuple[Installation, ...]:
    """Every installation, () where there is none. Raises StoreError for a ledger that cannot be read."""
    path = ledger_path(msd_home)
    try:
        document = json.loads(files.read_bounded(path, MAX_BYTES))
        if document["schema"] != SCHEMA:
            raise StoreError(f"{path} is no ledger of this version ({SCHEMA})")
        return tuple(_installation(one) for one in document["installations"])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror or problem}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise StoreError(
            f"{path} is damaged", hint="mend it; without it msd does not know what it wrote into your tools"
        ) from None


def save_ledger(msd_home: Path, installations: Sequence[Installation]) -> None:
    """Writes the ledger whole, or removes it where nothing is installed. Raises StoreError."""
    path = ledger_path(msd_home)
    ordered = sorted(installations, key=lambda one: one.key)
    document = {"schema": SCHEMA, "installations": [asdict(one) for one in ordered]}
    try:
        if not ordered:
            path.unlink(missing_ok=True)
            return
        files.make_private(msd_home)
        files.write_atomic(path, (json.dumps(document, indent=1) + "\n").encode(), mode=0o600)
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from None


def with_installation(installations: Sequence[Installation], new: Installation) -> tuple[Installation, ...]:
    """The installations with one more, or another one."""
    return (*without(installations, new.key), new)


def without(installations: Sequence[Installation], key: tuple[str, str, str]) -> tuple[Installation, ...]:
    """The installations but one."""
    return tuple(one for one in installations if one.key != key)


def _installation(value: Mapping[str, Any]) -> Installation:
    writer = value["writer"]
    if value["scope"] not in get_args(Scope) or not (writer is None or isinstance(writer, int)):
        raise ValueError("not a scope")
    return Installation(
        host=_text(value["host"]),
        scope=value["scope"],
        base=_text(value["base"]),
        files=tuple(
            FileRecord(path=_text(one["path"]), sha256=_text(one["sha256"])) for one in value["files"]
        ),
        entries=tuple(_entry(one) for one in value["entries"]),
        folders=tuple(map(_text, value["folders"])),
        writer=writer,
    )


def _entry(value: Mapping[str, Any]) -> EntryRecord:
    if value["format"] not in get_args(Format) or not isinstance(value["value"], dict):
        raise ValueError("not an entry")
    at, old, new = value["edit"]
    return EntryRecord(
        path=_text(value["path"]),
        format=value["format"],
        keys=tuple(map(_text, value["keys"])),
        value=value["value"],
        parents=int(value["parents"]),
        before=None if value["before"] is None else _text(value["before"]),
        after=_text(value["after"]),
        edit=Edit(int(at), _text(old), _text(new)),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
