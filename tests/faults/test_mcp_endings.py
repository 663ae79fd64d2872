"""Who dies when: the server, its host, the run's process; and what is known afterwards."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges import process_table
from tests.installed import Desk, example_desk
from tests.mcp_samples import Talk, Wire, agree, processes_of, talk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = example_desk(tmp_path)
    desk.claude(before="time.sleep(6)")
    agree(desk, "claude")
    return desk


def _kill_whole_tree(process: subprocess.Popen[bytes]) -> None:
    """As hosts do it: everything below the server first, then the server."""
    for pid in (*process_table.descendants(process.pid), process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait(timeout=30)


def test_a_run_outlives_the_server_and_all_its_children_and_a_new_server_sees_it_end(desk: Desk) -> None:
    with Wire(desk) as wire:
        run = wire.call("start_review", phase="2", reviewers=["claude"])["run"]
        _kill_whole_tree(wire.process)
    assert processes_of(run) != []

    async def conversation(talk: Talk) -> tuple[dict[str, Any], dict[str, Any]]:
        return await talk.ended(run), await talk.call("get_review", run=run)

    status, review = talk(desk, conversation)
    assert (status["state"], status["exit_code"]) == ("finished", 0)
    assert review["counts"]["delivered"] == ["claude"]
    assert desk.run("runs", "show", run, "--json").document["state"] == "finished"


def test_a_run_that_was_killed_is_told_as_crashed_and_what_it_left_is_ended(desk: Desk) -> None:
    with Wire(desk) as wire:
        run = wire.call("start_review", phase="2", reviewers=["claude"])["run"]
        while not wire.call("review_status", run=run)["reviewers"]:
            time.sleep(0.1)
        [pid] = [pid for pid in processes_of(run) if _is_the_run(pid)]
        os.kill(pid, signal.SIGKILL)
        while not (status := wire.call("review_status", run=run))["is_over"]:
            time.sleep(0.1)
        refused = wire.call("get_review", run=run)
        assert wire.end() == 0
    assert (status["state"], status["exit_code"], status["error"]["code"]) == ("crashed", None, "crashed")
    assert status["reviewers"][0]["detail"] == "the run ended before it did"
    assert status["error"]["hint"] == "start it again with resume: what finished is kept"
    assert refused["error"]["code"] == "no_review"


def _is_the_run(pid: int) -> bool:
    return b"\0mcp\0--run\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_cleanly(desk: Desk, number: int) -> None:
    with Wire(desk) as wire:
        wire.process.send_signal(number)
        assert wire.process.wait(timeout=30) == 0
    said = wire.log.read_text(encoding="utf-8").splitlines()
    assert said == [f"msd mcp 0.1.0: serving {desk.project}"]


def test_a_client_that_does_not_read_cannot_keep_the_server_from_ending(desk: Desk) -> None:
    with Wire(desk) as wire:
        for number in range(200):
            wire.send({"jsonrpc": "2.0", "id": 1000 + number, "method": "tools/list"})
        time.sleep(1)
        wire.process.send_signal(signal.SIGTERM)
        assert wire.process.wait(timeout=30) == 0


def test_a_run_that_ends_in_an_error_before_anything_ran_says_which(desk: Desk) -> None:
    plan = next((desk.project / ".planning" / "phases" / "02-import-export").glob("*PLAN.md"))
    plan.write_text(
        plan.read_text(encoding="utf-8") + "\nkey = AKIA" + "QYLPMN5HFIQR7XYA\n",
        encoding="utf-8",
    )
    with Wire(desk) as wire:
        run = wire.call("start_review", phase="2", reviewers=["claude"])["run"]
        while not (status := wire.call("review_status", run=run, wait_seconds=20))["is_over"]:
            pass
        assert wire.end() == 0
    assert (status["state"], status["exit_code"], status["error"]["code"]) == ("failed", 2, "secret_found")
    assert desk.run("runs", "show", run, "--json").document["state"] == "failed"


def test_a_folder_that_no_server_reserved_cannot_be_run(desk: Desk) -> None:
    run = desk.run("review", "--phase", "2", "--grounding", "--json").document["run"]
    ended = desk.run("mcp", "--run", run)
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        f"msd: error: the run {run} was not reserved, or has begun already",
    )


def test_without_the_extra_the_command_says_how_to_get_it(desk: Desk, tmp_path: Path) -> None:
    blocker = tmp_path / "blocked"
    blocker.mkdir()
    (blocker / "sitecustomize.py").write_text(
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'mcp', 'mcp_types'}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Blocked())\n",
        encoding="utf-8",
    )
    ended = desk.run("mcp", env={"PYTHONPATH": str(blocker)})
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.splitlines() == [
        "msd: error: the MCP server needs the extra `mcp`, which is not installed (no module mcp_types)",
        "hint: pip install 'msd-review[mcp]', or pipx inject msd-review mcp, into the environment that msd runs from",
    ]
    assert desk.run("mcp", "--help", env={"PYTHONPATH": str(blocker)}).code == 0
