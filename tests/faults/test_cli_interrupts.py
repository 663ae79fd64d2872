"""Ctrl-C and TERM at a `msd review`: what is complete is kept and written, children end, and a resume does the rest."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.cli_cases import counting, is_quiet, lanes, noted, run_folders, start, starts, written
from tests.installed import REVIEW, Desk, example_desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

TWO = ("review", "--phase", "2", "--claude", "--codex")
# A reviewer with a child of its own in a session of its own, both asleep; quick once the file `quick` exists.
SLOW = f"""
if not os.path.exists(os.environ["STARTS"] + ".quick"):
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    {noted("codex")}
    time.sleep(600)
{noted("codex")}
"""
STUBBORN = (
    "import signal\nfor number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)\n"
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return counting(example_desk(tmp_path))


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited for nothing"
        time.sleep(0.02)


def under_way(desk: Desk, *, finished: bool = True) -> "subprocess.Popen[str]":
    """A review whose second reviewer works and whose first has delivered, if it is one that does."""
    process = start(desk, *TWO)

    def is_so() -> bool:
        journals = [folder / "journal.jsonl" for folder in run_folders(desk)]
        done = any('"lane_finished"' in path.read_text() for path in journals if path.exists())
        return starts(desk, "codex") == 1 and (done or not finished)

    wait_until(is_so)
    return process


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, told = process.communicate(timeout=60)
    assert "Traceback" not in told, told
    return process.returncode, told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_interrupt_writes_the_partial_review_and_a_resume_runs_the_rest(
    desk: Desk, number: signal.Signals
) -> None:
    desk.claude(before=noted("claude"))
    desk.codex(before=SLOW)
    process = under_way(desk)
    process.send_signal(number)
    code, told = ended(process)
    assert code == 130, told
    document = written(desk)
    assert document["interrupted"] is True
    assert lanes(document) == {"claude": ("review", None), "codex": ("cancelled", "cancelled")}
    markdown = next((desk.project / ".planning/phases/02-import-export").glob("*-REVIEWS.md")).read_text()
    assert "## Codex Review" in markdown
    assert "normalize_url" in markdown
    is_quiet(desk)
    (run,) = desk.run("runs", "list", "--json").document["runs"]
    assert (run["state"], run["exit_code"]) == ("interrupted", 130)
    shown = desk.run("runs", "show", run["run"], "--json").document
    assert {one["identity"]: one["outcome"] for one in shown["reviewers"]} == {
        "claude": "review",
        "codex": "cancelled",
    }
    assert '"run_ended","interrupted":true' in (run_folders(desk)[0] / "journal.jsonl").read_text()
    Path(desk.extra_env["STARTS"] + ".quick").touch()
    resumed = desk.run(*TWO, "--resume", "--json")
    assert resumed.code == 0, resumed.err
    assert resumed.document["interrupted"] is False
    assert lanes(resumed.document) == {"claude": ("review", None), "codex": ("review", None)}
    assert (starts(desk, "claude"), starts(desk, "codex")) == (1, 2)


def test_a_second_interrupt_ends_a_reviewer_that_will_not_listen(desk: Desk) -> None:
    desk.claude(before=noted("claude"))
    desk.codex(before=STUBBORN + SLOW)
    process = under_way(desk)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, told = ended(process)
    assert code == 130, told
    assert time.monotonic() - started < 30
    assert lanes(written(desk))["claude"] == ("review", None)
    is_quiet(desk)


def test_an_interrupt_before_anything_was_delivered_is_one_all_the_same(desk: Desk) -> None:
    desk.claude(before="time.sleep(600)")
    desk.codex(before=SLOW)
    process = under_way(desk, finished=False)
    process.send_signal(signal.SIGINT)
    code, told = ended(process)
    assert code == 130, told
    assert set(lanes(written(desk)).values()) == {("cancelled", "cancelled")}
    is_quiet(desk)


def test_a_finished_answer_of_a_tool_that_does_not_exit_is_kept_when_interrupted(desk: Desk) -> None:
    answer = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": REVIEW})
    desk.program(
        "claude", f"sys.stdin.read()\nprint({answer!r}, flush=True)\n{noted('claude')}\ntime.sleep(600)"
    )
    desk.codex(before=SLOW)
    process = start(desk, *TWO)
    wait_until(lambda: starts(desk) == 1 and starts(desk, "codex") == 1)
    process.send_signal(signal.SIGINT)
    code, told = ended(process)
    assert code == 130, told
    document = written(desk)
    assert lanes(document) == {"claude": ("review", None), "codex": ("cancelled", "cancelled")}
    assert next(one for one in document["reviewers"] if one["identity"] == "claude")["marks"] == [
        "killed_after_reply"
    ]
    is_quiet(desk)


def test_two_reviews_of_one_phase_at_once_both_end_well(desk: Desk) -> None:
    desk.claude(before=f"time.sleep(0.5)\n{noted('claude')}")
    both = [start(desk, "review", "--phase", "2", "--claude", "--isolate") for _ in range(2)]
    for process in both:
        code, told = ended(process)
        assert code == 0, told
    assert starts(desk) == 2
    assert lanes(written(desk)) == {"claude": ("review", None)}
    rows = desk.run("runs", "list", "--json").document["runs"]
    assert [row["state"] for row in rows] == ["finished", "finished"]
    is_quiet(desk)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_the_review_is_still_being_prepared_starts_nobody(
    desk: Desk, number: signal.Signals
) -> None:
    desk.claude(before=noted("claude"))
    process = start(desk, "review", "--phase", "2", "--claude", "--isolate")
    wait_until(lambda: any((folder / "run.json").exists() for folder in run_folders(desk)))
    process.send_signal(number)
    code, told = ended(process)
    assert code == 130, told
    assert starts(desk) == 0
    (run,) = desk.run("runs", "list", "--json").document["runs"]
    assert run["state"] in {"failed", "interrupted"}
    is_quiet(desk)
