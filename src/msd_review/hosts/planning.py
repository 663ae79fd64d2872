"""Decides for each file what an install or an uninstall does with it. Pure: the disk and the ledger are handed in.

What a person wrote is never overwritten and never removed: a file whose hash is not in the ledger, an entry whose value
is not what msd wrote. What is already as wanted, and was not written by msd, stays a stranger's.
"""

from collections.abc import Sequence
from pathlib import Path

from msd_review.hosts import entries
from msd_review.hosts.model import Action, Change, EntryRecord, FileRecord, Seen, WantedEntry, WantedFile

_NOT_OURS = "is not msd's: it was there before, or has been edited since"
_WAS_THERE = "was there already"


def plan_file(wanted: WantedFile, seen: Seen, records: Sequence[FileRecord]) -> Change:
    """What an install does with a file of msd's own; `records` are those of its path."""
    record = FileRecord(path=str(wanted.path), sha256=entries.digest(wanted.content))
    if seen.content is None:
        return Change(path=wanted.path, seen=seen, action="create", after=wanted.content, record=record)
    if seen.content == wanted.content:
        return _unchanged(wanted, seen, record if records else None)
    if _is_ours(seen.content, records):
        return Change(path=wanted.path, seen=seen, action="change", after=wanted.content, record=record)
    hint = f"{_NOT_OURS}; move it away and install again to have msd's"
    return Change(path=wanted.path, seen=seen, action="kept", after=seen.content, record=None, note=hint)


def plan_entry(wanted: WantedEntry, seen: Seen, records: Sequence[EntryRecord]) -> Change:
    """What an install does with an entry in a settings file. Raises InputError for a file that cannot be edited."""
    name = ".".join(wanted.keys)
    is_there, value = entries.current(seen.content, wanted)
    ours = next((one for one in records if is_there and value == one.value), None)
    if not is_there:
        after, record = entries.added(seen.content, wanted)
        action: Action = "create" if seen.content is None else "change"
        return Change(
            path=wanted.path, seen=seen, action=action, after=after, record=record, note=f"adds {name}"
        )
    if value == wanted.value:
        return _unchanged(wanted, seen, ours)
    if ours is not None and seen.content is not None:
        without = entries.taken_out(seen.content, ours)
        after, record = entries.added(without, wanted)
        return Change(
            path=wanted.path, seen=seen, action="change", after=after, record=record, note=f"renews {name}"
        )
    hint = f"{name} {_NOT_OURS}; remove it and install again to have msd's"
    return Change(path=wanted.path, seen=seen, action="kept", after=seen.content, record=None, note=hint)


def plan_file_removal(seen: Seen, records: Sequence[FileRecord]) -> Change | None:
    """What an uninstall does with a file of msd's own; None where it is gone."""
    path = Path(records[0].path)
    if seen.content is None:
        return None
    if _is_ours(seen.content, records):
        return Change(path=path, seen=seen, action="remove", after=None, record=None)
    hint = "has been edited since msd wrote it; it is yours now, and stays"
    return Change(path=path, seen=seen, action="kept", after=seen.content, record=None, note=hint)


def plan_entry_removal(seen: Seen, records: Sequence[EntryRecord]) -> Change | None:
    """What an uninstall does with an entry; None where it is gone. Raises InputError for a file that cannot be edited."""
    first = records[0]
    path, name = Path(first.path), ".".join(first.keys)
    is_there, value = entries.current(seen.content, first)
    if not is_there or seen.content is None:
        return None
    ours = next((one for one in records if value == one.value), None)
    if ours is None:
        hint = f"{name} has been edited since msd wrote it; it is yours now, and stays"
        return Change(path=path, seen=seen, action="kept", after=seen.content, record=None, note=hint)
    after = entries.taken_out(seen.content, ours)
    action: Action = "remove" if after is None else "change"
    return Change(path=path, seen=seen, action=action, after=after, record=None, note=f"removes {name}")


def _is_ours(content: bytes, records: Sequence[FileRecord]) -> bool:
    return entries.digest(content) in {record.sha256 for record in records}


def _unchanged(
    wanted: WantedFile | WantedEntry, seen: Seen, record: FileRecord | EntryRecord | None
) -> Change:
    note = _WAS_THERE if record is None else ""
    return Change(
        path=wanted.path, seen=seen, action="unchanged", after=seen.content, record=record, note=note
    )
