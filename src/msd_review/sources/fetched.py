"""What a source gives: files, and how to find the very same ones again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from msd_review.sources.spec import Spec
from msd_review.trust.bundle import Bundle

Say = Callable[[str], None]
Check = Callable[[str], None]


class Download(Protocol):
    """Gets an https address: at most `limit` bytes, within `timeout_s` seconds.

    Redirects are followed only where the source allows: `redirects` times, to https, never from a public
    address to a private one, and to no address that `check` raises for. Raises SourceError.
    """

    def __call__(
        self, url: str, *, limit: int, timeout_s: float, redirects: int = 0, check: Check | None = None
    ) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A capability's files as they came. `resolved` is a commit, a version, or "" where the source has neither.

    `integrity` is the `sha512-…` of the archive that was unpacked, None for git and local folders.
    """

    spec: Spec
    bundle: Bundle
    resolved: str = ""
    integrity: str | None = None
    url: str = ""
