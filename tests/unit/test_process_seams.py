"""The small seams around processes: who a process is, a wish to stop, the terminal, the faults, the run's key."""

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges import faults, process_table
from msd_review.edges.stopping import AT_ONCE, POLITELY, StopSignal
from msd_review.invocation import HttpInvocation
from msd_review.manifest.model import HttpInvoke
from msd_review.run import store, sweep
from msd_review.run.interrupts import stop_on_signals
from msd_review.run.keys import lane_key
from tests.lane_samples import invocation, lane

SOURCE = Path(faults.__file__).parent.parent


def test_a_process_is_told_apart_from_one_that_is_gone() -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    who = process_table.identify(process.pid)
    assert who is not None
    assert process_table.is_alive(who)
    assert not process_table.is_alive(replace(who, started="0"))
    process.kill()
    while process_table.is_alive(who):  # dead, and not yet buried: gone all the same
        pass
    process.wait()
    assert process_table.identify(process.pid) is None


def test_children_are_found_however_deep() -> None:
    process = subprocess.Popen(["/bin/sh", "-c", "sh -c 'sleep 60; true'; true"])
    try:
        while len(found := process_table.descendants(process.pid)) < 2:
            pass
        assert process_table.descendants(os.getpid())[0] == process.pid
    finally:
        process_table.send([*found, process.pid], signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("pid", [-1, 0, 1])
def test_numbers_that_mean_everybody_are_never_signalled(pid: int) -> None:
    process_table.send([pid], signal.SIGCONT)
    process_table.send_group(pid, signal.SIGCONT)
    assert process_table.descendants(pid) == []


def test_a_wish_to_stop_is_told_to_everyone_who_listens() -> None:
    stop, told = StopSignal(), []
    leave = stop.listen(lambda: told.append(stop.level))
    for _ in range(4):
        stop.ask()
    assert told == [POLITELY, AT_ONCE]
    stop.listen(lambda: told.append(10))
    assert told[-1] == 10
    leave()
    assert stop.asked()


def test_signals_mean_what_they_meant_before_once_a_run_is_over() -> None:
    before = signal.getsignal(signal.SIGTERM)

    async def main() -> int:
        async with stop_on_signals(StopSignal()) as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.05)
            return stop.level

    assert asyncio.run(main()) == POLITELY
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_closed_terminal_is_no_wish_to_stop_below_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def main() -> int:
        async with stop_on_signals(StopSignal()) as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.05)
            return stop.level

    try:
        assert asyncio.run(main()) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_terminal_is_given_back_as_it_was() -> None:
    script = (
        "import sys, termios, tty\n"
        "from msd_review.edges.terminal import restored_terminal\n"
        "try:\n"
        "    with restored_terminal():\n"
        "        tty.setraw(0)\n"
        "        raise KeyError\n"
        "except KeyError:\n"
        "    pass\n"
    )
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    subprocess.run([sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs, check=True)
    assert termios.tcgetattr(theirs) == before
    assert b"\x1b[?25h" in os.read(ours, 1000)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"MSD_FAULT": "run.recorded", "MSD_FAULT_TOKEN": "kill-me"}, -signal.SIGKILL),
        ({"MSD_FAULT": "run.recorded:2", "MSD_FAULT_TOKEN": "kill-me"}, -signal.SIGKILL),
        ({"MSD_FAULT": "run.recorded:3", "MSD_FAULT_TOKEN": "kill-me"}, 0),
        ({"MSD_FAULT": "run.finished", "MSD_FAULT_TOKEN": "kill-me"}, 0),
        ({"MSD_FAULT": "run.recorded"}, 0),
        ({"MSD_FAULT": "run.recorded", "MSD_FAULT_TOKEN": "yes"}, 0),
        ({}, 0),
    ],
)
def test_a_fault_needs_a_name_and_the_token(given: dict[str, str], status: int) -> None:
    script = "from msd_review.edges.faults import fault_point\nfor _ in range(2): fault_point('run.recorded')"
    assert subprocess.run([sys.executable, "-c", script], env=given, check=False).returncode == status


def test_every_fault_point_of_the_runner_is_on_the_list() -> None:
    texts = [path.read_text() for folder in ("run", "edges") for path in (SOURCE / folder).glob("*.py")]
    used = {name for text in texts for name in re.findall(r'(?:fault_point|armed)\("([^"]+)"\)', text)}
    assert used <= set(faults.POINTS)
    assert len(used) >= 20


