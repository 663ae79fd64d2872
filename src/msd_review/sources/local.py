"""A capability from a folder on this machine, copied as it is now."""

from pathlib import Path

from msd_review.errors import SourceError
from msd_review.sources.fetched import Fetched
from msd_review.sources.fileset import FileSet
from msd_review.sources.spec import Spec
from msd_review.trust.bundle import BundleRefused, read_bundle

# A working copy's own history is no part of what it holds.
_LEFT_OUT = frozenset({b".git"})


def fetch_local(spec: Spec, *, base: Path) -> Fetched:
    """Reads a folder; a relative one starts at `base`. Raises SourceError."""
    folder = (base / spec.target).resolve()
    if not folder.is_dir():
        raise SourceError(f"{folder} is no folder")
    try:
        found = read_bundle(folder, leave_out=_LEFT_OUT)
    except BundleRefused as refused:
        raise SourceError(refused.message) from None
    files = FileSet()
    for path, content in sorted(found.files.items()):
        files.entry()
        files.take_size(len(content))
        files.add(path, content)
    return Fetched(spec=spec, bundle=files.bundle(), url=str(folder))
