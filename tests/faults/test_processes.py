"""What real programs do to the one who runs them. After each: a typed end, and nothing left behind."""

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from msd_review.edges import process_table
from msd_review.edges.process import Output, ProcessEnd, Verdict, run_process
from msd_review.edges.stopping import StopSignal
from tests.faults.process_cases import nothing_left, run, run_one, spec
from tests.lanes.process_fakes import install

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MIB = 1024 * 1024


def test_a_prompt_is_read_whole_and_the_answer_kept(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt"
    prompt.write_bytes(b"p" * 3 * MIB)
    ran = run(tmp_path, "answers", stdin_path=prompt)
    assert (ran.end.kind, ran.end.exit_status) == ("exited", 0)
    assert ran.stdout == b"read 3145728 bytes\n"
    assert ran.stderr == b"on stderr\n"
    assert (ran.end.stdout_bytes, ran.end.stderr_bytes, ran.end.survivors) == (19, 10, 0)


def test_without_a_prompt_stdin_is_empty(tmp_path: Path) -> None:
    assert run(tmp_path, "answers").stdout == b"read 0 bytes\n"


def test_a_tool_that_never_reads_its_prompt_is_no_failure(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt"
    prompt.write_bytes(b"p" * 5 * MIB)
    ran = run(tmp_path, "ignores_stdin", stdin_path=prompt)
    assert (ran.end.kind, ran.end.exit_status, ran.stdout) == ("exited", 0, b"never read it\n")


@pytest.mark.parametrize("code", [0, 1, 2, 55, 126, 127, 137, 139, -9, -11, -15])
def test_every_exit_status_is_told_as_it_was(tmp_path: Path, code: int) -> None:
    ran = run(tmp_path, "exits", str(code))
    assert (ran.end.kind, ran.end.exit_status, ran.stdout) == ("exited", code, b"about to leave\n")


def test_a_storm_of_children_and_orphans_is_ended(tmp_path: Path) -> None:
    ran = run(tmp_path, "fork_storm", timeout_s=3.0)
    assert (ran.end.kind, ran.end.survivors, ran.stdout) == ("timeout", 0, b"stormed\n")


def test_a_process_that_is_never_the_same_twice_is_ended(tmp_path: Path) -> None:
    ran = run(tmp_path, "endless_forks", timeout_s=0.5)
    assert ran.end.survivors == 0


@pytest.mark.parametrize("environment", ["marked", "bare"])
def test_a_daemon_does_not_outlive_its_lane(tmp_path: Path, environment: str) -> None:
    seconds = f"3{time.monotonic_ns() % 10_000_000}"
    ran = run(tmp_path, "daemonises", seconds, environment)
    assert (ran.end.kind, ran.end.exit_status, ran.stdout) == ("exited", 0, b"the daemon is off\n")
    assert seconds not in subprocess.run(["ps", "axo", "args"], capture_output=True, text=True).stdout


def test_a_tool_that_ignores_being_asked_is_killed(tmp_path: Path) -> None:
    ran = run(tmp_path, "ignores_term", timeout_s=1.5)
    assert (ran.end.kind, ran.end.exit_status) == ("timeout", -9)
    assert ran.end.problem == "not finished after 1.5 s"


def test_a_tool_that_ends_when_asked_has_its_last_words_kept(tmp_path: Path) -> None:
    ran = run(tmp_path, "says_goodbye", timeout_s=1.5, term_grace_s=10)
    assert (ran.end.kind, ran.end.exit_status, ran.stdout) == ("timeout", 0, b"hello\ngoodbye\n")
    assert ran.end.duration_s < 8


def test_closing_stdout_is_not_ending(tmp_path: Path) -> None:
    ran = run(tmp_path, "closes_stdout", timeout_s=1.5)
    assert (ran.end.kind, ran.stdout) == ("timeout", b"that is all\n")


def test_a_grandchild_that_holds_the_pipe_does_not_hold_us(tmp_path: Path) -> None:
    ran = run(tmp_path, "holds_pipe")
    assert (ran.end.kind, ran.end.exit_status, ran.stdout) == ("exited", 0, b"done\n")
    assert ran.end.duration_s < 10


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_cut_at_the_cap_and_what_came_is_kept(tmp_path: Path, stream: str) -> None:
    ran = run(tmp_path, "floods", stream, stdout_limit=2 * MIB, stderr_limit=MIB)
    limit = 2 * MIB if stream == "stdout" else MIB
    assert ran.end.kind == "output_limit"
    assert ran.end.problem == f"{stream} passed its limit of {limit:,} bytes"
    assert len(ran.stdout if stream == "stdout" else ran.stderr) == limit


def test_output_of_exactly_the_cap_is_whole(tmp_path: Path) -> None:
    ran = run(tmp_path, "writes", str(MIB), stdout_limit=MIB)
    assert (ran.end.kind, ran.end.exit_status, len(ran.stdout)) == ("exited", 0, MIB)


def test_a_line_of_a_hundred_megabytes_is_never_held_in_memory(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import asyncio, resource
        from pathlib import Path
        from tests.faults.process_cases import run_one, spec
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ran = asyncio.run(run_one(spec(Path({str(tmp_path)!r}), "writes", str(100 * 2**20), stdout_limit=2**20)))
        print(ran.end.kind, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000)
    """)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "output_limit True\n"


def test_a_byte_now_and_then_does_not_move_the_deadline(tmp_path: Path) -> None:
    ran = run(tmp_path, "drips", "0.1", timeout_s=1.5, idle_timeout_s=5)
    assert ran.end.kind == "timeout"
    assert set(ran.stdout) == {ord(".")}


def test_silence_ends_a_lane_that_declares_so(tmp_path: Path) -> None:
    ran = run(tmp_path, "closes_stdout", idle_timeout_s=0.5)
    assert (ran.end.kind, ran.end.problem) == ("idle_timeout", "no output for 0.5 s")


def test_output_below_the_idle_bound_is_no_silence(tmp_path: Path) -> None:
    assert run(tmp_path, "drips", "0.05", timeout_s=2.5, idle_timeout_s=2.0).end.kind == "timeout"


def test_bytes_are_kept_untouched(tmp_path: Path) -> None:
    ran = run(tmp_path, "raw_bytes")
    assert ran.stdout == b"\xff\xfe" + "review".encode("utf-16-le") + b"\0\0\xc3\x28\x80caf\xe9"
    assert ran.stderr == b"\0" * 1000


def test_a_tool_may_delete_its_folder_its_prompt_and_where_its_output_goes(tmp_path: Path) -> None:
    place = tmp_path / "place"
    what = spec(place, "deletes", str(place), str(tmp_path / "prompt"), stdin_path=tmp_path / "prompt")
    (tmp_path / "prompt").write_bytes(b"p" * MIB)
    with nothing_left(what.marker):
        ran = asyncio.run(run_one(what))
    assert (ran.end.kind, ran.end.exit_status, ran.end.stdout_bytes) == ("exited", 0, 5)


def _judge(verdict: Verdict | None, seen: list[Output]) -> Callable[[Output], Verdict | None]:
    def judge(output: Output) -> Verdict | None:
        seen.append(output)
        return verdict

    return judge


def test_a_finished_answer_is_kept_when_the_tool_will_not_exit(tmp_path: Path) -> None:
    seen: list[Output] = []
    ran = run(tmp_path, "never_exits", on_quiet=_judge("complete", seen))
    assert (ran.end.kind, ran.end.complete) == ("replied", True)
    assert ran.stdout == b'{"done": true, "text": "a whole answer"}\n'
    assert [output.stdout_bytes for output in seen] == [len(ran.stdout)]


def test_a_deadline_during_the_answer_still_asks_whether_it_is_complete(tmp_path: Path) -> None:
    ran = run(tmp_path, "never_exits", on_quiet=_judge("complete", []), quiet_s=60, timeout_s=1.5)
    assert (ran.end.kind, ran.end.complete) == ("timeout", True)


def test_a_login_prompt_ends_the_lane_at_once(tmp_path: Path) -> None:
    ran = run(tmp_path, "asks_to_log_in", "Password:", on_quiet=_judge("login_prompt", []))
    assert (ran.end.kind, ran.end.problem) == ("login_prompt", "it asked a person to log in")


def test_an_answer_that_is_judged_slowly_does_not_move_the_deadline(tmp_path: Path) -> None:
    def slow(output: Output) -> Verdict | None:
        time.sleep(1.0)
        return None

    assert run(tmp_path, "drips", "0.5", on_quiet=slow, timeout_s=1.2).end.kind == "timeout"


def test_a_judge_that_takes_long_is_asked_less_often(tmp_path: Path) -> None:
    seen: list[Output] = []

    def slow(output: Output) -> Verdict | None:
        seen.append(output)
        time.sleep(0.3)
        return None

    run(tmp_path, "drips", "0.25", on_quiet=slow, quiet_s=0.01, timeout_s=2.5)
    assert 1 <= len(seen) <= 3


def test_a_tool_that_kills_what_stands_above_it_does_not_get_away(tmp_path: Path) -> None:
    ran = run(tmp_path, "kills_its_parent")
    assert (ran.end.kind, ran.end.exit_status, ran.end.survivors) == ("exited", None, 0)


def test_a_tool_that_stops_what_stands_above_it_is_ended_at_its_deadline(tmp_path: Path) -> None:
    ran = run(tmp_path, "stops_its_parent", timeout_s=1.0)
    assert (ran.end.kind, ran.end.exit_status, ran.end.survivors) == ("timeout", -15, 0)


def test_a_child_inherits_no_descriptor_of_ours(tmp_path: Path) -> None:
    what = replace(spec(tmp_path, "answers"), argv=("/bin/ls", "/proc/self/fd"))
    asyncio.run(run_process(what))
    assert what.stdout_path.read_text().split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads


def test_running_out_of_descriptors_is_said_and_leaks_none(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import asyncio, os, resource
        os.closerange(3, 4096)
        from pathlib import Path
        from msd_review.edges.process import run_process
        from tests.faults.process_cases import descriptors, spec
        place = Path({str(tmp_path)!r})
        (place / "prompt").write_bytes(b"p")
        what = spec(place, "answers", stdin_path=place / "prompt")

        async def main():
            await run_process(what)
            told, before = set(), len(descriptors())
            used = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
            for room in range(14):
                resource.setrlimit(resource.RLIMIT_NOFILE, (used + room, 4096))
                end = await run_process(what)
                resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
                told.add((end.kind, (end.problem or "").partition(":")[0]))
            return sorted(told), len(descriptors()) - before

        print(*asyncio.run(asyncio.wait_for(main(), 50)))
    """)
    command = [sys.executable, "-W", "error", "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("[('exited', ''), ('spawn_failed', 'Too many open files')] 0\n", "")


def _without_exec_bit(program: Path) -> None:
    program.chmod(0o644)


def _without_interpreter(program: Path) -> None:
    program.write_text("#!/nowhere/python\n")


def _without_format(program: Path) -> None:
    program.write_bytes(b"\x00\x01\x02")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_without_exec_bit, "Permission denied"),
        (_without_interpreter, "No such file or directory"),
        (_without_format, "Exec format error"),
        (Path.unlink, "No such file or directory"),
    ],
)
def test_what_cannot_be_started_is_said_and_not_raised(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    what = spec(tmp_path, "answers")
    spoil(Path(what.argv[0]))
    with nothing_left(what.marker):
        end = asyncio.run(run_process(what))
    assert (end.kind, end.problem) == ("spawn_failed", f"{told}: {what.argv[0]}")


@pytest.mark.parametrize("what", ["cwd", "prompt", "output"])
def test_a_missing_place_is_said_and_not_raised(tmp_path: Path, what: str) -> None:
    place = tmp_path / "place"
    missing = tmp_path / "missing"
    asked = spec(place, "answers", stdin_path=missing if what == "prompt" else None)
    if what == "cwd":
        (place / "work").rmdir()
        missing = place / "work"
    if what == "output":
        (place / "stdout").mkdir()
    with nothing_left(asked.marker):
        end = asyncio.run(run_process(asked))
    assert end.kind == "spawn_failed"
    assert end.problem == (
        f"Is a directory: {place / 'stdout'}" if what == "output" else f"No such file or directory: {missing}"
    )


def test_a_nul_in_an_argument_is_no_crash(tmp_path: Path) -> None:
    end = asyncio.run(run_process(spec(tmp_path, "answers", "a\0b")))
    assert (end.kind, end.problem) == ("spawn_failed", "embedded null byte")


def test_an_argument_that_is_too_long_is_no_crash(tmp_path: Path) -> None:
    end = asyncio.run(run_process(spec(tmp_path, "answers", "a" * 200_000)))
    assert (end.kind, end.problem) == (
        "spawn_failed",
        f"Argument list too long: {tmp_path / 'bin' / 'answers'}",
    )


def test_a_binary_that_is_still_being_written_is_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "copied"
    program.write_bytes(Path("/bin/echo").read_bytes())
    program.chmod(0o755)
    what = replace(spec(tmp_path, "answers"), argv=(str(program), "hi"))
    held = os.open(program, os.O_WRONLY)

    async def both() -> ProcessEnd:
        asyncio.get_running_loop().call_later(0.15, os.close, held)
        return await run_process(what)

    assert asyncio.run(both()).kind == "exited"
    assert what.stdout_path.read_bytes() == b"hi\n"


def test_a_binary_that_is_replaced_before_the_start_runs_as_what_it_is_then(tmp_path: Path) -> None:
    what = spec(tmp_path, "answers")
    other = install(tmp_path / "other", "exits")
    other.replace(what.argv[0])
    ran = asyncio.run(run_one(replace(what, argv=(what.argv[0], "7"))))
    assert (ran.end.kind, ran.end.exit_status) == ("exited", 7)


def test_a_full_disk_ends_that_lane_alone(tmp_path: Path) -> None:
    """The size of files is limited in a process of its own: the platform then says what a full disk says."""
    script = textwrap.dedent(f"""
        import asyncio, resource, signal
        from pathlib import Path
        from tests.faults.process_cases import nothing_left, run_one, spec
        big, small = (spec(Path({str(tmp_path)!r}) / name, *call) for name, call in
                      (("big", ("writes", str(4 * 2**20))), ("small", ("answers",))))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        async def both():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, resource.RLIM_INFINITY))
            return await asyncio.gather(run_one(big), run_one(small))
        with nothing_left(big.marker, small.marker):
            for ran in asyncio.run(both()):
                print(ran.end.kind, ran.end.problem, ran.end.stdout_bytes)
    """)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "write_failed stdout could not be written down: File too large 1048576",
        "exited None 13",
    ]


