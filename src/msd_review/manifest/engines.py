"""Ranges of versions, as npm reads them, and the gate that they are for.

A prerelease lies below its release, and is in a range only where the range names a prerelease of the
same release. An empty range is refused: readers of ranges take it for "any", an author who wrote it
did not say so.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msd_review.manifest.vocabulary import MAX_RANGE_LENGTH, SEMVER_PATTERN


class RangeError(ValueError):
    """The text is not an npm-style range, or the version no semantic version."""


class Gate(NamedTuple):
    """Whether a capability fits this msd.

    `satisfied_by` is "engines" or "unconstrained" where it does. Where it does not, `downgrade_to` is the
    newest earlier version that would fit, and `satisfied_by` "compatVersions"; None where it names none.
    """

    compatible: bool
    range: str | None
    satisfied_by: Literal["engines", "unconstrained", "compatVersions"] | None
    downgrade_to: str | None = None


def _parse(text: str) -> Any:
    # Loading the library costs more than all else at start-up; nothing of ours is loaded lazily here.
    import nodesemver

    if (
        not text.isascii()
        or len(text) > MAX_RANGE_LENGTH
        or not all(part.strip() for part in text.split("||"))
    ):
        raise RangeError(text)
    try:
        return nodesemver.make_range(" ".join(text.split()), False)
    except ValueError as error:
        raise RangeError(text) from error


def is_version(text: str) -> bool:
    """Whether `text` is a full semantic version, without a leading v."""
    return len(text) <= MAX_RANGE_LENGTH and re.fullmatch(SEMVER_PATTERN, text) is not None


@lru_cache(maxsize=1024)
def is_range(text: str) -> bool:
    """Whether `text` is an npm-style range."""
    try:
        _parse(text)
    except RangeError:
        return False
    return True


@lru_cache(maxsize=1024)
def satisfies(version: str, text: str) -> bool:
    """Whether `version` lies in the range `text`. Raises RangeError when either cannot be read."""
    parsed = _parse(text)
    try:
        return bool(parsed.test(version))
    except ValueError as error:
        raise RangeError(version) from error


def declared_range(manifest: Mapping[str, Any]) -> str | None:
    """The range of a manifest: `engines.msd`, else its alias `engines.gsd`, else None."""
    engines = manifest.get("engines")
    if not isinstance(engines, Mapping):
        return None
    value = engines.get("msd", engines.get("gsd"))
    return value if isinstance(value, str) else None


def engines_gate(manifest: Mapping[str, Any], host_version: str) -> Gate:
    """Whether a manifest's range holds for `host_version`. Raises RangeError when a range cannot be read."""
    wanted = declared_range(manifest)
    if wanted is None:
        return Gate(compatible=True, range=None, satisfied_by="unconstrained")
    if satisfies(host_version, wanted):
        return Gate(compatible=True, range=wanted, satisfied_by="engines")
    earlier = _newest_that_fits(manifest, host_version)
    return Gate(
        compatible=False,
        range=wanted,
        satisfied_by="compatVersions" if earlier else None,
        downgrade_to=earlier,
    )


def _newest_that_fits(manifest: Mapping[str, Any], host_version: str) -> str | None:
    versions = manifest.get("compatVersions")
    if not isinstance(versions, Mapping):
        return None
    fitting = [
        version
        for version, wanted in versions.items()
        if is_version(version)
        and isinstance(wanted, str)
        and is_range(wanted)
        and satisfies(host_version, wanted)
    ]
    return max(fitting, key=_precedence, default=None)


def _precedence(version: str) -> tuple[Any, ...]:
    """A key that sorts semantic versions: a release after its prereleases, numbers below words."""
    core, _, prerelease = version.partition("+")[0].partition("-")
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in prerelease.split(".")]
    return (*(int(part) for part in core.split(".")), not prerelease, parts)
