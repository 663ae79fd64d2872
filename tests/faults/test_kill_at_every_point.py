"""`kill -9` of a run at every point of it: no finished lane is lost or started again, and nothing is left."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from msd_review.edges import process_table
from msd_review.run.journal import finished_lanes, read_journal
from msd_review.run.store import RunInfo, list_runs, runs_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

KILLED_AT = [
    "run.folder_made",
    "run.recorded",
    "journal.before_append",
    "journal.half_line",
    "journal.half_line:3",
    "journal.appended:2",
    "journal.synced:4",
    "lane.queued:3",
    "lane.starting:4",
    "lane.attempt_ended",
    "lane.ended:2",
    "lane.text_written:3",
    "lane.recorded",
    "lane.recorded:4",
    "process.starting:2",
    "process.started:3",
    "process.first_output:4",
    "process.ending",
    "process.ended:3",
    "run.finishing",
    "run.finished",
]


def drive(folder: Path, *arguments: str, fault: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MSD_FAULT": fault, "MSD_FAULT_TOKEN": "kill-me"}
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.run_driver", str(folder), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )


def _marked(runs: tuple[RunInfo, ...]) -> list[int]:
    ids = {run.id for run in runs}
    return process_table.marked(lambda mark: mark.partition("/")[0] in ids)


def _starts(folder: Path) -> Counter[str]:
    path = folder / "starts"
    return Counter(path.read_text().split()) if path.exists() else Counter()


def _reviews(runs: tuple[RunInfo, ...]) -> set[str]:
    lanes = [lane for run in runs for lane in finished_lanes(read_journal(run.folder), run.folder)[0]]
    return {lane.result.identity for lane in lanes if lane.text_sha256 is not None}


@pytest.mark.parametrize("point", KILLED_AT)
def test_a_run_killed_here_is_resumed_without_losing_a_finished_lane(tmp_path: Path, point: str) -> None:
    killed = drive(tmp_path, fault=point)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    crashed = list_runs(runs_folder())
    kept, started = _reviews(crashed), _starts(tmp_path)
    resumed = drive(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    told = dict(line.split(" ", 1) for line in resumed.stdout.splitlines())
    fresh = {name for name in "abc" if name not in kept}
    assert {name: told[name] for name in "abc"} == {
        name: f"review {'run' if name in fresh else 'reused'}" for name in "abc"
    }
    assert _starts(tmp_path) == started + Counter(fresh)
    runs = list_runs(runs_folder())
    assert runs[0].state == "finished"
    assert {run.state for run in runs[1:]} <= {"crashed", "broken", "finished"}
    assert _marked(runs) == []


@pytest.mark.parametrize(
    "point", ["sweep.killing", "resume.adopting", "resume.adopting:2", "journal.half_line:2"]
)
def test_a_resume_that_is_killed_itself_can_be_resumed(tmp_path: Path, point: str) -> None:
    """What the first run finished is not yet in the second one's journal, or only half."""
    assert drive(tmp_path, fault="lane.recorded:3").returncode == -signal.SIGKILL
    kept, started = _reviews(list_runs(runs_folder())), _starts(tmp_path)
    assert len(kept) >= 2
    assert drive(tmp_path, "resume", fault=point).returncode == -signal.SIGKILL
    resumed = drive(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr
    assert _starts(tmp_path) - started == Counter({"a", "b", "c"} - kept)
    assert list_runs(runs_folder())[0].state == "finished"


def test_a_removal_that_is_killed_leaves_no_half_run(tmp_path: Path) -> None:
    for _ in range(2):
        assert drive(tmp_path).returncode == 0
    script = (
        "from datetime import UTC, datetime, timedelta\n"
        "from msd_review.run.store import clean, runs_folder\n"
        "print(clean(runs_folder(), keep=0, max_age=timedelta(0), now=datetime.now(UTC)))\n"
    )
    fault = {"MSD_FAULT": "clean.removing", "MSD_FAULT_TOKEN": "kill-me"}
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, env=os.environ | fault).returncode == -signal.SIGKILL
    (left,) = list_runs(runs_folder())
    assert left.state == "finished"
    subprocess.run(command, check=True)
    assert [path.name for path in runs_folder().iterdir()] == [left.id]


def _d_has_begun() -> bool:
    outputs = (run.folder / "lanes" / "d" / "stdout" for run in list_runs(runs_folder()))
    return any(path.exists() and path.stat().st_size > 0 for path in outputs)


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.faults.run_driver", str(folder), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not {"a", "b", "c"} <= set(_starts(folder)) or ("stubborn" in arguments and not _d_has_begun()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def test_the_first_interrupt_ends_politely_and_is_recorded(tmp_path: Path) -> None:
    process = _start(tmp_path, "stubborn")
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "d cancelled run" in told.splitlines()
    run = list_runs(runs_folder())[0]
    assert (run.state, _marked((run,))) == ("interrupted", [])


def test_a_second_interrupt_does_not_wait_for_politeness(tmp_path: Path) -> None:
    process = _start(tmp_path, "stubborn")
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert time.monotonic() - started < 15
    assert _marked(list_runs(runs_folder())) == []


def test_a_third_interrupt_ends_msd_itself_and_still_nothing_is_left(tmp_path: Path) -> None:
    process = _start(tmp_path, "stubborn")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
        time.sleep(0.01)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 20
    while _marked(list_runs(runs_folder())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_runs_in_one_second_share_nothing(tmp_path: Path) -> None:
    first, second = (tmp_path / "one", tmp_path / "two")
    for folder in (first, second):
        folder.mkdir()
    both = [_start(folder) for folder in (first, second)]
    for process in both:
        process.communicate(timeout=30)
        assert process.returncode == 0
    runs = list_runs(runs_folder())
    assert len({run.folder for run in runs}) == 2
    assert [run.state for run in runs] == ["finished", "finished"]
    for run in runs:
        assert len(finished_lanes(read_journal(run.folder), run.folder)[0]) == 4