def test_a_clock_that_jumps_moves_no_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time
    jumps = iter(range(0, 10_000_000, 86_400))
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    ran = run(tmp_path, "says_goodbye", timeout_s=1.5, term_grace_s=10)
    assert (ran.end.kind, ran.stdout) == ("timeout", b"hello\ngoodbye\n")


def test_the_first_wish_to_stop_ends_politely_and_keeps_what_came(tmp_path: Path) -> None:
    stop = StopSignal()
    what = spec(tmp_path, "says_goodbye", term_grace_s=10)
    end = asyncio.run(
        run_process(what, stop=stop, on_progress=lambda *_: None if stop.asked() else stop.ask())
    )
    assert (end.kind, end.exit_status) == ("cancelled", 0)
    assert what.stdout_path.read_bytes() == b"hello\ngoodbye\n"


def test_the_second_wish_to_stop_kills_at_once(tmp_path: Path) -> None:
    stop = StopSignal()
    what = spec(tmp_path, "ignores_term", term_grace_s=60)

    async def stopped() -> ProcessEnd:
        def ask_twice(*_: int) -> None:
            asyncio.get_running_loop().call_later(0.2, stop.ask)
            stop.ask()

        return await run_process(what, stop=stop, on_progress=ask_twice)

    end = asyncio.run(asyncio.wait_for(stopped(), 30))
    assert (end.kind, end.exit_status) == ("cancelled", -9)