def test_a_sweep_ends_what_carries_the_runs_mark_and_is_younger() -> None:
    runs = store.runs_folder()
    run = store.new_run(runs, subject="s", title="s", command="review", root=None)
    mark = {process_table.MARK: sweep.lane_mark(run.id, "acme", 1)}
    child = subprocess.Popen(["/bin/sleep", "60"], env=mark, start_new_session=True)
    other = subprocess.Popen(["/bin/sleep", "60"], env={process_table.MARK: "20261201T000000Z-0000/acme/1"})
    unmarked = subprocess.Popen(["/bin/sleep", "60"], env={})
    try:
        assert sweep.sweep_run(run) == 0
        assert child.wait(10) == -signal.SIGKILL
        assert (other.poll(), unmarked.poll()) == (None, None)
    finally:
        for process in (child, other, unmarked):
            process.kill()
            process.wait()


def test_a_mark_alone_ends_nobody_when_the_start_time_does_not_fit() -> None:
    runs = store.runs_folder()
    run = store.new_run(runs, subject="s", title="s", command="review", root=None)
    assert run.owner is not None
    child = subprocess.Popen(
        ["/bin/sleep", "60"], env={process_table.MARK: sweep.lane_mark(run.id, "acme", 1)}
    )
    try:
        assert sweep.sweep_run(replace(run, owner=replace(run.owner, started="99999999999"))) == 0
        assert sweep.sweep_run(replace(run, owner=replace(run.owner, boot="another"))) == 0
        assert sweep.sweep_run(replace(run, owner=None)) == 0
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()


def test_the_next_command_sweeps_a_crashed_run_once() -> None:
    runs = store.runs_folder()
    script = (
        "import os, subprocess\n"
        "from msd_review.run import store, sweep\n"
        "from msd_review.edges.process_table import MARK\n"
        "run = store.new_run(store.runs_folder(), subject='s', title='s', command='review', root=None)\n"
        "mark = {MARK: sweep.lane_mark(run.id, 'acme', 1)}\n"
        "subprocess.Popen(['/bin/sleep', '60'], env=mark, start_new_session=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    (run,) = store.list_runs(runs)
    assert (run.state, run.ended_at) == ("crashed", "")
    assert len(process_table.marked(lambda mark: mark.startswith(run.id))) == 1
    assert sweep.sweep_crashed(runs) == (run.id,)
    assert process_table.marked(lambda mark: mark.startswith(run.id)) == []
    assert sweep.sweep_crashed(runs) == ()
    assert store.list_runs(runs)[0].state == "crashed"


def key(folder: Path, *, prompt: bytes = b"prompt", tree: str = "tree", **fields: Any) -> str:
    folder.mkdir(exist_ok=True)
    given: dict[str, Any] = {
        "argv": ("acme", "-o", str(folder / "out.md"), f"read {folder}/prompt.md"),
        "output_path": folder / "out.md",
    }
    what = invocation(folder, **(given | fields))
    return lane_key(what, prompt=prompt, tree_state=tree, run_folder=folder)


def test_the_same_call_in_another_run_has_the_same_key(tmp_path: Path) -> None:
    first = key(tmp_path / "one")
    assert re.fullmatch(r"sha256-[0-9a-f]{64}", first)
    assert key(tmp_path / "two") == first
    assert key(tmp_path / "one", timeout_ms=5, named=True, notices=("n",)) == first


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": b"other"},
        {"tree": "other"},
        {"argv": ("acme", "--deep")},
        {"env": {"A": "1"}},
        {"model": "m"},
        {"effort": "high"},
        {"identity": "acme-two"},
        {"lane": lane("other")},
        {"stdin": False},
    ],
)
def test_whatever_the_answer_depends_on_changes_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    assert key(tmp_path / "one", **change) != key(tmp_path / "one")


def test_an_http_lanes_destination_and_model_are_in_its_key(tmp_path: Path) -> None:
    invoke = HttpInvoke(
        host_config_key="review.hosts.acme", path="/v1/chat/completions", model_discovery="none"
    )
    what = HttpInvocation(
        identity="acme",
        lane=lane("acme", transport="openai-http", invoke=invoke),
        invoke=invoke,
        host="http://127.0.0.1:1",
        host_config_key="review.hosts.acme",
        host_origin="user",
        url="http://127.0.0.1:1/v1/chat/completions",
        models_url=None,
        prompt_path=tmp_path / "prompt.md",
        model=None,
        fallback_model=None,
        timeout_ms=1,
    )

    def key_of(**fields: Any) -> str:
        return lane_key(replace(what, **fields), prompt=b"p", tree_state="t", run_folder=tmp_path)

    assert key_of() == key_of(timeout_ms=2, prompt_path=tmp_path / "other.md")
    assert len({key_of(), key_of(model="m"), key_of(host="http://127.0.0.1:2"), key_of(max_tokens=5)}) == 4
