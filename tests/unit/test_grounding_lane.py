"""The built-in reviewer from its standard input to its Markdown, over the example project and small ones."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from msd_review import __version__
from msd_review.grounding.lane import MAX_INPUT_BYTES, main, review_of
from msd_review.prompt.artifacts import find_phase
from msd_review.prompt.render import render
from msd_review.prompt.sections import sections_of
from msd_review.review.block import Block, find_block

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "linkshelf"
FAULTS = json.loads((REPOSITORY / "tests/data/planning/linkshelf_faults.json").read_text(encoding="utf-8"))[
    "faults"
]


def _concerns(review: str) -> list[str]:
    part = review.split("## Concerns\n", 1)[1].split("\n\n## ", 1)[0]
    return [] if part == "None." else part.split("\n")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("example") / "linkshelf"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("__pycache__", "*REVIEWS*"))
    return root


@pytest.fixture(scope="module")
def example_review(example: Path) -> str:
    subject = find_phase(example, "2")
    return review_of(render(sections_of(subject), "Review this.").encode(), example)


def _is_about(concern: str, fault: dict[str, Any]) -> bool:
    words = re.findall(r"[\w./:-]*\w", fault["text"])
    return all(word in concern for word in words) and (fault["plan"] is None or fault["plan"] in concern)


@pytest.mark.parametrize("fault", [f for f in FAULTS if f["mechanical"]], ids=lambda fault: fault["kind"])
def test_every_mechanical_fault_of_the_example_is_found(example_review: str, fault: dict[str, Any]) -> None:
    assert [concern for concern in _concerns(example_review) if _is_about(concern, fault)]


def test_nothing_else_of_the_example_is_called_a_fault(example_review: str) -> None:
    known = [
        concern for concern in _concerns(example_review) if any(_is_about(concern, fault) for fault in FAULTS)
    ]
    assert _concerns(example_review) == known


def test_a_concern_says_where_in_the_plan_and_what_is_there_instead(example_review: str) -> None:
    assert (
        "- **HIGH**: `normalize_url()` is not in `linkshelf/links.py`. The plan counts on it, and no plan of this review makes it. "
        "Stated in `02-01-PLAN.md:63`. In the source: the nearest name there is `canonical_url` (`linkshelf/links.py:30`). "
        "See `linkshelf/links.py:30`."
    ) in _concerns(example_review)


def test_the_review_ends_with_its_findings_as_data(example_review: str) -> None:
    block = find_block(example_review)
    assert isinstance(block, Block)
    titles = [finding.title for finding in block.findings]
    assert titles == [
        re.sub(r"^- \*\*\w+\*\*: ", "", concern)[: len(title)]
        for title, concern in zip(titles, _concerns(example_review), strict=True)
    ]


def test_the_review_names_what_it_checked_and_what_not(example_review: str) -> None:
    assert "## What was checked\n- paths: " in example_review
    assert "- coverage of the phase's 6 requirements" in example_review
    assert "nothing was run" in example_review.split("## What could not be checked, and why\n", 1)[1]


def test_a_bare_plan_finds_its_siblings_on_disk(example: Path) -> None:
    plan = (example / ".planning/phases/02-import-export/02-03-PLAN.md").read_bytes()
    concerns = "\n".join(_concerns(review_of(plan, example)))
    assert "`depends_on` names `02-04`, and there is no such plan" in concerns
    assert "02-03-PLAN.md:6" in concerns


def test_a_prompt_without_a_trace_of_a_fault_gives_no_concern(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("def run():\n    pass\n", encoding="utf-8")
    review = review_of(b"# Plan\n\nChange `run()` in `app.py:1`.\n", tmp_path)
    assert _concerns(review) == []
    assert "no concern" in review
    assert "Overall risk: LOW" in review


def test_the_command_reads_standard_input_and_prints_a_review(example: Path) -> None:
    plan = (example / ".planning/phases/02-import-export/02-02-PLAN.md").read_bytes()
    command = [
        sys.executable,
        "-c",
        "import sys; from msd_review.grounding.lane import main; sys.exit(main())",
    ]
    done = subprocess.run(command, input=plan, cwd=example, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "“Task 2: The export command” has no way to be verified" in done.stdout.decode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the prompt holds no plan"),
        (b"  \n", "the prompt holds no plan"),
        (b"\xff\xfe", "the prompt is not UTF-8: byte 0xff at offset 0"),
        (b"x" * (MAX_INPUT_BYTES + 1), "the prompt is larger than 64 MiB"),
    ],
    ids=["empty", "blank", "not-utf8", "too-large"],
)
def test_bad_input_is_a_message_and_exit_status_2(tmp_path: Path, content: bytes, message: str) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from msd_review.grounding.lane import main; sys.exit(main())",
    ]
    done = subprocess.run(command, input=content, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().splitlines()[0] == f"msd-grounding: error: {message}"


def test_help_and_version_need_no_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: msd-grounding [--help] [--version] < PROMPT\n")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"msd-grounding {__version__}\n"
    assert main(["--frob"]) == 2
    assert (
        capsys.readouterr().err
        == "msd-grounding: error: unexpected argument '--frob'\nhint: the prompt comes on stdin; see --help\n"
    )


def test_starting_up_loads_no_parser_and_no_template() -> None:
    code = "import sys; from msd_review.grounding.lane import main; main(['--version']); print(sorted(m for m in sys.modules if m.split('.')[0] in {'tree_sitter','jinja2','markdown_it','pydantic','httpx2','rich'}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
