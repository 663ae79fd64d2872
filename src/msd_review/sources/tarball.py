"""A capability from an archive at an https address."""

from urllib.parse import urlsplit

from msd_review.errors import SourceError
from msd_review.sources.archive import MAX_ARCHIVE_BYTES, open_archive
from msd_review.sources.fetched import Check, Download, Fetched, Say
from msd_review.sources.spec import Spec
from msd_review.trust.visible import plain

TIMEOUT_S = 30.0
REDIRECTS = 3


def fetch_tarball(
    spec: Spec, *, integrity: str | None, download: Download, check: Check, say: Say
) -> Fetched:
    """Fetches and unpacks an archive. Raises SourceError.

    `integrity` is what the person demands of it; `check` raises for an address that may not be contacted.
    """
    if urlsplit(spec.target).username is not None:
        raise SourceError(f"{plain(spec.raw)} holds credentials; none are sent in an address")
    say(f"fetching {plain(spec.target)}")
    archive = download(
        spec.target, limit=MAX_ARCHIVE_BYTES, timeout_s=TIMEOUT_S, redirects=REDIRECTS, check=check
    )
    bundle, found = open_archive(archive, expected=() if integrity is None else (integrity,))
    return Fetched(spec=spec, bundle=bundle, integrity=found, url=spec.target)
