"""Short commands: what they print is kept within a limit, and nothing of them outlives the deadline."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges.process import Captured, capture, capture_blocking
from tests.faults.process_cases import nothing_left
from tests.lanes.process_fakes import install

MARK = f"probe-{os.getpid()}"


def run(program: Path | str, *arguments: str, **options: Any) -> Captured:
    given: dict[str, Any] = {
        "env": {"PATH": os.defpath},
        "cwd": Path("/"),
        "timeout_s": 20,
        "limit_bytes": 1000,
    }
    return capture_blocking((str(program), *arguments), **(given | options))


def test_both_streams_and_the_status_are_told(tmp_path: Path) -> None:
    done = run(install(tmp_path, "answers"), stdin=b"a prompt")
    assert done == Captured(exit_status=0, stdout=b"read 8 bytes\n", stderr=b"on stderr\n")
    assert run(install(tmp_path, "exits"), "3").exit_status == 3


def test_output_past_the_limit_is_cut_and_said(tmp_path: Path) -> None:
    done = run(install(tmp_path, "writes"), "300000")
    assert (done.exit_status, done.stdout, done.is_cut) == (0, b"y" * 1000, True)


def test_output_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    done = run(install(tmp_path, "writes"), "1000")
    assert (len(done.stdout), done.is_cut) == (1000, False)


@pytest.mark.parametrize("name", ["ignores_term", "fork_storm", "floods", "closes_stdout"])
def test_nothing_outlives_the_deadline(tmp_path: Path, name: str) -> None:
    with nothing_left(MARK):
        done = run(install(tmp_path, name), timeout_s=0.5, marker=MARK)
    assert (done.exit_status, done.timed_out) == (None, True)


def test_a_grandchild_that_holds_the_pipe_is_ended_too(tmp_path: Path) -> None:
    with nothing_left(MARK):
        done = run(install(tmp_path, "holds_pipe"), marker=MARK)
    assert (done.exit_status, done.stdout) == (0, b"done\n")


def test_a_daemon_with_the_mark_is_ended_too(tmp_path: Path) -> None:
    with nothing_left(MARK):
        run(install(tmp_path, "daemonises"), "300", marker=MARK)


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    done = run(tmp_path / "missing")
    assert (done.exit_status, done.problem) == (None, f"No such file or directory: {tmp_path / 'missing'}")
    assert run("/bin/echo", "a\0b").problem == "embedded null byte"


def test_it_can_be_called_below_a_running_event_loop(tmp_path: Path) -> None:
    async def main() -> Captured:
        return run("/bin/echo", "hi")

    assert asyncio.run(main()).stdout == b"hi\n"


def test_a_cancelled_probe_leaves_nothing(tmp_path: Path) -> None:
    program = install(tmp_path, "ignores_term")

    async def main() -> None:
        probing = asyncio.create_task(
            capture((str(program),), env={}, cwd=Path("/"), timeout_s=60, limit_bytes=100, marker=MARK)
        )
        await asyncio.sleep(0.3)
        probing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probing

    with nothing_left(MARK):
        asyncio.run(asyncio.wait_for(main(), 20))


def test_many_at_once_are_one_wait() -> None:
    async def main() -> list[Captured]:
        one = (sys.executable, "-IS", "-c", "import time; time.sleep(1); print(1)")
        calls = [
            capture(one, env={}, cwd=Path("/"), timeout_s=30, limit_bytes=100, marker=f"{MARK}/{n}")
            for n in range(12)
        ]
        return await asyncio.gather(*calls)

    assert [done.stdout for done in asyncio.run(asyncio.wait_for(main(), 11))] == [b"1\n"] * 12
