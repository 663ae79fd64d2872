"""The integrity of an archive, checked before one byte of it is unpacked."""

import hashlib
import re
from base64 import b64encode

from msd_review.errors import SourceError
from msd_review.manifest.vocabulary import INTEGRITY_PATTERN
from msd_review.sources.unpack import unpack
from msd_review.trust.bundle import Bundle
from msd_review.trust.visible import plain

MAX_ARCHIVE_BYTES = 64 * 1024 * 1024


def integrity_of(archive: bytes) -> str:
    """`sha512-…` of an archive's bytes."""
    return "sha512-" + b64encode(hashlib.sha512(archive).digest()).decode()


def check_integrity_text(text: str) -> None:
    """Raises SourceError unless `text` is an integrity that this product can check."""
    if re.fullmatch(INTEGRITY_PATTERN, text) is None:
        raise SourceError(
            f'"{plain(text)}" is no integrity: sha512- and 88 base64 characters are needed',
            hint="the publisher prints it; for a file: openssl dgst -sha512 -binary FILE | base64 -w0",
        )


def open_archive(archive: bytes, *, expected: tuple[str, ...]) -> tuple[Bundle, str]:
    """The files of an archive and its integrity, which must be every one that was `expected`."""
    found = integrity_of(archive)
    for wanted in expected:
        if wanted != found:
            raise SourceError(
                f"the archive is not the one that was expected: wanted {plain(wanted)}, got {found}; nothing was unpacked",
                hint="do not install it; ask its publisher what changed",
            )
    return unpack(archive), found