def test_a_cancelled_task_leaves_nothing_either(tmp_path: Path) -> None:
    what = spec(tmp_path, "fork_storm")

    async def cancelled() -> None:
        task = asyncio.create_task(run_process(what))
        await asyncio.sleep(0.7)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with nothing_left(what.marker):
        asyncio.run(asyncio.wait_for(cancelled(), 20))


def test_siblings_of_faulty_lanes_are_unharmed(tmp_path: Path) -> None:
    faulty = ("fork_storm", "ignores_term", "floods", "holds_pipe", "kills_its_parent", "closes_stdout")

    async def all_at_once() -> list[str]:
        runs = [run_one(spec(tmp_path / name, name, timeout_s=1.0)) for name in faulty]
        good = [run_one(spec(tmp_path / f"good{n}", "answers")) for n in range(4)]
        ended = await asyncio.gather(*runs, *good)
        return [ran.stdout.decode() for ran in ended[len(faulty) :]]

    with nothing_left():
        assert asyncio.run(asyncio.wait_for(all_at_once(), 60)) == ["read 0 bytes\n"] * 4


def test_the_childs_environment_is_exactly_what_was_given(tmp_path: Path) -> None:
    given = {"A": "1", "B": "x=y\n"}
    what = replace(spec(tmp_path, "answers"), argv=("/usr/bin/env", "-0"), env=given)
    asyncio.run(run_process(what))
    assert sorted((tmp_path / "stdout").read_bytes().split(b"\0")) == sorted(
        [b"", b"A=1", b"B=x=y\n", f"{process_table.MARK}={what.marker}".encode()]
    )


def test_output_files_are_private_and_never_written_through_a_link(tmp_path: Path) -> None:
    what = spec(tmp_path, "answers")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    what.stdout_path.symlink_to(victim)
    asyncio.run(run_process(what))
    assert victim.read_text() == "precious"
    assert what.stdout_path.stat().st_mode & 0o777 == 0o600


def test_when_msd_is_killed_its_keepers_end_the_lanes(tmp_path: Path) -> None:
    what = spec(tmp_path, "fork_storm")
    script = textwrap.dedent(f"""
        import asyncio
        from dataclasses import replace
        from pathlib import Path
        from msd_review.edges.process import run_process
        from tests.faults.process_cases import spec
        asyncio.run(run_process(replace(spec(Path({str(tmp_path)!r}), "fork_storm"), marker={what.marker!r})))
    """)
    with nothing_left(what.marker):
        msd = subprocess.Popen([sys.executable, "-c", script])
        _wait_until(lambda: what.stdout_path.exists() and what.stdout_path.read_bytes() == b"stormed\n")
        msd.kill()
        msd.wait()
        _wait_until(lambda: not process_table.marked(lambda mark: mark == what.marker))


def _wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
