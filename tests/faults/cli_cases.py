"""What the tests of a faulty `msd review` share: reviewers that misbehave, and what must hold after each command."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from msd_review.edges import process_table
from msd_review.outcomes import Outcome, Reason
from tests.installed import MSD, Desk

PHASE = ".planning/phases/02-import-export"
COUNT = "STARTS"


def noted(name: str) -> str:
    """A line for a reviewer that notes its start."""
    return f"open(os.environ[{COUNT!r}], 'a').write('{name}\\n')"


def counting(desk: Desk) -> Desk:
    desk.extra_env[COUNT] = str(desk.base / "starts")
    return desk


def starts(desk: Desk, name: str = "claude") -> int:
    path = desk.base / "starts"
    return path.read_text().split().count(name) if path.exists() else 0


def start(desk: Desk, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*MSD, *arguments],
        cwd=desk.project,
        env=desk.env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_folders(desk: Desk) -> list[Path]:
    runs = desk.state / "runs"
    return sorted(runs.iterdir()) if runs.is_dir() else []


def marked(desk: Desk) -> list[int]:
    """The processes that carry the mark of one of the desk's runs."""
    ids = {folder.name for folder in run_folders(desk)}
    return process_table.marked(lambda mark: mark.partition("/")[0] in ids)


def leftovers(desk: Desk) -> list[str]:
    """Copies, temporary files and working files that should be gone once a run has ended."""
    found = []
    for place in (desk.project, desk.state, desk.msd_home, desk.base / "home"):
        for path in place.rglob("*"):
            inside = path.relative_to(desk.base).as_posix()
            is_working = (
                path.suffix == ".tmp" or path.name in {"copies", ".msd-prompt.md"} or ".msd/tmp" in inside
            )
            if is_working and ".git/" not in inside:
                found.append(inside)
    return found


def written(desk: Desk) -> Any:
    """The report, or None where there is none; fails for a half-written one."""
    folder = desk.project / PHASE
    found = list(folder.glob("*-REVIEWS.json"))
    for markdown in folder.glob("*-REVIEWS.md"):
        assert "## Verification Coverage" in markdown.read_text(encoding="utf-8")
    return json.loads(found[0].read_text(encoding="utf-8")) if found else None


def lanes(document: Any) -> dict[str, tuple[str, str | None]]:
    """identity → outcome and reason, each of the closed lists."""
    told = {one["identity"]: (one["outcome"], one["reason"]) for one in document["reviewers"]}
    for outcome, reason in told.values():
        Outcome(outcome)
        assert (reason is None) == (outcome == Outcome.REVIEW)
        assert reason is None or Reason(reason)
    return told


def is_quiet(desk: Desk) -> None:
    """Nothing of any run is left, neither processes nor files."""
    alive = marked(desk)
    assert alive == [], alive
    left = leftovers(desk)
    assert left == [], left


def is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0
