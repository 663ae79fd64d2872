"""The page "Ship a reviewer lane", typed word for word into a shell, ends in a working third-party lane."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs_pages import HOW_TO, Fence, Step, fences, shows, steps

PAGE = HOW_TO / "ship-a-reviewer-lane.md"
MARK = "@@step@@"


def _write(fence: Fence, folder: Path) -> str:
    """A piece of shell that writes the file, at the very place in the page where it is told."""
    assert fence.file is not None
    return f'mkdir -p "$(dirname {fence.file})"\ncat > {fence.file} <<"END_OF_PAGE_FILE"\n{fence.body}END_OF_PAGE_FILE\n'


def _script(folder: Path) -> tuple[str, list[Step]]:
    parts, told = ["set -euo pipefail\n"], []
    for fence in fences(PAGE.read_text(encoding="utf-8")):
        if fence.file is not None:
            parts.append(_write(fence, folder))
        elif fence.language == "console":
            for step in steps(fence):
                parts.append(f"{step.command}\necho {MARK}\n")
                told.append(step)
    return "".join(parts), told


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list[Step], str]:
    base = tmp_path_factory.mktemp("lane-author")
    folder = base / "work"
    folder.mkdir()
    script, told = _script(folder)
    commands = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(base),
            "MSD_HOME": str(base / "msd-home"),
            "MSD_STATE_DIR": str(base / "state"),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return folder, done.stdout, told, done.stderr


def test_every_command_of_the_page_prints_what_the_page_shows(
    followed: tuple[Path, str, list[Step], str],
) -> None:
    _, printed, told, complaints = followed
    outputs = printed.split(f"{MARK}\n")
    assert len(outputs) == len(told) + 1
    for output, step in zip(outputs, told, strict=False):
        assert shows(output, step.shown), (
            f"$ {step.command}\nprinted:\n{output}\nshown: {step.shown}\n{complaints}"
        )


def test_the_review_of_the_page_holds_the_finding_of_the_new_lane(
    followed: tuple[Path, str, list[Step], str],
) -> None:
    folder, *_ = followed
    document = json.loads((folder / "project" / "PLAN.REVIEWS.json").read_text(encoding="utf-8"))
    assert [(one["identity"], one["outcome"]) for one in document["reviewers"]] == [("acme", "review")]
    citations = [cited for finding in document["findings"] for cited in finding["citations"]]
    assert [(cited["path"], cited["line"], cited["verdict"]) for cited in citations] == [
        ("PLAN.md", 4, "verified")
    ]
