"""`kill -9` of `msd review` wherever it is: what a reviewer delivered is never paid for twice, and nothing is left."""

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.cli_cases import counting, is_quiet, lanes, noted, starts, written
from tests.faults.preloaded import Preloaded
from tests.installed import Desk, example_desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# In the order in which a review reaches them.
BEFORE_THE_REVIEWER = [
    "run.folder_made",
    "run.recorded",
    "workspace.copying",
    "workspace.copied",
    "journal.before_append",
    "journal.half_line",
    "journal.appended",
    "journal.synced",
    "files.temporary_written",
    "lane.queued",
    "lane.starting",
    "process.starting",
]
WHILE_IT_WORKS = [
    "process.started",
    "process.first_output",
    "process.ended",
    "lane.attempt_ended",
    "lane.ended",
    "lane.text_written",
    "journal.half_line:4",
]
ONCE_IT_DELIVERED = [
    "workspace.removing",
    "lane.recorded",
    "resume.adopting",
    "journal.half_line:3",
    "files.temporary_written:2",
    "report.before_write",
    "files.temporary_written:4",
    "report.markdown_written",
    "files.temporary_written:5",
    "report.json_written",
    "report.done",
    "run.finishing",
    "sweep.killing",
    "run.finished",
]


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preloaded]:
    with Preloaded(tmp_path_factory.mktemp("preloaded")) as one:
        yield one


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = counting(example_desk(tmp_path))
    made.claude(before=noted("claude"))
    return made


def review(preloaded: Preloaded, desk: Desk, fault: str = "") -> tuple[int, str]:
    env = {**desk.env(), "MSD_FAULT": fault, "MSD_FAULT_TOKEN": "kill-me"}
    command = ["review", "--phase", "2", "--claude", "--isolate", "--resume"]
    status, _, err = preloaded.run(command, env=env, cwd=desk.project)
    assert "Traceback" not in err, err
    return status, err


def killed(preloaded: Preloaded, desk: Desk, point: str) -> None:
    status, told = review(preloaded, desk, point)
    assert status == -signal.SIGKILL, f"{point} was not reached: {told}"
    written(desk)


def finished(preloaded: Preloaded, desk: Desk) -> None:
    """The resume at the end delivers, and the list of runs shows every run that there was."""
    status, told = review(preloaded, desk)
    assert status == 0, told
    document = written(desk)
    assert document is not None
    assert lanes(document) == {"claude": ("review", None)}
    is_quiet(desk)
    rows = runs(preloaded, desk)
    assert rows[0]["state"] == "finished"
    assert {row["state"] for row in rows[1:]} <= {"crashed", "broken", "finished"}
    assert len(rows) == len(list((desk.state / "runs").iterdir()))


def runs(preloaded: Preloaded, desk: Desk) -> list[dict[str, Any]]:
    status, out, _ = preloaded.run(["runs", "list", "--json"], env=desk.env(), cwd=desk.project)
    assert status == 0
    found: list[dict[str, Any]] = json.loads(out)["runs"]
    return found


def test_a_review_killed_before_its_reviewer_starts_starts_it_once_in_the_end(
    preloaded: Preloaded, desk: Desk
) -> None:
    for point in BEFORE_THE_REVIEWER:
        killed(preloaded, desk, point)
        assert starts(desk) == 0
        assert written(desk) is None
    finished(preloaded, desk)
    assert starts(desk) == 1


def test_a_review_killed_while_its_reviewer_works_runs_it_again(preloaded: Preloaded, desk: Desk) -> None:
    for point in WHILE_IT_WORKS:
        before = starts(desk)
        killed(preloaded, desk, point)
        assert starts(desk) <= before + 1
        assert written(desk) is None
    before = starts(desk)
    finished(preloaded, desk)
    assert starts(desk) == before + 1


def test_a_review_killed_after_its_reviewer_delivered_never_runs_it_again(
    preloaded: Preloaded, desk: Desk
) -> None:
    for point in ONCE_IT_DELIVERED:
        killed(preloaded, desk, point)
        assert starts(desk) == 1, point
    finished(preloaded, desk)
    assert starts(desk) == 1
