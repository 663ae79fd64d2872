"""How `lane list` and `lane detect` look; free of click, since the cheap front door prints it too."""

import json
from collections.abc import Sequence

from msd_review.app.lane_list import LaneRow
from msd_review.cli.tables import safe, table


def lanes_json(rows: Sequence[LaneRow]) -> str:
    """The `msd.lane-list/1` document."""
    document = {"schema": "msd.lane-list/1", "lanes": [row.as_json() for row in rows]}
    return json.dumps(document, ensure_ascii=False, indent=1)


def lanes_text(rows: Sequence[LaneRow]) -> str:
    """A table for people, and under it the way out for each lane that cannot run."""
    cells = [
        (row.slug, " ".join(row.flags), row.section, row.source, row.posture or "–", row.state, _said(row))
        for row in rows
    ]
    lines = table(("reviewer", "flags", "section", "source", "posture", "state", ""), cells)
    hints = [safe(f"  {row.slug}: {row.hint}") for row in rows if row.hint and row.state != "ready"]
    return "\n".join([*lines, *(["", "What to do:", *hints] if hints else [])])


def _said(row: LaneRow) -> str:
    if row.reason is not None:
        return f"{row.reason}: {row.detail}" if row.detail else row.reason
    return row.note
