"""A .tgz → the files of a capability, read member by member under limits.

Invariants
- Nothing is written: files are collected in memory, and an archive with one bad entry gives none of them.
- Only plain files and folders are taken. A link, a device, a FIFO, a sparse or unknown entry is refused, and
  so is a header that contradicts itself: no entry can mean one thing to us and another to the next reader.
- What comes out is bounded in bytes and entries while it is read; a bomb is stopped at the bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from msd_review.errors import SourceError
from msd_review.sources.fileset import FileSet, checked_parts, refuse
from msd_review.sources.gunzip import Gunzip
from msd_review.trust.bundle import MAX_BYTES, MAX_ENTRIES, Bundle

BLOCK = 512
# Each entry may cost a header, the padding of its content and an extended header with its content.
MAX_UNPACKED = MAX_BYTES + MAX_ENTRIES * 4 * BLOCK
MAX_EXTENDED = 64 * 1024

_FILES, _FOLDER, _PAX, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK = b"0\x00", b"5", b"x", b"g", b"L", b"K"
_REFUSED = {
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a FIFO",
    b"S": "a sparse file",
}


@dataclass(frozen=True, slots=True)
class _Header:
    path: bytes
    size: int
    kind: bytes


def unpack(archive: bytes) -> Bundle:
    """The files of a gzipped tar archive. Raises SourceError for anything that a capability may not hold."""
    stream = Gunzip(archive, limit=MAX_UNPACKED)
    files = FileSet()
    for header in _members(stream, files):
        path = header.path.removeprefix(b"./")
        if header.kind in _FILES:
            files.take_size(header.size)
            files.add(path, _content(stream, header.size))
        elif header.kind == _FOLDER:
            _skip_folder(path, header.size)
        else:
            what = _REFUSED.get(header.kind, "of an unknown type")
            refuse(path.decode("utf-8", "backslashreplace"), f"is {what}")
    return files.bundle()


def _skip_folder(path: bytes, size: int) -> None:
    """Folders come from the files in them; one is looked at for what its name would do to others."""
    if size:
        refuse(path.decode("utf-8", "backslashreplace"), "is a folder with content")
    if path.rstrip(b"/") not in {b"", b"."} or path.startswith(b"/"):
        checked_parts(path.rstrip(b"/"))


def _members(stream: Gunzip, files: FileSet) -> Iterator[_Header]:
    """Every entry, extended headers applied to the one they precede."""
    long_path: bytes | None = None
    while (block := stream.read(BLOCK)) and block.count(0) != BLOCK:
        files.entry()
        header = _parse(block)
        if header.kind in {_PAX, _PAX_GLOBAL, _LONG_NAME, _LONG_LINK}:
            extended = _extended(stream, header)
            if extended is not None and long_path is not None:
                raise SourceError("the archive gives one entry two paths")
            long_path = extended if long_path is None else long_path
            continue
        yield _Header(header.path if long_path is None else long_path, header.size, header.kind)
        long_path = None


def _parse(block: bytes) -> _Header:
    if len(block) != BLOCK or _number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * 0x20:
        raise SourceError("the archive is damaged: an entry's header does not add up")
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return _Header(
        path=prefix + b"/" + name if prefix else name, size=_number(block[124:136]), kind=block[156:157]
    )


def _number(field: bytes) -> int:
    """An octal number; the binary form, for sizes far above our bounds, is refused like any other text."""
    digits = field.strip(b" \0")
    if not digits or digits.strip(b"01234567"):
        raise SourceError("the archive is damaged: a number in an entry's header cannot be read")
    return int(digits, 8)


def _content(stream: Gunzip, size: int) -> bytes:
    padded = -size % BLOCK
    content = stream.read(size + padded)
    if len(content) != size + padded:
        raise SourceError("the archive is damaged: it ends within an entry")
    return content[:size]


def _extended(stream: Gunzip, header: _Header) -> bytes | None:
    """The path that an extended header gives to the next entry, if it gives one."""
    if header.size > MAX_EXTENDED:
        raise SourceError(f"the archive holds an extended header of more than {MAX_EXTENDED:,} bytes")
    content = _content(stream, header.size)
    if header.kind == _LONG_NAME:
        return content.rstrip(b"\0")
    if header.kind == _LONG_LINK:
        return None
    records = dict(_records(content))
    if b"size" in records or any(name.startswith(b"GNU.sparse") for name in records):
        raise SourceError("the archive holds an entry whose size stands in an extended header")
    if header.kind == _PAX_GLOBAL and b"path" in records:
        raise SourceError("the archive gives every entry the same path")
    return records.get(b"path")


def _records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The `length name=value` records of an extended header."""
    while content:
        digits, space, _ = content.partition(b" ")
        length = int(digits) if digits.isdigit() and len(digits) < 8 else 0
        record = content[len(digits) + 1 : length]
        name, equals, value = record.partition(b"=")
        if not space or not equals or not value.endswith(b"\n") or len(content) < length:
            raise SourceError("the archive is damaged: an extended header cannot be read")
        yield name, value[:-1]
        content = content[length:]
