"""An answer's body on its way into memory or a file: bounded, unpacked under the same bound, a secret kept out.

Invariants
- No more than `limit` bytes are ever kept, counted after unpacking; a compressed answer is unpacked piece by
  piece, so that a small one cannot become a large one in memory.
- A secret (the bearer token) that a server sends back never reaches the file or the memory, also when it is cut
  in two by the network.
"""

import contextlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

SECRET_SHOWN = b"[key]"
_PIECE = 64 * 1024
_IDENTITY = frozenset({"", "identity", "none"})
_ZIPPED = frozenset({"gzip", "x-gzip", "deflate"})
_MIN_SECRET = 4  # a shorter one would tear ordinary text apart


class BodyTooLarge(Exception):
    """The body is larger than its bound; what fits was kept."""


class BodyNotKept(Exception):
    """The file would not take the body; `str()` says what the platform said."""


class BadEncoding(Exception):
    """The body is packed in a way that was not asked for and cannot be undone; `str()` says how."""


class Unpacker(Protocol):
    """Turns bytes of the wire into bytes of the body, in pieces of bounded size."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...

    def finish(self) -> None:
        """Raises BadEncoding when the body's end is missing."""
        ...


class _Plain:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


class _Zipped:
    """gzip, zlib and, since servers call that deflate too, raw deflate."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._is_fresh = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._stream.eof:
            try:
                piece = self._stream.decompress(data, _PIECE)
            except zlib.error as problem:
                if not self._is_fresh:
                    raise BadEncoding(f"the answer's compression is broken: {problem}") from None
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                self._is_fresh = False
                continue
            self._is_fresh = False
            data = self._stream.unconsumed_tail
            yield piece

    def finish(self) -> None:
        if not self._stream.eof:
            raise BadEncoding("the compressed answer ended early")


def unpacker(encoding: str) -> Unpacker:
    """What undoes a Content-Encoding. Raises BadEncoding for one that msd does not know."""
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return _Plain()
    if name in _ZIPPED:
        return _Zipped()
    raise BadEncoding(f"the answer is packed as {name[:40]!r}, and it was asked for plain")


class Hidden:
    """Replaces a secret in a stream of bytes, wherever the stream is cut."""

    def __init__(self, secret: str | None) -> None:
        encoded = (secret or "").encode("utf-8", "replace")
        self._secret = encoded if len(encoded) >= _MIN_SECRET else b""
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What can be passed on; bytes that may be the secret's beginning are held back."""
        if not self._secret:
            return data
        text = (self._held + data).replace(self._secret, SECRET_SHOWN)
        kept = next(
            (
                n
                for n in range(min(len(self._secret) - 1, len(text)), 0, -1)
                if text.endswith(self._secret[:n])
            ),
            0,
        )
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def rest(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held

    def text(self, text: str) -> str:
        """The same for a text that is there as a whole."""
        if not self._secret:
            return text
        return text.replace(self._secret.decode("utf-8", "replace"), SECRET_SHOWN.decode())


class Sink:
    """Where a body goes: `content` in memory or, with a file, nothing but its size in `count`."""

    def __init__(self, handle: BinaryIO | None, *, limit: int, hidden: Hidden) -> None:
        self._handle = handle
        self._limit = limit
        self._hidden = hidden
        self._memory = bytearray()
        self.count = 0

    def write(self, data: bytes) -> None:
        """Keeps bytes up to the limit. Raises BodyTooLarge and BodyNotKept."""
        self._keep(self._hidden.feed(data))

    def close(self) -> None:
        """Keeps what was held back. Raises as `write`."""
        self._keep(self._hidden.rest())

    def _keep(self, data: bytes) -> None:
        fits = data[: self._limit - self.count]
        self.count += len(fits)
        try:
            if self._handle is None:
                self._memory += fits
            else:
                self._handle.write(fits)
        except OSError as problem:
            raise BodyNotKept(problem.strerror or str(problem)) from None
        if len(fits) < len(data):
            raise BodyTooLarge

    @property
    def content(self) -> bytes:
        """What is in memory."""
        return bytes(self._memory)


@contextlib.contextmanager
def private_file(path: Path | None) -> Iterator[BinaryIO | None]:
    """A new file for this user alone, None without a path. Raises OSError."""
    if path is None:
        yield None
        return
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    with path.open("wb") as handle:
        yield handle
