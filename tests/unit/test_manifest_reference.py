"""The manifest reference names what the tables have; that it is in step is `test_docs_parity.py`'s."""

from pathlib import Path

from msd_review.manifest.fields_lane import LANE_FIELDS, SPAWN_FIELDS
from msd_review.manifest.problems import CODES

ROOT = Path(__file__).parent.parent.parent


def test_the_reference_names_every_field_and_every_code() -> None:
    text = (ROOT / "docs" / "reference" / "manifest.md").read_text(encoding="utf-8")
    names = [item.name for item in (*LANE_FIELDS, *SPAWN_FIELDS)]
    assert [name for name in [*names, *CODES] if f"`{name}`" not in text] == []
