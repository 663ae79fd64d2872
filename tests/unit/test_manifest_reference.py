"""The generated pages are in step with the tables."""

import subprocess
import sys
from pathlib import Path

from msd_review.manifest.fields_lane import LANE_FIELDS, SPAWN_FIELDS
from msd_review.manifest.problems import CODES

ROOT = Path(__file__).parent.parent.parent


def test_the_manifest_reference_is_in_step_with_the_tables() -> None:
    generator = ROOT / "tools" / "generate_reference.py"
    done = subprocess.run([sys.executable, str(generator), "--check"], check=False)
    assert done.returncode == 0, "run: python tools/generate_reference.py"


def test_the_reference_names_every_field_and_every_code() -> None:
    text = (ROOT / "docs" / "reference" / "manifest.md").read_text(encoding="utf-8")
    names = [item.name for item in (*LANE_FIELDS, *SPAWN_FIELDS)]
    assert [name for name in [*names, *CODES] if f"`{name}`" not in text] == []
