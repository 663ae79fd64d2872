"""A gzip stream, read in pieces under a bound on what comes out, however little goes in."""

import zlib

from msd_review.errors import SourceError

_PIECE = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


class Gunzip:
    """Reads a gzip file held in memory; at most `limit` bytes ever come out of it."""

    def __init__(self, packed: bytes, *, limit: int) -> None:
        self._pending = packed
        self._inflate = zlib.decompressobj(_GZIP)
        self._left = limit
        self._limit = limit
        self._buffer = bytearray()
        self._ended = False

    def read(self, size: int) -> bytes:
        """The next `size` bytes, or fewer at the end. Raises SourceError for damage and past the limit."""
        while len(self._buffer) < size and not self._ended:
            self._inflate_more()
        piece = bytes(self._buffer[:size])
        del self._buffer[:size]
        return piece

    def _inflate_more(self) -> None:
        try:
            piece = self._inflate.decompress(self._pending, _PIECE)
        except zlib.error:
            raise SourceError("the archive is damaged: it is no gzip file, or was cut") from None
        self._left -= len(piece)
        if self._left < 0:
            raise SourceError(f"the archive unpacks to more than {self._limit:,} bytes")
        self._buffer += piece
        self._pending = self._inflate.unconsumed_tail
        if self._inflate.eof:
            self._next_member()
        elif not piece and not self._pending:
            raise SourceError("the archive is damaged: it ends too early")

    def _next_member(self) -> None:
        # A gzip file may be several in a row; what follows the last one, such as padding, is not ours.
        self._pending = self._inflate.unused_data
        if self._pending.startswith(b"\x1f\x8b"):
            self._inflate = zlib.decompressobj(_GZIP)
        else:
            self._ended = True
