"""Reviews obtained elsewhere: read under bounds, kept in the run, marked as what they are."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from msd_review.app.assessing import Delivered
from msd_review.app.lane_run import write_text
from msd_review.app.request import Import
from msd_review.edges import files
from msd_review.errors import InputError
from msd_review.outcomes import Mark, Outcome
from msd_review.run.decoding import decode, is_blank
from msd_review.run.result import LaneResult

MAX_IMPORT_BYTES = 16 * 1024 * 1024


def import_text(one: Import) -> str:
    """The text of an import. Raises InputError for a file that cannot be used."""
    try:
        text = decode(files.read_bounded(one.path, MAX_IMPORT_BYTES))
    except OSError as problem:
        raise InputError(
            f"--import {one.name}={one.path}: cannot be read: {problem.strerror or problem}"
        ) from None
    if is_blank(text):
        raise InputError(f"--import {one.name}={one.path}: the file is empty")
    return text


def import_reviews(
    imports: Iterable[Import], *, folder: Path, texts: Mapping[str, str] | None = None
) -> list[Delivered]:
    """Every import as a delivered review of its own; `texts` are those that were read already, by name."""
    delivered = []
    for one in imports:
        text = (texts or {}).get(one.name) or import_text(one)
        lane_folder = files.make_private(folder / "lanes" / f"import-{one.name}")
        result = LaneResult(
            identity=one.name,
            # No lane's slug: what was pasted from a chat is nobody's base tool, and equal to no other import.
            slug=f"import:{one.name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}",
            section=one.name,
            outcome=Outcome.REVIEW,
            reason=None,
            detail="",
            marks=(Mark.IMPORTED,),
            text_path=write_text(lane_folder, text),
        )
        delivered.append(Delivered(result=result, imported=True))
    return delivered
