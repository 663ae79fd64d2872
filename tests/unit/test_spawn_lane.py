"""One approved command: what it is given, and how its end is told."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges import process_table
from msd_review.run.result import Ending
from msd_review.run.spawn_lane import SpawnPlace, run_spawn
from tests.lane_samples import approved, invocation
from tests.lanes.process_fakes import install

Done = Any
MARK = f"run-{os.getpid()}/acme/1"


def spawn(tmp_path: Path, program: str, *arguments: str, is_done: Done = None, **fields: Any) -> Ending:
    folder = tmp_path / "lane"
    folder.mkdir(mode=0o700, exist_ok=True)
    binary = install(tmp_path / "bin", program)
    what = invocation(tmp_path, argv=("declared-name", *arguments), **fields)
    place = SpawnPlace(folder=folder, cwd=tmp_path, env={"PATH": os.defpath}, marker=MARK)
    return asyncio.run(asyncio.wait_for(run_spawn(approved(binary, what), place, is_done=is_done), 60))


def test_the_approved_binary_is_started_and_gets_the_prompt(tmp_path: Path) -> None:
    ending = spawn(tmp_path, "answers")
    assert (ending.kind, ending.exit_status, ending.problem) == ("exited", 0, None)
    assert ending.stdout_path.read_text() == "read 25 bytes\n"
    assert ending.stderr_path.read_text() == "on stderr\n"
    assert (ending.stdout_bytes, ending.stderr_bytes) == (14, 10)
    assert ending.output_path is None


def test_a_lane_without_stdin_reads_nothing(tmp_path: Path) -> None:
    assert spawn(tmp_path, "answers", stdin=False).stdout_path.read_text() == "read 0 bytes\n"


def test_an_output_file_from_before_is_never_taken_for_this_runs(tmp_path: Path) -> None:
    old = tmp_path / "output.md"
    old.write_text("an old review")
    ending = spawn(tmp_path, "answers", output_path=old)
    assert ending.output_path is None
    assert not old.exists()


def test_the_output_file_that_was_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "output.md"
    ending = spawn(tmp_path, "writes_file", str(path), output_path=path)
    assert ending.output_path == path
    assert path.read_text() == "the review"


def test_a_link_in_place_of_the_output_file_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    link = tmp_path / "output.md"
    ending = spawn(tmp_path, "links", str(secret), str(link), output_path=link)
    assert (ending.kind, ending.output_path) == ("exited", None)


def test_a_folder_in_place_of_the_output_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "output.md").mkdir()
    ending = spawn(tmp_path, "answers", output_path=tmp_path / "output.md")
    assert (ending.kind, ending.problem) == (
        "spawn_failed",
        f"{tmp_path / 'output.md'} is in the way: Is a directory",
    )


def test_a_finished_answer_of_a_tool_that_hangs_is_marked(tmp_path: Path) -> None:
    seen: list[bytes] = []

    def is_done(stdout: bytes) -> bool:
        seen.append(stdout)
        return stdout.endswith(b'"a whole answer"}\n')

    ending = spawn(tmp_path, "never_exits", is_done=is_done)
    assert (ending.kind, ending.killed_after_reply) == ("timeout", True)
    assert seen == [ending.stdout_path.read_bytes()]


def test_a_hang_without_an_answer_is_a_timeout(tmp_path: Path) -> None:
    ending = spawn(tmp_path, "never_exits", is_done=lambda stdout: False, timeout_ms=1500)
    assert (ending.kind, ending.killed_after_reply) == ("timeout", False)


def test_the_lanes_idle_timeout_holds(tmp_path: Path) -> None:
    ending = spawn(tmp_path, "closes_stdout", idle_timeout_ms=400)
    assert (ending.kind, ending.problem) == ("idle_timeout", "no output for 0.4 s")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_question_to_log_in_ends_the_lane_long_before_its_deadline(tmp_path: Path, stream: str) -> None:
    question = "Opening authentication page in your browser. Do you want to continue? [Y/n]:"
    ending = spawn(tmp_path, "asks_to_log_in", question, stream)
    assert ending.kind == "login_prompt"
    assert ending.duration_ms < 15_000


def test_a_question_that_the_prompt_itself_holds_is_only_an_echo(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("The plan says:\nEnter your password:")
    ending = spawn(tmp_path, "asks_to_log_in", "Enter your password:", "stderr", timeout_ms=1800)
    assert ending.kind == "timeout"


def test_what_a_lane_leaves_behind_carries_its_own_mark_only(tmp_path: Path) -> None:
    spawn(tmp_path, "daemonises", "300")
    assert process_table.marked(lambda mark: mark == MARK) == []
