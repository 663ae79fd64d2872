"""An entry of msd in a settings file: put in, found again, and taken out so that the file is as it was.

Three ways out, the most exact first: the file is what msd left behind, so the edit is undone and the hash proves that
every byte is back; msd's own text stands in it unchanged, so that text goes; else the entry is cut out where it stands.
"""

import hashlib
from types import ModuleType
from typing import Any

from msd_review.errors import InputError
from msd_review.hosts import json_text, toml_text
from msd_review.hosts.edit import NotEditable, apply_edit, moved, reverse_edit
from msd_review.hosts.model import EntryRecord, Format, WantedEntry
from msd_review.hosts.values import holds, lookup, missing_parents, without_entry

_FORMATS: dict[Format, ModuleType] = {"json": json_text, "toml": toml_text}


def digest(content: bytes) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def current(content: bytes | None, wanted: WantedEntry | EntryRecord) -> tuple[bool, Any]:
    """Whether the file holds the entry, and its value. Raises InputError for a file that cannot be read."""
    document = _parse(content, wanted)
    return holds(document, wanted.keys), lookup(document, wanted.keys)


def added(content: bytes | None, wanted: WantedEntry) -> tuple[bytes, EntryRecord]:
    """The file with the entry in it, and the record of that. Raises InputError."""
    text = _text(content, wanted)
    try:
        edit = _FORMATS[wanted.format].insert(text, wanted.keys, wanted.value)
    except NotEditable as problem:
        raise _refused(wanted, problem) from None
    after = apply_edit(text, edit).encode()
    record = EntryRecord(
        path=str(wanted.path),
        format=wanted.format,
        keys=wanted.keys,
        value=wanted.value,
        parents=missing_parents(_parse(content, wanted), wanted.keys),
        before=None if content is None else digest(content),
        after=digest(after),
        edit=edit,
    )
    return after, record


def taken_out(content: bytes, record: EntryRecord) -> bytes | None:
    """The file without the entry; None where nothing but msd's own is in a file that msd made. Raises InputError."""
    text = _text(content, record)
    if digest(content) == record.after:
        before = reverse_edit(text, record.edit)
        if before is not None and _is_proven(before, record):
            return None if record.before is None else before.encode()
    try:
        rest = _without(text, record)
    except NotEditable as problem:
        raise _refused(record, problem) from None
    if record.before is None and rest.removeprefix("\ufeff").split() in ([], ["{}"], ["{", "}"]):
        return None
    return rest.encode()


def _is_proven(before: str, record: EntryRecord) -> bool:
    return not before if record.before is None else digest(before.encode()) == record.before


def _without(text: str, record: EntryRecord) -> str:
    language = _FORMATS[record.format]
    wanted = without_entry(language.parse(text), record.keys, parents=record.parents)
    edit = moved(text, record.edit)
    rest = None if edit is None else reverse_edit(text, edit)
    if rest is not None:
        try:
            if language.parse(rest) == wanted:
                return rest
        except NotEditable:
            pass
    return str(language.remove(text, record.keys, parents=record.parents))


def _text(content: bytes | None, wanted: WantedEntry | EntryRecord) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as problem:
        raise _refused(wanted, f"it is not UTF-8 at byte {problem.start}") from None


def _parse(content: bytes | None, wanted: WantedEntry | EntryRecord) -> Any:
    try:
        return _FORMATS[wanted.format].parse(_text(content, wanted))
    except NotEditable as problem:
        raise _refused(wanted, problem) from None


def _refused(wanted: WantedEntry | EntryRecord, why: object) -> InputError:
    return InputError(
        f"{wanted.path} cannot be edited: {why}",
        hint=f"mend it, or change {'.'.join(wanted.keys)} by hand; nothing was written",
    )
