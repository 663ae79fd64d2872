"""Fetched files that were shown to a person, kept for the installation that may follow.

So what is installed is what was shown, though a branch moved in between. Private to the user, one file a
spec, a few of them, for a few days; a damaged one is as good as none.
"""

import hashlib
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

from msd_review.edges import clock, files
from msd_review.sources.fetched import Fetched
from msd_review.sources.spec import Spec
from msd_review.trust.bundle import Bundle

MAX_KEPT = 8
MAX_AGE_S = 3 * 24 * 3600
_MAX_BYTES = 64 * 1024 * 1024


def _folder(home: Path) -> Path:
    return home / "staging"


def _path(home: Path, spec: Spec) -> Path:
    return _folder(home) / (hashlib.sha256(spec.raw.encode()).hexdigest() + ".json")


def keep(home: Path, fetched: Fetched) -> None:
    """Keeps what was fetched, in the place of what was kept for the same spec."""
    document = {
        "raw": fetched.spec.raw,
        "resolved": fetched.resolved,
        "integrity": fetched.integrity,
        "url": fetched.url,
        "files": {
            os.fsdecode(path): b64encode(content).decode() for path, content in fetched.bundle.files.items()
        },
    }
    path = _path(home, fetched.spec)
    files.make_private(home)
    files.make_private(path.parent)
    files.write_atomic(path, json.dumps(document).encode(), mode=0o600)
    sweep(home)


def find_kept(home: Path, spec: Spec, accepts: Callable[[Bundle], bool]) -> Fetched | None:
    """What was kept for a spec, if it is whole and `accepts` it."""
    try:
        value = json.loads(files.read_bounded(_path(home, spec), _MAX_BYTES))
        contents = {
            os.fsencode(path): b64decode(text, validate=True) for path, text in value["files"].items()
        }
        fetched = Fetched(
            spec=spec,
            bundle=Bundle(files=contents),
            resolved=value["resolved"],
            integrity=value["integrity"],
            url=value["url"],
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return fetched if accepts(fetched.bundle) else None


def forget(home: Path, spec: Spec) -> None:
    """Drops what was kept for a spec."""
    _path(home, spec).unlink(missing_ok=True)


def sweep(home: Path) -> None:
    """Drops what is old, half written, or too much."""
    folder = _folder(home)
    if not folder.is_dir():
        return
    found = sorted(folder.iterdir(), key=lambda path: path.lstat().st_mtime, reverse=True)
    oldest = clock.now().timestamp() - MAX_AGE_S
    for number, path in enumerate(found):
        if number >= MAX_KEPT or path.suffix != ".json" or path.lstat().st_mtime < oldest:
            path.unlink(missing_ok=True)
