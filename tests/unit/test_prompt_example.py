"""The example project is real: its tests pass, and its planned phase makes a prompt worth sending."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from msd_review.prompt.artifacts import find_phase, obvious_subject
from msd_review.prompt.budget import assemble
from msd_review.prompt.model import Prompt

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "linkshelf"
FAULTS = json.loads((ROOT / "tests/data/planning/linkshelf_faults.json").read_text(encoding="utf-8"))[
    "faults"
]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("*-REVIEWS.*", "__pycache__")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "linkshelf", ignore=ignored))


def test_the_tests_of_the_example_pass(example: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=example, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Ran 13 tests" in done.stderr


def test_the_planned_phase_is_the_obvious_one(example: Path) -> None:
    subject = obvious_subject(example)
    assert (subject.phase, subject.title, len(subject.plans)) == ("02", "Import and export", 3)
    assert subject.requirement_ids == ("IMP-01", "IMP-02", "IMP-03", "IMP-04", "EXP-01", "EXP-02")
    assert subject.warnings == ()


def test_its_prompt_is_of_a_real_size_and_mentions_no_file_that_a_tool_would_expand(example: Path) -> None:
    made = assemble(find_phase(example, "2"), budget=None)
    assert isinstance(made, Prompt)
    assert 6_000 < made.tokens < 20_000
    assert "@ .planning/PROJECT.md" in made.text
    assert "@ linkshelf/links.py" in made.text
    assert "@linkshelf/links.py" not in made.text


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault["kind"]))
def test_every_planted_fault_is_still_planted(fault: dict[str, str]) -> None:
    folder = EXAMPLE / ".planning/phases/02-import-export"
    plans = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*-PLAN.md")}
    if fault["kind"] == "uncovered_requirement":
        fields = [
            line for text in plans.values() for line in text.split("\n") if line.startswith("requirements:")
        ]
        assert not any(fault["text"] in line for line in fields)
    else:
        text = " ".join(plans[fault["plan"]].split()).replace("`", "")
        assert fault["text"].split(" of ")[0] in text
