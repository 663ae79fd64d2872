"""A capability from an npm registry: metadata and archive over https, and nothing of it run.

The archive must come from the registry that was asked, and must be the one that its metadata describes by a
SHA-512. Install scripts are files like any other.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from msd_review.errors import SourceError
from msd_review.manifest.engines import is_version
from msd_review.sources.archive import MAX_ARCHIVE_BYTES, check_integrity_text, open_archive
from msd_review.sources.fetched import Download, Fetched, Say
from msd_review.sources.spec import Spec, split_npm
from msd_review.trust.visible import plain

MAX_METADATA_BYTES = 32 * 1024 * 1024
TIMEOUT_S = 30.0


def fetch_npm(spec: Spec, *, registry: str, integrity: str | None, download: Download, say: Say) -> Fetched:
    """Fetches, verifies and unpacks a package. Raises SourceError."""
    name, selector = split_npm(spec.target)
    say(f"asking {plain(registry)} for {name}")
    version, entry = choose_version(read_metadata(name, registry=registry, download=download), selector)
    dist = entry.get("dist")
    url, demanded = _archive_of(dist if isinstance(dist, Mapping) else {}, registry=registry)
    say(f"fetching {name} {version}")
    archive = download(url, limit=MAX_ARCHIVE_BYTES, timeout_s=TIMEOUT_S, redirects=0)
    expected = (demanded,) if integrity is None else (demanded, integrity)
    bundle, found = open_archive(archive, expected=expected)
    return Fetched(spec=spec, bundle=bundle, resolved=version, integrity=found, url=url)


def read_metadata(
    name: str, *, registry: str, download: Download, timeout_s: float = TIMEOUT_S
) -> Mapping[str, Any]:
    """What the registry knows of a package. Raises SourceError."""
    if urlsplit(registry).scheme != "https":
        raise SourceError(f"the npm registry {plain(registry)} is not reached over https")
    url = f"{registry.rstrip('/')}/{quote(name, safe='@')}"
    raw = download(url, limit=MAX_METADATA_BYTES, timeout_s=timeout_s, redirects=0)
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise SourceError(f"{plain(url)} did not answer with a package's metadata")
    return document


def choose_version(metadata: Mapping[str, Any], selector: str | None) -> tuple[str, Mapping[str, Any]]:
    """The version that a selector (a version, a range, a tag, none: `latest`) means, and its entry."""
    versions, tags = metadata.get("versions"), metadata.get("dist-tags")
    versions = versions if isinstance(versions, dict) else {}
    tags = tags if isinstance(tags, dict) else {}
    wanted = selector or "latest"
    version = wanted if wanted in versions else tags.get(wanted)
    if not isinstance(version, str) or version not in versions:
        version = _newest(versions, wanted)
    entry = versions.get(version)
    if version is None or not isinstance(entry, dict):
        raise SourceError(
            f"the package has no version {plain(wanted)}", hint="see what there is: npm view NAME versions"
        )
    return version, entry


def _newest(versions: Mapping[str, Any], wanted: str) -> str | None:
    # Loading the library costs more than all else at start-up; nothing of ours is loaded lazily here.
    import nodesemver

    try:
        found = nodesemver.max_satisfying(
            [version for version in versions if is_version(version)], wanted, False
        )
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _archive_of(dist: Mapping[str, Any], *, registry: str) -> tuple[str, str]:
    url, integrity = dist.get("tarball"), dist.get("integrity")
    if not isinstance(url, str) or not isinstance(integrity, str):
        raise SourceError("the registry gives no archive with an integrity for this version")
    wanted = next((part for part in integrity.split() if part.startswith("sha512-")), "")
    check_integrity_text(wanted)
    if _origin(url) != _origin(registry):
        raise SourceError(
            f"the registry {plain(registry)} points elsewhere for the archive: {plain(url)}; it was not fetched"
        )
    return url, wanted


def _origin(url: str) -> tuple[str, str | None, int]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or 443
    except ValueError:
        return "", None, 0
