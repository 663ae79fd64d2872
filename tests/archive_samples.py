"""Archives made by hand, so that they can hold what no tool would write."""

import gzip
import io
import tarfile

BLOCK = 512


def header(
    name: bytes, size: int = 0, kind: bytes = b"0", link: bytes = b"", *, size_field: bytes | None = None
) -> bytes:
    """One tar header, its checksum right."""
    field = size_field if size_field is not None else b"%011o\0" % size
    block = bytearray(BLOCK)
    block[0:100] = name[:100].ljust(100, b"\0")
    block[100:124] = b"0000644\0" + b"0000000\0" * 2
    block[124:136] = field.ljust(12, b"\0")
    block[136:148] = b"00000000000\0"
    block[156:157] = kind
    block[157:257] = link[:100].ljust(100, b"\0")
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def entry(name: bytes, content: bytes = b"", kind: bytes = b"0", link: bytes = b"") -> bytes:
    return header(name, len(content), kind, link) + content + b"\0" * (-len(content) % BLOCK)


def pax(records: dict[bytes, bytes], kind: bytes = b"x") -> bytes:
    """An extended header."""
    lines = b""
    for name, value in records.items():
        body = b" " + name + b"=" + value + b"\n"
        length = len(body) + 1
        while len(str(length)) + len(body) != length:
            length += 1
        lines += str(length).encode() + body
    return entry(b"PaxHeader", lines, kind)


def packed(*entries: bytes) -> bytes:
    return gzip.compress(b"".join(entries) + b"\0" * 2 * BLOCK, mtime=0)


def ordinary(files: dict[str, bytes], *, top: str = "") -> bytes:
    """What `tar czf` makes."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return raw.getvalue()
